// SPDX-License-Identifier: GPL-2.0-or-later
/* Getting and freeing data a million times does not increase memory usage. */
#include "selftests/synthetic/backend_clock.h"
#include "../aix/work.h"

const struct shim_backend_ops *shim_session__backend(void)
{
	return &shim_backend__clock;
}

TEST(a_million)
{
	pm_prog_mx_t prog, got;
	pm_data_mx_t data;
	long before = 0;
	int i;

	ASSERT_EQ(0, initialize());
	prog = program_mx("PM_INST_CMPL", 4, 10);
	ASSERT_EQ(0, pm_set_program_mythread_mx(&prog));
	for (i = 0; i < 1000000; i++) {
		if (pm_get_data_mythread_mx(&data) || pm_get_program_mythread_mx(&got))
			break;
		free(data.accu_set);
		free(got.events_set);
		if (i == 20000)
			before = resident();
	}
	EXPECT_EQ(1000000, i);
	EXPECT_LT(0, before);
#ifndef __SANITIZE_ADDRESS__
	/* Memory usage is not checked with ASan, which delays the reuse of freed memory. */
	EXPECT_GE(before + 32, resident());
#endif
	ASSERT_EQ(0, pm_delete_program_mythread());
}

TEST_HARNESS_MAIN
