// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A transaction belongs to its process: any thread of it that knows the number of the thread that
 * began it can end it, other processes cannot.
 */
#include "bpf_test.h"

FIXTURE(scope) {
	struct shim_trace_drops drops;
	uint32_t tag;
	int fd;
};

FIXTURE_SETUP(scope)
{
	struct shim_trace_options options = {
		.size = sizeof(options), .flags = SHIM_TRACE_F_BEGINS,
	};

	TRACING_ON(&options);
	self->fd = raw_open();
	ASSERT_GE(self->fd, 0);
	self->tag = raw_tag(self->fd, "scope");
	ASSERT_NE(0, self->tag);
}

FIXTURE_TEARDOWN(scope)
{
	close(self->fd);
	shim_trace_off();
}

/* @number: of the thread that began the transaction, or 0 */
struct in_thread {
	uint32_t tag;
	uint32_t number;
	int fd;
};

static int fire_numbered(int fd, uint32_t op, uint32_t tag, uint32_t number)
{
	return posix_fadvise(fd, 0, (uint64_t)(VCPC_TRACE_THREAD | number) << 32 | tag,
			     VCPC_TRACE_ADVICE + op);
}

static void *end_of_thread(void *arg)
{
	struct in_thread *t = arg;

	if (t->number)
		fire_numbered(t->fd, VCPC_TRACE_END, t->tag, t->number);
	else
		raw_fire(t->fd, VCPC_TRACE_END, t->tag);
	return NULL;
}

TEST_F(scope, another_thread_ends_it)
{
	struct in_thread t = { .tag = self->tag, .number = 7, .fd = self->fd };
	pthread_t thread;

	EXPECT_EQ(0, fire_numbered(self->fd, VCPC_TRACE_BEGIN, self->tag, 7));
	ASSERT_EQ(0, pthread_create(&thread, NULL, end_of_thread, &t));
	ASSERT_EQ(0, pthread_join(thread, NULL));
	EXPECT_EQ(1, count_of("scope", SHIM_TRACE_TRANSACTION));
	EXPECT_EQ(0, raw_fire(self->fd, VCPC_TRACE_END, self->tag));
	EXPECT_EQ(1, count_of("scope", SHIM_TRACE_TRANSACTION));
	ASSERT_EQ(0, read_drops(&self->drops));
	EXPECT_EQ(1, self->drops.not_open);
}

/* Without a number, a transaction belongs to the calling thread. */
TEST_F(scope, another_thread_needs_the_number)
{
	struct in_thread t = { .tag = self->tag, .fd = self->fd };
	pthread_t thread;

	EXPECT_EQ(0, raw_fire(self->fd, VCPC_TRACE_BEGIN, self->tag));
	ASSERT_EQ(0, pthread_create(&thread, NULL, end_of_thread, &t));
	ASSERT_EQ(0, pthread_join(thread, NULL));
	EXPECT_EQ(0, count_of("scope", SHIM_TRACE_TRANSACTION));
	ASSERT_EQ(0, read_drops(&self->drops));
	EXPECT_EQ(1, self->drops.not_open);
	EXPECT_EQ(0, raw_fire(self->fd, VCPC_TRACE_END, self->tag));
	EXPECT_EQ(1, count_of("scope", SHIM_TRACE_TRANSACTION));
}

/* A child that uses the same descriptor has its own transactions. */
TEST_F(scope, processes_have_their_own)
{
	int status;
	pid_t pid;

	EXPECT_EQ(0, raw_fire(self->fd, VCPC_TRACE_BEGIN, self->tag));
	pid = fork();
	if (!pid) {
		raw_fire(self->fd, VCPC_TRACE_END, self->tag);
		_exit(0);
	}
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, count_of("scope", SHIM_TRACE_TRANSACTION));
	EXPECT_EQ(0, raw_fire(self->fd, VCPC_TRACE_END, self->tag));
	EXPECT_EQ(1, count_of("scope", SHIM_TRACE_TRANSACTION));
}

TEST_HARNESS_MAIN
