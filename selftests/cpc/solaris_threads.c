// SPDX-License-Identifier: GPL-2.0-or-later
/* Threads of Solaris: waiting for whichever ends first, and threads created suspended */
#include <dlfcn.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cpc/thread.h"
#include "kselftest_harness.h"

#define MS	1000000L

/* The C library needs libgcc_s to end or cancel a thread, and the arm64 VM does not have it. */
#define NEEDS_UNWINDER()							\
	do {									\
		if (!dlopen("libgcc_s.so.1", RTLD_NOW))				\
			SKIP(return, "no libgcc_s.so.1");			\
	} while (0)

static atomic_int ran;

static void sleep_ms(long ms)
{
	struct timespec ts = { ms / 1000, ms % 1000 * MS };

	nanosleep(&ts, NULL);
}

/* Sleep for a number of milliseconds, and return the number. */
static void *sleeper(void *ms)
{
	sleep_ms((intptr_t)ms);
	ran++;
	return ms;
}

static void *leaver(void *status)
{
	ran++;
	thr_exit(status);
}

static void *endless(void *arg)
{
	for (;;)
		pause();
	return arg;
}

static void *joiner(void *arg)
{
	return (void *)(intptr_t)thr_join(0, arg, NULL);
}

TEST(threads_are_joined_in_the_order_in_which_they_end)
{
	thread_t slow, fast, slowest, gone;
	void *status = NULL;

	NEEDS_UNWINDER();
	ran = 0;
	ASSERT_EQ(0, thr_create(NULL, 0, sleeper, (void *)600, THR_BOUND, &slow));
	ASSERT_EQ(0, thr_create(NULL, 0, leaver, &ran, THR_BOUND | THR_NEW_LWP, &fast));
	ASSERT_EQ(0, thr_create(NULL, 0, sleeper, (void *)1200, 0, &slowest));
	ASSERT_EQ(0, thr_join(0, &gone, &status));
	EXPECT_EQ(fast, gone);
	EXPECT_EQ((void *)&ran, status);
	ASSERT_EQ(0, thr_join(0, &gone, &status));
	EXPECT_EQ(slow, gone);
	EXPECT_EQ((void *)600, status);
	ASSERT_EQ(0, thr_join(0, &gone, NULL));
	EXPECT_EQ(slowest, gone);
	EXPECT_EQ(ESRCH, thr_join(0, &gone, &status));
	EXPECT_EQ(3, ran);
}

TEST(a_loop_waits_for_all_threads)
{
	ran = 0;
	for (intptr_t i = 0; i < 20; i++)
		ASSERT_EQ(0, thr_create(NULL, 262144, sleeper, (void *)(20 - i), 0, NULL));
	while (thr_join(0, NULL, NULL) == 0)
		;
	EXPECT_EQ(20, ran);
}

TEST(a_thread_joined_by_its_number_is_not_joined_again)
{
	thread_t one;

	ASSERT_EQ(0, thr_create(NULL, 0, sleeper, (void *)10, 0, &one));
	EXPECT_EQ(0, thr_join(one, NULL, NULL));
	EXPECT_EQ(ESRCH, thr_join(0, NULL, NULL));
}

TEST(a_canceled_thread_and_one_that_waits_itself_are_joined)
{
	thread_t waiting, other, gone = 0;
	void *status;

	NEEDS_UNWINDER();
	ASSERT_EQ(0, thr_create(NULL, 0, endless, NULL, 0, &other));
	ASSERT_EQ(0, thr_create(NULL, 0, joiner, &gone, 0, &waiting));
	sleep_ms(50);
	ASSERT_EQ(0, pthread_cancel(other));
	ASSERT_EQ(0, thr_join(waiting, NULL, &status));
	EXPECT_EQ(NULL, status);
	EXPECT_EQ(other, gone);
}

TEST(a_suspended_thread_runs_when_it_is_continued)
{
	thread_t one, gone;

	ran = 0;
	ASSERT_EQ(0, thr_create(NULL, 0, sleeper, (void *)1, THR_SUSPENDED, &one));
	sleep_ms(50);
	EXPECT_EQ(0, ran);
	EXPECT_EQ(0, thr_continue(one));
	EXPECT_EQ(0, thr_join(0, &gone, NULL));
	EXPECT_EQ(one, gone);
	EXPECT_EQ(1, ran);
	EXPECT_EQ(ESRCH, thr_continue(one));
}

TEST(a_suspended_thread_can_be_canceled)
{
	thread_t one;
	void *status;

	NEEDS_UNWINDER();
	ran = 0;
	ASSERT_EQ(0, thr_create(NULL, 0, sleeper, NULL, THR_SUSPENDED, &one));
	ASSERT_EQ(0, pthread_cancel(one));
	EXPECT_EQ(0, thr_join(one, NULL, &status));
	EXPECT_EQ(PTHREAD_CANCELED, status);
	EXPECT_EQ(0, ran);
}

TEST(a_detached_thread_is_not_joined)
{
	thread_t one;

	ran = 0;
	ASSERT_EQ(0, thr_create(NULL, 0, sleeper, NULL, THR_DETACHED | THR_SUSPENDED, &one));
	EXPECT_EQ(ESRCH, thr_join(one, NULL, NULL));
	EXPECT_EQ(ESRCH, thr_join(0, NULL, NULL));
	EXPECT_EQ(0, thr_continue(one));
	for (int i = 0; i < 1000 && !ran; i++)
		sleep_ms(10);
	EXPECT_EQ(1, ran);
}

TEST(wrong_arguments)
{
	size_t too_small = 1;

	EXPECT_EQ(ENOTSUP, thr_create(NULL, 0, sleeper, NULL, 0x1000, NULL));
	EXPECT_EQ(EINVAL, thr_create(NULL, too_small, sleeper, NULL, 0, NULL));
	EXPECT_EQ(EDEADLK, thr_join(thr_self(), NULL, NULL));
	EXPECT_EQ(ESRCH, thr_continue(thr_self()));
}

TEST(a_forked_child_has_no_threads)
{
	thread_t one;
	int status;
	pid_t pid;

	NEEDS_UNWINDER();
	ASSERT_EQ(0, thr_create(NULL, 0, endless, NULL, 0, &one));
	pid = fork();
	ASSERT_LE(0, pid);
	if (!pid)
		_exit(thr_join(0, NULL, NULL) != ESRCH || thr_create(NULL, 0, sleeper, NULL, 0, NULL) ||
		      thr_join(0, NULL, NULL));
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, status);
	EXPECT_EQ(0, pthread_cancel(one));
	EXPECT_EQ(0, thr_join(0, NULL, NULL));
}

TEST_HARNESS_MAIN
