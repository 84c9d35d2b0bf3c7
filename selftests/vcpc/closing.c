// SPDX-License-Identifier: GPL-2.0-or-later
/* Closing a set that somebody else is still busy with: a thread that has not run, another user. */
#include "attack.h"
#include "heirs.h"
#include "vcpc_test.h"

#define REQUESTS	500
#define TRIES		5

static void *does_nothing(void *arg)
{
	return arg;
}

/* A thread that was started before, and runs after that */
TEST(a_thread_that_has_not_run_gets_nothing)
{
	const struct sched_param first = { .sched_priority = 10 };
	int set = set_of(&page_faults, 0), again;
	pthread_t thread;

	ASSERT_GE(set, 0);
	/* New threads are on this CPU, too, and have no such priority. */
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
	/* A new one gets something. */
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

/* How many counters root's sets have open, as debugfs says */
static long root_counters(void)
{
	FILE *f = fopen("/sys/kernel/debug/vcpc/users", "r");
	long counters = 0, n;
	char line[128];

	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "user 0 namespace 0 sets %*d counters %ld", &n) == 1)
			counters = n;
	if (f)
		fclose(f);
	return counters;
}

/* What the last close of root's set takes of the CPU time of a process, root's or nobody's */
static __u64 closing_takes(bool nobody)
{
	int told[2], says[2], set = large_set(), status;
	__u64 took = 0;
	pid_t pid;
	char byte;

	if (set < 0 || set_bind(set, 0) || pipe(told) || pipe(says))
		abort();
	pid = fork();
	if (!pid) {
		__u64 before;

		if ((nobody && become_nobody()) || read(told[0], &byte, 1) != 1)
			_exit(1);
		before = cpu_time();
		close(set);
		took = cpu_time() - before;
		_exit(write(says[1], &took, sizeof(took)) != sizeof(took));
	}
	close(set);
	if (pid < 0 || write(told[1], "x", 1) != 1 || read(says[0], &took, sizeof(took)) != sizeof(took) ||
	    waitpid(pid, &status, 0) != pid || status)
		abort();
	for (int i = 0; i < 2; i++) {
		close(told[i]);
		close(says[i]);
	}
	return took;
}

static __u64 least_of_tries(bool nobody)
{
	__u64 least = ~0ULL, took;

	for (int i = 0; i < TRIES; i++) {
		took = closing_takes(nobody);
		least = took < least ? took : least;
	}
	return least;
}

/* The last copy of a descriptor has come to another user, who does not pay for closing the set. */
TEST(another_user_does_not_wait)
{
	__u64 own, others;
	int ms;

	if (access("/sys/kernel/debug/vcpc/users", R_OK))
		SKIP(return, "no debugfs");
	own = least_of_tries(false);
	EXPECT_EQ(0, root_counters());
	others = least_of_tries(true);
	EXPECT_LT(others, own / 4);
	/* But it is closed. */
	for (ms = 0; ms < 10000 && root_counters(); ms += 10)
		usleep(10000);
	EXPECT_EQ(0, root_counters());
}

#define SETS	12

/* Another user's process holds the last copies of many sets: all are closed, one after the other. */
TEST(another_user_closes_many)
{
	int set[SETS], told[2], status, ms;
	pid_t pid;
	char byte;

	if (access("/sys/kernel/debug/vcpc/users", R_OK))
		SKIP(return, "no debugfs");
	for (int i = 0; i < SETS; i++) {
		set[i] = set_of(&page_faults, 0);
		ASSERT_GE(set[i], 0);
		ASSERT_EQ(0, set_bind(set[i], 0));
	}
	ASSERT_EQ(0, pipe(told));
	pid = fork();
	if (!pid)
		_exit(become_nobody() || read(told[0], &byte, 1) != 1);
	for (int i = 0; i < SETS; i++)
		close(set[i]);
	EXPECT_EQ(2 * SETS, root_counters());
	ASSERT_EQ(1, write(told[1], "x", 1));
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, status);
	for (ms = 0; ms < 10000 && root_counters(); ms += 10)
		usleep(10000);
	EXPECT_EQ(0, root_counters());
	for (int i = 0; i < 2; i++)
		close(told[i]);
}

TEST_HARNESS_MAIN
