// SPDX-License-Identifier: GPL-2.0-or-later
/* If counts are requested, trace events of threads with a set bound for tracing contain counts. */
#include "exec_child.h"
#include "inherited.h"
#include "trace_calls.h"
#include "vcpc_test.h"

FIXTURE(counts) {
	int device, handle, set;
	bool listens;
};

FIXTURE_SETUP(counts)
{
	self->device = device_open();
	self->handle = tag_handle(self->device, "vcpc-test-counts");
	self->set = set_of(&page_faults, 0);
	self->listens = !listen_by_ftrace();
	ASSERT_LT(0, self->handle);
	ASSERT_LE(0, self->set);
}

FIXTURE_TEARDOWN(counts)
{
	put(TRACING "events/vcpc/enable", "0");
	close(self->set);
	close(self->device);
}

#define NEEDS_FTRACE() do {							\
	if (!self->listens)							\
		SKIP(return, "no tracefs at " TRACING);				\
} while (0)

#define BEGIN_WITH_COUNTS	(VCPC_TRACE_BEGIN | VCPC_TRACE_F_COUNTS)

static int counted(int device)
{
	struct vcpc_info_args info = { .size = sizeof(info) };

	return call(device, VCPC_IOC_INFO, &info) ?: (int)info.counted;
}

/*
 * Return the number of begin events since the trace was cleared, and how many of them had counts.
 */
static int begins(void)
{
	return lines_with("vcpc_begin:", "vcpc-test-counts");
}

static int begins_with_counts(void)
{
	return lines_with("vcpc_begin_counts:", "vcpc-test-counts");
}

TEST_F(counts, only_if_asked_for)
{
	NEEDS_FTRACE();
	ASSERT_EQ(0, set_bind(self->set, VCPC_BIND_F_TRACE));
	EXPECT_EQ(1, counted(self->device));
	ASSERT_EQ(0, fire(self->device, VCPC_TRACE_BEGIN, self->handle, 0));
	EXPECT_EQ(1, begins());
	EXPECT_EQ(0, begins_with_counts());
	ASSERT_EQ(0, fire(self->device, BEGIN_WITH_COUNTS, self->handle, 0));
	EXPECT_EQ(2, begins());
	EXPECT_EQ(1, begins_with_counts());
	ASSERT_EQ(0, fire(self->device, VCPC_TRACE_END | VCPC_TRACE_F_COUNTS, self->handle, 0));
	EXPECT_EQ(1, lines_with("vcpc_end:", "vcpc-test-counts"));
}

TEST_F(counts, only_of_such_a_set)
{
	NEEDS_FTRACE();
	EXPECT_EQ(0, counted(self->device));
	EXPECT_EQ(0, fire(self->device, BEGIN_WITH_COUNTS, self->handle, 0));
	ASSERT_EQ(0, set_bind(self->set, 0));
	EXPECT_EQ(0, counted(self->device));
	EXPECT_EQ(0, fire(self->device, BEGIN_WITH_COUNTS, self->handle, 0));
	EXPECT_EQ(2, begins());
	EXPECT_EQ(0, begins_with_counts());
	ASSERT_EQ(0, set_own(self->set, VCPC_IOC_UNBIND));
	ASSERT_EQ(0, set_bind(self->set, VCPC_BIND_F_TRACE));
	EXPECT_EQ(1, counted(self->device));
	ASSERT_EQ(0, set_own(self->set, VCPC_IOC_UNBIND));
	EXPECT_EQ(0, counted(self->device));
	EXPECT_EQ(0, fire(self->device, BEGIN_WITH_COUNTS, self->handle, 0));
	EXPECT_EQ(0, begins_with_counts());
}

/* A stopped set provides no counts. */
TEST_F(counts, only_while_it_counts)
{
	NEEDS_FTRACE();
	ASSERT_EQ(0, set_bind(self->set, VCPC_BIND_F_TRACE));
	ASSERT_EQ(0, set_own(self->set, VCPC_IOC_DISABLE));
	EXPECT_EQ(0, fire(self->device, BEGIN_WITH_COUNTS, self->handle, 0));
	EXPECT_EQ(0, begins_with_counts());
	ASSERT_EQ(0, set_own(self->set, VCPC_IOC_ENABLE));
	EXPECT_EQ(0, fire(self->device, BEGIN_WITH_COUNTS, self->handle, 0));
	EXPECT_EQ(1, begins_with_counts());
}

static const __u32 others[] = {
	VCPC_TRACE_ABORT, VCPC_TRACE_POINT, VCPC_TRACE_OBSERVE, VCPC_TRACE_COUNTER,
};

TEST_F(counts, refused)
{
	unsigned int i;

	for (i = 0; i < 4; i++)
		EXPECT_EQ(-EINVAL, fire(self->device, others[i] | VCPC_TRACE_F_COUNTS,
					self->handle, 0));
	EXPECT_EQ(-EINVAL, fire(self->device, VCPC_TRACE_F_COUNTS, self->handle, 0));
	EXPECT_EQ(-EINVAL, fire(self->device, BEGIN_WITH_COUNTS, self->handle, 1));
	EXPECT_EQ(-ENOENT, fire(self->device, BEGIN_WITH_COUNTS, 4711, 0));
}

static int heir_is_counted(void *arg)
{
	return counted(*(int *)arg);
}

TEST_F(counts, inherited)
{
	EXPECT_EQ(0, in_child(heir_is_counted, &self->device));
	ASSERT_EQ(0, set_bind(self->set, VCPC_BIND_F_TRACE | VCPC_BIND_F_TREE));
	EXPECT_EQ(1, in_child(heir_is_counted, &self->device));
	ASSERT_EQ(0, set_unbind_all(self->set));
	ASSERT_EQ(0, set_bind(self->set, VCPC_BIND_F_TRACE));
	EXPECT_EQ(0, in_child(heir_is_counted, &self->device));
}

/* Run this in the program after execve: exit with the status that INFO reports. */
__attribute__((constructor)) static void after_exec(int argc, char **argv)
{
	int device;

	if (argc != 2 || strcmp(argv[1], "--counted"))
		return;
	device = device_open();
	_exit(device < 0 ? 100 : counted(device));
}

static int executes(void *arg)
{
	if (set_bind(*(int *)arg, VCPC_BIND_F_TRACE | VCPC_BIND_F_ENABLE_ON_EXEC))
		return 101;
	execl("/proc/self/exe", "trace_counts", "--counted", NULL);
	return 102;
}

/* INFO reports whether the thread's set was bound before execve. */
TEST_F(counts, since_before_execve)
{
	EXPECT_EQ(1, in_child(executes, &self->set));
}

TEST_HARNESS_MAIN
