// SPDX-License-Identifier: GPL-2.0
/*
 * What the module counts of itself, for who has to find out what went wrong.
 *
 * Locking: none; the counters are atomic.
 */
#include <linux/atomic.h>
#include <linux/seq_file.h>

#include "stats.h"

static atomic64_t stats[VCPC_STAT_NR];

static const char *const names[VCPC_STAT_NR] = {
	[VCPC_STAT_LATE] = "late_overflows",
	[VCPC_STAT_UNTOLD] = "overflows_not_signaled",
	[VCPC_STAT_INVALID] = "invalid_instances",
	[VCPC_STAT_UNINHERITED] = "not_inherited",
	[VCPC_STAT_ROTATIONS] = "rotations",
	[VCPC_STAT_ROTATION_NS] = "rotation_ns",
	[VCPC_STAT_POSTPONED] = "rotations_postponed",
	[VCPC_STAT_REFUSED] = "refused_by_limit",
	[VCPC_STAT_TAGS_REFUSED] = "tags_refused",
};

/**
 * vcpc_stats_add() - count something
 * @which: what
 * @nr: how many
 *
 * Context: any.
 */
void vcpc_stats_add(enum vcpc_stat which, u64 nr)
{
	atomic64_add(nr, &stats[which]);
}

/**
 * vcpc_stats_show() - one line for each: its name and its value
 * @m: where to
 *
 * Context: nobody is stopped or waited for.
 */
void vcpc_stats_show(struct seq_file *m)
{
	unsigned int i;

	for (i = 0; i < VCPC_STAT_NR; i++)
		seq_printf(m, "%s %llu\n", names[i], (u64)atomic64_read(&stats[i]));
}
