// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Without a listener, calls with literals return the same results as the functions without calling
 * the library, even if other calls and settings intervene.
 */
#include <dlfcn.h>

#include "trace_test.h"

#define TIMES	5	/* the library is not called after the second or third call */

/* Number of calls into the library for literals; the fast path makes none. */
static atomic_uint meetings;

void shim_trace_meet(const char *tag, struct shim_trace_site *site)
{
	static void (*library)(const char *tag, struct shim_trace_site *site);

	if (!library)
		library = (void (*)(const char *, struct shim_trace_site *))dlsym(RTLD_NEXT, "shim_trace_meet");
	meetings++;
	library(tag, site);
}

FIXTURE(literal) {
	int unused;
};

FIXTURE_SETUP(literal)
{
	ASSERT_EQ(0, pmtracestate(PMTRACE_STATE_NOAGENT));
}

FIXTURE_TEARDOWN(literal)
{
}

TEST_F(literal, order)
{
	for (int i = 0; i < TIMES; i++) {
		EXPECT_EQ(i ? PMTRACE_ERR_NOPROGRESS : PMTRACE_ERR_NOSUCHTAG, pmtraceend("t"));
		EXPECT_EQ(0, pmtracebegin("t"));
		EXPECT_EQ(PMTRACE_ERR_INPROGRESS, pmtracebegin("t"));
		EXPECT_EQ(0, pmtraceend("t"));
		EXPECT_EQ(PMTRACE_ERR_NOPROGRESS, pmtraceend("t"));
		EXPECT_EQ(PMTRACE_ERR_NOPROGRESS, pmtraceabort("t"));
		EXPECT_EQ(0, pmtracebegin("t"));
		EXPECT_EQ(0, pmtraceabort("t"));
	}
}

TEST_F(literal, arguments)
{
	for (int i = 0; i < TIMES; i++) {
		EXPECT_EQ(PMTRACE_ERR_TAGNAME, pmtracebegin(""));
		EXPECT_EQ(PMTRACE_ERR_TAGNAME, pmtraceend(""));
		EXPECT_EQ(PMTRACE_ERR_TAGNAME, pmtracepoint(""));
		EXPECT_EQ(PMTRACE_ERR_TAGNAME, pmtraceobs("", 1));
		EXPECT_EQ(PMTRACE_ERR_TAGNAME, pmtracecounter(NULL, 1));
		EXPECT_EQ(0, pmtracepoint("p"));
		EXPECT_EQ(0, pmtraceobs("o", 1));
		EXPECT_EQ(0, pmtracecounter("c", 1));
	}
}

/* A literal and a computed name can be the same tag. */
TEST_F(literal, with_the_functions)
{
	char name[8] = "mixed";

	for (int i = 0; i < TIMES; i++) {
		EXPECT_EQ(0, pmtracebegin("mixed"));
		EXPECT_EQ(PMTRACE_ERR_INPROGRESS, pmtracebegin(name));
		EXPECT_EQ(0, pmtraceend(name));
		EXPECT_EQ(PMTRACE_ERR_NOPROGRESS, pmtraceend("mixed"));
		EXPECT_EQ(0, (pmtracebegin)(name));
		EXPECT_EQ(0, pmtraceend("mixed"));
	}
}

/* Use enough literals for collisions, with overlapping transactions. */
#define TEN(do, s)	do(s "0") do(s "1") do(s "2") do(s "3") do(s "4") \
			do(s "5") do(s "6") do(s "7") do(s "8") do(s "9")
#define THIRTY(do)	TEN(do, "0") TEN(do, "1") TEN(do, "2")
#define BEGIN(s)	bad += pmtracebegin(s) != 0;
#define AGAIN(s)	bad += pmtracebegin(s) != PMTRACE_ERR_INPROGRESS;
#define END(s)		bad += pmtraceend(s) != 0;
#define AFTER(s)	bad += pmtraceend(s) != PMTRACE_ERR_NOPROGRESS;

TEST_F(literal, thirty)
{
	int bad = 0;

	for (int i = 0; i < TIMES; i++) {
		THIRTY(BEGIN)
		THIRTY(AGAIN)
		THIRTY(END)
		THIRTY(AFTER)
	}
	EXPECT_EQ(0, bad);
}

static int begin_it(void)
{
	return pmtracebegin("forked");
}

static int end_it(void)
{
	return pmtraceend("forked");
}

static int child(void *unused)
{
	(void)unused;
	if (pmtraceend("other") != PMTRACE_ERR_NOSUCHTAG || end_it() != PMTRACE_ERR_NOSUCHTAG)
		return 1;
	for (int i = 0; i < TIMES; i++)
		if (begin_it() || begin_it() != PMTRACE_ERR_INPROGRESS || end_it() ||
		    end_it() != PMTRACE_ERR_NOPROGRESS)
			return 2;
	return pmtracepoint("p") ? 3 : 0;
}

static int child_of_child(void *unused)
{
	int ret = child(unused);

	return ret || begin_it() ? 4 : in_child(child, NULL);
}

/* A child has no open transactions of its parent, although it has the cached addresses. */
TEST_F(literal, fork)
{
	for (int i = 0; i < TIMES; i++) {
		EXPECT_EQ(0, begin_it());
		EXPECT_EQ(0, in_child(child, NULL));
		EXPECT_EQ(0, in_child(child_of_child, NULL));
		EXPECT_EQ(PMTRACE_ERR_INPROGRESS, begin_it());
		EXPECT_EQ(0, end_it());
	}
}

#define ROUNDS		1000
#define MOST_MEETINGS	8	/* two for each of begin, end and point */

/* Return 0 if nearly all of many calls do not call the library. */
static int is_slow(void *unused)
{
	int bad = 0;

	(void)unused;
	meetings = 0;
	for (int i = 0; i < ROUNDS; i++)
		bad |= pmtracebegin("quick") | pmtraceend("quick") | pmtracepoint("quick");
	return bad ? 1 : !meetings ? 2 : meetings > MOST_MEETINGS ? 3 : 0;
}

static int is_slow_in_grandchild(void *unused)
{
	int ret = is_slow(unused);

	return ret ? ret + 10 : in_child(is_slow, NULL);
}

static void *forks(void *ret)
{
	*(int *)ret = in_child(is_slow_in_grandchild, NULL);
	return NULL;
}

/* The fast path is also used in a child forked by any thread, and in that child's children. */
TEST_F(literal, quick)
{
	pthread_t thread;
	int ret = -1;

	EXPECT_EQ(0, is_slow(NULL));
	EXPECT_EQ(0, in_child(is_slow_in_grandchild, NULL));
	ASSERT_EQ(0, pthread_create(&thread, NULL, forks, &ret));
	EXPECT_EQ(0, pthread_join(thread, NULL));
	EXPECT_EQ(0, ret);
	/* The result is 2, because everything is cached and the library is not called. */
	EXPECT_EQ(2, is_slow(NULL));
}

/* Changed flags take effect with the next call. */
static int says_calls(void *arg)
{
	const int *pipefd = arg;

	dup2(pipefd[1], STDERR_FILENO);
	for (int i = 0; i < 3 * TIMES; i++) {
		pmtracestate(PMTRACE_STATE_NOAGENT | (i / TIMES == 1 ? PMTRACE_STATE_API : 0));
		if (pmtracebegin("said") || pmtraceend("said") || pmtracepoint("said"))
			return 1;
	}
	return 0;
}

TEST_F(literal, flags_between)
{
	int pipefd[2], lines = 0;
	char byte;

	ASSERT_EQ(0, pipe(pipefd));
	EXPECT_EQ(0, in_child(says_calls, pipefd));
	close(pipefd[1]);
	while (read(pipefd[0], &byte, 1) == 1)
		lines += byte == '\n';
	EXPECT_EQ(3 * TIMES, lines);
}

/* A transaction can begin while events are not sent and end while they are, and vice versa. */
TEST_F(literal, turned_on_between)
{
	setenv("SHIM_TRACE", "probe", 1);
	for (int i = 0; i < TIMES; i++) {
		EXPECT_EQ(0, pmtracebegin("between"));
		pmtracestate(PMTRACE_STATE_NONE);
		EXPECT_EQ(PMTRACE_ERR_INPROGRESS, pmtracebegin("between"));
		EXPECT_EQ(0, pmtraceend("between"));
		EXPECT_EQ(0, pmtracebegin("between"));
		pmtracestate(PMTRACE_STATE_NOAGENT);
		EXPECT_EQ(PMTRACE_ERR_INPROGRESS, pmtracebegin("between"));
		EXPECT_EQ(0, pmtraceend("between"));
		EXPECT_EQ(PMTRACE_ERR_NOPROGRESS, pmtraceend("between"));
	}
}

#ifndef PCP_TRACE_INLINE_H
#error "these calls are not inlined"
#endif

TEST_HARNESS_MAIN
