// SPDX-License-Identifier: GPL-2.0
/*
 * Make the creation of a set fail at each step.  Check the error, the reported
 * request, and that nothing remains charged to the account.  Also check that a
 * thread samples itself without the set's mutex.
 */
#include <kunit/test.h>
#include <linux/err.h>
#include <linux/minmax.h>
#include <linux/mutex.h>
#include <linux/perf_event.h>

#include "limits.h"
#include "set.h"
#include "user_test.h"

#define REQUESTS	4
#define UNTOUCHED	(-77)

static struct vcpc_user_memory memory;
static struct vcpc_user *user;

static const struct vcpc_request faults = {
	.type = PERF_TYPE_SOFTWARE,
	.config = PERF_COUNT_SW_PAGE_FAULTS,
	.flags = VCPC_REQ_F_USER,
};

/* The maximum number of valid requests, one of which a test makes invalid */
struct draft {
	struct vcpc_request requests[REQUESTS];
	struct vcpc_set_create_args args;
};

static struct draft good_draft(void)
{
	struct draft d = {
		.args = {
			.size = sizeof(d.args),
			.nr_requests = REQUESTS,
			.request_size = sizeof(faults),
			.requests = memory.page,
		},
	};
	unsigned int i;

	for (i = 0; i < REQUESTS; i++)
		d.requests[i] = faults;
	return d;
}

static int used(enum vcpc_limit limit)
{
	return atomic_read(&user->used[limit]);
}

/* Create and destroy the set, and check that the account is unchanged. */
static int create(struct kunit *test, const struct draft *d, int *bad)
{
	int sets = used(VCPC_LIMIT_SETS), counters = used(VCPC_LIMIT_COUNTERS), ret = 0;
	size_t at = d->args.requests - memory.page;
	struct vcpc_set *set;

	*bad = UNTOUCHED;
	vcpc_user_test_enter(&memory);
	vcpc_user_test_put(test, &memory, at, d->requests,
			   min_t(size_t, sizeof(d->requests), PAGE_SIZE - at));
	set = vcpc_set_create(&d->args, user, bad);
	vcpc_user_test_leave(&memory);
	if (IS_ERR(set)) {
		ret = PTR_ERR(set);
	} else {
		KUNIT_EXPECT_EQ(test, sets + 1, used(VCPC_LIMIT_SETS));
		KUNIT_EXPECT_EQ(test, d->args.nr_requests, set->spec.nr);
		vcpc_user_test_destroy(set);
	}
	KUNIT_EXPECT_EQ(test, sets, used(VCPC_LIMIT_SETS));
	KUNIT_EXPECT_EQ(test, counters, used(VCPC_LIMIT_COUNTERS));
	return ret;
}

static void made_and_destroyed(struct kunit *test)
{
	struct draft d = good_draft();
	int bad;

	for (d.args.nr_requests = 1; d.args.nr_requests <= REQUESTS; d.args.nr_requests++) {
		KUNIT_EXPECT_EQ(test, 0, create(test, &d, &bad));
		KUNIT_EXPECT_EQ(test, UNTOUCHED, bad);
	}
}

static void number_of_requests(struct kunit *test)
{
	struct draft d = good_draft();
	int bad;

	d.args.nr_requests = 0;
	KUNIT_EXPECT_EQ(test, -EINVAL, create(test, &d, &bad));
	d.args.nr_requests = vcpc_limits_requests() + 1;
	KUNIT_EXPECT_EQ(test, -EINVAL, create(test, &d, &bad));
	d.args.nr_requests = U32_MAX;
	KUNIT_EXPECT_EQ(test, -EINVAL, create(test, &d, &bad));
	KUNIT_EXPECT_EQ(test, UNTOUCHED, bad);
}

/* Invalid requests and their errors */
static const struct {
	struct vcpc_request request;
	int ret;
} spoiled[] = {
	{ { .type = PERF_TYPE_SOFTWARE, .flags = 0 }, -EINVAL },
	{ { .type = PERF_TYPE_SOFTWARE, .flags = BIT(31) | VCPC_REQ_F_USER }, -EINVAL },
	{ { .type = PERF_TYPE_SOFTWARE, .flags = VCPC_REQ_F_USER, .reserved = { 1 } }, -EINVAL },
	{ { .type = PERF_TYPE_TRACEPOINT, .flags = VCPC_REQ_F_USER }, -EOPNOTSUPP },
	{ { .type = PERF_TYPE_BREAKPOINT, .flags = VCPC_REQ_F_USER }, -EOPNOTSUPP },
	{ { .type = U32_MAX, .flags = VCPC_REQ_F_USER }, -EOPNOTSUPP },
	{ { .type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_MAX, .flags = VCPC_REQ_F_USER },
	  -EOPNOTSUPP },
};

static void each_bad_request_at_each_place(struct kunit *test)
{
	unsigned int kind, at;
	struct draft d;
	int bad, ret;

	for (kind = 0; kind < ARRAY_SIZE(spoiled); kind++) {
		for (at = 0; at < REQUESTS; at++) {
			d = good_draft();
			d.requests[at] = spoiled[kind].request;
			ret = create(test, &d, &bad);
			KUNIT_EXPECT_EQ_MSG(test, spoiled[kind].ret, ret, "kind %u", kind);
			KUNIT_EXPECT_EQ_MSG(test, (int)at, bad, "kind %u", kind);
		}
	}
}

/* The caller's memory ends within each request. */
static void requests_that_are_not_there(struct kunit *test)
{
	struct draft d;
	unsigned int at;
	int bad;

	for (at = 0; at < REQUESTS; at++) {
		size_t there = at * sizeof(faults) + sizeof(faults) / 2;

		d = good_draft();
		d.args.requests = memory.page + PAGE_SIZE - there;
		KUNIT_EXPECT_EQ(test, -EFAULT, create(test, &d, &bad));
		KUNIT_EXPECT_EQ(test, (int)at, bad);
	}
}

static void more_sets_than_allowed(struct kunit *test)
{
	int left = vcpc_limits_max(VCPC_LIMIT_SETS) - used(VCPC_LIMIT_SETS);
	struct draft d = good_draft();
	int bad;

	KUNIT_EXPECT_EQ(test, 0, vcpc_limits_charge(user, VCPC_LIMIT_SETS, left));
	KUNIT_EXPECT_EQ(test, -EUSERS, create(test, &d, &bad));
	KUNIT_EXPECT_EQ(test, UNTOUCHED, bad);
	vcpc_limits_uncharge(user, VCPC_LIMIT_SETS, 1);
	KUNIT_EXPECT_EQ(test, 0, create(test, &d, &bad));
	vcpc_limits_uncharge(user, VCPC_LIMIT_SETS, left - 1);
}

/* A thread that samples itself does not wait for other users of the set. */
static void own_sample_needs_no_mutex(struct kunit *test)
{
	struct vcpc_set *set = vcpc_user_test_set(test, &memory, user, &faults, 1, 0);
	union vcpc_sample_room room = { };
	int bad;

	if (IS_ERR(set))
		return;
	KUNIT_EXPECT_EQ(test, 0, vcpc_set_bind(set, 0, &bad));
	mutex_lock(&set->lock);
	KUNIT_EXPECT_EQ(test, 0, vcpc_set_sample_own(set, &room.sample));
	mutex_unlock(&set->lock);
	KUNIT_EXPECT_EQ(test, 1U, room.sample.nr);
	KUNIT_EXPECT_EQ(test, (u32)VCPC_STATE_COUNTING, room.sample.state);
	vcpc_user_test_destroy(set);
}

static int begin_suite(struct kunit_suite *suite)
{
	return vcpc_user_test_begin(&memory, &user);
}

static void end_suite(struct kunit_suite *suite)
{
	vcpc_user_test_end(&memory, user);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(made_and_destroyed),
	KUNIT_CASE(number_of_requests),
	KUNIT_CASE(each_bad_request_at_each_place),
	KUNIT_CASE(requests_that_are_not_there),
	KUNIT_CASE(more_sets_than_allowed),
	KUNIT_CASE(own_sample_needs_no_mutex),
	{ }
};

static struct kunit_suite suite = {
	.name = "vcpc_set",
	.suite_init = begin_suite,
	.suite_exit = end_suite,
	.test_cases = cases,
};

kunit_test_suite(suite);
