/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Translate the negated errnos of user/archive into PMAPI codes. */
#ifndef SHIM_PCP_ERR_H
#define SHIM_PCP_ERR_H

#include <stdbool.h>

/* Translate an error into a PMAPI code.  Return 0, positive numbers and system errors unchanged. */
int shim_pcp__error(int err);
/*
 * Return whether the error is due to memory or the connection to pmcd, and not to a metric or
 * domain.
 */
bool shim_pcp__is_failure(int err);

#endif /* SHIM_PCP_ERR_H */
