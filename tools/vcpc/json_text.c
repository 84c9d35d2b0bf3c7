// SPDX-License-Identifier: GPL-2.0-or-later
/* Any text as a string of JSON. */
#include "json_text.h"

/* Length of a whole UTF-8 character at @s, 0 if there is none */
static int utf8(const unsigned char *s)
{
	int n = *s < 0x80 ? 1 : *s >= 0xc2 && *s < 0xe0 ? 2 : (*s & 0xf0) == 0xe0 ? 3 :
		*s >= 0xf0 && *s < 0xf5 ? 4 : 0;

	for (int i = 1; i < n; i++)
		if ((s[i] & 0xc0) != 0x80)
			return 0;
	/* No overlong forms, no surrogates, nothing beyond the last character */
	if ((*s == 0xe0 && s[1] < 0xa0) || (*s == 0xed && s[1] >= 0xa0) ||
	    (*s == 0xf0 && s[1] < 0x90) || (*s == 0xf4 && s[1] >= 0x90))
		return 0;
	return n;
}

/* Names are any bytes; what is no UTF-8 is taken as Latin-1. */
void vcpc_json_text(FILE *out, const char *text)
{
	const unsigned char *s = (const unsigned char *)text;

	putc('"', out);
	while (*s) {
		int n = utf8(s);

		if (!n || *s < ' ' || *s == 0x7f) {
			fprintf(out, "\\u%04x", *s++);
			continue;
		}
		if (*s == '"' || *s == '\\')
			putc('\\', out);
		for (; n; n--)
			putc(*s++, out);
	}
	putc('"', out);
}
