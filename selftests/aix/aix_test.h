/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Declarations shared by the tests of AIX's API */
#ifndef AIX_TEST_H
#define AIX_TEST_H

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "aix/pmapi.h"
#include "kselftest_harness.h"

#define ANY_EVENT	(PM_VERIFIED | PM_UNVERIFIED | PM_CAVEAT)
#define UNUSED		__attribute__((unused))

static pm_info2_t info;
static pm_groups_info_t groups;

static inline int initialize(void)
{
	return pm_initialize(ANY_EVENT | PM_GET_GROUPS, &info, &groups, PM_CURRENT);
}

/*
 * Finding the available events takes seconds on a debug kernel, so do it once, before the harness
 * forks for each test.
 */
#define INITIALIZE_ONCE()						\
static void __attribute__((constructor)) initialize_once(void)		\
{									\
	initialize();							\
}

static inline unsigned long long raw(timebasestruct_t t)
{
	return (unsigned long long)t.tb_high << 32 | t.tb_low;
}

/* Return an event's number on a counter, or COUNT_NOTHING. */
static inline int event_on(int counter, const char *name)
{
	for (int i = 0; i < info.maxevents[counter]; i++)
		if (!strcmp(info.list_events[counter][i].short_name, name))
			return info.list_events[counter][i].event_id;
	return COUNT_NOTHING;
}

/* Return a program that counts one event on the first counter in user mode. */
static inline pm_prog_t program(const char *name)
{
	pm_prog_t prog = { .mode = { .w = PM_USER } };

	for (int i = 0; i < MAX_COUNTERS; i++)
		prog.events[i] = COUNT_NOTHING;
	prog.events[0] = event_on(0, name);
	return prog;
}

/* Return a program with @sets sets of one event.  All programs share one static array of sets. */
static inline pm_prog_mx_t program_mx(const char *name, int sets, int slice)
{
	static pm_events_prog_t lists[300];
	pm_prog_t one = program(name);

	for (int k = 0; k < 300; k++)
		memcpy(lists[k], one.events, sizeof(lists[k]));
	return (pm_prog_mx_t) {
		.mode = { .w = PM_USER }, .slice_duration = slice, .nb_events_prog = sets,
		.events_set = lists,
	};
}

#endif /* AIX_TEST_H */
