/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Derived metrics: part of <pcp/pmapi.h>, which includes it. */
#ifndef PCP_PMAPI_DERIVED_H
#define PCP_PMAPI_DERIVED_H

/* The first argument is the name, the second one the expression. */
char *pmRegisterDerived(const char *name, const char *expr);
int pmRegisterDerivedMetric(const char *name, const char *expr, char **errmsg);
char *pmAddDerived(const char *name, const char *expr);
int pmAddDerivedMetric(const char *name, const char *expr, char **errmsg);
int pmLoadDerivedConfig(const char *path);
char *pmDerivedErrStr(void);
int pmUnregisterDerived(const char *name);
int pmAddDerivedText(const char *name, int type, const char *text);

#define PCP_DERIVED_GLOBAL_LIMIT	1
#define PCP_DERIVED_CONTEXT_LIMIT	2
#define PCP_DERIVED_DEBUG_SYNTAX	3
#define PCP_DERIVED_DEBUG_SEMANTICS	4
#define PCP_DERIVED_DEBUG_EVAL		5
#define PCP_DERIVED_OPTION_NOVALUE	6

int pmGetDerivedControl(int what, int *value);
int pmSetDerivedControl(int what, int value);

#endif /* PCP_PMAPI_DERIVED_H */
