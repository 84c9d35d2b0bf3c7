// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Define strlcpy(), which Solaris has, but glibc only since version 2.38.  It has its own object
 * file.
 */
#include <string.h>

#include "base/api.h"

/* The same declaration as in cpc/solaris.h, or in the string.h of a later glibc */
size_t strlcpy(char *dst, const char *src, size_t size);

/**
 * strlcpy() - copy a string into a buffer, truncated to its size
 * @dst: the buffer; always terminated by a NUL, unless @size is 0
 * @src: the string
 * @size: size of @dst
 *
 * Return: the length of @src; the copy was truncated if this is at least @size.
 */
SHIM_API size_t strlcpy(char *dst, const char *src, size_t size)
{
	size_t len = strlen(src);
	size_t room = !size ? 0 : len < size ? len : size - 1;

	if (size) {
		memcpy(dst, src, room);
		dst[room] = '\0';
	}
	return len;
}
