// SPDX-License-Identifier: LGPL-2.1-or-later
/* Limits: the unpacked size of a file, and the memory for an archive's metadata. */
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/process.h"
#include "memory.h"

static bool parse(const char *text, uint64_t *bytes)
{
	static const char units[] = "KMG";
	const char *unit;
	char *end;

	if (*text < '0' || *text > '9')
		return false;
	errno = 0;
	*bytes = strtoull(text, &end, 10);
	unit = *end ? strchr(units, *end) : NULL;
	if (errno || (*end && (!unit || end[1])))
		return false;
	for (long i = unit ? unit - units : -1; i >= 0; i--)
		if (__builtin_mul_overflow(*bytes, 1024u, bytes))
			*bytes = UINT64_MAX;
	return true;
}

uint64_t shim_archive_memory__limit(void)
{
	const char *text = shim_environ__get("SHIM_ARCHIVE_MEMORY");
	long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);
	uint64_t bytes;

	if (text && parse(text, &bytes))
		return bytes;
	return pages > 0 && size > 0 ? (uint64_t)pages * (uint64_t)size / 4 : UINT64_MAX;
}
