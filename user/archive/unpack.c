// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Unpack compressed files of an archive once, into an unnamed file.
 *
 * An archive is read forwards, backwards and at random, which compressed formats do not support.
 * The unpacked file can be mapped, and the kernel can write its pages back to disk.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <bzlib.h>
#include <lzma.h>
#include <zlib.h>
#include <zstd.h>

#include "base/bytes.h"
#include "base/process.h"
#include "files.h"
#include "format.h"
#include "unpack.h"

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
#define XZ_MEMORY	(96u << 20)	/* the memory that xz -9 needs, with a margin */
#define ZSTD_WINDOW	26		/* log2 of the window that zstd -22 uses without --long */
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

/*
 * struct unpack - the state of unpacking a file
 * @next, @left: the remaining packed bytes, and their number
 * @out, @room: destination of unpacked bytes, and its size
 * @end: the end of the packed file has been reached
 */
struct unpack {
	const uint8_t *next;
	size_t left;
	uint8_t *out;
	size_t room;
	bool end;
	union {
		lzma_stream xz;
		z_stream gz;
		bz_stream bz;
		struct {
			ZSTD_DStream *stream;
			size_t want;	/* 0 at the end of a frame */
		} zst;
	};
};

/*
 * struct codec - one decompression library
 * @step: consumes and produces bytes; returns 0 to continue, 1 at the end of the file, or an error.
 *	A file may consist of several concatenated streams.
 */
struct codec {
	int (*open)(struct unpack *u);
	int (*step)(struct unpack *u);
	void (*close)(struct unpack *u);
};

static int xz_open(struct unpack *u)
{
	const lzma_stream fresh = LZMA_STREAM_INIT;

	u->xz = fresh;
	return lzma_auto_decoder(&u->xz, XZ_MEMORY, LZMA_CONCATENATED) == LZMA_OK ? 0 : -ENOMEM;
}

static int xz_step(struct unpack *u)
{
	lzma_ret ret;

	u->xz.next_in = u->next;
	u->xz.avail_in = u->left;
	u->xz.next_out = u->out;
	u->xz.avail_out = u->room;
	ret = lzma_code(&u->xz, u->end ? LZMA_FINISH : LZMA_RUN);
	u->next = u->xz.next_in;
	u->left = u->xz.avail_in;
	u->out = u->xz.next_out;
	u->room = u->xz.avail_out;
	if (ret == LZMA_MEM_ERROR || ret == LZMA_MEMLIMIT_ERROR)
		return -ENOMEM;
	return ret == LZMA_OK ? 0 : ret == LZMA_STREAM_END ? 1 : -EBADMSG;
}

static void xz_close(struct unpack *u)
{
	lzma_end(&u->xz);
}

static int gz_open(struct unpack *u)
{
	u->gz = (z_stream){ 0 };
	return inflateInit2(&u->gz, 15 + 32) == Z_OK ? 0 : -ENOMEM;
}

static int gz_step(struct unpack *u)
{
	int ret;

	u->gz.next_in = (Bytef *)u->next;
	u->gz.avail_in = (uInt)u->left;
	u->gz.next_out = u->out;
	u->gz.avail_out = (uInt)u->room;
	ret = inflate(&u->gz, Z_NO_FLUSH);
	u->next = u->gz.next_in;
	u->left = u->gz.avail_in;
	u->out = u->gz.next_out;
	u->room = u->gz.avail_out;
	if (ret == Z_STREAM_END)
		return !u->left && u->end ? 1 : inflateReset(&u->gz) == Z_OK ? 0 : -EBADMSG;
	if (ret == Z_BUF_ERROR)		/* needs more input or output space; the file must not end here */
		return u->end && !u->left && u->room ? -EBADMSG : 0;
	return ret == Z_OK ? 0 : ret == Z_MEM_ERROR ? -ENOMEM : -EBADMSG;
}

static void gz_close(struct unpack *u)
{
	inflateEnd(&u->gz);
}

static int bz_open(struct unpack *u)
{
	u->bz = (bz_stream){ 0 };
	return BZ2_bzDecompressInit(&u->bz, 0, 0) == BZ_OK ? 0 : -ENOMEM;
}

static int bz_step(struct unpack *u)
{
	size_t left = u->left, room = u->room;
	int ret;

	u->bz.next_in = (char *)u->next;
	u->bz.avail_in = (unsigned int)left;
	u->bz.next_out = (char *)u->out;
	u->bz.avail_out = (unsigned int)room;
	ret = BZ2_bzDecompress(&u->bz);
	u->next += left - u->bz.avail_in;
	u->left = u->bz.avail_in;
	u->out += room - u->bz.avail_out;
	u->room = u->bz.avail_out;
	if (ret == BZ_STREAM_END) {
		if (!u->left && u->end)
			return 1;
		BZ2_bzDecompressEnd(&u->bz);
		return bz_open(u);
	}
	if (ret != BZ_OK)
		return ret == BZ_MEM_ERROR ? -ENOMEM : -EBADMSG;
	return u->end && !left && u->room == room ? -EBADMSG : 0;
}

static void bz_close(struct unpack *u)
{
	BZ2_bzDecompressEnd(&u->bz);
}

static int zst_open(struct unpack *u)
{
	u->zst.want = 1;
	u->zst.stream = ZSTD_createDStream();
	if (!u->zst.stream)
		return -ENOMEM;
	ZSTD_DCtx_setParameter(u->zst.stream, ZSTD_d_windowLogMax, ZSTD_WINDOW);
	return 0;
}

static int zst_step(struct unpack *u)
{
	ZSTD_inBuffer in = { u->next, u->left, 0 };
	ZSTD_outBuffer out = { u->out, u->room, 0 };

	if (u->end && !u->left && !u->zst.want)
		return 1;
	u->zst.want = ZSTD_decompressStream(u->zst.stream, &out, &in);
	if (ZSTD_isError(u->zst.want))
		return -EBADMSG;
	u->next += in.pos;
	u->left -= in.pos;
	u->out += out.pos;
	u->room -= out.pos;
	if (u->end && !u->left && u->room && u->zst.want)
		return -EBADMSG;	/* the file ends within a frame */
	return 0;
}

static void zst_close(struct unpack *u)
{
	ZSTD_freeDStream(u->zst.stream);
}

static const struct codec codecs[] = {
	{ xz_open, xz_step, xz_close },
	{ bz_open, bz_step, bz_close },
	{ gz_open, gz_step, gz_close },
	{ zst_open, zst_step, zst_close },
};

/*
 * Choose the codec by the first bytes.  The suffix is only a hint, because .Z is used for several
 * formats.
 */
static const struct codec *codec_of(const uint8_t *p, size_t n, const char *suffix)
{
	if (n > 1 && p[0] == 0x1f && p[1] == 0x8b)
		return &codecs[2];
	if (n > 1 && p[0] == 0x1f && p[1] == 0x9d)
		return NULL;
	if (n > 2 && !memcmp(p, "BZh", 3))
		return &codecs[1];
	if (!strcmp(suffix, ".zst"))
		return &codecs[3];
	return &codecs[0];
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

static int write_all(int fd, const uint8_t *p, size_t len)
{
	while (len) {
		ssize_t n = write(fd, p, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		p += n;
		len -= (size_t)n;
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

struct job {
	int in, out;
	uint64_t at, size;	/* position in the packed file, and its size */
	uint64_t done, limit;	/* unpacked bytes so far, and their limit */
	uint8_t packed[CHUNK];
	uint8_t plain[CHUNK];
};

static int refill(struct job *job, struct unpack *u)
{
	size_t got;
	int err;

	if (u->left || u->end)
		return 0;
	err = shim_file__read(job->in, job->packed, CHUNK, job->at, &got);
	if (err)
		return err;
	u->next = job->packed;
	u->left = got;
	job->at += got;
	/*
	 * Set this even if the file ends exactly at the end of a chunk: otherwise a decoder would
	 * mistake the empty chunk after it for a truncated stream.
	 */
	u->end = got < CHUNK || job->at >= job->size;
	return 0;
}

static int flush(struct job *job, const struct unpack *u)
{
	size_t n = (size_t)(u->out - job->plain);

	if (!job->done && !is_label(job->plain, n))
		return -EILSEQ;
	job->done += n;
	return job->done > job->limit ? -EFBIG : write_all(job->out, job->plain, n);
}

static int pump(struct job *job, struct unpack *u, const struct codec *codec)
{
	int done = 0, err = 0;

	while (!done && !err) {
		u->out = job->plain;
		u->room = CHUNK;
		while (!done && !err && u->room) {
			err = refill(job, u);
			done = err ? 0 : codec->step(u);
		}
		if (done < 0)
			return done;
		if (!err)
			err = flush(job, u);
	}
	return err;
}

static int job_unpack(struct job *job, const char *suffix)
{
	struct unpack u = { 0 };
	const struct codec *codec;
	int err = refill(job, &u);

	if (err)
		return err;
	codec = codec_of(u.next, u.left, suffix);
	if (!codec)
		return -EOPNOTSUPP;
	err = codec->open(&u);
	if (err)
		return err;
	err = pump(job, &u, codec);
	codec->close(&u);
	return err;
}

int shim_unpack__file(int fd, uint64_t packed, const char *suffix, int *out, uint64_t *size)
{
	struct job *job = malloc(sizeof(*job));
	int err;

	if (!job)
		return -ENOMEM;
	job->in = fd;
	job->at = 0;
	job->size = packed;
	job->done = 0;
	job->limit = shim_archive_memory__limit();
	if (!shim_environ__get("SHIM_ARCHIVE_MEMORY") &&
	    job->limit > FREE_SIZE + packed * FREE_RATIO)
		job->limit = FREE_SIZE + packed * FREE_RATIO;
	job->out = temporary();
	err = job->out < 0 ? job->out : job_unpack(job, suffix);
	if (!err) {
		*out = job->out;
		*size = job->done;
	} else if (job->out >= 0) {
		close(job->out);
	}
	free(job);
	return err;
}
