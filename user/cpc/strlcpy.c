// SPDX-License-Identifier: LGPL-2.1-or-later
/* strlcpy(), which Solaris' C library has and glibc before 2.38 has not; alone in its object. */
#include <string.h>

#include "base/api.h"

/* As in cpc/solaris.h, or in a later glibc's string.h */
size_t strlcpy(char *dst, const char *src, size_t size);

/**
 * strlcpy() - copy a string into a buffer, as much as there is room for
 * @dst: the buffer; always ended by a NUL, unless @size is 0
 * @src: the string
 * @size: of @dst
 *
 * Return: the length of @src; it was cut if that is not below @size.
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
