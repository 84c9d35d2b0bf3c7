// SPDX-License-Identifier: GPL-2.0-or-later
/* The back end is the module, perf if there is no module, or the one named in SHIM_BACKEND. */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "core/backend_both.h"
#include "core/session.h"
#include "kselftest_harness.h"

/* The error with which reading the machine's PMUs fails */
static int pmus_error;

int __real_shim_pmus__load(void);
int __wrap_shim_pmus__load(void);

int __wrap_shim_pmus__load(void)
{
	return pmus_error ? pmus_error : __real_shim_pmus__load();
}

/* Without the PMUs, all cores would be of the same kind. */
TEST(the_pmus_cannot_be_read)
{
	struct shim_session *session = NULL;

	pmus_error = -EMFILE;
	EXPECT_EQ(-EMFILE, shim_session__open(&session));
	EXPECT_EQ(NULL, session);
}

TEST(the_module_is_the_back_end)
{
	EXPECT_EQ(&shim_backend__both, shim_session__backend());
}

TEST(no_module_is_enodev_if_it_was_named)
{
	struct shim_session *session = NULL;

	if (!access("/dev/vcpc", F_OK))
		SKIP(return, "the vcpc module is loaded");
	setenv("SHIM_BACKEND", "vcpc", 1);
	EXPECT_EQ(-ENODEV, shim_session__open(&session));
	EXPECT_EQ(NULL, session);
}

TEST(perf_is_next)
{
	struct shim_session *session = NULL;
	int ret = shim_session__open(&session);

	if (!access("/dev/vcpc", F_OK))
		SKIP(return, "the vcpc module is loaded");
	if (ret == -EACCES || ret == -ENODEV)
		SKIP(return, "perf_event_open(2) is not allowed here");
	ASSERT_EQ(0, ret);
	EXPECT_EQ(&shim_backend__perf, shim_session__ops(session));
	shim_session__close(session);
}

TEST(perf_if_it_was_named)
{
	setenv("SHIM_BACKEND", "perf", 1);
	EXPECT_EQ(&shim_backend__perf, shim_session__backend());
	EXPECT_EQ(NULL, shim_session__next(&shim_backend__perf));
	EXPECT_EQ(NULL, shim_session__next(&shim_backend__both));
}

TEST(a_name_that_nobody_has)
{
	struct shim_session *session = NULL;
	char why[256];

	setenv("SHIM_BACKEND", "none", 1);
	EXPECT_EQ(-EINVAL, shim_session__open(&session));
	EXPECT_EQ(NULL, session);
	shim_session__why(NULL, why, sizeof(why));
	EXPECT_STREQ("unknown SHIM_BACKEND 'none' (use vcpc or perf)", why);
	shim_session__why(NULL, why, 5);
	EXPECT_STREQ("unkn", why);
}

TEST_HARNESS_MAIN
