// SPDX-License-Identifier: GPL-2.0-or-later
/* Test sets with the maximum number of requests, which require CAP_PERFMON. */
#include <pthread.h>

#include "vcpc_test.h"

#define MOST		2048
#define MANY		300	/* number of page fault counters in a set, which need no PMU */
#define PAGES		50

/* The maximum size of a sample */
struct large {
	struct vcpc_sample head;
	__u64 more[MOST];
};

static const __u64 *values(const struct large *l)
{
	return l->more;
}

static int large_sample(int set, __u32 flags, struct large *l)
{
	struct vcpc_sample_args args = {
		.size = sizeof(args), .flags = flags, .buf_size = sizeof(*l), .buf = pointer(l),
	};

	memset(l, 0x55, sizeof(*l));
	return call(set, VCPC_IOC_SAMPLE, &args);
}

static int large_set(unsigned int nr, __u32 flags, __u32 request_flags)
{
	struct vcpc_request *requests = calloc(nr, sizeof(*requests));
	struct vcpc_set_create_args args = create_args(requests, nr);
	int device = device_open(), set;
	unsigned int i;

	for (i = 0; i < nr; i++) {
		requests[i] = page_faults;
		requests[i].preset = i;
		requests[i].flags |= request_flags;
	}
	args.flags = flags;
	set = call(device, VCPC_IOC_SET_CREATE, &args);
	free(requests);
	close(device);
	return set;
}

static __u64 *values_of(struct __test_metadata *_metadata, struct large *l, unsigned int nr)
{
	ASSERT_EQ(nr, l->head.nr);
	return l->more;
}

/*
 * Expect all counters to have increased by the same number.  They count the same event and started
 * from 0, 1, 2 ...
 */
static void expect_alike(struct __test_metadata *_metadata, struct large *l, unsigned int nr)
{
	const __u64 *value = values_of(_metadata, l, nr);
	unsigned int i;

	for (i = 0; i < nr; i++)
		ASSERT_EQ(value[0] + i, value[i]);
}

TEST(many_at_once)
{
	struct vcpc_own_args target = { .size = sizeof(target) };
	int set = large_set(MANY, 0, 0);
	void *volatile nowhere = NULL;
	static struct large l;
	__u64 before;

	ASSERT_GE(set, 0);
	ASSERT_EQ(0, set_bind(set, 0));
	ASSERT_EQ(0, large_sample(set, 0, &l));
	expect_alike(_metadata, &l, MANY);
	before = values(&l)[0];
	touch(PAGES);
	ASSERT_EQ(sizeof(l.head) + MANY * sizeof(__u64), (size_t)read(set, &l, sizeof(l)));
	expect_alike(_metadata, &l, MANY);
	EXPECT_EQ(-1, read(set, nowhere, sizeof(l)));
	EXPECT_EQ(EFAULT, errno);
	EXPECT_EQ(-1, read(set, &l, sizeof(l.head) + MANY * sizeof(__u64) - 1));
	EXPECT_EQ(EINVAL, errno);
	EXPECT_LE(before + PAGES, values(&l)[0]);
	ASSERT_EQ(0, large_sample(set, VCPC_SAMPLE_F_TOTAL, &l));
	expect_alike(_metadata, &l, MANY);
	ASSERT_EQ(0, call(set, VCPC_IOC_DISABLE, &target));
	ASSERT_EQ(0, large_sample(set, 0, &l));
	before = values(&l)[MANY - 1];
	touch(PAGES);
	ASSERT_EQ(0, large_sample(set, 0, &l));
	EXPECT_EQ(before, values(&l)[MANY - 1]);
	ASSERT_EQ(0, call(set, VCPC_IOC_RESTART, &target));
	ASSERT_EQ(0, large_sample(set, 0, &l));
	expect_alike(_metadata, &l, MANY);
	EXPECT_GT(PAGES, values(&l)[0]);
	close(set);
}

TEST(an_overflow_of_many)
{
	struct vcpc_preset_args preset = {
		.size = sizeof(preset), .request = MANY - 1, .preset = -(__u64)PAGES,
	};
	struct vcpc_own_args target = { .size = sizeof(target) };
	int set = large_set(MANY, 0, VCPC_REQ_F_OVERFLOW);
	static struct large l;

	ASSERT_GE(set, 0);
	ASSERT_EQ(0, set_bind(set, 0));
	ASSERT_EQ(0, call(set, VCPC_IOC_PRESET, &preset));
	ASSERT_EQ(0, call(set, VCPC_IOC_RESTART, &target));
	touch(2 * PAGES);
	ASSERT_EQ(0, large_sample(set, 0, &l));
	EXPECT_EQ(VCPC_STATE_FROZEN, l.head.state);
	EXPECT_EQ(0, values(&l)[MANY - 1]);
	/* The other counters may have missed the page fault at which the last one overflowed. */
	EXPECT_LE(PAGES - 1, values(&l)[0]);
	EXPECT_GE(PAGES, values(&l)[0]);
	close(set);
}

/* A debug kernel takes a long time to open two thousand events. */
FIXTURE(full) {
	int set;
};

FIXTURE_SETUP(full)
{
	self->set = large_set(MOST, 0, 0);
}

FIXTURE_TEARDOWN(full)
{
	close(self->set);
}

TEST_F_TIMEOUT(full, counts, 1200)
{
	static struct large l;

	ASSERT_GE(self->set, 0);
	ASSERT_EQ(0, set_bind(self->set, 0));
	touch(PAGES);
	ASSERT_EQ(0, large_sample(self->set, 0, &l));
	expect_alike(_metadata, &l, MOST);
	EXPECT_LE(PAGES, values(&l)[0]);
	ASSERT_EQ(0, large_sample(self->set, VCPC_SAMPLE_F_TOTAL, &l));
	expect_alike(_metadata, &l, MOST);
}

static void *child(void *arg)
{
	touch(PAGES);
	return arg;
}

TEST(inherited)
{
	int set = large_set(MANY, 0, 0);
	static struct large l;
	pthread_t thread;
	__u64 one;

	ASSERT_GE(set, 0);
	ASSERT_EQ(0, set_bind(set, VCPC_BIND_F_INHERIT));
	ASSERT_EQ(0, large_sample(set, 0, &l));
	one = values(&l)[0];
	ASSERT_EQ(0, pthread_create(&thread, NULL, child, NULL));
	ASSERT_EQ(0, pthread_join(thread, NULL));
	ASSERT_EQ(0, large_sample(set, VCPC_SAMPLE_F_TOTAL, &l));
	ASSERT_EQ(MANY, l.head.nr);
	EXPECT_LE(one + PAGES, values(&l)[0]);
	EXPECT_EQ(values(&l)[0] + 2 * (MANY - 1), values(&l)[MANY - 1]);
	close(set);
}

TEST_F_TIMEOUT(full, is_as_much_as_there_can_be, 1200)
{
	struct vcpc_info_args info = { .size = sizeof(info) };
	int device = device_open();

	ASSERT_EQ(0, call(device, VCPC_IOC_INFO, &info));
	EXPECT_EQ(MOST, info.max_requests);
	EXPECT_GE(self->set, 0);
	EXPECT_EQ(-EINVAL, large_set(MOST + 1, 0, 0));
	close(device);
}

/* As another user, request one more counter than the maximum that INFO reports. */
static int asks_for_more(void *arg)
{
	struct vcpc_info_args info = { .size = sizeof(info) };
	int device, set;

	(void)arg;
	if (become_nobody())
		return 1;
	device = device_open();
	if (call(device, VCPC_IOC_INFO, &info) || info.max_requests >= MANY)
		return 2;
	if (large_set(info.max_requests + 1, 0, 0) != -EINVAL)
		return 3;
	set = large_set(info.max_requests, 0, 0);
	if (set < 0)
		return 4;
	/* A thread without other instances can bind the maximum. */
	return set_bind(set, 0) ? 5 : 0;
}

TEST(not_for_everybody)
{
	EXPECT_EQ(0, in_child(asks_for_more, NULL));
}

TEST_HARNESS_MAIN
