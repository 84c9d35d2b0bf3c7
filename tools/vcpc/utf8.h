/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Find UTF-8 characters in arbitrary bytes. */
#ifndef VCPC_UTF8_H
#define VCPC_UTF8_H

/* Return the length of a whole UTF-8 character at @s, or 0 if there is none. */
static inline int vcpc_utf8(const unsigned char *s)
{
	int n = *s < 0x80 ? 1 : *s >= 0xc2 && *s < 0xe0 ? 2 : (*s & 0xf0) == 0xe0 ? 3 :
		*s >= 0xf0 && *s < 0xf5 ? 4 : 0;

	for (int i = 1; i < n; i++)
		if ((s[i] & 0xc0) != 0x80)
			return 0;
	/* Reject overlong forms, surrogates, and anything after the last character. */
	if ((*s == 0xe0 && s[1] < 0xa0) || (*s == 0xed && s[1] >= 0xa0) ||
	    (*s == 0xf0 && s[1] < 0x90) || (*s == 0xf4 && s[1] >= 0x90))
		return 0;
	return n;
}

#endif /* VCPC_UTF8_H */
