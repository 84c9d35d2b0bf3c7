// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Calls with invalid arguments, and archives that are missing, empty, truncated or modified, cause
 * the right errors.
 */
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "pcp_fixture.h"

TEST(no_context)
{
	struct timespec ts = { 7, 0 };
	struct timeval tv = { 7, 0 };
	pmHighResLogLabel hlabel;
	pmLogLabel label;
	pmID pmid = AF_PMID(CU32);
	const char *name = "v.cu32";
	char **names, *text;
	pmResult *r = NULL;
	pmDesc desc;
	int *ids;

	EXPECT_EQ(pmWhichContext(), PM_ERR_NOCONTEXT);
	EXPECT_EQ(pmDupContext(), PM_ERR_NOCONTEXT);
	EXPECT_EQ(pmUseContext(0), PM_ERR_NOCONTEXT);
	EXPECT_EQ(pmUseContext(-1), PM_ERR_NOCONTEXT);
	EXPECT_EQ(pmDestroyContext(12345), PM_ERR_NOCONTEXT);
	EXPECT_EQ(pmFetch(1, &pmid, &r), PM_ERR_NOCONTEXT);
	EXPECT_EQ(pmFetchArchive(&r), PM_ERR_NOCONTEXT);
	EXPECT_EQ(r, NULL);
	EXPECT_EQ(pmLookupName(1, &name, &pmid), PM_ERR_NOPMNS);
	EXPECT_EQ(pmLookupDesc(pmid, &desc), PM_ERR_NOCONTEXT);
	EXPECT_EQ(pmLookupDescs(1, &pmid, &desc), PM_ERR_NOCONTEXT);
	EXPECT_EQ(pmNameID(pmid, &text), PM_ERR_NOPMNS);
	EXPECT_EQ(pmGetChildren("", &names), PM_ERR_NOPMNS);
	EXPECT_EQ(pmGetInDom(AF_INDOM, &ids, &names), PM_ERR_NOCONTEXT);
	EXPECT_EQ(pmNameInDomArchive(AF_INDOM, 0, &text), PM_ERR_NOCONTEXT);
	EXPECT_EQ(pmLookupInDom(AF_INDOM, "i0"), PM_ERR_NOCONTEXT);
	EXPECT_EQ(pmAddProfile(PM_INDOM_NULL, 0, NULL), PM_ERR_NOCONTEXT);
	EXPECT_EQ(pmGetArchiveLabel(&label), PM_ERR_NOCONTEXT);
	EXPECT_EQ(pmGetHighResArchiveLabel(&hlabel), PM_ERR_NOCONTEXT);
	EXPECT_EQ(pmGetArchiveEnd(&tv), PM_ERR_NOCONTEXT);
	EXPECT_EQ(tv.tv_sec, 7);
	EXPECT_EQ(pmGetHighResArchiveEnd(&ts), PM_ERR_NOCONTEXT);
	EXPECT_EQ(ts.tv_sec, 7);
}

TEST(no_archive)
{
	EXPECT_EQ(pmNewContext(PM_CONTEXT_ARCHIVE, NULL), PM_ERR_NOCONTEXT);
	EXPECT_EQ(pmNewContext(PM_CONTEXT_ARCHIVE, ""), PM_ERR_LOGFILE);
	EXPECT_EQ(pmNewContext(PM_CONTEXT_ARCHIVE, "/nonexistent/archive"), -ENOENT);
	EXPECT_EQ(pmNewContext(PM_CONTEXT_HOST, "unix:/nonexistent/socket"), -ENOENT);
	EXPECT_EQ(pmNewContext(PM_CONTEXT_HOST, ""), PM_ERR_NOTHOST);
	EXPECT_EQ(pmNewContext(PM_CONTEXT_HOST, NULL), PM_ERR_NOCONTEXT);
	EXPECT_EQ(pmNewContext(0, "x"), PM_ERR_NOCONTEXT);
	EXPECT_EQ(pmNewContext(-1, "x"), PM_ERR_NOCONTEXT);
	EXPECT_EQ(pmWhichContext(), PM_ERR_NOCONTEXT);
}

TEST_F(archive, null_arguments)
{
	pmID pmid = AF_PMID(CU32);
	const char *name = NULL;
	pmResult *r = NULL;
	pmAtomValue v;
	char **names;
	int *ids;

	EXPECT_EQ(pmFetch(0, &pmid, &r), PM_ERR_TOOSMALL);
	EXPECT_EQ(pmFetch(-1, &pmid, &r), PM_ERR_TOOSMALL);
	EXPECT_EQ(pmFetch(1, NULL, &r), -EINVAL);
	EXPECT_EQ(pmFetch(1, &pmid, NULL), -EINVAL);
	EXPECT_EQ(pmFetchHighRes(1, &pmid, NULL), -EINVAL);
	EXPECT_EQ(pmFetchArchive(NULL), -EINVAL);
	EXPECT_EQ(pmFetchHighResArchive(NULL), -EINVAL);
	EXPECT_EQ(r, NULL);
	EXPECT_EQ(pmLookupName(0, &name, &pmid), PM_ERR_TOOSMALL);
	EXPECT_EQ(pmLookupName(1, NULL, &pmid), -EINVAL);
	EXPECT_EQ(pmLookupName(1, &name, NULL), -EINVAL);
	EXPECT_EQ(pmLookupName(1, &name, &pmid), PM_ERR_NAME);
	EXPECT_EQ(pmid, PM_ID_NULL);
	EXPECT_EQ(pmLookupDesc(AF_PMID(CU32), NULL), -EINVAL);
	EXPECT_EQ(pmLookupDescs(0, NULL, NULL), PM_ERR_TOOSMALL);
	EXPECT_EQ(pmLookupDescs(1, NULL, NULL), -EINVAL);
	EXPECT_EQ(pmNameID(AF_PMID(CU32), NULL), -EINVAL);
	EXPECT_EQ(pmNameAll(AF_PMID(CU32), NULL), -EINVAL);
	EXPECT_EQ(pmGetChildren(NULL, &names), PM_ERR_NAME);
	EXPECT_EQ(pmGetChildren("", NULL), PM_ERR_NAME);
	EXPECT_EQ(pmTraversePMNS("", NULL), PM_ERR_NAME);
	EXPECT_EQ(pmTraversePMNS_r(NULL, NULL, NULL), PM_ERR_NAME);
	EXPECT_EQ(pmGetInDom(PM_INDOM_NULL, &ids, &names), PM_ERR_INDOM);
	EXPECT_EQ(pmGetInDom(AF_INDOM, NULL, &names), -EINVAL);
	EXPECT_EQ(pmGetInDomArchive(AF_INDOM, &ids, NULL), -EINVAL);
	EXPECT_EQ(pmNameInDom(AF_INDOM, 0, NULL), -EINVAL);
	EXPECT_EQ(pmLookupInDom(AF_INDOM, NULL), -EINVAL);
	EXPECT_EQ(pmAddProfile(PM_INDOM_NULL, 1, (int[]){ 0 }), PM_ERR_PROFILESPEC);
	EXPECT_EQ(pmDelProfile(PM_INDOM_NULL, 0, (int[]){ 0 }), PM_ERR_PROFILESPEC);
	EXPECT_EQ(pmExtractValue(PM_VAL_INSITU, NULL, PM_TYPE_32, &v, PM_TYPE_32), -EINVAL);
	EXPECT_EQ(pmErrStr_r(-2, NULL, 10), NULL);
	pmFreeResult(NULL);
	pmFreeHighResResult(NULL);
}

static void truncate_file(const char *base, const char *suffix, long size)
{
	char path[512];

	snprintf(path, sizeof(path), "%s.%s", base, suffix);
	af_check(truncate(path, size) == 0, path);
}

TEST_F(archive, files_that_are_empty_or_gone)
{
	char path[512];

	truncate_file(self->base, "index", 0);
	EXPECT_EQ(pmNewContext(PM_CONTEXT_ARCHIVE, self->base), PM_ERR_NODATA);
	truncate_file(self->base, "0", 808);
	snprintf(path, sizeof(path), "%s.index", self->base);
	unlink(path);
	EXPECT_EQ(pmNewContext(PM_CONTEXT_ARCHIVE, self->base), PM_ERR_NODATA);
	truncate_file(self->base, "0", 0);
	EXPECT_EQ(pmNewContext(PM_CONTEXT_ARCHIVE, self->base), PM_ERR_NODATA);
	snprintf(path, sizeof(path), "%s.0", self->base);
	unlink(path);
	EXPECT_EQ(pmNewContext(PM_CONTEXT_ARCHIVE, self->base), PM_ERR_LOGFILE);
}

/* Return the contents of the file, which the caller must free. */
static unsigned char *load(const char *path, size_t *size)
{
	unsigned char *data;
	FILE *f = fopen(path, "r");

	af_check(f && !fseek(f, 0, SEEK_END), path);
	*size = (size_t)ftell(f);
	rewind(f);
	data = malloc(*size);
	af_check(data && fread(data, 1, *size, f) == *size, path);
	fclose(f);
	return data;
}

/*
 * Write a file with an old modification time, because the reader of a recently written file waits
 * for the rest of a partial record.
 */
static void save(const char *path, const unsigned char *data, size_t size)
{
	const struct timespec long_ago[2] = { { 0 } };
	FILE *f = fopen(path, "w");

	af_check(f && fwrite(data, 1, size, f) == size && !fclose(f), path);
	af_check(!utimensat(AT_FDCWD, path, long_ago, 0), path);
}

/*
 * Fetch @nmetrics metrics until the end.  Return the number of fetches that report damage, or -1
 * after any other error.
 */
static int count_damage(const char *base, int nmetrics, int from, int step)
{
	int err = 0, found = 0;
	pmID pmids[14];
	pmResult *r;

	if (pmNewContext(PM_CONTEXT_ARCHIVE, base) < 0)
		return -1;
	for (int i = 0; i < 14; i++)
		pmids[i] = AF_PMID(1 + i);
	go_to(PM_MODE_INTERP, from, step);
	for (int i = 0; i < 1000 && (!err || err == PM_ERR_LOGREC); i++) {
		err = pmFetch(nmetrics, pmids, &r);
		found += err == PM_ERR_LOGREC;
		if (!err)
			pmFreeResult(r);
	}
	pmDestroyContext(pmWhichContext());
	return err == PM_ERR_EOL ? found : -1;
}

TEST_F(archive, a_damaged_tail_is_reported_once_by_interp)
{
	/* Fetch in small steps, in large steps, from near the end, and from after the end. */
	static const int ways[][2] = { { 0, 1000 }, { 0, 20000 }, { 45000, 1000 }, { 90000, 1000 } };
	unsigned char *data;
	char path[512];
	size_t size;

	EXPECT_EQ(count_damage(self->base, 14, 0, 1000), 0);
	EXPECT_EQ(count_damage(self->base, 14, 90000, 1000), 0);
	snprintf(path, sizeof(path), "%s.0", self->base);
	data = load(path, &size);
	save(path, data, size - 6);
	free(data);
	for (int n = 1; n <= 14; n++) {
		for (unsigned int i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
			int found = count_damage(self->base, n, ways[i][0], ways[i][1]);

			EXPECT_EQ(found, 1) {
				TH_LOG("%d metrics from %d by %d", n, ways[i][0], ways[i][1]);
			}
		}
	}
}

#define VOLUMES	4
#define RECORDS	5	/* per volume, one per second */
#define ALL	(VOLUMES * RECORDS)

/*
 * Write a counter and an instantaneous value into each record, and a third metric that is missing
 * in volumes 1 and 2.
 */
static void make_volumes(const char *base, long *offsets)
{
	char name[16];
	struct af a;

	af_open(&a, base, 3);
	af_desc(&a, AF_PMID(1), 1, AF_NONE, 1, 0, "counter");
	af_desc(&a, AF_PMID(2), 1, AF_NONE, 3, 0, "instant");
	af_desc(&a, AF_PMID(3), 1, AF_NONE, 3, 0, "seldom");
	for (int i = 0; i < ALL; i++) {
		snprintf(name, sizeof(name), "%d", i / RECORDS);
		if (i && i % RECORDS == 0) {
			fclose(a.data);
			a.data = af_file(base, name, 3, i / RECORDS);
		}
		if (!i)
			af_index(&a, 0);
		offsets[i] = ftell(a.data);
		af_begin(&a, i * AF_SEC);
		for (int m = 1; m < 3 + (i < RECORDS || i >= 3 * RECORDS); m++) {
			af_set(&a, AF_PMID(m), 0);
			af_u32(&a, -1, m == 1 ? 10 * i : i);
		}
		af_end(&a);
	}
	af_close(&a);
}

static const struct damage {
	int record;		/* the first damaged record */
	/* offset in the record where the file ends, or where @bytes are overwritten */
	long at;
	const char *bytes;
	int behind;		/* the first intact record after the damage */
} damages[] = {
	{ 9, 20, NULL, 10 }, { 7, 20, NULL, 10 }, { 7, 0, "\1\2\3\4", 8 },
	{ 5, 0, "\1\2\3\4", 6 }, { 9, 0, "\1\2\3\4", 10 },
};

static void do_damage(const char *base, const struct damage *d, const long *offsets)
{
	char path[300];
	FILE *f;

	make_volumes(base, (long *)offsets);
	snprintf(path, sizeof(path), "%s.1", base);
	if (!d->bytes) {
		af_check(!truncate(path, offsets[d->record] + d->at), path);
		return;
	}
	f = fopen(path, "r+");
	af_check(f && !fseek(f, offsets[d->record] + d->at, SEEK_SET) &&
		 fwrite(d->bytes, 1, 4, f) == 4 && !fclose(f), path);
}

/*
 * Check that each intact record has its values, wherever fetches start, and that no other values
 * appear.
 */
static void right_or_missing(struct __test_metadata *_metadata, const struct damage *d,
			     const pmResult *r)
{
	int64_t ms = ms_of(r->timestamp);
	int former = (int)(ms / 1000), latter = (int)((ms + 999) / 1000);
	int nearest = (int)((ms + 499) / 1000);
	bool known = latter < d->record || former >= 2 * RECORDS;

	if (r->vset[0]->numval > 0 || known) {
		EXPECT_EQ(r->vset[0]->numval, 1);
		EXPECT_EQ(r->vset[0]->vlist[0].value.lval, ms / 100);
		EXPECT_EQ(r->vset[1]->numval, 1);
		EXPECT_EQ(r->vset[1]->vlist[0].value.lval, nearest);
	}
}

TEST_F(archive, damage_in_a_middle_volume_is_reported_once_by_interp)
{
	/* Fetch in small steps, in large steps, backwards, and from the middle. */
	static const int ways[][2] = { { 0, 1000 }, { 0, 700 }, { 0, 6000 }, { 19000, -1000 },
				       { 19000, -4500 }, { 12000, 500 } };
	const pmID pmids[] = { AF_PMID(1), AF_PMID(2), AF_PMID(3) };
	long offsets[ALL];

	for (int i = 0; i < 6 * 5; i++) {
		const struct damage *d = &damages[i / 6];
		const int *way = ways[i % 6];
		int err = 0, found = 0;
		pmResult *r;

		do_damage(self->base, d, offsets);
		ASSERT_GE(pmNewContext(PM_CONTEXT_ARCHIVE, self->base), 0);
		go_to(PM_MODE_INTERP, way[0], way[1]);
		for (int j = 0; j < 100 && (!err || err == PM_ERR_LOGREC); j++) {
			err = pmFetch(3, (pmID *)pmids, &r);
			found += err == PM_ERR_LOGREC;
			if (err)
				continue;
			right_or_missing(_metadata, d, r);
			pmFreeResult(r);
		}
		EXPECT_EQ(err, PM_ERR_EOL);
		EXPECT_EQ(found, 1) {
			TH_LOG("damage %d, from %d by %d", i / 6, way[0], way[1]);
		}
		pmDestroyContext(pmWhichContext());
	}
}

/* Make every call on an archive, and ignore the results. */
static void use_all(const char *base)
{
	static const int modes[] = { PM_MODE_INTERP, PM_MODE_FORW, PM_MODE_BACK, PM_MODE_INTERP };
	pmID pmids[14];
	pmResult *r;
	char **names;
	int *ids;

	if (pmNewContext(PM_CONTEXT_ARCHIVE, base) < 0)
		return;
	for (int i = 0; i < 14; i++)
		pmids[i] = AF_PMID(1 + i);
	for (int i = 0; i < 4; i++) {
		go_to(modes[i], i < 2 ? 0 : 51000, i < 2 ? 3000 : -3000);
		for (int j = 0; j < 40; j++)
			if (!pmFetch(14, pmids, &r))
				pmFreeResult(r);
	}
	go_to(PM_MODE_FORW, 0, 0);
	for (int i = 0; i < 10 && !pmFetchArchive(&r); i++)
		pmFreeResult(r);
	if (pmGetInDomArchive(AF_INDOM, &ids, &names) > 0) {
		free(ids);
		free(names);
	}
	pmDestroyContext(pmWhichContext());
}

/* After a change of any byte, each call returns; the sanitizers detect invalid accesses. */
TEST_F(archive, every_byte_changed)
{
	static const char *const suffixes[] = { "meta", "0", "index" };

	for (int s = 0; s < 3; s++) {
		unsigned char *data;
		char path[512];
		size_t size;

		snprintf(path, sizeof(path), "%s.%s", self->base, suffixes[s]);
		data = load(path, &size);
		for (size_t i = 0; i < size; i += i < 36 ? 1 : i >= 800 ? 5 : 97) {
			data[i] ^= 0x81;
			save(path, data, size);
			use_all(self->base);
			data[i] ^= 0x81;
		}
		save(path, data, size);
		free(data);
	}
	EXPECT_GE(pmNewContext(PM_CONTEXT_ARCHIVE, self->base), 0);
}

/* If an archive is truncated anywhere, all complete records can be read. */
TEST_F(archive, cut_anywhere)
{
	unsigned char *data;
	char path[512];
	size_t size;

	snprintf(path, sizeof(path), "%s.0", self->base);
	data = load(path, &size);
	for (size_t i = size - 1; i > 1200; i -= 23) {
		int64_t ms = -1, last = -1;

		save(path, data, i);
		ASSERT_GE(pmNewContext(PM_CONTEXT_ARCHIVE, self->base), 0);
		ASSERT_EQ(go_to(PM_MODE_FORW, 0, 0), 0);
		while (fetch_number(AF_PMID(CU32), &ms) >= 0)
			last = ms;
		EXPECT_GE(last, 0);
		EXPECT_EQ(last % 10000, 0);
		EXPECT_GE(number_at(AF_PMID(CU32), last), 0);
		pmDestroyContext(pmWhichContext());
	}
	save(path, data, size);
	free(data);
}

TEST_HARNESS_MAIN
