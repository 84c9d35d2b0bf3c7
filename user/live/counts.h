/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Metrics for counts: vcpc.count.<event> and vcpc.time.* with one instance per target, and
 * vcpc.process.count.<event> with one instance per process.
 */
#ifndef SHIM_LIVE_COUNTS_H
#define SHIM_LIVE_COUNTS_H

#include <stdbool.h>
#include <stddef.h>

#include "core/event.h"
#include "metric.h"

/* The configuration of local contexts and the agent: which events they count, and where */

#define SHIM_CONFIG_FILE	"/etc/vcpc.conf"
#define SHIM_CONFIG_EVENTS	16	/* maximum per line; these events count together */
#define SHIM_CONFIG_LINES	64

/*
 * struct shim_config_line - events that are counted together
 * @command: count in each process whose command matches this pattern (fnmatch(3)); if NULL, count
 *	on every CPU
 */
struct shim_config_line {
	char *command;
	char *events[SHIM_CONFIG_EVENTS];
	unsigned int n;
};

struct shim_config {
	struct shim_config_line lines[SHIM_CONFIG_LINES];
	unsigned int n;
};

int shim_config__read(struct shim_config *config, const char *path, unsigned int *line);
int shim_config__copy(struct shim_config *to, const struct shim_config *from, bool processes);
void shim_config__fini(struct shim_config *config);

#define SHIM_COUNT_ITEMS	1024	/* item numbers in a cluster; a power of two */
#define SHIM_COUNT_PREFIX	24	/* space for the part of a metric's name before the event */

/* The times of a sample: rows of shim_live_times */
enum { SHIM_TIME_TICK, SHIM_TIME_ENABLED, SHIM_TIME_RUNNING, SHIM_TIMES };

extern const struct shim_metric shim_live_times[SHIM_TIMES];
extern const struct shim_metric_indom shim_live_targets;

/**
 * struct shim_count_metric - an event's metric and its texts
 * @metric: its texts point to the members below
 * @name: name of the metric
 * @line: one-line description
 * @help: description of several lines
 */
struct shim_count_metric {
	struct shim_metric metric;
	char name[SHIM_EVENT_LEN + SHIM_COUNT_PREFIX];
	char line[SHIM_EVENT_LEN + 32];
	char help[SHIM_EVENT_LEN + 160];
};

/*
 * struct shim_count_table - the metrics of a configuration's events
 * @processes: true for events counted in processes, false for CPUs
 * @all: the @n metrics, which do not move
 */
struct shim_count_table {
	bool processes;
	struct shim_count_metric *all;
	unsigned int n;
};

int shim_count_table__init(struct shim_count_table *table, const struct shim_config *config,
			   bool processes);
int shim_count_table__add(struct shim_count_table *table, const struct shim_config_line *line,
			  unsigned int *at);
int shim_count_requests__of(const struct shim_config_line *line, struct vcpc_request *reqs);

extern const struct shim_metric shim_live_process_time;
extern const struct shim_metric_indom shim_live_process_indom;

int shim_count_metric__name(const char *event, char *name, size_t size);
unsigned int shim_count_metric__item(const char *name);
void shim_count_metric__fill(struct shim_count_metric *m, unsigned int item, const char *name,
			     const char *event);

#endif /* SHIM_LIVE_COUNTS_H */
