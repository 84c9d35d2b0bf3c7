/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Print columns and rows as text. */
#ifndef VCPC_TABLE_H
#define VCPC_TABLE_H

#include <stdio.h>

#include "series.h"

/*
 * Write a time of day, with enough decimals of the second for rows that are @delta apart.  If
 * @dated is set, precede it with the date.
 */
void vcpc_table_time(char *buf, size_t size, struct timespec when, struct timespec delta,
		     bool dated);
/*
 * Return whether times from @a to @b need dates because they span several days in the displayed
 * time zone.
 */
bool vcpc_several_days(struct timespec a, struct timespec b);

/*
 * Print columns side by side as far as they fit into @width.  The other columns follow in
 * additional tables.  If @left is not NULL, they are omitted instead, and their number is added to
 * *@left.  Return 0 or -ENOMEM.
 */
int vcpc_table(FILE *out, const struct vcpc_series *s, struct timespec delta, unsigned int width,
	       size_t *left);

#endif /* VCPC_TABLE_H */
