// SPDX-License-Identifier: GPL-2.0-or-later
/* Threads and processes start, call execve or exit while they are bound, sampled or unbound. */
#include <pthread.h>
#include <time.h>

#include "accounts.h"
#include "inherited.h"
#include "vcpc_test.h"

/* In a VM with -icount, fewer races are possible and guest time passes slowly. */
#define SECONDS	(getenv("VM_ICOUNT") ? 1 : 4)

static volatile bool over;
/* Processes that breed exit with this process, because a failed test does not clean up. */
static pid_t tester;

static void *ends_at_once(void *arg)
{
	return arg;
}

/*
 * Start threads and children until the tester exits.  A child continues with @depth - 1, and
 * executes a program when this is 0.
 */
static void breed(unsigned int depth)
{
	pthread_t thread;

	while (!kill(tester, 0)) {
		if (!pthread_create(&thread, NULL, ends_at_once, NULL))
			pthread_join(thread, NULL);
		if (depth && !fork())
			depth--;
		if (!depth) {
			execl("/proc/self/exe", "exit_races", "--end", NULL);
			_exit(1);
		}
		while (waitpid(-1, NULL, depth ? 0 : WNOHANG) > 0)
			;
	}
	_exit(3);
}

__attribute__((constructor)) static void after_exec(int argc, char **argv)
{
	if (argc == 2 && !strcmp(argv[1], "--end"))
		_exit(0);
}

/* Start breeding in a separate process group, so that the whole group can be killed. */
static pid_t start_breeding(int set)
{
	pid_t pid = fork();

	if (pid)
		return pid;
	setpgid(0, 0);
	if (set_bind(set, VCPC_BIND_F_TREE))
		_exit(1);
	breed(2);
	_exit(2);
}

static void end_breeding(pid_t pid)
{
	kill(-pid, SIGKILL);
	kill(pid, SIGKILL);
	while (waitpid(pid, NULL, 0) == pid)
		;
}

/* Make calls that may fail, but must not crash. */
static void *meddles(void *arg)
{
	static const unsigned long cmds[] = {
		VCPC_IOC_DISABLE, VCPC_IOC_ENABLE, VCPC_IOC_UNBIND,
	};
	struct vcpc_instance_info info[64];
	struct vcpc_instances_args args;
	unsigned int i, j, nr;
	struct room room;
	int set = *(int *)arg;

	for (i = 0; !over; i++) {
		set_bind(set, i % 2 ? VCPC_BIND_F_INHERIT : 0);
		set_total(set, &room);
		set_own(set, cmds[i % 3]);
		if (set_instances(set, info, 64, &args))
			abort();
		nr = args.nr < 64 ? args.nr : 64;
		for (j = 0; j < nr; j++)
			set_sample(set, info[j].tid, &room);
		if (i % 64 == 4)
			set_unbind_all(set);
	}
	return NULL;
}

static __u64 seconds(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec;
}

FIXTURE(races)
{
	int set;
	__u64 end;
};

FIXTURE_SETUP(races)
{
	self->set = set_of(&page_faults, 0);
	ASSERT_GE(self->set, 0);
	self->end = seconds() + SECONDS;
	over = false;
	tester = getpid();
}

FIXTURE_TEARDOWN(races)
{
	close(self->set);
	/* Nothing remains charged once the last inherited instances have been freed. */
	EXPECT_TRUE(has_nothing_soon(0, 5000));
}

TEST_F_TIMEOUT(races, meddled_with, 1200)
{
	pthread_t threads[2];
	pid_t pid;
	int i;

	for (i = 0; i < 2; i++)
		ASSERT_EQ(0, pthread_create(&threads[i], NULL, meddles, &self->set));
	while (seconds() < self->end) {
		pid = start_breeding(self->set);
		usleep(30000);
		end_breeding(pid);
	}
	over = true;
	for (i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
}

/* Without interference, totals are complete at any time, never decrease, and become final. */
TEST_F_TIMEOUT(races, totals_only_grow, 1200)
{
	struct vcpc_instances_args args;
	struct room room;
	__u64 last = 0;
	pid_t pid;
	int i, ret;

	while (seconds() < self->end) {
		pid = start_breeding(self->set);
		for (i = 0; i < 20; i++) {
			usleep(1000);
			ret = set_total(self->set, &room);
			/* Continue if the child has not bound the set yet. */
			if (ret == -EINVAL && !last)
				continue;
			ASSERT_EQ(0, ret);
			ASSERT_GE(room.sample.values[0], last);
			last = room.sample.values[0];
		}
		end_breeding(pid);
	}
	EXPECT_GT(last, 0);
	/* Wait for the last children to exit. */
	for (i = 0; i < 500; i++) {
		ASSERT_EQ(0, set_total(self->set, &room));
		if (room.sample.state & VCPC_STATE_EXITED)
			break;
		usleep(10000);
	}
	EXPECT_TRUE(room.sample.state & VCPC_STATE_EXITED);
	args = set_count(self->set);
	EXPECT_EQ(0, args.lost);
	EXPECT_EQ(0, args.pending);
}

/* If the set is closed while inheriting threads exit, they must not find it. */
TEST_F_TIMEOUT(races, closed_meanwhile, 1200)
{
	pid_t pid;
	int set;

	while (seconds() < self->end) {
		set = set_of(&page_faults, 0);
		ASSERT_GE(set, 0);
		pid = fork();
		if (!pid) {
			setpgid(0, 0);
			if (set_bind(set, VCPC_BIND_F_TREE))
				_exit(1);
			/* Close the child's copies, so that only the parent has the descriptor. */
			close(set);
			close(self->set);
			breed(1);
		}
		usleep(5000);
		close(set);
		usleep(5000);
		end_breeding(pid);
	}
}

TEST_HARNESS_MAIN
