/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The part of <pcp/pmapi.h> for the process: its configuration, messages, log file and name space.
 * Include <pcp/pmapi.h>.
 */
#ifndef PCP_PMAPI_PROCESS_H
#define PCP_PMAPI_PROCESS_H

#include <pcp/pmapi.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Variables from the environment or from pcp.conf; the library owns the result */

char *pmGetConfig(const char *variable);
char *pmGetOptionalConfig(const char *variable);
const char *pmGetAPIConfig(const char *feature);
int pmGetVersion(void);
int pmGetUsername(char **username);

/* The program's own name space, which replaces its contexts' name spaces */

#define PM_NS_DEFAULT	NULL

int pmLoadNameSpace(const char *filename);
int pmLoadASCIINameSpace(const char *filename, int dupok);
void pmUnloadNameSpace(void);

/* Messages, to stderr or to the file named by the environment variable PCP_STDERR */

int pmprintf(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
int pmflush(void);
void pmNotifyErr(int priority, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void pmSyslog(int onoff);
FILE *pmOpenLog(const char *progname, const char *logname, FILE *oldstream, int *status);

#define PM_FATAL_ERR	1	/* the program ends */
#define PM_RECOV_ERR	0

void pmNoMem(const char *where, size_t size, int fatal);

#ifdef __cplusplus
}
#endif

#endif /* PCP_PMAPI_PROCESS_H */
