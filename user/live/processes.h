/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Metrics for counters of selected processes */
#ifndef SHIM_LIVE_PROCESSES_H
#define SHIM_LIVE_PROCESSES_H

#include "counts.h"

#define SHIM_PROCESSES_MAX	256	/* processes counted at a time; others have to wait */

struct shim_live_processes;

int shim_live_processes__create(const struct shim_config *config,
				struct shim_live_processes **out);
void shim_live_processes__destroy(struct shim_live_processes *p);
void shim_live_processes__sample(struct shim_live_processes *p);
/*
 * Get metric @i: the CPU time, then the events; NULL past the last one, or if nothing is
 * configured.
 */
const struct shim_metric *shim_live_processes__metric(const struct shim_live_processes *p, size_t i);
/* Return 0, or the negated errno that explains why the last sample has no values of the metric. */
int shim_live_processes__status(const struct shim_live_processes *p, size_t metric);
/* Return the number of counted processes.  They are sorted by number. */
unsigned int shim_live_processes__n(const struct shim_live_processes *p);
/* Return the number of process @i, and write its command to @command of @size bytes. */
int shim_live_processes__name(const struct shim_live_processes *p, unsigned int i, char *command,
			      size_t size);
/* Return the index of a process, or -1. */
int shim_live_processes__find(const struct shim_live_processes *p, int pid);
bool shim_live_processes__value(const struct shim_live_processes *p, size_t metric, unsigned int i,
				struct shim_value *value);

#endif /* SHIM_LIVE_PROCESSES_H */
