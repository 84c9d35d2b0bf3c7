/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Columns and rows as text. */
#ifndef VCPC_TABLE_H
#define VCPC_TABLE_H

#include <stdio.h>

#include "series.h"

/*
 * A time of day, with as many digits of the second as times so far apart need; @dated: with its
 * date before it
 */
void vcpc_table_time(char *buf, size_t size, struct timespec when, struct timespec delta,
		     bool dated);
/* Whether times from @a to @b need dates: they are not of one day, in the zone that is shown */
bool vcpc_several_days(struct timespec a, struct timespec b);

/*
 * Columns side by side as far as they fit in @width, the rest in further tables below, or, if @left
 * is not NULL, left out and counted there; -ENOMEM
 */
int vcpc_table(FILE *out, const struct vcpc_series *s, struct timespec delta, unsigned int width,
	       size_t *left);

#endif /* VCPC_TABLE_H */
