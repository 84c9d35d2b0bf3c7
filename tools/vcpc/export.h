/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Write columns and rows for other programs. */
#ifndef VCPC_EXPORT_H
#define VCPC_EXPORT_H

#include <stdio.h>

#include "series.h"

/*
 * An export in progress.  CSV has a header line and a line for each row; numbers have all their
 * digits.  JSON is one object with archive, host, columns, and rows of values in the columns'
 * order.
 */
struct vcpc_export {
	FILE *out;
	bool json;
	bool begun;
	const char *archive, *host;
};

/* Write the only row of a series.  @x is a struct vcpc_export. */
void vcpc_export_row(void *x, struct vcpc_series *s);
/* Finish the output.  @s provides the columns if no row was written. */
void vcpc_export_end(struct vcpc_export *x, const struct vcpc_series *s);
/* Format a time as 2024-03-01T14:30:00.000000000+01:00. */
void vcpc_iso_time(char *buf, size_t size, struct timespec when);

#endif /* VCPC_EXPORT_H */
