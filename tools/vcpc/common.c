// SPDX-License-Identifier: GPL-2.0-or-later
/* Messages of the vcpc command: what failed, why, and how to fix it. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "device.h"
#include "doctor.h"
#include "text.h"
#include "kinds.h"
#include "vcpc.h"
#include "window.h"

#define LEAST_INTERVAL	1000000ULL

struct hint {
	int err;
	const char *text;
};

/* Advice for errors of any request */
static const struct hint general[] = {
	{ EFBIG, "raise the limit: for writing, the file size limit (ulimit -f); for reading, SHIM_ARCHIVE_MEMORY (default: a quarter of the machine's memory; try SHIM_ARCHIVE_MEMORY=8G)" },
	{ EACCES, "check the file's permissions and those of the directories above it, or run as root" },
	{ EPERM, "not permitted; run as root" },
	{ EEXIST, "it already exists; choose another name or remove it" },
	{ ESTALE, "tracing was turned off in the meantime" },
	{ EPROTONOSUPPORT, "the loaded vcpc module has a different version" },
	{ 0, NULL }
};

/* Advice for errors from opening counters, which takes precedence over the general advice */
static const struct hint of_counters[] = {
	{ EACCES, "run as root, or count your own threads in user mode only (event:u)" },
	{ EAGAIN, "the events were not on the PMU the whole time; count fewer events, or stop other profilers" },
	{ ENOSPC, "this CPU cannot count that many hardware events at the same time; use fewer events, or estimates: vcpc stat --multiplex" },
	{ 0, NULL }
};

/* Advice for errors from BPF */
static const struct hint of_tracing[] = {
	{ EACCES, "run as root" },
	{ EINVAL, "the kernel rejected the BPF programs" },
	{ ENOSYS, "the kernel does not support bpf(2)" },
	{ 0, NULL }
};

static const char *find_hint(const struct hint *hints, int err)
{
	for (; hints->text; hints++)
		if (hints->err == err)
			return hints->text;
	return NULL;
}

/*
 * Print a message, followed by strerror(@err) if @err is not 0, and by @hint on the next line if it
 * is not NULL.
 */
static void complain(int err, const char *hint, const char *fmt, va_list ap)
{
	char start[1024], *text;
	va_list again;

	va_copy(again, ap);
	if (vasprintf(&text, fmt, ap) < 0) {	/* out of memory: print the start of the message */
		text = NULL;
		vsnprintf(start, sizeof(start), fmt, again);
	}
	va_end(again);
	fprintf(stderr, "%s: ", program_invocation_name);
	/*
	 * Keep line breaks only if the format contains some.  Otherwise they come from names and
	 * are replaced.
	 */
	vcpc_put_printable(stderr, text ? text : start, strchr(fmt, '\n') ? "\n\t" : "\t");
	free(text);
	if (err)
		fprintf(stderr, ": %s", strerror(err));
	fputc('\n', stderr);
	if (hint)
		fprintf(stderr, "%s: %s\n", program_invocation_name, hint);
}

static const char *general_hint(int err)
{
	const char *hint = device_hint(err);

	if (err == ESRCH && access("/proc/self", F_OK))
		return "/proc is not mounted, so processes cannot be found; as root: mount -t proc proc /proc";
	if (err == EOPNOTSUPP)
		return access("/dev/vcpc", F_OK) ?
			"perf_event_open(2) does not support this, but the vcpc module does; as root: modprobe vcpc" :
			"the vcpc module supports this only for a command that vcpc starts";
	if (err == EPERM && !geteuid())
		return "root lacks a capability here, or a filter or policy forbids this";
	return hint ? hint : find_hint(general, err);
}

/**
 * vcpc_fail() - report that something failed
 * @err: error number, positive or negative, or 0 if the text is sufficient
 * @fmt: as for printf, without a newline
 *
 * Return: VCPC_EXIT_FAILURE, for the caller to return.
 */
int vcpc_fail(int err, const char *fmt, ...)
{
	va_list ap;

	err = abs(err);
	va_start(ap, fmt);
	complain(err, general_hint(err), fmt, ap);
	va_end(ap);
	return VCPC_EXIT_FAILURE;
}

/*
 * Print a message with advice: about the device if it cannot be opened, otherwise from @hints,
 * otherwise general advice.  Append the results of this machine's checks for @err.
 */
static void complain_asked(enum vcpc_asked asked, const struct hint *hints, int err, const char *fmt,
			   va_list ap)
{
	char causes[4 * VCPC_FINDING], text[5 * VCPC_FINDING];
	const char *hint = err == EACCES ? device_hint(err) : NULL;

	if (!hint)
		hint = find_hint(hints, err);
	if (!hint)
		hint = general_hint(err);
	vcpc_causes_text(asked, err, causes, sizeof(causes));
	snprintf(text, sizeof(text), "%s%s%s", hint ? hint : "", hint && *causes ? "; " : "", causes);
	complain(err, *text ? text : NULL, fmt, ap);
}

/**
 * vcpc_no_memory() - exit if continuing would print incomplete output
 *
 * Only commands that read archives may call this, because a recorder must finish its archive.
 */
void vcpc_no_memory(void)
{
	exit(vcpc_fail(0, "out of memory"));
}

/**
 * vcpc_fail_counters() - report that counters are not available, with advice
 * @err: error number, positive or negative
 * @fmt: as for printf, without a newline
 *
 * Return: VCPC_EXIT_FAILURE, for the caller to return.
 */
int vcpc_fail_counters(int err, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	complain_asked(VCPC_ASKED_COUNT, of_counters, abs(err), fmt, ap);
	va_end(ap);
	return VCPC_EXIT_FAILURE;
}

/**
 * vcpc_fail_tracing() - report that tracing cannot be turned on, with advice
 * @err: error number, positive or negative
 * @fmt: as for printf, without a newline
 *
 * Return: VCPC_EXIT_FAILURE, for the caller to return.
 */
int vcpc_fail_tracing(int err, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	complain_asked(VCPC_ASKED_BPF, of_tracing, abs(err), fmt, ap);
	va_end(ap);
	return VCPC_EXIT_FAILURE;
}

/**
 * vcpc_flush() - flush stdout, and check that all output was written
 *
 * Return: 0, or VCPC_EXIT_FAILURE after printing a message.
 */
int vcpc_flush(void)
{
	if (fflush(stdout))
		return vcpc_fail(errno, "cannot write");
	return ferror(stdout) ? vcpc_fail(0, "cannot write: part of the output is lost") : 0;
}

/**
 * vcpc_usage() - report a usage error
 * @fmt: as for printf, without a newline; NULL if a message was already printed
 *
 * Return: VCPC_EXIT_USAGE, for the caller to return.
 */
int vcpc_usage(const char *fmt, ...)
{
	va_list ap;

	if (fmt) {
		va_start(ap, fmt);
		complain(0, NULL, fmt, ap);
		va_end(ap);
	}
	fprintf(stderr, "Try '%s --help'.\n", program_invocation_name);
	return VCPC_EXIT_USAGE;
}

/**
 * vcpc_interval() - parse a time as used by the counting commands
 * @text: "100ms", "2s", "1min"; a number alone is in milliseconds, as in perf stat
 * @interval: nanoseconds, on success
 *
 * Return: 0, or VCPC_EXIT_USAGE after printing a message.
 */
int vcpc_interval(const char *text, uint64_t *interval)
{
	int64_t ns;

	if (vcpc_parse_time(text, 1e6, &ns) || ns < (int64_t)LEAST_INTERVAL)
		return vcpc_usage("invalid interval '%s' (at least 1ms; examples: 100 (milliseconds), 100ms, 2s)",
				  text);
	*interval = (uint64_t)ns;
	return 0;
}

/* Return CLOCK_MONOTONIC in nanoseconds. */
uint64_t vcpc_now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000 + ts.tv_nsec;
}

/*
 * Return whether an event has the form of a tracepoint's name, GROUP:NAME in lower case.  The "u"
 * of "x:u" is a mode.
 */
static bool is_tracepoint(const char *event)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789_";
	size_t group = strspn(event, letters);
	size_t modes = event[group] ? strspn(event + group + 1, "ku") : 0;

	return group && event[group] == ':' && event[group + 1] &&
	       (event[group + 1 + modes] && event[group + 1 + modes] != ':');
}

/* Return whether tracefs at @place has the group of a tracepoint, but not the tracepoint. */
static bool lacks(const char *place, const char *event)
{
	int group = (int)strcspn(event, ":"), name = (int)strcspn(event + group + 1, ":");
	char path[512];

	snprintf(path, sizeof(path), "%s/%.*s", place, group, event);
	if (access(path, F_OK))
		return false;
	snprintf(path, sizeof(path), "%s/%.*s/%.*s", place, group, event, name, event + group + 1);
	return access(path, F_OK);
}

/* Report why a tracepoint cannot be counted. Return false, without a message, for other events. */
static bool fail_tracepoint(int err, const char *event)
{
	static const char now[] = "/sys/kernel/tracing/events", before[] = "/sys/kernel/debug/tracing/events";
	bool readable = !access(now, R_OK | X_OK) || !access(before, R_OK | X_OK);

	if (!is_tracepoint(event))
		return false;
	/* libpfm may interpret the second part of an unknown name as an invalid unit mask. */
	if (err == -EINVAL && (lacks(now, event) || lacks(before, event)))
		err = -ENOENT;
	if (err != -ENOENT && err != -ELIBACC && err != -EACCES)
		return false;
	if (err == -EACCES)
		vcpc_fail(err, "cannot count tracepoint '%s' in the kernel (this requires root or CAP_PERFMON)", event);
	else if (readable)
		vcpc_fail(0, "unknown tracepoint '%s'; the available ones are in %s", event,
			  access(now, X_OK) ? before : now);
	else if (geteuid())
		vcpc_fail(0, "cannot find tracepoint '%s': only root may read %s", event, now);
	else
		vcpc_fail(0, "cannot find tracepoint '%s': tracefs is not mounted; as root: mount -t tracefs tracefs /sys/kernel/tracing",
			  event);
	return true;
}

/* Return whether an event is a raw code, such as r1a8 or r1a8:u. */
static bool is_raw(const char *event)
{
	size_t digits = *event == 'r' ? strspn(event + 1, "0123456789abcdefABCDEF") : 0;

	return digits && (!event[1 + digits] || event[1 + digits] == ':');
}

/**
 * vcpc_fail_event() - report why an event's name was rejected
 * @err: error from shim_set_create()
 * @event: the name
 *
 * Return: VCPC_EXIT_FAILURE.
 */
int vcpc_fail_event(int err, const char *event)
{
	char meant[SHIM_EVENT_MAX];
	bool similar;

	if (fail_tracepoint(err, event))
		return VCPC_EXIT_FAILURE;
	if (err != -ENOENT && err != -EOPNOTSUPP && err != -EINVAL && err != -ELIBACC)
		return vcpc_fail_counters(err, "event '%s'", event);
	if (vcpc_kinds_explain(event))
		return VCPC_EXIT_FAILURE;
	similar = !shim_event_suggest(event, meant, sizeof(meant));
	if (similar && strncasecmp(meant, event, strlen(meant)))
		return vcpc_fail(0, "unknown event '%s'; did you mean '%s'?", event, meant);
	if (err == -ELIBACC)
		return vcpc_fail(0, "perf has no event '%s', and libpfm.so.4, which defines the processor's own events, is not installed or cannot read /sys/bus/event_source/devices",
				 event);
	if (err == -EINVAL)
		return vcpc_fail(0, "event '%s' has a bad mode, unit mask or attribute", event);
	/* Without a PMU, the error of a known event is the same. */
	return vcpc_fail(0, err == -ENOENT && !similar && !is_raw(event) ? "unknown event '%s'; 'vcpc events' lists the available events" :
					     "event '%s' cannot be counted here; 'vcpc events' lists the available events", event);
}
