// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * While a thread runs, sleeps and migrates, another thread samples it.  Each returned value is one
 * that the counter had during the call.
 */
#include <pthread.h>
#include <sched.h>

#include "vcpc_test.h"

#define LOOKS	2000

/* The progress that the thread reports before (@begun) and after (@done) it touches a page */
struct worker {
	pthread_t thread;
	pid_t tid;
	unsigned long begun, done;
	int set, ret;
	bool stop;
	char *pages;
};

/* Touching a page causes a page fault each time, because its memory is released in between. */
#define PAGES	64
#define REST	(16 * PAGES)

static void *work(void *arg)
{
	struct worker *w = arg;
	long size = sysconf(_SC_PAGESIZE);
	unsigned long n = 0;

	w->ret = set_bind(w->set, 0);
	w->tid = own_tid();
	while (!__atomic_load_n(&w->stop, __ATOMIC_RELAXED)) {
		__atomic_store_n(&w->begun, n + 1, __ATOMIC_SEQ_CST);
		w->pages[n % PAGES * size] = 1;
		__atomic_store_n(&w->done, ++n, __ATOMIC_SEQ_CST);
		if (n % PAGES)
			continue;
		if (madvise(w->pages, PAGES * size, MADV_DONTNEED))
			abort();
		if (n % REST == 0)
			usleep(100);
	}
	return NULL;
}

static int start(struct worker *w)
{
	long size = sysconf(_SC_PAGESIZE);

	if (prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0))
		return -1;
	w->pages = mmap(NULL, PAGES * size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
			-1, 0);
	if (w->pages == MAP_FAILED || pthread_create(&w->thread, NULL, work, w))
		return -1;
	/* Wait until the thread has visited every CPU, so that its own pages are mapped. */
	while (__atomic_load_n(&w->done, __ATOMIC_ACQUIRE) < 3 * REST)
		usleep(1000);
	return 0;
}

/* Move the thread to another CPU after every 16 samples. */
static void move(const struct worker *w, int look)
{
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	cpu_set_t to;

	CPU_ZERO(&to);
	CPU_SET(look / 16 % cpus, &to);
	if (sched_setaffinity(w->tid, sizeof(to), &to))
		abort();
}

/* Set a longer timeout than the usual 30 s, because emulation is slow. */
FIXTURE(across) {
};

FIXTURE_SETUP(across)
{
}

FIXTURE_TEARDOWN(across)
{
}

/* The value is between the progress reported before the call and the progress reported after it. */
TEST_F_TIMEOUT(across, between_what_was_done_and_begun, 1200)
{
	int set = set_of(&page_faults, 0), i;
	unsigned long done, begun, first_done, first_begun;
	struct worker w = { 0 };
	__u64 base, value, least, most, last = 0;
	struct room room;

	ASSERT_GE(set, 0);
	w.set = set;
	ASSERT_EQ(0, start(&w));
	ASSERT_EQ(0, w.ret);
	first_done = __atomic_load_n(&w.done, __ATOMIC_SEQ_CST);
	ASSERT_EQ(0, set_sample(set, w.tid, &room));
	first_begun = __atomic_load_n(&w.begun, __ATOMIC_SEQ_CST);
	base = room.sample.values[0];
	for (i = 0; i < LOOKS; i++) {
		if (i % 16 == 0)
			move(&w, i);
		done = __atomic_load_n(&w.done, __ATOMIC_SEQ_CST);
		ASSERT_EQ(0, set_sample(set, w.tid, &room));
		begun = __atomic_load_n(&w.begun, __ATOMIC_SEQ_CST);
		value = room.sample.values[0] - base;
		least = done > first_begun ? done - first_begun : 0;
		most = begun - first_done;
		ASSERT_LE(least, value);
		ASSERT_GE(most, value);
		ASSERT_LE(last, value);
		last = value;
		if (i % 4 == 0)
			usleep(200);
	}
	EXPECT_LT(LOOKS / 16, last);
	__atomic_store_n(&w.stop, true, __ATOMIC_RELAXED);
	pthread_join(w.thread, NULL);
	close(set);
}

TEST_HARNESS_MAIN
