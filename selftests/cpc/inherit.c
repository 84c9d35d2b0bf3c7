// SPDX-License-Identifier: GPL-2.0-or-later
/* With CPC_BIND_LWP_INHERIT, each new thread inherits the set, and has its own values. */
#include <limits.h>
#include <pthread.h>
#include <sys/wait.h>

#include "cpc.h"
#include "kselftest_harness.h"
#include "needs_module.h"

#define PRESET	1000000

FIXTURE(inherit) {
	cpc_t *cpc;
	cpc_set_t *set;
	cpc_buf_t *buf;
};

FIXTURE_SETUP(inherit)
{
	self->cpc = open_with(&self->set, "page-faults", PRESET);
	ASSERT_NE(NULL, self->cpc);
	self->buf = cpc_buf_create(self->cpc, self->set);
}

FIXTURE_TEARDOWN(inherit)
{
	EXPECT_EQ(0, cpc_close(self->cpc));
}

/*
 * struct inheritor - a thread with an inherited set, and its results
 * @cpc: the handle
 * @set: its creator's set
 * @depth: number of further generations to start
 * @faults: number of page faults to cause
 * @counted: counted page faults, -1 on error
 * @error: errno of its sample
 * @child: the thread of the next generation
 * @buf: buffer of a test that does not create one in the thread
 */
struct inheritor {
	cpc_t *cpc;
	cpc_set_t *set;
	int depth;
	int faults;
	int64_t counted;
	int error;
	struct inheritor *child;
	cpc_buf_t *buf;
};

static void *inherit(void *arg)
{
	struct inheritor *inheritor = arg;
	cpc_buf_t *buf = cpc_buf_create(inheritor->cpc, inheritor->set);
	pthread_t thread;

	touch(inheritor->faults);
	if (inheritor->depth) {
		*inheritor->child = (struct inheritor){
			inheritor->cpc, inheritor->set, inheritor->depth - 1,
			inheritor->faults + 1000, -1, 0, inheritor->child + 1, NULL
		};
		if (!pthread_create(&thread, NULL, inherit, inheritor->child))
			pthread_join(thread, NULL);
	}
	inheritor->counted = -1;
	if (cpc_set_sample(inheritor->cpc, inheritor->set, buf))
		inheritor->error = errno;
	else
		inheritor->counted = value(inheritor->cpc, buf, 0) - PRESET;
	cpc_buf_destroy(inheritor->cpc, buf);
	return NULL;
}

static void run(struct inheritor *inheritor)
{
	pthread_t thread;

	inheritor->counted = -1;
	if (!pthread_create(&thread, NULL, inherit, inheritor))
		pthread_join(thread, NULL);
}

/*
 * The thread counts its own page faults, including a few for its stack, and none of the thousands
 * of other threads.
 */
#define EXPECT_OWN_FAULTS(inheritor)						\
	do {								\
		EXPECT_LE((inheritor).faults, (inheritor).counted);		\
		EXPECT_GT((inheritor).faults + 500, (inheritor).counted);		\
	} while (0)

TEST_F(inherit, a_thread_samples_its_own_values_from_the_preset)
{
	struct inheritor inheritor = { .cpc = self->cpc, .set = self->set, .faults = 50 };

	NEEDS_MODULE("inherited values");
	ASSERT_EQ(0, cpc_bind_curlwp(self->cpc, self->set, CPC_BIND_LWP_INHERIT));
	touch(5000);
	run(&inheritor);
	EXPECT_OWN_FAULTS(inheritor);
	EXPECT_LE(PRESET + 5000, sampled(self->cpc, self->set, self->buf));
	EXPECT_GT(PRESET + 5500, value(self->cpc, self->buf, 0));
}

TEST_F(inherit, reaches_grandchildren)
{
	struct inheritor inheritors[4] = { { .cpc = self->cpc, .set = self->set, .faults = 1000 } };

	NEEDS_MODULE("inherited values");
	inheritors[0].depth = 3;
	inheritors[0].child = &inheritors[1];
	ASSERT_EQ(0, cpc_bind_curlwp(self->cpc, self->set, CPC_BIND_LWP_INHERIT));
	run(&inheritors[0]);
	for (int i = 0; i < 4; i++)
		EXPECT_OWN_FAULTS(inheritors[i]);
}

TEST_F(inherit, not_without_the_flag)
{
	struct inheritor inheritor = { .cpc = self->cpc, .set = self->set };

	ASSERT_EQ(0, cpc_bind_curlwp(self->cpc, self->set, 0));
	run(&inheritor);
	EXPECT_EQ(EINVAL, inheritor.error);
}

static pthread_barrier_t barrier;

static void *wait_and_inherit(void *arg)
{
	pthread_barrier_wait(&barrier);
	return inherit(arg);
}

TEST_F(inherit, not_by_threads_that_were_there_before)
{
	struct inheritor inheritor = { .cpc = self->cpc, .set = self->set };
	pthread_t thread;

	NEEDS_MODULE("inherited values");
	pthread_barrier_init(&barrier, NULL, 2);
	ASSERT_EQ(0, pthread_create(&thread, NULL, wait_and_inherit, &inheritor));
	ASSERT_EQ(0, cpc_bind_curlwp(self->cpc, self->set, CPC_BIND_LWP_INHERIT));
	pthread_barrier_wait(&barrier);
	pthread_join(thread, NULL);
	EXPECT_EQ(EINVAL, inheritor.error);
}

TEST_F(inherit, not_by_a_forked_child)
{
	int status;
	pid_t pid;

	NEEDS_MODULE("inherited values");
	ASSERT_EQ(0, cpc_bind_curlwp(self->cpc, self->set, CPC_BIND_LWP_INHERIT));
	pid = fork();
	ASSERT_LE(0, pid);
	if (!pid) {
		if (!cpc_set_sample(self->cpc, self->set, self->buf) || errno != EINVAL)
			_exit(1);
		if (cpc_bind_curlwp(self->cpc, self->set, CPC_BIND_LWP_INHERIT))
			_exit(2);
		_exit(cpc_set_sample(self->cpc, self->set, self->buf) ? 3 : 0);
	}
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, WEXITSTATUS(status));
	EXPECT_EQ(0, cpc_set_sample(self->cpc, self->set, self->buf));
}

/* Calls without a set argument also affect the inherited set. */
static void *stop_and_go_on(void *arg)
{
	struct inheritor *inheritor = arg;

	if (cpc_enable(inheritor->cpc) != -1 || errno != EINVAL)
		inheritor->error = 1;
	else if (cpc_disable(inheritor->cpc))
		inheritor->error = 2;
	touch(1000);
	inherit(inheritor);
	if (cpc_enable(inheritor->cpc))
		inheritor->error = 3;
	return NULL;
}

TEST_F(inherit, an_inheriting_thread_stops_its_own_counters_only)
{
	struct inheritor inheritor = { .cpc = self->cpc, .set = self->set };
	pthread_t thread;

	NEEDS_MODULE("inherited values");
	ASSERT_EQ(0, cpc_bind_curlwp(self->cpc, self->set, CPC_BIND_LWP_INHERIT));
	ASSERT_EQ(0, pthread_create(&thread, NULL, stop_and_go_on, &inheritor));
	pthread_join(thread, NULL);
	EXPECT_EQ(0, inheritor.error);
	EXPECT_LE(0, inheritor.counted);
	EXPECT_GT(500, inheritor.counted);
	EXPECT_EQ(0, cpc_disable(self->cpc));
}

/* Replace the inherited set by binding it again. */
static void *bind_again(void *arg)
{
	struct inheritor *inheritor = arg;

	touch(3000);
	if (cpc_bind_curlwp(inheritor->cpc, inheritor->set, 0))
		inheritor->error = errno;
	return inherit(arg);
}

TEST_F(inherit, an_inheriting_thread_may_bind_the_same_set)
{
	struct inheritor inheritor = { .cpc = self->cpc, .set = self->set, .faults = 10 };
	pthread_t thread;

	NEEDS_MODULE("inherited values");
	ASSERT_EQ(0, cpc_bind_curlwp(self->cpc, self->set, CPC_BIND_LWP_INHERIT));
	ASSERT_EQ(0, pthread_create(&thread, NULL, bind_again, &inheritor));
	pthread_join(thread, NULL);
	EXPECT_EQ(0, inheritor.error);
	EXPECT_OWN_FAULTS(inheritor);
}

static void *replace(void *arg)
{
	struct inheritor *inheritor = arg;
	cpc_set_t *own = set_of(inheritor->cpc, "minor-faults", 0);
	cpc_buf_t *buf = cpc_buf_create(inheritor->cpc, own);

	if (cpc_bind_curlwp(inheritor->cpc, own, 0) || cpc_set_sample(inheritor->cpc, own, buf))
		inheritor->error = 1;
	else if (!cpc_set_sample(inheritor->cpc, inheritor->set, buf) || errno != EINVAL)
		inheritor->error = 2;
	else if (cpc_unbind(inheritor->cpc, own))
		inheritor->error = 3;
	else if (!cpc_set_sample(inheritor->cpc, inheritor->set, buf) || errno != EINVAL)
		inheritor->error = 4;
	return NULL;
}

TEST_F(inherit, an_inheriting_thread_may_bind_another_set)
{
	struct inheritor inheritor = { .cpc = self->cpc, .set = self->set };
	pthread_t thread;

	NEEDS_MODULE("inherited values");
	ASSERT_EQ(0, cpc_bind_curlwp(self->cpc, self->set, CPC_BIND_LWP_INHERIT));
	ASSERT_EQ(0, pthread_create(&thread, NULL, replace, &inheritor));
	pthread_join(thread, NULL);
	EXPECT_EQ(0, inheritor.error);
	EXPECT_EQ(0, cpc_set_sample(self->cpc, self->set, self->buf));
}

/* Sample before and after the creator destroys the set.  The second sample fails. */
static void *wait_twice(void *arg)
{
	struct inheritor *inheritor = arg;
	cpc_buf_t *buf = cpc_buf_create(inheritor->cpc, inheritor->set);

	inheritor->counted = sampled(inheritor->cpc, inheritor->set, buf);
	pthread_barrier_wait(&barrier);
	pthread_barrier_wait(&barrier);
	inheritor->error = cpc_disable(inheritor->cpc) ? errno : 0;
	return NULL;
}

TEST_F(inherit, a_destroyed_set_is_off_all_inheritors)
{
	struct inheritor inheritor = { .cpc = self->cpc, .set = self->set };
	pthread_t thread;

	NEEDS_MODULE("inherited values");
	pthread_barrier_init(&barrier, NULL, 2);
	ASSERT_EQ(0, cpc_bind_curlwp(self->cpc, self->set, CPC_BIND_LWP_INHERIT));
	ASSERT_EQ(0, pthread_create(&thread, NULL, wait_twice, &inheritor));
	pthread_barrier_wait(&barrier);
	EXPECT_EQ(0, cpc_set_destroy(self->cpc, self->set));
	pthread_barrier_wait(&barrier);
	pthread_join(thread, NULL);
	EXPECT_LE(PRESET, inheritor.counted);
	EXPECT_EQ(EINVAL, inheritor.error);
}

TEST_F(inherit, instructions_of_each)
{
	struct inheritor inheritor = { .cpc = self->cpc, .faults = 0 };
	cpc_set_t *set;

	NEEDS_MODULE("inherited values");
	if (!has_pmu(self->cpc))
		SKIP(return, "no PMU counts instructions");
	set = set_of(self->cpc, "instructions", PRESET);
	inheritor.set = set;
	ASSERT_EQ(0, cpc_bind_curlwp(self->cpc, set, CPC_BIND_LWP_INHERIT));
	spin(1000000);
	run(&inheritor);
	EXPECT_LT(0, inheritor.counted);
	EXPECT_GT(1000000, inheritor.counted);
	EXPECT_LE(PRESET + 2000000, sampled(self->cpc, set, self->buf));
}

static void *sample_once(void *arg)
{
	struct inheritor *inheritor = arg;

	inheritor->error = cpc_set_sample(inheritor->cpc, inheritor->set, inheritor->buf) ?
			   errno : 0;
	return NULL;
}

/* A thread with the minimum stack can inherit a set whose sample nearly fills this stack. */
TEST_F(inherit, a_thread_with_a_small_stack)
{
	struct inheritor inheritor = {
		.cpc = self->cpc, .set = cpc_set_create(self->cpc), .error = -1
	};
	/* 12 kB of values, 3/4 of the minimum stack on x86-64, or one value per counter */
	const uint_t n = cpc_npic(self->cpc) < 1536 ? cpc_npic(self->cpc) : 1536;
	pthread_attr_t attr;
	pthread_t thread;

	NEEDS_MODULE("inherited values");
	for (uint_t i = 0; i < n; i++)
		ASSERT_EQ(i, cpc_set_add_request(self->cpc, inheritor.set, "page-faults", i,
						 CPC_COUNT_USER, 0, NULL));
	inheritor.buf = cpc_buf_create(self->cpc, inheritor.set);
	ASSERT_EQ(0, cpc_bind_curlwp(self->cpc, inheritor.set, CPC_BIND_LWP_INHERIT))
		TH_LOG("%s", strerror(errno));
	pthread_attr_init(&attr);
	ASSERT_EQ(0, pthread_attr_setstacksize(&attr, PTHREAD_STACK_MIN));
	ASSERT_EQ(0, pthread_create(&thread, &attr, sample_once, &inheritor));
	pthread_join(thread, NULL);
	EXPECT_EQ(0, inheritor.error);
	EXPECT_LE(n - 1, value(self->cpc, inheritor.buf, n - 1));
	pthread_attr_destroy(&attr);
}

TEST_HARNESS_MAIN
