// SPDX-License-Identifier: GPL-2.0-or-later
/* The units of a compressed file are unpacked when one of their bytes is first needed. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <lzma.h>
#include <zstd.h>

#include "archive/format.h"
#include "archive/unpacked.h"
#include "base/bytes.h"
#include "kselftest_harness.h"

#define UNIT	100000u
#define UNITS	5u
#define SIZE	(UNIT * UNITS - 1234u)
#define MANY	65540u		/* more than the reader keeps */
#define FILES	40		/* more than the reader keeps open */
#define FORKS	30

FIXTURE(units) {
	char path[32];
	int fd;
	uint8_t plain[SIZE];
	uint8_t packed[2 * SIZE];
	size_t len;
};

FIXTURE_SETUP(units)
{
	uint32_t state = 1;

	strcpy(self->path, "/tmp/units-XXXXXX");
	self->fd = mkstemp(self->path);
	ASSERT_LE(0, self->fd);
	for (size_t i = 0; i < SIZE; i++) {
		state = state * 1664525 + 1013904223;
		self->plain[i] = (uint8_t)(state >> 30);
	}
	shim_be32__put(self->plain + 4, SHIM_LABEL_MAGIC | 3);
	self->len = 0;
}

FIXTURE_TEARDOWN(units)
{
	close(self->fd);
	unlink(self->path);
}

/* Append a block to the file, and the sizes that the file gives for it to its index. */
static int add_block(FIXTURE_DATA(units) *self, lzma_index *index, size_t from, size_t size,
		     uint64_t claimed)
{
	lzma_options_lzma options;
	lzma_filter filters[] = { { LZMA_FILTER_LZMA2, &options }, { LZMA_VLI_UNKNOWN, NULL } };
	lzma_block block = { .check = LZMA_CHECK_CRC64, .filters = filters };

	return lzma_lzma_preset(&options, 0) ||
	       lzma_block_buffer_encode(&block, NULL, self->plain + from, size, self->packed,
					&self->len, sizeof(self->packed)) ||
	       lzma_index_append(index, NULL, lzma_block_unpadded_size(&block), claimed);
}

/*
 * Compress the content with xz, in blocks of UNIT bytes.  The index gives @wrong more bytes than it
 * has for the second one.
 */
static int make_xz(FIXTURE_DATA(units) *self, int64_t wrong)
{
	lzma_stream_flags flags = { .check = LZMA_CHECK_CRC64 };
	lzma_index *index = lzma_index_init(NULL);
	int err = lzma_stream_header_encode(&flags, self->packed);

	self->len = LZMA_STREAM_HEADER_SIZE;
	for (size_t from = 0; !err && from < SIZE; from += UNIT) {
		size_t size = SIZE - from < UNIT ? SIZE - from : UNIT;

		err = add_block(self, index, from, size,
				size + (uint64_t)(from == UNIT ? wrong : 0));
	}
	flags.backward_size = lzma_index_size(index);
	err = err || lzma_index_buffer_encode(index, self->packed, &self->len,
					      sizeof(self->packed)) ||
	      lzma_stream_footer_encode(&flags, self->packed + self->len);
	self->len += LZMA_STREAM_HEADER_SIZE;
	lzma_index_end(index, NULL);
	return err;
}

/* Compress the content with zstd, in frames of UNIT bytes. */
static int make_zstd(FIXTURE_DATA(units) *self)
{
	ZSTD_CCtx *c = ZSTD_createCCtx();

	ZSTD_CCtx_setParameter(c, ZSTD_c_checksumFlag, 1);
	self->len = 0;
	for (size_t from = 0; from < SIZE; from += UNIT) {
		size_t n = ZSTD_compress2(c, self->packed + self->len,
					  sizeof(self->packed) - self->len, self->plain + from,
					  SIZE - from < UNIT ? SIZE - from : UNIT);

		if (ZSTD_isError(n)) {
			ZSTD_freeCCtx(c);
			return -1;
		}
		self->len += n;
	}
	ZSTD_freeCCtx(c);
	return 0;
}

static int get(FIXTURE_DATA(units) *self, const char *suffix, struct shim_unpacked **u)
{
	struct stat st;

	if (ftruncate(self->fd, 0) ||
	    pwrite(self->fd, self->packed, self->len, 0) != (ssize_t)self->len ||
	    fstat(self->fd, &st))
		return -errno;
	return shim_unpacked__get(self->fd, &st, suffix, u);
}

static int is_there(const FIXTURE_DATA(units) *self, struct shim_unpacked *u, size_t from,
		    size_t len)
{
	int err = shim_unpacked__need(u, from, len);

	return err ? err : !memcmp(u->data + from, self->plain + from, len);
}

static void expect_units(struct __test_metadata *_metadata, FIXTURE_DATA(units) *self,
			 const char *suffix)
{
	static const uint8_t hole[UNIT];
	struct shim_unpacked *u;

	ASSERT_EQ(0, get(self, suffix, &u));
	EXPECT_EQ(SIZE, u->size);
	ASSERT_EQ(UNITS, u->nunits);
	EXPECT_EQ(UNITS, u->left);
	/* Only the label is unpacked at first. */
	EXPECT_EQ(0, memcmp(u->data, self->plain, SHIM_LABEL_MAX));
	EXPECT_EQ(1, is_there(self, u, 0, SHIM_LABEL_MAX));
	EXPECT_EQ(UNITS, u->left);
	EXPECT_EQ(1, is_there(self, u, 2 * UNIT, 1));
	EXPECT_EQ(UNITS - 1, u->left);
	EXPECT_EQ(1, is_there(self, u, 2 * UNIT, UNIT));
	EXPECT_EQ(UNITS - 1, u->left);
	EXPECT_EQ(0, memcmp(u->data + UNIT, hole, UNIT));
	EXPECT_EQ(1, is_there(self, u, 4 * UNIT - 1, 2));
	EXPECT_EQ(UNITS - 3, u->left);
	EXPECT_LE(0, u->file.nr);
	EXPECT_EQ(1, is_there(self, u, 0, SIZE));
	EXPECT_EQ(0, u->left);
	EXPECT_EQ(-1, u->file.nr);
	EXPECT_EQ(NULL, u->bytes);
	/* There is nothing to unpack after the end. */
	EXPECT_EQ(0, shim_unpacked__need(u, SIZE, UINT64_MAX));
	EXPECT_EQ(0, shim_unpacked__need(u, UINT64_MAX, 1));
	shim_unpacked__put(u);
}

TEST_F(units, of_xz)
{
	ASSERT_EQ(0, make_xz(self, 0));
	expect_units(_metadata, self, ".xz");
}

TEST_F(units, of_zstd)
{
	ASSERT_EQ(0, make_zstd(self));
	expect_units(_metadata, self, ".zst");
}

/* Damage in a unit affects only that unit. */
static void expect_damage(struct __test_metadata *_metadata, FIXTURE_DATA(units) *self,
			  const char *suffix)
{
	struct shim_unpacked *u;

	ASSERT_EQ(0, get(self, suffix, &u));
	EXPECT_EQ(1, is_there(self, u, 0, UNIT));
	EXPECT_EQ(-EBADMSG, is_there(self, u, UNIT, 1));
	EXPECT_EQ(-EBADMSG, is_there(self, u, 2 * UNIT - 1, 1));
	EXPECT_EQ(-EBADMSG, is_there(self, u, 0, SIZE));
	EXPECT_EQ(1, is_there(self, u, 2 * UNIT, SIZE - 2 * UNIT));
	EXPECT_EQ(1, u->left);
	shim_unpacked__put(u);
}

TEST_F(units, damaged_block_of_xz)
{
	ASSERT_EQ(0, make_xz(self, 0));
	self->packed[self->len * 3 / 10] ^= 1;
	expect_damage(_metadata, self, ".xz");
}

TEST_F(units, damaged_frame_of_zstd)
{
	ASSERT_EQ(0, make_zstd(self));
	self->packed[self->len * 3 / 10] ^= 1;
	expect_damage(_metadata, self, ".zst");
}

TEST_F(units, whose_sizes_are_wrong)
{
	struct shim_unpacked *u;

	ASSERT_EQ(0, make_xz(self, -4));
	ASSERT_EQ(0, get(self, ".xz", &u));
	EXPECT_EQ(-EBADMSG, shim_unpacked__need(u, UNIT, 1));
	shim_unpacked__put(u);
	ASSERT_EQ(0, make_xz(self, 4));
	ASSERT_EQ(0, get(self, ".xz", &u));
	EXPECT_EQ(-EBADMSG, shim_unpacked__need(u, UNIT, 1));
	EXPECT_EQ(0, shim_unpacked__need(u, 2 * UNIT + 4, 1));
	EXPECT_EQ(0, memcmp(u->data + 2 * UNIT + 4, self->plain + 2 * UNIT, UNIT));
	shim_unpacked__put(u);
}

TEST_F(units, that_claim_a_terabyte)
{
	struct shim_unpacked *u;

	ASSERT_EQ(0, make_xz(self, 1ll << 40));
	EXPECT_EQ(-EFBIG, get(self, ".xz", &u));
	setenv("SHIM_ARCHIVE_MEMORY", "400000", 1);
	ASSERT_EQ(0, make_xz(self, 0));
	EXPECT_EQ(-EFBIG, get(self, ".xz", &u));
	ASSERT_EQ(0, make_zstd(self));
	EXPECT_EQ(-EFBIG, get(self, ".zst", &u));
	setenv("SHIM_ARCHIVE_MEMORY", "500000", 1);
	ASSERT_EQ(0, get(self, ".zst", &u));
	shim_unpacked__put(u);
	unsetenv("SHIM_ARCHIVE_MEMORY");
}

/* Without a valid index at its end, a file is not opened. */
TEST_F(units, of_a_truncated_file)
{
	struct shim_unpacked *u;
	size_t len;

	ASSERT_EQ(0, make_xz(self, 0));
	len = self->len;
	for (size_t cut = 1; cut < 60; cut++) {
		self->len = len - cut;
		EXPECT_EQ(-EBADMSG, get(self, ".xz", &u));
	}
	self->len = len / 2;
	EXPECT_EQ(-EBADMSG, get(self, ".xz", &u));
	self->len = len;
	memset(self->packed + len, 'x', 40);
	self->len += 40;
	EXPECT_EQ(-EBADMSG, get(self, ".xz", &u));
	/* Zeros are permitted after a stream. */
	memset(self->packed + len, 0, 40);
	ASSERT_EQ(0, get(self, ".xz", &u));
	EXPECT_EQ(1, is_there(self, u, 0, SIZE));
	shim_unpacked__put(u);
	ASSERT_EQ(0, make_zstd(self));
	for (self->len -= 100; self->len > 1; self->len /= 3)
		EXPECT_EQ(-EBADMSG, get(self, ".zst", &u));
}

/* The content must begin with a label. */
TEST_F(units, that_are_no_archive)
{
	struct shim_unpacked *u;

	self->plain[4] ^= 1;
	ASSERT_EQ(0, make_xz(self, 0));
	EXPECT_EQ(-EILSEQ, get(self, ".xz", &u));
	ASSERT_EQ(0, make_zstd(self));
	EXPECT_EQ(-EILSEQ, get(self, ".zst", &u));
}

/* A file with too many units, or with a unit of unknown size, is unpacked at once. */
TEST_F(units, too_many)
{
	struct shim_unpacked *u;
	uint8_t frame[64];
	size_t n;

	ASSERT_EQ(0, make_zstd(self));
	n = ZSTD_compress(frame, sizeof(frame), "!", 1, 1);
	ASSERT_GE(sizeof(self->packed), self->len + MANY * n);
	for (size_t i = 0; i < MANY; i++, self->len += n)
		memcpy(self->packed + self->len, frame, n);
	ASSERT_EQ(0, get(self, ".zst", &u));
	EXPECT_EQ(0, u->nunits);
	EXPECT_EQ(SIZE + MANY, u->size);
	EXPECT_EQ(1, is_there(self, u, 0, SIZE));
	EXPECT_EQ('!', u->data[SIZE + MANY - 1]);
	shim_unpacked__put(u);
}

/* The program may close descriptors that it has not opened, and then open its own files. */
TEST_F(units, whose_descriptor_was_closed)
{
	struct shim_unpacked *u;
	struct stat st;
	int own;

	ASSERT_EQ(0, make_xz(self, 0));
	ASSERT_EQ(0, get(self, ".xz", &u));
	EXPECT_EQ(1, is_there(self, u, UNIT, 1));
	own = open("/tmp", O_TMPFILE | O_RDWR, 0600);
	ASSERT_EQ(u->file.nr, dup2(own, u->file.nr));
	EXPECT_EQ(1, is_there(self, u, 0, SIZE));
	shim_unpacked__put(u);
	ASSERT_EQ(0, fstat(own, &st));
	EXPECT_EQ(0, st.st_size);
	close(own);
}

/* Only a limited number of descriptors is kept; other files are written through the mapping. */
TEST_F(units, of_many_files)
{
	struct shim_unpacked *all[FILES];
	unsigned int kept = 0;
	struct stat st;

	ASSERT_EQ(0, make_xz(self, 0));
	for (int i = 0; i < FILES; i++) {
		/* Another state of the same file counts as another file. */
		ASSERT_EQ(0, get(self, ".xz", &all[i]));
		kept += all[i]->file.nr >= 0;
		ASSERT_EQ(0, fstat(self->fd, &st));
		ASSERT_EQ(0, futimens(self->fd, (struct timespec[]){ { i, 0 }, { i, 0 } }));
	}
	EXPECT_EQ(16, kept);
	for (int i = FILES; i--;)
		EXPECT_EQ(1, is_there(self, all[i], 0, SIZE));
	for (int i = 0; i < FILES; i++)
		shim_unpacked__put(all[i]);
}

struct reader {
	FIXTURE_DATA(units) *self;
	struct shim_unpacked *u;
	bool back;
};

static void *read_all(void *arg)
{
	const struct reader *r = arg;

	for (size_t i = 0; i < SIZE; i += 1000) {
		size_t at = r->back ? SIZE - 1 - i : i;

		if (is_there(r->self, r->u, at, 1) != 1)
			return arg;
	}
	return NULL;
}

TEST_F(units, needed_by_two_threads)
{
	struct shim_unpacked *u;

	ASSERT_EQ(0, make_xz(self, 0));
	for (int i = 0; i < FORKS; i++) {
		struct reader other;
		pthread_t thread;
		void *failed;

		ASSERT_EQ(0, get(self, ".xz", &u));
		other = (struct reader){ self, u, true };
		ASSERT_EQ(0, pthread_create(&thread, NULL, read_all, &other));
		EXPECT_EQ(NULL, read_all(&(struct reader){ self, u, false }));
		ASSERT_EQ(0, pthread_join(thread, &failed));
		EXPECT_EQ(NULL, failed);
		EXPECT_EQ(0, u->left);
		shim_unpacked__put(u);
	}
}

/*
 * A child can unpack even if another thread was unpacking when the process forked.  Both write to
 * the same file.
 */
TEST_F(units, needed_by_a_child)
{
	struct shim_unpacked *u;

	ASSERT_EQ(0, make_xz(self, 0));
	for (int i = 0; i < FORKS; i++) {
		struct reader both;
		int status;
		pid_t pid;

		ASSERT_EQ(0, get(self, ".xz", &u));
		EXPECT_EQ(1, is_there(self, u, 2 * UNIT, 1));
		both = (struct reader){ self, u, i % 2 };
		ASSERT_EQ(0, pthread_mutex_lock(&u->lock.mutex));
		pid = fork();
		if (!pid) {
			alarm(20);
			_exit(read_all(&both) ? 1 : 0);
		}
		ASSERT_EQ(0, pthread_mutex_unlock(&u->lock.mutex));
		EXPECT_EQ(NULL, read_all(&both));
		ASSERT_EQ(pid, waitpid(pid, &status, 0));
		EXPECT_EQ(0, status);
		shim_unpacked__put(u);
	}
}

TEST_HARNESS_MAIN
