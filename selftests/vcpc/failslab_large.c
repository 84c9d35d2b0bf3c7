// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * If a set has more values than fit on the stack, a sample allocates memory.  If this fails, the
 * sample returns an error.
 */
#include "failslab.h"
#include "overflow.h"
#include "vcpc_test.h"

#define LARGE	130

static int create_large(int device)
{
	struct vcpc_request requests[LARGE];
	int i;

	for (i = 0; i < LARGE; i++)
		requests[i] = overflowing(&page_faults, 1ULL << 40);
	return set_create(device, requests, LARGE, 0);
}

static __u64 room[sizeof(struct vcpc_sample) / sizeof(__u64) + LARGE];

static int sample_with(int set, __u32 flags)
{
	struct vcpc_sample_args args = {
		.size = sizeof(args), .flags = flags, .buf_size = sizeof(room),
		.buf = pointer(room),
	};

	return call(set, VCPC_IOC_SAMPLE, &args);
}

static int sample_own(void *arg)
{
	return sample_with(*(int *)arg, 0);
}

static int sample_total(void *arg)
{
	return sample_with(*(int *)arg, VCPC_SAMPLE_F_TOTAL);
}

static int read_own(void *arg)
{
	return read(*(int *)arg, room, sizeof(room)) < 0 ? -errno : 0;
}

TEST_F(failslab, sample)
{
	static int (*const calls[])(void *arg) = {
		sample_own, sample_total, read_own,
	};
	unsigned int i;
	int set;

	NEEDS_FAILSLAB();
	set = create_large(self->device);
	ASSERT_GE(set, 0);
	ASSERT_EQ(0, set_bind(set, 0));
	for (i = 0; i < sizeof(calls) / sizeof(calls[0]); i++)
		EXPECT_GT(each_allocation(self->nth, calls[i], &set), 0);
	close(set);
}

TEST_HARNESS_MAIN
