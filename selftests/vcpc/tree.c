// SPDX-License-Identifier: GPL-2.0-or-later
/* With VCPC_BIND_F_TREE, new threads and processes have instances, which totals include. */
#include "inherited.h"
#include "vcpc_test.h"

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

TEST(threads_and_processes)
{
	int set = set_of(&page_faults, 0);
	struct room room;
	int pages = 1000;
	__u64 value;

	ASSERT_GE(set, 0);
	ASSERT_EQ(0, set_bind(set, VCPC_BIND_F_TREE));
	in_thread(pages);
	value = first_total(set);
	EXPECT_GE(value, 1000);
	EXPECT_LT(value, 1500);
	ASSERT_EQ(0, in_child(child, &pages));
	ASSERT_EQ(0, set_total(set, &room));
	EXPECT_GE(room.sample.values[0] - value, 1200);
	EXPECT_LT(room.sample.values[0] - value, 3000);
	EXPECT_EQ(VCPC_STATE_COUNTING, room.sample.state);
	EXPECT_EQ(5, set_count(set).nr);
	/* read(2) returns the caller's own sample. */
	EXPECT_EQ(sizeof(room.sample) + 8, read(set, &room, sizeof(room)));
	EXPECT_LT(room.sample.values[0], 1000);
}

TEST(while_they_live)
{
	int set = set_of(&page_faults, 0);
	int pipes[2];
	char byte;
	pid_t pid;

	ASSERT_GE(set, 0);
	ASSERT_EQ(0, pipe(pipes));
	ASSERT_EQ(0, set_bind(set, VCPC_BIND_F_TREE));
	pid = fork();
	if (!pid) {
		touch(2000);
		if (write(pipes[1], "x", 1) == 1)
			pause();
		_exit(0);
	}
	ASSERT_EQ(1, read(pipes[0], &byte, 1));
	EXPECT_GE(first_total(set), 2000);
	EXPECT_GE(first_value(set, pid), 2000);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	EXPECT_GE(first_total(set), 2000);
	EXPECT_GE(first_value(set, pid), 2000);
}

/* If the target exits before its child, the total continues to count until the child exits. */
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
		if (set_bind(set, VCPC_BIND_F_TREE))
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
	ASSERT_EQ(0, set_total(set, &room));
	EXPECT_EQ(VCPC_STATE_COUNTING, room.sample.state);
	EXPECT_LT(room.sample.values[0], 2000);
	ASSERT_EQ(1, write(go[1], "x", 1));
	ASSERT_EQ(1, read(done[0], &byte, 1));
	EXPECT_GE(first_total(set), 3000);
	EXPECT_LT(first_value(set, pid), 3000);
	close(go[1]);
	/* Wait, because the pipe reaches its end shortly before the child exits. */
	EXPECT_EQ(0, read(done[0], &byte, 1));
	usleep(100000);
	ASSERT_EQ(0, set_total(set, &room));
	EXPECT_EQ(VCPC_STATE_COUNTING | VCPC_STATE_EXITED, room.sample.state);
	EXPECT_GE(room.sample.values[0], 3000);
}

/* If a set is bound to two trees, the total includes both. */
TEST(trees_together)
{
	int set = set_of(&page_faults, 0);
	struct vcpc_instance_info info[8];
	struct vcpc_instances_args args;
	pid_t roots[2];
	int i, status;

	ASSERT_GE(set, 0);
	for (i = 0; i < 2; i++) {
		int pages = 1000 * (i + 1);

		roots[i] = fork();
		if (!roots[i]) {
			if (set_bind(set, VCPC_BIND_F_TREE))
				_exit(1);
			_exit(in_child(grandchild, &pages));
		}
		ASSERT_EQ(roots[i], waitpid(roots[i], &status, 0));
		ASSERT_EQ(0, status);
	}
	EXPECT_GE(first_total(set), 3000);
	EXPECT_LT(first_total(set), 3000 + 2 * 800);
	ASSERT_EQ(0, set_instances(set, info, 8, &args));
	ASSERT_EQ(4, args.nr);
	for (i = 0; i < 4; i++)
		EXPECT_EQ(roots[i / 2], info[i].root);
	/* This process has no instance, so its only valid calls are those on the whole set. */
	EXPECT_EQ(-EINVAL, set_own(set, VCPC_IOC_UNBIND));
	ASSERT_EQ(0, set_unbind_all(set));
	EXPECT_EQ(-EINVAL, set_total(set, &(struct room) { 0 }));
	EXPECT_EQ(0, set_count(set).nr);
}

/* If a process waits for execve before it counts, its children wait for their own execve. */
TEST(heirs_of_who_waits_wait)
{
	int set = set_of(&page_faults, 0);
	int pages = 1000;

	ASSERT_GE(set, 0);
	ASSERT_EQ(0, set_bind(set, VCPC_BIND_F_TREE | VCPC_BIND_F_ENABLE_ON_EXEC));
	ASSERT_EQ(0, in_child(grandchild, &pages));
	EXPECT_EQ(0, first_total(set));
	ASSERT_EQ(0, system("exit 0"));
	EXPECT_GT(first_total(set), 0);
	EXPECT_EQ(0, first_value(set, 0));
}

TEST(a_listing)
{
	struct vcpc_instance_info info[4];
	int set = set_of(&page_faults, 0);
	struct vcpc_instances_args args;
	int pages = 1;

	ASSERT_GE(set, 0);
	EXPECT_EQ(0, set_count(set).nr);
	ASSERT_EQ(0, set_bind(set, VCPC_BIND_F_TREE));
	ASSERT_EQ(0, in_child(grandchild, &pages));
	memset(info, 0x55, sizeof(info));
	ASSERT_EQ(0, set_instances(set, info, 4, &args));
	ASSERT_EQ(2, args.nr);
	EXPECT_EQ(0, args.folded);
	EXPECT_EQ(0, args.pending);
	EXPECT_EQ(0, args.lost);
	EXPECT_EQ(getpid(), info[0].tid);
	EXPECT_EQ(getpid(), info[0].tgid);
	EXPECT_EQ(getpid(), info[0].root);
	EXPECT_EQ(VCPC_BIND_F_TREE, info[0].bind_flags);
	EXPECT_EQ(VCPC_STATE_COUNTING, info[0].state);
	EXPECT_EQ(getpid(), info[1].root);
	EXPECT_EQ(info[1].tid, info[1].tgid);
	EXPECT_GT(info[1].tid, 0);
	EXPECT_EQ(VCPC_STATE_COUNTING | VCPC_STATE_EXITED, info[1].state);
	EXPECT_EQ(0, info[1].reserved[0] | info[1].reserved[1] | info[1].reserved[2]);
	EXPECT_EQ(0x55555555, info[2].tid);

	/*
	 * If the buffer is too small for all instances, the oldest ones are written, and the total
	 * number is returned.
	 */
	memset(info, 0x55, sizeof(info));
	ASSERT_EQ(0, set_instances(set, info, 1, &args));
	EXPECT_EQ(2, args.nr);
	EXPECT_EQ(getpid(), info[0].tid);
	EXPECT_EQ(0x55555555, info[1].tid);
}

TEST(a_listing_with_wrong_arguments)
{
	struct vcpc_instance_info info[1];
	int set = set_of(&page_faults, 0);
	struct vcpc_instances_args args = {
		.size = sizeof(args), .info = pointer(info), .info_size = sizeof(info), .room = 1,
	};

	ASSERT_GE(set, 0);
	ASSERT_EQ(0, set_bind(set, 0));
	args.size--;
	EXPECT_EQ(-EINVAL, call(set, VCPC_IOC_INSTANCES, &args));
	args.size++;
	args.flags = 1;
	EXPECT_EQ(-EINVAL, call(set, VCPC_IOC_INSTANCES, &args));
	args.flags = 0;
	args.info_size--;
	EXPECT_EQ(-EINVAL, call(set, VCPC_IOC_INSTANCES, &args));
	args.info_size = 1 << 20;
	EXPECT_EQ(-E2BIG, call(set, VCPC_IOC_INSTANCES, &args));
	args.info_size = sizeof(info);
	args.info = 8;
	EXPECT_EQ(-EFAULT, call(set, VCPC_IOC_INSTANCES, &args));
	EXPECT_EQ(-EFAULT, call(set, VCPC_IOC_INSTANCES, NULL));
	args.info = pointer(info);
	args.room = ~0U;
	EXPECT_EQ(0, call(set, VCPC_IOC_INSTANCES, &args));
	EXPECT_EQ(1, args.nr);
}

TEST_HARNESS_MAIN
