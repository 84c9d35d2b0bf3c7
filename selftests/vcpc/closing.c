// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Close objects that are still in use: a set of a thread that has not run yet, and a set or a trace
 * descriptor whose last copy another user has.
 */
#include "accounts.h"
#include "attack.h"
#include "inherited.h"
#include "trace_calls.h"
#include "vcpc_test.h"

#define REQUESTS	1000
#define TAGS		2000
#define TRIES		5

static void *does_nothing(void *arg)
{
	return arg;
}

/* If a thread was started before the set was closed, and runs afterwards, it gets no instance. */
TEST(a_thread_that_has_not_run_gets_nothing)
{
	const struct sched_param first = { .sched_priority = 10 };
	int set = set_of(&page_faults, 0), again;
	pthread_t thread;

	ASSERT_GE(set, 0);
	/* New threads also start on this CPU, but do not inherit its priority. */
	run_on_cpu(0);
	ASSERT_EQ(0, sched_setscheduler(0, SCHED_FIFO | SCHED_RESET_ON_FORK, &first));
	for (again = 0; again < 2; again++) {
		ASSERT_EQ(0, set_bind(set, VCPC_BIND_F_INHERIT));
		ASSERT_EQ(0, pthread_create(&thread, NULL, does_nothing, NULL));
		ASSERT_EQ(1, set_count(set).pending);
		ASSERT_EQ(0, set_unbind_all(set));
		if (again)
			ASSERT_EQ(0, set_bind(set, VCPC_BIND_F_INHERIT));
		ASSERT_EQ(0, pthread_join(thread, NULL));
		EXPECT_EQ(0, set_count(set).pending);
		EXPECT_EQ(again, set_count(set).nr);
		EXPECT_EQ(0, set_count(set).lost);
	}
	/* A thread that is started later gets an instance. */
	in_thread(10);
	EXPECT_EQ(2, set_count(set).nr);
}

static int large_set(void)
{
	struct vcpc_request requests[REQUESTS];
	int device = device_open(), set, i;

	for (i = 0; i < REQUESTS; i++)
		requests[i] = page_faults;
	set = set_create(device, requests, REQUESTS, 0);
	close(device);
	return set;
}

static int bound(int set)
{
	return set < 0 || set_bind(set, 0) ? -1 : set;
}

static int bound_large_set(void)
{
	return bound(large_set());
}

static int bound_small_set(void)
{
	return bound(set_of(&page_faults, 0));
}

static int device_with_tags(void)
{
	int device = device_open();
	char name[16];

	for (int i = 0; i < TAGS; i++) {
		snprintf(name, sizeof(name), "tag %d", i);
		if (tag_handle(device, name) < 0)
			return -1;
	}
	return device;
}

enum closer { OWNER, ANOTHER_USER, SET_USER_ID, POWERLESS_ROOT };

static int become_closer(enum closer who)
{
	if (who == ANOTHER_USER)
		return become_nobody();
	if (who == SET_USER_ID)
		return seteuid(NOBODY);
	return who == POWERLESS_ROOT ? have_only(0) : 0;
}

/* Return the CPU time that @who takes to close the last copy of one of root's descriptors. */
static __u64 closing_takes(int (*open_it)(void), enum closer who)
{
	int to_closer[2], from_closer[2], fd = open_it(), status;
	__u64 took = 0;
	pid_t pid;
	char byte;

	if (fd < 0 || pipe(to_closer) || pipe(from_closer))
		abort();
	pid = fork();
	if (!pid) {
		__u64 before;

		if (become_closer(who) || read(to_closer[0], &byte, 1) != 1)
			_exit(1);
		before = cpu_time();
		close(fd);
		took = cpu_time() - before;
		_exit(write(from_closer[1], &took, sizeof(took)) != sizeof(took));
	}
	close(fd);
	if (pid < 0 || write(to_closer[1], "x", 1) != 1 ||
	    read(from_closer[0], &took, sizeof(took)) != sizeof(took) ||
	    waitpid(pid, &status, 0) != pid || status)
		abort();
	for (int i = 0; i < 2; i++) {
		close(to_closer[i]);
		close(from_closer[i]);
	}
	return took;
}

static __u64 least_of_tries(int (*open_it)(void), enum closer who)
{
	__u64 least = ~0ULL, took;

	for (int i = 0; i < TRIES; i++) {
		took = closing_takes(open_it, who);
		least = took < least ? took : least;
	}
	return least;
}

/*
 * Check that @who, which has the last copy of a descriptor, does not spend the time for closing it.
 * The call must not take longer than one that closes a small object, which also wakes a worker.
 */
static void does_not_pay_for(struct __test_metadata *_metadata, int (*open_it)(void),
			     int (*open_small)(void), enum closer who)
{
	__u64 own, others, small;

	if (access(ACCOUNTS, R_OK))
		SKIP(return, "no debugfs");
	own = least_of_tries(open_it, OWNER);
	EXPECT_EQ(0, account_of(0).counters);
	others = least_of_tries(open_it, who);
	small = least_of_tries(open_small, who);
	EXPECT_LT(others, small + own / 2)
		TH_LOG("own %llu, others %llu, small %llu", own, others, small);
	/* The object is closed nevertheless. */
	EXPECT_TRUE(has_nothing_soon(0, 10000));
}

static void does_not_pay(struct __test_metadata *_metadata, enum closer who)
{
	does_not_pay_for(_metadata, bound_large_set, bound_small_set, who);
	does_not_pay_for(_metadata, device_with_tags, device_open, who);
}

TEST(another_user_does_not_pay)
{
	does_not_pay(_metadata, ANOTHER_USER);
}

/* A set-user-ID program still has the caller's real user ID. */
TEST(a_set_user_id_program_does_not_pay)
{
	does_not_pay(_metadata, SET_USER_ID);
}

/*
 * User 0 without capabilities, as in a container, has a different account from root's, although the
 * user ID is the same.
 */
TEST(user_0_without_capabilities_does_not_pay)
{
	does_not_pay(_metadata, POWERLESS_ROOT);
}

TEST_HARNESS_MAIN
