// SPDX-License-Identifier: GPL-2.0-or-later
/* If tags are removed and created again, each label permanently belongs to one user. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "core/bpf.h"
#include "live/tags.h"
#include "kselftest_harness.h"

FIXTURE(tags) {
	struct shim_live_tags tags;
	uint64_t id;
};

FIXTURE_SETUP(tags)
{
	shim_live_tags__init(&self->tags);
	self->id = 0;
}

FIXTURE_TEARDOWN(tags)
{
	shim_live_tags__free(&self->tags);
}

/* Read a row as if it appeared for the first time. */
static int take_stat(struct shim_live_tags *tags, const struct shim_bpf_stat *stat,
		     unsigned int session)
{
	struct shim_live_tag *known = NULL;

	return shim_live_tags__take(tags, stat, session, &known);
}

/* Return the label of a user's tag. */
static const char *take(FIXTURE_DATA(tags) *self, const char *name, uint32_t user)
{
	struct shim_bpf_tag tag = { .user = user };
	const struct shim_bpf_stat stat = {
		.tag = &tag, .key = { .tag = ++self->id, .kind = VC_TRANSACT }, .total.count = 1,
	};
	const struct shim_live_tag *found;

	snprintf(tag.name, sizeof(tag.name), "%s", name);
	snprintf(tag.label, sizeof(tag.label), "%s", name);
	if (take_stat(&self->tags, &stat, 1))
		return "no memory";
	found = shim_live_tags__find(&self->tags, &tag);
	return found ? found->label : "not found";
}

static void remove_all(FIXTURE_DATA(tags) *self)
{
	for (size_t i = 0; i < self->tags.n; i++)
		self->tags.at[i]->marked = true;
	shim_live_tags__sweep(&self->tags);
}

TEST_F(tags, come_back)
{
	EXPECT_STREQ("checkout", take(self, "checkout", 1));
	EXPECT_STREQ("checkout@2", take(self, "checkout", 2));
	remove_all(self);
	ASSERT_EQ(0, self->tags.n);
	EXPECT_STREQ("checkout@2", take(self, "checkout", 2));
	EXPECT_STREQ("checkout@3", take(self, "checkout", 3));
	EXPECT_STREQ("checkout", take(self, "checkout", 1));
	remove_all(self);
	EXPECT_STREQ("checkout", take(self, "checkout", 1));
	EXPECT_STREQ("other", take(self, "other", 2));
	EXPECT_STREQ("a@7@2", take(self, "a@7", 2));
	remove_all(self);
	EXPECT_STREQ("a@7@2", take(self, "a@7", 2));
	EXPECT_STREQ("a@7@3", take(self, "a@7", 3));
}

/* A user cannot obtain another user's label by causing the removal of many tags. */
TEST_F(tags, more_than_are_remembered)
{
	char name[32];

	take(self, "checkout", 1);
	for (int i = 0; i < 70000; i++) {
		snprintf(name, sizeof(name), "flood %d", i);
		take(self, name, 2);
		if (i % 1000 == 0)
			remove_all(self);
	}
	remove_all(self);
	EXPECT_LE(self->tags.former.n, 65536);
	EXPECT_STREQ("checkout@2", take(self, "checkout", 2));
	EXPECT_STREQ("late@2", take(self, "late", 2));
	EXPECT_STREQ("checkout", take(self, "checkout", 1));
}

/* If a tag's last event was an abort, it still counts as active. */
TEST_F(tags, aborted_lately)
{
	struct shim_bpf_tag aborts = { .name = "aborts", .label = "aborts" };
	struct shim_bpf_stat stat = { .tag = &aborts, .key = { .tag = 1, .kind = VC_TRANSACT } };
	char name[32];

	stat.total.aborted = 1;
	ASSERT_EQ(0, take_stat(&self->tags, &stat, 1));
	self->id = 1;
	for (int i = 0; i < 2000; i++) {
		snprintf(name, sizeof(name), "ends %d", i);
		take(self, name, 2);
	}
	ASSERT_TRUE(shim_live_tags__are_too_many(&self->tags, 0));
	for (int missed = 0; missed < 3; missed++)
		ASSERT_EQ(0, shim_live_tags__mark(&self->tags, 1));
	shim_live_tags__sweep(&self->tags);
	EXPECT_GT(1000, self->tags.n);
	EXPECT_NE(NULL, shim_live_tags__find(&self->tags, &aborts));
}

TEST_HARNESS_MAIN
