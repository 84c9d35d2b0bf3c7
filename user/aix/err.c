// SPDX-License-Identifier: LGPL-2.1-or-later
/* Translates errors of the core layer into the API's error numbers, and those into text. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/api.h"
#include "base/process.h"
#include "impl.h"

/* The longest text of pm_strerror(), with its NUL */
#define LINE	256

/* Core errors with an API error number; all others become positive errno numbers. */
static const struct {
	int core;
	int code;
} numbers[] = {
	{ -EAGAIN, Pmapi_NoCounters },
	{ -EBUSY, Pmapi_ContextExists },
	{ -EINVAL, Pmapi_NoSetProg },
	{ -ENOMEM, Pmapi_Malloc_Err },
	{ -ENOSPC, Pmapi_NoCounters },
	{ -EOPNOTSUPP, Pmapi_Unsupported },
};

/* Translates a core error about existing counters; for new ones see refused() in set.c */
int shim_aix__error(int ret)
{
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		if (numbers[i].core == ret)
			return numbers[i].code;
	return -ret;
}

static const struct {
	int code;
	const char *text;
} texts[] = {
	{ Pmapi_ContextExists, "a program is set already" },
	{ Pmapi_NotCounting, "counting has not been started" },
	{ Pmapi_NoInit, "the library has not been initialized" },
	{ Pmapi_NoSetProg, "no program is set" },
	{ Pmapi_Malloc_Err, "out of memory" },
	{ Pmapi_InvalidEvent, "no such event on this counter, or not under this filter" },
	{ Pmapi_InvalidGroup, "no such group of events, or not under this filter" },
	{ Pmapi_GroupRequired, "the event can be counted as part of a group only" },
	{ Pmapi_InvalidMode, "a mode that this call does not allow, or that is not available" },
	{ Pmapi_InvalidThreshold, "no event has a threshold here" },
	{ Pmapi_InvalidSlice, "the slice is not between 10 and 30000 milliseconds" },
	{ Pmapi_InvalidSetCount, "no sets of events, or too many" },
	{ Pmapi_WrongKind, "the program is of another kind, multiplexed or not" },
	{ Pmapi_Locked, "the counters belong to the system, to threads or to another process" },
	{ Pmapi_NotDebugger, "the target is not traced by the caller and stopped" },
	{ Pmapi_BadCpu, "no such processor, or it was not online" },
	{ Pmapi_InvalidProctype, "unknown processor type" },
	{ Pmapi_Unsupported, "not supported on this system" },
	{ Pmapi_NoCounters, "the counters cannot hold this, or were taken away" },
};

static const char *text_of(int error)
{
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		if (texts[i].code == error)
			return texts[i].text;
	return NULL;
}

/**
 * pm_strerror() - describe an error
 * @where: the prefix, usually the name of the call that failed; NULL for "pmapi"
 * @error: what a call returned
 *
 * Return: a string that is valid until the calling thread's next pm_strerror().
 */
SHIM_API char *pm_strerror(const char *where, int error)
{
	static struct shim_thread_end end = { .fn = shim_thread_room__free };
	static __thread void *mine;
	char *line = shim_thread_room(&end, &mine, LINE);
	const char *text = text_of(error);
	char room[128];

	if (!line)
		return (char *)"pmapi: out of memory";
	if (!text)
		text = strerror_r(error, room, sizeof(room));
	snprintf(line, LINE, "%s: %s", where ? where : "pmapi", text);
	return line;
}

/**
 * pm_error() - print an error on standard error
 * @where: as for pm_strerror()
 * @error: what a call returned
 */
SHIM_API void pm_error(const char *where, int error)
{
	fprintf(stderr, "%s\n", pm_strerror(where, error));
}
