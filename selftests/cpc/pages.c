// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Check rules of the original manual pages cpc_bind_curlwp(3CPC) and cpc_buf_create(3CPC), with one
 * test per rule.  Documentation/api/libcpc-conformance.rst lists the other tests of each rule.
 */
#include <errno.h>
#include <pthread.h>

#include "cpc.h"
#include "kselftest_harness.h"

#define PRESET	5000000

FIXTURE(pages) {
	cpc_t *cpc;
	cpc_t *other;
	cpc_set_t *set;		/* requests page faults from PRESET and from 0 */
	cpc_set_t *twin;	/* another set of the same handle, with the same requests */
	cpc_set_t *foreign;	/* a set of the other handle, with the same requests */
	cpc_buf_t *buf;		/* one for each set */
	cpc_buf_t *more;
	cpc_buf_t *twins;
	cpc_buf_t *theirs;
};

static cpc_set_t *two_requests(cpc_t *cpc)
{
	cpc_set_t *set = set_of(cpc, "page-faults", PRESET);

	if (set)
		cpc_set_add_request(cpc, set, "page-faults", 0, CPC_COUNT_USER, 0, NULL);
	return set;
}

FIXTURE_SETUP(pages)
{
	self->cpc = cpc_open(CPC_VER_CURRENT);
	self->other = cpc_open(CPC_VER_CURRENT);
	ASSERT_NE(NULL, self->cpc) TH_LOG("cpc_open: %s", strerror(errno));
	ASSERT_NE(NULL, self->other);
	self->set = two_requests(self->cpc);
	self->twin = two_requests(self->cpc);
	self->foreign = two_requests(self->other);
	ASSERT_TRUE(self->set && self->twin && self->foreign);
	self->buf = cpc_buf_create(self->cpc, self->set);
	self->more = cpc_buf_create(self->cpc, self->set);
	self->twins = cpc_buf_create(self->cpc, self->twin);
	self->theirs = cpc_buf_create(self->other, self->foreign);
	ASSERT_TRUE(self->buf && self->more && self->twins && self->theirs);
}

FIXTURE_TEARDOWN(pages)
{
	EXPECT_EQ(0, cpc_close(self->cpc));
	EXPECT_EQ(0, cpc_close(self->other));
}

#define EXPECT_EINVAL(call)							\
	do {									\
		errno = 0;							\
		EXPECT_EQ(-1, call);						\
		EXPECT_EQ(EINVAL, errno);					\
	} while (0)

/* Expect a void call to set errno to EINVAL and to change nothing. */
#define EXPECT_REFUSED(call, buf)						\
	do {									\
		uint64_t was_ = value(self->cpc, buf, 0);			\
										\
		errno = 0;							\
		call;								\
		EXPECT_EQ(EINVAL, errno);					\
		EXPECT_EQ(was_, value(self->cpc, buf, 0));			\
	} while (0)

/* Binding enables the counters of all requests, and each starts at its preset. */
TEST_F(pages, each_counter_is_enabled)
{
	ASSERT_EQ(0, cpc_bind_curlwp(self->cpc, self->set, 0));
	touch(20);
	ASSERT_EQ(0, cpc_set_sample(self->cpc, self->set, self->buf));
	EXPECT_LE(PRESET + 20, value(self->cpc, self->buf, 0));
	EXPECT_LE(20, value(self->cpc, self->buf, 1));
}

/* Each call with a set argument rejects a set of another handle. */
TEST_F(pages, a_set_of_another_handle)
{
	ASSERT_EQ(0, cpc_bind_curlwp(self->cpc, self->set, 0));
	EXPECT_EINVAL(cpc_bind_curlwp(self->cpc, self->foreign, 0));
	EXPECT_EINVAL(cpc_bind_curlwp(self->other, self->set, 0));
	EXPECT_EINVAL(cpc_bind_cpu(self->other, 0, self->set, 0));
	EXPECT_EINVAL(cpc_unbind(self->other, self->set));
	EXPECT_EINVAL(cpc_set_restart(self->other, self->set));
	EXPECT_EINVAL(cpc_set_sample(self->other, self->set, self->buf));
	EXPECT_EINVAL(cpc_set_sample(self->other, self->set, self->theirs));
	EXPECT_EINVAL(cpc_set_destroy(self->other, self->set));
	/* None of these calls has ended the binding. */
	EXPECT_EQ(0, cpc_set_sample(self->cpc, self->set, self->buf));
	EXPECT_LE(PRESET, value(self->cpc, self->buf, 0));
}

/* A sample can be stored only in a buffer of the sampled set. */
TEST_F(pages, a_buffer_of_another_set)
{
	ASSERT_EQ(0, cpc_bind_curlwp(self->cpc, self->set, 0));
	EXPECT_EINVAL(cpc_set_sample(self->cpc, self->set, self->twins));
	EXPECT_EINVAL(cpc_set_sample(self->cpc, self->set, self->theirs));
	EXPECT_EQ(0, value(self->cpc, self->twins, 0));
	EXPECT_EQ(0, cpc_set_sample(self->cpc, self->set, self->buf));
}

/* A set created after another set was destroyed is a different set, even at the same address. */
TEST_F(pages, a_buffer_of_a_set_that_was_destroyed)
{
	for (int i = 0; i < 100; i++) {
		cpc_set_t *next;

		ASSERT_EQ(0, cpc_set_destroy(self->cpc, self->twin));
		next = two_requests(self->cpc);
		ASSERT_NE(NULL, next);
		ASSERT_EQ(0, cpc_bind_curlwp(self->cpc, next, 0));
		EXPECT_EINVAL(cpc_set_sample(self->cpc, next, self->twins));
		self->twin = next;
	}
}

/* After a request has been added to a set, the set's earlier buffers no longer fit. */
TEST_F(pages, a_buffer_of_before_a_request)
{
	ASSERT_EQ(2, cpc_set_add_request(self->cpc, self->set, "page-faults", 0, CPC_COUNT_USER, 0,
					 NULL));
	ASSERT_EQ(0, cpc_bind_curlwp(self->cpc, self->set, 0));
	EXPECT_EINVAL(cpc_set_sample(self->cpc, self->set, self->buf));
}

/* Each call with a buffer argument rejects a buffer of another handle. */
TEST_F(pages, a_buffer_of_another_handle)
{
	uint64_t got = 77;

	ASSERT_EQ(0, cpc_bind_curlwp(self->cpc, self->set, 0));
	ASSERT_EQ(0, cpc_set_sample(self->cpc, self->set, self->buf));
	EXPECT_EINVAL(cpc_buf_get(self->other, self->buf, 0, &got));
	EXPECT_EQ(77, got);
	EXPECT_EINVAL(cpc_buf_set(self->other, self->buf, 0, 1));
	EXPECT_EINVAL(cpc_buf_destroy(self->other, self->buf));
	EXPECT_REFUSED(cpc_buf_zero(self->other, self->buf), self->buf);
	EXPECT_REFUSED(cpc_buf_add(self->other, self->buf, self->buf, self->buf), self->buf);
	EXPECT_REFUSED(cpc_buf_add(self->cpc, self->buf, self->buf, self->theirs), self->buf);
	EXPECT_REFUSED(cpc_buf_sub(self->cpc, self->buf, self->theirs, self->buf), self->buf);
	EXPECT_REFUSED(cpc_buf_copy(self->cpc, self->buf, self->theirs), self->buf);
	errno = 0;
	EXPECT_EQ(0, cpc_buf_hrtime(self->other, self->buf));
	EXPECT_EQ(EINVAL, errno);
	errno = 0;
	EXPECT_EQ(0, cpc_buf_tick(self->other, self->buf));
	EXPECT_EQ(EINVAL, errno);
	EXPECT_LT(0, cpc_buf_hrtime(self->cpc, self->buf));
}

/* A buffer can be copied only to a buffer of the same set. */
TEST_F(pages, copies_are_of_the_same_set)
{
	ASSERT_EQ(0, cpc_buf_set(self->cpc, self->buf, 0, 3));
	EXPECT_REFUSED(cpc_buf_copy(self->cpc, self->twins, self->buf), self->twins);
	errno = 0;
	cpc_buf_copy(self->cpc, self->more, self->buf);
	EXPECT_EQ(0, errno);
	EXPECT_EQ(3, value(self->cpc, self->more, 0));
}

/*
 * Values of two buffers can be added and subtracted.  As in the original, the buffers can be of
 * different sets with the same requests.
 */
TEST_F(pages, sums_and_differences)
{
	ASSERT_EQ(0, cpc_buf_set(self->cpc, self->buf, 0, 3));
	ASSERT_EQ(0, cpc_buf_set(self->cpc, self->twins, 0, 5));
	cpc_buf_add(self->cpc, self->more, self->buf, self->twins);
	EXPECT_EQ(8, value(self->cpc, self->more, 0));
	cpc_buf_sub(self->cpc, self->more, self->buf, self->twins);
	EXPECT_EQ(-2ULL, value(self->cpc, self->more, 0));
}

/* Changing a value in a buffer changes neither the counter nor the next sample. */
TEST_F(pages, buf_set_changes_the_buffer_only)
{
	ASSERT_EQ(0, cpc_bind_curlwp(self->cpc, self->set, 0));
	ASSERT_EQ(0, cpc_buf_set(self->cpc, self->buf, 0, 1));
	EXPECT_EQ(1, value(self->cpc, self->buf, 0));
	ASSERT_EQ(0, cpc_set_sample(self->cpc, self->set, self->buf));
	EXPECT_LE(PRESET, value(self->cpc, self->buf, 0));
	cpc_buf_zero(self->cpc, self->buf);
	EXPECT_EQ(0, value(self->cpc, self->buf, 0));
	EXPECT_EQ(0, value(self->cpc, self->buf, 1));
	ASSERT_EQ(0, cpc_set_sample(self->cpc, self->set, self->buf));
	EXPECT_LE(PRESET, value(self->cpc, self->buf, 0));
}

/* Restarting a set and changing a preset fail if the thread has bound no set, or another one. */
TEST_F(pages, restart_of_what_is_not_bound)
{
	EXPECT_EINVAL(cpc_set_restart(self->cpc, self->set));
	EXPECT_EINVAL(cpc_request_preset(self->cpc, 0, 1));
	ASSERT_EQ(0, cpc_bind_curlwp(self->cpc, self->twin, 0));
	touch(20);
	EXPECT_EINVAL(cpc_set_restart(self->cpc, self->set));
	EXPECT_EINVAL(cpc_set_restart(self->cpc, NULL));
	EXPECT_LE(PRESET + 20, sampled(self->cpc, self->twin, self->twins));
}

/* A restart begins at the original presets, or at the values set by cpc_request_preset(). */
TEST_F(pages, a_preset_takes_effect_at_the_next_restart)
{
	ASSERT_EQ(0, cpc_bind_curlwp(self->cpc, self->set, 0));
	ASSERT_EQ(0, cpc_request_preset(self->cpc, 1, 1ULL << 40));
	ASSERT_EQ(0, cpc_set_sample(self->cpc, self->set, self->buf));
	EXPECT_GT(1ULL << 40, value(self->cpc, self->buf, 1));
	ASSERT_EQ(0, cpc_set_restart(self->cpc, self->set));
	EXPECT_LE(PRESET, sampled(self->cpc, self->set, self->buf));
	EXPECT_GT(PRESET + 1000000, value(self->cpc, self->buf, 0));
	EXPECT_LE(1ULL << 40, value(self->cpc, self->buf, 1));
}

struct elsewhere {
	cpc_t *cpc;
	cpc_set_t *set;
	cpc_buf_t *buf;
	int errors[4];
};

static void *use_elsewhere(void *arg)
{
	struct elsewhere *e = arg;

	e->errors[0] = cpc_set_sample(e->cpc, e->set, e->buf) ? errno : 0;
	e->errors[1] = cpc_set_restart(e->cpc, e->set) ? errno : 0;
	e->errors[2] = cpc_request_preset(e->cpc, 0, 1) ? errno : 0;
	/* Each thread that binds the set has its own values. */
	e->errors[3] = cpc_bind_curlwp(e->cpc, e->set, 0) ||
		       cpc_set_sample(e->cpc, e->set, e->buf) ? errno : 0;
	return NULL;
}

/* Only the thread that bound a set can sample it. */
TEST_F(pages, only_the_thread_that_bound_it)
{
	struct elsewhere e = { .cpc = self->cpc, .set = self->set, .buf = self->more };
	pthread_t thread;

	ASSERT_EQ(0, cpc_bind_curlwp(self->cpc, self->set, 0));
	ASSERT_EQ(0, pthread_create(&thread, NULL, use_elsewhere, &e));
	ASSERT_EQ(0, pthread_join(thread, NULL));
	for (int i = 0; i < 3; i++) {
		EXPECT_EQ(EINVAL, e.errors[i]) TH_LOG("call %d", i);
	}
	EXPECT_EQ(0, e.errors[3]);
	EXPECT_EQ(0, cpc_set_sample(self->cpc, self->set, self->buf));
}

/* Invalid flags, sets without requests, and unbound sets are rejected. */
TEST_F(pages, arguments)
{
	cpc_set_t *empty = cpc_set_create(self->cpc);

	EXPECT_EINVAL(cpc_bind_cpu(self->cpc, 0, self->set, CPC_BIND_LWP_INHERIT));
	EXPECT_EINVAL(cpc_bind_pctx(self->cpc, NULL, 1, self->set, 0));
	EXPECT_EINVAL(cpc_bind_curlwp(self->cpc, empty, 0));
	EXPECT_EINVAL(cpc_bind_cpu(self->cpc, 0, empty, 0));
	EXPECT_EINVAL(cpc_unbind(self->cpc, self->set));
	EXPECT_EINVAL(cpc_set_sample(self->cpc, self->set, self->buf));
	EXPECT_EINVAL(cpc_buf_get(self->cpc, self->buf, 0, NULL));
	EXPECT_EINVAL(cpc_enable(NULL));
	EXPECT_EINVAL(cpc_disable(NULL));
}

/* After cpc_unbind() the set can be changed and bound again. */
TEST_F(pages, unbind)
{
	ASSERT_EQ(0, cpc_bind_curlwp(self->cpc, self->set, 0));
	ASSERT_EQ(0, cpc_unbind(self->cpc, self->set));
	EXPECT_EINVAL(cpc_set_sample(self->cpc, self->set, self->buf));
	EXPECT_EQ(2, cpc_set_add_request(self->cpc, self->set, "page-faults", 0, CPC_COUNT_USER, 0,
					 NULL));
	EXPECT_EQ(0, cpc_bind_curlwp(self->cpc, self->set, 0));
}

/* hrtime is the time of the last sample.  tick is the time during which the set has counted. */
TEST_F(pages, times)
{
	hrtime_t before, after;

	ASSERT_EQ(0, cpc_bind_curlwp(self->cpc, self->set, 0));
	EXPECT_EQ(0, cpc_buf_hrtime(self->cpc, self->buf));
	EXPECT_EQ(0, cpc_buf_tick(self->cpc, self->buf));
	before = gethrtime();
	touch(20);
	ASSERT_EQ(0, cpc_set_sample(self->cpc, self->set, self->buf));
	after = gethrtime();
	EXPECT_LE(before, cpc_buf_hrtime(self->cpc, self->buf));
	EXPECT_GE(after, cpc_buf_hrtime(self->cpc, self->buf));
	EXPECT_LT(0, cpc_buf_tick(self->cpc, self->buf));
}

TEST_HARNESS_MAIN
