/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Write archives of a few metrics, and print their values as text. */
#ifndef FAIL_SAMPLE_H
#define FAIL_SAMPLE_H

#include <pcp/import.h>
#include <pcp/pmapi.h>

#define SAMPLE_START	1700000000
#define SAMPLE_INDOM	pmiInDom(60, 1)
#define SAMPLE_METRICS	6

/* Exit with an error unless a call of the importer succeeded. */
void sample_check(int err);
/* Return the name of the @i-th metric.  Odd ones have instances, and the fifth is a string. */
const char *sample_name(int i);
/* Describe the metrics in the current context, or add one record with the values at time @at. */
void sample_describe(void);
void sample_put(int at);
/*
 * Write an archive of @records, one per second, starting at @from, and begin a new
 * volume after every @each records.
 */
void sample_make(const char *name, int from, int records, int each);
/* Print the values of a fetch of all metrics. */
void sample_show(const pmResult *result);

#endif /* FAIL_SAMPLE_H */
