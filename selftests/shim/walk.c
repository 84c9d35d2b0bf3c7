// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * shim_set_walk() returns a sample of each thread, so that a program can monitor another process.
 */
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <shim/shim.h>

#include "kselftest_harness.h"
#include "needs_module.h"

#define THREADS		4
#define PAGES		100

FIXTURE(walk) {
	struct shim_set *set;
};

FIXTURE_SETUP(walk)
{
	const char *events[] = { "page-faults:u", "task-clock:u" };
	struct shim_handle *handle;

	ASSERT_EQ(0, prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0));
	ASSERT_EQ(0, shim_open(&handle));
	ASSERT_EQ(0, shim_set_create(handle, events, 2, NULL, &self->set));
	shim_close(handle);
}

FIXTURE_TEARDOWN(walk)
{
	shim_set_destroy(self->set);
}

static void touch(unsigned int pages)
{
	const long size = sysconf(_SC_PAGESIZE);
	char *p = mmap(NULL, pages * size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	for (unsigned int i = 0; i < pages; i++)
		*(volatile char *)(p + i * size) = 1;
	munmap(p, pages * size);
}

struct found {
	unsigned int nr;
	pid_t tids[THREADS + 1];
	struct shim_sample last[THREADS + 1];
};

static int note(void *arg, pid_t tid, const struct shim_sample *sample)
{
	struct found *found = arg;

	if (found->nr > THREADS)
		return -E2BIG;
	found->tids[found->nr] = tid;
	found->last[found->nr++] = *sample;
	return 0;
}

static const struct shim_sample *last_of(const struct found *found, pid_t tid)
{
	for (unsigned int i = 0; i < found->nr; i++)
		if (found->tids[i] == tid)
			return &found->last[i];
	return NULL;
}

TEST_F(walk, samples_each_thread)
{
	struct shim_sample before, after;
	struct found found = { 0 };

	ASSERT_EQ(0, shim_set_walk(self->set, note, &found));
	EXPECT_EQ(0, found.nr);
	ASSERT_EQ(0, shim_set_bind(self->set, 0, 0));
	ASSERT_EQ(0, shim_set_sample(self->set, 0, &before));
	touch(PAGES);
	ASSERT_EQ(0, shim_set_walk(self->set, note, &found));
	ASSERT_EQ(0, shim_set_sample(self->set, 0, &after));
	ASSERT_EQ(1, found.nr);
	EXPECT_EQ(getpid(), found.tids[0]);
	EXPECT_EQ(2, found.last[0].nr);
	EXPECT_EQ(found.last[0].tick, found.last[0].running);
	EXPECT_LT(before.time, found.last[0].time);
	EXPECT_GT(after.time, found.last[0].time);
	EXPECT_LE(before.values[0] + PAGES, found.last[0].values[0]);
	EXPECT_GE(after.values[0], found.last[0].values[0]);
}

static int stop(void *arg, pid_t tid, const struct shim_sample *sample)
{
	(void)tid;
	(void)sample;
	++*(int *)arg;
	return 77;
}

/* Threads of this process, which wait during a walk */
struct crowd {
	sem_t ready;
	sem_t go;
	pid_t tids[THREADS];
	unsigned int nr;
};

static void *one_of_the_crowd(void *arg)
{
	struct crowd *crowd = arg;
	unsigned int i = __atomic_fetch_add(&crowd->nr, 1, __ATOMIC_RELAXED);

	crowd->tids[i] = syscall(SYS_gettid);
	touch(PAGES * (i + 1));
	sem_post(&crowd->ready);
	while (sem_wait(&crowd->go))
		;
	return NULL;
}

TEST_F(walk, threads_are_those_of_the_total)
{
	struct found found = { 0 };
	struct crowd crowd = { 0 };
	pthread_t threads[THREADS];
	struct shim_sample total, before;
	uint64_t others = 0;
	int calls = 0;

	NEEDS_MODULE("values of single threads");
	sem_init(&crowd.ready, 0, 0);
	sem_init(&crowd.go, 0, 0);
	ASSERT_EQ(0, shim_set_walk(self->set, note, &found));
	ASSERT_EQ(0, shim_set_bind(self->set, 0, SHIM_BIND_THREADS));
	for (int i = 0; i < THREADS; i++)
		ASSERT_EQ(0, pthread_create(&threads[i], NULL, one_of_the_crowd, &crowd));
	for (int i = 0; i < THREADS; i++)
		while (sem_wait(&crowd.ready))
			;
	ASSERT_EQ(0, shim_set_sample(self->set, 0, &before));
	ASSERT_EQ(0, shim_set_total(self->set, 0, &total));
	found.nr = 0;
	ASSERT_EQ(0, shim_set_walk(self->set, note, &found));
	ASSERT_EQ(THREADS + 1, found.nr);
	/* The caller continues to count during the walk. */
	for (int event = 0; event < 2; event++) {
		uint64_t sum = 0;

		for (int i = 0; i <= THREADS; i++)
			sum += found.last[i].values[event];
		EXPECT_LE(total.values[event], sum);
	}
	for (int i = 0; i < THREADS; i++) {
		const struct shim_sample *last = last_of(&found, crowd.tids[i]);

		ASSERT_NE(NULL, last);
		EXPECT_LE(PAGES * (i + 1), last->values[0]);
		others += last->values[0];
	}
	/*
	 * During the walk the other threads caused no page faults, and the caller caused some with
	 * each step.
	 */
	EXPECT_LE(others + before.values[0], total.values[0]);
	ASSERT_NE(NULL, last_of(&found, getpid()));
	EXPECT_GE(others + last_of(&found, getpid())->values[0], total.values[0]);
	EXPECT_EQ(77, shim_set_walk(self->set, stop, &calls));
	EXPECT_EQ(1, calls);
	for (int i = 0; i < THREADS; i++)
		sem_post(&crowd.go);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
}

/* A parent can watch the samples that its child takes. */
TEST_F(walk, another_process_watches)
{
	struct found found = { 0 };
	int from_child[2], go[2], status;
	struct shim_sample sample;
	pid_t child;
	char c;

	NEEDS_MODULE("values of single threads");
	ASSERT_EQ(0, shim_set_walk(self->set, note, &found));
	ASSERT_EQ(0, pipe(from_child));
	ASSERT_EQ(0, pipe(go));
	child = fork();
	if (!child) {
		if (shim_set_bind(self->set, 0, 0))
			_exit(1);
		touch(PAGES);
		if (shim_set_sample(self->set, 0, &sample))
			_exit(2);
		_exit(write(from_child[1], &sample, sizeof(sample)) != sizeof(sample) ||
		      read(go[0], &c, 1) != 1);
	}
	close(from_child[1]);
	ASSERT_EQ(sizeof(sample), read(from_child[0], &sample, sizeof(sample)));
	ASSERT_EQ(0, shim_set_total(self->set, 0, &sample));
	ASSERT_EQ(0, shim_set_walk(self->set, note, &found));
	EXPECT_EQ(1, write(go[1], "", 1));
	EXPECT_EQ(child, waitpid(child, &status, 0));
	EXPECT_EQ(0, status);
	ASSERT_EQ(1, found.nr);
	EXPECT_EQ(child, found.tids[0]);
	EXPECT_EQ(sample.values[0], found.last[0].values[0]);
	EXPECT_LE(PAGES, found.last[0].values[0]);
}

TEST_HARNESS_MAIN
