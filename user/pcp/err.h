/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* From the archive's negated errno to PMAPI codes, in one place. */
#ifndef SHIM_PCP_ERR_H
#define SHIM_PCP_ERR_H

/* 0 and positive numbers pass unchanged */
int shim_pcp__error(int err);

#endif /* SHIM_PCP_ERR_H */
