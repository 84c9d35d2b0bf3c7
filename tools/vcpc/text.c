// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Replace control characters and text direction overrides in names and values, so that a terminal
 * does not interpret them.
 */
#include <stdbool.h>
#include <string.h>

#include "text.h"
#include "utf8.h"

/*
 * Return whether a character is one of U+202A to U+202E and U+2066 to U+2069, which change the
 * order in which the surrounding text is displayed.
 */
static bool turns_around(const unsigned char *s)
{
	return *s == 0xe2 && ((s[1] == 0x80 && s[2] >= 0xaa && s[2] <= 0xae) ||
			      (s[1] == 0x81 && s[2] >= 0xa6 && s[2] <= 0xa9));
}

/*
 * Control characters in UTF-8 are 0x00 to 0x1f, 0x7f, and 0xc2 followed by 0x80 to 0x9f.  Text
 * direction overrides are treated in the same way.
 */
bool vcpc_is_control(const unsigned char *s, int n)
{
	if (n == 1)
		return *s < ' ' || *s == 0x7f;
	return n == 2 ? *s == 0xc2 && s[1] < 0xa0 : n == 3 && turns_around(s);
}

/* Return the length of the character at @s if it is safe to print, otherwise 0. */
static int showable(const unsigned char *s, const char *keep)
{
	int n = vcpc_utf8(s);

	if (strchr(keep, *s))
		return 1;
	return n && !vcpc_is_control(s, n) ? n : 0;
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
