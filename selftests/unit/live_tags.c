// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A record's statistics of the transactions since the previous record are consistent and correct.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "live/tags.h"
#include "kselftest_harness.h"

/* A tag, and the true values of its transactions since its last record */
struct window {
	struct shim_live_tag tag;
	uint64_t n, sum, least, most;
};

static void start(struct window *w)
{
	w->tag.before = w->tag.total;
	w->tag.unwritten = (struct shim_live_range) { 0, VC_HIST_SLOTS };
	w->n = w->sum = w->most = 0;
	w->least = UINT64_MAX;
}

static void take(struct window *w, uint64_t ns)
{
	struct vc_stat *total = &w->tag.total;

	if (!total->count || ns < total->min_ns)
		total->min_ns = ns;
	if (ns > total->max_ns)
		total->max_ns = ns;
	total->count++;
	total->sum_ns += ns;
	total->hist[vc_hist_slot(ns, 63 - __builtin_clzll(ns | 1))]++;
	w->least = ns < w->least ? ns : w->least;
	w->most = ns > w->most ? ns : w->most;
	w->sum += ns;
	w->n++;
}

static void check(struct __test_metadata *_metadata, const struct window *w)
{
	struct shim_live_since since;
	double mean;

	shim_live_tag__since(&w->tag, &since);
	ASSERT_EQ(w->n, since.count);
	ASSERT_EQ(w->sum, since.sum_ns);
	mean = (double)since.sum_ns / since.count;
	ASSERT_LE(since.min_ns, mean);
	ASSERT_GE(since.max_ns, mean);
	/* The tolerance is 1/16, or 0.5 ns if buckets are that narrow. */
	ASSERT_LE(llabs((long long)(since.min_ns - w->least)), w->least / 16.0 + 1);
	ASSERT_LE(llabs((long long)(since.max_ns - w->most)), w->most / 16.0 + 1);
	for (int p = 50; p < 100; p += 49) {
		ASSERT_LE(since.min_ns, shim_live_tag__percentile(&w->tag, &since, p));
		ASSERT_GE(since.max_ns, shim_live_tag__percentile(&w->tag, &since, p));
	}
}

/*
 * Times from 960 to 1023 ns are in one bucket, whose middle is 991; the mean can be on either side
 * of it.
 */
TEST(one_slot)
{
	struct window *w = calloc(1, sizeof(*w));

	ASSERT_NE(NULL, w);
	start(w);
	take(w, 1020);
	check(_metadata, w);
	start(w);
	take(w, 961);
	check(_metadata, w);
	start(w);
	take(w, 1023);
	take(w, 1022);
	check(_metadata, w);
	free(w);
}

TEST(any_times)
{
	struct window *w = calloc(1, sizeof(*w));

	ASSERT_NE(NULL, w);
	srandom(1);
	for (int i = 0; i < 20000; i++) {
		start(w);
		for (int n = random() % 4; n >= 0; n--)
			take(w, random() >> random() % 31);
		check(_metadata, w);
	}
	free(w);
}

/* The kernel's fields are read one by one while transactions end, so the sum can lag behind. */
TEST(a_sum_that_lags)
{
	struct window *w = calloc(1, sizeof(*w));
	struct shim_live_since since;

	ASSERT_NE(NULL, w);
	start(w);
	take(w, 1000);
	take(w, 2000);
	w->tag.total.sum_ns = 1000;
	shim_live_tag__since(&w->tag, &since);
	EXPECT_LE(since.min_ns, since.sum_ns / 2.0);
	EXPECT_GE(since.max_ns, since.sum_ns / 2.0);
	free(w);
}

/* Read a row, with or without a known tag; the result is the same. */
static int take_stat(struct shim_live_tags *tags, const struct shim_bpf_stat *stat,
		     unsigned int session)
{
	struct shim_live_tag *known = tags->n && random() % 2 ? tags->at[0] : NULL;

	return shim_live_tags__take(tags, stat, session, &known);
}

static void add_some(struct shim_bpf_stat *w, uint64_t *n, uint64_t hist[VC_HIST_SLOTS])
{
	for (int k = random() % 5; k > 0; k--) {
		uint64_t ns = random() >> random() % 31;
		uint32_t slot = vc_hist_slot(ns, 63 - __builtin_clzll(ns | 1));

		w->total.count++;
		w->total.sum_ns += ns;
		w->total.hist[slot]++;
		hist[slot]++;
		++*n;
	}
}

/*
 * Totals include all transactions, across sessions and IDs, from the kernel and from programs. (The
 * kernel's values restart with each session and ID.)
 */
TEST(totals_over_sessions)
{
	struct shim_bpf_tag name = { .name = "tag", .label = "tag", .user = 7 };
	static struct shim_bpf_stat writers[SHIM_LIVE_PARTS];
	static uint64_t hist[VC_HIST_SLOTS];
	static struct vc_stat before;
	struct shim_live_since since;
	struct shim_live_tags tags;
	unsigned int session = 1;
	uint64_t n = 0, id = 1;

	shim_live_tags__init(&tags);
	srandom(2);
	for (int i = 0; i < 20000; i++) {
		int part = i < 5000 ? SHIM_LIVE_KERNEL : random() % SHIM_LIVE_PARTS;
		struct shim_bpf_stat *w = &writers[part];

		if (i > 2000 && !(random() % 50)) {
			session++;
			for (int k = 0; k < SHIM_LIVE_PARTS; k++)
				writers[k].total = (struct vc_stat) { 0 };
		}
		if (i > 1000 && part == SHIM_LIVE_KERNEL && !(random() % 50)) {
			id++;
			w->total = (struct vc_stat) { 0 };
		}
		w->tag = &name;
		w->key.tag = part == SHIM_LIVE_KERNEL ? id : SHIM_DIRECT_ID | (uint64_t)(random() % 3);
		w->key.kind = VC_TRANSACT;
		w->slots.end = VC_HIST_SLOTS;
		add_some(w, &n, hist);
		ASSERT_EQ(0, take_stat(&tags, w, session));
		ASSERT_EQ(1, tags.n);
		ASSERT_EQ(n, tags.at[0]->total.count);
		ASSERT_EQ(0, memcmp(hist, tags.at[0]->total.hist, sizeof(hist)));
		ASSERT_EQ(0, memcmp(&before, &tags.at[0]->before, sizeof(before)));
		shim_live_tag__since(tags.at[0], &since);
		ASSERT_EQ(n - before.count, since.count);
		if (!(random() % 3)) {
			before = tags.at[0]->total;
			shim_live_tags__written(&tags);
			ASSERT_EQ(0, memcmp(&before, &tags.at[0]->before, sizeof(before)));
		}
	}
	shim_live_tags__free(&tags);
}

/* For some time, the row of a removed ID exists together with its successor. */
TEST(an_id_that_was_given_up)
{
	struct shim_bpf_tag name = { .name = "tag", .label = "tag" };
	struct shim_bpf_stat old = { .tag = &name, .key = { .tag = 5, .kind = VC_POINT } };
	struct shim_bpf_stat next = { .tag = &name, .key = { .tag = 9, .kind = VC_POINT } };
	struct shim_live_tags tags;

	old.total.count = 3;
	next.total.count = 2;
	shim_live_tags__init(&tags);
	for (int i = 0; i < 3; i++) {
		ASSERT_EQ(0, take_stat(&tags, &old, 1));
		ASSERT_EQ(0, take_stat(&tags, &next, 1));
		EXPECT_EQ(5, tags.at[0]->total.count);
	}
	shim_live_tags__free(&tags);
}

TEST_HARNESS_MAIN
