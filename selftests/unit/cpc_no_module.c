// SPDX-License-Identifier: GPL-2.0-or-later
/* Without a back end, cpc_open() fails as on Solaris without counters. */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "cpc/libcpc.h"
#include "kselftest_harness.h"

TEST(enosys)
{
	if (!access("/dev/vcpc", F_OK))
		SKIP(return, "the vcpc module is loaded");
	setenv("SHIM_BACKEND", "vcpc", 1);
	errno = 0;
	EXPECT_EQ(NULL, cpc_open(CPC_VER_CURRENT));
	EXPECT_EQ(ENOSYS, errno);
}

TEST(the_version_is_looked_at_first)
{
	errno = 0;
	EXPECT_EQ(NULL, cpc_open(CPC_VER_1));
	EXPECT_EQ(EINVAL, errno);
}

TEST_HARNESS_MAIN
