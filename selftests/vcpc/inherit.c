// SPDX-License-Identifier: GPL-2.0-or-later
/* VCPC_BIND_F_INHERIT: totals over new threads and processes. */
#include <pthread.h>

#include "vcpc_test.h"

static void *touches(void *arg)
{
	touch(*(int *)arg);
	return NULL;
}

static void in_thread(int pages)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, touches, &pages) || pthread_join(thread, NULL))
		abort();
}

static int grandchild(void *arg)
{
	touches(arg);
	return 0;
}

static int child(void *arg)
{
	int pages = 100;

	touches(arg);
	in_thread(pages);
	return in_child(grandchild, &pages);
}

TEST(without_it_nothing_is_inherited)
{
	int set = set_of(&page_faults, 0);
	int pages = 1000;

	ASSERT_GE(set, 0);
	ASSERT_EQ(0, set_bind(set, 0, 0));
	in_thread(pages);
	EXPECT_EQ(0, in_child(child, &pages));
	/* fork and pthread_create have faults of their own. */
	EXPECT_LT(first_value(set, 0), 700);
}

TEST(threads_and_processes)
{
	int set = set_of(&page_faults, 0);
	struct room room;
	int pages = 1000;
	__u64 value;

	ASSERT_GE(set, 0);
	ASSERT_EQ(0, set_bind(set, VCPC_BIND_F_INHERIT, 0));
	in_thread(pages);
	value = first_value(set, 0);
	EXPECT_GE(value, 1000);
	EXPECT_LT(value, 1500);
	ASSERT_EQ(0, in_child(child, &pages));
	ASSERT_EQ(0, set_sample(set, 0, &room));
	EXPECT_GE(room.sample.values[0] - value, 1200);
	EXPECT_LT(room.sample.values[0] - value, 3000);
	EXPECT_EQ(VCPC_STATE_COUNTING, room.sample.state);
	EXPECT_EQ(56 - 8, read(set, &room, sizeof(room)));
}

TEST(while_they_live)
{
	int set = set_of(&page_faults, 0);
	int pipes[2];
	char byte;
	pid_t pid;

	ASSERT_GE(set, 0);
	ASSERT_EQ(0, pipe(pipes));
	ASSERT_EQ(0, set_bind(set, VCPC_BIND_F_INHERIT, 0));
	pid = fork();
	if (!pid) {
		touch(2000);
		if (write(pipes[1], "x", 1) == 1)
			pause();
		_exit(0);
	}
	ASSERT_EQ(1, read(pipes[0], &byte, 1));
	EXPECT_GE(first_value(set, 0), 2000);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	EXPECT_GE(first_value(set, 0), 2000);
}

TEST(disable_and_enable)
{
	int set = set_of(&page_faults, 0);
	int pages = 1000;
	__u64 value;

	ASSERT_GE(set, 0);
	ASSERT_EQ(0, set_bind(set, VCPC_BIND_F_INHERIT, 0));
	in_thread(pages);
	ASSERT_EQ(0, set_target(set, VCPC_IOC_DISABLE, 0));
	value = first_value(set, 0);
	in_thread(pages);
	EXPECT_EQ(value, first_value(set, 0));
	ASSERT_EQ(0, set_target(set, VCPC_IOC_ENABLE, 0));
	EXPECT_LT(first_value(set, 0), value + 100);
	in_thread(pages);
	EXPECT_GE(first_value(set, 0), value + 1000);
}

/* The target ends before its heir: the totals go on, and end with it. */
TEST(heirs_survive_the_target)
{
	int set = set_of(&page_faults, 0);
	int go[2], done[2];
	struct room room;
	char byte;
	pid_t pid;

	ASSERT_GE(set, 0);
	ASSERT_EQ(0, pipe(go));
	ASSERT_EQ(0, pipe(done));
	pid = fork();
	if (!pid) {
		if (set_bind(set, VCPC_BIND_F_INHERIT, 0))
			_exit(1);
		if (!fork()) {
			close(go[1]);
			if (read(go[0], &byte, 1) == 1)
				touch(3000);
			if (write(done[1], "x", 1) != 1 || read(go[0], &byte, 1) < 0)
				_exit(1);
			_exit(0);
		}
		_exit(0);
	}
	close(done[1]);
	ASSERT_EQ(pid, waitpid(pid, NULL, 0));
	ASSERT_EQ(0, set_sample(set, pid, &room));
	EXPECT_EQ(VCPC_STATE_COUNTING, room.sample.state);
	EXPECT_LT(room.sample.values[0], 2000);
	ASSERT_EQ(1, write(go[1], "x", 1));
	ASSERT_EQ(1, read(done[0], &byte, 1));
	EXPECT_GE(first_value(set, pid), 3000);
	close(go[1]);
	/* The end of the pipe is the end of the heir, nearly. */
	EXPECT_EQ(0, read(done[0], &byte, 1));
	usleep(100000);
	ASSERT_EQ(0, set_sample(set, pid, &room));
	EXPECT_EQ(VCPC_STATE_COUNTING | VCPC_STATE_EXITED, room.sample.state);
	EXPECT_GE(room.sample.values[0], 3000);
}

TEST(hardware_totals)
{
	struct vcpc_request request = instructions;
	pthread_t threads[3];
	unsigned int i;
	int set, pages = 10;

	if (!hw_slots())
		SKIP(return, "no hardware counters");
	set = set_of(&request, 0);
	if (set == -ENOENT || set == -EOPNOTSUPP)
		SKIP(return, "the PMU does not count instructions");
	ASSERT_GE(set, 0);
	ASSERT_EQ(0, set_bind(set, VCPC_BIND_F_INHERIT, 0));
	for (i = 0; i < 3; i++)
		ASSERT_EQ(0, pthread_create(&threads[i], NULL, touches, &pages));
	for (i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	spin(1000000);
	EXPECT_GE(first_value(set, 0), 2000000);
	EXPECT_LT(first_value(set, 0), 3000000);
}

TEST_HARNESS_MAIN
