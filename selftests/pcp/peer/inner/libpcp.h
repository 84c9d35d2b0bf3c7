/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Replace the header of PCP's internals, which programs of PCP's test suite include, with the few
 * declarations about archives that they use.  Both builds of a program include this file.
 */
#ifndef PEER_INNER_LIBPCP_H
#define PEER_INNER_LIBPCP_H

#include <pcp/pmapi.h>

/* Number of records that the library has read; in this implementation always 0 */
extern int __pmLogReads;

void __pmDumpResult(FILE *f, const pmResult *result);
void __pmDumpHighResResult(FILE *f, const pmHighResResult *result);
void __pmDumpNameSpace(FILE *f, int verbosity);
void __pmPrintMetricNames(FILE *f, int n, char **names, const char *between);
/*
 * In PCP, these functions print the state of a context, and return the size of the process.  In
 * this implementation they do nothing.
 */
void __pmDumpContext(FILE *f, int context, pmInDom indom);
int __pmProcessDataSize(unsigned long *size);

#endif /* PEER_INNER_LIBPCP_H */
