// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Open several archives as one context, and test cases that PCP handles wrongly: queries of the
 * label or the end, times after the end, and copies.
 */
#include <fcntl.h>
#include <sys/stat.h>

#include <kselftest_harness.h>

#include <pcp/pmapi.h>
#include <pcp/import.h>

#define START	1000000000
#define RECORDS	4	/* per archive, one second apart */
#define SECOND	10	/* time at which the second archive starts */
#define METRIC	pmID_build(60, 0, 1)
#define INDOM	pmInDom_build(60, 1)

FIXTURE(several) {
	char dir[64];
	pmID metric;
};

/* Write an archive with two instances that other archives lack. */
static int write_archive(const char *dir, const char *name, int start)
{
	char base[128], inst[2][16], value[16];
	int err = 0;

	snprintf(base, sizeof(base), "%s/%s", dir, name);
	if (pmiStart(base, 0) < 0 || pmiSetHostname("h") < 0 ||
	    pmiAddMetric("t.m", METRIC, PM_TYPE_U32, INDOM, PM_SEM_INSTANT, pmiUnits(0, 0, 0, 0, 0, 0)) < 0)
		return -1;
	for (int i = 0; i < 2 && !err; i++) {
		snprintf(inst[i], sizeof(inst[i]), "i%d", start + i);
		err = pmiAddInstance(INDOM, inst[i], start + i);
	}
	for (int at = start; at < start + RECORDS && !err; at++) {
		snprintf(value, sizeof(value), "%d", at);
		for (int i = 0; i < 2 && !err; i++)
			err = pmiPutValue("t.m", inst[i], value);
		if (!err)
			err = pmiWrite(START + at, 0);
	}
	return err ? err : pmiEnd();
}

FIXTURE_SETUP(several)
{
	strcpy(self->dir, "/tmp/several.XXXXXX");
	ASSERT_NE(NULL, mkdtemp(self->dir));
	ASSERT_EQ(0, write_archive(self->dir, "b", 0));
	ASSERT_EQ(0, write_archive(self->dir, "a", SECOND));
	self->metric = METRIC;
	ASSERT_LE(0, pmNewContext(PM_CONTEXT_ARCHIVE, self->dir));
}

FIXTURE_TEARDOWN(several)
{
	char command[128];

	snprintf(command, sizeof(command), "rm -r %s", self->dir);
	EXPECT_EQ(0, system(command));
}

static int go_to(int mode, double at, int delta_ms)
{
	struct timeval when = { START + (time_t)at, (at - (int)at) * 1000000 };

	return pmSetMode(mode, &when, delta_ms);
}

/* Fetch, and return the time of the result or an error. */
static int fetch(pmID metric)
{
	pmResult *r;
	int err = pmFetch(1, &metric, &r);

	if (err < 0)
		return err;
	err = (int)(r->timestamp.tv_sec - START);
	pmFreeResult(r);
	return err;
}

static int instances_ever(void)
{
	int *ids = NULL;
	char **names = NULL;
	int n = pmGetInDomArchive(INDOM, &ids, &names);

	free(ids);
	free(names);
	return n;
}

static int ask_label(void)
{
	pmLogLabel label;
	pmHighResLogLabel fine;

	return pmGetArchiveLabel(&label) < 0 || label.ll_start.tv_sec != START ||
	       pmGetHighResArchiveLabel(&fine) < 0 || fine.start.tv_sec != START;
}

static int ask_end(void)
{
	struct timeval end;
	struct timespec fine;

	return pmGetArchiveEnd(&end) || end.tv_sec != START + SECOND + RECORDS - 1 ||
	       pmGetHighResArchiveEnd(&fine) || fine.tv_sec != end.tv_sec;
}

/* Read all records in both directions, and call @ask before each. */
static void walk_and(struct __test_metadata *_metadata, pmID metric, int (*ask)(void))
{
	ASSERT_EQ(0, go_to(PM_MODE_FORW, 0, 0));
	for (int i = 0; i < 2 * RECORDS; i++) {
		EXPECT_EQ(0, ask());
		EXPECT_EQ(i < RECORDS ? i : SECOND + i - RECORDS, fetch(metric));
	}
	EXPECT_EQ(0, ask());
	EXPECT_EQ(PM_ERR_EOL, fetch(metric));
	ASSERT_EQ(0, go_to(PM_MODE_BACK, SECOND + RECORDS, 0));
	for (int i = 2 * RECORDS - 1; i >= 0; i--) {
		EXPECT_EQ(0, ask());
		EXPECT_EQ(i < RECORDS ? i : SECOND + i - RECORDS, fetch(metric));
	}
	EXPECT_EQ(0, ask());
	EXPECT_EQ(PM_ERR_EOL, fetch(metric));
}

TEST_F(several, the_label_is_the_first_ones_and_moves_nothing)
{
	walk_and(_metadata, self->metric, ask_label);
}

TEST_F(several, the_end_is_the_last_ones_and_moves_nothing)
{
	walk_and(_metadata, self->metric, ask_end);
}

TEST_F(several, from_a_former_archive_to_beyond_the_end)
{
	ASSERT_EQ(0, go_to(PM_MODE_INTERP, 1, 20000));
	EXPECT_EQ(1, fetch(self->metric));
	EXPECT_EQ(PM_ERR_EOL, fetch(self->metric));
	EXPECT_EQ(PM_ERR_EOL, fetch(self->metric));
}

/* PCP sometimes finds no values after a seek to an earlier archive, but libshim always does. */
TEST_F(several, a_seek_to_another_archive)
{
	static const int times[] = { SECOND + 2, 1, SECOND + 1, 2, 0, SECOND };

	ASSERT_LE(0, pmNewContext(PM_CONTEXT_ARCHIVE, self->dir));
	for (int i = 0; i < 6; i++) {
		ASSERT_EQ(0, go_to(PM_MODE_INTERP, times[i], 1000));
		EXPECT_EQ(times[i], fetch(METRIC));
	}
}

TEST_F(several, a_copy_knows_all_of_them)
{
	int first = pmWhichContext();

	ASSERT_EQ(0, go_to(PM_MODE_FORW, 2, 0));
	EXPECT_EQ(2, fetch(self->metric));
	ASSERT_LE(0, pmDupContext());
	EXPECT_EQ(4, instances_ever());
	EXPECT_EQ(3, fetch(self->metric));
	EXPECT_EQ(SECOND, fetch(self->metric));
	EXPECT_EQ(4, instances_ever());
	ASSERT_EQ(0, pmUseContext(first));
	EXPECT_EQ(3, fetch(self->metric));
	EXPECT_EQ(SECOND, fetch(self->metric));
	EXPECT_EQ(4, instances_ever());
}

TEST_F(several, a_copy_finds_the_records_of_the_index)
{
	for (int at = SECOND; at < SECOND + RECORDS; at += RECORDS - 1) {
		ASSERT_LE(0, pmDupContext());
		ASSERT_EQ(0, go_to(PM_MODE_FORW, at, 0));
		EXPECT_EQ(at, fetch(self->metric));
		ASSERT_EQ(0, go_to(PM_MODE_BACK, at, 0));
		EXPECT_EQ(at, fetch(self->metric));
	}
	ASSERT_LE(0, pmDupContext());
	ASSERT_EQ(0, go_to(PM_MODE_BACK, 0, 0));
	EXPECT_EQ(0, fetch(self->metric));
}

/* Fetch.  If this reports damage, which happens only once, fetch again. */
static int fetch_across_damage(pmID metric)
{
	int got = fetch(metric);

	return got == PM_ERR_LOGREC ? fetch(metric) : got;
}

/* If an archive ends within its last record, everything before and after this record is read. */
TEST_F(several, a_damaged_tail_costs_one_record)
{
	char path[128];
	struct stat st;

	pmDestroyContext(pmWhichContext());
	snprintf(path, sizeof(path), "%s/b.0", self->dir);
	ASSERT_EQ(0, stat(path, &st));
	ASSERT_EQ(0, truncate(path, st.st_size - 4));
	ASSERT_LE(0, pmNewContext(PM_CONTEXT_ARCHIVE, self->dir));
	ASSERT_EQ(0, go_to(PM_MODE_INTERP, 0, 1000));
	EXPECT_EQ(0, fetch(self->metric));
	for (int i = 1; i < RECORDS - 1; i++)
		EXPECT_EQ(i, fetch_across_damage(self->metric));
	ASSERT_EQ(0, go_to(PM_MODE_INTERP, SECOND + 0.5, 1000));
	for (int i = 0; i < RECORDS - 1; i++)
		EXPECT_EQ(SECOND + i, fetch_across_damage(self->metric));
	ASSERT_EQ(0, go_to(PM_MODE_INTERP, 1.5, -1000));
	EXPECT_EQ(1, fetch_across_damage(self->metric));
	EXPECT_EQ(0, fetch(self->metric));
}

/* Damage a file of "b", the archive that starts first. */
static int damage(const char *dir, const char *file)
{
	char path[128];

	snprintf(path, sizeof(path), "%s/b.%s", dir, file);
	return truncate(path, 4);
}

/* Return how often a file contains a text, or -1. */
static int times_in(const char *path, const char *text)
{
	char line[512];
	FILE *f = fopen(path, "r");
	int n = 0;

	while (f && fgets(line, sizeof(line), f))
		n += strstr(line, text) != NULL;
	if (!f || fclose(f))
		return -1;
	return n;
}

/* Append messages to a file, until restore() is called with the result. */
static int divert(const char *log)
{
	int err = dup(STDERR_FILENO), fd = open(log, O_WRONLY | O_CREAT | O_APPEND, 0600);

	dup2(fd, STDERR_FILENO);
	close(fd);
	return err;
}

static void restore(int err)
{
	dup2(err, STDERR_FILENO);
	close(err);
}

/* Fetch @n values, and append messages to a file. */
static void fetch_logged(const char *log, int *values, int n)
{
	int err = divert(log);

	for (int i = 0; i < n; i++)
		values[i] = fetch(METRIC);
	restore(err);
}

/* PCP 7.2 prints a warning, and reads the archives that follow. */
TEST_F(several, damage_ends_one_of_them)
{
	static const int forward[] = { 0, 1, 2, SECOND, SECOND + 1, SECOND + 2, PM_ERR_EOL };
	static const int back[] = { SECOND + 2, SECOND + 1, SECOND, PM_ERR_EOL };
	static const char *const names[] = { "b", "a" };
	char path[128], log[128];
	int values[SECOND + 3], handle;
	struct stat st;

	for (int i = 0; i < 2; i++) {
		snprintf(path, sizeof(path), "%s/%s.0", self->dir, names[i]);
		ASSERT_EQ(0, stat(path, &st));
		ASSERT_EQ(0, truncate(path, st.st_size - 4));
	}
	snprintf(log, sizeof(log), "%s/log", self->dir);
	handle = pmNewContext(PM_CONTEXT_ARCHIVE, self->dir);
	ASSERT_LE(0, handle);
	fetch_logged(log, values, 7);
	for (int i = 0; i < 7; i++)
		EXPECT_EQ(forward[i], values[i]);
	EXPECT_EQ(2, times_in(log, "is damaged: some of its records are missing"));
	ASSERT_EQ(0, go_to(PM_MODE_BACK, SECOND + 2, 0));
	fetch_logged(log, values, 4);
	for (int i = 0; i < 4; i++)
		EXPECT_EQ(back[i], values[i]);
	EXPECT_EQ(2, times_in(log, "is damaged"));
	ASSERT_EQ(0, pmDestroyContext(handle));
	ASSERT_LE(0, pmNewContext(PM_CONTEXT_ARCHIVE, self->dir));
	ASSERT_EQ(0, go_to(PM_MODE_INTERP, 0, 1000));
	fetch_logged(log, values, SECOND + 3);
	for (int i = 0; i < SECOND + 3; i++)
		EXPECT_EQ(i, values[i]);
	EXPECT_LE(3, times_in(log, "is damaged"));
	EXPECT_LE(1, times_in(log, "/b\" is damaged"));
}

static int open_without(const char *list)
{
	int handle = pmNewContext(PM_CONTEXT_ARCHIVE, list);

	if (handle < 0)
		return handle;
	for (int i = 0; i < RECORDS; i++)
		if (fetch(METRIC) != SECOND + i)
			return -1;
	return pmDestroyContext(handle);
}

/* PCP 7.2 opens the other archives as well. */
TEST_F(several, one_that_cannot_be_opened_is_skipped)
{
	static const char *const damaged[] = { "0", "index", "meta" };
	char path[128], list[256];

	for (int i = 0; i < 3; i++) {
		ASSERT_EQ(0, damage(self->dir, damaged[i]));
		EXPECT_EQ(0, open_without(self->dir));
		ASSERT_EQ(0, write_archive(self->dir, "c", 0));
		snprintf(list, sizeof(list), "%s/b,%s/a", self->dir, self->dir);
		EXPECT_EQ(0, open_without(list));
		snprintf(list, sizeof(list), "cd %s && for f in 0 index meta; do mv c.$f b.$f; done",
			 self->dir);
		ASSERT_EQ(0, system(list));
	}
	snprintf(path, sizeof(path), "%s/b.0", self->dir);
	ASSERT_EQ(0, unlink(path));
	EXPECT_EQ(0, open_without(self->dir));
	snprintf(list, sizeof(list), "%s/none,%s/a,%s/b", self->dir, self->dir, self->dir);
	EXPECT_EQ(0, open_without(list));
	snprintf(list, sizeof(list), "%s/none,%s/b", self->dir, self->dir);
	EXPECT_EQ(PM_ERR_LOGFILE, open_without(list));
}

/* As in PCP, a warning names each of them and the reason. */
TEST_F(several, all_are_damaged)
{
	char command[256], list[192], log[96], one[112];
	const char *dir = self->dir;
	int err;

	ASSERT_EQ(0, damage(dir, "meta"));
	snprintf(command, sizeof(command), "cp %s/b.meta %s/a.meta", dir, dir);
	ASSERT_EQ(0, system(command));
	snprintf(list, sizeof(list), "%s/b,%s/a", dir, dir);
	snprintf(log, sizeof(log), "%s/log", dir);
	err = divert(log);
	EXPECT_EQ(PM_ERR_LOGFILE, pmNewContext(PM_CONTEXT_ARCHIVE, list));
	restore(err);
	EXPECT_EQ(2, times_in(log, "skipped archive"));
	for (const char *name = "ab"; *name; name++) {
		snprintf(one, sizeof(one), "skipped archive \"%s/%c\": Empty", dir, *name);
		EXPECT_EQ(1, times_in(log, one)) TH_LOG("%s", one);
	}
}

/* Write an archive that gives the metric this name and text. */
static int write_named(const char *dir, const char *name, int start)
{
	char base[128];

	snprintf(base, sizeof(base), "%s/%s", dir, name);
	if (pmiStart(base, 0) < 0 || pmiSetHostname("h") < 0 ||
	    pmiAddMetric(name, METRIC, PM_TYPE_U32, PM_INDOM_NULL, PM_SEM_INSTANT,
			 pmiUnits(0, 0, 0, 0, 0, 0)) < 0 ||
	    pmiPutText(PM_TEXT_PMID, PM_TEXT_ONELINE, METRIC, name) < 0 ||
	    pmiPutValue(name, NULL, "1") < 0 || pmiWrite(START + start, 0) < 0)
		return -1;
	return pmiEnd();
}

/* As in PCP, the order of the list determines names and texts, not the order of time. */
TEST_F(several, order_of_the_list)
{
	static const char *const lists[][2] = { { "early", "late" }, { "late", "early" } };
	char list[256], *name, *text;

	ASSERT_EQ(0, write_named(self->dir, "early", 0));
	ASSERT_EQ(0, write_named(self->dir, "late", SECOND));
	for (int i = 0; i < 2; i++) {
		snprintf(list, sizeof(list), "%s/%s,%s/%s", self->dir, lists[i][0], self->dir,
			 lists[i][1]);
		ASSERT_LE(0, pmNewContext(PM_CONTEXT_ARCHIVE, list));
		ASSERT_EQ(0, pmNameID(METRIC, &name));
		EXPECT_STREQ(lists[i][0], name);
		ASSERT_EQ(0, pmLookupText(METRIC, PM_TEXT_ONELINE, &text));
		EXPECT_STREQ(lists[i][1], text);
		free(name);
		free(text);
		EXPECT_EQ(0, fetch(METRIC));
		EXPECT_EQ(SECOND, fetch(METRIC));
	}
}

static int fetch_any(void)
{
	pmResult *r;
	int err = pmFetchArchive(&r);

	if (err < 0)
		return err;
	/* The last digit marks a record without metrics. */
	err = (int)(r->timestamp.tv_sec - START) * 10 + !r->numpmid;
	pmFreeResult(r);
	return err;
}

/* As in PCP, the records of the other archive that are not beyond the mark are skipped. */
TEST_F(several, that_overlap)
{
	static const int forward[] = { 0, 1, 2, 3, PM_ERR_LOGOVERLAP, 4, 5, PM_ERR_EOL };
	static const int back[] = { 5, 4, 3, 2, PM_ERR_LOGOVERLAP, 1, 0, PM_ERR_EOL };
	static const int any[] = { 0, 10, 20, 30, 31, PM_ERR_LOGOVERLAP, 40, 50, PM_ERR_EOL };
	char list[256];

	ASSERT_EQ(0, write_archive(self->dir, "other", 2));
	snprintf(list, sizeof(list), "%s/b,%s/other", self->dir, self->dir);
	ASSERT_LE(0, pmNewContext(PM_CONTEXT_ARCHIVE, list));
	ASSERT_EQ(0, go_to(PM_MODE_FORW, 0, 0));
	for (int i = 0; i < 8; i++)
		EXPECT_EQ(forward[i], fetch(METRIC));
	ASSERT_EQ(0, go_to(PM_MODE_FORW, 0, 0));
	for (int i = 0; i < 9; i++)
		EXPECT_EQ(any[i], fetch_any());
	ASSERT_EQ(0, go_to(PM_MODE_BACK, 6, 0));
	for (int i = 0; i < 8; i++)
		EXPECT_EQ(back[i], fetch(METRIC));
	/* At a time that is in both archives, begin in the later one. */
	ASSERT_EQ(0, go_to(PM_MODE_FORW, 2.5, 0));
	for (int i = 0; i < 3; i++)
		EXPECT_EQ(3 + i, fetch(METRIC));
	ASSERT_EQ(0, go_to(PM_MODE_BACK, 3.5, 0));
	for (int i = 2; i < 8; i++)
		EXPECT_EQ(back[i], fetch(METRIC));
}

/* Write an archive of one record in which a name belongs to this metric. */
static int write_metric(const char *dir, const char *name, const char *metric, pmID pmid, int at)
{
	char base[128];
	int err;

	snprintf(base, sizeof(base), "%s/%s", dir, name);
	if (pmiStart(base, 0) < 0 || pmiSetHostname("h") < 0 ||
	    pmiAddMetric(metric, pmid, PM_TYPE_U32, PM_INDOM_NULL, PM_SEM_INSTANT,
			 pmiUnits(0, 0, 0, 0, 0, 0)) < 0)
		return -1;
	err = pmiPutValue(metric, NULL, "1");
	if (!err)
		err = pmiWrite(START + at, 0);
	return err ? err : pmiEnd();
}

/* A name that an archive gives to a metric of its own is not the name of the built-in metric. */
TEST_F(several, a_name_of_a_built_in_metric)
{
	pmID own = pmID_build(60, 0, 7), built_in = pmID_build(511, 0, 1), found;
	const char *name = "event.flags";
	char path[128], **names, *one;

	ASSERT_EQ(0, pmNameID(built_in, &one));
	EXPECT_STREQ(name, one);
	free(one);
	snprintf(path, sizeof(path), "%s/named", self->dir);
	ASSERT_EQ(0, mkdir(path, 0700));
	ASSERT_EQ(0, write_metric(path, "a", "t.other", METRIC, 0));
	ASSERT_EQ(0, write_metric(path, "b", name, own, SECOND));
	ASSERT_LE(0, pmNewContext(PM_CONTEXT_ARCHIVE, path));
	ASSERT_EQ(1, pmLookupName(1, &name, &found));
	EXPECT_EQ(own, found);
	ASSERT_EQ(0, pmNameID(own, &one));
	EXPECT_STREQ(name, one);
	free(one);
	EXPECT_EQ(PM_ERR_PMID, pmNameID(built_in, &one));
	EXPECT_EQ(PM_ERR_PMID, pmNameAll(built_in, &names));
}

TEST_HARNESS_MAIN
