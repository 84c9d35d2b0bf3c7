// SPDX-License-Identifier: GPL-2.0-or-later
/* Any text as a string of JSON. */
#include "json_text.h"
#include "utf8.h"

/* Names may have any bytes: those that are not UTF-8 are taken as Latin-1. */
void vcpc_json_text(FILE *out, const char *text)
{
	const unsigned char *s = (const unsigned char *)text;

	putc('"', out);
	while (*s) {
		int n = vcpc_utf8(s);

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
