/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared by the two files of mixed_versions, without types that depend on PMAPI_VERSION. */
#ifndef MIXED_VERSIONS_H
#define MIXED_VERSIONS_H

#include <stdint.h>

/*
 * The next record's time in ns after the start, as seen by an object file of version 2, and of
 * version 4
 */
int64_t next_by_v2(unsigned int pmid);
int64_t next_by_v4(unsigned int pmid);

/* Go to a time after the start, in an object file of either version. */
int go_by_v2(int64_t start, int usec);
int go_by_v4(int64_t start, int nsec);

/* "-t" of each version's pmOptions, in ns */
int64_t interval_by_v2(char *text);
int64_t interval_by_v4(char *text);

#endif /* MIXED_VERSIONS_H */
