/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Draw columns as charts. */
#ifndef VCPC_CHART_H
#define VCPC_CHART_H

#include "series.h"

/*
 * Draw a chart of each column that has values, in order of time.  If @left is not NULL, draw only
 * as many charts as fit on a screen, and add the number of the other columns to *@left.  With
 * @together, draw as many of a metric's instances in one chart as it can show.  Return 0, or an
 * exit status after printing a message.
 */
int vcpc_chart(struct vcpc_series *s, struct timespec delta, unsigned int width, bool ascii,
	       bool together, size_t *left);

#endif /* VCPC_CHART_H */
