// SPDX-License-Identifier: LGPL-2.1-or-later
/* The decompression libraries, with one interface */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "codec.h"
#include "unpacked.h"

#define XZ_MEMORY	(96u << 20)	/* the memory that xz -9 needs, with a margin */
#define ZSTD_WINDOW	26		/* log2 of the window that zstd -22 uses without --long */

static int xz_open(struct shim_stream *u)
{
	const lzma_stream fresh = LZMA_STREAM_INIT;

	u->xz = fresh;
	return lzma_auto_decoder(&u->xz, XZ_MEMORY, LZMA_CONCATENATED) == LZMA_OK ? 0 : -ENOMEM;
}

static int xz_step(struct shim_stream *u)
{
	lzma_ret ret;

	u->xz.next_in = u->next;
	u->xz.avail_in = u->left;
	u->xz.next_out = u->out;
	u->xz.avail_out = u->room;
	ret = lzma_code(&u->xz, LZMA_FINISH);
	u->next = u->xz.next_in;
	u->left = u->xz.avail_in;
	u->out = u->xz.next_out;
	u->room = u->xz.avail_out;
	if (ret == LZMA_MEM_ERROR || ret == LZMA_MEMLIMIT_ERROR)
		return -ENOMEM;
	return ret == LZMA_OK ? 0 : ret == LZMA_STREAM_END ? 1 : -EBADMSG;
}

static void xz_close(struct shim_stream *u)
{
	lzma_end(&u->xz);
}

static int block_check(struct shim_stream *u, lzma_filter *filters)
{
	const lzma_stream fresh = LZMA_STREAM_INIT;

	if (u->block.uncompressed_size != LZMA_VLI_UNKNOWN &&
	    u->block.uncompressed_size != u->unit->size)
		return -EBADMSG;
	u->block.uncompressed_size = u->unit->size;
	if (lzma_raw_decoder_memusage(filters) > XZ_MEMORY)
		return -ENOMEM;
	u->xz = fresh;
	return lzma_block_decoder(&u->xz, &u->block) == LZMA_OK ? 0 : -ENOMEM;
}

/* Open a block of an xz file. */
static int block_open(struct shim_stream *u)
{
	lzma_filter filters[LZMA_FILTERS_MAX + 1];
	lzma_ret ret;
	int err;

	u->block = (lzma_block){ .check = u->unit->check, .filters = filters };
	u->block.header_size = lzma_block_header_size_decode(*u->next);
	if (!*u->next || u->block.header_size > u->left)
		return -EBADMSG;
	ret = lzma_block_header_decode(&u->block, NULL, u->next);
	if (ret != LZMA_OK)
		return ret == LZMA_MEM_ERROR ? -ENOMEM : -EBADMSG;
	err = block_check(u, filters);
	lzma_filters_free(filters, NULL);
	u->next += u->block.header_size;
	u->left -= u->block.header_size;
	return err;
}

/* zlib and bzip2 take at most this many bytes at a time. */
static unsigned int some(size_t n)
{
	return n < 1u << 30 ? (unsigned int)n : 1u << 30;
}

static int gz_open(struct shim_stream *u)
{
	u->gz = (z_stream){ 0 };
	return inflateInit2(&u->gz, 15 + 32) == Z_OK ? 0 : -ENOMEM;
}

static int gz_step(struct shim_stream *u)
{
	unsigned int left = some(u->left);
	int ret;

	u->gz.next_in = (Bytef *)u->next;
	u->gz.avail_in = left;
	u->gz.next_out = u->out;
	u->gz.avail_out = (uInt)u->room;
	ret = inflate(&u->gz, Z_NO_FLUSH);
	u->next = u->gz.next_in;
	u->left -= left - u->gz.avail_in;
	u->out = u->gz.next_out;
	u->room = u->gz.avail_out;
	if (ret == Z_STREAM_END)
		return !u->left ? 1 : inflateReset(&u->gz) == Z_OK ? 0 : -EBADMSG;
	/* It needs more input or output space; the file must not end here. */
	if (ret == Z_BUF_ERROR)
		return !u->left && u->room ? -EBADMSG : 0;
	return ret == Z_OK ? 0 : ret == Z_MEM_ERROR ? -ENOMEM : -EBADMSG;
}

static void gz_close(struct shim_stream *u)
{
	inflateEnd(&u->gz);
}

static int bz_open(struct shim_stream *u)
{
	u->bz = (bz_stream){ 0 };
	return BZ2_bzDecompressInit(&u->bz, 0, 0) == BZ_OK ? 0 : -ENOMEM;
}

static int bz_step(struct shim_stream *u)
{
	unsigned int left = some(u->left);
	size_t room = u->room;
	int ret;

	u->bz.next_in = (char *)u->next;
	u->bz.avail_in = left;
	u->bz.next_out = (char *)u->out;
	u->bz.avail_out = (unsigned int)room;
	ret = BZ2_bzDecompress(&u->bz);
	u->next += left - u->bz.avail_in;
	u->left -= left - u->bz.avail_in;
	u->out += room - u->bz.avail_out;
	u->room = u->bz.avail_out;
	if (ret == BZ_STREAM_END) {
		if (!u->left)
			return 1;
		BZ2_bzDecompressEnd(&u->bz);
		return bz_open(u);
	}
	if (ret != BZ_OK)
		return ret == BZ_MEM_ERROR ? -ENOMEM : -EBADMSG;
	return !left && u->room == room ? -EBADMSG : 0;
}

static void bz_close(struct shim_stream *u)
{
	BZ2_bzDecompressEnd(&u->bz);
}

static int zst_open(struct shim_stream *u)
{
	u->zst.want = 1;
	u->zst.stream = ZSTD_createDStream();
	if (!u->zst.stream)
		return -ENOMEM;
	ZSTD_DCtx_setParameter(u->zst.stream, ZSTD_d_windowLogMax, ZSTD_WINDOW);
	return 0;
}

static int zst_step(struct shim_stream *u)
{
	ZSTD_inBuffer in = { u->next, u->left, 0 };
	ZSTD_outBuffer out = { u->out, u->room, 0 };

	if (!u->left && !u->zst.want)
		return 1;
	u->zst.want = ZSTD_decompressStream(u->zst.stream, &out, &in);
	if (ZSTD_isError(u->zst.want))
		return -EBADMSG;
	u->next += in.pos;
	u->left -= in.pos;
	u->out += out.pos;
	u->room -= out.pos;
	if (!u->left && u->room && u->zst.want)
		return -EBADMSG;	/* the file ends within a frame */
	return 0;
}

static void zst_close(struct shim_stream *u)
{
	ZSTD_freeDStream(u->zst.stream);
}

const struct shim_codec shim_codec_xz = { xz_open, xz_step, xz_close };
const struct shim_codec shim_codec_block = { block_open, xz_step, xz_close };
static const struct shim_codec codec_bz = { bz_open, bz_step, bz_close };
static const struct shim_codec codec_gz = { gz_open, gz_step, gz_close };
const struct shim_codec shim_codec_zst = { zst_open, zst_step, zst_close };

const struct shim_codec *shim_codec__of(const uint8_t *p, size_t n, const char *suffix)
{
	if (n > 1 && p[0] == 0x1f && p[1] == 0x8b)
		return &codec_gz;
	if (n > 1 && p[0] == 0x1f && p[1] == 0x9d)
		return NULL;
	if (n > 2 && !memcmp(p, "BZh", 3))
		return &codec_bz;
	if (n > 5 && !memcmp(p, "\xfd" "7zXZ", 6))
		return &shim_codec_block;
	return strcmp(suffix, ".zst") ? &shim_codec_xz : &shim_codec_zst;
}
