// SPDX-License-Identifier: GPL-2.0-or-later
/* Begin, end and abort calls of a transaction must be in order, with and without the module. */
#include "trace_test.h"

#define NEEDS_WHAT_IT_USES() do {		\
	if (!variant->flags)			\
		NEEDS_MODULE();			\
} while (0)

FIXTURE(progress) {
	int unused;
};

FIXTURE_VARIANT(progress) {
	int flags;
};

FIXTURE_VARIANT_ADD(progress, silent) { .flags = PMTRACE_STATE_NOAGENT };
FIXTURE_VARIANT_ADD(progress, module) { .flags = PMTRACE_STATE_NONE };

FIXTURE_SETUP(progress)
{
	ASSERT_EQ(0, pmtracestate(variant->flags));
}

FIXTURE_TEARDOWN(progress)
{
}

TEST_F(progress, begin_twice)
{
	NEEDS_WHAT_IT_USES();
	EXPECT_EQ(0, pmtracebegin("t"));
	EXPECT_EQ(PMTRACE_ERR_INPROGRESS, pmtracebegin("t"));
	EXPECT_EQ(0, pmtraceend("t"));
}

TEST_F(progress, end_twice)
{
	NEEDS_WHAT_IT_USES();
	EXPECT_EQ(0, pmtracebegin("t"));
	EXPECT_EQ(0, pmtraceend("t"));
	EXPECT_EQ(PMTRACE_ERR_NOPROGRESS, pmtraceend("t"));
	EXPECT_EQ(0, pmtracebegin("t"));
	EXPECT_EQ(0, pmtraceend("t"));
}

TEST_F(progress, abort_twice)
{
	NEEDS_WHAT_IT_USES();
	EXPECT_EQ(0, pmtracebegin("t"));
	EXPECT_EQ(0, pmtraceabort("t"));
	EXPECT_EQ(PMTRACE_ERR_NOPROGRESS, pmtraceabort("t"));
	EXPECT_EQ(PMTRACE_ERR_NOPROGRESS, pmtraceend("t"));
	EXPECT_EQ(0, pmtracebegin("t"));
}

TEST_F(progress, tags_are_independent)
{
	NEEDS_WHAT_IT_USES();
	EXPECT_EQ(0, pmtracebegin("a"));
	EXPECT_EQ(0, pmtracebegin("b"));
	EXPECT_EQ(0, pmtraceend("a"));
	EXPECT_EQ(PMTRACE_ERR_NOPROGRESS, pmtraceend("a"));
	EXPECT_EQ(0, pmtraceend("b"));
}

TEST_F(progress, many_tags)
{
	char tag[32];

	NEEDS_WHAT_IT_USES();
	for (int i = 0; i < 2000; i++) {
		snprintf(tag, sizeof(tag), "many %d", i);
		ASSERT_EQ(0, pmtracebegin(tag));
	}
	for (int i = 0; i < 2000; i++) {
		snprintf(tag, sizeof(tag), "many %d", i);
		ASSERT_EQ(PMTRACE_ERR_INPROGRESS, pmtracebegin(tag));
		ASSERT_EQ(0, pmtraceend(tag));
		ASSERT_EQ(PMTRACE_ERR_NOPROGRESS, pmtraceend(tag));
	}
}

static void *end_it(void *arg)
{
	return (void *)(intptr_t)pmtraceend(arg);
}

TEST_F(progress, another_thread_may_end)
{
	pthread_t thread;
	void *result;

	NEEDS_WHAT_IT_USES();
	EXPECT_EQ(0, pmtracebegin("t"));
	ASSERT_EQ(0, pthread_create(&thread, NULL, end_it, "t"));
	ASSERT_EQ(0, pthread_join(thread, &result));
	EXPECT_EQ(0, (intptr_t)result);
	EXPECT_EQ(PMTRACE_ERR_NOPROGRESS, pmtraceend("t"));
}

static int end_and_begin(void *arg)
{
	if (pmtraceend(arg) != PMTRACE_ERR_NOSUCHTAG)
		return 1;
	if (pmtracebegin(arg) || pmtracebegin(arg) != PMTRACE_ERR_INPROGRESS)
		return 2;
	return pmtraceend(arg) ? 3 : 0;
}

TEST_F(progress, child_starts_empty)
{
	NEEDS_WHAT_IT_USES();
	EXPECT_EQ(0, pmtracebegin("t"));
	EXPECT_EQ(0, in_child(end_and_begin, "t"));
	EXPECT_EQ(PMTRACE_ERR_INPROGRESS, pmtracebegin("t"));
	EXPECT_EQ(0, pmtraceend("t"));
}

TEST_HARNESS_MAIN
