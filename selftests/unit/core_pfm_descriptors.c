// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * If libpfm cannot open a file that it needs, loading libpfm fails, and a later attempt succeeds.
 */
#include <errno.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "core/event.h"
#include "core/pfm.h"
#include "kselftest_harness.h"

/* Leave @n descriptors available. */
static void leave(rlim_t n)
{
	struct rlimit limit;
	int fd = open("/", O_RDONLY | O_CLOEXEC);

	getrlimit(RLIMIT_NOFILE, &limit);
	limit.rlim_cur = n == RLIM_INFINITY ? limit.rlim_max : (rlim_t)fd + n;
	setrlimit(RLIMIT_NOFILE, &limit);
	close(fd);
}

static int count(void *arg, const char *name, const char *desc)
{
	(void)name;
	(void)desc;
	++*(int *)arg;
	return 0;
}

TEST(each_descriptor)
{
	struct vcpc_request req;
	const char *cpu;
	int n = 0;

	/* Leave no descriptor for the directory of the PMUs, or none for the first PMU's file. */
	for (rlim_t left = 0; left < 2; left++) {
		leave(left);
		EXPECT_EQ(-EMFILE, shim_pfm__cpu(&cpu));
		EXPECT_EQ(NULL, cpu);
		EXPECT_EQ(-EMFILE, shim_pfm__walk(count, &n));
		EXPECT_EQ(-EMFILE, shim_event__parse("no-such-thing", &req));
		EXPECT_EQ(0, shim_event__parse("page-faults", &req));
	}
	EXPECT_EQ(0, n);
	leave(RLIM_INFINITY);
	EXPECT_EQ(-ENOENT, shim_event__parse("no-such-thing", &req));
	EXPECT_EQ(0, shim_pfm__walk(count, &n));
	EXPECT_EQ(0, shim_pfm__cpu(&cpu));
}

TEST_HARNESS_MAIN
