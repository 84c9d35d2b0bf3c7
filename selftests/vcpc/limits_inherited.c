// SPDX-License-Identifier: GPL-2.0-or-later
/* If no instance can be created for a thread, totals report this, and nothing else is affected. */
#include <pthread.h>

#include "inherited.h"
#include "vcpc_test.h"

#define FOLDER	"/sys/module/vcpc/parameters/"

static unsigned int parameter(const char *name, unsigned int value)
{
	char path[128];
	unsigned int old;
	FILE *f;

	snprintf(path, sizeof(path), FOLDER "%s", name);
	f = fopen(path, "r+");
	if (!f || fscanf(f, "%u", &old) != 1)
		abort();
	rewind(f);
	if (fprintf(f, "%u\n", value) < 0 || fclose(f))
		abort();
	return old;
}

/* Call @fn as another user without counters. */
static int as_nobody(int (*fn)(void *arg), void *arg)
{
	pid_t pid = fork();
	int status;

	if (!pid)
		_exit(become_nobody() ? 200 : fn(arg));
	if (pid < 0 || waitpid(pid, &status, 0) != pid || !WIFEXITED(status))
		return 255;
	return WEXITSTATUS(status);
}

FIXTURE(limit)
{
	unsigned int counters;
};

FIXTURE_SETUP(limit)
{
	/* A set of one request uses two counters. */
	self->counters = parameter("max_user_counters", 8);
}

FIXTURE_TEARDOWN(limit)
{
	parameter("max_user_counters", self->counters);
}

static void *waits(void *arg)
{
	pthread_barrier_wait(arg);
	pthread_barrier_wait(arg);
	return NULL;
}

/* Start @nr threads, and wait until all of them are running. */
static void crowd(pthread_barrier_t *barrier, pthread_t *threads, unsigned int nr)
{
	unsigned int i;

	pthread_barrier_init(barrier, NULL, nr + 1);
	for (i = 0; i < nr; i++)
		if (pthread_create(&threads[i], NULL, waits, barrier))
			abort();
	pthread_barrier_wait(barrier);
}

static void disperse(pthread_barrier_t *barrier, pthread_t *threads, unsigned int nr)
{
	pthread_barrier_wait(barrier);
	while (nr)
		pthread_join(threads[--nr], NULL);
}

static int too_many_at_a_time(void *arg)
{
	int set = set_of(&page_faults, 0);
	struct vcpc_instances_args args;
	pthread_barrier_t barrier;
	pthread_t threads[4];
	struct room room;

	(void)arg;
	if (set < 0 || set_bind(set, VCPC_BIND_F_INHERIT))
		return 1;
	/* In addition to the caller's, there can be three instances. */
	crowd(&barrier, threads, 3);
	if (set_total(set, &room) || set_count(set).nr != 4)
		return 2;
	disperse(&barrier, threads, 3);
	crowd(&barrier, threads, 4);
	if (set_total(set, &room) != -EAGAIN)
		return 3;
	args = set_count(set);
	if (args.lost != 1)
		return 4;
	/* Threads that have an instance keep it. */
	if (set_sample(set, 0, &room))
		return 5;
	disperse(&barrier, threads, 4);
	if (set_total(set, &room) != -EAGAIN)
		return 6;
	if (set_unbind_all(set) || set_bind(set, VCPC_BIND_F_INHERIT))
		return 7;
	crowd(&barrier, threads, 3);
	if (set_total(set, &room))
		return 8;
	disperse(&barrier, threads, 3);
	return 0;
}

TEST_F(limit, too_many_at_a_time)
{
	EXPECT_EQ(0, as_nobody(too_many_at_a_time, NULL));
}

/* When instances end, their counters are freed, and the total still includes their counts. */
static int one_after_the_other(void *arg)
{
	int set = set_of(&page_faults, 0), pages = 100, i;
	pthread_t thread;
	__u64 total;

	(void)arg;
	if (set < 0 || set_bind(set, VCPC_BIND_F_INHERIT))
		return 1;
	for (i = 0; i < 50; i++)
		if (pthread_create(&thread, NULL, touches, &pages) || pthread_join(thread, NULL))
			return 2;
	total = first_total(set);
	if (total == ~0ULL || total < 5000)
		return 3;
	return set_count(set).nr <= 8 && set_count(set).folded >= 40 ? 0 : 4;
}

TEST_F(limit, one_after_the_other)
{
	EXPECT_EQ(0, as_nobody(one_after_the_other, NULL));
}

/* Approximate number of ended instances that the module keeps listed */
#define KEPT	256

static void *touches_and_tells(void *arg)
{
	touch(100);
	*(pid_t *)arg = own_tid();
	return NULL;
}

/*
 * If more instances end than the module keeps, it keeps the latest ones, and merges no more than
 * necessary into the total.
 */
static int newest_kept(void *arg)
{
	int set = set_of(&page_faults, 0), i;
	pid_t tids[4 * KEPT];
	pthread_t thread;
	__u64 value;

	(void)arg;
	if (set < 0 || set_bind(set, VCPC_BIND_F_INHERIT))
		return 1;
	for (i = 0; i < 4 * KEPT; i++) {
		if (pthread_create(&thread, NULL, touches_and_tells, &tids[i]) ||
		    pthread_join(thread, NULL))
			return 2;
		/*
		 * One instance belongs to the caller.  When older instances are merged, at least
		 * KEPT ended ones remain.
		 */
		if (i >= KEPT && set_count(set).nr <= KEPT)
			return 3;
	}
	if (!set_count(set).folded)
		return 6;
	for (i = 3 * KEPT; i < 4 * KEPT; i++) {
		value = first_value(set, tids[i]);
		if (value == ~0ULL || value < 100)
			return 4;
	}
	return first_value(set, tids[0]) == ~0ULL ? 0 : 5;
}

TEST_F(limit, newest_kept)
{
	parameter("max_user_counters", 4096);
	EXPECT_EQ(0, as_nobody(newest_kept, NULL));
}

/* All resources are returned, so this can be repeated without limit. */
static int again_and_again(void *arg)
{
	int set, pages = 1, i, j;
	pthread_t thread;

	(void)arg;
	for (i = 0; i < 50; i++) {
		set = set_of(&page_faults, 0);
		if (set < 0 || set_bind(set, VCPC_BIND_F_INHERIT))
			return 1;
		for (j = 0; j < 5; j++)
			if (pthread_create(&thread, NULL, touches, &pages) ||
			    pthread_join(thread, NULL))
				return 2;
		if (first_total(set) == ~0ULL)
			return 3;
		if (i % 2 && set_unbind_all(set))
			return 4;
		close(set);
	}
	return 0;
}

TEST_F(limit, again_and_again)
{
	EXPECT_EQ(0, as_nobody(again_and_again, NULL));
}

TEST_HARNESS_MAIN
