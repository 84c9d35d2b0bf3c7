// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * If a child binds a set to itself and calls execve, its parent can sample it, even after the child
 * has exited.
 */
#include "attack.h"
#include "exec_child.h"
#include "vcpc_test.h"

/* Run this after execve: "--touch PAGES" touches pages, waits for a line, and exits. */
__attribute__((constructor)) static void after_exec(int argc, char **argv)
{
	if (argc == 3 && !strcmp(argv[1], "--touch"))
		touch_for_parent(argv[2]);
}

/* Start a child that binds @set to itself and executes @program on command. */
static void child_start(struct child *c, int set, __u32 flags, uid_t uid, const char *program)
{
	char byte;

	if (!child_fork(c))
		return;
	if (uid && become_nobody())
		_exit(10);
	byte = -set_bind(set, flags);
	if (write(1, &byte, 1) != 1 || read(0, &byte, 1) != 1)
		_exit(11);
	execl(program, program, "--touch", "500", NULL);
	_exit(12);
}

TEST(counts_go_on_through_exec)
{
	int set = set_of(&page_faults, 0);
	struct room room;
	struct child c;
	__u64 value;

	ASSERT_GE(set, 0);
	child_start(&c, set, 0, 0, "/proc/self/exe");
	ASSERT_EQ(0, child_hear(&c));
	EXPECT_LT(first_value(set, c.pid), 400);
	child_say(&c);
	ASSERT_EQ('x', child_hear(&c));
	ASSERT_EQ(0, set_sample(set, c.pid, &room));
	EXPECT_GE(room.sample.values[0], 500);
	EXPECT_EQ(VCPC_STATE_COUNTING, room.sample.state);
	value = room.sample.values[0];

	/* The child can be sampled after its exit, and after its parent has waited for it. */
	ASSERT_EQ(0, child_end(&c));
	ASSERT_EQ(0, set_sample(set, c.pid, &room));
	EXPECT_EQ(VCPC_STATE_COUNTING | VCPC_STATE_EXITED, room.sample.state);
	EXPECT_GE(room.sample.values[0], value);
	value = room.sample.values[0];
	usleep(10000);
	ASSERT_EQ(0, set_sample(set, c.pid, &room));
	EXPECT_EQ(value, room.sample.values[0]);
	EXPECT_EQ(value, first_value(set, 0));
	EXPECT_EQ(-EINVAL, set_own(set, VCPC_IOC_UNBIND));
	EXPECT_EQ(0, set_unbind_all(set));
	EXPECT_EQ(-EINVAL, set_sample(set, c.pid, &room));
}

TEST(enable_on_exec)
{
	int set = set_of(&page_faults, 0);
	struct room room;
	struct child c;

	ASSERT_GE(set, 0);
	child_start(&c, set, VCPC_BIND_F_ENABLE_ON_EXEC, 0, "/proc/self/exe");
	ASSERT_EQ(0, child_hear(&c));
	ASSERT_EQ(0, set_sample(set, c.pid, &room));
	EXPECT_EQ(0, room.sample.values[0]);
	EXPECT_EQ(0, room.sample.tick);
	EXPECT_EQ(0, room.sample.state);
	child_say(&c);
	ASSERT_EQ('x', child_hear(&c));
	ASSERT_EQ(0, set_sample(set, c.pid, &room));
	EXPECT_GE(room.sample.values[0], 500);
	EXPECT_EQ(VCPC_STATE_COUNTING, room.sample.state);
	EXPECT_GT(room.sample.tick, 0);
	ASSERT_EQ(0, child_end(&c));
	ASSERT_EQ(0, set_sample(set, c.pid, &room));
	EXPECT_TRUE(room.sample.state & VCPC_STATE_EXITED);
}

TEST(enable_on_exec_seen_only_after_the_end)
{
	struct vcpc_request requests[2] = { page_faults, page_faults };
	unsigned int nr = 1;
	int device = device_open(), set;
	struct room room;
	struct child c;

	if (hw_slots()) {
		requests[1] = cycles;
		nr = 2;
	}
	set = set_create(device, requests, nr, 0);
	ASSERT_GE(set, 0);
	child_start(&c, set, VCPC_BIND_F_ENABLE_ON_EXEC, 0, "/proc/self/exe");
	ASSERT_EQ(0, child_hear(&c));
	child_say(&c);
	ASSERT_EQ('x', child_hear(&c));
	ASSERT_EQ(0, child_end(&c));
	ASSERT_EQ(0, set_sample(set, c.pid, &room));
	EXPECT_GE(room.sample.values[0], 500);
	EXPECT_TRUE(room.sample.state & VCPC_STATE_EXITED);
	if (nr == 2)
		EXPECT_GT(room.sample.values[1], 1000);
}

/* An instance that waits for execve cannot be disabled, enabled or restarted. */
TEST(only_execve_starts_what_waits_for_it)
{
	int set = set_of(&page_faults, 0);
	struct room room;

	ASSERT_GE(set, 0);
	ASSERT_EQ(0, set_bind(set, VCPC_BIND_F_ENABLE_ON_EXEC));
	touch(50);
	EXPECT_EQ(0, first_value(set, 0));
	EXPECT_EQ(-EINVAL, set_own(set, VCPC_IOC_DISABLE));
	EXPECT_EQ(-EINVAL, set_own(set, VCPC_IOC_RESTART));
	EXPECT_EQ(-EINVAL, set_own(set, VCPC_IOC_ENABLE));
	touch(50);
	ASSERT_EQ(0, set_sample(set, 0, &room));
	EXPECT_EQ(0, room.sample.values[0]);
	EXPECT_EQ(0, room.sample.state);
	EXPECT_EQ(0, set_own(set, VCPC_IOC_UNBIND));
}

FIXTURE(ends) {
	char program[32];
};

FIXTURE_VARIANT(ends) {
	mode_t mode;
};

FIXTURE_VARIANT_ADD(ends, set_user_id) { .mode = 04755 };
FIXTURE_VARIANT_ADD(ends, unreadable) { .mode = 0111 };

FIXTURE_SETUP(ends)
{
	strcpy(self->program, "/tmp/vcpc-exec-XXXXXX");
	ASSERT_EQ(0, copy_program(self->program, variant->mode));
}

FIXTURE_TEARDOWN(ends)
{
	unlink(self->program);
}

/*
 * Counting ends if a program gains privileges or cannot be read by the caller, because the counts
 * would contain information about its execution.
 */
TEST_F(ends, the_counting)
{
	int set = set_of(&page_faults, 0);
	struct room room, later;
	struct child c;

	ASSERT_GE(set, 0);
	child_start(&c, set, 0, NOBODY, self->program);
	ASSERT_EQ(0, child_hear(&c));
	child_say(&c);
	EXPECT_EQ('x', child_hear(&c)) {
		TH_LOG("the child ended with status %#x", child_end(&c));
	}
	ASSERT_EQ(0, set_sample(set, c.pid, &room));
	EXPECT_LT(room.sample.values[0], 400);
	EXPECT_TRUE(room.sample.state & VCPC_STATE_EXITED);
	ASSERT_EQ(0, set_total(set, &room));
	EXPECT_LT(room.sample.values[0], 400);
	ASSERT_EQ(0, set_sample(set, c.pid, &later));
	EXPECT_EQ(room.sample.values[0], later.sample.values[0]);
	EXPECT_EQ(0, child_end(&c));
}

TEST_HARNESS_MAIN
