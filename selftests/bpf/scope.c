// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A transaction belongs to a process.  Any thread of the process can end it by passing the number
 * of the thread that began it; other processes cannot.
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

struct in_thread {
	uint32_t tag;
	int fd;
};

static void *end_of_thread(void *arg)
{
	struct in_thread *t = arg;

	raw_fire(t->fd, VCPC_TRACE_END, t->tag);
	return NULL;
}

/* Without a thread number, a transaction belongs to the calling thread. */
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

/* A child that uses the same descriptor has separate transactions. */
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

static int device, device_tag;

static int advise(uint32_t op, uint32_t number)
{
	return posix_fadvise(device, 0, (uint64_t)(VCPC_TRACE_THREAD | number) << 32 | device_tag,
			     VCPC_TRACE_ADVICE + op);
}

static void ends_number_five(void)
{
	if (advise(VCPC_TRACE_END, 5))
		_exit(1);
}

static void *end_number_five(void *unused)
{
	(void)unused;
	return (void *)(intptr_t)advise(VCPC_TRACE_END, 5);
}

/*
 * A thread number refers only to the caller's process, even if processes share a descriptor.  Any
 * thread of the process can end the transaction.
 */
TEST(numbers_of_threads)
{
	struct shim_trace_options options = {
		.size = sizeof(options), .flags = SHIM_TRACE_F_MODULE | SHIM_TRACE_F_BEGINS,
	};
	struct shim_trace_drops drops;
	struct shim_trace *trace;
	void *bad = (void *)1;
	const char *missing;
	pthread_t thread;

	ASSERT_EQ(0, trace_place(SHIM_TRACE_F_MODULE, &missing));
	if (missing)
		SKIP(return, "%s", missing);
	for (int hashed = 0; hashed < 2; hashed++) {
		options.max_open = hashed ? 16 : 0;
		ASSERT_EQ(0, shim_trace_on(&options));
		ASSERT_EQ(0, shim_trace_open(&trace));
		device = open("/dev/vcpc", O_RDWR);
		device_tag = raw_tag(device, "numbered");
		ASSERT_EQ(0, advise(VCPC_TRACE_BEGIN, 5));
		ASSERT_EQ(0, in_child(ends_number_five));
		ASSERT_EQ(0, advise(VCPC_TRACE_END, 6));
		ASSERT_EQ(0, raw_fire(device, VCPC_TRACE_END, device_tag));
		ASSERT_EQ(0, read_drops(&drops));
		EXPECT_EQ(3, drops.not_open);
		EXPECT_EQ(1, open_now(trace));
		ASSERT_EQ(0, pthread_create(&thread, NULL, end_number_five, NULL));
		ASSERT_EQ(0, pthread_join(thread, &bad));
		EXPECT_EQ(NULL, bad);
		EXPECT_EQ(1, count_of("numbered", SHIM_TRACE_TRANSACTION));
		EXPECT_EQ(0, open_now(trace));
		close(device);
		shim_trace_close(trace);
		ASSERT_EQ(0, shim_trace_off());
	}
}

TEST_HARNESS_MAIN
