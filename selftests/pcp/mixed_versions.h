/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Declarations for the two files of mixed_versions, without types that depend on PMAPI_VERSION */
#ifndef MIXED_VERSIONS_H
#define MIXED_VERSIONS_H

#include <stdint.h>

/*
 * Return the time of the next record in ns after the start, from an object file of version 2 or 4.
 */
int64_t next_by_v2(unsigned int pmid);
int64_t next_by_v4(unsigned int pmid);

/* Go to a time after the start, from an object file of version 2 or 4. */
int go_by_v2(int64_t start, int usec);
int go_by_v4(int64_t start, int nsec);

/* Return the interval of option -t in ns, from an object file of version 2 or 4. */
int64_t interval_by_v2(char *text);
int64_t interval_by_v4(char *text);

#endif /* MIXED_VERSIONS_H */
