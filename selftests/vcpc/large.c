// SPDX-License-Identifier: GPL-2.0-or-later
/* Sets of as many requests as there can be: 256 groups of 8, and many that count at once. */
#include <pthread.h>

#include "vcpc_test.h"

#define MOST		2048
#define GROUPS		256
#define EACH		(MOST / GROUPS)
#define TURNS		3	/* to wait for */
#define SLOT		20000000ULL
#define MANY		300	/* page faults' counters of one set; no PMU has to hold them */
#define PAGES		50

/* Whatever a sample may have */
struct large {
	struct vcpc_sample head;
	__u64 more[MOST + GROUPS * sizeof(struct vcpc_group_sample) / sizeof(__u64)];
};

static const __u64 *values(const struct large *l)
{
	return l->more;
}

static const struct vcpc_group_sample *groups(const struct large *l)
{
	return (const void *)&l->more[l->head.nr];
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
		requests[i].group = flags & VCPC_SET_F_GROUPS ? i / EACH : 0;
	}
	args.flags = flags;
	if (flags & VCPC_SET_F_GROUPS)
		args.slot = SLOT;
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

/* All counters of the same, which started from 0, 1, 2 ... */
static void expect_alike(struct __test_metadata *_metadata, struct large *l, unsigned int nr)
{
	const __u64 *value = values_of(_metadata, l, nr);
	unsigned int i;

	for (i = 0; i < nr; i++)
		ASSERT_EQ(value[0] + i, value[i]);
}

TEST(many_at_once)
{
	struct vcpc_target_args target = { .size = sizeof(target) };
	int set = large_set(MANY, 0, 0);
	void *volatile nowhere = NULL;
	static struct large l;
	__u64 before;

	ASSERT_GE(set, 0);
	ASSERT_EQ(0, set_bind(set, 0, 0));
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
	struct vcpc_target_args target = { .size = sizeof(target) };
	int set = large_set(MANY, 0, VCPC_REQ_F_OVERFLOW);
	static struct large l;

	ASSERT_GE(set, 0);
	ASSERT_EQ(0, set_bind(set, 0, 0));
	ASSERT_EQ(0, call(set, VCPC_IOC_PRESET, &preset));
	ASSERT_EQ(0, call(set, VCPC_IOC_RESTART, &target));
	touch(2 * PAGES);
	ASSERT_EQ(0, large_sample(set, 0, &l));
	EXPECT_EQ(VCPC_STATE_FROZEN, l.head.state);
	EXPECT_EQ(0, values(&l)[MANY - 1]);
	/* Of the same fault, the counters before it may have counted or not. */
	EXPECT_LE(PAGES - 1, values(&l)[0]);
	EXPECT_GE(PAGES, values(&l)[0]);
	close(set);
}

/* Opening two thousand events takes a debug kernel long. */
FIXTURE(full) {
	int set;
};

FIXTURE_SETUP(full)
{
	self->set = large_set(MOST, VCPC_SET_F_GROUPS, 0);
}

FIXTURE_TEARDOWN(full)
{
	close(self->set);
}

/* The first groups' turns; whole rounds are a matter of arithmetic (KUnit's vcpc_rotation). */
TEST_F_TIMEOUT(full, as_many_groups_as_there_can_be, 1200)
{
	static struct large l;
	__u64 faults = 0, ticks = 0;
	int i;

	ASSERT_GE(self->set, 0);
	ASSERT_EQ(0, set_bind(self->set, 0, 0));
	do {
		touch(PAGES);
		ASSERT_EQ(0, large_sample(self->set, 0, &l));
		ASSERT_EQ(MOST, l.head.nr);
	} while (!groups(&l)[TURNS].tick);
	for (i = 0; i < TURNS; i++) {
		const __u64 *value = &values(&l)[i * EACH];
		long long apart = value[0] + EACH - 1 - value[EACH - 1];

		EXPECT_LT(0, groups(&l)[i].tick);
		/* A turn may end amid a fault that some have counted. */
		EXPECT_GE(2, llabs(apart));
		faults += value[0] - i * EACH;
		ticks += groups(&l)[i].tick;
	}
	EXPECT_LT(0, faults);
	EXPECT_EQ(0, groups(&l)[GROUPS - 1].tick);
	EXPECT_EQ(MOST - 1, values(&l)[MOST - 1]);
	EXPECT_GE(l.head.tick, ticks);
	ASSERT_EQ(0, large_sample(self->set, VCPC_SAMPLE_F_TOTAL, &l));
	EXPECT_LT(0, groups(&l)[0].tick);
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
	ASSERT_EQ(0, set_bind(set, VCPC_BIND_F_INHERIT, 0));
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

/* A user's limit of counters holds for them, too. */
static int too_many(void *arg)
{
	int first, second;

	(void)arg;
	if (become_nobody())
		return 1;
	first = large_set(MANY, 0, 0);
	second = large_set(MANY, 0, 0);
	if (first < 0 || second < 0)
		return 2;
	if (set_bind(first, 0, 0))
		return 3;
	if (set_bind(second, 0, 0) != -EUSERS)
		return 4;
	close(first);
	return set_bind(second, 0, 0) ? 5 : 0;
}

static void set_limit(unsigned int value)
{
	FILE *f = fopen("/sys/module/vcpc/parameters/max_user_counters", "w");

	if (!f || fprintf(f, "%u", value) < 0 || fclose(f))
		abort();
}

TEST(the_users_limit)
{
	set_limit(MANY + MANY / 2);
	EXPECT_EQ(0, in_child(too_many, NULL));
	set_limit(16384);
}

TEST_HARNESS_MAIN
