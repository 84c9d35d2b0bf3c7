/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Messages that show a text with a mark below the position of an error. */
#ifndef SHIM_PCP_CARET_H
#define SHIM_PCP_CARET_H

#include <stddef.h>

/*
 * Get the text and, on the next line, a mark below byte @at followed by @what.  The caller frees
 * it.  NULL if out of memory.
 */
char *shim_caret__message(const char *text, size_t at, const char *what);

#endif /* SHIM_PCP_CARET_H */
