// SPDX-License-Identifier: GPL-2.0-or-later
/* Write arbitrary text as a JSON string. */
#include "json_text.h"
#include "text.h"
#include "utf8.h"

/* Return the code point of a UTF-8 character of at most three bytes. */
static unsigned int number_of(const unsigned char *s, int n)
{
	if (n < 2)
		return *s;
	if (n == 2)
		return (*s & 0x1fu) << 6 | (s[1] & 0x3fu);
	return (*s & 0x0fu) << 12 | (s[1] & 0x3fu) << 6 | (s[2] & 0x3fu);
}

/*
 * Write a text in quotes.  Names may contain any bytes.  Bytes that are not UTF-8 are treated as
 * Latin-1.
 */
void vcpc_json_text(FILE *out, const char *text)
{
	const unsigned char *s = (const unsigned char *)text;

	putc('"', out);
	while (*s) {
		int n = vcpc_utf8(s);

		if (!n || vcpc_is_control(s, n)) {
			fprintf(out, "\\u%04x", number_of(s, n));
			s += n ? n : 1;
			continue;
		}
		if (*s == '"' || *s == '\\')
			putc('\\', out);
		for (; n; n--)
			putc(*s++, out);
	}
	putc('"', out);
}
