/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Text of unknown origin, made fit for a terminal. */
#ifndef VCPC_TEXT_H
#define VCPC_TEXT_H

#include <stdio.h>

/*
 * Replaces by '?' what a terminal would obey: control characters, also those of eight bits and as
 * UTF-8 has them, and bytes that are no UTF-8.  @keep: bytes to leave alone, such as "\n".
 * Returns @text.
 */
char *vcpc_printable(char *text, const char *keep);
/* The same on its way out */
void vcpc_put_printable(FILE *out, const char *text, const char *keep);

#endif /* VCPC_TEXT_H */
