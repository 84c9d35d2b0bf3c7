/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Archives of a few metrics, and their values as text. */
#ifndef FAIL_SAMPLE_H
#define FAIL_SAMPLE_H

#include <pcp/import.h>
#include <pcp/pmapi.h>

#define SAMPLE_START	1700000000
#define SAMPLE_INDOM	pmiInDom(60, 1)
#define SAMPLE_METRICS	6

/* Ends the process unless a call of the importer succeeded */
void sample_check(int err);
/* Name of the @i-th metric; those of odd numbers have three instances, the fifth is a string */
const char *sample_name(int i);
/* Describe the metrics in the importer's current context, and put one record with values of @at */
void sample_describe(void);
void sample_put(int at);
/* An archive of @records, one a second from @from on, a new volume after every @each */
void sample_make(const char *name, int from, int records, int each);
/* Say the values of a fetch of all metrics */
void sample_show(const pmResult *result);

#endif /* FAIL_SAMPLE_H */
