// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Interpolate in long steps over an archive with marks.  Ranges that earlier readers found to have
 * no marks are reused without changing the results, and are discarded if a file is truncated.
 */
#include "archive/archive.h"
#include "archive/interp.h"
#include "archive_sample.h"
#include "kselftest_harness.h"

#define RECORDS	3000
#define RUNS	250

enum { COUNTER, GAUGE, NASKED };

FIXTURE(marks) {
	struct place place;
	struct shim_archive *ar;
	double end;		/* seconds after the start */
	unsigned int seed;
};

FIXTURE_VARIANT(marks) {
	unsigned int volume;	/* records per volume, or 0 */
};

FIXTURE_VARIANT_ADD(marks, one_volume) {
	.volume = 0,
};

FIXTURE_VARIANT_ADD(marks, volumes) {
	.volume = 170,
};

static const int asked[NASKED] = { M_U64, M_32 };

static int put(struct shim_writer *w, struct shim_ts when, unsigned int n, bool mark)
{
	int err = shim_writer__begin(w, when);

	for (int i = 0; i < NASKED && !err && !mark; i++) {
		struct shim_value v = { .inst = SHIM_IN_NULL, .type = sample_type(asked[i]) };

		if (v.type == SHIM_TYPE_U64)
			v.ull = n * 1000;
		else
			v.l = (int32_t)n;
		err = shim_writer__vset(w, sample_pmid(asked[i]), 0);
		if (!err)
			err = shim_writer__value(w, &v);
	}
	return err ? err : shim_writer__commit(w);
}

/*
 * Write an archive with one mark per @mark_every records on average, or without marks if this is 0.
 * Store the time of the last record in *@end.
 */
static int write_archive(const char *base, unsigned int volume, unsigned int mark_every,
			 unsigned int *seed, double *end)
{
	struct shim_label label = sample_label(3);
	struct shim_writer *w;
	double t = 0;
	int err = shim_writer__open(base, &label, &w);

	if (err)
		return err;
	for (int i = 0; i < NASKED && !err; i++) {
		struct shim_desc desc = sample_desc(asked[i]);

		err = shim_writer__desc(w, &desc);
	}
	for (unsigned int i = 0; i < RECORDS && !err; i++) {
		bool mark = mark_every && i && !(rand_r(seed) / 7 % mark_every);

		t += rand_r(seed) / 7 % 5 ? 1 : 0;
		if (i && volume && i % volume == 0)
			err = shim_writer__next_volume(w);
		if (!err)
			err = put(w, at(t), i, mark);
	}
	*end = t;
	return shim_writer__close(w) ? -EIO : err;
}

FIXTURE_SETUP(marks)
{
	self->seed = 5;
	ASSERT_EQ(0, place_make(&self->place));
	ASSERT_EQ(0, write_archive(self->place.base, variant->volume, 120, &self->seed, &self->end));
	ASSERT_EQ(0, shim_archive__open(self->place.base, &self->ar));
}

FIXTURE_TEARDOWN(marks)
{
	shim_archive__put(self->ar);
	place_remove(&self->place);
}

struct run {
	double from, step;
	int n;			/* number of fetches */
	unsigned int which[64];	/* bit mask of the metrics of each fetch */
};

static struct run some_run(FIXTURE_DATA(marks) *self)
{
	struct run r = { .n = 1 + rand_r(&self->seed) / 7 % 60 };

	r.from = rand_r(&self->seed) / 7 % (unsigned int)self->end;
	r.step = rand_r(&self->seed) / 7 % 4 ? 30 + rand_r(&self->seed) / 7 % 300 : 0.75;
	if (rand_r(&self->seed) / 7 % 3 == 0)
		r.step = -r.step;
	for (int i = 0; i < r.n; i++)
		r.which[i] = rand_r(&self->seed) / 7 % 4 ? 3 : 1 + rand_r(&self->seed) / 7 % 2;
	return r;
}

/*
 * Fetch as @r describes.  Store the values of the metrics in @out, or INT64_MIN for a metric
 * without a value.
 */
static int play(struct shim_interp *ip, const struct run *r, int64_t (*out)[NASKED])
{
	struct shim_filter all = { 0 };
	int err = 0;

	shim_interp__reposition(ip);
	for (int i = 0; i < r->n && !err; i++) {
		struct shim_answer answers[NASKED];
		uint32_t pmids[NASKED];
		unsigned int n = 0;

		for (int k = 0; k < NASKED; k++) {
			out[i][k] = INT64_MIN;
			if (r->which[i] >> k & 1)
				pmids[n++] = sample_pmid(asked[k]);
		}
		err = shim_interp__fetch(ip, at(r->from + i * r->step), n, pmids, &all, answers);
		for (unsigned int a = 0; a < n && !err; a++) {
			int k = answers[a].pmid == sample_pmid(asked[GAUGE]);

			if (answers[a].numval == 1)
				out[i][k] = k ? answers[a].values->l :
						(int64_t)answers[a].values->ull;
		}
	}
	return err;
}

/* Play @r with a new interpolator on a newly opened archive. */
static int play_fresh(const char *base, const struct run *r, int64_t (*out)[NASKED])
{
	struct shim_archive *ar;
	struct shim_interp *ip;
	int err = shim_archive__open(base, &ar);

	if (err)
		return err;
	err = shim_interp__new(ar, 0, &ip);
	if (!err)
		err = play(ip, r, out);
	if (!err)
		shim_interp__free(ip);
	shim_archive__put(ar);
	return err;
}

TEST_F_TIMEOUT(marks, change_no_answer, 1200)
{
	int64_t ours[64][NASKED], fresh[64][NASKED];
	struct shim_interp *ip = NULL;
	unsigned int values = 0, left_out = 0;

	for (int round = 0; round < RUNS; round++) {
		struct run r = some_run(self);

		if (round % 5 == 0) {
			shim_interp__free(ip);
			ASSERT_EQ(0, shim_interp__new(self->ar, 0, &ip));
		}
		ASSERT_EQ(0, play(ip, &r, ours));
		ASSERT_EQ(0, play_fresh(self->place.base, &r, fresh));
		for (int i = 0; i < r.n; i++) {
			EXPECT_EQ(fresh[i][COUNTER], ours[i][COUNTER]) {
				TH_LOG("run %d from %g by %g, %d", round, r.from, r.step, i);
			}
			EXPECT_EQ(fresh[i][GAUGE], ours[i][GAUGE]);
			values += ours[i][COUNTER] != INT64_MIN;
			left_out += r.which[i] == 3 && ours[i][COUNTER] == INT64_MIN &&
				    ours[i][GAUGE] != INT64_MIN;
		}
	}
	shim_interp__free(ip);
	EXPECT_LT(RUNS, values);
	EXPECT_LT(RUNS, left_out);
}

/* Return whether the records in the middle are known to be in ranges without marks. */
static bool is_middle_known(const FIXTURE_DATA(marks) *self)
{
	struct shim_clear_range s;
	struct shim_cursor c;
	struct shim_record rec;
	int known = 0;

	shim_cursor__init(&c, self->ar);
	shim_cursor__seek_after(&c, at(self->end / 2));
	for (int i = 0; i < 50; i++) {
		const struct shim_position here = { c.volume, c.offset };

		if (shim_cursor__next(&c, &rec))
			return false;
		known += rec.npmids && shim_clear_ranges__find(&self->ar->clear, here, false, &s);
	}
	return known > 40;
}

TEST_F(marks, are_looked_for_if_there_are_counters)
{
	struct run r = { .from = 1, .step = 150, .n = 10, .which = { 2, 2, 2, 2, 2, 2, 2, 2, 2, 2 } };
	int64_t out[64][NASKED];
	struct shim_interp *ip;

	r.step = self->end / 10;
	ASSERT_EQ(0, shim_interp__new(self->ar, 0, &ip));
	ASSERT_EQ(0, play(ip, &r, out));
	EXPECT_FALSE(is_middle_known(self));
	r.which[0] = 3;
	ASSERT_EQ(0, play(ip, &r, out));
	EXPECT_TRUE(is_middle_known(self));
	shim_interp__free(ip);
}

/*
 * A known range is not searched for marks again: if the whole archive is falsely added as a range
 * without marks, no counter value is omitted.
 */
TEST_F(marks, are_not_looked_for_twice)
{
	struct run r = { .from = 0.5, .n = 50 };
	struct shim_clear_range all = { .from = { 0, shim_archive__head(self->ar, 0) } };
	int64_t out[64][NASKED];
	struct shim_interp *ip;
	struct shim_cursor c;
	int told = 0, believed = 0;

	r.step = (self->end - 1) / r.n;
	for (int i = 0; i < r.n; i++)
		r.which[i] = 1;
	ASSERT_EQ(0, play_fresh(self->place.base, &r, out));
	for (int i = 0; i < r.n; i++)
		told += out[i][COUNTER] != INT64_MIN;
	shim_cursor__init(&c, self->ar);
	shim_cursor__seek_after(&c, at(self->end + 1));
	all.to = (struct shim_position){ c.volume, c.offset };
	all.last = (int64_t)self->end * 1000000000;
	shim_clear_ranges__add(&self->ar->clear, &all);
	ASSERT_EQ(0, shim_interp__new(self->ar, 0, &ip));
	ASSERT_EQ(0, play(ip, &r, out));
	for (int i = 0; i < r.n; i++)
		believed += out[i][COUNTER] != INT64_MIN;
	shim_interp__free(ip);
	EXPECT_LT(told + 10, believed);
}

/* If an open archive is rewritten with marks in other places, known ranges are not used. */
TEST_F(marks, of_a_file_that_was_cut_off)
{
	struct run r = { .from = 0.5, .n = 50 };
	int64_t ours[64][NASKED], fresh[64][NASKED];
	struct shim_interp *ip;
	struct place other;
	uint8_t *bytes;
	double end;
	size_t len;

	if (variant->volume)
		return;
	r.step = (self->end - 1) / r.n;
	for (int i = 0; i < r.n; i++)
		r.which[i] = 1;
	ASSERT_EQ(0, shim_interp__new(self->ar, 0, &ip));
	ASSERT_EQ(0, play(ip, &r, ours));
	shim_interp__free(ip);

	ASSERT_EQ(0, place_make(&other));
	ASSERT_EQ(0, write_archive(other.base, 0, 40, &self->seed, &end));
	bytes = slurp(place_file(&other, "0"), &len);
	spit(place_file(&self->place, "0"), bytes, 20000);
	EXPECT_TRUE(shim_archive__follow(self->ar));
	spit(place_file(&self->place, "0"), bytes, len);
	EXPECT_TRUE(shim_archive__follow(self->ar));
	free(bytes);
	place_remove(&other);

	ASSERT_EQ(0, shim_interp__new(self->ar, 0, &ip));
	ASSERT_EQ(0, play(ip, &r, ours));
	ASSERT_EQ(0, play_fresh(self->place.base, &r, fresh));
	for (int i = 0; i < r.n; i++)
		EXPECT_EQ(fresh[i][COUNTER], ours[i][COUNTER]);
	shim_interp__free(ip);
}

/* A record that is earlier than the previous one starts a new range. */
TEST_F(marks, nor_records_that_go_back_in_time)
{
	struct run r = { .from = 20, .n = 10, .which = { 1, 1, 1, 1, 1, 1, 1, 1, 1, 1 } };
	int64_t out[64][NASKED];
	struct shim_clear_range s;
	struct shim_archive *ar;
	struct shim_interp *ip;
	struct shim_cursor c;
	struct shim_record rec;
	struct shim_position odd;
	uint8_t *bytes;
	size_t len;

	shim_cursor__init(&c, self->ar);
	do {
		ASSERT_EQ(0, shim_cursor__next(&c, &rec));
	} while (rec.volume || !rec.npmids || shim_ts__cmp(rec.stamp, at(100)) < 0);
	odd = (struct shim_position){ rec.volume, rec.offset };
	bytes = slurp(place_file(&self->place, "0"), &len);
	bytes[odd.offset + 4 + 3] -= 50;	/* the low word of the seconds */
	spit(place_file(&self->place, "0"), bytes, len);
	free(bytes);

	ASSERT_EQ(0, shim_archive__open(self->place.base, &ar));
	ASSERT_EQ(0, shim_interp__new(ar, 0, &ip));
	r.step = (self->end - 1) / r.n;
	ASSERT_EQ(0, play(ip, &r, out));
	ASSERT_TRUE(shim_clear_ranges__find(&ar->clear, odd, false, &s));
	EXPECT_EQ(0, shim_position__cmp(odd, s.from));
	ASSERT_TRUE(shim_clear_ranges__find(&ar->clear, odd, true, &s));
	EXPECT_EQ(0, shim_position__cmp(odd, s.to));
	shim_interp__free(ip);
	shim_archive__put(ar);
}

/* Write a record per second; record @mark is a mark (0: none). */
static int write_one_mark(const char *base, unsigned int mark)
{
	struct shim_label label = sample_label(3);
	struct shim_writer *w;
	int err = shim_writer__open(base, &label, &w);

	for (int i = 0; i < NASKED && !err; i++) {
		struct shim_desc desc = sample_desc(asked[i]);

		err = shim_writer__desc(w, &desc);
	}
	for (unsigned int i = 0; i < RECORDS && !err; i++)
		err = put(w, at(i), i, i && i == mark);
	return shim_writer__close(w) ? -EIO : err;
}

/* Many records are skipped between two fetches, and any of them can be the mark. */
TEST(one_mark_far_away)
{
	static const unsigned int marks[] = { 0, 102, 103, 1125, 1126, 1127, 1128, 2000, 2499 };
	static const struct run runs[] = {
		{ .from = 100.5, .step = 2400, .n = 2, .which = { 3, 3 } },
		{ .from = 2500.5, .step = -2400, .n = 2, .which = { 3, 3 } },
	};

	for (size_t i = 0; i < 2 * sizeof(marks) / sizeof(marks[0]); i++) {
		int64_t out[64][NASKED];
		struct place place;

		ASSERT_EQ(0, place_make(&place));
		ASSERT_EQ(0, write_one_mark(place.base, marks[i / 2]));
		ASSERT_EQ(0, play_fresh(place.base, &runs[i % 2], out));
		EXPECT_NE(INT64_MIN, out[0][COUNTER]);
		EXPECT_NE(INT64_MIN, out[1][GAUGE]);
		EXPECT_EQ(!marks[i / 2], out[1][COUNTER] != INT64_MIN) {
			TH_LOG("mark at %u, run %zu", marks[i / 2], i % 2);
		}
		place_remove(&place);
	}
}

TEST_HARNESS_MAIN
