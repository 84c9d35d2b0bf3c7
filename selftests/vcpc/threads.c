// SPDX-License-Identifier: GPL-2.0-or-later
/* Threads of a process share a set, and each thread has its own instance. */
#include <pthread.h>

#include "vcpc_test.h"

#define THREADS	16
#define PAGES(i) (100 * ((i) + 1))
/*
 * Number of page faults on pages that threads share, such as the C library's.  The first thread
 * that touches a page counts the fault.
 */
#define OTHER_FAULTS 5

struct worker {
	int set, pages, unbinds;
	__u64 counted;
	int error;
};

static void *work(void *arg)
{
	struct worker *w = arg;
	__u64 value;

	w->error = set_bind(w->set, 0);
	if (w->error)
		return NULL;
	first_value(w->set, 0);
	value = first_value(w->set, 0);
	touch(w->pages);
	w->counted = first_value(w->set, 0) - value;
	if (w->unbinds)
		w->error = set_own(w->set, VCPC_IOC_UNBIND);
	return NULL;
}

TEST(each_its_own)
{
	struct worker workers[THREADS];
	pthread_t threads[THREADS];
	int set = set_of(&page_faults, 0);
	int i;

	ASSERT_GE(set, 0);
	for (i = 0; i < THREADS; i++) {
		workers[i] = (struct worker) { .set = set, .pages = PAGES(i), .unbinds = i % 2 };
		ASSERT_EQ(0, pthread_create(&threads[i], NULL, work, &workers[i]));
	}
	for (i = 0; i < THREADS; i++) {
		pthread_join(threads[i], NULL);
		EXPECT_EQ(0, workers[i].error);
		EXPECT_LE(PAGES(i), workers[i].counted);
		EXPECT_GE(PAGES(i) + OTHER_FAULTS, workers[i].counted);
	}
}

TEST_HARNESS_MAIN
