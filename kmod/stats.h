/* SPDX-License-Identifier: GPL-2.0 */
#ifndef VCPC_STATS_H
#define VCPC_STATS_H

#include <linux/types.h>

struct seq_file;

/* What the module counts of itself, since it was loaded */
enum vcpc_stat {
	VCPC_STAT_LATE,		/* overflows found when their thread left its CPU */
	VCPC_STAT_UNTOLD,	/* overflows not signaled: the program had gone, or was going */
	VCPC_STAT_INVALID,	/* instances found invalid */
	VCPC_STAT_UNINHERITED,	/* new threads that could not be given an instance */
	VCPC_STAT_ROTATIONS,	/* changes from one group to the next */
	VCPC_STAT_ROTATION_NS,	/* and the time that they took */
	VCPC_STAT_POSTPONED,	/* changes put off as the set was in use */
	VCPC_STAT_REFUSED,	/* SET_CREATE or BIND refused by a user's limit */
	VCPC_STAT_TAGS_REFUSED,	/* tags refused by a limit */
	VCPC_STAT_NR,
};

void vcpc_stats_add(enum vcpc_stat which, u64 nr);
void vcpc_stats_show(struct seq_file *m);

static inline void vcpc_stats_count(enum vcpc_stat which)
{
	vcpc_stats_add(which, 1);
}

#endif
