// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Metrics for the state and statistics of the module and of tracing.  One of them turns tracing on
 * and off.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/lines.h"
#include "core/bpf.h"
#include "core/probe.h"
#include "module.h"

#define INDOM_DROPS	SHIM_INDOM(SHIM_DOMAIN_VCPC, 7)
#define STATS_FILE	"/sys/kernel/debug/vcpc/stats"

enum { TRACING, DROPS, LOADED, STATS };	/* rows of metrics[]; STATS is the first statistic */

#define CONTROL(item, name, indom, type, sem, units, line, help)				\
	{ "vcpc.control." name, SHIM_PMID(SHIM_DOMAIN_VCPC, SHIM_CLUSTER_CONTROL, item), indom,	\
	  type, sem, units, 1, line, help }
#define STAT(item, name, units, line, help)							\
	{ "vcpc.module." name, SHIM_PMID(SHIM_DOMAIN_VCPC, SHIM_CLUSTER_MODULE, item),		\
	  SHIM_INDOM_NULL, SHIM_TYPE_U64, SHIM_SEM_COUNTER, units, 1, line, help }

static const struct shim_metric metrics[] = {
	[TRACING] = CONTROL(0, "tracing", SHIM_INDOM_NULL, SHIM_TYPE_U32, SHIM_SEM_DISCRETE,
			    SHIM_UNITS_NONE, "whether transactions are traced",
			    "0 if tracing is off, 1 if events come through the module, 2 if they come through\n"
			    "probes on the library. Storing 0 turns tracing off and ends all statistics;\n"
			    "storing another number turns tracing on."),
	[DROPS] = CONTROL(1, "dropped", INDOM_DROPS, SHIM_TYPE_U64, SHIM_SEM_COUNTER,
			  SHIM_UNITS_COUNT, "lost trace events",
			  "Number of events that are missing from some or all statistics, by reason. The\n"
			  "most frequent reason is a full table. For the reason tags_removed, it is the\n"
			  "number of unused tags that were removed because there were too many."),
	[LOADED] = CONTROL(2, "module", SHIM_INDOM_NULL, SHIM_TYPE_U32, SHIM_SEM_DISCRETE,
			   SHIM_UNITS_NONE, "whether the module is loaded",
			   "1 if the module vcpc is loaded, otherwise 0."),
	[STATS] = STAT(0, "late_overflows", SHIM_UNITS_COUNT, "overflows detected late",
		       "Overflows that were detected when their thread was scheduled out."),
	STAT(1, "overflows_not_signaled", SHIM_UNITS_COUNT, "overflows without a signal",
	     "Overflows without a signal, because the thread was exiting, had executed another\n"
	     "program, or had a full signal queue."),
	STAT(3, "invalid_instances", SHIM_UNITS_COUNT, "instances that became invalid",
	     "Instances of sets that were found to have lost counts, for any reason."),
	STAT(4, "not_inherited", SHIM_UNITS_COUNT, "threads that did not inherit a set",
	     "New threads for which no instance of an inherited set could be created."),
	STAT(8, "refused_by_limit", SHIM_UNITS_COUNT, "requests rejected because of a user's limit",
	     "Sets, bindings and trace tags that were rejected because their user had\n"
	     "reached the limit."),
};

#define NMETRICS	(sizeof(metrics) / sizeof(metrics[0]))

_Static_assert(NMETRICS == STATS + SHIM_MODULE_STATS, "each statistic needs a metric");

const struct shim_metric_indom shim_live_drops = {
	INDOM_DROPS, 1, "reasons for dropped trace events",
	"The reasons are full tables, and transactions whose begin or end was not received."
};

static const char *const drop_names[VC_DROP_NR] = {
	[VC_DROP_OPEN_FULL] = "open_full",
	[VC_DROP_STAT_FULL] = "stat_full",
	[VC_DROP_TAG_FULL] = "tag_full",
	[VC_DROP_NOT_OPEN] = "not_open",
	[VC_DROP_GIVEN_UP] = "given_up",
	[VC_DROP_COUNT_FULL] = "count_full",
	[VC_DROP_RING_FULL] = "ring_full",
	[VC_DROP_DIRECT_FULL] = "direct_full",
	[VC_DROP_NOT_COUNTED] = "not_counted",
	[VC_DROP_REMOVED] = "tags_removed",
};

const char *shim_live_drops__name(size_t i)
{
	return i < VC_DROP_NR ? drop_names[i] : NULL;
}

const struct shim_metric *shim_live_module__metric(size_t i)
{
	return i < NMETRICS ? &metrics[i] : NULL;
}

static void value_take(struct shim_live_module *module, const char *name, unsigned long long value)
{
	for (size_t i = 0; i < SHIM_MODULE_STATS; i++)
		if (!strcmp(metrics[STATS + i].name + strlen("vcpc.module."), name))
			module->stats[i] = value;
}

/* Read the statistics.  Each complete line of the file contains a name and a value. */
static int read_stats(struct shim_live_module *module)
{
	FILE *f = fopen(STATS_FILE, "re");
	unsigned long long value;
	char *line = NULL, name[64];
	size_t room = 0;
	int ret = 0, more = 0;

	if (!f)
		return -errno;
	while (!ret && (more = shim_lines__next(f, &line, &room)) > 0) {
		if (strchr(line, '\n') && sscanf(line, "%63s %llu", name, &value) == 2)
			value_take(module, name, value);
		else
			ret = -EPROTO;
	}
	free(line);
	fclose(f);
	return ret ? ret : more;
}

/* Sample the module.  Errors are not returned but stored as the status of the metrics. */
void shim_live_module__sample(struct shim_live_module *module, struct shim_live_trace *trace)
{
	module->tracing = shim_bpf__status();
	module->drops_status = shim_live_trace__drops(trace, module->drops);
	module->loaded = !access("/sys/module/vcpc", F_OK);
	module->stats_status = module->loaded ? read_stats(module) : -ENODEV;
}

int shim_live_module__status(const struct shim_live_module *module, size_t metric)
{
	switch (metric) {
	case TRACING:
		return module->tracing < 0 ? module->tracing : 0;
	case DROPS:
		return module->drops_status;
	case LOADED:
		return 0;
	}
	return module->stats_status;
}

bool shim_live_module__value(const struct shim_live_module *module, size_t metric, size_t i,
			     struct shim_value *value)
{
	if (shim_live_module__status(module, metric))
		return false;
	value->inst = metric == DROPS ? (int32_t)i : SHIM_IN_NULL;
	value->type = metrics[metric].type;
	switch (metric) {
	case TRACING:
		value->ul = module->tracing;
		break;
	case DROPS:
		value->ull = module->drops[i];
		break;
	case LOADED:
		value->ul = module->loaded;
		break;
	default:
		value->ull = module->stats[metric - STATS];
	}
	return true;
}

/**
 * shim_live_module__store() - set a metric's value
 * @metric: the metric's index; only the first one, vcpc.control.tracing, can be stored
 * @value: a value of the metric's type
 *
 * Without the module, events come from probes on the shared library.  A program that is linked with
 * the static library, such as the agent, cannot attach these probes, so it requires the module.
 *
 * Return: 0, -EROFS for a metric that cannot be stored, -ENODEV if the module is required but not
 * loaded, or an error from shim_bpf__on() or shim_bpf__off().  Storing the current state is not an
 * error.
 */
int shim_live_module__store(size_t metric, const struct shim_value *value)
{
	const struct shim_bpf_options options = {
		.transport = shim_probe__is_shared() ? SHIM_BPF_ANY : SHIM_BPF_MODULE,
	};
	int ret;

	if (metric != TRACING)
		return -EROFS;
	ret = value->ul ? shim_bpf__on(&options) : shim_bpf__off();
	return ret == (value->ul ? -EEXIST : -ENOENT) ? 0 : ret;
}
