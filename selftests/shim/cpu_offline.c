// SPDX-License-Identifier: GPL-2.0-or-later
/* If a CPU goes offline and comes back online, a set on it keeps its counts and continues. */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "shim/shim.h"
#include "kselftest_harness.h"

#define CPU	1
#define ONLINE	"/sys/devices/system/cpu/cpu1/online"
#define PAGES	500

static int turn_cpu(const char *on)
{
	int fd = open(ONLINE, O_WRONLY | O_CLOEXEC);
	int ret = fd >= 0 && write(fd, on, 1) == 1 ? 0 : -1;

	close(fd);
	return ret;
}

/* Cause page faults on the CPU that goes offline, and return to the previous CPU. */
static void touch_there(struct __test_metadata *_metadata)
{
	long page = sysconf(_SC_PAGESIZE);
	cpu_set_t there, here;
	char *pages;

	CPU_ZERO(&there);
	CPU_SET(CPU, &there);
	CPU_ZERO(&here);
	CPU_SET(0, &here);
	ASSERT_EQ(0, sched_setaffinity(0, sizeof(there), &there));
	pages = aligned_alloc(page, PAGES * page);
	for (long i = 0; i < PAGES; i++)
		*(volatile char *)(pages + i * page) = 1;
	free(pages);
	ASSERT_EQ(0, sched_setaffinity(0, sizeof(here), &here));
}

FIXTURE(offline) {
	struct shim_handle *handle;
	const char *missing;
};

FIXTURE_SETUP(offline)
{
	/*
	 * Return freed memory to the kernel at once, so that each round causes the same number of
	 * page faults.
	 */
	setenv("MALLOC_MMAP_THRESHOLD_", "65536", 1);
	if (access(ONLINE, W_OK))
		self->missing = "there is no CPU that root can take offline";
	else
		ASSERT_EQ(0, shim_open(&self->handle));
}

FIXTURE_TEARDOWN(offline)
{
	if (self->missing)
		return;
	turn_cpu("1");
	shim_close(self->handle);
}

#define UNLESS_MISSING() \
	do { if (self->missing) SKIP(return, "%s", self->missing); } while (0)

static struct shim_set *make(struct shim_handle *handle, unsigned int n)
{
	static const char *const events[] = { "page-faults", "context-switches", "cpu-clock" };
	struct shim_set *set = NULL;

	shim_set_create(handle, events, n, NULL, &set);
	return set;
}

static void goes_and_comes_back(struct __test_metadata *_metadata, struct shim_set *set)
{
	struct shim_sample before, away, back, later;

	ASSERT_EQ(0, shim_set_bind(set, CPU, SHIM_BIND_CPU));
	touch_there(_metadata);
	ASSERT_EQ(0, shim_set_total(set, 0, &before));
	EXPECT_LE(PAGES, before.values[0]);
	EXPECT_EQ(SHIM_STATE_COUNTING, before.state);
	ASSERT_EQ(0, turn_cpu("0"));
	usleep(20000);
	for (int i = 0; i < 2; i++) {
		ASSERT_EQ(0, shim_set_total(set, 0, &away));
		EXPECT_EQ(SHIM_STATE_COUNTING | SHIM_STATE_OFFLINE, away.state);
		for (unsigned int e = 0; e < away.nr; e++)
			EXPECT_LE(before.values[e], away.values[e]);
	}
	ASSERT_EQ(0, turn_cpu("1"));
	ASSERT_EQ(0, shim_set_total(set, 0, &back));
	EXPECT_EQ(SHIM_STATE_COUNTING, back.state);
	touch_there(_metadata);
	ASSERT_EQ(0, shim_set_total(set, 0, &later));
	for (unsigned int e = 0; e < later.nr; e++) {
		EXPECT_LE(away.values[e], back.values[e]);
		EXPECT_LE(back.values[e], later.values[e]);
	}
	EXPECT_LE(away.values[0] + PAGES, later.values[0]);
	EXPECT_LE(away.tick, back.tick);
	EXPECT_LE(back.tick, later.tick);
}

TEST_F(offline, one_event)
{
	struct shim_set *set;

	UNLESS_MISSING();
	set = make(self->handle, 1);
	ASSERT_NE(NULL, set);
	goes_and_comes_back(_metadata, set);
	shim_set_destroy(set);
}

TEST_F(offline, several_events)
{
	struct shim_set *set;

	UNLESS_MISSING();
	set = make(self->handle, 3);
	ASSERT_NE(NULL, set);
	goes_and_comes_back(_metadata, set);
	shim_set_destroy(set);
}

TEST_F(offline, cannot_be_bound_meanwhile)
{
	struct shim_set *set;

	UNLESS_MISSING();
	set = make(self->handle, 2);
	ASSERT_NE(NULL, set);
	ASSERT_EQ(0, turn_cpu("0"));
	EXPECT_EQ(-ENODEV, shim_set_bind(set, CPU, SHIM_BIND_CPU));
	ASSERT_EQ(0, turn_cpu("1"));
	EXPECT_EQ(0, shim_set_bind(set, CPU, SHIM_BIND_CPU));
	shim_set_destroy(set);
}

TEST_HARNESS_MAIN
