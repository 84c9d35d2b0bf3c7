// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * VCPC_IOC_RESTART by another thread: it overflows after as many events as the preset says, and
 * refuses with VCPC_TARGET_F_ALL what it refuses for one instance.
 */
#include "attack.h"
#include "exec_child.h"
#include "groups.h"
#include "overflow.h"

#define EVENTS	1000000ULL
#define TRIES	20

static int restart_all(int set)
{
	struct vcpc_target_args args = { .size = sizeof(args), .flags = VCPC_TARGET_F_ALL };

	return call(set, VCPC_IOC_RESTART, &args);
}

/*
 * struct runner - a thread that does nothing but run
 * @tid: its number, once it runs
 * @over: set when it shall end
 */
struct runner {
	volatile pid_t tid;
	volatile bool over;
};

static void *runs(void *arg)
{
	struct runner *r = arg;

	run_on_cpu(1);
	r->tid = own_tid();
	while (!r->over)
		spin(1000);
	return NULL;
}

static int compare(const void *a, const void *b)
{
	__u64 x = *(const __u64 *)a, y = *(const __u64 *)b;

	return x < y ? -1 : x > y;
}

/* How many events after the preset said so it was stopped; ~0 if it was not */
static __u64 stopped_after(int set, pid_t tid, __u64 events)
{
	struct room room;
	int tries;

	if (set_preset(set, tid, -events) || set_target(set, VCPC_IOC_RESTART, tid))
		return ~0ULL;
	for (tries = 0; tries < 10000; tries++) {
		if (set_sample(set, tid, &room))
			return ~0ULL;
		if (room.sample.state & VCPC_STATE_FROZEN)
			return room.sample.values[0];
		usleep(1000);
	}
	return ~0ULL;
}

/*
 * An overflow is late by as long as the interrupt takes, which where cycles are time is whatever
 * the host pleases: so it is the middle one of many that is judged there.  What comes before is a
 * restart from far away, as the counter is on its way to an end that is not meant any more.
 */
TEST(overflows_at_the_preset)
{
	struct vcpc_request req = overflowing(&cycles, 1ULL << 40);
	struct runner r = { 0 };
	__u64 late[TRIES], bound;
	pthread_t thread;
	int set, i;

	if (!hw_slots())
		SKIP(return, "no hardware counters");
	set = overflow_set(&req, 1, 0, 0);
	ASSERT_LE(0, set);
	run_on_cpu(0);
	ASSERT_EQ(0, pthread_create(&thread, NULL, runs, &r));
	while (!r.tid)
		usleep(1000);
	ASSERT_EQ(0, set_bind(set, 0, r.tid));
	for (i = 0; i < TRIES; i++) {
		ASSERT_EQ(0, set_preset(set, r.tid, -(1ULL << 40)));
		ASSERT_EQ(0, set_target(set, VCPC_IOC_RESTART, r.tid));
		usleep(i % 4 * 1000);
		late[i] = stopped_after(set, r.tid, EVENTS);
		ASSERT_NE(~0ULL, late[i]);
	}
	r.over = true;
	pthread_join(thread, NULL);
	qsort(late, TRIES, sizeof(late[0]), compare);
	bound = share(EVENTS, 2, 100);
	remark("%d times %llu events: stopped %llu to %llu later, in the middle %llu", TRIES, EVENTS,
	       late[0], late[TRIES - 1], late[TRIES / 2]);
	EXPECT_GT(bound, late[TRIES / 2]);
	if (getenv("VM_ICOUNT"))
		EXPECT_GT(bound, late[TRIES - 1]);
	close(set);
}

TEST(all_of_a_set_with_groups)
{
	int set = groups_set(&page_faults, 2, 1, 10 * MS, 0);

	ASSERT_LE(0, set);
	ASSERT_EQ(0, set_bind(set, 0, 0));
	EXPECT_EQ(-EINVAL, restart_all(set));
	close(set);
}

TEST(all_of_a_set_that_waits_for_execve)
{
	struct room before, after;
	int set = set_of(&page_faults, 0);
	struct child c;
	char byte;

	ASSERT_LE(0, set);
	if (child_fork(&c))
		_exit(read(0, &byte, 1) < 0);
	ASSERT_EQ(0, set_bind(set, VCPC_BIND_F_ENABLE_ON_EXEC, c.pid));
	ASSERT_EQ(0, set_sample(set, c.pid, &before));
	EXPECT_EQ(-EINVAL, restart_all(set));
	ASSERT_EQ(0, set_sample(set, c.pid, &after));
	EXPECT_EQ(before.sample.state, after.sample.state);
	child_end(&c);
	close(set);
}

/* ... and of those that can be, all are. */
TEST(all_that_count)
{
	int set = set_of(&page_faults, 0);

	ASSERT_LE(0, set);
	ASSERT_EQ(0, set_bind(set, 0, 0));
	touch(50);
	ASSERT_LE(50, first_value(set, 0));
	EXPECT_EQ(0, restart_all(set));
	EXPECT_GT(50, first_value(set, 0));
	close(set);
}

TEST_HARNESS_MAIN
