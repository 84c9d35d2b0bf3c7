// SPDX-License-Identifier: GPL-2.0-or-later
/* Transactions contain the counts of their thread's counters. */
#include <sys/prctl.h>

#include <shim/shim.h>

#include "faults.h"

#define PAIRS	1024	/* number of combinations of a tag and a set of events that fit */

FIXTURE(counted) {
	struct shim_handle *handle;
	struct shim_set *set;
	struct shim_trace *trace;
};

FIXTURE_SETUP(counted)
{
	const char *const events[] = { "page-faults" };

	TRACING_ON(NULL);
	ASSERT_EQ(0, prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0));
	ASSERT_EQ(0, shim_open(&self->handle));
	ASSERT_EQ(0, shim_set_create(self->handle, events, 1, NULL, &self->set));
	ASSERT_EQ(0, shim_set_bind(self->set, 0, SHIM_BIND_TRACE));
	ASSERT_EQ(0, shim_trace_open(&self->trace));
}

FIXTURE_TEARDOWN(counted)
{
	shim_trace_close(self->trace);
	shim_set_destroy(self->set);
	shim_close(self->handle);
	shim_trace_off();
}

TEST_F(counted, in_each)
{
	const struct shim_trace_count *count;
	size_t n = 0;

	ASSERT_EQ(0, transaction("touches", 1));
	ASSERT_EQ(0, shim_trace_counts_get(self->trace, &n));
	ASSERT_EQ(1, n);
	for (int i = 0; i < 10; i++) {
		ASSERT_EQ(0, transaction("touches", 20));
		ASSERT_EQ(0, touch(50));
	}
	ASSERT_EQ(0, shim_trace_counts_get(self->trace, &n));
	ASSERT_EQ(1, n);
	count = shim_trace_count_at(self->trace, 0);
	EXPECT_STREQ("touches", count->name);
	EXPECT_STREQ("page-faults", count->event);
	EXPECT_EQ(11, count->transactions);
	EXPECT_GE(count->sum, 201);
	EXPECT_LT(count->sum, 250);
}

/*
 * If a set is bound again inside a transaction, its counters restart from 0, so the difference is
 * invalid.
 */
TEST_F(counted, bound_anew_inside)
{
	size_t n = 0;

	ASSERT_EQ(0, touch(100));
	ASSERT_EQ(0, pmtracebegin("anew"));
	ASSERT_EQ(0, shim_set_unbind(self->set, 0));
	ASSERT_EQ(0, shim_set_bind(self->set, 0, SHIM_BIND_TRACE));
	ASSERT_EQ(0, pmtraceend("anew"));
	ASSERT_EQ(0, shim_trace_counts_get(self->trace, &n));
	EXPECT_EQ(0, n);
	EXPECT_EQ(1, count_of("anew", SHIM_TRACE_TRANSACTION));
	ASSERT_EQ(0, transaction("anew", 5));
	ASSERT_EQ(0, shim_trace_counts_get(self->trace, &n));
	ASSERT_EQ(1, n);
	EXPECT_EQ(1, shim_trace_count_at(self->trace, 0)->transactions);
	EXPECT_LT(shim_trace_count_at(self->trace, 0)->sum, 50);
}

/*
 * This also applies if the set has already counted more than before it was bound again, which makes
 * the difference look valid.
 */
TEST_F(counted, bound_anew_inside_and_further)
{
	size_t n = 0;

	ASSERT_EQ(0, touch(10));
	ASSERT_EQ(0, pmtracebegin("further"));
	ASSERT_EQ(0, shim_set_unbind(self->set, 0));
	ASSERT_EQ(0, shim_set_bind(self->set, 0, SHIM_BIND_TRACE));
	ASSERT_EQ(0, touch(500));
	ASSERT_EQ(0, pmtraceend("further"));
	ASSERT_EQ(0, shim_trace_counts_get(self->trace, &n));
	EXPECT_EQ(0, n);
	EXPECT_EQ(1, count_of("further", SHIM_TRACE_TRANSACTION));
}

/*
 * If counts do not fit into the map, the transaction is recorded without them, and its counts are
 * reported as lost.
 */
TEST_F(counted, full)
{
	struct shim_trace_drops drops;
	size_t n = 0;

	for (int i = 0; i < PAIRS + 6; i++) {
		char tag[16];

		snprintf(tag, sizeof(tag), "pair %d", i);
		ASSERT_EQ(0, transaction(tag, 0));
	}
	ASSERT_EQ(0, shim_trace_counts_get(self->trace, &n));
	EXPECT_EQ(PAIRS, n);
	ASSERT_EQ(0, shim_trace_drops_get(self->trace, &drops));
	EXPECT_EQ(6, drops.count_full);
	EXPECT_EQ(0, drops.stat_full + drops.tag_full + drops.not_open);
	EXPECT_EQ(1, count_of("pair 1029", SHIM_TRACE_TRANSACTION));
}

/* Return the number of a tag's transactions that have counts. */
static uint64_t counted_of(struct shim_trace *trace, const char *name)
{
	size_t n = 0;

	if (shim_trace_counts_get(trace, &n))
		return UINT64_MAX;
	for (size_t i = 0; i < n; i++)
		if (!strcmp(shim_trace_count_at(trace, i)->name, name))
			return shim_trace_count_at(trace, i)->transactions;
	return 0;
}

static void *ten_transactions(void *name)
{
	for (int i = 0; i < 10; i++)
		if (transaction(name, 2))
			return NULL;
	return name;
}

static int in_thread(void *name)
{
	pthread_t thread;
	void *done = NULL;

	return pthread_create(&thread, NULL, ten_transactions, name) ||
	       pthread_join(thread, &done) || !done;
}

/*
 * A thread requests counts only if it has a set that counts transactions, even if another thread
 * has bound such a set.
 */
TEST_F(counted, in_threads_that_inherit)
{
	ASSERT_EQ(0, in_thread("inherits nothing"));
	ASSERT_EQ(0, shim_set_unbind(self->set, 0));
	ASSERT_EQ(0, transaction("unbound", 1));
	ASSERT_EQ(0, shim_set_bind(self->set, 0, SHIM_BIND_TRACE | SHIM_BIND_THREADS));
	ASSERT_EQ(0, transaction("binds", 1));
	ASSERT_EQ(0, in_thread("inherits"));
	EXPECT_EQ(0, counted_of(self->trace, "inherits nothing"));
	EXPECT_EQ(0, counted_of(self->trace, "unbound"));
	EXPECT_EQ(1, counted_of(self->trace, "binds"));
	EXPECT_EQ(10, counted_of(self->trace, "inherits"));
	EXPECT_EQ(10, count_of("inherits nothing", SHIM_TRACE_TRANSACTION));
}

static void forks_and_traces(void)
{
	if (!ten_transactions("of a child"))
		_exit(1);
}

/* A forked child inherits the set only with SHIM_BIND_TREE. */
TEST_F(counted, in_processes_that_inherit)
{
	ASSERT_EQ(0, transaction("binds", 1));
	ASSERT_EQ(0, in_child(forks_and_traces));
	EXPECT_EQ(0, counted_of(self->trace, "of a child"));
	ASSERT_EQ(0, shim_set_unbind(self->set, 0));
	ASSERT_EQ(0, shim_set_bind(self->set, 0, SHIM_BIND_TRACE | SHIM_BIND_TREE));
	ASSERT_EQ(0, in_child(forks_and_traces));
	EXPECT_EQ(10, counted_of(self->trace, "of a child"));
	EXPECT_EQ(20, count_of("of a child", SHIM_TRACE_TRANSACTION));
}

static void begins_and_dies(void)
{
	if (pmtracebegin("never ends"))
		_exit(1);
}

/*
 * If programs measure the start times themselves, only transactions with counts send begin events,
 * each of which uses one row of vc_open.
 */
TEST_F(counted, begins_of_others_stay_away)
{
	const struct shim_trace_options by_user = {
		.size = sizeof(by_user), .flags = SHIM_TRACE_F_USER_BEGINS,
	};
	struct shim_trace_drops drops;

	ASSERT_EQ(0, shim_trace_off());
	ASSERT_EQ(0, shim_trace_on(&by_user));
	ASSERT_EQ(0, shim_set_unbind(self->set, 0));
	ASSERT_EQ(0, in_child(begins_and_dies));
	ASSERT_EQ(0, read_drops(&drops));
	EXPECT_EQ(0, drops.given_up);
	ASSERT_EQ(0, shim_set_bind(self->set, 0, SHIM_BIND_TRACE | SHIM_BIND_TREE));
	ASSERT_EQ(0, in_child(begins_and_dies));
	ASSERT_EQ(0, read_drops(&drops));
	EXPECT_EQ(1, drops.given_up);
}

TEST_HARNESS_MAIN
