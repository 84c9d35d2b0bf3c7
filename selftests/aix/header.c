// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Check the header: sizes, offsets, constants, the layout of w and b, and calls that do not need
 * the module.
 */
#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "aix/pmapi.h"
#include "aix/sys/systemcfg.h"
#include "kselftest_harness.h"

#define SIZE(type, size)		_Static_assert(sizeof(type) == (size), #type)
#define PLACE(type, member, at)		_Static_assert(offsetof(type, member) == (at), #type "." #member)

SIZE(pm_mode_t, 4);
SIZE(pm_status_t, 4);
SIZE(pm_feature_t, 4);
SIZE(pm_ginfo_t, 8);
SIZE(timebasestruct_t, 12);
SIZE(pm_prog_t, 48);
PLACE(pm_prog_t, events, 4);
PLACE(pm_prog_t, reserved, 40);
SIZE(pm_prog_mx_t, 24);
PLACE(pm_prog_mx_t, events_set, 16);
SIZE(pm_prog_mm_t, 16);
SIZE(pm_data_t, 80);
PLACE(pm_data_t, accu, 8);
SIZE(pm_accu_time_t, 36);
SIZE(pm_accu_mx_t, 104);
PLACE(pm_accu_mx_t, accu_data, 40);
SIZE(pm_data_mx_t, 24);
PLACE(pm_data_mx_t, accu_set, 16);

#define BIT_OF(type, field, value, mask) do {				\
	type u = { .w = 0 };						\
	u.b.field = (value);						\
	EXPECT_EQ((unsigned int)(mask), (unsigned int)u.w) TH_LOG(#field); \
} while (0)

TEST(mode_words)
{
	BIT_OF(pm_mode_t, proctree, 1, PM_PROCTREE);
	BIT_OF(pm_mode_t, count, 1, PM_COUNT);
	BIT_OF(pm_mode_t, user, 1, PM_USER);
	BIT_OF(pm_mode_t, kernel, 1, PM_KERNEL);
	BIT_OF(pm_mode_t, process, 1, PM_PROCESS);
	BIT_OF(pm_mode_t, is_group, 1, 0x20);
	BIT_OF(pm_mode_t, spare, 0x1fff, 0x0007ffc0);
	BIT_OF(pm_mode_t, no_inherit, 1, 0x00080000);
	BIT_OF(pm_mode_t, wpar_all, 1, 0x00100000);
	BIT_OF(pm_mode_t, nointerrupt, 1, 0x00200000);
	BIT_OF(pm_mode_t, thresh_hres, 1, 0x00400000);
	BIT_OF(pm_mode_t, hypervisor, 1, 0x00800000);
	BIT_OF(pm_mode_t, runlatch, 1, 0x01000000);
	BIT_OF(pm_mode_t, thresh_res, 1, 0x02000000);
	BIT_OF(pm_mode_t, threshold, 63, 0xfc000000);
	BIT_OF(pm_mode_t, threshold, 5, 5u << THRESH_SHIFT_MODE);
}

TEST(status_words)
{
	BIT_OF(pm_status_t, unverified, 1, 0x80000000);
	BIT_OF(pm_status_t, verified, 1, 0x40000000);
	BIT_OF(pm_status_t, caveat, 1, 0x20000000);
	BIT_OF(pm_status_t, broken, 1, 0x10000000);
	BIT_OF(pm_status_t, group_only, 1, 0x8000);
	BIT_OF(pm_status_t, threshold, 1, 0x4000);
	BIT_OF(pm_status_t, shared, 1, 0x2000);
	BIT_OF(pm_status_t, support_mode, 1, 0x1000);
	BIT_OF(pm_status_t, overflow, 1, 0x800);
	BIT_OF(pm_status_t, marked, 1, 0x400);
	BIT_OF(pm_status_t, sharedchip, 1, 0x200);
	BIT_OF(pm_feature_t, compatibility, 1, 0x10);
	BIT_OF(pm_feature_t, spurr, 1, 8);
	BIT_OF(pm_feature_t, purr, 1, 4);
	BIT_OF(pm_feature_t, runlatch, 1, 2);
	BIT_OF(pm_feature_t, hypervisor, 1, 1);
}

TEST(group_words)
{
	pm_ginfo_t info = { .flags.w = 0 };

	info.flags.b.direct = 1;
	EXPECT_EQ(4, info.flags.w);
	info.flags.b.process = 1;
	EXPECT_EQ(6, info.flags.w);
	info.flags.b.consistent = 1;
	EXPECT_EQ(7, info.flags.w);
}

static unsigned long long raw(timebasestruct_t t)
{
	return (unsigned long long)t.tb_high << 32 | t.tb_low;
}

TEST(time_base)
{
	timebasestruct_t a, b, t = { .flag = RTC_POWER_PC, .tb_high = 3, .tb_low = 7 };

	ASSERT_EQ(RTC_POWER_PC, read_real_time(&a, TIMEBASE_SZ));
	ASSERT_EQ(RTC_POWER_PC, read_wall_time(&b, TIMEBASE_SZ));
	EXPECT_LE(raw(a), raw(b));
	ASSERT_EQ(RTC_POWER_PC, mread_real_time(&a, TIMEBASE_SZ));
	EXPECT_LE(raw(b), raw(a));
	EXPECT_EQ(-1, read_real_time(&a, TIMEBASE_SZ - 1));
	ASSERT_EQ(0, time_base_to_time(&t, TIMEBASE_SZ));
	EXPECT_EQ(RTC_POWER, t.flag);
	EXPECT_EQ(12, t.tb_high);
	EXPECT_EQ(884901895, t.tb_low);
	/* A second conversion changes nothing. */
	ASSERT_EQ(0, time_base_to_time(&t, TIMEBASE_SZ));
	EXPECT_EQ(12, t.tb_high);
	t.flag = 9;
	EXPECT_EQ(-1, time_base_to_time(&t, TIMEBASE_SZ));
	EXPECT_EQ(-1, time_base_to_time(&t, 4));
}

TEST(no_init)
{
	pm_data_t data = { .reserved = 77 };
	pm_data_mx_t mx = { .accu_set = (void *)8 };
	pm_prog_mx_t prog = { .events_set = (void *)8 };
	int n = -5;

	EXPECT_EQ(Pmapi_NoInit, pm_start_mythread());
	EXPECT_EQ(Pmapi_NoInit, pm_get_data(&data));
	EXPECT_EQ(77, data.reserved);
	EXPECT_EQ(Pmapi_NoInit, pm_get_data_mygroup_mx(&mx));
	EXPECT_EQ(NULL, mx.accu_set);
	EXPECT_EQ(Pmapi_NoInit, pm_get_program_mx(&prog));
	EXPECT_EQ(NULL, prog.events_set);
	EXPECT_EQ(Pmapi_NoInit, pm_get_wplist(NULL, NULL, &n));
	EXPECT_EQ(-5, n);
}

TEST(bad_pointers)
{
	pm_data_t data;

	EXPECT_EQ(EINVAL, pm_get_data_mythread(NULL));
	EXPECT_EQ(EINVAL, pm_get_tdata_mythread(&data, NULL));
	EXPECT_EQ(EINVAL, pm_get_Tdata(&data, NULL));
	EXPECT_EQ(EINVAL, pm_tstart(NULL));
	EXPECT_EQ(EINVAL, pm_tstop_mygroup(NULL));
	EXPECT_EQ(EINVAL, pm_get_program(NULL));
	EXPECT_EQ(EINVAL, pm_get_program_mm(NULL));
	EXPECT_EQ(EINVAL, pm_get_data_mx(NULL));
	EXPECT_EQ(EINVAL, pm_init(PM_VERIFIED, NULL, NULL));
	EXPECT_EQ(EINVAL, pm_initialize(PM_VERIFIED, NULL, NULL, PM_CURRENT));
	EXPECT_EQ(EINVAL, pm_get_wplist(NULL, NULL, NULL));
}

TEST(messages)
{
	static const int codes[] = {
		Pmapi_ContextExists, Pmapi_NotCounting, 201, 202, 203, 204, 205, 206, 207, 208,
		209, 210, 211, 212, 213, 214, 215, 216, 217, EINVAL, EACCES,
	};
	char first[256];

	for (size_t i = 0; i < sizeof(codes) / sizeof(codes[0]); i++) {
		const char *text = pm_strerror("here", codes[i]);

		EXPECT_EQ(0, strncmp(text, "here: ", 6));
		EXPECT_LT(10, strlen(text));
		EXPECT_EQ(NULL, strchr(text, '\n'));
		EXPECT_EQ(NULL, strstr(text, "Unknown")) TH_LOG("%s", text);
	}
	strcpy(first, pm_strerror("a", EINVAL));
	EXPECT_STRNE(first, pm_strerror("a", EACCES));
}

TEST(not_here)
{
	unsigned int frequency[MAX_COUNTERS] = { 0 };
	void *old;

	EXPECT_EQ(Pmapi_Unsupported, pm_set_counter_frequency_mythread(frequency));
	EXPECT_EQ(Pmapi_Unsupported, pm_set_counter_frequency_thread(1, 1, frequency));
	EXPECT_EQ(Pmapi_Unsupported, pm_set_counter_frequency_pthread(1, 1, 1, frequency));
	EXPECT_EQ(Pmapi_Unsupported, pm_set_ebb_handler(NULL, NULL));
	EXPECT_EQ(Pmapi_Unsupported, pm_clear_ebb_handler(&old, &old));
	EXPECT_EQ(Pmapi_Unsupported, pm_enable_bhrb(1));
	EXPECT_EQ(Pmapi_Unsupported, pm_disable_bhrb());
}

TEST(processors)
{
	EXPECT_LE(1, _system_configuration.ncpus);
	EXPECT_LE(_system_configuration.ncpus, _system_configuration.max_ncpus);
}

TEST_HARNESS_MAIN
