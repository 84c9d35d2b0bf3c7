// SPDX-License-Identifier: GPL-2.0-or-later
/* Create, use and destroy sets of counters on the synthetic PMU. */
#include <errno.h>
#include <linux/perf_event.h>
#include <pthread.h>

#include "core/counters.h"
#include "core/event.h"
#include "selftests/synthetic/backend_sim.h"
#include "kselftest_harness.h"

const struct shim_backend_ops *shim_session__backend(void)
{
	return &shim_backend__sim;
}

#define N 2

struct room {
	struct vcpc_sample head;
	__u64 values[N];
};

FIXTURE(counters) {
	struct shim_session *session;
	struct shim_counters *set;
	struct room room;
	int bad;
};

FIXTURE_SETUP(counters)
{
	struct vcpc_request reqs[N];

	ASSERT_EQ(0, shim_event__parse("page-faults:u", &reqs[0]));
	ASSERT_EQ(0, shim_event__parse("cycles:uk", &reqs[1]));
	reqs[1].preset = -1000ULL;
	ASSERT_EQ(0, shim_session__open(&self->session));
	ASSERT_EQ(0, shim_counters__create(self->session, reqs, N, 0, &self->bad, &self->set));
}

FIXTURE_TEARDOWN(counters)
{
	shim_counters__put(self->set);
	shim_session__close(self->session);
}

static int sample(FIXTURE_DATA(counters) *self, pid_t tid)
{
	return shim_counters__sample(self->set, tid, &self->room.head, sizeof(self->room));
}

TEST_F(counters, counts_from_preset_and_wraps)
{
	ASSERT_EQ(0, shim_counters__bind(self->set, 0, 0, &self->bad));
	ASSERT_EQ(0, sample(self, 0));
	EXPECT_EQ(N, self->room.head.nr);
	EXPECT_EQ(1000, self->room.values[0]);
	EXPECT_EQ(1000, self->room.values[1]);
	EXPECT_EQ(sizeof(self->room.head), self->room.head.size);
}

TEST_F(counters, unbound_is_einval)
{
	EXPECT_EQ(-EINVAL, sample(self, 0));
	EXPECT_EQ(-EINVAL, shim_counters__unbind(self->set, 0));
	EXPECT_EQ(-EINVAL, shim_counters__enable(self->set, 0));
	EXPECT_EQ(-EINVAL, shim_counters__disable(self->set, 0));
}

TEST_F(counters, second_bind_is_ebusy)
{
	ASSERT_EQ(0, shim_counters__bind(self->set, 0, 0, &self->bad));
	EXPECT_EQ(-EBUSY, shim_counters__bind(self->set, 0, 0, &self->bad));
}

TEST_F(counters, disabled_stands_still)
{
	__u64 before;

	ASSERT_EQ(0, shim_counters__bind(self->set, 0, 0, &self->bad));
	ASSERT_EQ(0, sample(self, 0));
	before = self->room.values[0];
	ASSERT_EQ(0, shim_counters__disable(self->set, 0));
	EXPECT_EQ(-EINVAL, shim_counters__disable(self->set, 0));
	ASSERT_EQ(0, sample(self, 0));
	EXPECT_EQ(before, self->room.values[0]);
	EXPECT_EQ(0, self->room.head.state);
	ASSERT_EQ(0, shim_counters__enable(self->set, 0));
	ASSERT_EQ(0, sample(self, 0));
	EXPECT_LT(before, self->room.values[0]);
}

TEST_F(counters, small_buffer_is_einval)
{
	ASSERT_EQ(0, shim_counters__bind(self->set, 0, 0, &self->bad));
	EXPECT_EQ(-EINVAL, shim_counters__sample(self->set, 0, &self->room.head,
						 sizeof(self->room) - 1));
}

TEST_F(counters, shut_is_ebadf)
{
	ASSERT_EQ(0, shim_counters__bind(self->set, 0, 0, &self->bad));
	shim_counters__shut(self->set);
	EXPECT_EQ(-EBADF, sample(self, 0));
	EXPECT_EQ(-EBADF, shim_counters__bind(self->set, 0, 0, &self->bad));
	EXPECT_EQ(-EBADF, shim_counters__unbind(self->set, 0));
	EXPECT_EQ(-EBADF, shim_counters__enable(self->set, 0));
	EXPECT_EQ(-EBADF, shim_counters__disable(self->set, 0));
	shim_counters__shut(self->set);
}

TEST_F(counters, outlives_its_session_and_one_reference)
{
	struct shim_counters *more = shim_counters__get(self->set);

	shim_session__close(self->session);
	ASSERT_EQ(0, shim_session__open(&self->session));
	shim_counters__put(more);
	ASSERT_EQ(0, shim_counters__bind(self->set, 0, 0, &self->bad));
	EXPECT_EQ(0, sample(self, 0));
}

static void *sample_elsewhere(void *arg)
{
	struct shim_counters *set = arg;
	struct room room;
	int bad;

	if (shim_counters__bind(set, 0, 0, &bad) ||
	    shim_counters__sample(set, 0, &room.head, sizeof(room)))
		return NULL;
	return room.values[0] == 1000 ? arg : NULL;
}

TEST_F(counters, threads_have_their_own)
{
	pthread_t thread;
	void *ok;

	ASSERT_EQ(0, shim_counters__bind(self->set, 0, 0, &self->bad));
	ASSERT_EQ(0, sample(self, 0));
	ASSERT_EQ(0, sample(self, 0));
	ASSERT_EQ(0, pthread_create(&thread, NULL, sample_elsewhere, self->set));
	ASSERT_EQ(0, pthread_join(thread, &ok));
	EXPECT_EQ(self->set, ok);
	ASSERT_EQ(0, sample(self, 0));
	EXPECT_EQ(3000, self->room.values[0]);
}

TEST_F(counters, a_bad_request_is_named)
{
	struct vcpc_request reqs[N];
	struct shim_counters *none = NULL;

	ASSERT_EQ(0, shim_event__parse("page-faults:u", &reqs[0]));
	ASSERT_EQ(0, shim_event__parse("LLC-loads:u", &reqs[1]));
	EXPECT_EQ(-ENOENT, shim_counters__create(self->session, reqs, N, 0, &self->bad, &none));
	EXPECT_EQ(1, self->bad);
	EXPECT_EQ(NULL, none);
	EXPECT_EQ(-EINVAL, shim_counters__create(self->session, reqs, 0, 0, &self->bad, &none));
	EXPECT_EQ(-1, self->bad);
}

TEST_F(counters, too_many_for_the_pmu)
{
	struct vcpc_request reqs[5];
	struct shim_counters *set;

	for (int i = 0; i < 5; i++)
		ASSERT_EQ(0, shim_event__parse("cycles:u", &reqs[i]));
	ASSERT_EQ(0, shim_counters__create(self->session, reqs, 5, 0, &self->bad, &set));
	EXPECT_EQ(-ENOSPC, shim_counters__bind(set, 0, 0, &self->bad));
	shim_counters__put(set);
}

TEST_HARNESS_MAIN
