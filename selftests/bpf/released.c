// SPDX-License-Identifier: GPL-2.0-or-later
/* The module can be unloaded as soon as tracing is off. */
#include <sys/stat.h>

#include "bpf_test.h"

#define ROUNDS	5

TEST(module_is_not_in_use)
{
	struct shim_trace_options options = { .size = sizeof(options), .flags = SHIM_TRACE_F_MODULE };
	const char *missing;

	ASSERT_EQ(0, trace_place(SHIM_TRACE_F_MODULE, &missing));
	if (missing || access("/vcpc.ko", R_OK))
		SKIP(return, "%s", missing ? missing : "/vcpc.ko exists only in the test VM");
	for (int i = 0; i < ROUNDS; i++) {
		int ret, file;

		ASSERT_EQ(0, shim_trace_on(&options));
		ASSERT_EQ(0, shim_trace_off());
		ret = syscall(SYS_delete_module, "vcpc", O_NONBLOCK);
		EXPECT_EQ(0, ret) TH_LOG("round %d: %s", i, strerror(errno));
		if (ret)
			break;
		file = open("/vcpc.ko", O_RDONLY | O_CLOEXEC);
		ASSERT_EQ(0, syscall(SYS_finit_module, file, "", 0));
		close(file);
		/* Tests that run later open the device as other users. */
		ASSERT_EQ(0, chmod("/dev/vcpc", 0666));
	}
}

TEST_HARNESS_MAIN
