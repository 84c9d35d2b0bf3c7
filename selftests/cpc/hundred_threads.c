// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A hundred threads bind the same set at the same time.  Each thread sees only its own counts, and
 * no resources remain.
 */
#include <pthread.h>

#include "cpc.h"
#include "kselftest_harness.h"

#define THREADS	100
#define ROUNDS	10

static pthread_barrier_t barrier;

struct job {
	cpc_t *cpc;
	cpc_set_t *set;
	int faults;
	int errors;
	uint64_t least, most;
};

static void *count(void *arg)
{
	struct job *job = arg;
	cpc_buf_t *before = cpc_buf_create(job->cpc, job->set);
	cpc_buf_t *after = cpc_buf_create(job->cpc, job->set);

	job->least = -1ULL;
	pthread_barrier_wait(&barrier);
	for (int i = 0; i < ROUNDS; i++) {
		uint64_t n;

		job->errors += cpc_bind_curlwp(job->cpc, job->set, 0) != 0;
		job->errors += cpc_set_sample(job->cpc, job->set, before) != 0;
		touch(job->faults);
		job->errors += cpc_set_sample(job->cpc, job->set, after) != 0;
		job->errors += cpc_unbind(job->cpc, job->set) != 0;
		n = value(job->cpc, after, 0) - value(job->cpc, before, 0);
		job->least = n < job->least ? n : job->least;
		job->most = n > job->most ? n : job->most;
	}
	cpc_buf_destroy(job->cpc, before);
	cpc_buf_destroy(job->cpc, after);
	return NULL;
}

TEST(each_counts_its_own)
{
	static struct job jobs[THREADS];
	pthread_t threads[THREADS];
	cpc_t *cpc = cpc_open(CPC_VER_CURRENT);
	int open_before = open_files();
	cpc_set_t *set;

	ASSERT_NE(NULL, cpc);
	set = set_of(cpc, "page-faults", 0);
	ASSERT_NE(NULL, set);
	pthread_barrier_init(&barrier, NULL, THREADS);
	for (int i = 0; i < THREADS; i++) {
		jobs[i] = (struct job){ .cpc = cpc, .set = set, .faults = i };
		ASSERT_EQ(0, pthread_create(&threads[i], NULL, count, &jobs[i]));
	}
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	for (int i = 0; i < THREADS; i++) {
		EXPECT_EQ(0, jobs[i].errors);
		EXPECT_LE(i, jobs[i].least);
		EXPECT_GE(i + 20, jobs[i].most) TH_LOG("thread %d", i);
	}
	EXPECT_EQ(0, cpc_set_destroy(cpc, set));
	EXPECT_EQ(open_before, open_files());
	EXPECT_EQ(0, cpc_close(cpc));
}

TEST_HARNESS_MAIN
