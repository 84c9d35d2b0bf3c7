/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The order in which an archive of the whole system is shown: first load, CPU, memory, disks and
 * network.
 */
#ifndef VCPC_OVERVIEW_H
#define VCPC_OVERVIEW_H

#include "series.h"
#include "tally.h"

bool vcpc_begins(const char *name, const char *with);

/*
 * Return whether a metric is one of vcpc's metrics.  Archives with at least one of them are shown
 * in the order of vcpc's presets.
 */
bool vcpc_overview_is_own(const char *metric);
/*
 * Sort the columns of a series that was read.  If @charts, keep the instances of a metric together,
 * because one chart shows them.  Return 0 or -ENOMEM.
 */
int vcpc_overview_series(struct vcpc_series *s, bool charts);
/*
 * Return the indexes of a tally's metrics in display order, followed by metrics without values, or
 * NULL if out of memory.
 */
size_t *vcpc_overview_tally(const struct vcpc_tally *t);

#endif /* VCPC_OVERVIEW_H */
