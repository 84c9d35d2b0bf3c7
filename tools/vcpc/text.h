/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Make untrusted text safe for a terminal. */
#ifndef VCPC_TEXT_H
#define VCPC_TEXT_H

#include <stdbool.h>
#include <stdio.h>

/* Return whether a character of @n bytes is a control character or a text direction override. */
bool vcpc_is_control(const unsigned char *s, int n);
/*
 * Replace with '?' all bytes that a terminal would interpret: control characters, including C1 in
 * UTF-8 and as single bytes, and all other bytes that are not UTF-8.  @keep: bytes to leave
 * unchanged, such as "\n".  Return @text.
 */
char *vcpc_printable(char *text, const char *keep);
/* Write @text to @out with the same replacements. */
void vcpc_put_printable(FILE *out, const char *text, const char *keep);

#endif /* VCPC_TEXT_H */
