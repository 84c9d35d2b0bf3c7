/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Make each allocation in a call fail in turn. */
#ifndef VCPC_TEST_FAILSLAB_H
#define VCPC_TEST_FAILSLAB_H

#include "vcpc_test.h"

#define FAILSLAB	"/sys/kernel/debug/failslab/"
#define ENOUGH		1000

static inline int put(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	ssize_t len = fd < 0 ? -1 : write(fd, text, strlen(text));

	close(fd);
	return len < 0 ? -1 : 0;
}

/* Make the calling thread's n-th allocation from now on fail, or none if it is 0. */
static inline int fail_nth(int fd, int n)
{
	char text[16];
	int len = snprintf(text, sizeof(text), "%d", n);

	return pwrite(fd, text, len, 0) == len ? 0 : -1;
}

static inline bool has_failed(int fd)
{
	char text[16] = "";

	return pread(fd, text, sizeof(text) - 1, 0) > 0 && atoi(text) == 0;
}

FIXTURE(failslab) {
	bool missing;
	int nth;
	int device;
};

/* Skip the test in the test itself, because a fixture's set-up cannot skip. */
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
	/* Do not log a stack trace for each failure. */
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
	put(FAILSLAB "probability", "0");
	put(FAILSLAB "task-filter", "N");
}

/*
 * Call @fn repeatedly, each time with another failing allocation, until all have failed.  @fn
 * returns the call's result, and undoes the call if it succeeded.  Some allocations are retried, so
 * the call can succeed although one failed. Return the number of failed calls, or -1 after an error
 * other than ENOMEM.
 */
static inline int each_allocation(int nth, int (*fn)(void *arg), void *arg)
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
		/* The next attempt succeeds. */
		if (ret < 0 && fn(arg) < 0)
			return -1;
	}
	return -1;
}

#endif /* VCPC_TEST_FAILSLAB_H */
