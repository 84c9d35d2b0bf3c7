// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Finding an instance by name returns the same result as a linear search, before and after a table
 * has been created.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "archive/indom.h"
#include "kselftest_harness.h"

#define MOST	3000
#define LENGTH	16

FIXTURE(names) {
	struct shim_arena arena;
	struct shim_named_indom state;
	char text[MOST][LENGTH];
	const char *name[MOST];
	unsigned int seed;
};

FIXTURE_SETUP(names)
{
	self->seed = 3;
	self->state.indom.name = self->name;
	for (int i = 0; i < MOST; i++)
		self->name[i] = self->text[i];
}

FIXTURE_TEARDOWN(names)
{
	shim_arena__free(&self->arena);
}

/*
 * Generate a short text of few different letters and blanks, so that many texts have the same
 * start, some are equal, and some are empty.
 */
static void some_text(unsigned int *seed, char *text)
{
	int len = rand_r(seed) / 7 % (LENGTH / 2);

	for (int i = 0; i < len; i++)
		text[i] = "ab\377  "[rand_r(seed) / 7 % 5];
	text[len] = '\0';
}

/* Search linearly, according to the rule in PCP's manual. */
static int model(const struct shim_indom *s, const char *name)
{
	for (unsigned int i = 0; i < s->n; i++)
		if (!strcmp(s->name[i], name))
			return (int)i;
	for (unsigned int i = 0; i < s->n; i++) {
		size_t word = strcspn(s->name[i], " ");

		if (s->name[i][word] && !strncmp(s->name[i], name, word))
			return (int)i;
	}
	return -1;
}

static struct shim_inst_table *table(const FIXTURE_DATA(names) *self)
{
	return atomic_load(&self->state.names.table);
}

static void make_table(FIXTURE_DATA(names) *self, uint64_t bytes)
{
	shim_inst_names__make_table(&self->state.indom, &self->arena, self->seed, &bytes);
}

TEST_F(names, are_found_as_one_by_one)
{
	char text[LENGTH];
	int found = 0;

	for (unsigned int n = 0; n <= MOST; n = 2 * n + 1) {
		self->state = (struct shim_named_indom){ .indom = { .n = n, .name = self->name } };
		for (unsigned int i = 0; i < n; i++)
			some_text(&self->seed, self->text[i]);
		for (int i = 0; i < 600; i++) {
			if (i == 300)
				make_table(self, UINT64_MAX);
			some_text(&self->seed, text);
			EXPECT_EQ(model(&self->state.indom, text),
				  shim_inst_names__find(&self->state.indom, text)) {
				TH_LOG("'%s' of %u", text, n);
			}
			found += shim_inst_names__find(&self->state.indom, text) >= 0;
		}
	}
	EXPECT_LT(1000, found);
}

TEST_F(names, that_differ_have_a_table)
{
	self->state.indom.n = MOST;
	for (int i = 0; i < MOST; i++)
		snprintf(self->text[i], LENGTH, i % 2 ? "%06d x" : "disk%d", i);
	make_table(self, UINT64_MAX);
	ASSERT_NE(NULL, table(self));
	for (int i = 0; i < MOST; i++)
		EXPECT_EQ(i, shim_inst_names__find(&self->state.indom, self->text[i]));
	EXPECT_EQ(1, shim_inst_names__find(&self->state.indom, "000001"));
	EXPECT_EQ(1, shim_inst_names__find(&self->state.indom, "0000017"));
	EXPECT_EQ(-1, shim_inst_names__find(&self->state.indom, "00000"));
	EXPECT_EQ(-1, shim_inst_names__find(&self->state.indom, "disk"));
}

TEST_F(names, have_a_table_only_if_memory_allows_it)
{
	uint64_t bytes = 1000;

	self->state.indom.n = MOST;
	for (int i = 0; i < MOST; i++)
		snprintf(self->text[i], LENGTH, "disk%d", i);
	make_table(self, bytes);
	EXPECT_EQ(NULL, table(self));
	EXPECT_EQ(7, shim_inst_names__find(&self->state.indom, "disk7"));

	bytes = 1 << 20;
	shim_inst_names__make_table(&self->state.indom, &self->arena, 1, &bytes);
	EXPECT_NE(NULL, table(self));
	EXPECT_GT((1 << 20) - 2 * MOST * sizeof(uint32_t), bytes);
}

/*
 * A table is created only once, at the second search.  If there are few names, no table is created.
 */
TEST_F(names, ask_for_a_table_once)
{
	int wants = 0;

	self->state.indom.n = 5;
	for (int i = 0; i < 10; i++)
		wants += shim_inst_names__wants_table(&self->state.indom);
	EXPECT_EQ(0, wants);
	self->state.indom.n = MOST;
	EXPECT_FALSE(shim_inst_names__wants_table(&self->state.indom));
	EXPECT_TRUE(shim_inst_names__wants_table(&self->state.indom));
	for (int i = 0; i < 10; i++)
		EXPECT_FALSE(shim_inst_names__wants_table(&self->state.indom));
}

TEST_HARNESS_MAIN
