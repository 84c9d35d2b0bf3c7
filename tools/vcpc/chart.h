/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Columns as charts. */
#ifndef VCPC_CHART_H
#define VCPC_CHART_H

#include "series.h"

/*
 * One a column that has values, from left to right; if @left is not NULL, as many as fit on a
 * screen, and the columns of the others are counted there.  @together: instances of a metric in one
 * chart, as many as it can show.  0, or the exit status after a message
 */
int vcpc_chart(struct vcpc_series *s, struct timespec delta, unsigned int width, bool ascii,
	       bool together, size_t *left);

#endif /* VCPC_CHART_H */
