/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Columns as charts. */
#ifndef VCPC_CHART_H
#define VCPC_CHART_H

#include "series.h"

/*
 * One a column that has values, from left to right; if @left is not NULL, as many as fit on a
 * screen, and the others are counted there.  0, or the exit status after a message
 */
int vcpc_chart(struct vcpc_series *s, struct timespec delta, unsigned int width, bool ascii,
	       size_t *left);

#endif /* VCPC_CHART_H */
