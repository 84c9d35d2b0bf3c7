// SPDX-License-Identifier: GPL-2.0-or-later
/* Nothing is picked instead of the module when it is not there. */
#include <errno.h>
#include <unistd.h>

#include "core/session.h"
#include "kselftest_harness.h"

TEST(the_module_is_the_back_end)
{
	EXPECT_EQ(&shim_backend__vcpc, shim_session__backend());
}

TEST(no_module_is_enodev)
{
	struct shim_session *session = NULL;

	if (!access("/dev/vcpc", F_OK))
		SKIP(return, "the vcpc module is loaded");
	EXPECT_EQ(-ENODEV, shim_session__open(&session));
	EXPECT_EQ(NULL, session);
}

TEST_HARNESS_MAIN
