// SPDX-License-Identifier: GPL-2.0-or-later
/* Messages of the vcpc command: what failed, why, and what to do about it. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "vcpc.h"

static const struct {
	int err;
	const char *hint;
} hints[] = {
	{ ENODEV, "the vcpc module is not loaded; as root: modprobe vcpc" },
	{ EACCES, "not allowed; run as root, or count your own threads in user mode only (event:u)" },
	{ EPERM, "not allowed; run as root" },
	{ EEXIST, "it exists already; choose another name or remove it" },
	{ ENOSPC, "too many hardware events at a time for this CPU; ask for fewer" },
};

static const char *hint_of(int err)
{
	for (size_t i = 0; i < sizeof(hints) / sizeof(hints[0]); i++)
		if (hints[i].err == err)
			return hints[i].hint;
	return NULL;
}

/**
 * vcpc_fail() - say that something failed
 * @err: error number, positive or negative, or 0 if the text says it all
 * @fmt: as for printf, without a newline
 *
 * Return: VCPC_EXIT_FAILURE, for the caller to return.
 */
int vcpc_fail(int err, const char *fmt, ...)
{
	const char *hint;
	va_list ap;

	if (err < 0)
		err = -err;
	fprintf(stderr, "%s: ", program_invocation_name);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	if (err)
		fprintf(stderr, ": %s", strerror(err));
	fputc('\n', stderr);
	hint = hint_of(err);
	if (hint)
		fprintf(stderr, "%s: %s\n", program_invocation_name, hint);
	return VCPC_EXIT_FAILURE;
}

/**
 * vcpc_usage() - say that the command was used wrongly
 * @fmt: as for printf, without a newline; NULL if it was said already
 *
 * Return: VCPC_EXIT_USAGE, for the caller to return.
 */
int vcpc_usage(const char *fmt, ...)
{
	va_list ap;

	if (fmt) {
		fprintf(stderr, "%s: ", program_invocation_name);
		va_start(ap, fmt);
		vfprintf(stderr, fmt, ap);
		va_end(ap);
		fputc('\n', stderr);
	}
	fprintf(stderr, "Try '%s --help'.\n", program_invocation_name);
	return VCPC_EXIT_USAGE;
}
