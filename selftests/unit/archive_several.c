// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * If several archives are opened as one, by list or by directory, they are read in sequence, with a
 * mark between them.  Archives that cannot be joined are rejected with the reason.
 */
#include "archive/interp.h"

#include "archive_sample.h"
#include "kselftest_harness.h"

#define RECORDS	4
/* Start times of the archives in seconds; each archive lasts three seconds */
#define FIRST	0
#define SECOND	10
#define THIRD	20

FIXTURE(several) {
	struct place place;
	char list[512];
};

static int write_at(const char *dir, const char *name, double start, int version, const char *host)
{
	struct shim_label label = sample_label(version);
	struct shim_writer *w;
	char base[192];
	int err;

	label.start = at(start);
	snprintf(label.host, sizeof(label.host), "%s", host);
	snprintf(base, sizeof(base), "%s/%s", dir, name);
	err = shim_writer__open(base, &label, &w);
	if (err)
		return err;
	err = sample_declare(w, at(start));
	for (unsigned int i = 0; i < RECORDS && !err; i++)
		err = sample_record(w, at(start + i), (unsigned int)start + i);
	return shim_writer__close(w) ? -EIO : err;
}

/* The order of the names differs from the order of the times. */
FIXTURE_SETUP(several)
{
	const char *dir = self->place.dir;

	ASSERT_EQ(0, place_make(&self->place));
	ASSERT_EQ(0, write_at(dir, "c", FIRST, 3, "h1"));
	ASSERT_EQ(0, write_at(dir, "x", SECOND, 2, "h1"));
	ASSERT_EQ(0, write_at(dir, "b", THIRD, 3, "h1"));
	snprintf(self->list, sizeof(self->list), "%s/b,%s/c,,%s/x,%s/c", dir, dir, dir, dir);
}

FIXTURE_TEARDOWN(several)
{
	place_remove(&self->place);
}

static int try(const char *name)
{
	struct shim_archive *ar;
	int err = shim_archive__open(name, &ar);

	if (!err)
		shim_archive__put(ar);
	return err;
}

static bool is_at(const struct shim_record *rec, double t)
{
	return !shim_ts__cmp(rec->stamp, at(t));
}

/* Check that all records and both marks are read, forwards and backwards. */
static void walk(struct __test_metadata *_metadata, const char *name)
{
	static const int starts[] = { FIRST, SECOND, THIRD };
	struct shim_archive *ar;
	struct shim_cursor c;
	struct shim_record rec;
	struct shim_ts back, end;

	ASSERT_EQ(0, shim_archive__open(name, &ar));
	EXPECT_EQ(0, shim_ts__cmp(at(FIRST), shim_archive__label(ar)->start));
	ASSERT_EQ(0, shim_archive__end(ar, &end));
	EXPECT_EQ(0, shim_ts__cmp(at(THIRD + RECORDS - 1), end));
	shim_cursor__init(&c, ar);
	for (int i = 0; i < 3; i++) {
		for (int r = 0; r < RECORDS; r++) {
			ASSERT_EQ(0, shim_cursor__next(&c, &rec));
			EXPECT_TRUE(sample_matches(&rec, starts[i] + r));
			EXPECT_EQ(0, shim_archive__joint(ar, &rec, &back));
		}
		if (i == 2)
			break;
		ASSERT_EQ(0, shim_cursor__next(&c, &rec));
		EXPECT_EQ(0, rec.npmids);
		EXPECT_TRUE(is_at(&rec, starts[i] + RECORDS - 1 + 0.001));
		EXPECT_EQ(1, shim_archive__joint(ar, &rec, &back));
		EXPECT_EQ(0, shim_ts__cmp(back, at(starts[i + 1] - 0.001)));
	}
	EXPECT_EQ(-ERANGE, shim_cursor__next(&c, &rec));
	for (int i = 3 * RECORDS + 2; i--;)
		ASSERT_EQ(0, shim_cursor__prev(&c, &rec));
	EXPECT_TRUE(sample_matches(&rec, 0));
	EXPECT_EQ(-ERANGE, shim_cursor__prev(&c, &rec));
	shim_archive__put(ar);
}

TEST_F(several, by_list)
{
	walk(_metadata, self->list);
}

TEST_F(several, by_folder)
{
	walk(_metadata, self->place.dir);
}

TEST_F(several, seeking)
{
	struct shim_archive *ar;
	struct shim_record rec;
	struct shim_cursor c;

	ASSERT_EQ(0, shim_archive__open(self->place.dir, &ar));
	shim_cursor__init(&c, ar);
	ASSERT_EQ(0, shim_cursor__seek_before(&c, at(SECOND)));
	ASSERT_EQ(0, shim_cursor__next(&c, &rec));
	EXPECT_TRUE(sample_matches(&rec, SECOND));
	ASSERT_EQ(0, shim_cursor__seek_after(&c, at(SECOND - 3)));
	ASSERT_EQ(0, shim_cursor__prev(&c, &rec));
	EXPECT_EQ(0, rec.npmids);
	ASSERT_EQ(0, shim_cursor__seek_before(&c, at(FIRST - 1)));
	ASSERT_EQ(0, shim_cursor__next(&c, &rec));
	EXPECT_TRUE(sample_matches(&rec, FIRST));
	ASSERT_EQ(0, shim_cursor__seek_after(&c, at(THIRD + 100)));
	EXPECT_EQ(-ERANGE, shim_cursor__next(&c, &rec));
	shim_archive__put(ar);
}

/* Return the number of metrics that have values at the time @t. */
static int alive(struct shim_interp *ip, double t)
{
	struct shim_answer answers[NMETRICS];
	uint32_t pmids[NMETRICS];
	struct shim_filter all = { 0 };
	int n = 0;

	for (int i = 0; i < NMETRICS; i++)
		pmids[i] = sample_pmid(i);
	shim_interp__reposition(ip);
	if (shim_interp__fetch(ip, at(t), NMETRICS, pmids, &all, answers))
		return -1;
	for (int i = 0; i < NMETRICS; i++)
		n += answers[i].numval > 0;
	return n;
}

TEST_F(several, nothing_is_known_of_the_time_between)
{
	struct shim_archive *ar;
	struct shim_interp *ip;

	ASSERT_EQ(0, shim_archive__open(self->list, &ar));
	ASSERT_EQ(0, shim_interp__new(ar, 0, &ip));
	EXPECT_LT(0, alive(ip, FIRST + 1.5));
	EXPECT_EQ(0, alive(ip, FIRST + 5));
	EXPECT_EQ(0, alive(ip, SECOND - 0.5));
	EXPECT_LT(0, alive(ip, SECOND));
	EXPECT_LT(0, alive(ip, THIRD + 1.5));
	EXPECT_EQ(0, alive(ip, SECOND + 5));
	EXPECT_LT(0, alive(ip, FIRST));
	shim_interp__free(ip);
	shim_archive__put(ar);
}

TEST_F(several, what_is_not_one)
{
	const char *dir = self->place.dir;
	char name[512];

	snprintf(name, sizeof(name), "%s/none,%s/nothing", dir, dir);
	EXPECT_EQ(-ENXIO, try(name));
	EXPECT_EQ(-ENOENT, try(","));
	ASSERT_EQ(0, mkdir(place_file(&self->place, "empty"), 0777));
	EXPECT_EQ(-ENXIO, try(place_file(&self->place, "empty")));
	rmdir(place_file(&self->place, "empty"));
	/* The same archive is listed under two names. */
	snprintf(name, sizeof(name), "%s/b,%s/b.meta", dir, dir);
	EXPECT_EQ(-SHIM_EOVERLAP, try(name));
	ASSERT_EQ(0, write_at(dir, "other", 40, 3, "h2"));
	EXPECT_EQ(-SHIM_EHOST, try(dir));
	/*
	 * The error of the first bad archive in the list is returned, even if this archive is
	 * listed several times.
	 */
	snprintf(name, sizeof(name), "%s/b,%s/b.meta,%s/other", dir, dir, dir);
	EXPECT_EQ(-SHIM_EOVERLAP, try(name));
	snprintf(name, sizeof(name), "%s/b,%s/other,%s/b.meta,%s/other", dir, dir, dir, dir);
	EXPECT_EQ(-SHIM_EHOST, try(name));
	snprintf(name, sizeof(name), "%s/b,%s/other,%s/none", dir, dir, dir);
	EXPECT_EQ(-SHIM_EHOST, try(name));
	snprintf(name, sizeof(name), "%s/b,%s/none,%s/other", dir, dir, dir);
	EXPECT_EQ(-SHIM_EHOST, try(name));
	/* The name of an archive can contain a comma. */
	ASSERT_EQ(0, write_at(dir, "b,c", 40, 3, "h2"));
	snprintf(name, sizeof(name), "%s/b,c", dir);
	EXPECT_EQ(0, try(name));
}

/*
 * Overlapping archives can be opened.  The overlap is detected when a reader reaches the end of an
 * archive and this end is later than the start of the next archive.
 */
TEST_F(several, overlapping)
{
	const char *dir = self->place.dir;
	struct shim_archive *ar;
	struct shim_record rec;
	struct shim_cursor c;
	struct shim_ts back;
	char name[512];

	ASSERT_EQ(0, write_at(dir, "late", THIRD + 1.5, 3, "h1"));
	snprintf(name, sizeof(name), "%s/b,%s/late", dir, dir);
	ASSERT_EQ(0, shim_archive__open(name, &ar));
	shim_cursor__init(&c, ar);
	for (int i = 0; i <= RECORDS; i++)
		ASSERT_EQ(0, shim_cursor__next(&c, &rec));
	EXPECT_EQ(-SHIM_EOVERLAP, shim_archive__joint(ar, &rec, &back));
	ASSERT_EQ(0, shim_cursor__next(&c, &rec));
	EXPECT_TRUE(is_at(&rec, THIRD + 1.5));
	shim_archive__put(ar);
}

TEST_HARNESS_MAIN
