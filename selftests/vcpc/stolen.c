// SPDX-License-Identifier: GPL-2.0-or-later
/* A set that has lost its counters, even briefly, is invalid until it is bound again. */
#include <pthread.h>

#include "inherited.h"
#include "overflow.h"
#include "thief.h"
#include "vcpc_test.h"

FIXTURE(stolen)
{
	int set, loot[LOOT];
	bool none;
};

FIXTURE_SETUP(stolen)
{
	struct vcpc_request requests[2] = { cycles, page_faults };
	int device;

	self->none = !hw_slots();
	if (self->none)
		return;
	requests[0].preset = 1000;
	device = device_open();
	self->set = set_create(device, requests, 2, 0);
	close(device);
	ASSERT_LE(0, self->set);
	ASSERT_EQ(0, run_on(0));
}

FIXTURE_TEARDOWN(stolen)
{
	if (!self->none)
		close(self->set);
}

/* Skip the test in the test itself, because a fixture's set-up cannot skip. */
#define NEEDS_COUNTERS()						\
	do {								\
		if (self->none)						\
			SKIP(return, "no hardware counters");		\
	} while (0)

/* Take all counters while the caller runs, and then release them. */
static void lose_them(int loot[LOOT])
{
	take_all_counters(loot);
	spin(100000);
	give_counters_back(loot);
	spin(100000);
}

static __u32 listed_state(int set)
{
	struct vcpc_instances_args args;
	struct vcpc_instance_info info;

	return set_instances(set, &info, 1, &args) || args.nr != 1 ? ~0U : info.state;
}

TEST_F(stolen, invalid_until_it_is_bound_again)
{
	static const unsigned long calls[] = {
		VCPC_IOC_DISABLE, VCPC_IOC_ENABLE, VCPC_IOC_RESTART,
	};
	struct room room = { .sample.nr = 77 };
	unsigned int i, round;

	NEEDS_COUNTERS();
	for (round = 0; round < 3; round++) {
		ASSERT_EQ(0, set_bind(self->set, 0));
		ASSERT_EQ(0, set_sample(self->set, 0, &room));
		EXPECT_EQ(0, listed_state(self->set) & VCPC_STATE_INVALID);
		lose_them(self->loot);
		room.sample.nr = 77;
		EXPECT_EQ(-EAGAIN, set_sample(self->set, 0, &room));
		EXPECT_EQ(-EAGAIN, set_total(self->set, &room));
		EXPECT_EQ(-1, read(self->set, &room, sizeof(room)));
		EXPECT_EQ(EAGAIN, errno);
		for (i = 0; i < sizeof(calls) / sizeof(calls[0]); i++)
			EXPECT_EQ(-EAGAIN, set_own(self->set, calls[i]));
		/* No part of the sample is returned, and the set stays invalid. */
		EXPECT_EQ(-EAGAIN, set_sample(self->set, 0, &room));
		EXPECT_EQ(77, room.sample.nr);
		EXPECT_EQ(VCPC_STATE_INVALID, listed_state(self->set) & VCPC_STATE_INVALID);

		ASSERT_EQ(0, set_own(self->set, VCPC_IOC_UNBIND));
		ASSERT_EQ(0, set_bind(self->set, 0));
		touch(10);
		spin(100000);
		ASSERT_EQ(0, set_sample(self->set, 0, &room));
		EXPECT_LE(1000 + 100000, room.sample.values[0]);
		EXPECT_LE(10, room.sample.values[1]);
		EXPECT_GT(1000, room.sample.values[1]);
		ASSERT_EQ(0, set_own(self->set, VCPC_IOC_UNBIND));
	}
}

/* Sets without hardware counters are unaffected. */
TEST_F(stolen, no_room_meanwhile)
{
	struct vcpc_bind_args bind = { .size = sizeof(bind), .bad_request = 77 };
	struct room room;
	int other;

	NEEDS_COUNTERS();
	other = set_of(&page_faults, 0);
	ASSERT_EQ(0, set_bind(other, 0));
	take_all_counters(self->loot);
	EXPECT_EQ(-ENOSPC, call(self->set, VCPC_IOC_BIND, &bind));
	EXPECT_EQ(0, bind.bad_request);
	EXPECT_EQ(-EINVAL, set_sample(self->set, own_tid(), &room));
	spin(100000);
	give_counters_back(self->loot);
	EXPECT_EQ(0, set_sample(other, 0, &room));
	EXPECT_EQ(0, set_bind(self->set, 0));
	EXPECT_EQ(0, set_sample(self->set, 0, &room));
	close(other);
}

/* A set can use all remaining counters, regardless of which process uses the others. */
TEST_F(stolen, what_is_left)
{
	struct vcpc_request requests[LOOT];
	unsigned int slots = hw_slots(), i, nr;
	int device, set;

	NEEDS_COUNTERS();
	if (slots < 3 || slots >= LOOT)
		SKIP(return, "no hardware counters, or too many");
	for (i = 0; i < slots; i++)
		requests[i] = cycles;
	device = device_open();
	take_all_counters(self->loot);
	for (nr = 0; nr <= 2; nr++) {
		set = set_create(device, requests, nr + 1, 0);
		EXPECT_EQ(-ENOSPC, set_bind(set, 0));
		close(set);
		if (nr) {
			set = set_create(device, requests, nr, 0);
			EXPECT_EQ(0, set_bind(set, 0));
			close(set);
		}
		close(self->loot[nr]);
	}
	for (i = nr; i < LOOT; i++)
		close(self->loot[i]);
	close(device);
}

/*
 * If the counters are taken while the set is disabled, the saved values are complete, but the set
 * cannot continue from them.
 */
TEST_F(stolen, disabled_meanwhile)
{
	struct room before, after;

	NEEDS_COUNTERS();
	ASSERT_EQ(0, set_bind(self->set, 0));
	spin(100000);
	ASSERT_EQ(0, set_own(self->set, VCPC_IOC_DISABLE));
	ASSERT_EQ(0, set_sample(self->set, 0, &before));
	lose_them(self->loot);
	ASSERT_EQ(0, set_sample(self->set, 0, &after));
	EXPECT_EQ(before.sample.values[0], after.sample.values[0]);
	EXPECT_EQ(before.sample.values[1], after.sample.values[1]);
	EXPECT_EQ(-EAGAIN, set_own(self->set, VCPC_IOC_ENABLE));
	EXPECT_EQ(-EAGAIN, set_sample(self->set, 0, &after));
}

struct other {
	pthread_t thread;
	pthread_barrier_t barrier;
	volatile pid_t tid;
	int set, ret;
};

/* Bind the set, and use the CPU only on request, in a thread. */
static void *runs_once(void *arg)
{
	struct other *o = arg;

	o->ret = set_bind(o->set, 0);
	o->tid = own_tid();
	pthread_barrier_wait(&o->barrier);
	pthread_barrier_wait(&o->barrier);
	spin(100000);
	return NULL;
}

static int start_other(struct other *o)
{
	if (pthread_barrier_init(&o->barrier, NULL, 2) ||
	    pthread_create(&o->thread, NULL, runs_once, o))
		return -1;
	pthread_barrier_wait(&o->barrier);
	return 0;
}

static void let_other_end(struct other *o)
{
	pthread_barrier_wait(&o->barrier);
	pthread_join(o->thread, NULL);
}

/* The loss of counters is detected even if the set is first read after the thread has exited. */
TEST_F(stolen, seen_only_after_the_end)
{
	struct room room;
	struct other o;

	NEEDS_COUNTERS();
	o.set = self->set;
	ASSERT_EQ(0, start_other(&o));
	ASSERT_EQ(0, o.ret);
	take_all_counters(self->loot);
	let_other_end(&o);
	give_counters_back(self->loot);
	EXPECT_EQ(-EAGAIN, set_sample(self->set, o.tid, &room));
	EXPECT_EQ(-EAGAIN, set_total(self->set, &room));
	EXPECT_EQ(-EAGAIN, set_sample(self->set, o.tid, &room));
}

static void *tells_its_number(void *arg)
{
	*(pid_t *)arg = own_tid();
	return NULL;
}

/* Start a child whose inherited instance ends with complete counts. */
static pid_t ended_child(int set)
{
	pthread_t thread;
	struct room room;
	pid_t tid = 0;

	if (pthread_create(&thread, NULL, tells_its_number, &tid) || pthread_join(thread, NULL))
		return -1;
	do {
		if (set_sample(set, tid, &room))
			return -1;
	} while (!(room.sample.state & VCPC_STATE_EXITED));
	return tid;
}

/* A total fails unless all of its parts are complete. */
TEST_F(stolen, one_of_several)
{
	struct room room;
	pid_t child;

	NEEDS_COUNTERS();
	ASSERT_EQ(0, set_bind(self->set, VCPC_BIND_F_INHERIT));
	child = ended_child(self->set);
	ASSERT_LT(0, child);
	ASSERT_EQ(0, set_total(self->set, &room));
	lose_them(self->loot);
	EXPECT_EQ(-EAGAIN, set_sample(self->set, 0, &room));
	EXPECT_EQ(-EAGAIN, set_total(self->set, &room));
	EXPECT_EQ(0, set_sample(self->set, child, &room));
}

TEST_HARNESS_MAIN
