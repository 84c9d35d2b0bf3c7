// SPDX-License-Identifier: GPL-2.0-or-later
/* Test multiplexed groups, inheriting threads, CPUs and totals on the synthetic clock. */
#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>

#include "selftests/synthetic/backend_clock.h"
#include "core/counters.h"
#include "core/event.h"
#include "kselftest_harness.h"

#define MS	1000000ULL
#define K	3

const struct shim_backend_ops *shim_session__backend(void)
{
	return &shim_backend__clock;
}

FIXTURE(groups) {
	struct shim_session *session;
	struct shim_counters *set;
	struct {
		struct vcpc_sample head;
		__u64 values[K];
		struct shim_group_sample group[K];
	} room;
};

static int make(FIXTURE_DATA(groups) *self, __u64 slot, int *bad)
{
	static const __u16 group[K] = { 0, 1, 2 };
	struct vcpc_request reqs[K];

	for (int k = 0; k < K; k++)
		if (shim_event__parse("instructions:u", &reqs[k]))
			abort();
	return shim_counters__create_on(self->session, reqs, K, 0,
					(struct shim_terms) { .group = group, .slot = slot }, bad,
					&self->set);
}

FIXTURE_SETUP(groups)
{
	int bad;

	shim_clock__begin(NULL, 0);
	ASSERT_EQ(0, shim_session__open(&self->session));
	ASSERT_EQ(0, make(self, 0, &bad));
}

FIXTURE_TEARDOWN(groups)
{
	shim_counters__put(self->set);
	shim_session__close(self->session);
}

static int sample(FIXTURE_DATA(groups) *self, pid_t tid, unsigned int flags)
{
	return shim_counters__sample_at(self->set, tid, flags, &self->room.head,
					sizeof(self->room));
}

static void expect(struct __test_metadata *_metadata, FIXTURE_DATA(groups) *self, __u64 rounds,
		   __u64 a, __u64 b, __u64 c)
{
	__u64 ms[K] = { a, b, c };

	for (int k = 0; k < K; k++) {
		EXPECT_EQ(ms[k] * MS, self->room.group[k].tick);
		EXPECT_EQ(ms[k] * MS / 1000 * 2, self->room.values[k]);
		EXPECT_EQ(rounds, self->room.group[k].rounds);
	}
}

TEST_F(groups, turns)
{
	int bad;

	ASSERT_EQ(0, shim_counters__bind(self->set, 0, 0, &bad));
	shim_clock__run(gettid(), 1050 * MS);
	ASSERT_EQ(0, sample(self, 0, 0));
	expect(_metadata, self, 3, 400, 350, 300);
	ASSERT_EQ(0, shim_counters__disable(self->set, 0));
	shim_clock__run(gettid(), 70 * MS);
	ASSERT_EQ(0, shim_counters__enable(self->set, 0));
	shim_clock__run(gettid(), 30 * MS);
	ASSERT_EQ(0, sample(self, 0, 0));
	expect(_metadata, self, 3, 400, 380, 300);
	shim_clock__run(gettid(), 120 * MS);
	ASSERT_EQ(0, sample(self, 0, 0));
	expect(_metadata, self, 4, 400, 400, 400);
}

TEST_F(groups, gaps_are_nobodys)
{
	int bad;

	shim_clock__begin(NULL, MS);
	ASSERT_EQ(0, shim_counters__bind(self->set, 0, 0, &bad));
	shim_clock__run(gettid(), 251 * MS);
	ASSERT_EQ(0, sample(self, 0, 0));
	expect(_metadata, self, 0, 100, 100, 49);
	EXPECT_EQ(251 * MS, self->room.head.tick);
}

TEST_F(groups, asleep_no_turn_ends)
{
	int bad;

	ASSERT_EQ(0, shim_counters__bind(self->set, 0, 0, &bad));
	shim_clock__run(0, 500 * MS);
	ASSERT_EQ(0, sample(self, 0, 0));
	EXPECT_EQ(500 * MS, self->room.group[0].time);
	expect(_metadata, self, 0, 0, 0, 0);
}

TEST_F(groups, heirs_and_totals)
{
	struct vcpc_instance_info *list;
	struct vcpc_instances_args args;
	int bad;

	ASSERT_EQ(0, shim_counters__bind(self->set, 0, VCPC_BIND_F_INHERIT, &bad));
	shim_clock__born(gettid(), 77, true);
	shim_clock__born(gettid(), 78, false);
	shim_clock__run(gettid(), 50 * MS);
	shim_clock__run(77, 20 * MS);
	shim_clock__exits(77);
	shim_clock__run(77, 20 * MS);
	ASSERT_EQ(0, sample(self, 77, 0));
	expect(_metadata, self, 0, 0, 20, 0);
	EXPECT_EQ(-EINVAL, sample(self, 78, 0));
	ASSERT_EQ(0, sample(self, 0, VCPC_SAMPLE_F_TOTAL));
	expect(_metadata, self, 0, 50, 20, 0);
	ASSERT_EQ(0, shim_counters__list(self->set, 0, &list, &args));
	EXPECT_EQ(2, args.nr);
	EXPECT_EQ(77, list[1].tid);
	EXPECT_EQ(gettid(), list[1].root);
	EXPECT_TRUE(list[1].state & VCPC_STATE_EXITED);
	free(list);
	ASSERT_EQ(0, shim_counters__unbind_at(self->set, 77, 0));
	ASSERT_EQ(0, sample(self, 0, VCPC_SAMPLE_F_TOTAL));
	expect(_metadata, self, 0, 50, 0, 0);
	ASSERT_EQ(0, shim_counters__unbind_at(self->set, 0, SHIM_TARGET_F_ALL));
	EXPECT_EQ(-EINVAL, sample(self, 0, VCPC_SAMPLE_F_TOTAL));
}

TEST_F(groups, cpus)
{
	int bad;

	ASSERT_EQ(0, shim_counters__bind(self->set, 0, SHIM_BIND_F_CPU, &bad));
	ASSERT_EQ(0, shim_counters__bind(self->set, 1, SHIM_BIND_F_CPU, &bad));
	EXPECT_EQ(-EBUSY, shim_counters__bind(self->set, 1, SHIM_BIND_F_CPU, &bad));
	shim_clock__run(0, 350 * MS);
	ASSERT_EQ(0, sample(self, 1, SHIM_TARGET_F_CPU));
	expect(_metadata, self, 1, 150, 100, 100);
	ASSERT_EQ(0, sample(self, 0, VCPC_SAMPLE_F_TOTAL));
	expect(_metadata, self, 1, 300, 200, 200);
	ASSERT_EQ(0, shim_counters__disable_at(self->set, 0, SHIM_TARGET_F_ALL));
	EXPECT_EQ(-EINVAL, shim_counters__disable_at(self->set, 0, SHIM_TARGET_F_CPU));
	shim_clock__run(0, 350 * MS);
	ASSERT_EQ(0, sample(self, 0, VCPC_SAMPLE_F_TOTAL));
	expect(_metadata, self, 1, 300, 200, 200);
}

TEST_F(groups, stolen_turns_are_void)
{
	int bad;

	ASSERT_EQ(0, shim_counters__bind(self->set, 0, 0, &bad));
	shim_clock__run(gettid(), 150 * MS);
	shim_clock__steal(true);
	shim_clock__run(gettid(), 50 * MS);
	shim_clock__steal(false);
	shim_clock__run(gettid(), 100 * MS);
	ASSERT_EQ(0, sample(self, 0, 0));
	expect(_metadata, self, 1, 100, 50, 100);
	EXPECT_EQ(1, self->room.group[1].voids);
}

TEST_F(groups, slot_limits)
{
	static const struct {
		__u64 slot;
		int ret;
	} rows[] = {
		{ 1 * MS - 1, -EINVAL }, { 1 * MS, 0 }, { 30000 * MS, 0 },
		{ 30000 * MS + 1, -EINVAL },
	};
	int bad;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		shim_counters__put(self->set);
		self->set = NULL;
		EXPECT_EQ(rows[i].ret, make(self, rows[i].slot, &bad));
	}
}

TEST_HARNESS_MAIN
