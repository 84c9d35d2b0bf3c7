/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The texts that calls without a buffer of the caller's return: each thread has its own. */
#ifndef SHIM_PCP_TEXTS_H
#define SHIM_PCP_TEXTS_H

#include <pcp/import.h>
#include <pcp/pmapi.h>

/*
 * struct shim_texts - one of each, good until the thread's next call of that function
 *
 * They are not thread-local variables themselves, as the C library has little room for these in
 * a library that is loaded at run time.
 */
struct shim_texts {
	char number[8];		/* six characters, a suffix */
	char flags[64];
	char host[PM_MAX_HOSTNAMELEN];
	char error[PM_MAXERRMSGLEN];
	char import_error[PMI_MAXERRMSGLEN];
	char pmid[20];		/* the size that PCP's library demands */
	char indom[20];
	char units[128];
	char atom[80];
};

struct shim_texts *shim_texts(void);

#endif /* SHIM_PCP_TEXTS_H */
