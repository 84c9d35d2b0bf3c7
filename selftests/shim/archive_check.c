// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * shim_archive_check() reports damage as damage, and peculiarities of archives of real loggers as
 * notes.
 */
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <kselftest_harness.h>

#include <pcp/import.h>
#include <shim/archive.h>

#define INDOM	pmiInDom(60, 1)
#define T0	1700000000
#define MOST	8

/* The arguments of each callback; @kind is -1 for damage */
struct found {
	int n;
	struct {
		int kind;
		char file[32];
		char text[128];
	} all[MOST];
};

FIXTURE(check) {
	char dir[64];
	char base[80];
	struct found found;
	struct shim_archive_watch watch;
};

static void keep(struct found *found, int kind, const char *file, const char *text)
{
	if (found->n < MOST) {
		found->all[found->n].kind = kind;
		snprintf(found->all[found->n].file, sizeof(found->all[0].file), "%s", file);
		snprintf(found->all[found->n].text, sizeof(found->all[0].text), "%s", text);
	}
	found->n++;
}

static void on_problem(void *arg, const char *file, uint64_t offset, const char *text)
{
	(void)offset;
	keep(arg, -1, file, text);
}

static void on_note(void *arg, int kind, const char *file, uint64_t offset, const char *text)
{
	(void)offset;
	keep(arg, kind, file, text);
}

/*
 * Write an archive of three metrics: one without instances, one with two instances, and one with a
 * unit.
 */
FIXTURE_SETUP(check)
{
	pmUnits none = pmiUnits(0, 0, 0, 0, 0, 0);

	strcpy(self->dir, "/tmp/archive_check.XXXXXX");
	ASSERT_NE(NULL, mkdtemp(self->dir));
	sprintf(self->base, "%s/a", self->dir);
	ASSERT_GT(pmiStart(self->base, 0), 0);
	ASSERT_EQ(0, pmiSetHostname("h1"));
	ASSERT_EQ(0, pmiSetTimezone("UTC"));
	ASSERT_EQ(0, pmiAddMetric("c.set", pmiID(60, 0, 1), PM_TYPE_U32, INDOM, PM_SEM_INSTANT,
				  none));
	ASSERT_EQ(0, pmiAddMetric("c.one", pmiID(60, 0, 2), PM_TYPE_U32, PM_INDOM_NULL,
				  PM_SEM_INSTANT, none));
	ASSERT_EQ(0, pmiAddInstance(INDOM, "left", 7));
	ASSERT_EQ(0, pmiAddInstance(INDOM, "right", 9));
	for (int i = 0; i < 3; i++) {
		ASSERT_EQ(0, pmiPutValue("c.set", "left", "1"));
		ASSERT_EQ(0, pmiPutValue("c.set", "right", "2"));
		ASSERT_EQ(0, pmiPutValue("c.one", NULL, "3"));
		ASSERT_EQ(0, pmiWrite(T0 + i, 0));
	}
	ASSERT_EQ(0, pmiEnd());
	self->watch = (struct shim_archive_watch){
		.size = sizeof(self->watch), .problem = on_problem, .note = on_note,
		.arg = &self->found,
	};
}

FIXTURE_TEARDOWN(check)
{
	char command[128];

	snprintf(command, sizeof(command), "rm -rf '%s'", self->dir);
	EXPECT_EQ(0, system(command));
}

/* Replace @from in a file with @to.  Return false unless it occurs exactly once. */
static bool patch(const char *base, const char *suffix, const void *from, const void *to, size_t len)
{
	static uint8_t data[65536];
	char path[128];
	size_t size, at = 0, places = 0;
	FILE *f;

	snprintf(path, sizeof(path), "%s.%s", base, suffix);
	f = fopen(path, "r+");
	if (!f)
		return false;
	size = fread(data, 1, sizeof(data), f);
	for (size_t i = 0; i + len <= size; i++) {
		if (!memcmp(data + i, from, len)) {
			at = i;
			places++;
		}
	}
	fseek(f, (long)at, SEEK_SET);
	if (places == 1)
		fwrite(to, 1, len, f);
	return !fclose(f) && places == 1;
}

/*
 * Replace @from with @to in the four bytes at offset @skip after @key, which must occur exactly
 * once.
 */
static bool patch_behind(const char *base, const char *suffix, const uint8_t *key, size_t skip,
			 uint32_t from, uint32_t to)
{
	uint8_t old[32], new[32];

	memcpy(old, key, skip);
	for (int i = 0; i < 4; i++)
		old[skip + i] = (uint8_t)(from >> (24 - 8 * i));
	memcpy(new, old, skip + 4);
	for (int i = 0; i < 4; i++)
		new[skip + i] = (uint8_t)(to >> (24 - 8 * i));
	return patch(base, suffix, old, new, skip + 4);
}

TEST_F(check, says_nothing_about_a_good_one)
{
	EXPECT_EQ(0, shim_archive_check(self->base, &self->watch));
	EXPECT_EQ(0, self->found.n);
}

TEST_F(check, notes_values_of_instances_without_names)
{
	/* Change the instances 7 and 9 of the domain to 7 and 10. */
	static const uint8_t two[] = { 0, 0, 0, 2, 0, 0, 0, 7 };

	ASSERT_TRUE(patch_behind(self->base, "meta", two, 8, 9, 10));
	EXPECT_EQ(0, shim_archive_check(self->base, &self->watch));
	ASSERT_EQ(1, self->found.n);
	EXPECT_EQ(SHIM_ARCHIVE_INCOMPLETE, self->found.all[0].kind);
	EXPECT_STREQ("a.0", self->found.all[0].file);
	EXPECT_STREQ("metric 60.0.1: 3 values of instances without a name", self->found.all[0].text);
}

TEST_F(check, notes_a_missing_index)
{
	char path[128];

	snprintf(path, sizeof(path), "%s.index", self->base);
	ASSERT_EQ(0, unlink(path));
	EXPECT_EQ(0, shim_archive_check(self->base, &self->watch));
	ASSERT_EQ(1, self->found.n);
	EXPECT_EQ(SHIM_ARCHIVE_INCOMPLETE, self->found.all[0].kind);
	EXPECT_STREQ("a.index", self->found.all[0].file);
}

/* The bytes of c.one's descriptor: PMID, type, no domain, semantics */
static const uint8_t one[] = { 0x0f, 0, 0, 2, 0, 0, 0, 1, 0xff, 0xff, 0xff, 0xff, 0, 0, 0, 3 };

TEST_F(check, notes_what_it_does_not_know)
{
	static const uint8_t pmid[] = { 0, 0, 0, 1, 0x0f, 0, 0, 2 };

	/*
	 * Some archives have units with a scale of space but without its dimension, because PCP's
	 * Linux agent used such units for years.
	 */
	ASSERT_TRUE(patch_behind(self->base, "meta", one, 16, 0, 0x10000));
	EXPECT_EQ(0, shim_archive_check(self->base, &self->watch));
	ASSERT_EQ(1, self->found.n);
	EXPECT_EQ(SHIM_ARCHIVE_UNKNOWN, self->found.all[0].kind);
	EXPECT_STREQ("metric 60.0.2: units unknown to this library", self->found.all[0].text);

	ASSERT_TRUE(patch_behind(self->base, "meta", one, 16, 0x10000, 0));
	ASSERT_TRUE(patch_behind(self->base, "meta", pmid, 8, PM_TYPE_U32, 12));
	memset(&self->found, 0, sizeof(self->found));
	EXPECT_EQ(0, shim_archive_check(self->base, &self->watch));
	ASSERT_EQ(1, self->found.n);
	EXPECT_EQ(SHIM_ARCHIVE_UNKNOWN, self->found.all[0].kind);
	EXPECT_STREQ("metric 60.0.2: type unknown to this library", self->found.all[0].text);
}

/*
 * Derived metrics of a logger can use the domain of another agent, and names in old archives can be
 * numeric.
 */
TEST_F(check, accepts_descriptions_of_loggers)
{
	static const uint8_t set[] = { 0x0f, 0, 0, 1, 0, 0, 0, 1 };

	ASSERT_TRUE(patch_behind(self->base, "meta", set, 8, INDOM, pmiInDom(61, 1)));
	ASSERT_TRUE(patch(self->base, "meta", "c.one", "4.0.8", 5));
	EXPECT_EQ(0, shim_archive_check(self->base, &self->watch));
	ASSERT_EQ(1, self->found.n);
	EXPECT_STREQ("metric 60.0.1: 6 values of instances without a name", self->found.all[0].text);
}

TEST_F(check, calls_bad_bytes_damage)
{
	ASSERT_TRUE(patch_behind(self->base, "meta", one, 12, 3, 2));
	EXPECT_EQ(1, shim_archive_check(self->base, &self->watch));
	ASSERT_EQ(1, self->found.n);
	EXPECT_EQ(-1, self->found.all[0].kind);
	EXPECT_STREQ("metric 60.0.2: bad semantics", self->found.all[0].text);
}

/*
 * If several records have the same layout, only the first is checked completely, unless it is
 * damaged.
 */
TEST_F(check, reports_damage_of_each_of_several_alike_records)
{
	static const uint8_t pmid[] = { 0, 0, 0, 1, 0x0f, 0, 0, 2 };
	static const uint8_t third[] = { 0x65, 0x53, 0xf1, 0x02, 0, 0, 0, 0 };
	static const uint8_t before[] = { 0x65, 0x53, 0xf1, 0x00, 0, 0x0f, 0x42, 0x3f };

	ASSERT_TRUE(patch(self->base, "0", third, before, sizeof(third)));
	EXPECT_EQ(1, shim_archive_check(self->base, &self->watch));
	EXPECT_EQ(0, strncmp("time stamp is ", self->found.all[0].text, 14));

	ASSERT_TRUE(patch(self->base, "0", before, third, sizeof(third)));
	ASSERT_TRUE(patch_behind(self->base, "meta", pmid, 8, PM_TYPE_U32, PM_TYPE_U64));
	memset(&self->found, 0, sizeof(self->found));
	EXPECT_EQ(3, shim_archive_check(self->base, &self->watch));
	for (int i = 0; i < 3; i++)
		EXPECT_STREQ("metric 60.0.2 has a value of the wrong type", self->found.all[i].text);
}

/* A program that was built before notes were introduced can call the function. */
TEST_F(check, accepts_the_older_structure)
{
	static const uint8_t two[] = { 0, 0, 0, 2, 0, 0, 0, 7 };

	self->watch.size = offsetof(struct shim_archive_watch, note);
	self->watch.note = (void *)1;
	ASSERT_TRUE(patch_behind(self->base, "meta", two, 8, 9, 10));
	EXPECT_EQ(0, shim_archive_check(self->base, &self->watch));
	EXPECT_EQ(0, self->found.n);
	self->watch.size--;
	EXPECT_EQ(-EINVAL, shim_archive_check(self->base, &self->watch));
}

/* A program that was built before spans were introduced can call the function. */
TEST_F(check, accepts_the_structure_with_notes)
{
	static const uint8_t two[] = { 0, 0, 0, 2, 0, 0, 0, 7 };

	self->watch.size = offsetof(struct shim_archive_watch, span);
	self->watch.span = (void *)1;
	ASSERT_TRUE(patch_behind(self->base, "meta", two, 8, 9, 10));
	EXPECT_EQ(0, shim_archive_check(self->base, &self->watch));
	EXPECT_EQ(1, self->found.n);
}

/* Check the records between two times, which are in seconds after the first record. */
static int check_span(struct shim_archive_watch *watch, const char *base, int from, int to,
		      bool points)
{
	const struct shim_archive_span span = {
		.from = { T0 + from, 0 }, .to = { T0 + to, 0 }, .points = points,
	};
	int n;

	memset(watch->arg, 0, sizeof(struct found));
	watch->span = &span;
	n = shim_archive_check(base, watch);
	watch->span = NULL;
	return n;
}

TEST_F(check, reads_the_records_of_a_span)
{
	/*
	 * The time stamp of the second record, and its number of metrics, 2.  The test replaces the
	 * first of these metrics.
	 */
	static const uint8_t second[] = { 0x65, 0x53, 0xf1, 0x01, 0, 0, 0, 0, 0, 0, 0, 2 };

	ASSERT_TRUE(patch_behind(self->base, "0", second, 12, pmiID(60, 0, 1), pmiID(60, 0, 9)));
	EXPECT_EQ(1, shim_archive_check(self->base, &self->watch));
	EXPECT_EQ(1, check_span(&self->watch, self->base, 0, 2, false));
	EXPECT_EQ(1, check_span(&self->watch, self->base, 1, 1, false));
	EXPECT_STREQ("metric 60.0.9 is not described", self->found.all[0].text);
	EXPECT_EQ(0, check_span(&self->watch, self->base, 0, 0, false));
	EXPECT_EQ(0, check_span(&self->watch, self->base, 2, 2, false));
	EXPECT_EQ(0, check_span(&self->watch, self->base, 2, 1000, false));
	EXPECT_EQ(0, check_span(&self->watch, self->base, -1000, -1, false));
	EXPECT_EQ(0, check_span(&self->watch, self->base, 2, 0, false));
	EXPECT_EQ(0, check_span(&self->watch, self->base, 0, 2, true));
}

TEST_F(check, sees_how_the_last_volume_ends)
{
	static const int spans[][3] = { { 0, 2, 0 }, { 0, 0, 0 }, { 5, 6, 0 }, { 0, 2, 1 } };
	char path[128];
	struct stat file;

	snprintf(path, sizeof(path), "%s.0", self->base);
	ASSERT_EQ(0, stat(path, &file));
	ASSERT_EQ(0, truncate(path, file.st_size - 3));
	EXPECT_EQ(1, shim_archive_check(self->base, &self->watch));
	for (size_t i = 0; i < sizeof(spans) / sizeof(spans[0]); i++) {
		EXPECT_EQ(1, check_span(&self->watch, self->base, spans[i][0], spans[i][1], spans[i][2]));
		EXPECT_STREQ("the file ends within a record", self->found.all[0].text);
	}
}

TEST_F(check, refuses_what_is_no_span)
{
	static const struct shim_archive_span bad[] = {
		{ .from = { 0, -1 } }, { .to = { 0, 1000000000 } }, { .points = 2 }, { .reserved = 1 },
	};

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		self->watch.span = &bad[i];
		EXPECT_EQ(-EINVAL, shim_archive_check(self->base, &self->watch));
	}
}

TEST_HARNESS_MAIN
