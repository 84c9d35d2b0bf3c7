// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * PCP's own writers produce irregular archives, which PCP's library reads without an error.  Our
 * library must read them too.
 */
#include <endian.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "pcp_fixture.h"

FIXTURE(made)
{
	char base[256];
};

FIXTURE_SETUP(made)
{
	af_folder(self->base, sizeof(self->base));
}

FIXTURE_TEARDOWN(made)
{
	pmDestroyContext(pmWhichContext());
	af_remove(self->base);
}

/* Return the labels of instance @inst, or a text that contains @n if there are none. */
static const char *labels_of(unsigned int inst, int n, pmLabelSet *sets)
{
	static char text[256];

	snprintf(text, sizeof(text), "none of %d", n);
	for (int i = 0; i < n; i++)
		if (sets[i].inst == inst)
			snprintf(text, sizeof(text), "%s", sets[i].json);
	if (n > 0)
		pmFreeLabelSets(sets, n);
	return text;
}

static void context_of_any_number(struct af *a)
{
	const struct af_label label = { .inst = -1, .name = "tenant", .value = "42" };

	af_labels(a, 0, PM_LABEL_CONTEXT, 0, 1, &label);
}

/* PCP's importer stores labels of a context with any identifier, even a meaningless one. */
TEST_F(made, labels_of_the_context)
{
	pmLabelSet *sets = NULL;
	int n;

	af_vectors_with(self->base, 2, context_of_any_number);
	ASSERT_GE(pmNewContext(PM_CONTEXT_ARCHIVE, self->base), 0);
	ASSERT_EQ(go_to(PM_MODE_INTERP, 20000, 0), 0);
	n = pmGetContextLabels(&sets);
	EXPECT_STREQ("{\"tenant\":42}", labels_of(PM_IN_NULL, n, sets));
}

static void several_of_one_time(struct af *a)
{
	static const struct af_label first[] = {
		{ .inst = 1, .name = "a", .value = "1" }, { .inst = 2, .name = "a", .value = "2" },
	}, second[] = {
		{ .inst = 2, .name = "a", .value = "22" }, { .inst = 3, .name = "a", .value = "3" },
	}, later[] = {
		{ .inst = 1, .name = "a", .value = "11" },
	};

	af_labels(a, 0, PM_LABEL_INSTANCES, AF_INDOM, 2, first);
	af_labels(a, 0, PM_LABEL_INSTANCES, AF_INDOM, 2, second);
	af_labels(a, 10 * AF_SEC, PM_LABEL_INSTANCES, AF_INDOM, 1, later);
}

TEST_F(made, several_records_of_labels_of_one_time)
{
	static const char *const want[] = { "{\"a\":1}", "{\"a\":2}", "{\"a\":3}" };
	pmLabelSet *sets;
	int n;

	af_vectors_with(self->base, 3, several_of_one_time);
	ASSERT_GE(pmNewContext(PM_CONTEXT_ARCHIVE, self->base), 0);
	ASSERT_EQ(go_to(PM_MODE_INTERP, 5000, 0), 0);
	for (int i = 0; i < 3; i++) {
		sets = NULL;
		n = pmGetInstancesLabels(AF_INDOM, &sets);
		EXPECT_EQ(3, n);
		EXPECT_STREQ(want[i], labels_of(i + 1, n, sets));
	}
	ASSERT_EQ(go_to(PM_MODE_INTERP, 15000, 0), 0);
	sets = NULL;
	n = pmGetInstancesLabels(AF_INDOM, &sets);
	EXPECT_EQ(1, n);
	EXPECT_STREQ("{\"a\":11}", labels_of(1, n, sets));
}

/*
 * Replace the word at offset @at of version 3's label in each file: 12 is the start time in
 * seconds, 28 the features.
 */
static void patch_labels(const char *base, long at, uint32_t word)
{
	static const char *const suffix[] = { "0", "meta", "index" };
	const uint32_t bytes = htobe32(word);

	for (int i = 0; i < 3; i++) {
		char path[300];
		FILE *f;

		snprintf(path, sizeof(path), "%s.%s", base, suffix[i]);
		f = fopen(path, "r+");
		if (!f)
			continue;
		fseek(f, at, SEEK_SET);
		fwrite(&bytes, 4, 1, f);
		fclose(f);
	}
}

static void append(const char *base, size_t n)
{
	char path[300];
	FILE *f;

	snprintf(path, sizeof(path), "%s.0", base);
	f = fopen(path, "a");
	fwrite("\0\0\1\1", 1, n, f);
	fclose(f);
}

static int records(int *last)
{
	pmResult *r;
	int n = 0;

	while ((*last = pmFetchArchive(&r)) >= 0) {
		pmFreeResult(r);
		n++;
	}
	return n;
}

/* A killed writer can leave the first bytes of a length. */
TEST_F(made, stray_bytes_at_a_volumes_end)
{
	int whole, last, handle;

	af_vectors(self->base, 3);
	handle = pmNewContext(PM_CONTEXT_ARCHIVE, self->base);
	ASSERT_GE(handle, 0);
	whole = records(&last);
	EXPECT_EQ(PM_ERR_EOL, last);
	pmDestroyContext(handle);
	for (size_t n = 1; n < 4; n++) {
		append(self->base, 1);
		handle = pmNewContext(PM_CONTEXT_ARCHIVE, self->base);
		ASSERT_GE(handle, 0);
		EXPECT_EQ(whole, records(&last));
		EXPECT_EQ(PM_ERR_EOL, last);
		pmDestroyContext(handle);
	}
	append(self->base, 1);
	ASSERT_GE(pmNewContext(PM_CONTEXT_ARCHIVE, self->base), 0);
	EXPECT_EQ(whole, records(&last));
	EXPECT_EQ(PM_ERR_LOGREC, last);
}

/* After stray bytes at the end of an archive, the next archive of a list is read. */
TEST_F(made, stray_bytes_before_the_next_archive)
{
	char second[300], list[600];
	int alone, last;
	struct af a;

	af_vectors(self->base, 3);
	ASSERT_GE(pmNewContext(PM_CONTEXT_ARCHIVE, self->base), 0);
	alone = records(&last);
	pmDestroyContext(pmWhichContext());
	snprintf(second, sizeof(second), "%s2", self->base);
	af_open(&a, second, 3);
	af_desc(&a, AF_PMID(INSTANT), 1, AF_NONE, 3, 0x00100000, "v.inst");
	af_index(&a, 1000 * AF_SEC);
	for (int i = 0; i < 3; i++) {
		af_begin(&a, (1000 + i) * AF_SEC);
		af_set(&a, AF_PMID(INSTANT), 0);
		af_u32(&a, -1, i);
		af_end(&a);
	}
	af_close(&a);
	patch_labels(second, 12, AF_START + 1000);
	append(self->base, 3);
	snprintf(list, sizeof(list), "%s,%s", self->base, second);
	ASSERT_GE(pmNewContext(PM_CONTEXT_ARCHIVE, list), 0) TH_LOG("%d", pmWhichContext());
	/* The records include the mark between the two archives. */
	EXPECT_EQ(alone + 1 + 3, records(&last));
	EXPECT_EQ(PM_ERR_EOL, last);
}

TEST_F(made, a_folder_without_archives)
{
	char dir[256];

	strcpy(dir, self->base);
	*strrchr(dir, '/') = '\0';
	EXPECT_EQ(PM_ERR_LOGFILE, pmNewContext(PM_CONTEXT_ARCHIVE, dir));
	EXPECT_EQ(-ENOENT, pmNewContext(PM_CONTEXT_ARCHIVE, self->base));
	strcat(dir, ",");
	EXPECT_EQ(PM_ERR_LOGFILE, pmNewContext(PM_CONTEXT_ARCHIVE, dir));
	EXPECT_EQ(-ENOENT, pmNewContext(PM_CONTEXT_ARCHIVE, ","));
}

TEST_F(made, features_that_are_not_asked_for)
{
	int type = PM_CONTEXT_ARCHIVE | PM_CTXFLAG_NO_FEATURE_CHECK;
	int last;

	af_vectors(self->base, 3);
	patch_labels(self->base, 28, 4);
	EXPECT_EQ(PM_ERR_FEATURE, pmNewContext(PM_CONTEXT_ARCHIVE, self->base));
	ASSERT_GE(pmNewContext(type, self->base), 0);
	EXPECT_LT(0, records(&last));
	EXPECT_EQ(PM_ERR_EOL, last);
	/* A new context is rejected, even if another context has the archive open. */
	EXPECT_EQ(PM_ERR_FEATURE, pmNewContext(PM_CONTEXT_ARCHIVE, self->base));
}

TEST_HARNESS_MAIN
