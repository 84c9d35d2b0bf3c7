/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What is wrong with a text, and where in it. */
#ifndef SHIM_PCP_CARET_H
#define SHIM_PCP_CARET_H

#include <stddef.h>

/* The text, and below its @at-th byte a mark and @what; for free(); NULL without memory. */
char *shim_caret__message(const char *text, size_t at, const char *what);

#endif /* SHIM_PCP_CARET_H */
