/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * This machine as a source of metrics: trace events, counts of its CPUs and of selected processes,
 * the state of the module, and each user's use of the module, all in one list.
 *
 * Metrics and instance domains are identified by their index in the list.  Values belong to the
 * last sample.  Rates and other values that are computed over an interval start at the sample at
 * which shim_machine__settle() was last called.
 *
 * Threads: a machine belongs to one thread at a time.
 */
#ifndef SHIM_LIVE_MACHINE_H
#define SHIM_LIVE_MACHINE_H

#include <stddef.h>

#include "metric.h"

/* PMAPI's error codes that explain why a metric has no values */
#define SHIM_LIVE_EVALUE	(-12351)	/* no values */
#define SHIM_LIVE_EAPPVERSION	(-12350)	/* this machine cannot count the event */
#define SHIM_LIVE_EPERMISSION	(-12387)	/* the caller lacks permission */
#define SHIM_LIVE_EAGAIN	(-12389)	/* tracing is off, or the module is not loaded */

/* Each metric belongs to one of these groups; a mask selects the groups to sample. */
enum shim_group {
	SHIM_GROUP_TRACE = 1, SHIM_GROUP_CPUS = 2, SHIM_GROUP_MODULE = 4, SHIM_GROUP_PROCESSES = 8,
	SHIM_GROUP_USERS = 16,
};

struct shim_machine;

int shim_machine__new(const char *config, unsigned int *line, struct shim_machine **out);
void shim_machine__free(struct shim_machine *machine);

const struct shim_metric *shim_machine__metric(const struct shim_machine *machine, size_t i);
/* Return the index of a metric or domain, or -1. */
int shim_machine__find(const struct shim_machine *machine, uint32_t pmid);
const struct shim_metric_indom *shim_machine__indom(const struct shim_machine *machine, size_t i);
int shim_machine__find_indom(const struct shim_machine *machine, uint32_t indom);

unsigned int shim_machine__group(const struct shim_machine *machine, size_t metric);
unsigned int shim_machine__indom_group(const struct shim_machine *machine, size_t indom);
void shim_machine__sample(struct shim_machine *machine, unsigned int groups);
void shim_machine__settle(struct shim_machine *machine);

/*
 * Return a number.  While it does not change, instances are only added; otherwise indexes may have
 * been reused.
 */
uint64_t shim_machine__removed(const struct shim_machine *machine, size_t indom);
size_t shim_machine__instances(const struct shim_machine *machine, size_t indom);
/* Return the instance's number, and write its name to @buf, which has SHIM_LIVE_NAME_LEN bytes. */
int shim_machine__instance(const struct shim_machine *machine, size_t indom, size_t i, char *buf,
			   size_t size);
/* Return the index of the instance with number @inst, or -1. */
int shim_machine__find_instance(const struct shim_machine *machine, size_t indom, int inst);
/*
 * Write an instance's labels as JSON.  Return their length, or 0 if there are none or they do not
 * fit.
 */
size_t shim_machine__labels(const struct shim_machine *machine, size_t indom, size_t i, char *buf,
			    size_t size);

/*
 * Return the maximum number of values, which is 1 for a metric without a domain, or an error code
 * that begins with SHIM_LIVE_E.
 */
int shim_machine__values(const struct shim_machine *machine, size_t metric);
bool shim_machine__value(const struct shim_machine *machine, size_t metric, size_t i,
			 struct shim_value *value);
int shim_machine__store(struct shim_machine *machine, size_t metric,
			const struct shim_value *value);

#endif /* SHIM_LIVE_MACHINE_H */
