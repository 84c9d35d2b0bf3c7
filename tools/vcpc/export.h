/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Columns and rows for other programs. */
#ifndef VCPC_EXPORT_H
#define VCPC_EXPORT_H

#include <stdio.h>

#include "series.h"

/* Write a header line, then a line for each row; numbers keep all their digits */
void vcpc_csv(FILE *out, const struct vcpc_series *s);
/* Write one object: archive, host, columns, and rows of values in the columns' order */
void vcpc_json(FILE *out, const struct vcpc_series *s, const char *archive, const char *host);
/* 2024-03-01T14:30:00.000000000+01:00 */
void vcpc_iso_time(char *buf, size_t size, struct timespec when);

#endif /* VCPC_EXPORT_H */
