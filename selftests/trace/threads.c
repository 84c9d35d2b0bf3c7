// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * If several threads make their first calls at the same time, one connection is opened, and no
 * events are lost.
 */
#include "trace_test.h"

#define THREADS	4
#define RUNS	100

static pthread_barrier_t start;

static void *first_calls(void *arg)
{
	const char *tag = arg;
	intptr_t bad = 0;

	pthread_barrier_wait(&start);
	for (int i = 0; i < 20; i++)
		bad |= pmtracebegin(tag) | pmtraceend(tag) | pmtracepoint("shared");
	return (void *)bad;
}

static int race(void *unused)
{
	static char tags[THREADS][20];
	pthread_t threads[THREADS];
	intptr_t bad = 0;
	void *result;

	(void)unused;
	alarm(300);
	pthread_barrier_init(&start, NULL, THREADS);
	for (int i = 0; i < THREADS; i++) {
		snprintf(tags[i], sizeof(tags[i]), "race %d", i);
		if (pthread_create(&threads[i], NULL, first_calls, tags[i]))
			return 100;
	}
	for (int i = 0; i < THREADS; i++) {
		pthread_join(threads[i], &result);
		bad |= (intptr_t)result;
	}
	return bad ? 101 : open_devices(NULL);
}

TEST(first_calls_together)
{
	NEEDS_MODULE();
	for (int i = 0; i < RUNS; i++)
		ASSERT_EQ(1, in_child(race, NULL));
}

static void *pairs(void *arg)
{
	intptr_t bad = 0;

	pthread_barrier_wait(&start);
	for (int i = 0; i < 10000; i++) {
		bad |= pmtracebegin("one tag");
		if (i % 100 == 0)
			bad |= pmtracebegin("one tag") != PMTRACE_ERR_INPROGRESS;
		bad |= i % 2 ? pmtraceend("one tag") : pmtraceabort("one tag");
	}
	(void)arg;
	return (void *)bad;
}

/* Each thread has its own transaction of a tag; a second begin call in the thread is rejected. */
TEST(each_thread_has_its_own)
{
	pthread_t threads[THREADS];
	void *bad;

	pmtracestate(PMTRACE_STATE_NOAGENT);
	pthread_barrier_init(&start, NULL, THREADS);
	for (int i = 0; i < THREADS; i++)
		ASSERT_EQ(0, pthread_create(&threads[i], NULL, pairs, NULL));
	for (int i = 0; i < THREADS; i++) {
		ASSERT_EQ(0, pthread_join(threads[i], &bad));
		EXPECT_EQ(NULL, bad);
	}
	EXPECT_EQ(PMTRACE_ERR_NOPROGRESS, pmtraceend("one tag"));
}

static void *begin_it(void *tag)
{
	return (void *)(intptr_t)pmtracebegin(tag);
}

static void *end_it(void *tag)
{
	return (void *)(intptr_t)pmtraceend(tag);
}

static intptr_t in_thread(void *(*fn)(void *), const char *tag)
{
	pthread_t thread;
	void *ret = (void *)1;

	if (pthread_create(&thread, NULL, fn, (void *)tag) || pthread_join(thread, &ret))
		return 1;
	return (intptr_t)ret;
}

/*
 * An end call in a thread without a transaction ends another thread's transaction, even if that
 * thread has exited.
 */
TEST(an_end_without_a_begin_ends_anothers)
{
	pmtracestate(PMTRACE_STATE_NOAGENT);
	ASSERT_EQ(0, pmtracebegin("mine"));
	EXPECT_EQ(0, in_thread(begin_it, "mine"));
	EXPECT_EQ(0, in_thread(begin_it, "mine"));
	EXPECT_EQ(PMTRACE_ERR_INPROGRESS, pmtracebegin("mine"));
	EXPECT_EQ(0, pmtraceend("mine"));
	EXPECT_EQ(0, pmtraceend("mine"));
	EXPECT_EQ(0, in_thread(end_it, "mine"));
	EXPECT_EQ(PMTRACE_ERR_NOPROGRESS, pmtraceend("mine"));
	EXPECT_EQ(PMTRACE_ERR_NOPROGRESS, in_thread(end_it, "mine"));
	EXPECT_EQ(PMTRACE_ERR_NOSUCHTAG, in_thread(end_it, "never"));
	/* A new thread does not inherit transactions that an earlier thread left open. */
	for (int i = 0; i < 100; i++)
		ASSERT_EQ(0, in_thread(begin_it, "mine"));
	for (int i = 0; i < 100; i++)
		ASSERT_EQ(0, pmtraceend("mine"));
	EXPECT_EQ(PMTRACE_ERR_NOPROGRESS, pmtraceend("mine"));
}

#define MANY_TAGS	3000

static void *many_tags(void *arg)
{
	intptr_t bad = 0;
	char tag[32];

	for (int i = 0; i < MANY_TAGS; i++) {
		snprintf(tag, sizeof(tag), "tag %d", i);
		bad |= pmtracebegin(tag);
	}
	for (int i = 0; !arg && i < MANY_TAGS; i++) {
		snprintf(tag, sizeof(tag), "tag %d", i);
		bad |= pmtraceend(tag);
	}
	return (void *)bad;
}

/* Use tags that different threads used first.  All of them are found again, even in a child. */
static int tags_of_both(void *unused)
{
	char tag[32];
	int bad = 0;

	(void)unused;
	for (int i = 0; i < MANY_TAGS; i++) {
		snprintf(tag, sizeof(tag), "of both %d", i);
		bad |= i % 2 ? pmtracebegin(tag) : (int)in_thread(begin_it, tag) | pmtraceend(tag);
		bad |= pmtracebegin(tag) != (i % 2 ? PMTRACE_ERR_INPROGRESS : 0);
		bad |= pmtraceend(tag) | (pmtraceend(tag) != PMTRACE_ERR_NOPROGRESS);
	}
	return bad;
}

TEST(tags_that_another_thread_was_the_first_to_use)
{
	pmtracestate(PMTRACE_STATE_NOAGENT);
	EXPECT_EQ(0, tags_of_both(NULL));
	EXPECT_EQ(0, in_child(tags_of_both, NULL));
	EXPECT_EQ(0, tags_of_both(NULL));
}

TEST(many_tags_in_each_thread)
{
	pmtracestate(PMTRACE_STATE_NOAGENT);
	EXPECT_EQ(NULL, many_tags("leave them"));
	for (int i = 0; i < THREADS; i++)
		EXPECT_EQ(0, in_thread(many_tags, NULL));
	/* The calling thread's own open transactions are ended before those of the other thread. */
	EXPECT_EQ(0, in_thread(many_tags, "leave them"));
	for (int i = 0; i < MANY_TAGS; i++) {
		char tag[32];

		snprintf(tag, sizeof(tag), "tag %d", i);
		EXPECT_EQ(0, pmtraceend(tag));
		EXPECT_EQ(0, pmtraceend(tag));
		EXPECT_EQ(PMTRACE_ERR_NOPROGRESS, pmtraceend(tag));
	}
}

/* Threads that never end their transactions use a bounded amount of memory. */
TEST(threads_that_never_end_it)
{
	pmtracestate(PMTRACE_STATE_NOAGENT);
	for (int i = 0; i < 5000; i++)
		ASSERT_EQ(0, in_thread(begin_it, "left"));
	EXPECT_EQ(0, pmtracebegin("left"));
	EXPECT_EQ(0, pmtraceend("left"));
	EXPECT_EQ(0, pmtraceend("left"));
}

static int child_of_a_thread(void *unused)
{
	(void)unused;
	if (pmtraceend("one tag") != PMTRACE_ERR_NOSUCHTAG || pmtracebegin("one tag") ||
	    pmtracebegin("one tag") != PMTRACE_ERR_INPROGRESS || pmtraceend("one tag"))
		return 1;
#ifdef __SANITIZE_THREAD__
	/* ThreadSanitizer cannot start threads in a child of a thread. */
	return 0;
#else
	return in_thread(begin_it, "one tag") || pmtraceend("one tag") ? 2 : 0;
#endif
}

static void *forks(void *tag)
{
	return (void *)(intptr_t)(pmtracebegin(tag) || in_child(child_of_a_thread, NULL) ||
				  pmtracebegin(tag) != PMTRACE_ERR_INPROGRESS || pmtraceend(tag));
}

/* A child forked by any thread has no open transactions. */
TEST(forked_by_a_thread)
{
	pmtracestate(PMTRACE_STATE_NOAGENT);
	ASSERT_EQ(0, pmtracebegin("one tag"));
	EXPECT_EQ(0, in_thread(forks, "one tag"));
	EXPECT_EQ(0, pmtraceend("one tag"));
}

/*
 * If a process forks while threads are inside calls, the child can make calls, regardless of the
 * locks that the threads hold.
 */
static void *forever(void *stop)
{
	char tag[32];

	for (int i = 0; !__atomic_load_n((int *)stop, __ATOMIC_RELAXED); i++) {
		snprintf(tag, sizeof(tag), "forever %d", i % 3000);
		pmtracebegin(tag);
		pmtraceend(tag);
	}
	return NULL;
}

static int child_works(void *unused)
{
	(void)unused;
	alarm(300);
	return pmtracebegin("forever 1") || pmtraceend("forever 1") ? 1 : 0;
}

TEST(fork_among_threads)
{
	pthread_t threads[2];
	int stop = 0;

	pmtracestate(PMTRACE_STATE_NOAGENT);
	for (int i = 0; i < 2; i++)
		ASSERT_EQ(0, pthread_create(&threads[i], NULL, forever, &stop));
	for (int i = 0; i < RUNS; i++)
		EXPECT_EQ(0, in_child(child_works, NULL));
	__atomic_store_n(&stop, 1, __ATOMIC_RELAXED);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
}

TEST_HARNESS_MAIN
