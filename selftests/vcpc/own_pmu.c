// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The PMU that the module registers to hear when a thread leaves its CPU is there once hardware
 * counters were to overflow, not before, and nobody else's: neither perf nor a set can have its
 * events.
 */
#include "overflow.h"
#include "vcpc_test.h"

#define PLACE	"/sys/bus/event_source/devices/vcpc/type"

static __u32 own_type(void)
{
	unsigned int type = 0;
	FILE *f = fopen(PLACE, "re");

	if (!f || fscanf(f, "%u", &type) != 1)
		type = 0;
	if (f)
		fclose(f);
	return type;
}

/* Its type, once a thread's hardware counter was to overflow; 0: there is none. */
static __u32 registered(void)
{
	struct vcpc_request req = overflowing(&cycles, 1ULL << 40);
	int set;

	if (!hw_slots())
		return 0;
	set = overflow_set(&req, 1, 0, 0);
	if (set < 0 || set_bind(set, 0, 0))
		abort();
	close(set);
	return own_type();
}

static int open_event(__u32 type, __u64 period, pid_t tid, int cpu)
{
	struct perf_event_attr attr = { .size = sizeof(attr), .type = type, .sample_period = period };
	int fd = syscall(SYS_perf_event_open, &attr, tid, cpu, -1, PERF_FLAG_FD_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

TEST(not_for_perf)
{
	__u32 type = registered();

	if (!hw_slots()) {
		EXPECT_EQ(0, own_type());
		return;
	}
	ASSERT_LE(PERF_TYPE_MAX, type);
	EXPECT_EQ(-ENOENT, open_event(type, 0, 0, -1));
	EXPECT_EQ(-ENOENT, open_event(type, 1000, 0, -1));
	EXPECT_EQ(-ENOENT, open_event(type, 0, -1, 0));
}

/* Whether it was perf or the module that did not take it */
static bool is_refused(int ret)
{
	return ret == -ENOENT || ret == -EOPNOTSUPP;
}

TEST(not_for_sets)
{
	__u32 type = registered() ?: PERF_TYPE_MAX + 1000;
	struct vcpc_request requests[] = { page_faults, { .type = type, .flags = VCPC_REQ_F_USER } };
	struct vcpc_set_create_args args = create_args(requests, 2);
	int device = device_open();

	EXPECT_TRUE(is_refused(call(device, VCPC_IOC_SET_CREATE, &args)));
	EXPECT_EQ(1, args.bad_request);
	requests[1].flags |= VCPC_REQ_F_OVERFLOW;
	EXPECT_TRUE(is_refused(call(device, VCPC_IOC_SET_CREATE, &args)));
	close(device);
}

TEST_HARNESS_MAIN
