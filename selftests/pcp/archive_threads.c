// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Eight threads that read one archive, in private contexts and in a shared one, get the same
 * results as a single thread.  archive_threads.sh runs this test under ThreadSanitizer.
 */
#include <pthread.h>

#include "pcp_fixture.h"

#define THREADS	8
#define ROUNDS	40

struct worker {
	pthread_t thread;
	const char *base;
	int shared;
	int number;
	int wrong;
};

/* Return the expected value of a counter at @ms, or -1 after 10 s. */
static int64_t expected(int64_t ms)
{
	return ms <= 10000 ? (int64_t)(0.5 + ms * 13 / 10000.0) : -1;
}

static int own_context(const struct worker *w, int round)
{
	int handle = pmNewContext(PM_CONTEXT_ARCHIVE, w->base);
	int64_t ms = (w->number * 1000 + round * 250) % 10000;
	char **names;
	int *inst;
	int wrong;

	if (handle < 0)
		return 1;
	wrong = number_at(AF_PMID(CU32), ms) != expected(ms);
	wrong += go_to(PM_MODE_FORW, 0, 0) || fetch_number(AF_PMID(CU32), NULL) != 0 ||
		 fetch_number(AF_PMID(CU32), NULL) != 13;
	if (pmGetInDomArchive(AF_PMID(1), &inst, &names) > 0) {
		free(inst);
		free(names);
	}
	return wrong + (pmDestroyContext(handle) != 0);
}

/*
 * Use a context that other threads use as well.  They can change its time between two calls, but
 * each call is atomic.
 */
static int shared_context(const struct worker *w, int round)
{
	pmID pmids[] = { AF_PMID(CU32), AF_PMID(SET), AF_PMID(ISTR) };
	pmResult *r;
	int err;

	if (pmUseContext(w->shared) < 0)
		return 1;
	go_to(round % 3 ? PM_MODE_INTERP : PM_MODE_FORW, round * 500 % 50000, 300);
	err = pmFetch(3, pmids, &r);
	if (err)
		return err != PM_ERR_EOL;
	err = r->numpmid != 3;
	pmFreeResult(r);
	return err;
}

static void *work(void *arg)
{
	struct worker *w = arg;

	for (int i = 0; i < ROUNDS; i++)
		w->wrong += own_context(w, i) + shared_context(w, i);
	return NULL;
}

TEST_F(archive, from_eight_threads)
{
	struct worker workers[THREADS];

	for (int i = 0; i < THREADS; i++) {
		workers[i] = (struct worker){ .base = self->base, .number = i,
					      .shared = pmWhichContext() };
		ASSERT_EQ(pthread_create(&workers[i].thread, NULL, work, &workers[i]), 0);
	}
	for (int i = 0; i < THREADS; i++) {
		ASSERT_EQ(pthread_join(workers[i].thread, NULL), 0);
		EXPECT_EQ(workers[i].wrong, 0);
	}
}

TEST_HARNESS_MAIN
