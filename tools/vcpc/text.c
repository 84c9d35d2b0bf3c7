// SPDX-License-Identifier: GPL-2.0-or-later
/* Replaces control characters in names and values, so that a terminal does not act on them. */
#include <stdbool.h>
#include <string.h>

#include "text.h"
#include "utf8.h"

/* The control characters of Unicode, in UTF-8: up to 0x1f, 0x7f, and 0xc2 with 0x80 to 0x9f */
static bool is_control(const unsigned char *s, int n)
{
	return n == 1 ? *s < ' ' || *s == 0x7f : n == 2 && *s == 0xc2 && s[1] < 0xa0;
}

/* Length of the character at @s if it may be shown, otherwise 0 */
static int showable(const unsigned char *s, const char *keep)
{
	int n = vcpc_utf8(s);

	if (strchr(keep, *s))
		return 1;
	return n && !is_control(s, n) ? n : 0;
}

char *vcpc_printable(char *text, const char *keep)
{
	unsigned char *s = (unsigned char *)text;

	while (*s) {
		int n = showable(s, keep);

		if (!n)
			*s = '?';
		s += n ? n : 1;
	}
	return text;
}

void vcpc_put_printable(FILE *out, const char *text, const char *keep)
{
	const unsigned char *s = (const unsigned char *)text;

	while (*s) {
		int n = showable(s, keep);

		if (n)
			fwrite(s, 1, n, out);
		else
			putc('?', out);
		s += n ? n : 1;
	}
}
