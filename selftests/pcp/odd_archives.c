// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * If the files of an archive are slightly inconsistent, all intact parts are read, from any
 * starting point.
 */
#include <stdbool.h>
#include <sys/stat.h>

#include "pcp_fixture.h"

FIXTURE(odd)
{
	char base[256];
};

FIXTURE_SETUP(odd)
{
	af_folder(self->base, sizeof(self->base));
}

FIXTURE_TEARDOWN(odd)
{
	pmDestroyContext(pmWhichContext());
	af_remove(self->base);
}

static FILE *file_of(const char *base, const char *suffix, const char *mode)
{
	char path[300];
	FILE *f;

	snprintf(path, sizeof(path), "%s.%s", base, suffix);
	f = fopen(path, mode);
	af_check(f != NULL, path);
	return f;
}

static void add_zeros(const char *base, int n)
{
	FILE *f = file_of(base, "0", "a");

	while (n--)
		fputc(0, f);
	fclose(f);
}

static void remove_index(const char *base)
{
	char path[300];

	snprintf(path, sizeof(path), "%s.index", base);
	af_check(!unlink(path), path);
}

/* After a power loss a file can end with zeros; the last record is found even without an index. */
TEST_F(odd, zeros_behind_the_last_record)
{
	static const int zeros[] = { 0, 1, 4, 8, 64, 4096 };
	struct timeval end;

	for (int i = 0; i < 12; i++) {
		af_vectors(self->base, 3);
		add_zeros(self->base, zeros[i / 2]);
		if (i % 2)
			remove_index(self->base);
		ASSERT_GE(pmNewContext(PM_CONTEXT_ARCHIVE, self->base), 0);
		ASSERT_EQ(pmGetArchiveEnd(&end), 0) {
			TH_LOG("%d zeros", zeros[i / 2]);
		}
		EXPECT_EQ(ms_of(end), 50000);
		EXPECT_EQ(number_at(AF_PMID(INSTANT), 45000), 105);
		ASSERT_EQ(go_to(PM_MODE_BACK, 90000, 0), 0);
		EXPECT_EQ(fetch_number(AF_PMID(INSTANT), NULL), 104);
		pmDestroyContext(pmWhichContext());
	}
}

/* Set the start time in the labels of all files. */
static void set_start(const char *base, uint32_t second)
{
	static const char *const suffix[] = { "0", "meta", "index" };
	const unsigned char sec[4] = { second >> 24, second >> 16, second >> 8, second };

	for (int i = 0; i < 3; i++) {
		FILE *f = file_of(base, suffix[i], "r+");

		fseek(f, 12, SEEK_SET);
		fwrite(sec, 4, 1, f);
		fclose(f);
	}
}

/* Records before the start time are observations.  Before the first record there are no values. */
TEST_F(odd, records_from_before_the_start)
{
	static const struct {
		int ms, counter;
	} rows[] = {
		{ 0, PM_ERR_EOL }, { 14000, PM_ERR_EOL }, { 15000, 20 }, { 16000, 21 }, { 20000, 26 },
	};

	af_vectors(self->base, 3);
	set_start(self->base, AF_START + 15);
	ASSERT_GE(pmNewContext(PM_CONTEXT_ARCHIVE, self->base), 0);
	for (int i = 0; i < 5; i++) {
		EXPECT_EQ(number_at(AF_PMID(CU32), rows[i].ms), rows[i].counter) {
			TH_LOG("at %d", rows[i].ms);
		}
	}
	ASSERT_EQ(go_to(PM_MODE_INTERP, 20000, -2000), 0);
	EXPECT_EQ(fetch_number(AF_PMID(CU32), NULL), 26);
	EXPECT_EQ(fetch_number(AF_PMID(CU32), NULL), 23);
	EXPECT_EQ(fetch_number(AF_PMID(CU32), NULL), 21);
	ASSERT_EQ(go_to(PM_MODE_FORW, 0, 0), 0);
	EXPECT_EQ(fetch_number(AF_PMID(CU32), NULL), 0);
}

/* Write an index entry with a record's time and a wrong offset. */
static void misplace(struct af *a, int record, long place)
{
	struct af_bytes b = { 0 };

	af_stamp(&b, 3, af_at[record]);
	af_put32(&b, 0);
	af_put32(&b, 0);
	af_put32(&b, (uint32_t)ftell(a->meta));
	af_put32(&b, 0);
	af_put32(&b, (uint32_t)place);
	af_check(fwrite(b.data, 1, b.len, a->index) == b.len, "index");
	free(b.data);
}

/* If an index entry refers to the middle of a record, all records are still found. */
TEST_F(odd, index_entries_within_records)
{
	for (int way = 0; way < 4; way++) {
		struct af a;

		af_open(&a, self->base, 3);
		af_vectors_meta(&a);
		for (int i = 0; i < 6; i++) {
			long at = ftell(a.data);
			const long places[] = { at + 40, at + 4, 200, 0 };

			if (i == 0)
				af_index(&a, 0);
			else if (i == 3)
				misplace(&a, i, places[way]);
			af_vectors_record(&a, i);
		}
		af_close(&a);
		ASSERT_GE(pmNewContext(PM_CONTEXT_ARCHIVE, self->base), 0);
		EXPECT_EQ(number_at(AF_PMID(INSTANT), 25000), 102) {
			TH_LOG("way %d", way);
		}
		EXPECT_EQ(number_at(AF_PMID(INSTANT), 29000), 103) {
			TH_LOG("way %d", way);
		}
		EXPECT_EQ(number_at(AF_PMID(INSTANT), 30000), 103) {
			TH_LOG("way %d", way);
		}
		EXPECT_EQ(number_at(AF_PMID(CU32), 35000), 44) {
			TH_LOG("way %d", way);
		}
		EXPECT_EQ(number_at(AF_PMID(INSTANT), 50000), 104) {
			TH_LOG("way %d", way);
		}
		pmDestroyContext(pmWhichContext());
	}
}

/* Write volumes of two records each; the index has the first record of each volume. */
static void volumes(const char *base, int n)
{
	struct af a;
	char name[16];

	af_open(&a, base, 3);
	af_desc(&a, AF_PMID(INSTANT), 1, AF_NONE, 3, 0, "x");
	for (int i = 0; i < 2 * n; i++) {
		snprintf(name, sizeof(name), "%d", i / 2);
		if (i && i % 2 == 0) {
			fclose(a.data);
			a.data = af_file(base, name, 3, i / 2);
		}
		if (i == 0)
			af_index(&a, 0);
		af_begin(&a, i * AF_SEC);
		af_set(&a, AF_PMID(INSTANT), 0);
		af_u32(&a, -1, (uint32_t)i);
		af_end(&a);
	}
	af_close(&a);
}

/*
 * If the last volume is missing, or if its label is missing or incomplete, the archive ends with
 * the volume before.
 */
TEST_F(odd, the_last_volume_is_missing)
{
	static const int sizes[] = { -1, 0, 50 };
	struct timeval end;
	char path[300];

	for (int i = 0; i < 3; i++) {
		volumes(self->base, 4);
		snprintf(path, sizeof(path), "%s.3", self->base);
		ASSERT_EQ(sizes[i] < 0 ? unlink(path) : truncate(path, sizes[i]), 0);
		ASSERT_GE(pmNewContext(PM_CONTEXT_ARCHIVE, self->base), 0);
		ASSERT_EQ(pmGetArchiveEnd(&end), 0);
		EXPECT_EQ(ms_of(end), 5000);
		ASSERT_EQ(go_to(PM_MODE_BACK, 90000, 0), 0);
		for (int want = 5; want >= 0; want--) {
			EXPECT_EQ(fetch_number(AF_PMID(INSTANT), NULL), want) {
				TH_LOG("a volume of %d bytes", sizes[i]);
			}
		}
		EXPECT_EQ(fetch_number(AF_PMID(INSTANT), NULL), PM_ERR_EOL);
		EXPECT_EQ(number_at(AF_PMID(INSTANT), 5000), 5);
		EXPECT_EQ(number_at(AF_PMID(INSTANT), 6000), PM_ERR_EOL);
		pmDestroyContext(pmWhichContext());
	}
}

/* If the last volume ends within its second record, the archive ends with its first record. */
TEST_F(odd, the_last_volume_has_one_whole_record)
{
	struct timeval end;
	struct stat st;
	char path[300];

	for (int cut = 1; cut < 40; cut++) {
		volumes(self->base, 4);
		snprintf(path, sizeof(path), "%s.3", self->base);
		ASSERT_EQ(stat(path, &st), 0);
		ASSERT_EQ(truncate(path, st.st_size - cut), 0);
		ASSERT_GE(pmNewContext(PM_CONTEXT_ARCHIVE, self->base), 0);
		ASSERT_EQ(pmGetArchiveEnd(&end), 0);
		EXPECT_EQ(ms_of(end), 6000) {
			TH_LOG("%d bytes are missing", cut);
		}
		EXPECT_EQ(number_at(AF_PMID(INSTANT), 6000), 6);
		pmDestroyContext(pmWhichContext());
	}
}

/*
 * Write records at 0, 10 and 20 s, one with the time @late, and records at 30, 40 and 50 s.  The
 * index has entries for the first and the last record.
 */
static void one_late_record(const char *base, int late, bool mark)
{
	const int seconds[] = { 0, 10, 20, late, 30, 40, 50 };
	struct af a;

	af_open(&a, base, 3);
	af_desc(&a, AF_PMID(INSTANT), 1, AF_NONE, 3, 0, "x");
	af_index(&a, 0);
	for (int i = 0; i < 7; i++) {
		if (i == 6)
			af_index(&a, 50 * AF_SEC);
		af_begin(&a, seconds[i] * AF_SEC);
		if (i != 3 || !mark) {
			af_set(&a, AF_PMID(INSTANT), 0);
			af_u32(&a, -1, (uint32_t)seconds[i]);
		}
		af_end(&a);
	}
	af_close(&a);
}

/* A seek finds the records after a record with a later time. */
TEST_F(odd, a_record_that_is_later_than_those_after_it)
{
	for (int way = 0; way < 4; way++) {
		one_late_record(self->base, way / 2 ? 1000 : 60, way % 2);
		ASSERT_GE(pmNewContext(PM_CONTEXT_ARCHIVE, self->base), 0);
		EXPECT_EQ(number_at(AF_PMID(INSTANT), 33000), 30);
		EXPECT_EQ(number_at(AF_PMID(INSTANT), 36000), 40);
		ASSERT_EQ(go_to(PM_MODE_FORW, 35000, 0), 0);
		EXPECT_EQ(fetch_number(AF_PMID(INSTANT), NULL), 40);
		EXPECT_EQ(fetch_number(AF_PMID(INSTANT), NULL), 50);
		EXPECT_EQ(fetch_number(AF_PMID(INSTANT), NULL), PM_ERR_EOL);
		ASSERT_EQ(go_to(PM_MODE_BACK, 45000, 0), 0);
		for (int want = 40; want >= 0; want -= 10)
			EXPECT_EQ(fetch_number(AF_PMID(INSTANT), NULL), want);
		EXPECT_EQ(fetch_number(AF_PMID(INSTANT), NULL), PM_ERR_EOL);
		pmDestroyContext(pmWhichContext());
	}
}

/*
 * pmlogreduce writes the mark between two archives twice, and between them a record with the time
 * at which the first archive ended.  @full: this record has values.
 */
static void reduced_at_a_mark(const char *base, bool full)
{
	const int seconds[] = { 0, 10, 25, 21, 25, 35, 45, 55 };
	struct af a;

	af_open(&a, base, 3);
	af_desc(&a, AF_PMID(CU32), 1, AF_NONE, 1, 0, "x");
	af_desc(&a, AF_PMID(DISCRETE), 1, AF_NONE, 4, 0, "y");
	for (int i = 0; i < 8; i++) {
		af_index(&a, seconds[i] * AF_SEC);
		af_begin(&a, seconds[i] * AF_SEC);
		if (seconds[i] != 25) {
			af_set(&a, AF_PMID(CU32), 0);
			if (i != 3 || full)
				af_u32(&a, -1, (uint32_t)seconds[i]);
		}
		if (i == 0 || i == 5 || (i == 3 && full)) {
			af_set(&a, AF_PMID(DISCRETE), 0);
			af_u32(&a, -1, (uint32_t)seconds[i] + 1);
		}
		af_end(&a);
	}
	af_close(&a);
}

/*
 * After any fetch, the values between the marks are from before the first mark, as after a seek in
 * a new context.
 */
static void check_between_marks(struct __test_metadata *_metadata)
{
	EXPECT_EQ(number_at(AF_PMID(DISCRETE), 23000), 1);
	for (int ms = 1000; ms < 55000; ms += 2000) {
		number_at(AF_PMID(CU32), ms);
		EXPECT_EQ(number_at(AF_PMID(DISCRETE), 23000), 1) {
			TH_LOG("after a fetch at %d ms", ms);
		}
	}
	for (int step = -29000; step <= 24000; step += 1000) {
		pmID both[] = { AF_PMID(CU32), AF_PMID(DISCRETE) };
		const pmValueSet *set;
		pmResult *r;

		ASSERT_EQ(go_to(PM_MODE_INTERP, 24000 - step, step), 0);
		for (int i = 0; i < 2; i++) {
			ASSERT_GE(pmFetch(2, both, &r), 0);
			set = r->vset[1];
			if (i) {
				EXPECT_EQ(r->vset[0]->numval, 0);
				EXPECT_EQ(set->numval == 1 ? set->vlist[0].value.lval : NOTHING, 1) {
					TH_LOG("after a step of %d ms", step);
				}
			}
			pmFreeResult(r);
		}
	}
}

TEST_F(odd, a_record_between_two_marks)
{
	for (int full = 0; full < 2; full++) {
		reduced_at_a_mark(self->base, full);
		ASSERT_GE(pmNewContext(PM_CONTEXT_ARCHIVE, self->base), 0);
		check_between_marks(_metadata);
		pmDestroyContext(pmWhichContext());
	}
}

TEST_HARNESS_MAIN
