/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Messages that show a text with a mark below the position of an error, and the per-thread texts
 * returned by calls that do not use a caller's buffer.
 */
#ifndef SHIM_PCP_TEXTS_H
#define SHIM_PCP_TEXTS_H

#include <stddef.h>

#include <pcp/import.h>
#include <pcp/pmapi.h>

/*
 * struct shim_texts - one text per function, valid until the thread's next call to that function
 *
 * They are not thread-local variables, because the C library reserves little space for thread-local
 * variables of libraries loaded at run time.
 */
struct shim_texts {
	char number[8];		/* six characters, a suffix and a NUL */
	char flags[64];
	char host[PM_MAX_HOSTNAMELEN];
	char error[PM_MAXERRMSGLEN];
	char import_error[PMI_MAXERRMSGLEN];
	char pmid[20];		/* the size that PCP's library requires */
	char indom[20];
	char units[128];
	char atom[80];
};

struct shim_texts *shim_texts(void);

/*
 * Get the text and, on the next line, a mark below byte @at followed by @what.  The caller frees
 * it.  Return NULL if out of memory.
 */
char *shim_caret__message(const char *text, size_t at, const char *what);

#endif /* SHIM_PCP_TEXTS_H */
