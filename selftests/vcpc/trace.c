// SPDX-License-Identifier: GPL-2.0-or-later
/* Each write to the device fires its tracepoint, or fails with the documented error. */
#include <limits.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include "vcpc_test.h"
#include "trace_calls.h"

FIXTURE(trace) {
	int device;
	__u32 handle;
	__u64 tag;
	bool listens;
};

FIXTURE_SETUP(trace)
{
	struct vcpc_trace_tag_args args;

	self->device = device_open();
	ASSERT_EQ(0, tag_args(self->device, "vcpc-test-trace", 15, &args));
	self->handle = args.handle;
	self->tag = args.tag;
	self->listens = !listen_by_ftrace();
}

FIXTURE_TEARDOWN(trace)
{
	put(TRACING "events/vcpc/enable", "0");
	close(self->device);
}

#define NEEDS_FTRACE() do {							\
	if (!self->listens)							\
		SKIP(return, "no tracefs at " TRACING);				\
} while (0)

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
	char line[128];
	unsigned int i;

	NEEDS_FTRACE();
	snprintf(line, sizeof(line),
		 "tag=%llu name=\"vcpc-test-trace\" user=0 pid=%d file=", self->tag, getpid());
	for (i = 0; i < 3; i++) {
		EXPECT_EQ(0, lines_with(ops[i].event, line));
		ASSERT_EQ(0, fire(self->device, ops[i].op, self->handle, 0));
		EXPECT_EQ(1, lines_with(ops[i].event, line));
	}
}

TEST_F(trace, values)
{
	NEEDS_FTRACE();
	ASSERT_EQ(0, fire(self->device, VCPC_TRACE_POINT, self->handle, 0));
	EXPECT_EQ(1, lines_with("vcpc_value:", "point double=0x0000000000000000"));
	ASSERT_EQ(0, fire(self->device, VCPC_TRACE_OBSERVE, self->handle, 0x4045000000000000));
	EXPECT_EQ(1, lines_with("vcpc_value:", "observe double=0x4045000000000000"));
	ASSERT_EQ(0, fire(self->device, VCPC_TRACE_COUNTER, self->handle, ~0ULL));
	EXPECT_EQ(1, lines_with("vcpc_value:", "counter double=0xffffffffffffffff"));
	ASSERT_EQ(0, fire(self->device, VCPC_TRACE_END, self->handle, 4711));
	EXPECT_EQ(1, lines_with("vcpc_end:", "start=4711"));
}

/*
 * A name can contain any bytes, but its newlines and other control characters do not appear in the
 * text of the trace.
 */
TEST_F(trace, names_are_escaped)
{
	static const char name[] = "a\nvcpc_end: forged\t\x1b[2J\x9b\"\\ \xc3\xa4";
	int handle = tag_handle(self->device, name);

	NEEDS_FTRACE();
	ASSERT_GT(handle, 0);
	ASSERT_EQ(0, fire(self->device, VCPC_TRACE_POINT, handle, 0));
	ASSERT_EQ(0, fire(self->device, VCPC_TRACE_BEGIN, handle, 0));
	EXPECT_EQ(2, lines_with("forged", "name="));
	EXPECT_EQ(1, lines_with("vcpc_value:", "name=\"a\\nvcpc_end: forged\\t\\e[2J\\x9b\\\"\\\\ \\xc3\\xa4\" user="));
	EXPECT_EQ(1, lines_with("vcpc_begin:", "name=\"a\\nvcpc_end: forged\\t\\e[2J\\x9b\\\"\\\\ \\xc3\\xa4\" user="));
}

/* The longest name is accepted, even if each of its bytes is escaped as four. */
TEST_F(trace, long_names_are_escaped)
{
	char name[VCPC_TAG_LEN], text[4 * VCPC_TAG_LEN + 16] = "name=\"";
	int i;

	NEEDS_FTRACE();
	memset(name, 1, sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	for (i = 0; i < VCPC_TAG_LEN - 1; i++)
		strcat(text, "\\x01");
	strcat(text, "\" user");
	ASSERT_EQ(0, fire(self->device, VCPC_TRACE_POINT, tag_handle(self->device, name), 0));
	EXPECT_EQ(1, lines_with("vcpc_value:", text));
}

static int begins_and_dies(void *arg)
{
	const __u32 *op = arg;
	int device = device_open();

	return fire(device, *op, tag_handle(device, "vcpc-test-trace"), 0) ? 1 : 0;
}

TEST_F(trace, gone)
{
	__u32 op = VCPC_TRACE_BEGIN;

	NEEDS_FTRACE();
	EXPECT_EQ(0, in_child(begins_and_dies, &op));
	EXPECT_EQ(1, lines_with("vcpc_gone:", "file="));
	/* No event is fired for a process that has begun no transaction. */
	op = VCPC_TRACE_END;
	EXPECT_EQ(0, in_child(begins_and_dies, &op));
	EXPECT_EQ(1, lines_with("vcpc_gone:", "file="));
}

static int begins(void *arg)
{
	const int *fds = arg;

	return fire(fds[0], VCPC_TRACE_BEGIN, fds[1], 0) ? 1 : 0;
}

/* If a descriptor is shared with children, one event is fired when the last copy is closed. */
TEST_F(trace, gone_with_a_shared_descriptor)
{
	int fds[2] = { self->device, self->handle };
	int i;

	NEEDS_FTRACE();
	for (i = 0; i < 20; i++)
		EXPECT_EQ(0, in_child(begins, fds));
	EXPECT_EQ(20, lines_with("vcpc_begin:", "vcpc-test-trace"));
	EXPECT_EQ(0, lines_with("vcpc_gone:", "file="));
	close(self->device);
	EXPECT_EQ(1, lines_with("vcpc_gone:", "file="));
}

/* Closing a descriptor takes no longer after a hundred thousand transactions. */
TEST_F(trace, release_of_many)
{
	int i;

	for (i = 0; i < 100000; i++)
		ASSERT_EQ(0, fire(self->device, VCPC_TRACE_BEGIN, self->handle, 0));
	close(self->device);
	self->device = device_open();
	EXPECT_GT(tag_handle(self->device, "vcpc-test-trace"), 0);
}

TEST_F(trace, handle_of_another_descriptor)
{
	static const __u32 bad[] = { 0, 2, 15, 16, 17, 1U << 31, ~0U };
	int other = device_open();
	unsigned int i;

	EXPECT_EQ(-ENOENT, fire(other, VCPC_TRACE_BEGIN, self->handle, 0));
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		EXPECT_EQ(-ENOENT, fire(self->device, VCPC_TRACE_BEGIN, bad[i], 0));
	EXPECT_EQ(0, fire(self->device, VCPC_TRACE_BEGIN, self->handle, 0));
	close(other);
}

TEST_F(trace, wrong_events)
{
	static const __u32 transact[] = { VCPC_TRACE_BEGIN, VCPC_TRACE_END, VCPC_TRACE_ABORT };
	static const __u32 others[] = { VCPC_TRACE_POINT, VCPC_TRACE_OBSERVE, VCPC_TRACE_COUNTER };
	unsigned int i;

	for (i = 0; i < 3; i++) {
		EXPECT_EQ(-EINVAL, fire(self->device, transact[i] | 1U << 16, self->handle, 0));
		EXPECT_EQ(-EINVAL, fire(self->device, others[i] | 1U << 16, self->handle, 0));
	}
	EXPECT_EQ(-EINVAL, fire(self->device, VCPC_TRACE_BEGIN, self->handle, 1));
	EXPECT_EQ(-EINVAL, fire(self->device, VCPC_TRACE_POINT, self->handle, 1));
	EXPECT_EQ(-EINVAL, fire(self->device, 0, self->handle, 0));
	EXPECT_EQ(-EINVAL, fire(self->device, 1U << 16, self->handle, 0));
	EXPECT_EQ(-EINVAL, fire(self->device, 7, self->handle, 0));
	EXPECT_EQ(-EINVAL, fire(self->device, ~0U, self->handle, 0));
}

static __attribute__((noinline)) int put_bytes(int fd, const void *from, size_t size)
{
	ssize_t n = write(fd, from, size);

	return n < 0 ? -errno : n;
}

/*
 * A write contains one struct.  A shorter one is rejected, and a longer one is accepted only with
 * trailing zeros.
 */
TEST_F(trace, sizes)
{
	struct {
		struct vcpc_trace_write event;
		char more[8192];
	} longer = { .event = { .op = VCPC_TRACE_BEGIN, .handle = self->handle } };
	int known = sizeof(longer.event), size, read_only;

	for (size = 1; size < known; size++)
		EXPECT_EQ(-EINVAL, put_bytes(self->device, &longer, size));
	for (size = known; size <= 4096; size += 8)
		EXPECT_EQ(size, put_bytes(self->device, &longer, size));
	EXPECT_EQ(-E2BIG, put_bytes(self->device, &longer, sizeof(longer)));
	longer.more[8] = 1;
	EXPECT_EQ(known + 8, put_bytes(self->device, &longer, known + 8));
	EXPECT_EQ(-E2BIG, put_bytes(self->device, &longer, known + 9));
	EXPECT_EQ(-EFAULT, put_bytes(self->device, (void *)8L, known));
	EXPECT_EQ(-EFAULT, put_bytes(self->device, (void *)-4096L, known));
	read_only = open("/dev/vcpc", O_RDONLY);
	EXPECT_EQ(-EBADF, put_bytes(read_only, &longer, known));
	close(read_only);
}

/* An event can end exactly at the end of mapped memory, but not beyond it. */
TEST_F(trace, half_an_event)
{
	const size_t page = sysconf(_SC_PAGESIZE);
	char *at = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct vcpc_trace_write event = { .op = VCPC_TRACE_BEGIN, .handle = self->handle };

	ASSERT_NE(MAP_FAILED, at);
	munmap(at + page, page);
	memcpy(at + page - sizeof(event), &event, sizeof(event));
	EXPECT_EQ(sizeof(event), put_bytes(self->device, at + page - sizeof(event), sizeof(event)));
	memcpy(at + page - 8, &event, 8);
	EXPECT_EQ(-EFAULT, put_bytes(self->device, at + page - 8, sizeof(event)));
	EXPECT_EQ(-EFAULT, put_bytes(self->device, at + page - 4, sizeof(event)));
	munmap(at, page);
}

/* Writes are accepted at any position, including VCPC_TRACE_AT, which no other file accepts. */
TEST_F(trace, positions)
{
	static const long long positions[] = { 0, 1, 4096, 1LL << 40, VCPC_TRACE_AT };
	struct vcpc_trace_write event = { .op = VCPC_TRACE_POINT, .handle = self->handle };
	const struct iovec iov[2] = { { &event, sizeof(event) }, { &event, sizeof(event) } };
	unsigned int i;

	for (i = 0; i < sizeof(positions) / sizeof(positions[0]); i++)
		EXPECT_EQ(sizeof(event), pwrite(self->device, &event, sizeof(event), positions[i]));
	EXPECT_EQ(2 * sizeof(event), writev(self->device, iov, 2));
	if (self->listens)
		EXPECT_EQ(7, lines_with("vcpc_value:", "point"));
}

TEST_F(trace, no_other_file_takes_it)
{
	static const char *const paths[] = {
		"/tmp/vcpc-test-file", "/dev/null", "/dev/zero", "/dev/kmsg", "/dev/console",
		"/proc/self/mem", "/dev/ptmx", "/dev/full",
	};
	struct vcpc_trace_write event = { .op = VCPC_TRACE_POINT, .handle = self->handle };
	int fd, pipes[2], sockets[2];
	unsigned int i;

	for (i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
		fd = open(paths[i], O_RDWR | O_NONBLOCK | O_NOCTTY | (i ? 0 : O_CREAT | O_TRUNC | O_APPEND), 0600);
		if (fd < 0)
			continue;
		EXPECT_GE(0, pwrite(fd, &event, sizeof(event), VCPC_TRACE_AT));
		if (!i)
			EXPECT_EQ(0, lseek(fd, 0, SEEK_END));
		close(fd);
	}
	unlink(paths[0]);
	ASSERT_EQ(0, pipe(pipes));
	EXPECT_EQ(-1, pwrite(pipes[1], &event, sizeof(event), VCPC_TRACE_AT));
	EXPECT_EQ(ESPIPE, errno);
	ASSERT_EQ(0, socketpair(AF_UNIX, SOCK_STREAM, 0, sockets));
	EXPECT_EQ(-1, pwrite(sockets[1], &event, sizeof(event), VCPC_TRACE_AT));
	EXPECT_EQ(ESPIPE, errno);
}

static int advise(int fd, __u32 op, __u64 handle, __u64 value)
{
	return posix_fadvise(fd, value, handle, VCPC_TRACE_ADVICE + op);
}

/* posix_fadvise(2) sends an event, with the same checks as a write. */
TEST_F(trace, advice)
{
	static const __u32 bad[] = { 0, 7, VCPC_TRACE_ABORT | VCPC_TRACE_F_COUNTS, 1u << 31,
				     (__u32)-VCPC_TRACE_ADVICE };
	char line[128];
	size_t i;

	NEEDS_FTRACE();
	snprintf(line, sizeof(line), "tag=%llu name=\"vcpc-test-trace\" user=0 pid=%d", self->tag,
		 getpid());
	EXPECT_EQ(0, advise(self->device, VCPC_TRACE_BEGIN, self->handle, 0));
	EXPECT_EQ(1, lines_with("vcpc_begin:", line));
	EXPECT_EQ(0, advise(self->device, VCPC_TRACE_END, self->handle, 77));
	EXPECT_EQ(1, lines_with("vcpc_end:", "start=77"));
	EXPECT_EQ(0, advise(self->device, VCPC_TRACE_COUNTER, self->handle, 1ull << 63));
	EXPECT_EQ(1, lines_with("vcpc_value:", "counter double=0x8000000000000000"));
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		EXPECT_EQ(EINVAL, advise(self->device, bad[i], self->handle, 0));
	EXPECT_EQ(EINVAL, advise(self->device, VCPC_TRACE_BEGIN, self->handle, 1));
	EXPECT_EQ(ENOENT, advise(self->device, VCPC_TRACE_BEGIN, self->handle + 1, 0));
	EXPECT_EQ(ENOENT, advise(self->device, VCPC_TRACE_BEGIN, self->handle | 1ull << 32, 0));
	EXPECT_EQ(1, lines_with("vcpc_begin:", line));
}

/* The length can contain a thread's number, which is not part of the text, and nothing else. */
TEST_F(trace, advice_with_a_thread)
{
	const __u64 some = (__u64)(VCPC_TRACE_THREAD | 5) << 32, all = ~0ull << 32;
	char line[128];

	NEEDS_FTRACE();
	snprintf(line, sizeof(line), "tag=%llu name=\"vcpc-test-trace\" user=0 pid=%d file=", self->tag,
		 getpid());
	EXPECT_EQ(0, advise(self->device, VCPC_TRACE_BEGIN, self->handle | some, 0));
	EXPECT_EQ(1, lines_with("vcpc_begin:", line));
	EXPECT_EQ(0, advise(self->device, VCPC_TRACE_END, self->handle | all, 77));
	EXPECT_EQ(1, lines_with("vcpc_end:", line));
	EXPECT_EQ(0, advise(self->device, VCPC_TRACE_ABORT, self->handle | some, 0));
	EXPECT_EQ(1, lines_with("vcpc_abort:", line));
	EXPECT_EQ(0, advise(self->device, VCPC_TRACE_POINT, self->handle | some, 0));
	EXPECT_EQ(ENOENT, advise(self->device, VCPC_TRACE_END, (self->handle + 1) | some, 0));
	EXPECT_EQ(ENOENT, advise(self->device, VCPC_TRACE_END, self->handle | 5ull << 32, 0));
	EXPECT_EQ(ENOENT, advise(self->device, VCPC_TRACE_END, 0xffffffff | all, 0));
	EXPECT_EQ(1, lines_with("vcpc_end:", line));
}

/* A descriptor that is not open for writing, or another file, does not accept an event. */
TEST_F(trace, advice_to_others)
{
	static const char *const files[] = { "/dev/null", "/dev/zero", "/proc/self/exe",
					     "/proc/self/status", "/sys/kernel/mm", "/tmp", "/" };
	struct vcpc_trace_tag_args args;
	int fd = open("/dev/vcpc", O_RDONLY | O_CLOEXEC), pipes[2], sockets[2];
	size_t i;

	ASSERT_GE(fd, 0);
	ASSERT_EQ(0, tag_args(fd, "vcpc-test-trace", 15, &args));
	EXPECT_EQ(EINVAL, advise(fd, VCPC_TRACE_BEGIN, args.handle, 0));
	close(fd);
	for (i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		fd = open(files[i], O_RDONLY | O_CLOEXEC);
		ASSERT_GE(fd, 0);
		EXPECT_EQ(EINVAL, advise(fd, VCPC_TRACE_END, self->handle, 77));
		close(fd);
	}
	ASSERT_EQ(0, pipe(pipes));
	EXPECT_EQ(ESPIPE, advise(pipes[1], VCPC_TRACE_BEGIN, self->handle, 0));
	ASSERT_EQ(0, socketpair(AF_UNIX, SOCK_STREAM, 0, sockets));
	EXPECT_EQ(EINVAL, advise(sockets[1], VCPC_TRACE_BEGIN, self->handle, 0));
}

/* The page contains the listener flags, and is read-only. */
TEST_F(trace, page)
{
	const __u32 all = VCPC_TRACE_LISTENING | VCPC_TRACE_BEGINS | VCPC_TRACE_THREADS;
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
	EXPECT_EQ(self->listens ? all : 0, page->flags);
	put(TRACING "events/vcpc/enable", "0");
	EXPECT_EQ(0, page->flags);
	munmap((void *)page, size);
}

TEST_HARNESS_MAIN
