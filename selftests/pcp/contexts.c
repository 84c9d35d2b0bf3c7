// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Test contexts: handles, the current context of each thread, copies, and threads that use contexts
 * at the same time.
 */
#include <pthread.h>

#include "pcp_fixture.h"

#define THREADS	6
#define ROUNDS	300

TEST_F(archive, handles_are_not_used_twice)
{
	int first = pmWhichContext();
	int second = pmNewContext(PM_CONTEXT_ARCHIVE, self->base);

	EXPECT_GT(second, first);
	EXPECT_EQ(pmWhichContext(), second);
	EXPECT_EQ(pmDestroyContext(second), 0);
	EXPECT_EQ(pmWhichContext(), PM_ERR_NOCONTEXT);
	EXPECT_EQ(pmDestroyContext(second), PM_ERR_NOCONTEXT);
	EXPECT_EQ(pmUseContext(second), PM_ERR_NOCONTEXT);
	EXPECT_EQ(pmUseContext(first), 0);
	EXPECT_GT(pmNewContext(PM_CONTEXT_ARCHIVE, self->base), second);
}

TEST_F(archive, the_others_keep_their_handles)
{
	int a = pmWhichContext(), b = pmDupContext(), c = pmDupContext();

	ASSERT_LT(a, b);
	ASSERT_LT(b, c);
	ASSERT_EQ(go_to(PM_MODE_INTERP, 0, 4000), 0);
	EXPECT_EQ(fetch_number(AF_PMID(CU32), NULL), 0);
	ASSERT_EQ(pmUseContext(b), 0);
	ASSERT_EQ(go_to(PM_MODE_INTERP, 8000, 4000), 0);
	ASSERT_EQ(pmDestroyContext(a), 0);
	EXPECT_EQ(fetch_number(AF_PMID(CU32), NULL), 10);
	ASSERT_EQ(pmUseContext(c), 0);
	EXPECT_EQ(fetch_number(AF_PMID(CU32), NULL), 5);
	EXPECT_EQ(pmUseContext(a), PM_ERR_NOCONTEXT);
}

TEST_F(archive, a_failed_open_keeps_the_current_one)
{
	int handle = pmWhichContext();

	EXPECT_LT(pmNewContext(PM_CONTEXT_ARCHIVE, "/nonexistent"), 0);
	EXPECT_EQ(pmWhichContext(), handle);
	EXPECT_EQ(fetch_number(AF_PMID(CU32), NULL), 0);
}

TEST_F(archive, each_has_its_own_time)
{
	int a = pmWhichContext(), b;

	ASSERT_EQ(go_to(PM_MODE_INTERP, 0, 4000), 0);
	EXPECT_EQ(fetch_number(AF_PMID(CU32), NULL), 0);
	b = pmDupContext();
	ASSERT_GE(b, 0);
	EXPECT_EQ(pmWhichContext(), b);
	/* The copy continues from the same time. */
	EXPECT_EQ(fetch_number(AF_PMID(CU32), NULL), 5);
	EXPECT_EQ(fetch_number(AF_PMID(CU32), NULL), 10);
	ASSERT_EQ(pmUseContext(a), 0);
	EXPECT_EQ(fetch_number(AF_PMID(CU32), NULL), 5);
	EXPECT_EQ(pmDestroyContext(b), 0);
	EXPECT_EQ(fetch_number(AF_PMID(CU32), NULL), 10);
}

TEST_F(archive, a_copy_has_the_profile)
{
	pmID pmid = AF_PMID(SET);
	int inst = 0;
	pmResult *r;

	ASSERT_EQ(pmDelProfile(PM_INDOM_NULL, 0, NULL), 0);
	ASSERT_EQ(pmAddProfile(AF_INDOM, 1, &inst), 0);
	ASSERT_GE(pmDupContext(), 0);
	ASSERT_EQ(pmFetch(1, &pmid, &r), 0);
	EXPECT_EQ(r->vset[0]->numval, 1);
	pmFreeResult(r);
}

static int instances_now(void)
{
	pmID pmid = AF_PMID(SET);
	pmResult *r;
	int n;

	if (go_to(PM_MODE_INTERP, 5000, 0) || pmFetch(1, &pmid, &r) < 0)
		return NOTHING;
	n = r->vset[0]->numval;
	pmFreeResult(r);
	return n;
}

/*
 * A copy of a context excludes all instances if the original context does.  PCP copies a profile
 * only if it has domains.
 */
TEST_F(archive, a_copy_excludes_all_instances)
{
	ASSERT_EQ(pmDelProfile(PM_INDOM_NULL, 0, NULL), 0);
	ASSERT_GE(pmDupContext(), 0);
	EXPECT_EQ(instances_now(), 0);
}

/*
 * Without a list of instances, their number is ignored for a single domain.  For all domains the
 * call has an effect only if the number is 0.
 */
TEST_F(archive, a_profile_without_a_list)
{
	int all = instances_now();

	ASSERT_LT(0, all);
	ASSERT_EQ(pmDelProfile(AF_INDOM, 1, NULL), 0);
	EXPECT_EQ(instances_now(), 0);
	ASSERT_EQ(pmAddProfile(AF_INDOM, 7, NULL), 0);
	EXPECT_EQ(instances_now(), all);
	ASSERT_EQ(pmDelProfile(PM_INDOM_NULL, 1, NULL), 0);
	EXPECT_EQ(instances_now(), all);
	ASSERT_EQ(pmDelProfile(PM_INDOM_NULL, 0, NULL), 0);
	EXPECT_EQ(instances_now(), 0);
	ASSERT_EQ(pmAddProfile(PM_INDOM_NULL, 1, NULL), 0);
	EXPECT_EQ(instances_now(), 0);
}

/*
 * A result stays valid after its context has been destroyed.  (The teardown destroys this context.)
 */
TEST_F(archive, results_outlive_contexts)
{
	pmID pmid = AF_PMID(ISTR);
	pmAtomValue v;
	pmResult *r;

	ASSERT_EQ(pmFetch(1, &pmid, &r), 0);
	ASSERT_EQ(pmDestroyContext(pmWhichContext()), 0);
	ASSERT_EQ(pmExtractValue(r->vset[0]->valfmt, r->vset[0]->vlist, PM_TYPE_STRING, &v,
				 PM_TYPE_STRING), 0);
	EXPECT_STREQ(v.cp, "i0");
	free(v.cp);
	pmFreeResult(r);
}

struct job {
	const char *base;
	int handle;		/* shared by the threads, or -1: each creates its own */
	int bad;
};

static void *own_context(void *arg)
{
	struct job *job = arg;

	for (int i = 0; i < ROUNDS && !job->bad; i++) {
		if (i % 50 == 0 && pmNewContext(PM_CONTEXT_ARCHIVE, job->base) < 0)
			job->bad = 1;
		if (number_at(AF_PMID(CU32), 4000) != 5 || number_at(AF_PMID(CU32), 48000) != 44)
			job->bad = 2;
		if (go_to(PM_MODE_FORW, 20000, 0) || fetch_number(AF_PMID(CU32), NULL) != 26)
			job->bad = 3;
		if (i % 50 == 49 && pmDestroyContext(pmWhichContext()))
			job->bad = 4;
	}
	return NULL;
}

/*
 * Jump and fetch repeatedly in a shared context.  Each value must belong to a time that one of the
 * threads has set.
 */
static void *shared_context(void *arg)
{
	struct job *job = arg;

	if (pmUseContext(job->handle))
		job->bad = 1;
	for (int i = 0; i < ROUNDS && !job->bad; i++) {
		int v = number_at(AF_PMID(CU32), i % 2 ? 4000 : 48000);

		if (v != 5 && v != 44)
			job->bad = 2;
	}
	return NULL;
}

static void run_threads(struct __test_metadata *_metadata, void *(*fn)(void *), struct job job)
{
	struct job jobs[THREADS];
	pthread_t threads[THREADS];

	for (int i = 0; i < THREADS; i++) {
		jobs[i] = job;
		ASSERT_EQ(pthread_create(&threads[i], NULL, fn, &jobs[i]), 0);
	}
	for (int i = 0; i < THREADS; i++) {
		ASSERT_EQ(pthread_join(threads[i], NULL), 0);
		EXPECT_EQ(jobs[i].bad, 0);
	}
}

TEST_F(archive, threads_with_their_own)
{
	run_threads(_metadata, own_context, (struct job){ .base = self->base });
}

TEST_F(archive, threads_that_share)
{
	run_threads(_metadata, shared_context,
		    (struct job){ .base = self->base, .handle = pmWhichContext() });
}

static void *no_context(void *arg)
{
	struct job *job = arg;

	if (pmWhichContext() != PM_ERR_NOCONTEXT)
		job->bad = 1;
	return NULL;
}

TEST_F(archive, a_new_thread_has_none)
{
	run_threads(_metadata, no_context, (struct job){ .base = self->base });
}

TEST_HARNESS_MAIN
