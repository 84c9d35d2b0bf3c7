// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Unpack compressed files of an archive into an unnamed file.
 *
 * An archive is read forwards, backwards and at random, which compressed formats do not support.
 * The unpacked file is mapped, and the kernel can write its pages back to disk.
 *
 * If a file gives the sizes of its units (blocks of xz, frames of zstd), each unit is unpacked at
 * its first use, and until then the unnamed file has a hole in its place.  Any other file is
 * unpacked at once.  Bytes are used only after the checksum of their unit has been verified, except
 * the label at the start, which readers compare with the labels of other files.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/fd.h"
#include "base/process.h"
#include "base/vec.h"
#include "codec.h"
#include "format.h"
#include "unpack.h"
#include "unpacked.h"

/* Limits: the unpacked size of a file, and the memory for an archive's metadata */

static bool size_parse(const char *text, uint64_t *bytes)
{
	static const char units[] = "KMG";
	const char *unit;
	char *end;

	if (*text < '0' || *text > '9')
		return false;
	errno = 0;
	*bytes = strtoull(text, &end, 10);
	unit = *end ? strchr(units, *end) : NULL;
	if (errno || (*end && (!unit || end[1])))
		return false;
	for (long i = unit ? unit - units : -1; i >= 0; i--)
		if (__builtin_mul_overflow(*bytes, 1024u, bytes))
			*bytes = UINT64_MAX;
	return true;
}

uint64_t shim_archive_memory__limit(void)
{
	const char *text = shim_environ__get("SHIM_ARCHIVE_MEMORY");
	long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);
	uint64_t bytes;

	if (text && size_parse(text, &bytes))
		return bytes;
	return pages > 0 && size > 0 ? (uint64_t)pages * (uint64_t)size / 4 : UINT64_MAX;
}

#define CHUNK		(128u << 10)
#define INDEX_MEMORY	(16u << 20)	/* for an xz file's index: a million blocks */
#define UNITS_MAX	(1u << 16)	/* a file with more units is unpacked at once */
#define FILES_MAX	16		/* descriptors of unnamed files that are kept */
/*
 * The maximum unpacked size is SHIM_ARCHIVE_MEMORY.  If that is not set, it is FREE_SIZE plus
 * FREE_RATIO times the packed size, but at most the default of SHIM_ARCHIVE_MEMORY.  Genuine
 * archives are smaller.
 */
#define FREE_SIZE	(64u << 20)
#define FREE_RATIO	2000

const char *const shim_unpack_suffixes[] = {
	".xz", ".lzma", ".bz2", ".bz", ".gz", ".Z", ".z", ".zst", NULL,
};

/* Find the units of a file.  Return -E2BIG if that is not possible. */

static int unit_add(struct shim_unpacked *u, size_t *cap, const struct shim_unit *unit)
{
	if (!unit->size)
		return 0;
	if (u->nunits == UNITS_MAX)
		return -E2BIG;
	if (__builtin_add_overflow(u->size, unit->size, &u->size))
		return -EFBIG;
	if (shim_vec__room(u->units, cap, u->nunits))
		return -ENOMEM;
	u->units[u->nunits++] = *unit;
	return 0;
}

static int index_decode(const struct shim_unpacked *u, lzma_index **index)
{
	lzma_stream s = LZMA_STREAM_INIT;
	lzma_ret ret = lzma_file_info_decoder(&s, index, INDEX_MEMORY, u->len);

	s.next_in = u->bytes;
	s.avail_in = u->len;
	while (ret == LZMA_OK)
		ret = lzma_code(&s, LZMA_RUN);
	lzma_end(&s);
	if (ret == LZMA_MEM_ERROR)
		return -ENOMEM;
	return ret == LZMA_MEMLIMIT_ERROR ? -E2BIG : ret == LZMA_STREAM_END ? 0 : -EBADMSG;
}

static int find_blocks(struct shim_unpacked *u)
{
	lzma_index *index = NULL;
	int err = index_decode(u, &index);
	lzma_index_iter iter;
	size_t cap = 0;

	if (err)
		return err;
	lzma_index_iter_init(&iter, index);
	while (!err && !lzma_index_iter_next(&iter, LZMA_INDEX_ITER_BLOCK)) {
		const struct shim_unit unit = {
			.packed = u->bytes + iter.block.compressed_file_offset,
			.len = iter.block.total_size,
			.from = u->size,
			.size = iter.block.uncompressed_size,
			.check = iter.stream.flags->check,
		};

		err = unit_add(u, &cap, &unit);
	}
	lzma_index_end(index, NULL);
	return err;
}

static int find_frames(struct shim_unpacked *u)
{
	size_t cap = 0, left = u->len;
	int err = 0;

	while (!err && left) {
		const uint8_t *frame = u->bytes + (u->len - left);
		const struct shim_unit unit = {
			.packed = frame,
			.len = ZSTD_findFrameCompressedSize(frame, left),
			.from = u->size,
			.size = ZSTD_getFrameContentSize(frame, left),
		};

		if (ZSTD_isError(unit.len) || unit.size == ZSTD_CONTENTSIZE_ERROR)
			return -EBADMSG;
		if (unit.size == ZSTD_CONTENTSIZE_UNKNOWN)
			return -E2BIG;
		err = unit_add(u, &cap, &unit);
		left -= unit.len;
	}
	return err;
}

static int temporary(void)
{
	const char *dirs[] = { shim_environ__get("PCP_TMPFILE_DIR"), shim_environ__get("TMPDIR"),
			       "/var/tmp", "/tmp" };
	int fd;

	for (size_t i = 0; i < sizeof(dirs) / sizeof(dirs[0]); i++) {
		fd = dirs[i] ? open(dirs[i], O_TMPFILE | O_RDWR | O_CLOEXEC, 0600) : -1;
		if (fd >= 0)
			return fd;
	}
	fd = memfd_create("archive", MFD_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

static int write_all(int fd, const uint8_t *p, size_t len, uint64_t offset)
{
	while (len) {
		ssize_t n = pwrite(fd, p, len, (off_t)offset);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		p += n;
		len -= (size_t)n;
		offset += (size_t)n;
	}
	return 0;
}

/*
 * Return whether the unpacked content begins with a label.  Otherwise no more of the file is
 * unpacked.
 */
static bool is_label(const uint8_t *p, size_t len)
{
	return len < 8 || (shim_be32__get(p + 4) & ~0xffu) == SHIM_LABEL_MAGIC;
}

/* Remove the pages of a range from the process's memory; the page cache still has them. */
static void forget(const uint8_t *p, size_t len)
{
	size_t in_page = (uintptr_t)p % (uintptr_t)sysconf(_SC_PAGESIZE);

	madvise((uint8_t *)p - in_page, len + in_page, MADV_DONTNEED);
}

/*
 * Allocate the pages of a range of the mapping.  Otherwise, a write to it would raise SIGBUS if the
 * disk is full.  Kernels before 5.14 do not support this.
 */
static int populate(uint8_t *p, size_t len)
{
	size_t in_page = (uintptr_t)p % (uintptr_t)sysconf(_SC_PAGESIZE);
	int ret;

	do
		ret = madvise(p - in_page, len + in_page, MADV_POPULATE_WRITE);
	while (ret && errno == EINTR);
	if (!ret || errno == EINVAL)
		return 0;
	return errno == ENOMEM ? -ENOMEM : -ENOSPC;
}

/*
 * Store bytes in the unnamed file: with its descriptor or, after opening, if that was not kept or
 * the program has closed it, through the mapping, which takes longer.
 */
static int store(const struct shim_unpacked *u, const uint8_t *p, size_t len, uint64_t offset)
{
	int err;

	if (!u->data || shim_fd__is_ours(u->file))
		return write_all(u->file.nr, p, len, offset);
	err = populate(u->data + offset, len);
	if (!err)
		memcpy(u->data + offset, p, len);
	if (!err)
		forget(u->data + offset, len);
	return err;
}

/*
 * struct job - unpacking a file or a unit
 * @from: where to store the bytes
 * @done, @limit: unpacked bytes so far, and their maximum
 * @skip: the first bytes that are not stored again, because they may be in use
 */
struct job {
	struct shim_stream stream;
	uint64_t from, done, limit;
	size_t skip;
	uint8_t plain[CHUNK];
};

/* Unpack as many bytes as fit into @out.  Return 1 at the end, 0 before it, or an error. */
static int stream_fill(struct shim_stream *u, const struct shim_codec *codec, uint8_t *out,
		       size_t *len)
{
	int done = 0;

	u->out = out;
	u->room = *len;
	while (!done && u->room)
		done = codec->step(u);
	*len -= u->room;
	return done;
}

static int run(const struct shim_unpacked *u, struct job *job, const struct shim_codec *codec)
{
	int err = codec->open(&job->stream), done = 0;

	if (err)
		return err;
	while (!done && !err) {
		const uint8_t *packed = job->stream.next;
		size_t n = CHUNK, skip;

		done = stream_fill(&job->stream, codec, job->plain, &n);
		forget(packed, (size_t)(job->stream.next - packed));
		skip = job->skip < n ? job->skip : n;
		if (done < 0)
			err = done;
		else if (!job->done && !job->from && !is_label(job->plain, n))
			err = -EILSEQ;
		else if (n > job->limit - job->done)
			err = -EFBIG;
		else if (n > skip)
			err = store(u, job->plain + skip, n - skip, job->from + job->done + skip);
		job->skip -= skip;
		job->done += n;
	}
	codec->close(&job->stream);
	return err;
}

static struct shim_stream stream_begin(const struct shim_unit *unit)
{
	return (struct shim_stream){ .next = unit->packed, .left = unit->len, .unit = unit };
}

int shim_unpack__unit(const struct shim_unpacked *u, const struct shim_unit *unit)
{
	struct job *job = malloc(sizeof(*job));
	int err;

	if (!job)
		return -ENOMEM;
	job->stream = stream_begin(unit);
	job->from = unit->from;
	job->done = 0;
	job->limit = unit->size;
	job->skip = unit->from ? 0 : u->head;
	err = run(u, job, u->codec);
	/* The sizes must be those that the file gives for the unit. */
	if (err == -EFBIG || (!err && (job->done != unit->size || job->stream.left)))
		err = -EBADMSG;
	free(job);
	return err;
}

/* Unpack the whole file. */
static int unpack_all(struct shim_unpacked *u, uint64_t limit)
{
	const struct shim_unit all = { .packed = u->bytes, .len = u->len };
	struct job *job = malloc(sizeof(*job));
	int err;

	if (!job)
		return -ENOMEM;
	job->stream = stream_begin(&all);
	job->from = 0;
	job->done = 0;
	job->limit = limit;
	job->skip = 0;
	err = run(u, job, u->codec == &shim_codec_block ? &shim_codec_xz : u->codec);
	u->size = job->done;
	free(job);
	return err;
}

/* Unpack the label, which is at the start of the first unit. */
static int unpack_head(struct shim_unpacked *u)
{
	struct shim_stream stream = stream_begin(u->units);
	uint8_t head[SHIM_LABEL_MAX];
	size_t size = u->units->size < sizeof(head) ? u->units->size : sizeof(head), n = size;
	int err = u->codec->open(&stream);

	if (err)
		return err;
	err = stream_fill(&stream, u->codec, head, &n);
	u->codec->close(&stream);
	if (err < 0)
		return err;
	if (n < size)
		return -EBADMSG;
	u->head = (uint32_t)n;
	return is_label(head, n) ? store(u, head, n, 0) : -EILSEQ;
}

static int prepare_units(struct shim_unpacked *u, uint64_t limit)
{
	if (u->size > limit)
		return -EFBIG;
	if (ftruncate(u->file.nr, (off_t)u->size))
		return -errno;
	atomic_init(&u->left, u->nunits);
	return u->nunits ? unpack_head(u) : 0;
}

static int unpack_begin(struct shim_unpacked *u, uint64_t limit)
{
	int err = u->codec == &shim_codec_block ? find_blocks(u) :
		  u->codec == &shim_codec_zst   ? find_frames(u) :
						  -E2BIG;

	if (err != -E2BIG)
		return err ? err : prepare_units(u, limit);
	free(u->units);
	u->units = NULL;
	u->nunits = 0;
	return unpack_all(u, limit);
}

static int map(void **out, uint64_t size, int prot, int fd)
{
	*out = NULL;
	if (!size)		/* mmap(2) rejects a length of zero */
		return 0;
	if (size > SIZE_MAX / 2)
		return -EFBIG;
	*out = mmap(NULL, size, prot, MAP_SHARED, fd, 0);
	if (*out != MAP_FAILED)
		return 0;
	*out = NULL;
	return -errno;
}

/* The number of descriptors of unnamed files */
static atomic_uint nfiles;

static void file_close(struct shim_unpacked *u)
{
	if (u->file.nr < 0)
		return;
	if (!u->data || shim_fd__is_ours(u->file))
		shim_fd__close(u->file);
	u->file.nr = -1;
	atomic_fetch_sub(&nfiles, 1);
}

/* Keep the descriptor of the unnamed file for the remaining units, unless too many are kept. */
static void file_keep(struct shim_unpacked *u)
{
	if (atomic_load(&nfiles) > FILES_MAX) {
		file_close(u);
	} else if (shim_fd__own(u->file.nr, &u->file)) {
		u->file.nr = -1;
		atomic_fetch_sub(&nfiles, 1);
	}
}

static int data_open(struct shim_unpacked *u, uint64_t limit)
{
	void *p;
	int err;

	u->file.nr = temporary();
	if (u->file.nr < 0)
		return u->file.nr;
	atomic_fetch_add(&nfiles, 1);
	err = unpack_begin(u, limit);
	if (!err)
		err = map(&p, u->size, PROT_READ | PROT_WRITE, u->file.nr);
	if (err)
		return err;
	if (u->nunits)
		file_keep(u);
	else
		shim_unpack__done(u);
	u->data = p;
	return 0;
}

int shim_unpack__open(struct shim_unpacked *u, int fd, const char *suffix)
{
	uint64_t packed = (uint64_t)u->packed.st_size, limit = shim_archive_memory__limit();
	void *p;
	int err;

	if (!shim_environ__get("SHIM_ARCHIVE_MEMORY") && limit > FREE_SIZE + packed * FREE_RATIO)
		limit = FREE_SIZE + packed * FREE_RATIO;
	u->file.nr = -1;
	err = packed ? map(&p, packed, PROT_READ, fd) : -EBADMSG;
	if (err)
		return err;
	u->bytes = p;
	u->len = packed;
	u->codec = shim_codec__of(u->bytes, u->len, suffix);
	return u->codec ? data_open(u, limit) : -EOPNOTSUPP;
}

void shim_unpack__done(struct shim_unpacked *u)
{
	void *p = (void *)u->bytes;

	file_close(u);
	/* A child that is forked here must not unmap it again. */
	u->bytes = NULL;
	atomic_signal_fence(memory_order_seq_cst);
	if (p)
		munmap(p, u->len);
}

void shim_unpack__close(struct shim_unpacked *u)
{
	shim_unpack__done(u);
	if (u->data)
		munmap(u->data, u->size);
	free(u->units);
}
