/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Declarations of an internal header of PCP that some programs use: its Python binding, and tools
 * whose options do not come from a command line.
 */
#ifndef PCP_LIBPCP_H
#define PCP_LIBPCP_H

#include <time.h>

#include <pcp/pmapi.h>

#ifdef __cplusplus
extern "C" {
#endif

void __pmAddOptArchive(pmOptions *opts, char *arg);
void __pmAddOptArchiveList(pmOptions *opts, char *arg);
void __pmAddOptArchiveFolio(pmOptions *opts, char *arg);
void __pmAddOptArchivePath(pmOptions *opts);
void __pmAddOptHost(pmOptions *opts, char *arg);
void __pmAddOptHostList(pmOptions *opts, char *arg);
void __pmAddOptContainer(pmOptions *opts, char *arg);
void __pmSetLocalContextFlag(pmOptions *opts);
void __pmSetLocalContextTable(pmOptions *opts, char *arg);
void __pmEndOptions(pmOptions *opts);

time_t __pmMktime(struct tm *tm);
void __pmServerStart(int argc, char **argv, int flags);

#ifdef __cplusplus
}
#endif

#endif /* PCP_LIBPCP_H */
