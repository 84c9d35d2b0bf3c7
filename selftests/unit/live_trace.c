// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * While tags are created and deleted continuously, existing tags keep the numbers and counts of
 * their instances, and instances of a bounded number of deleted tags are kept.  The test generates
 * the reader's results.
 */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <linux/perf_event.h>
#include <linux/vcpc.h>

#include "live/trace.h"
#include "kselftest_harness.h"
#include "live_rows.h"

#define PRESENT	ROWS
#define NAMES	40000
#define KEPT	1024	/* maximum number of deleted tags that are kept; fewer tags exist at once */

/* The reader has a transaction of each existing tag, and its counts */
static struct shim_bpf_count counts[PRESENT];
/* For each name, its last instance number and the expected counts since then */
static int32_t inst_of[NAMES];
static uint64_t total_of[NAMES];

int __wrap_shim_bpf_reader__tag(struct shim_bpf_reader *r, uint64_t id, const struct shim_bpf_tag **out);

int __wrap_shim_bpf_reader__counts(struct shim_bpf_reader *r, const struct shim_bpf_count **out,
				   size_t *n)
{
	(void)r;
	*out = counts;
	*n = PRESENT;
	return 0;
}

int __wrap_shim_bpf_reader__tag(struct shim_bpf_reader *r, uint64_t id, const struct shim_bpf_tag **out)
{
	(void)r;
	for (size_t i = 0; i < PRESENT; i++)
		if (counts[i].id == id) {
			*out = &tags[i];
			return 0;
		}
	return -ENOENT;
}

/* Perform a transaction whose time depends on the name, and which counts one page fault. */
static void transact(size_t i, size_t name)
{
	uint64_t ns = 1000 + 1000 * (name % 7);

	stats[i].total.count++;
	stats[i].total.sum_ns += ns;
	stats[i].total.min_ns = stats[i].total.max_ns = ns;
	stats[i].total.hist[vc_hist_slot(ns, 63 - __builtin_clzll(ns))]++;
	stats[i].slots.end = VC_HIST_SLOTS;
	stats[i].version = stats[i].total.last_ns = ++version;
	counts[i].total.count++;
	counts[i].total.sum[0]++;
	counts[i].version = ++version;
	total_of[name]++;
}

static size_t name_at(size_t i)
{
	return strtoul(tags[i].name + strlen("tag "), NULL, 10);
}

/* Assign a tag with a new ID to a row; its name may have been used before. */
static void begin(size_t i, size_t name)
{
	tags[i] = (struct shim_bpf_tag) { .user = 5 };
	snprintf(tags[i].name, sizeof(tags[i].name), "tag %zu", name);
	snprintf(tags[i].label, sizeof(tags[i].label), "tag %zu", name);
	stats[i] = (struct shim_bpf_stat) {
		.tag = &tags[i], .key = { .tag = ++last_id, .kind = VC_TRANSACT }
	};
	counts[i] = (struct shim_bpf_count) { .id = last_id, .events_key = 1 };
	counts[i].events.nr = 1;
	counts[i].events.event[0] = (struct vc_event_desc) { PERF_TYPE_SOFTWARE, VCPC_REQ_F_USER, 2 };
	transact(i, name);
}

/* Return a name that is not in use, usually a new one. */
static size_t some_name(size_t *next)
{
	size_t name = PRESENT + random() % (*next + 1 - PRESENT);

	if (random() % 20)
		return (*next)++;
	for (size_t i = 0; i < PRESENT; i++)
		if (name_at(i) == name)
			return (*next)++;
	return name;
}

static size_t find_metric(const char *name)
{
	size_t i = 0;

	while (strcmp(shim_live_trace__metric(i)->name, name))
		i++;
	return i;
}

FIXTURE(trace) {
	struct shim_live_trace *trace;
	size_t count, hist, sum;
};

FIXTURE_SETUP(trace)
{
	srandom(3);
	last_id = version = 0;
	memset(inst_of, 0, sizeof(inst_of));
	memset(total_of, 0, sizeof(total_of));
	ASSERT_EQ(0, shim_live_trace__create(&self->trace));
	self->count = find_metric("vcpc.transact.count");
	self->hist = find_metric("vcpc.transact.hist");
	self->sum = find_metric("vcpc.transact.sum");
	for (size_t i = 0; i < PRESENT; i++)
		begin(i, i);
}

FIXTURE_TEARDOWN(trace)
{
	shim_live_trace__destroy(self->trace);
}

/* Check a metric's instances: numbers increase, each instance is found, and no number is reused. */
static int check(FIXTURE_DATA(trace) *self, size_t metric, const char *form)
{
	size_t indom = shim_live_trace__domain(metric);
	size_t n = shim_live_trace__instances(self->trace, indom);
	int32_t last = 0;
	char name[SHIM_LIVE_NAME_LEN];

	/* A tag is known to be deleted only after three samples, so more tags can be present. */
	if (n > PRESENT + KEPT + 2 * PRESENT)
		return 0;
	for (size_t i = 0; i < n; i++) {
		int32_t inst = shim_live_trace__inst(self->trace, indom, i);
		struct shim_value value;
		unsigned int of;

		shim_live_trace__name(self->trace, indom, i, name, sizeof(name));
		if (sscanf(name, form, &of) != 1 || inst <= last ||
		    shim_live_trace__find(self->trace, indom, inst) != (long)i ||
		    !shim_live_trace__value(self->trace, metric, i, &value) || value.inst != inst)
			return 0;
		for (int32_t gone = last + 1; gone < inst; gone++)
			if (shim_live_trace__find(self->trace, indom, gone) != -1)
				return 0;
		last = inst;
		if (metric == self->count) {
			/*
			 * A tag that was deleted and recreated is another instance, and starts from
			 * 0.
			 */
			if (inst_of[of] && inst_of[of] != inst)
				total_of[of] = value.ull;
			if (value.ull != total_of[of])
				return 0;
			inst_of[of] = inst;
		} else if (value.ull != total_of[of]) {
			return 0;
		}
	}
	/*
	 * The number of created tags equals the number of deleted tags plus the number of existing
	 * tags.
	 */
	return shim_live_trace__changes(self->trace, indom) ==
		       n + 2 * shim_live_trace__removed(self->trace, indom) &&
	       shim_live_trace__find(self->trace, indom, last + 1) == -1 &&
	       shim_live_trace__find(self->trace, indom, 0) == -1 &&
	       shim_live_trace__find(self->trace, indom, -1) == -1;
}

/* Check that each existing tag has its instance, and that the instance has kept its number. */
static int all_are_there(FIXTURE_DATA(trace) *self)
{
	size_t indom = shim_live_trace__domain(self->count);

	for (size_t i = 0; i < PRESENT; i++) {
		size_t name = name_at(i);
		long at = shim_live_trace__find(self->trace, indom, inst_of[name]);
		char text[SHIM_LIVE_NAME_LEN];

		if (at < 0)
			return 0;
		shim_live_trace__name(self->trace, indom, at, text, sizeof(text));
		if (strcmp(text, tags[i].label))
			return 0;
	}
	return 1;
}

TEST_F(trace, tags_without_end)
{
	size_t next = PRESENT, indom = shim_live_trace__domain(self->count);
	int32_t first[PRESENT / 3] = { 0 };
	uint64_t changes = 0, removed = 0;

	for (int sample = 0; sample < 300; sample++) {
		ASSERT_EQ(0, shim_live_trace__sample(self->trace));
		ASSERT_EQ(1, check(self, self->count, "tag %u"));
		ASSERT_EQ(1, check(self, self->hist, "tag %u/"));
		ASSERT_EQ(1, check(self, self->sum, "tag %u/"));
		ASSERT_EQ(1, all_are_there(self));
		/* The owner of the names is notified if, and only if, they change. */
		if (sample)
			ASSERT_EQ(sample % 3 == 1 && removed == shim_live_trace__removed(self->trace, indom),
				  changes == shim_live_trace__changes(self->trace, indom));
		removed = shim_live_trace__removed(self->trace, indom);
		changes = shim_live_trace__changes(self->trace, indom);
		/* A third of the tags exist throughout the test, and keep their numbers. */
		for (size_t i = 0; i < PRESENT / 3; i++) {
			if (!sample)
				first[i] = inst_of[i];
			ASSERT_EQ(first[i], inst_of[i]);
			if (random() % 2)
				transact(i, i);
		}
		if (sample % 3 == 0)
			continue;
		for (size_t i = PRESENT / 3; i < PRESENT; i++)
			if (random() % 2)
				begin(i, some_name(&next));
		ASSERT_GT(NAMES, next);
	}
	/* These tags are deleted as well, but other tags have been idle for longer. */
	for (size_t i = 0; i < PRESENT / 3; i++)
		transact(i, i);
	ASSERT_EQ(0, shim_live_trace__sample(self->trace));
	for (int sample = 0; sample < 4; sample++) {
		for (size_t i = sample ? PRESENT / 2 : 0; i < PRESENT; i++)
			begin(i, next++);
		ASSERT_EQ(0, shim_live_trace__sample(self->trace));
		for (size_t i = 0; i < PRESENT / 3; i++)
			ASSERT_LE(0, shim_live_trace__find(self->trace, indom, first[i]));
	}
	ASSERT_LT(10000, next);
	EXPECT_LT(5000, shim_live_trace__removed(self->trace, indom));
}

/*
 * If a read misses an existing tag, which can happen in a table that changes fast, the tag is not
 * removed.
 */
TEST_F(trace, a_tag_that_is_missed)
{
	size_t next = PRESENT, indom = shim_live_trace__domain(self->count);

	for (int sample = 0; sample < 60; sample++) {
		struct shim_bpf_stat missed = stats[0];
		bool misses = sample % 3;

		if (misses)
			stats[0] = stats[1];
		ASSERT_EQ(0, shim_live_trace__sample(self->trace));
		if (misses)
			stats[0] = missed;
		ASSERT_EQ(0, shim_live_trace__find(self->trace, indom, 1));
		for (size_t i = 2; i < PRESENT; i++)
			begin(i, next++);
	}
	EXPECT_LT(5000, shim_live_trace__removed(self->trace, indom));
}

TEST_HARNESS_MAIN
