// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Event names stay valid as documented, and labels of traced tags distinguish users.
 *
 * The test writes the contents of real maps.
 */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <bpf/bpf.h>

#include "core/bpf.h"
#include "core_bpf.h"
#include "kselftest_harness.h"
#include "shim/trace.h"

static int tags;
static uint64_t last_id;

FIXTURE(names) {
	struct shim_bpf_reader *r;
};

FIXTURE_SETUP(names)
{
	const struct shim_bpf_options options = { .transport = SHIM_BPF_PROBES, .tags = 400, .direct = 12 };
	int ret = trace_apart(&options);

	self->r = NULL;
	if (ret == -EPERM)
		return;
	ASSERT_EQ(0, ret);
	tags = bpf_obj_get(PIN("vc_tag"));
	ASSERT_EQ(0, shim_bpf_reader__open(false, &self->r));
}

FIXTURE_TEARDOWN(names)
{
	if (!self->r)
		return;
	shim_bpf_reader__close(self->r);
	shim_bpf__off();
}

#define OPEN	300

struct given {
	struct shim_trace *trace;
	struct shim_trace_event event[OPEN];
	unsigned int n;
	int failed;
};

static int have_names(const struct shim_trace_event *event, unsigned int n)
{
	char name[32];

	for (unsigned int i = 0; i < n; i++) {
		snprintf(name, sizeof(name), "tag of %llu", (unsigned long long)event[i].id);
		if (strcmp(name, event[i].name) || strcmp(name, event[i].label))
			return 0;
	}
	return 1;
}

/*
 * Store the event, and read statistics and counts with the same handle.  The names of all stored
 * events must stay valid.
 */
static int give(void *arg, const struct shim_trace_event *event)
{
	struct given *given = arg;
	size_t n;

	given->event[given->n++] = *event;
	given->failed |= shim_trace_stats_get(given->trace, &n) || shim_trace_counts_get(given->trace, &n);
	return !have_names(given->event, given->n);
}

/* Check that transactions of new tags are listed while they are open, but not afterwards. */
static int see_open_ones(struct given *given)
{
	int open = bpf_obj_get(PIN("vc_open")), err;

	for (int i = 0; i < OPEN; i++) {
		const struct vc_open_key key = { .tag = last_id + 1 + i };
		const struct vc_open_val val = { .start_ns = 1 };
		struct vc_tag_name name = { .user = 0 };

		snprintf(name.name, sizeof(name.name), "tag of %llu", (unsigned long long)key.tag);
		bpf_map_update_elem(tags, &key.tag, &name, BPF_ANY);
		bpf_map_update_elem(open, &key, &val, BPF_ANY);
	}
	given->n = 0;
	err = shim_trace_events_open(given->trace, give, given);
	for (int i = 0; i < OPEN; i++) {
		const struct vc_open_key key = { .tag = ++last_id };

		bpf_map_delete_elem(tags, &key.tag);
		bpf_map_delete_elem(open, &key);
	}
	close(open);
	return err || given->failed || given->n != OPEN || !have_names(given->event, OPEN);
}

/* Event names stay valid during their callback and afterwards, for any number of tags. */
TEST_F_TIMEOUT(names, names_of_events, 120)
{
	struct given given = { .n = 0 };
	size_t n;

	NEEDS_BPF(self);
	ASSERT_EQ(0, shim_trace_open(&given.trace));
	for (int round = 0; round < 40; round++) {
		ASSERT_EQ(0, see_open_ones(&given)) {
			TH_LOG("round %d: %u events", round, given.n);
		}
	}
	/* Reading the statistics frees the stored names. */
	ASSERT_EQ(0, shim_trace_stats_get(given.trace, &n));
	shim_trace_close(given.trace);
}

/* Return the label of a new tag of @user.  The reader owns the label. */
static const char *label_of(struct shim_bpf_reader *r, const char *name, uint32_t user)
{
	const uint64_t id = ++last_id;
	struct vc_tag_name row = { .user = user };
	const struct shim_bpf_tag *tag;

	snprintf(row.name, sizeof(row.name), "%s", name);
	bpf_map_update_elem(tags, &id, &row, BPF_ANY);
	if (shim_bpf_reader__tag(r, id, &tag))
		return "none";
	bpf_map_delete_elem(tags, &id);
	return tag->label;
}

/*
 * A label includes the user as soon as several users have the same name, in any order of creation.
 */
TEST_F(names, labels)
{
	const char *first, *again, *other;
	char label[32];

	NEEDS_BPF(self);
	first = label_of(self->r, "login", 7);
	again = label_of(self->r, "login", 7);
	EXPECT_STREQ("login", first);
	EXPECT_STREQ("login", again);
	other = label_of(self->r, "login", 8);
	EXPECT_STREQ("login@8", other);
	EXPECT_STREQ("login@7", first);
	EXPECT_STREQ("login@7", again);
	EXPECT_STREQ("login@7", label_of(self->r, "login", 7));
	EXPECT_STREQ("pay@9@7", label_of(self->r, "pay@9", 7));
	EXPECT_STREQ("alone", label_of(self->r, "alone", 9));
	for (uint32_t user = 9; user < 3000; user++) {
		snprintf(label, sizeof(label), "login@%u", user);
		ASSERT_STREQ(label, label_of(self->r, "login", user));
	}
	EXPECT_STREQ("login@8", other);
	EXPECT_STREQ("login@8", label_of(self->r, "login", 8));
	EXPECT_STREQ("alone", label_of(self->r, "alone", 9));
}

TEST_HARNESS_MAIN
