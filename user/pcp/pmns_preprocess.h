/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The text of a name space without comments, directives and macros. */
#ifndef SHIM_PCP_PMNS_PREPROCESS_H
#define SHIM_PCP_PMNS_PREPROCESS_H

/*
 * Returns 0 with the text in *@out, which the caller frees; -errno; PM_ERR_PMNS for directives that
 * are unknown, do not match, or are nested too deeply.
 */
int shim_pmns_preprocess__read(const char *path, char **out);

#endif /* SHIM_PCP_PMNS_PREPROCESS_H */
