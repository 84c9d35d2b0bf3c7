// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Test the life of a set, which is bound, stopped, rebound and destroyed, its buffers and walkers.
 */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "cpc.h"
#include "kselftest_harness.h"

FIXTURE(cpc) {
	cpc_t *cpc;
	cpc_set_t *set;		/* page faults from 0, and from 2^64 - 10 */
	cpc_buf_t *buf;
	cpc_buf_t *more;
};

FIXTURE_SETUP(cpc)
{
	errno = 0;
	self->cpc = cpc_open(CPC_VER_CURRENT);
	ASSERT_NE(NULL, self->cpc) TH_LOG("cpc_open: %s", strerror(errno));
	self->set = cpc_set_create(self->cpc);
	ASSERT_NE(NULL, self->set);
	ASSERT_EQ(0, cpc_set_add_request(self->cpc, self->set, "page-faults", 0, CPC_COUNT_USER,
					 0, NULL));
	ASSERT_EQ(1, cpc_set_add_request(self->cpc, self->set, "page-faults", -10ULL,
					 CPC_COUNT_USER, 0, NULL));
	self->buf = cpc_buf_create(self->cpc, self->set);
	self->more = cpc_buf_create(self->cpc, self->set);
	ASSERT_NE(NULL, self->buf);
	ASSERT_NE(NULL, self->more);
}

FIXTURE_TEARDOWN(cpc)
{
	EXPECT_EQ(0, cpc_close(self->cpc));
}

TEST_F(cpc, says_what_it_is)
{
	EXPECT_LE(1, cpc_npic(self->cpc));
	EXPECT_TRUE(!strncmp(cpc_cciname(self->cpc), "vcpc on ", 8) ||
		    !strncmp(cpc_cciname(self->cpc), "perf on ", 8));
	EXPECT_LT(0, strlen(cpc_cpuref(self->cpc)));
}

TEST_F(cpc, counts_from_the_presets)
{
	hrtime_t before = gethrtime();

	ASSERT_EQ(0, cpc_bind_curlwp(self->cpc, self->set, 0));
	touch(20);
	ASSERT_EQ(0, cpc_set_sample(self->cpc, self->set, self->buf));
	EXPECT_LE(20, value(self->cpc, self->buf, 0));
	EXPECT_GT(1ULL << 32, value(self->cpc, self->buf, 1)) TH_LOG("no wrap");
	EXPECT_LE(before, cpc_buf_hrtime(self->cpc, self->buf));
	EXPECT_GE(gethrtime(), cpc_buf_hrtime(self->cpc, self->buf));
	EXPECT_LT(0, cpc_buf_tick(self->cpc, self->buf));
	touch(20);
	ASSERT_EQ(0, cpc_set_sample(self->cpc, self->set, self->more));
	EXPECT_LE(value(self->cpc, self->buf, 0) + 20, value(self->cpc, self->more, 0));
	EXPECT_LE(cpc_buf_hrtime(self->cpc, self->buf), cpc_buf_hrtime(self->cpc, self->more));
	EXPECT_LE(cpc_buf_tick(self->cpc, self->buf), cpc_buf_tick(self->cpc, self->more));
}

TEST_F(cpc, stopped_stands_still)
{
	ASSERT_EQ(0, cpc_bind_curlwp(self->cpc, self->set, 0));
	ASSERT_EQ(0, cpc_disable(self->cpc));
	ASSERT_EQ(0, cpc_set_sample(self->cpc, self->set, self->buf));
	touch(20);
	ASSERT_EQ(0, cpc_set_sample(self->cpc, self->set, self->more));
	EXPECT_EQ(value(self->cpc, self->buf, 0), value(self->cpc, self->more, 0));
	EXPECT_EQ(cpc_buf_tick(self->cpc, self->buf), cpc_buf_tick(self->cpc, self->more));
	EXPECT_EQ(cpc_buf_hrtime(self->cpc, self->buf), cpc_buf_hrtime(self->cpc, self->more));
	ASSERT_EQ(0, cpc_enable(self->cpc));
	touch(20);
	ASSERT_EQ(0, cpc_set_sample(self->cpc, self->set, self->more));
	EXPECT_LE(value(self->cpc, self->buf, 0) + 20, value(self->cpc, self->more, 0));
	EXPECT_LT(cpc_buf_hrtime(self->cpc, self->buf), cpc_buf_hrtime(self->cpc, self->more));
}

/* Take 100 samples, because the synthetic PMU of the native run counts only when it is sampled. */
TEST_F(cpc, rebinding_starts_from_the_presets)
{
	ASSERT_EQ(0, cpc_bind_curlwp(self->cpc, self->set, 0));
	touch(5000);
	for (int i = 0; i < 100; i++)
		ASSERT_EQ(0, cpc_set_sample(self->cpc, self->set, self->buf));
	EXPECT_LE(5000, value(self->cpc, self->buf, 0));
	ASSERT_EQ(0, cpc_bind_curlwp(self->cpc, self->set, 0));
	ASSERT_EQ(0, cpc_set_sample(self->cpc, self->set, self->more));
	EXPECT_GT(5000, value(self->cpc, self->more, 0));
	EXPECT_GT(cpc_buf_tick(self->cpc, self->buf), cpc_buf_tick(self->cpc, self->more));
	ASSERT_EQ(0, cpc_unbind(self->cpc, self->set));
	ASSERT_EQ(0, cpc_bind_curlwp(self->cpc, self->set, 0));
	EXPECT_EQ(0, cpc_set_sample(self->cpc, self->set, self->more));
	EXPECT_GT(5000, value(self->cpc, self->more, 0));
}

TEST_F(cpc, a_request_without_a_mode_counts_nothing)
{
	cpc_set_t *set = cpc_set_create(self->cpc);
	cpc_buf_t *buf;

	ASSERT_EQ(0, cpc_set_add_request(self->cpc, set, "page-faults", 42, 0, 0, NULL));
	buf = cpc_buf_create(self->cpc, set);
	ASSERT_EQ(0, cpc_bind_curlwp(self->cpc, set, 0));
	touch(10);
	ASSERT_EQ(0, cpc_set_sample(self->cpc, set, buf));
	EXPECT_EQ(42, value(self->cpc, buf, 0));
}

TEST_F(cpc, destroyed_while_bound)
{
	ASSERT_EQ(0, cpc_bind_curlwp(self->cpc, self->set, 0));
	EXPECT_EQ(0, cpc_set_destroy(self->cpc, self->set));
	EXPECT_EQ(-1, cpc_disable(self->cpc));
	EXPECT_EQ(EINVAL, errno);
	self->set = cpc_set_create(self->cpc);
	ASSERT_EQ(0, cpc_set_add_request(self->cpc, self->set, "page-faults", 0, CPC_COUNT_USER,
					 0, NULL));
	EXPECT_EQ(0, cpc_bind_curlwp(self->cpc, self->set, 0));
}

TEST_F(cpc, buffers_outlive_their_set)
{
	ASSERT_EQ(0, cpc_set_destroy(self->cpc, self->set));
	EXPECT_EQ(0, cpc_buf_set(self->cpc, self->buf, 1, 9));
	EXPECT_EQ(9, value(self->cpc, self->buf, 1));
	EXPECT_EQ(0, cpc_buf_destroy(self->cpc, self->buf));
}

TEST_F(cpc, arithmetic)
{
	cpc_buf_t *a = self->buf, *b = self->more;

	cpc_buf_set(self->cpc, a, 0, 5);
	cpc_buf_set(self->cpc, b, 0, 7);
	cpc_buf_set(self->cpc, a, 1, -1ULL);
	cpc_buf_set(self->cpc, b, 1, 2);
	cpc_buf_sub(self->cpc, a, a, b);
	EXPECT_EQ(-2ULL, value(self->cpc, a, 0));
	EXPECT_EQ(-3ULL, value(self->cpc, a, 1));
	cpc_buf_add(self->cpc, a, b, a);
	EXPECT_EQ(5, value(self->cpc, a, 0));
	EXPECT_EQ(-1ULL, value(self->cpc, a, 1));
	cpc_buf_copy(self->cpc, a, b);
	EXPECT_EQ(7, value(self->cpc, a, 0));
	cpc_buf_zero(self->cpc, a);
	EXPECT_EQ(0, value(self->cpc, a, 0) | value(self->cpc, a, 1));
}

TEST_F(cpc, arithmetic_on_times)
{
	hrtime_t t0, t1;
	uint64_t k0, k1;

	ASSERT_EQ(0, cpc_bind_curlwp(self->cpc, self->set, 0));
	ASSERT_EQ(0, cpc_set_sample(self->cpc, self->set, self->buf));
	ASSERT_EQ(0, cpc_set_sample(self->cpc, self->set, self->more));
	t0 = cpc_buf_hrtime(self->cpc, self->buf);
	t1 = cpc_buf_hrtime(self->cpc, self->more);
	k0 = cpc_buf_tick(self->cpc, self->buf);
	k1 = cpc_buf_tick(self->cpc, self->more);
	cpc_buf_sub(self->cpc, self->buf, self->buf, self->more);
	EXPECT_EQ(t1 > t0 ? t1 : t0, cpc_buf_hrtime(self->cpc, self->buf));
	EXPECT_EQ(k0 - k1, cpc_buf_tick(self->cpc, self->buf));
	cpc_buf_add(self->cpc, self->buf, self->buf, self->more);
	EXPECT_EQ(k0, cpc_buf_tick(self->cpc, self->buf));
	cpc_buf_zero(self->cpc, self->buf);
	EXPECT_EQ(0, cpc_buf_hrtime(self->cpc, self->buf));
	EXPECT_EQ(0, cpc_buf_tick(self->cpc, self->buf));
}

TEST_F(cpc, arithmetic_needs_equal_sizes)
{
	cpc_set_t *small = cpc_set_create(self->cpc);
	cpc_buf_t *one;

	ASSERT_EQ(0, cpc_set_add_request(self->cpc, small, "page-faults", 0, CPC_COUNT_USER, 0,
					 NULL));
	one = cpc_buf_create(self->cpc, small);
	ASSERT_NE(NULL, one);
	cpc_buf_set(self->cpc, one, 0, 3);
	cpc_buf_set(self->cpc, self->buf, 0, 4);
	cpc_buf_add(self->cpc, self->buf, self->more, one);
	cpc_buf_sub(self->cpc, self->buf, one, self->more);
	cpc_buf_copy(self->cpc, self->buf, one);
	cpc_buf_copy(self->cpc, one, self->buf);
	EXPECT_EQ(4, value(self->cpc, self->buf, 0));
	EXPECT_EQ(3, value(self->cpc, one, 0));
}

struct seen {
	int n;
	int index[4];
	char events[4][32];
	uint64_t presets[4];
	uint_t flags[4];
	int nattrs[4];
	uint64_t attr;
};

static void see_request(void *arg, int index, const char *event, uint64_t preset, uint_t flags,
			int nattrs, const cpc_attr_t *attrs)
{
	struct seen *seen = arg;
	int i = seen->n++;

	seen->index[i] = index;
	strncpy(seen->events[i], event, 31);
	seen->presets[i] = preset;
	seen->flags[i] = flags;
	seen->nattrs[i] = nattrs;
	if (nattrs)
		seen->attr = attrs[nattrs - 1].ca_val;
}

TEST_F(cpc, requests_are_walked_last_first)
{
	cpc_attr_t attrs[] = { { "picnum", 0 }, { "picnum", 1 } };
	struct seen seen = { 0 };

	ASSERT_EQ(2, cpc_set_add_request(self->cpc, self->set, "0x11", 5,
					 CPC_COUNT_USER | CPC_COUNT_SYSTEM, 2, attrs));
	attrs[1].ca_val = 99;
	cpc_walk_requests(self->cpc, self->set, &seen, see_request);
	ASSERT_EQ(3, seen.n);
	EXPECT_EQ(2, seen.index[0]);
	EXPECT_STREQ("0x11", seen.events[0]);
	EXPECT_EQ(5, seen.presets[0]);
	EXPECT_EQ(CPC_COUNT_USER | CPC_COUNT_SYSTEM, seen.flags[0]);
	EXPECT_EQ(2, seen.nattrs[0]);
	EXPECT_EQ(1, seen.attr);
	EXPECT_EQ(1, seen.index[1]);
	EXPECT_EQ(-10ULL, seen.presets[1]);
	EXPECT_EQ(0, seen.index[2]);
	EXPECT_STREQ("page-faults", seen.events[2]);
}

struct list {
	cpc_t *cpc;
	cpc_set_t *set;
	int n;
	int bad;
	int page_faults;
};

static void see_event(void *arg, const char *event)
{
	struct list *list = arg;
	cpc_set_t *set = cpc_set_create(list->cpc);

	list->n++;
	list->page_faults += !strcmp(event, "sw::page-faults");
	list->bad += cpc_set_add_request(list->cpc, set, event, 0, CPC_COUNT_USER, 0, NULL) != 0;
	cpc_set_destroy(list->cpc, set);
}

static void see_pic(void *arg, uint_t picno, const char *event)
{
	struct list *list = arg;

	list->n++;
	list->bad += picno != 0 || !event[0];
}

static void see_attr(void *arg, const char *attr)
{
	strcpy(arg, attr);
}

TEST_F(cpc, every_event_walked_can_be_asked_for)
{
	struct list all = { .cpc = self->cpc };
	struct list pic = { 0 };
	char last[CPC_MAX_ATTR_LEN] = "";

	cpc_walk_events_all(self->cpc, &all, see_event);
	EXPECT_EQ(1, all.page_faults);
	EXPECT_EQ(0, all.bad);
	cpc_walk_events_pic(self->cpc, 0, &pic, see_pic);
	EXPECT_EQ(all.n, pic.n);
	EXPECT_EQ(0, pic.bad);
	cpc_walk_attrs(self->cpc, last, see_attr);
	EXPECT_STREQ("picnum", last);
}

/* Bind a set that other threads also bind.  Each thread sees only its own values. */
static void *share(void *arg)
{
	struct shared_set *s = arg;
	cpc_set_t *own = cpc_set_create(s->cpc);
	cpc_buf_t *buf = cpc_buf_create(s->cpc, s->set);

	for (int i = 0; i < 20; i++) {
		if (cpc_bind_curlwp(s->cpc, s->set, 0) ||
		    cpc_set_sample(s->cpc, s->set, buf) || value(s->cpc, buf, 0) > 5000)
			__atomic_fetch_add(&s->errors, 1, __ATOMIC_RELAXED);
	}
	cpc_buf_destroy(s->cpc, buf);
	cpc_set_destroy(s->cpc, own);
	return NULL;
}

TEST_F(cpc, threads_share_a_set)
{
	struct shared_set s = { self->cpc, self->set, 0 };
	pthread_t threads[32];

	ASSERT_EQ(0, cpc_bind_curlwp(self->cpc, self->set, 0));
	touch(6000);
	for (size_t i = 0; i < ARRAY_SIZE(threads); i++)
		ASSERT_EQ(0, pthread_create(&threads[i], NULL, share, &s));
	for (size_t i = 0; i < ARRAY_SIZE(threads); i++)
		ASSERT_EQ(0, pthread_join(threads[i], NULL));
	EXPECT_EQ(0, s.errors);
	EXPECT_EQ(0, cpc_set_sample(self->cpc, self->set, self->buf));
	EXPECT_EQ(0, cpc_unbind(self->cpc, self->set));
}

TEST_F(cpc, a_thousand_cycles)
{
	for (int i = 0; i < 1000; i++) {
		ASSERT_EQ(0, cpc_bind_curlwp(self->cpc, self->set, 0));
		ASSERT_EQ(0, cpc_set_sample(self->cpc, self->set, self->buf));
		ASSERT_EQ(0, cpc_unbind(self->cpc, self->set));
	}
}

TEST_HARNESS_MAIN
