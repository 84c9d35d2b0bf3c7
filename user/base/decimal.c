// SPDX-License-Identifier: LGPL-2.1-or-later
/* Format integers like printf(3), but faster. */
#include <string.h>

#include "decimal.h"

/* Write the digits of @v so that they end before @end.  Return the first one. */
static char *put_before(char *end, uint64_t v)
{
	do
		*--end = (char)('0' + v % 10);
	while (v /= 10);
	return end;
}

size_t shim_decimal__unsigned(char *to, uint64_t v)
{
	char room[SHIM_DECIMAL_ROOM], *end = room + sizeof(room), *at = put_before(end, v);
	size_t len = (size_t)(end - at);

	memcpy(to, at, len);
	to[len] = '\0';
	return len;
}

size_t shim_decimal__signed(char *to, int64_t v)
{
	if (v >= 0)
		return shim_decimal__unsigned(to, (uint64_t)v);
	*to = '-';
	return shim_decimal__unsigned(to + 1, -(uint64_t)v) + 1;
}
