// SPDX-License-Identifier: GPL-2.0-or-later
/* Messages of the vcpc command: what failed, why, and what to do about it. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "vcpc.h"
#include "window.h"

#define LEAST_INTERVAL	1000000ULL

static const struct {
	int err;
	const char *hint;
} hints[] = {
	{ ENODEV, "the vcpc module is not loaded; as root: modprobe vcpc" },
	{ EACCES, "not allowed; run as root, or count your own threads in user mode only (event:u)" },
	{ EPERM, "not allowed; run as root" },
	{ EEXIST, "it exists already; choose another name or remove it" },
	{ EAGAIN, "the CPU's counters were needed elsewhere meanwhile; count fewer events, or stop other profilers" },
	{ EOPNOTSUPP, "perf_event_open(2) cannot do that, the vcpc module can; as root: modprobe vcpc" },
	{ ESTALE, "tracing was turned off meanwhile" },
	{ EPROTONOSUPPORT, "the vcpc module that is loaded is of another version" },
	{ ENOSPC, "too many hardware events at a time for this CPU; ask for fewer" },
};

/* Whoever may not even open the node is not told about events. */
static bool is_shut_out(int err)
{
	return err == EACCES && access("/dev/vcpc", F_OK) == 0 && access("/dev/vcpc", R_OK | W_OK);
}

static const char *hint_of(int err)
{
	if (is_shut_out(err))
		return "you may not open /dev/vcpc; as root: usermod -aG vcpc USER, then log in again";
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

/**
 * vcpc_interval() - read a time with its unit
 * @text: "100ms", "2s", "1min"; without a unit, seconds
 * @interval: nanoseconds, on success
 *
 * Return: 0, or VCPC_EXIT_USAGE, after a message.
 */
int vcpc_interval(const char *text, uint64_t *interval)
{
	int64_t ns;

	if (vcpc_parse_interval(text, &ns) || ns < (int64_t)LEAST_INTERVAL)
		return vcpc_usage("'%s' is not an interval of 1ms or more, such as 100ms or 2s",
				  text);
	*interval = (uint64_t)ns;
	return 0;
}

/**
 * vcpc_fail_event() - say what is wrong with an event's name
 * @err: error of shim_set_create()
 * @event: the name
 *
 * Return: VCPC_EXIT_FAILURE.
 */
int vcpc_fail_event(int err, const char *event)
{
	char meant[SHIM_EVENT_MAX];

	if (err != -ENOENT && err != -EOPNOTSUPP && err != -EINVAL && err != -ELIBACC)
		return vcpc_fail(err, "event '%s'", event);
	if (!shim_event_suggest(event, meant, sizeof(meant)) && strncasecmp(meant, event, strlen(meant)))
		return vcpc_fail(0, "there is no event '%s'; did you mean '%s'?", event, meant);
	if (err == -ELIBACC)
		return vcpc_fail(0, "there is no event '%s' among perf's, and libpfm.so.4, which knows the processor's, is not installed",
				 event);
	if (err == -EINVAL)
		return vcpc_fail(0, "event '%s' has a bad mode, unit mask or attribute", event);
	return vcpc_fail(0, "event '%s' cannot be counted here; 'vcpc events' lists those that can", event);
}
