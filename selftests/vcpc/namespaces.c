// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Threads are identified by their IDs in the caller's PID namespace, regardless of other holders of
 * the descriptor.
 */
#include <sched.h>

#include "exec_child.h"
#include "inherited.h"
#include "vcpc_test.h"

/* Run as the first process of a new PID namespace.  Its parent has also bound the set. */
static int first_of_its_own(int set, pid_t parent)
{
	struct vcpc_instance_info info[2];
	struct vcpc_instances_args args;
	struct room room;

	if (own_tid() != 1)
		return 1;
	if (set_sample(set, parent, &room) != -EINVAL)
		return 2;
	if (set_bind(set, 0) || set_sample(set, 1, &room) || set_bind(set, 0) != -EBUSY)
		return 3;
	/* The ID of a thread that is not visible in this namespace is 0. */
	if (set_instances(set, info, 2, &args) || args.nr != 2)
		return 4;
	if (info[0].tid || info[0].tgid || info[0].root)
		return 5;
	return info[1].tid != 1 || info[1].tgid != 1 || info[1].root != 1 ? 6 : 0;
}

TEST(each_caller_has_its_own_numbers)
{
	struct vcpc_instance_info info[2];
	struct vcpc_instances_args args;
	int set = set_of(&page_faults, 0), ret;
	pid_t parent = own_tid();
	struct room room;
	struct child c;
	char byte;

	ASSERT_GE(set, 0);
	ASSERT_LT(1, parent);
	if (unshare(CLONE_NEWPID))
		SKIP(return, "this kernel has no PID namespaces");
	ASSERT_EQ(0, set_bind(set, 0));
	if (child_fork(&c)) {
		ret = first_of_its_own(set, parent);
		touch(100);
		byte = '0' + ret;
		if (write(1, &byte, 1) != 1 || read(0, &byte, 1) < 0)
			_exit(1);
		_exit(0);
	}
	ASSERT_EQ('0', child_hear(&c));
	EXPECT_EQ(-EINVAL, set_sample(set, 1, &room));
	ASSERT_EQ(0, set_sample(set, c.pid, &room));
	EXPECT_LE(100, room.sample.values[0]);
	ASSERT_EQ(0, set_instances(set, info, 2, &args));
	ASSERT_EQ(2, args.nr);
	EXPECT_EQ(parent, info[0].tid);
	EXPECT_EQ(c.pid, info[1].tid);
	EXPECT_EQ(c.pid, info[1].tgid);
	EXPECT_EQ(c.pid, info[1].root);
	EXPECT_EQ(0, child_end(&c));
	/* After its exit, a thread still has the ID that it had before. */
	ASSERT_EQ(0, set_sample(set, c.pid, &room));
	EXPECT_TRUE(room.sample.state & VCPC_STATE_EXITED);
	EXPECT_EQ(0, set_unbind_all(set));
	close(set);
}

TEST_HARNESS_MAIN
