// SPDX-License-Identifier: GPL-2.0-or-later
/* Presets: a table of names for groups of metrics that are often used together. */
#include <stdio.h>
#include <string.h>

#include "preset.h"
#include "vcpc.h"
#include "window.h"

#define MOST	16

/* @metrics: metric or group names, in the order of output; @all: all other metrics follow */
static const struct preset {
	const char *name;
	const char *help;	/* NULL if users cannot select it */
	bool all, histograms;
	const char *metrics[MOST];
} presets[] = {
	{ VCPC_PRESET_DEFAULT, NULL, true, false,
	  { "vcpc.count.task_clock", "vcpc.count.instructions", "vcpc.count.instructions_u",
	    "trace.transact.count", "vcpc.transact.p99_time", "vcpc.count.cycles", "vcpc.count",
	    "trace.point.count", "trace.observe.value", "trace.counter.value", "trace.transact" } },
	{ ":counts", "counts of the command", false, false, { "vcpc.count", "vcpc.time.tick" } },
	{ ":transactions", "transactions per second, and their durations", false, false,
	  { "trace.transact.count", "trace.transact.ave_time", "vcpc.transact.p50_time",
	    "vcpc.transact.p99_time", "trace.transact.max_time", "vcpc.transact.aborted" } },
	{ ":points", "points, observations and counters", false, false,
	  { "trace.point", "trace.observe", "trace.counter" } },
	{ ":histograms", "transactions by duration", false, true, { "vcpc.transact.hist" } },
	{ ":all", "all numeric metrics", true, true, { NULL } },
};

#define NPRESETS	(sizeof(presets) / sizeof(presets[0]))

void vcpc_preset_help(void)
{
	for (size_t i = 0; i < NPRESETS; i++)
		if (presets[i].help)
			printf("  %-21s %s\n", presets[i].name, presets[i].help);
}

static const struct preset *preset_find(const char *name)
{
	for (size_t i = 0; i < NPRESETS; i++)
		if (!strcmp(presets[i].name, name))
			return &presets[i];
	return NULL;
}

int vcpc_preset_add(struct vcpc_series *s, const char *name)
{
	const struct preset *p = preset_find(name);
	size_t before = s->nmetrics;
	int err = 0;

	if (!p)
		return vcpc_usage("unknown group '%s' (use :counts, :transactions, :points, :histograms or :all)",
				  name);
	for (size_t i = 0; i < MOST && p->metrics[i] && !err; i++)
		err = vcpc_series_add_below(s, p->metrics[i], p->histograms);
	if (!err && p->all)
		err = vcpc_series_add_below(s, "", p->histograms);
	if (err)
		return vcpc_fail_pm(err, name);
	if (s->nmetrics == before && p->help && !p->all)
		return vcpc_fail(0, "the archive has no metrics for '%s'; 'vcpc dump -d ARCHIVE' lists those it has",
				 name);
	return 0;
}
