// SPDX-License-Identifier: GPL-2.0-or-later
/* Event names are parsed to the correct requests, and invalid names cause the correct errors. */
#include <errno.h>
#include <linux/perf_event.h>
#include <string.h>

#include "core/event.h"
#include "kselftest_harness.h"

#define U	VCPC_REQ_F_USER
#define K	VCPC_REQ_F_KERNEL

static const struct {
	int line;
	const char *name;
	__u32 type;
	__u64 config;
	__u32 flags;
} good[] = {
	{ __LINE__, "cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, 0 },
	{ __LINE__, "cpu-cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, 0 },
	{ __LINE__, "Cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, 0 },
	{ __LINE__, "instructions:u", PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, U },
	{ __LINE__, "branch-misses:k", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES, K },
	{ __LINE__, "cache-misses:uk", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES, U | K },
	{ __LINE__, "cache-misses:k:u", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES, U | K },
	{ __LINE__, "page-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS, 0 },
	{ __LINE__, "minor-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MIN, 0 },
	{ __LINE__, "major-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MAJ, 0 },
	{ __LINE__, "task-clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK, 0 },
	{ __LINE__, "cpu-clock:u", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK, U },
	{ __LINE__, "context-switches", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES, 0 },
	{ __LINE__, "cpu-migrations", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_MIGRATIONS, 0 },
	{ __LINE__, "L1-dcache-load-misses", PERF_TYPE_HW_CACHE, 0x10000, 0 },
	{ __LINE__, "LLC-stores", PERF_TYPE_HW_CACHE, 0x00102, 0 },
	{ __LINE__, "r08", PERF_TYPE_RAW, 0x8, 0 },
	{ __LINE__, "rFFFFffffFFFFffff:u", PERF_TYPE_RAW, ~0ULL, U },
	{ __LINE__, "r0x10:k", PERF_TYPE_RAW, 0x10, K },
	/* libpfm's names of perf's generic events, and names with a PMU as prefix */
	{ __LINE__, "PERF_COUNT_SW_PAGE_FAULTS", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS, 0 },
	{ __LINE__, "perf::PERF_COUNT_HW_CPU_CYCLES:u:k", PERF_TYPE_HARDWARE,
	  PERF_COUNT_HW_CPU_CYCLES, U | K },
};

static const struct {
	int line;
	const char *name;
	int err;
} bad[] = {
	{ __LINE__, "", -EINVAL },
	{ __LINE__, ":u", -EINVAL },
	{ __LINE__, "cycles:", -EINVAL },
	{ __LINE__, "cycles:uu", -EINVAL },
	{ __LINE__, "cycles:u:u", -EINVAL },
	{ __LINE__, "cycles:x", -EINVAL },
	{ __LINE__, "no-such-event", -ENOENT },
	{ __LINE__, "no-such-event:u", -ENOENT },
	{ __LINE__, " cycles", -EINVAL },
	{ __LINE__, "r", -ENOENT },
	{ __LINE__, "r12345678901234567", -ENOENT },
};

TEST(good_names)
{
	for (size_t i = 0; i < ARRAY_SIZE(good); i++) {
		struct vcpc_request req;

		memset(&req, 0xff, sizeof(req));
		ASSERT_EQ(0, shim_event__parse(good[i].name, &req)) {
			TH_LOG("line %d: %s", good[i].line, good[i].name);
		}
		EXPECT_EQ(good[i].type, req.type) TH_LOG("line %d", good[i].line);
		EXPECT_EQ(good[i].config, req.config) TH_LOG("line %d", good[i].line);
		EXPECT_EQ(good[i].flags, req.flags) TH_LOG("line %d", good[i].line);
		EXPECT_EQ(0, req.preset);
		EXPECT_EQ(0, req.config1);
		EXPECT_EQ(0, req.config2);
		EXPECT_EQ(0, req.reserved[0] | req.reserved[1] | req.reserved[2]);
	}
}

TEST(bad_names_change_nothing)
{
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		struct vcpc_request before, req;

		memset(&before, 0xa5, sizeof(before));
		req = before;
		EXPECT_EQ(bad[i].err, shim_event__parse(bad[i].name, &req)) {
			TH_LOG("line %d: %s", bad[i].line, bad[i].name);
		}
		EXPECT_EQ(0, memcmp(&before, &req, sizeof(req)));
	}
}

TEST(too_long)
{
	char name[SHIM_EVENT_LEN + 1];
	struct vcpc_request req;

	memset(name, 'a', sizeof(name));
	name[SHIM_EVENT_LEN] = '\0';
	EXPECT_EQ(-ENAMETOOLONG, shim_event__parse(name, &req));
	name[SHIM_EVENT_LEN - 1] = '\0';
	EXPECT_EQ(-ENOENT, shim_event__parse(name, &req));
}

TEST(metric_names)
{
	char buf[16];

	ASSERT_EQ(0, shim_event__metric("page-faults:u", buf, sizeof(buf)));
	EXPECT_STREQ("page_faults_u", buf);
	ASSERT_EQ(0, shim_event__metric("A.b=c", buf, sizeof(buf)));
	EXPECT_STREQ("A_b_c", buf);
	ASSERT_EQ(0, shim_event__metric("0x3c", buf, sizeof(buf)));
	EXPECT_STREQ("e_0x3c", buf);
	EXPECT_EQ(-EINVAL, shim_event__metric("", buf, sizeof(buf)));
	EXPECT_EQ(0, shim_event__metric("123456789abcd", buf, sizeof(buf)));
	strcpy(buf, "kept");
	EXPECT_EQ(-ENAMETOOLONG, shim_event__metric("123456789abcde", buf, sizeof(buf)));
	EXPECT_EQ(-ENAMETOOLONG, shim_event__metric("a23456789abcdefg", buf, sizeof(buf)));
	EXPECT_STREQ("kept", buf);
}

TEST_HARNESS_MAIN
