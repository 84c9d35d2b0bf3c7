// SPDX-License-Identifier: GPL-2.0-or-later
/* Check that a command's output was written. */
#include <errno.h>
#include <string.h>

#include "written.h"

int written(const char *command, FILE *out, const char *file)
{
	const char *why = fflush(out) ? strerror(errno) :
			  ferror(out) ? "part of the output is lost" : NULL;

	if (why)
		fprintf(stderr, "%s: cannot write%s%s: %s\n", command, file ? " " : "",
			file ? file : "", why);
	return !!why;
}
