// SPDX-License-Identifier: GPL-2.0-or-later
/* VCPC_IOC_TRACE: each call fires its tracepoint, and each way to be refused. */
#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>

#include "vcpc_test.h"

#define TRACING "/sys/kernel/tracing/"

FIXTURE(trace) {
	int device;
	__u32 tag;
	struct vcpc_trace_args args;
	bool listens;
};

static int put(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_TRUNC);
	int ret = fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text) ? 0 : -1;

	close(fd);
	return ret;
}

FIXTURE_SETUP(trace)
{
	struct vcpc_trace_tag_args args = {
		.size = sizeof(args), .name = pointer("vcpc-test-trace"), .name_len = 15,
	};

	self->device = device_open();
	ASSERT_EQ(0, call(self->device, VCPC_IOC_TRACE_TAG, &args));
	self->tag = args.tag;
	self->args = (struct vcpc_trace_args) {
		.size = sizeof(self->args), .op = VCPC_TRACE_BEGIN, .tag = args.tag,
	};
	self->listens = !put(TRACING "events/vcpc/enable", "1") && !put(TRACING "trace", "\n");
}

FIXTURE_TEARDOWN(trace)
{
	put(TRACING "events/vcpc/enable", "0");
	close(self->device);
}

static int fire(int device, struct vcpc_trace_args args, __u32 op, __u32 flags, __u64 value)
{
	args.op = op;
	args.flags = flags;
	args.value = value;
	return call(device, VCPC_IOC_TRACE, &args);
}

/* Is there a line with all of this in the trace? */
static bool traced(const char *event, const char *rest)
{
	FILE *f = fopen(TRACING "trace", "r");
	char line[512];
	bool found = false;

	while (f && fgets(line, sizeof(line), f))
		found |= strstr(line, event) && strstr(line, rest);
	if (f)
		fclose(f);
	return found;
}

static void *in_thread(void *arg)
{
	struct vcpc_trace_args *args = arg;

	args->value = own_tid();
	return NULL;
}

TEST_F(trace, transactions)
{
	static const struct {
		__u32 op;
		const char *event;
	} ops[] = {
		{ VCPC_TRACE_BEGIN, "vcpc_begin:" },
		{ VCPC_TRACE_END, "vcpc_end:" },
		{ VCPC_TRACE_ABORT, "vcpc_abort:" },
	};
	char by_process[128], by_thread[128];
	unsigned int i;

	if (!self->listens)
		SKIP(return, "no tracefs at " TRACING);
	snprintf(by_process, sizeof(by_process), "tag=%u name=\"vcpc-test-trace\" pid=%d",
		 self->tag, getpid());
	snprintf(by_thread, sizeof(by_thread), "tag=%u name=\"vcpc-test-trace\" tid=%d",
		 self->tag, own_tid());
	for (i = 0; i < 3; i++) {
		EXPECT_FALSE(traced(ops[i].event, by_process));
		ASSERT_EQ(0, fire(self->device, self->args, ops[i].op, 0, 0));
		EXPECT_TRUE(traced(ops[i].event, by_process));
		EXPECT_FALSE(traced(ops[i].event, by_thread));
		ASSERT_EQ(0, fire(self->device, self->args, ops[i].op, VCPC_TRACE_F_THREAD, 0));
		EXPECT_TRUE(traced(ops[i].event, by_thread));
	}
}

TEST_F(trace, values)
{
	if (!self->listens)
		SKIP(return, "no tracefs at " TRACING);
	ASSERT_EQ(0, fire(self->device, self->args, VCPC_TRACE_POINT, 0, 0));
	EXPECT_TRUE(traced("vcpc_value:", "point double=0x0000000000000000"));
	ASSERT_EQ(0, fire(self->device, self->args, VCPC_TRACE_OBSERVE, 0, 0x4045000000000000));
	EXPECT_TRUE(traced("vcpc_value:", "observe double=0x4045000000000000"));
	ASSERT_EQ(0, fire(self->device, self->args, VCPC_TRACE_COUNTER, 0, ~0ULL));
	EXPECT_TRUE(traced("vcpc_value:", "counter double=0xffffffffffffffff"));
}

static int begins_and_dies(void *arg)
{
	struct vcpc_trace_args *args = arg;
	int device = device_open();
	struct vcpc_trace_tag_args tag = {
		.size = sizeof(tag), .name = pointer("vcpc-test-trace"), .name_len = 15,
	};

	if (call(device, VCPC_IOC_TRACE_TAG, &tag))
		return 1;
	return fire(device, *args, args->op, 0, 0) ? 2 : 0;
}

TEST_F(trace, gone)
{
	char gone[32];
	pid_t pid;
	int status;

	if (!self->listens)
		SKIP(return, "no tracefs at " TRACING);
	pid = fork();
	if (!pid)
		_exit(begins_and_dies(&self->args));
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	ASSERT_EQ(0, status);
	snprintf(gone, sizeof(gone), "pid=%d\n", pid);
	EXPECT_TRUE(traced("vcpc_gone:", gone));

	/* Whoever began nothing leaves nothing behind. */
	self->args.op = VCPC_TRACE_END;
	pid = fork();
	if (!pid)
		_exit(begins_and_dies(&self->args));
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	ASSERT_EQ(0, status);
	snprintf(gone, sizeof(gone), "pid=%d\n", pid);
	EXPECT_FALSE(traced("vcpc_gone:", gone));
}

/* A descriptor shared with a child: both are told of when the last copy goes. */
TEST_F(trace, gone_with_a_shared_descriptor)
{
	char gone[2][32];
	pid_t pid;

	if (!self->listens)
		SKIP(return, "no tracefs at " TRACING);
	ASSERT_EQ(0, fire(self->device, self->args, VCPC_TRACE_BEGIN, 0, 0));
	pid = fork();
	if (!pid)
		_exit(fire(self->device, self->args, VCPC_TRACE_BEGIN, 0, 0) ? 1 : 0);
	waitpid(pid, NULL, 0);
	snprintf(gone[0], sizeof(gone[0]), "pid=%d\n", getpid());
	snprintf(gone[1], sizeof(gone[1]), "pid=%d\n", pid);
	EXPECT_FALSE(traced("vcpc_gone:", gone[0]));
	close(self->device);
	EXPECT_TRUE(traced("vcpc_gone:", gone[0]));
	EXPECT_TRUE(traced("vcpc_gone:", gone[1]));
}

TEST_F(trace, tag_of_another_descriptor)
{
	int other = device_open();

	EXPECT_EQ(-ENOENT, fire(other, self->args, VCPC_TRACE_BEGIN, 0, 0));
	self->args.tag = 0;
	EXPECT_EQ(-ENOENT, fire(self->device, self->args, VCPC_TRACE_BEGIN, 0, 0));
	self->args.tag = ~0U;
	EXPECT_EQ(-ENOENT, fire(self->device, self->args, VCPC_TRACE_BEGIN, 0, 0));
	close(other);
}

TEST_F(trace, wrong_arguments)
{
	static const __u32 transact[] = { VCPC_TRACE_BEGIN, VCPC_TRACE_END, VCPC_TRACE_ABORT };
	static const __u32 others[] = { VCPC_TRACE_POINT, VCPC_TRACE_OBSERVE, VCPC_TRACE_COUNTER };
	struct {
		struct vcpc_trace_args args;
		__u64 more;
	} longer = { .args = self->args };
	unsigned int i;

	for (i = 0; i < 3; i++) {
		EXPECT_EQ(-EINVAL, fire(self->device, self->args, transact[i], 2, 0));
		EXPECT_EQ(-EINVAL, fire(self->device, self->args, others[i], VCPC_TRACE_F_THREAD, 0));
	}
	EXPECT_EQ(-EINVAL, fire(self->device, self->args, VCPC_TRACE_BEGIN, 0, 1));
	EXPECT_EQ(-EINVAL, fire(self->device, self->args, VCPC_TRACE_POINT, 0, 1));
	EXPECT_EQ(-EINVAL, fire(self->device, self->args, 0, 0, 0));
	EXPECT_EQ(-EINVAL, fire(self->device, self->args, 7, 0, 0));
	EXPECT_EQ(-EINVAL, fire(self->device, self->args, ~0U, 0, 0));
	longer.args.size = sizeof(longer);
	EXPECT_EQ(0, call(self->device, VCPC_IOC_TRACE, &longer));
	longer.more = 1;
	EXPECT_EQ(-E2BIG, call(self->device, VCPC_IOC_TRACE, &longer));
	longer.args.size = sizeof(longer.args) - 8;
	EXPECT_EQ(-EINVAL, call(self->device, VCPC_IOC_TRACE, &longer));
	EXPECT_EQ(-EFAULT, call(self->device, VCPC_IOC_TRACE, NULL));
}

static int advise(int device, __u32 tag, __u32 flags, __u64 value, int advice)
{
	return -posix_fadvise(device, tag | (__u64)flags << 32, value, advice);
}

/* The same without an argument struct */
TEST_F(trace, by_advice)
{
	const int begin = VCPC_TRACE_ADVICE | VCPC_TRACE_BEGIN;
	const int end = VCPC_TRACE_ADVICE | VCPC_TRACE_END;
	const int value = VCPC_TRACE_ADVICE | VCPC_TRACE_COUNTER;
	char text[128];

	EXPECT_EQ(-EINVAL, advise(self->device, self->tag, 0, 0, VCPC_TRACE_BEGIN));
	EXPECT_EQ(-EINVAL, advise(self->device, self->tag, 0, 0, VCPC_TRACE_ADVICE));
	EXPECT_EQ(-EINVAL, advise(self->device, self->tag, 0, 0, VCPC_TRACE_ADVICE | 7));
	EXPECT_EQ(-EINVAL, advise(self->device, self->tag, 0, 0, -1));
	EXPECT_EQ(-EINVAL, advise(self->device, self->tag, 2, 0, begin));
	EXPECT_EQ(-EINVAL, advise(self->device, self->tag, 0, 1, begin));
	EXPECT_EQ(-ENOENT, advise(self->device, ~0U, 0, 0, begin));
	EXPECT_EQ(0, advise(self->device, self->tag, VCPC_TRACE_F_THREAD, 0, begin));
	EXPECT_EQ(0, advise(self->device, self->tag, 0, ~0ULL, value));
	if (!self->listens)
		SKIP(return, "no tracefs at " TRACING);
	snprintf(text, sizeof(text), "tag=%u name=\"vcpc-test-trace\" tid=%d", self->tag, own_tid());
	EXPECT_TRUE(traced("vcpc_begin:", text));
	EXPECT_TRUE(traced("vcpc_value:", "counter double=0xffffffffffffffff"));
	EXPECT_EQ(0, advise(self->device, self->tag, 0, 4711, end));
	EXPECT_TRUE(traced("vcpc_end:", "start=4711"));
}

/* The page says who listens, and cannot be written. */
TEST_F(trace, page)
{
	const size_t size = sysconf(_SC_PAGESIZE);
	const volatile struct vcpc_trace_page *page;

	EXPECT_EQ(MAP_FAILED, mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, self->device, 0));
	EXPECT_EQ(MAP_FAILED, mmap(NULL, size, PROT_READ | PROT_EXEC, MAP_SHARED, self->device, 0));
	EXPECT_EQ(MAP_FAILED, mmap(NULL, 2 * size, PROT_READ, MAP_SHARED, self->device, 0));
	EXPECT_EQ(MAP_FAILED, mmap(NULL, size, PROT_READ, MAP_SHARED, self->device, size));
	page = mmap(NULL, size, PROT_READ, MAP_SHARED, self->device, 0);
	ASSERT_NE(MAP_FAILED, page);
	EXPECT_EQ(sizeof(*page), page->size);
	EXPECT_EQ(-1, mprotect((void *)page, size, PROT_READ | PROT_WRITE));
	EXPECT_EQ(-1, mprotect((void *)page, size, PROT_READ | PROT_EXEC));
	EXPECT_EQ(self->listens ? VCPC_TRACE_LISTENING | VCPC_TRACE_BEGINS : 0, page->flags);
	put(TRACING "events/vcpc/enable", "0");
	EXPECT_EQ(0, page->flags);
	munmap((void *)page, size);
}

TEST_F(trace, thread_id)
{
	struct vcpc_trace_args args = self->args;
	pthread_t thread;

	/* What gettid() says in a thread is not the process's id. */
	ASSERT_EQ(0, pthread_create(&thread, NULL, in_thread, &args));
	pthread_join(thread, NULL);
	EXPECT_NE(getpid(), args.value);
}

TEST_HARNESS_MAIN
