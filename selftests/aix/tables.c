// SPDX-License-Identifier: GPL-2.0-or-later
/* Check the properties of the event and group tables on which programs rely. */
#include "work.h"

static void check_counter(struct __test_metadata *_metadata, const pm_info2_t *full, int c)
{
	for (int i = 0; i < full->maxevents[c]; i++) {
		const pm_events2_t *e = &full->list_events[c][i];

		EXPECT_EQ(i, e->event_id);
		EXPECT_EQ(0, strncmp(e->short_name, "PM_", 3));
		EXPECT_EQ(strlen(e->short_name), strspn(e->short_name, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789"));
		EXPECT_LT(0, strlen(e->long_name));
		EXPECT_LT(0, strlen(e->description));
		EXPECT_EQ(1, e->status.b.verified + e->status.b.unverified + e->status.b.caveat);
		EXPECT_FALSE(!!e->status.b.group_only);
		EXPECT_EQ(0, e->reserved);
		EXPECT_EQ(i, event_on(c, e->short_name)) TH_LOG("%s occurs twice", e->short_name);
	}
}

TEST(full_table)
{
	ASSERT_EQ(0, initialize());
	ASSERT_LE(1, info.maxpmcs);
	ASSERT_GE(MAX_COUNTERS, info.maxpmcs);
	EXPECT_LT(0, strlen(info.proc_name));
	EXPECT_EQ(0, info.proc_feature.w);
	EXPECT_EQ(0, info.thresholdmult);
	for (int c = 0; c < info.maxpmcs; c++)
		check_counter(_metadata, &info, c);
	EXPECT_NE(COUNT_NOTHING, event_on(0, "PM_PAGE_FAULTS"));
}

/* A program can count one event from each counter's list at the same time. */
TEST(one_event_on_each_counter)
{
	pm_prog_t prog = { .mode.w = PM_USER | PM_COUNT };
	bool hardware;
	pm_data_t data;

	ASSERT_EQ(0, initialize());
	hardware = event_on(0, "PM_INST_CMPL") >= 0;
	for (int c = 0; c < info.maxpmcs; c++) {
		prog.events[c] = event_on(c, hardware ? "PM_INST_CMPL" : "PM_TASK_CLOCK");
		if (prog.events[c] == COUNT_NOTHING)
			prog.events[c] = info.list_events[c][0].event_id;
	}
	ASSERT_EQ(0, pm_set_program_mythread(&prog));
	burn(MS);
	ASSERT_EQ(0, pm_get_data_mythread(&data));
	for (int c = 0; c < info.maxpmcs; c++) {
		EXPECT_LT(0, data.accu[c]) TH_LOG("counter %d", c);
	}
	ASSERT_EQ(0, pm_delete_program_mythread());
	/* A counter rejects events that are not in its list. */
	for (int c = 0; c < info.maxpmcs; c++) {
		int id = prog.events[c];

		prog.events[c] = info.maxevents[c];
		EXPECT_EQ(Pmapi_InvalidEvent, pm_set_program_mythread(&prog));
		prog.events[c] = id;
	}
	EXPECT_EQ(Pmapi_NoSetProg, pm_start_mythread());
}

/* If a filter hides events, the others keep their numbers, and hidden events cannot be set. */
TEST(filters)
{
	pm_info2_t narrow, none;
	pm_groups_info_t few;
	pm_prog_t prog;
	int hidden = -1;

	ASSERT_EQ(0, initialize());
	ASSERT_EQ(0, pm_initialize(PM_VERIFIED | PM_GET_GROUPS, &narrow, &few, PM_CURRENT));
	for (int i = 0; i < narrow.maxevents[0]; i++) {
		const pm_events2_t *e = &narrow.list_events[0][i];

		EXPECT_TRUE(!!e->status.b.verified);
		EXPECT_EQ(e->event_id, event_on(0, e->short_name));
	}
	for (int i = 0; i < info.maxevents[0]; i++)
		if (!info.list_events[0][i].status.b.verified)
			hidden = i;
	prog = program("PM_PAGE_FAULTS");
	EXPECT_EQ(0, pm_set_program_mythread(&prog));
	EXPECT_EQ(0, pm_delete_program_mythread());
	prog.events[0] = hidden;
	if (hidden >= 0)
		EXPECT_EQ(Pmapi_InvalidEvent, pm_set_program_mythread(&prog));
	prog = program("PM_PAGE_FAULTS");
	ASSERT_EQ(0, pm_initialize(PM_CAVEAT, &none, NULL, PM_CURRENT));
	EXPECT_EQ(0, none.maxevents[0]);
	EXPECT_EQ(Pmapi_InvalidEvent, pm_set_program_mythread(&prog));
	/* If no tables were requested, numbers are checked against all events. */
	ASSERT_EQ(0, pm_initialize(0, &none, NULL, PM_CURRENT));
	EXPECT_EQ(0, none.maxevents[0]);
	EXPECT_EQ(0, pm_set_program_mythread(&prog));
	EXPECT_EQ(0, pm_delete_program_mythread());
}

TEST(old_table)
{
	pm_info_t old;

	ASSERT_EQ(0, initialize());
	ASSERT_EQ(0, pm_init(ANY_EVENT, &old, (void *)8));
	ASSERT_EQ(info.maxpmcs, old.maxpmcs);
	EXPECT_STREQ(info.proc_name, old.proc_name);
	for (int i = 0; i < old.maxevents[0]; i++) {
		const pm_events_t *e = &old.list_events[0][i];

		EXPECT_EQ(i, e->event_id);
		EXPECT_STREQ(info.list_events[0][i].short_name, e->short_name);
		EXPECT_EQ(info.list_events[0][i].status.b.verified ? 'v' : 'u', e->status);
		EXPECT_EQ('n', e->threshold);
	}
}

TEST(groups_can_be_counted)
{
	ASSERT_EQ(0, initialize());
	ASSERT_LE(1, groups.maxgroups);
	for (int g = 0; g < groups.maxgroups; g++) {
		const pm_groups_t *group = &groups.event_groups[g];
		pm_prog_t prog = { .mode.b.is_group = 1, .mode.b.user = 1, .mode.b.count = 1 }, got;
		pm_data_t data;

		EXPECT_EQ(g, group->group_id);
		for (int c = 0; c < MAX_COUNTERS; c++) {
			EXPECT_LE(COUNT_NOTHING, group->events[c]);
			EXPECT_GT(c < info.maxpmcs ? info.maxevents[c] : 0, group->events[c]);
			EXPECT_TRUE(c < info.maxpmcs || group->events[c] == COUNT_NOTHING);
		}
		prog.events[0] = g;
		ASSERT_EQ(0, pm_set_program_mythread(&prog)) TH_LOG("%s", group->short_name);
		burn(MS);
		ASSERT_EQ(0, pm_get_data_mythread(&data)) TH_LOG("%s", group->short_name);
		EXPECT_EQ(0, pm_get_program_mythread(&got));
		EXPECT_TRUE(!!got.mode.b.is_group);
		EXPECT_EQ(g, got.events[0]);
		if (!strcmp(group->short_name, "pm_utilization"))
			for (int c = 0; c < info.maxpmcs; c++)
				EXPECT_EQ(group->events[c] != COUNT_NOTHING, data.accu[c] > 0);
		EXPECT_EQ(0, pm_delete_program_mythread());
	}
}

TEST(all_groups_in_turn)
{
	pm_events_prog_t sets[64];
	pm_prog_mx_t prog = { .mode.w = PM_USER | 0x20, .slice_duration = 10, .events_set = sets };
	pm_data_mx_t data;

	ASSERT_EQ(0, initialize());
	for (int g = 0; g < groups.maxgroups; g++)
		sets[g][0] = g;
	prog.nb_events_prog = groups.maxgroups;
	ASSERT_EQ(0, pm_set_program_mythread_mx(&prog));
	ASSERT_EQ(0, pm_get_data_mythread_mx(&data));
	EXPECT_EQ(groups.maxgroups, data.nb_accu_mx);
	free(data.accu_set);
	EXPECT_EQ(0, pm_delete_program_mythread());
	sets[groups.maxgroups - 1][0] = groups.maxgroups;
	EXPECT_EQ(Pmapi_InvalidGroup, pm_set_program_mythread_mx(&prog));
}

TEST(processor_types)
{
	pm_info2_t other = { .maxpmcs = -3 };

	EXPECT_EQ(Pmapi_Unsupported, pm_initialize(ANY_EVENT, &other, NULL, PM_POWER5));
	EXPECT_EQ(Pmapi_InvalidProctype, pm_initialize(ANY_EVENT, &other, NULL, 99));
	EXPECT_EQ(Pmapi_InvalidProctype, pm_initialize(ANY_EVENT, &other, NULL, -2));
	EXPECT_EQ(EINVAL, pm_initialize(64, &other, NULL, PM_CURRENT));
	EXPECT_EQ(EINVAL, pm_initialize(ANY_EVENT | PM_GET_GROUPS, &other, NULL, PM_CURRENT));
	EXPECT_EQ(-3, other.maxpmcs);
	EXPECT_EQ(Pmapi_NoInit, pm_start_mythread());
}

TEST(clock_rate)
{
	EXPECT_LE(0, pm_cycles());
	EXPECT_GT(1e11, pm_cycles());
	EXPECT_EQ(PM_CURRENT, pm_get_procindex());
}

TEST_HARNESS_MAIN
