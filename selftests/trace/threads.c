// SPDX-License-Identifier: GPL-2.0-or-later
/* First calls of several threads at once make one connection; many threads lose nothing. */
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
	static char tags[THREADS][8];
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

static void *fight(void *arg)
{
	intptr_t *won = arg;

	pthread_barrier_wait(&start);
	for (int i = 0; i < 10000; i++) {
		*won += pmtracebegin("one tag") == 0;
		*won -= pmtraceend("one tag") == 0;
	}
	return NULL;
}

TEST(a_tag_has_one_begin_at_a_time)
{
	pthread_t threads[THREADS];
	intptr_t won[THREADS] = { 0 }, open = 0;

	pmtracestate(PMTRACE_STATE_NOAGENT);
	pthread_barrier_init(&start, NULL, THREADS);
	for (int i = 0; i < THREADS; i++)
		ASSERT_EQ(0, pthread_create(&threads[i], NULL, fight, &won[i]));
	for (int i = 0; i < THREADS; i++) {
		ASSERT_EQ(0, pthread_join(threads[i], NULL));
		open += won[i];
	}
	/* As many ends succeeded as begins, or one fewer. */
	EXPECT_EQ(open ? 0 : PMTRACE_ERR_NOPROGRESS, pmtraceend("one tag"));
	EXPECT_TRUE(open == 0 || open == 1);
}

/* Forking with threads in the middle of it: the child works, whatever they hold. */
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
