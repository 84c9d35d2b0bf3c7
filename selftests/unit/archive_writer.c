// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The labels, index and volumes of archives are correct.  Values can be large, and existing files
 * are not replaced.
 */
#include <sys/wait.h>

#include "archive_writer.h"

TEST_F(writer, label_must_fit_its_version)
{
	struct shim_writer *w = (void *)self;
	struct shim_label label;
	char base[128];

	snprintf(base, sizeof(base), "%s/b", self->place.dir);
	label = sample_label(1);
	EXPECT_EQ(-EINVAL, shim_writer__open(base, &label, &w));
	label = sample_label(4);
	EXPECT_EQ(-EINVAL, shim_writer__open(base, &label, &w));
	label = sample_label(3);
	label.features = 1;
	EXPECT_EQ(-EINVAL, shim_writer__open(base, &label, &w));
	label = sample_label(3);
	label.start.nsec = 1000000000;
	EXPECT_EQ(-EINVAL, shim_writer__open(base, &label, &w));
	label = sample_label(3);
	memset(label.host, 'h', sizeof(label.host));
	EXPECT_EQ(-EINVAL, shim_writer__open(base, &label, &w));
	label = sample_label(2);
	memset(label.host, 'h', 64);
	EXPECT_EQ(-EINVAL, shim_writer__open(base, &label, &w));
	label = sample_label(2);
	memset(label.tz, 'h', 40);
	EXPECT_EQ(-EINVAL, shim_writer__open(base, &label, &w));
	label = sample_label(2);
	label.start.sec = 1LL << 31;
	EXPECT_EQ(-EINVAL, shim_writer__open(base, &label, &w));
	EXPECT_EQ(-EINVAL, shim_writer__open("", &label, &w));
	EXPECT_EQ(-EINVAL, shim_writer__open("/tmp/", &label, &w));
	EXPECT_EQ((void *)self, w);
	EXPECT_NE(0, access(base, F_OK));
	EXPECT_EQ(-ENODATA, shim_writer__close(self->w));
}

TEST_F(writer, label_is_completed)
{
	const struct shim_label *got;
	struct shim_label label = { 0 };
	struct shim_archive *ar;
	struct shim_writer *w;
	char base[128], host[256];

	snprintf(base, sizeof(base), "%s/b", self->place.dir);
	ASSERT_EQ(0, shim_writer__open(base, &label, &w));
	ASSERT_EQ(0, sample_declare(w, at(5)));
	ASSERT_EQ(0, sample_record(w, at(7), 0));
	ASSERT_EQ(0, shim_writer__close(w));
	ASSERT_EQ(0, shim_archive__open(base, &ar));
	got = shim_archive__label(ar);
	EXPECT_EQ(3, got->version);
	EXPECT_EQ(getpid(), got->pid);
	ASSERT_EQ(0, gethostname(host, sizeof(host)));
	EXPECT_STREQ(host, got->host);
	EXPECT_STREQ("UTC", got->tz);
	/* The domain has the earliest time in the archive. */
	EXPECT_EQ(0, shim_ts__cmp(at(5), got->start));
	shim_archive__put(ar);
	EXPECT_EQ(-ENODATA, shim_writer__close(self->w));
}

TEST_F(writer, there_is_one_archive_of_a_name)
{
	struct shim_label label = sample_label(3);
	struct shim_writer *w = (void *)self;

	EXPECT_EQ(-EBUSY, shim_writer__open(self->place.base, &label, &w));
	ASSERT_EQ(0, sample_record(self->w, at(0), 0));
	EXPECT_EQ(-EBUSY, shim_writer__open(self->place.base, &label, &w));
	EXPECT_TRUE(is_sample(self->w, self->place.base, 1));
	EXPECT_EQ(-EEXIST, shim_writer__open(self->place.base, &label, &w));
	/* Any existing file of the archive prevents its creation. */
	ASSERT_EQ(0, unlink(place_file(&self->place, "meta")));
	ASSERT_EQ(0, unlink(place_file(&self->place, "index")));
	EXPECT_EQ(-EEXIST, shim_writer__open(self->place.base, &label, &w));
	ASSERT_EQ(0, rename(place_file(&self->place, "0"), self->place.base));
	spit(place_file(&self->place, "7.xz"), "", 0);
	EXPECT_EQ(-EEXIST, shim_writer__open(self->place.base, &label, &w));
	ASSERT_EQ(0, unlink(place_file(&self->place, "7.xz")));
	EXPECT_EQ((void *)self, w);
	ASSERT_EQ(0, shim_writer__open(self->place.base, &label, &w));
	EXPECT_EQ(-ENODATA, shim_writer__close(w));
}

TEST_F(writer, of_many_at_once_one_writes)
{
	int won = 0, status;
	char base[128];

	snprintf(base, sizeof(base), "%s/c", self->place.dir);
	for (int i = 0; i < 8; i++) {
		if (!fork()) {
			struct shim_label label = sample_label(3);
			struct shim_writer *w;
			int err = shim_writer__open(base, &label, &w);

			usleep(300000);
			_exit(!err ? 1 : err == -EBUSY || err == -EEXIST ? 0 : 2);
		}
	}
	for (int i = 0; i < 8; i++) {
		wait(&status);
		ASSERT_TRUE(WIFEXITED(status));
		ASSERT_GE(1, WEXITSTATUS(status));
		won += WEXITSTATUS(status);
	}
	EXPECT_EQ(1, won);
	EXPECT_EQ(-ENODATA, shim_writer__close(self->w));
}

TEST_F(writer, without_a_record_leaves_nothing)
{
	ASSERT_EQ(0, shim_writer__begin(self->w, at(0)));
	EXPECT_EQ(-ENODATA, shim_writer__close(self->w));
	EXPECT_FALSE(is_there(&self->place, "meta"));
	EXPECT_FALSE(is_there(&self->place, "index"));
	EXPECT_FALSE(is_there(&self->place, "0"));
}

TEST_F(writer, cannot_create)
{
	struct shim_label label = sample_label(3);
	struct shim_writer *w = (void *)self;

	EXPECT_EQ(-ENOENT, shim_writer__open("/nonexistent/a", &label, &w));
	EXPECT_EQ(-ENOTDIR, shim_writer__open("/dev/null/a", &label, &w));
	EXPECT_EQ((void *)self, w);
	EXPECT_EQ(-ENODATA, shim_writer__close(self->w));
}

/* The largest possible value can be written, and so can a record of several megabytes. */
TEST_F(writer, large_values)
{
	uint32_t len = SHIM_BLOCK_MAX - SHIM_BLOCK_HEAD;
	char *text = malloc(len);
	struct shim_value v = { .inst = SHIM_IN_NULL, .type = SHIM_TYPE_STRING, .len = len,
				.bytes = text };
	struct shim_archive *ar;
	struct shim_cursor cur;
	struct shim_record rec;
	struct shim_vset vset;

	memset(text, 'y', len);
	text[len - 1] = '\0';
	ASSERT_EQ(0, shim_writer__begin(self->w, at(0)));
	ASSERT_EQ(0, shim_writer__vset(self->w, sample_pmid(M_STRING), 0));
	ASSERT_EQ(0, shim_writer__value(self->w, &v));
	ASSERT_EQ(0, shim_writer__vset(self->w, sample_pmid(M_AGGREGATE), 0));
	v.type = SHIM_TYPE_AGGREGATE;
	ASSERT_EQ(0, shim_writer__value(self->w, &v));
	ASSERT_EQ(0, shim_writer__commit(self->w));
	ASSERT_EQ(0, shim_writer__close(self->w));
	ASSERT_EQ(0, shim_archive__open(self->place.base, &ar));
	shim_cursor__init(&cur, ar);
	ASSERT_EQ(0, shim_cursor__next(&cur, &rec));
	EXPECT_EQ(0, shim_record__check(&rec));
	ASSERT_EQ(0, shim_record__find(&rec, sample_pmid(M_STRING), &vset));
	ASSERT_EQ(0, shim_vset__value(&rec, &vset, 0, SHIM_TYPE_STRING, &v));
	EXPECT_EQ(len, v.len);
	EXPECT_EQ(0, memcmp(v.bytes, text, len));
	shim_archive__put(ar);
	free(text);
}

/* The index has entries at the start, every 100000 bytes, at changes, and at the last record. */
TEST_F(writer, index_entries_lead_to_records)
{
	const struct shim_format *f = shim_format__of(3);
	struct shim_indom fewer = { at(500), SAMPLE_INDOM, 2, sample_inst, sample_inst_names, false };
	struct shim_indom all = sample_indom(at(501));
	uint8_t *index, *data;
	struct shim_entry e, before = { 0 };
	size_t nindex, ndata;
	bool changed = false;

	for (unsigned int i = 0; i < 1000; i++) {
		if (i == 500) {
			ASSERT_EQ(0, shim_writer__indom(self->w, &fewer));
		}
		if (i == 501) {
			ASSERT_EQ(0, shim_writer__indom(self->w, &all));
		}
		if (i != 500) {
			ASSERT_EQ(0, sample_record(self->w, at(i), i));
		}
	}
	ASSERT_EQ(0, shim_writer__close(self->w));
	index = slurp(place_file(&self->place, "index"), &nindex);
	data = slurp(place_file(&self->place, "0"), &ndata);
	ASSERT_EQ(0, (nindex - 808) % 32);
	for (size_t i = 808; i < nindex; i += 32, before = e) {
		struct shim_record rec;

		ASSERT_EQ(0, shim_rec_index__decode(f, index + i, &e));
		EXPECT_EQ(0, e.volume);
		ASSERT_GT(ndata, e.off_data);
		ASSERT_EQ(0, shim_rec_result__decode(f, data + e.off_data, ndata - e.off_data, &rec));
		EXPECT_EQ(0, shim_ts__cmp(rec.stamp, e.stamp));
		if (i == 808) {
			EXPECT_EQ(808, e.off_data);
			EXPECT_EQ(808, e.off_meta);
			continue;
		}
		EXPECT_LT(before.off_data, e.off_data);
		EXPECT_GT(101500, e.off_data - before.off_data);
		EXPECT_LE(before.off_meta, e.off_meta);
		changed = changed || e.stamp.sec == START + 501;
		if (i + 32 == nindex) {
			EXPECT_EQ(START + 999, e.stamp.sec);
			EXPECT_EQ(ndata, e.off_data + rec.len);
		}
	}
	EXPECT_TRUE(changed);
	EXPECT_LT(808 + 32 * 3, nindex);
	free(index);
	free(data);
}

/* The index refers to the volumes in order, and omits volumes without records. */
TEST_F(writer, volumes)
{
	const struct shim_format *f = shim_format__of(3);
	struct shim_entry e;
	uint8_t *index;
	size_t n;

	ASSERT_EQ(0, shim_writer__next_volume(self->w));	/* this volume is still empty */
	for (unsigned int i = 0; i < 4; i++) {
		ASSERT_EQ(0, sample_record(self->w, at(i), i));
		ASSERT_EQ(0, shim_writer__next_volume(self->w));
		ASSERT_EQ(0, shim_writer__next_volume(self->w));
	}
	EXPECT_TRUE(is_sample(self->w, self->place.base, 4));
	EXPECT_TRUE(is_there(&self->place, "3"));
	EXPECT_FALSE(is_there(&self->place, "4"));
	index = slurp(place_file(&self->place, "index"), &n);
	ASSERT_EQ(808 + 4 * 32, n);
	for (int i = 0; i < 4; i++) {
		ASSERT_EQ(0, shim_rec_index__decode(f, index + 808 + 32 * i, &e));
		EXPECT_EQ(i, e.volume);
		EXPECT_EQ(808, e.off_data);
	}
	free(index);
}

/* When the offsets of version 2 are used up, the next volume starts automatically. */
TEST(a_full_volume)
{
	const struct shim_label label = sample_label(2);
	const struct shim_format *f = shim_format__of(2);
	struct shim_rec_result rec = { 0 };
	struct shim_buf none = { 0 };
	struct shim_output out;
	struct shim_entry e;
	struct place place;
	uint8_t *index;
	size_t n;

	ASSERT_EQ(0, place_make(&place));
	ASSERT_EQ(0, shim_output__open(&out, place.base, &label));
	shim_rec_result__begin(f, &rec, at(0));
	ASSERT_EQ(0, shim_rec_result__end(f, &rec));
	ASSERT_EQ(0, shim_output__put(&out, &none, &rec.sets, at(0), false));
	ASSERT_EQ(0, ftruncate(out.data.fd.nr, f->offset_max - rec.sets.len));
	out.data.size = f->offset_max - rec.sets.len;
	ASSERT_EQ(0, shim_output__put(&out, &none, &rec.sets, at(1), false));
	EXPECT_EQ(0, out.volume);
	ASSERT_EQ(0, shim_output__put(&out, &none, &rec.sets, at(2), false));
	EXPECT_EQ(1, out.volume);
	EXPECT_EQ(132 + rec.sets.len, out.data.size);
	index = slurp(place_file(&place, "index"), &n);
	ASSERT_EQ(132 + 2 * 20, n);
	ASSERT_EQ(0, shim_rec_index__decode(f, index + 132 + 20, &e));
	EXPECT_EQ(1, e.volume);
	EXPECT_EQ(132, e.off_data);
	free(index);
	ASSERT_EQ(0, shim_output__close(&out, &none));
	shim_rec_result__free(&rec);
	place_remove(&place);
}

/*
 * Write two records, the second one with an index entry if @due is set.  If @fd is a descriptor,
 * the index is written to it from the second record on.  Unless @memory is set, simulate that
 * memory runs out before closing.  Return the result of closing.
 */
static int close_with(struct __test_metadata *_metadata, bool memory, int fd, bool due)
{
	const struct shim_label label = sample_label(3);
	const struct shim_format *f = shim_format__of(3);
	struct shim_rec_result rec = { 0 };
	struct shim_buf none = { 0 };
	struct shim_output out;
	struct place place;
	int err;

	ASSERT_EQ(0, place_make(&place));
	ASSERT_EQ(0, shim_output__open(&out, place.base, &label));
	for (int i = 0; i < 2; i++) {
		shim_rec_result__begin(f, &rec, at(i));
		ASSERT_EQ(0, shim_rec_result__end(f, &rec));
		if (i && fd >= 0)
			ASSERT_EQ(out.index.fd.nr, dup2(fd, out.index.fd.nr));
		ASSERT_EQ(0, shim_output__put(&out, &none, &rec.sets, at(i), i && due));
	}
	if (!memory)
		out.entries.err = -ENOMEM;
	err = shim_output__close(&out, &none);
	shim_rec_result__free(&rec);
	place_remove(&place);
	return err;
}

TEST(the_last_index_entry)
{
	int fd = open("/proc/self/exe", O_RDONLY);	/* cannot be written */

	ASSERT_GE(fd, 0);
	EXPECT_EQ(0, close_with(_metadata, true, -1, false));
	EXPECT_EQ(-ENOMEM, close_with(_metadata, false, -1, false));
	EXPECT_EQ(-EBADF, close_with(_metadata, true, fd, false));
	EXPECT_EQ(-EBADF, close_with(_metadata, true, fd, true));
	close(fd);
}

TEST_F(writer, volume_in_the_way)
{
	ASSERT_EQ(0, sample_record(self->w, at(0), 0));
	spit(place_file(&self->place, "1"), "", 0);
	EXPECT_EQ(-EEXIST, shim_writer__next_volume(self->w));
	ASSERT_EQ(0, sample_record(self->w, at(1), 1));
	EXPECT_TRUE(is_sample(self->w, self->place.base, 2));
}

TEST_HARNESS_MAIN
