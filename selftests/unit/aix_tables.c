// SPDX-License-Identifier: GPL-2.0-or-later
/* Run selftests/aix/tables.c on the synthetic PMU, whose clock the test must advance. */
#include "selftests/synthetic/backend_clock.h"
#include "../aix/work.h"

const struct shim_backend_ops *shim_session__backend(void)
{
	return &shim_backend__clock;
}

static const pm_events2_t *event_of(int counter, int id)
{
	for (int i = 0; i < info.maxevents[counter]; i++)
		if (info.list_events[counter][i].event_id == id)
			return &info.list_events[counter][i];
	return NULL;
}

/* A counter that counts only cycles comes last, and has its own list of events. */
TEST(a_counter_of_cycles)
{
	pm_prog_t prog = { .mode.w = PM_USER | PM_COUNT };
	pm_data_t data;

	shim_clock__cycle_counter(true);
	ASSERT_EQ(0, initialize());
	ASSERT_EQ(5, info.maxpmcs);
	EXPECT_LT(10, info.maxevents[3]);
	ASSERT_EQ(2, info.maxevents[4]);
	EXPECT_STREQ("PM_CYC", event_of(4, 0)->short_name);
	EXPECT_STREQ("PM_RUN_CYC", event_of(4, 1)->short_name);
	for (int g = 0; g < groups.maxgroups; g++) {
		const pm_groups_t *group = &groups.event_groups[g];

		if (strcmp(group->short_name, "pm_hpmcount4"))
			EXPECT_EQ(0, group->events[4]) TH_LOG("%s", group->short_name);
	}
	/* Five events fit at the same time if one of them is cycles. */
	for (int c = 0; c < 4; c++)
		prog.events[c] = event_on(c, "PM_INST_CMPL");
	prog.events[4] = 1;
	ASSERT_EQ(0, pm_set_program_mythread(&prog));
	shim_clock__run(syscall(SYS_gettid), MS);
	ASSERT_EQ(0, pm_get_data_mythread(&data));
	EXPECT_EQ(2000, data.accu[3]);
	EXPECT_EQ(1000, data.accu[4]);
	ASSERT_EQ(0, pm_delete_program_mythread());
}

#define burn(ns)	shim_clock__run(syscall(SYS_gettid), ns)
#include "../aix/tables.c"
