// SPDX-License-Identifier: GPL-2.0-or-later
/* What a thread's counters count in its transactions. */
#include <sys/prctl.h>

#include <shim/shim.h>

#include "faults.h"

#define PAIRS	1024	/* of tag and events that have room */

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

/* A set that is bound anew inside a transaction counts from 0 again: that is no difference. */
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

/* What has no room is a transaction all the same, and its counts are counted as lost. */
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

TEST_HARNESS_MAIN
