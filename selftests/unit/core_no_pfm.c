// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Without libpfm, perf's names and raw codes can be used, and other names return a specific error.
 */
#include <errno.h>
#include <linux/perf_event.h>
#include <stddef.h>
#include <string.h>

#include "core/event.h"
#include "core/pfm.h"
#include "kselftest_harness.h"

static int asked, error = ENOENT;

/* The linker redirects dlopen() to this function (--wrap). */
void *__wrap_dlopen(const char *name, int flags);

void *__wrap_dlopen(const char *name, int flags)
{
	(void)flags;
	asked += !strcmp(name, "libpfm.so.4");
	errno = error;
	return NULL;
}

TEST(names_of_perf_do_not_ask_for_it)
{
	struct vcpc_request req;

	EXPECT_EQ(0, shim_event__parse("page-faults", &req));
	EXPECT_EQ(PERF_TYPE_SOFTWARE, req.type);
	EXPECT_EQ(0, shim_event__parse("r1f:u", &req));
	EXPECT_EQ(0x1f, req.config);
	EXPECT_EQ(0, asked);
}

TEST(other_names)
{
	struct vcpc_request req = { .config = 7 };

	EXPECT_EQ(-ELIBACC, shim_event__parse("PERF_COUNT_SW_PAGE_FAULTS", &req));
	EXPECT_EQ(-ELIBACC, shim_event__parse("no-such-thing", &req));
	EXPECT_EQ(7, req.config);
	EXPECT_EQ(1, asked);
}

static int count(void *arg, const char *name, const char *desc)
{
	(void)desc;
	*(int *)arg += !strcmp(name, "cycles");
	return 0;
}

/* A temporary failure to load libpfm is returned, and the next call tries again. */
TEST(out_of_descriptors)
{
	struct vcpc_request req;
	int n = 0;

	error = EMFILE;
	EXPECT_EQ(-EMFILE, shim_event__parse("no-such-thing", &req));
	EXPECT_EQ(-EMFILE, shim_event__walk(NULL, count, &n));
	EXPECT_EQ(2, asked);
	error = ENOENT;
	EXPECT_EQ(-ELIBACC, shim_event__parse("no-such-thing", &req));
	EXPECT_EQ(-ELIBACC, shim_event__parse("no-such-thing", &req));
	EXPECT_EQ(3, asked);
}

TEST(lists)
{
	const char *cpu = "";
	int n = 0;

	EXPECT_EQ(0, shim_event__walk(NULL, count, &n));
	EXPECT_EQ(1, n);
	EXPECT_EQ(0, shim_pfm__cpu(&cpu));
	EXPECT_EQ(NULL, cpu);
}

TEST(suggestions)
{
	char meant[SHIM_EVENT_LEN];

	EXPECT_EQ(0, shim_event__suggest("cycels", meant, sizeof(meant)));
	EXPECT_STREQ("cycles", meant);
}

TEST_HARNESS_MAIN
