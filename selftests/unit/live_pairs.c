// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Sums of counts of transactions include all rows that ever existed in the kernel, regardless of
 * the order of changes.  The test generates the reader's results.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <linux/perf_event.h>
#include <linux/vcpc.h>

#include "core/bpf_stat.h"
#include "core/event.h"
#include "kselftest_harness.h"
#include "live/pairs.h"

#define ROWS	300

static struct shim_bpf_count rows[ROWS];
static size_t nrows;
static struct shim_bpf_tag tag = { .name = "tag", .label = "tag" };

int __wrap_shim_bpf_reader__counts(struct shim_bpf_reader *r, const struct shim_bpf_count **counts,
				   size_t *n);
int __wrap_shim_bpf_reader__tag(struct shim_bpf_reader *r, uint64_t id,
				const struct shim_bpf_tag **out);

int __wrap_shim_bpf_reader__counts(struct shim_bpf_reader *r, const struct shim_bpf_count **counts,
				   size_t *n)
{
	(void)r;
	*counts = rows;
	*n = nrows;
	return 0;
}

int __wrap_shim_bpf_reader__tag(struct shim_bpf_reader *r, uint64_t id,
				const struct shim_bpf_tag **out)
{
	(void)r;
	(void)id;
	*out = &tag;
	return 0;
}

FIXTURE(pairs) {
	struct shim_live_tags tags;
	struct shim_live_pairs pairs;
	unsigned int session;
	uint64_t version;
};

FIXTURE_SETUP(pairs)
{
	struct shim_bpf_stat stat = { .tag = &tag, .key = { .tag = 1, .kind = VC_TRANSACT } };
	struct shim_live_tag *known = NULL;

	shim_live_tags__init(&self->tags);
	shim_live_pairs__init(&self->pairs);
	self->session = 1;
	self->version = 0;
	nrows = 0;
	ASSERT_EQ(0, shim_live_tags__take(&self->tags, &stat, 1, &known));
}

FIXTURE_TEARDOWN(pairs)
{
	shim_live_pairs__free(&self->pairs);
	shim_live_tags__free(&self->tags);
}

static struct vc_event_desc event(uint64_t config)
{
	return (struct vc_event_desc) { PERF_TYPE_SOFTWARE, VCPC_REQ_F_USER | VCPC_REQ_F_KERNEL,
					config };
}

/*
 * Put a row into the table: one transaction that counted @value of each of @nr events, starting
 * with @config.
 */
static void put(FIXTURE_DATA(pairs) *self, size_t at, uint64_t id, uint64_t key, uint64_t config,
		uint32_t nr, uint64_t value)
{
	struct shim_bpf_count *row = &rows[at];

	*row = (struct shim_bpf_count) { .id = id, .events_key = key, .version = ++self->version };
	row->events.nr = nr;
	row->total.count = 1;
	for (uint32_t i = 0; i < nr; i++) {
		row->events.event[i] = event(config + i);
		row->total.sum[i] = value;
	}
	nrows = nrows > at ? nrows : at + 1;
}

static void add(FIXTURE_DATA(pairs) *self, size_t at, uint64_t value)
{
	rows[at].version = ++self->version;
	rows[at].total.count++;
	for (uint32_t i = 0; i < rows[at].events.nr; i++)
		rows[at].total.sum[i] += value;
}

static int take(FIXTURE_DATA(pairs) *self)
{
	return shim_live_pairs__counted(&self->pairs, NULL, &self->tags, self->session);
}

static uint64_t sum_of(FIXTURE_DATA(pairs) *self, uint64_t config, int which)
{
	const struct vc_event_desc desc = event(config);
	char name[SHIM_EVENT_LEN];

	shim_event__name(desc.type, desc.config, desc.flags, name, sizeof(name));
	for (size_t i = 0; i < self->pairs.nsums; i++)
		if (!strcmp(self->pairs.sums[i]->name + strlen("tag/"), name))
			return self->pairs.sums[i]->total[which];
	return UINT64_MAX;
}

/* One thread counts page faults (2) and switches (3), and another one counts only switches. */
TEST_F(pairs, an_event_of_two_sets)
{
	put(self, 0, 1, 100, 2, 2, 5);
	put(self, 1, 1, 200, 3, 1, 30);
	ASSERT_EQ(0, take(self));
	EXPECT_EQ(5, sum_of(self, 2, 1));
	EXPECT_EQ(35, sum_of(self, 3, 1));
	EXPECT_EQ(2, sum_of(self, 3, 0));
	add(self, 0, 7);
	ASSERT_EQ(0, take(self));
	EXPECT_EQ(42, sum_of(self, 3, 1));
	EXPECT_EQ(3, sum_of(self, 3, 0));
	add(self, 1, 1);
	ASSERT_EQ(0, take(self));
	EXPECT_EQ(43, sum_of(self, 3, 1));
}

/*
 * Counts that programs write themselves are merged with the kernel's rows, whose IDs are smaller.
 */
TEST_F(pairs, counted_by_programs_too)
{
	put(self, 0, 1, 100, 2, 1, 5);
	put(self, 1, SHIM_DIRECT_ID | 7, SHIM_DIRECT_ID | 3, 2, 1, 30);
	ASSERT_EQ(0, take(self));
	EXPECT_EQ(35, sum_of(self, 2, 1));
	add(self, 1, 10);
	ASSERT_EQ(0, take(self));
	EXPECT_EQ(45, sum_of(self, 2, 1));
	add(self, 0, 100);
	ASSERT_EQ(0, take(self));
	EXPECT_EQ(145, sum_of(self, 2, 1));
	/* A reader that has removed the tag can assign it another ID later. */
	rows[1].id = SHIM_DIRECT_ID | 4;
	rows[1].version = ++self->version;
	ASSERT_EQ(0, take(self));
	EXPECT_EQ(145, sum_of(self, 2, 1));
	EXPECT_EQ(4, sum_of(self, 2, 0));
	/* The kernel can also assign another ID to the tag. */
	put(self, 0, 2, 100, 2, 1, 1);
	ASSERT_EQ(0, take(self));
	EXPECT_EQ(146, sum_of(self, 2, 1));
	add(self, 1, 10);
	ASSERT_EQ(0, take(self));
	EXPECT_EQ(156, sum_of(self, 2, 1));
}

TEST_F(pairs, an_event_that_a_set_has_twice)
{
	put(self, 0, 1, 100, 2, 2, 5);
	rows[0].events.event[1] = rows[0].events.event[0];
	ASSERT_EQ(0, take(self));
	EXPECT_EQ(5, sum_of(self, 2, 1));
	EXPECT_EQ(1, sum_of(self, 2, 0));
}

/* For some time, the row of a removed ID exists together with its successor, and can change. */
TEST_F(pairs, an_id_that_was_given_up)
{
	put(self, 0, 1, 100, 2, 1, 5);
	put(self, 1, 9, 100, 2, 1, 10);
	ASSERT_EQ(0, take(self));
	EXPECT_EQ(15, sum_of(self, 2, 1));
	rows[0].version = ++self->version;
	ASSERT_EQ(0, take(self));
	EXPECT_EQ(15, sum_of(self, 2, 1));
	add(self, 1, 1);
	ASSERT_EQ(0, take(self));
	EXPECT_EQ(16, sum_of(self, 2, 1));
}

/*
 * If rows appear, disappear, move and change, and IDs and sessions end, the sums still include
 * everything that was ever counted.
 */
TEST_F(pairs, whatever_happens)
{
	uint64_t truth[8] = { 0 }, id = 1;

	srandom(3);
	for (int step = 0; step < 20000; step++) {
		if (!(random() % 100) || !nrows) {	/* a new ID, or a new session */
			if (random() % 2)
				id++;
			else
				self->session++;
			nrows = 0;
			put(self, 0, id, 100, 0, 4, 0);
			put(self, 1, id, 200, 2, 4, 0);
			put(self, 2, id, 300, 3, 1, 0);
		}
		for (int changes = random() % 3; changes; changes--) {
			size_t at = random() % nrows;
			uint64_t value = random() % 1000, first = rows[at].events.event[0].config;

			add(self, at, value);
			for (uint32_t i = 0; i < rows[at].events.nr; i++)
				truth[first + i] += value;
		}
		if (!(random() % 20)) {		/* rows change places */
			struct shim_bpf_count moved = rows[0];

			rows[0] = rows[2];
			rows[2] = moved;
			rows[0].version = ++self->version;
			rows[2].version = ++self->version;
		}
		ASSERT_EQ(0, take(self));
		for (int config = 0; config < 6; config++)
			ASSERT_EQ(truth[config], sum_of(self, config, 1));
	}
}

/* After INT32_MAX, instance numbers start again, and skip those in use. */
TEST_F(pairs, all_numbers_were_given)
{
	struct shim_live_tag *known = self->tags.at[0];
	uint64_t removed;

	put(self, 0, 1, 100, 2, 2, 5);
	known->total.hist[5] = known->total.hist[9] = 1;
	known->unseen = (struct shim_live_range) { 0, 10 };
	ASSERT_EQ(0, take(self));
	ASSERT_EQ(0, shim_live_pairs__slots(&self->pairs, &self->tags));
	removed = self->pairs.slot_numbers.removed;
	self->pairs.sum_numbers.last = self->pairs.slot_numbers.last = self->tags.numbers.last = INT32_MAX;
	self->pairs.sums[1]->inst = self->pairs.slots[1].inst = known->inst = INT32_MAX;
	known->slots[9] = INT32_MAX;
	put(self, 1, 1, 200, 7, 1, 9);
	known->total.hist[7] = 1;
	known->unseen = (struct shim_live_range) { 0, 10 };
	ASSERT_EQ(0, take(self));
	ASSERT_EQ(0, shim_live_pairs__slots(&self->pairs, &self->tags));
	ASSERT_EQ(3, self->pairs.nsums);
	ASSERT_EQ(3, self->pairs.nslots);
	for (int i = 0; i < 3; i++) {
		EXPECT_EQ(i + 1, self->pairs.sums[i]->inst);
		EXPECT_EQ(i + 1, self->pairs.slots[i].inst);
		EXPECT_EQ((uint32_t)i + 1, known->slots[self->pairs.slots[i].slot]);
	}
	EXPECT_LT(removed, self->pairs.slot_numbers.removed);
	EXPECT_EQ(5, sum_of(self, 2, 1));
	EXPECT_EQ(9, sum_of(self, 7, 1));
}

/*
 * A program continuously adds sets of events to its own rows.  Sets that are omitted never add
 * counts, even if they are read repeatedly.
 */
TEST_F(pairs, sets_of_events_without_end)
{
	uint64_t sum;

	for (size_t i = 0; i < ROWS; i++)
		put(self, i, SHIM_DIRECT_ID | 1, SHIM_DIRECT_ID | i, 2, 1, 5);
	ASSERT_EQ(0, take(self));
	sum = sum_of(self, 2, 1);
	EXPECT_LT(1000, sum);
	for (int round = 0; round < 3; round++) {
		for (size_t i = 0; i < ROWS; i++)
			rows[i].version = ++self->version;
		ASSERT_EQ(0, take(self));
		EXPECT_EQ(sum, sum_of(self, 2, 1));
		EXPECT_GE(256, self->pairs.sums[0]->naddends);
	}
	add(self, 0, 7);
	/* The kernel's row is not omitted. */
	put(self, ROWS - 1, 1, 100, 2, 1, 100);
	ASSERT_EQ(0, take(self));
	EXPECT_EQ(sum + 107, sum_of(self, 2, 1));
}

static int take_full(FIXTURE_DATA(pairs) *self, uint64_t id, uint32_t user)
{
	struct shim_bpf_tag full = { .user = user };
	struct shim_bpf_stat stat = {
		.tag = &full, .key = { .tag = id, .kind = VC_TRANSACT }, .slots = { 0, VC_HIST_SLOTS },
	};
	struct shim_live_tag *known = NULL;

	snprintf(full.name, sizeof(full.name), "full %llu", (unsigned long long)id);
	snprintf(full.label, sizeof(full.label), "%s", full.name);
	stat.total.count = VC_HIST_SLOTS;
	for (uint32_t i = 0; i < VC_HIST_SLOTS; i++)
		stat.total.hist[i] = 1;
	return shim_live_tags__take(&self->tags, &stat, 1, &known);
}

static size_t slots_of(FIXTURE_DATA(pairs) *self, uint32_t user)
{
	size_t n = 0;

	for (size_t i = 0; i < self->pairs.nslots; i++)
		n += self->pairs.slots[i].tag->user == user;
	return n;
}

/*
 * The tags of one user take at most half of the rows, so other users' counts continue.  Freed rows
 * are reused.
 */
TEST_F(pairs, slots_of_one_user)
{
	const size_t most = 262144, tags = most / VC_HIST_SLOTS + 1;

	for (size_t i = 0; i < tags; i++)
		ASSERT_EQ(0, take_full(self, 10 + i, 7));
	ASSERT_EQ(0, shim_live_pairs__slots(&self->pairs, &self->tags));
	EXPECT_EQ(most / 2, slots_of(self, 7));
	ASSERT_EQ(0, take_full(self, 9999, 8));
	ASSERT_EQ(0, shim_live_pairs__slots(&self->pairs, &self->tags));
	EXPECT_EQ((size_t)VC_HIST_SLOTS, slots_of(self, 8));
	self->tags.at[1]->marked = true;
	shim_live_pairs__reap(&self->pairs);
	shim_live_tags__sweep(&self->tags);
	EXPECT_EQ(most / 2 - VC_HIST_SLOTS, slots_of(self, 7));
	ASSERT_EQ(0, shim_live_pairs__slots(&self->pairs, &self->tags));
	EXPECT_EQ(most / 2, slots_of(self, 7));
}

TEST_HARNESS_MAIN
