// SPDX-License-Identifier: GPL-2.0-or-later
/* Each allocation of each call fails once: ENOMEM, nothing changed, and the next try works. */
#include "vcpc_test.h"

#define FAILSLAB	"/sys/kernel/debug/failslab/"
#define ENOUGH		1000

static int put(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	ssize_t len = fd < 0 ? -1 : write(fd, text, strlen(text));

	close(fd);
	return len < 0 ? -1 : 0;
}

/* The calling thread's n-th allocation from now on fails; 0 turns that off. */
static int fail_nth(int fd, int n)
{
	char text[16];
	int len = snprintf(text, sizeof(text), "%d", n);

	return pwrite(fd, text, len, 0) == len ? 0 : -1;
}

static bool has_failed(int fd)
{
	char text[16] = "";

	return pread(fd, text, sizeof(text) - 1, 0) > 0 && atoi(text) == 0;
}

FIXTURE(failslab) {
	bool missing;
	int nth;
	int device;
};

/* A set-up cannot skip. */
#define NEEDS_FAILSLAB()						\
	do {								\
		if (self->missing)					\
			SKIP(return, "this kernel has no failslab");	\
	} while (0)

FIXTURE_SETUP(failslab)
{
	self->nth = open("/proc/thread-self/fail-nth", O_RDWR | O_CLOEXEC);
	self->missing = self->nth < 0 || access(FAILSLAB "ignore-gfp-wait", W_OK);
	if (self->missing)
		return;
	ASSERT_EQ(0, put(FAILSLAB "ignore-gfp-wait", "N"));
	/* No stack in the kernel's log for each. */
	ASSERT_EQ(0, put(FAILSLAB "verbose", "0"));
	self->device = device_open();
	ASSERT_GE(self->device, 0);
}

FIXTURE_TEARDOWN(failslab)
{
	if (self->missing)
		return;
	put(FAILSLAB "ignore-gfp-wait", "Y");
	put(FAILSLAB "verbose", "2");
}

/*
 * Call @fn until no allocation is left to fail; it gives what the call gave,
 * and undoes what the call did if it worked.  Some allocations have a second
 * chance: the call may work though one failed.
 * Return: how often it failed; or -1 if it was with something else than ENOMEM.
 */
static int each_allocation(int nth, int (*fn)(void *arg), void *arg)
{
	int n, ret, failed = 0;

	for (n = 1; n < ENOUGH; n++) {
		if (fail_nth(nth, n))
			return -1;
		ret = fn(arg);
		if (!has_failed(nth))
			return fail_nth(nth, 0) || ret < 0 ? -1 : failed;
		fail_nth(nth, 0);
		if (ret < 0 && ret != -ENOMEM)
			return -1;
		failed += ret < 0;
		/* The next try works. */
		if (ret < 0 && fn(arg) < 0)
			return -1;
	}
	return -1;
}

static int open_device(void *arg)
{
	int fd = open("/dev/vcpc", O_RDWR | O_CLOEXEC);

	(void)arg;
	if (fd < 0)
		return -errno;
	close(fd);
	return 0;
}

TEST_F(failslab, open)
{
	NEEDS_FAILSLAB();
	EXPECT_GT(each_allocation(self->nth, open_device, NULL), 0);
}

static int create(void *arg)
{
	struct vcpc_request requests[2] = { page_faults, task_clock };
	int set = set_create(*(int *)arg, requests, 2, 0);

	if (set >= 0)
		close(set);
	return set;
}

TEST_F(failslab, set_create)
{
	NEEDS_FAILSLAB();
	EXPECT_GT(each_allocation(self->nth, create, &self->device), 0);
}

struct binding {
	int set;
	__u32 flags;
	pid_t tid;
};

static int bind(void *arg)
{
	struct binding *b = arg;
	int ret = set_bind(b->set, b->flags, b->tid);

	/* After a failure it is not bound, after a success it is. */
	if (set_target(b->set, VCPC_IOC_UNBIND, 0) != (ret ? -EINVAL : 0))
		return -EPROTO;
	return ret;
}

TEST_F(failslab, bind)
{
	struct vcpc_request requests[2] = { page_faults, task_clock };
	struct binding b = { .set = set_create(self->device, requests, 2, 0) };

	NEEDS_FAILSLAB();
	ASSERT_GE(b.set, 0);
	EXPECT_GT(each_allocation(self->nth, bind, &b), 0);
	b.flags = VCPC_BIND_F_INHERIT | VCPC_BIND_F_PROCESS;
	EXPECT_GT(each_allocation(self->nth, bind, &b), 0);
	b.flags = VCPC_BIND_F_ENABLE_ON_EXEC;
	EXPECT_GT(each_allocation(self->nth, bind, &b), 0);
}

TEST_F(failslab, bind_child)
{
	struct binding b = { .set = set_of(&page_faults, 0) };

	NEEDS_FAILSLAB();
	b.tid = fork();
	if (!b.tid) {
		pause();
		_exit(0);
	}
	ASSERT_GT(b.tid, 0);
	EXPECT_GT(each_allocation(self->nth, bind, &b), 0);
	kill(b.tid, SIGKILL);
	waitpid(b.tid, NULL, 0);
}

static int sample(void *arg)
{
	int set = *(int *)arg;
	struct room room;
	int ret = set_sample(set, 0, &room) ?: set_target(set, VCPC_IOC_DISABLE, 0);

	return ret ?: set_target(set, VCPC_IOC_ENABLE, 0);
}

/* What is bound needs no more memory. */
TEST_F(failslab, sample_disable_enable)
{
	int set = set_of(&page_faults, 0);

	NEEDS_FAILSLAB();
	ASSERT_EQ(0, set_bind(set, 0, 0));
	EXPECT_EQ(0, each_allocation(self->nth, sample, &set));
}

static int tag_and_begin(void *arg)
{
	struct vcpc_trace_tag_args tag = { .size = sizeof(tag), .name_len = 13 };
	struct vcpc_trace_args begin = { .size = sizeof(begin), .op = VCPC_TRACE_BEGIN };
	int device = *(int *)arg;
	char name[16];
	int ret;

	/* Every time another name, and a file that has not seen this process. */
	snprintf(name, sizeof(name), "vcpc-fail-%03d", rand() % 1000);
	tag.name = pointer(name);
	ret = call(device, VCPC_IOC_TRACE_TAG, &tag);
	begin.tag = tag.tag;
	return ret ?: call(device, VCPC_IOC_TRACE, &begin);
}

static int trace(void *arg)
{
	int device = device_open(), ret;

	(void)arg;
	if (device < 0)
		return -errno;
	ret = tag_and_begin(&device);
	close(device);
	return ret;
}

TEST_F(failslab, trace)
{
	NEEDS_FAILSLAB();
	EXPECT_GT(each_allocation(self->nth, tag_and_begin, &self->device), 0);
	EXPECT_GT(each_allocation(self->nth, trace, NULL), 0);
}

TEST_HARNESS_MAIN
