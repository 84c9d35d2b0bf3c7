// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * VCPC_IOC_RESTART by another thread: it overflows after as many events as the preset says, and
 * refuses with VCPC_TARGET_F_ALL what it refuses for one instance.
 */
#include "attack.h"
#include "exec_child.h"
#include "groups.h"
#include "overflow.h"
#include "vcpc_test.h"

#define EVENTS	20000ULL
#define TRIES	50
/* So many events may pass anyway: an interrupt to another CPU, and the way back to user mode */
#define SLACK	50000ULL

static int restart_all(int set)
{
	struct vcpc_target_args args = { .size = sizeof(args), .flags = VCPC_TARGET_F_ALL };

	return call(set, VCPC_IOC_RESTART, &args);
}

/*
 * struct runner - a thread that does nothing but run
 * @set: what is bound to it
 * @tid: its number, once it runs
 * @restart: set for it to call RESTART itself; cleared by it when it has
 * @over: set when it shall end
 */
struct runner {
	int set;
	volatile pid_t tid;
	volatile bool restart, over;
};

static void *runs(void *arg)
{
	struct runner *r = arg;

	run_on_cpu(1);
	r->tid = own_tid();
	while (!r->over) {
		spin(1000);
		if (!r->restart)
			continue;
		set_target(r->set, VCPC_IOC_RESTART, 0);
		r->restart = false;
	}
	return NULL;
}

static int compare(const void *a, const void *b)
{
	__u64 x = *(const __u64 *)a, y = *(const __u64 *)b;

	return x < y ? -1 : x > y;
}

/* How many events after the preset said so it was stopped; ~0 if it was not */
static __u64 stopped_after(struct runner *r, bool by_itself)
{
	struct room room;
	int tries;

	if (set_preset(r->set, r->tid, -EVENTS))
		return ~0ULL;
	if (by_itself) {
		r->restart = true;
		while (r->restart)
			usleep(100);
	} else if (set_target(r->set, VCPC_IOC_RESTART, r->tid)) {
		return ~0ULL;
	}
	for (tries = 0; tries < 10000; tries++) {
		if (set_sample(r->set, r->tid, &room))
			return ~0ULL;
		if (room.sample.state & VCPC_STATE_FROZEN)
			return room.sample.values[0];
		usleep(1000);
	}
	return ~0ULL;
}

/* The middle one of many; before each the counter is on its way to an end that is far away. */
static __u64 middle(struct runner *r, bool by_itself)
{
	__u64 late[TRIES];
	int i;

	for (i = 0; i < TRIES; i++) {
		if (set_preset(r->set, r->tid, -(1ULL << 40)) ||
		    set_target(r->set, VCPC_IOC_RESTART, r->tid))
			return ~0ULL;
		usleep(i % 4 * 1000);
		late[i] = stopped_after(r, by_itself);
		if (late[i] == ~0ULL)
			return ~0ULL;
	}
	qsort(late, TRIES, sizeof(late[0]), compare);
	remark("%s: stopped %llu to %llu events later, in the middle %llu",
	       by_itself ? "by itself" : "by another", late[0], late[TRIES - 1], late[TRIES / 2]);
	return late[TRIES / 2];
}

/*
 * An overflow is late by as long as its interrupt takes, which where cycles are time is whatever
 * the host pleases: what another thread's RESTART brings about is judged by what one's own does.
 */
TEST(overflows_at_the_preset)
{
	struct vcpc_request req = overflowing(&cycles, 1ULL << 40);
	struct runner r = { 0 };
	__u64 own, others;
	pthread_t thread;

	if (!hw_slots())
		SKIP(return, "no hardware counters");
	r.set = overflow_set(&req, 1, 0, 0);
	ASSERT_LE(0, r.set);
	run_on_cpu(0);
	ASSERT_EQ(0, pthread_create(&thread, NULL, runs, &r));
	while (!r.tid)
		usleep(1000);
	ASSERT_EQ(0, set_bind(r.set, 0, r.tid));
	own = middle(&r, true);
	others = middle(&r, false);
	r.over = true;
	pthread_join(thread, NULL);
	ASSERT_NE(~0ULL, own);
	ASSERT_NE(~0ULL, others);
	EXPECT_GE(SLACK + 2 * own, others);
	close(r.set);
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
