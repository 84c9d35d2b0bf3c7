// SPDX-License-Identifier: GPL-2.0-or-later
/* Times are those of the caller's CLOCK_MONOTONIC, which can differ in a time namespace. */
#include <sched.h>
#include <time.h>

#include "vcpc_test.h"
#include "trace_calls.h"

#ifndef CLONE_NEWTIME
#define CLONE_NEWTIME	0x80
#endif
#define SECOND		1000000000LL

static __u64 now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * SECOND + ts.tv_nsec;
}

/* Shift the clock of the caller's children.  Return -errno if this fails. */
static int move_time(int seconds)
{
	char text[64];
	int ret = syscall(SYS_unshare, CLONE_NEWTIME) ? -errno : 0;

	snprintf(text, sizeof(text), "monotonic %d 0", seconds);
	return ret ?: put("/proc/self/timens_offsets", text);
}

static int samples(void *arg)
{
	int set = set_of(&page_faults, 0);
	struct room own, total;
	__u64 before = now();

	(void)arg;
	if (set < 0 || set_bind(set, 0) || set_sample(set, 0, &own) || set_total(set, &total))
		return 1;
	if (own.sample.time < before || total.sample.time < own.sample.time)
		return 2;
	if (total.sample.time > now())
		return 3;
	/* The sample's time is the time at which the set was disabled. */
	if (set_own(set, VCPC_IOC_DISABLE))
		return 4;
	before = now();
	usleep(1000);
	if (read(set, &own, sizeof(own)) < 0 || own.sample.time > before)
		return 5;
	return own.sample.time < total.sample.time ? 6 : 0;
}

/* Send an END, which contains the start time of its transaction according to the caller's clock. */
static int ends(void *arg)
{
	int device = device_open(), handle = tag_handle(device, "vcpc-test-time");

	(void)arg;
	return handle < 0 ? 1 : fire(device, VCPC_TRACE_END, handle, now()) ? 2 : 0;
}

FIXTURE(namespace) {
};

FIXTURE_VARIANT(namespace) {
	int seconds;
};

FIXTURE_VARIANT_ADD(namespace, none) { .seconds = 0 };
FIXTURE_VARIANT_ADD(namespace, ahead) { .seconds = 1000 };
FIXTURE_VARIANT_ADD(namespace, behind) { .seconds = -4 };

FIXTURE_SETUP(namespace)
{
}

FIXTURE_TEARDOWN(namespace)
{
}

TEST_F(namespace, samples)
{
	/* Wait, because the shifted clock must not be negative. */
	while (now() < 5 * (__u64)SECOND)
		usleep(100000);
	if (move_time(variant->seconds))
		SKIP(return, "this kernel has no time namespaces");
	EXPECT_EQ(0, in_child(samples, NULL));
}

/* Return the start time in the last event of the trace. */
static __u64 start_seen(void)
{
	unsigned long long start = 0;
	char line[2048], *at;
	FILE *f = fopen(TRACING "trace", "r");

	while (f && fgets(line, sizeof(line), f)) {
		at = strstr(line, "vcpc_end:") ? strstr(line, "start=") : NULL;
		if (at && strstr(line, "vcpc-test-time"))
			sscanf(at, "start=%llu", &start);
	}
	if (f)
		fclose(f);
	return start;
}

TEST_F(namespace, starts)
{
	__u64 before, start;

	while (now() < 5 * (__u64)SECOND)
		usleep(100000);
	if (listen_by_ftrace())
		SKIP(return, "no tracefs at " TRACING);
	before = now();
	if (move_time(variant->seconds))
		SKIP(return, "this kernel has no time namespaces");
	EXPECT_EQ(0, in_child(ends, NULL));
	start = start_seen();
	/* Listeners receive times of the initial namespace's clock. */
	EXPECT_LE(before, start);
	EXPECT_GE(now(), start);
	put(TRACING "events/vcpc/enable", "0");
}

TEST_HARNESS_MAIN
