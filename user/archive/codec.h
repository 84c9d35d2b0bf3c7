/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The decompression libraries, with one interface */
#ifndef SHIM_ARCHIVE_CODEC_H
#define SHIM_ARCHIVE_CODEC_H

#include <stddef.h>
#include <stdint.h>

#include <bzlib.h>
#include <lzma.h>
#include <zlib.h>
#include <zstd.h>

struct shim_unit;

/*
 * struct shim_stream - the state of unpacking a file or a unit
 * @next, @left: the remaining packed bytes, and their number
 * @out, @room: destination of unpacked bytes, and its size
 * @unit: the unit, or NULL
 */
struct shim_stream {
	const uint8_t *next;
	size_t left;
	uint8_t *out;
	size_t room;
	const struct shim_unit *unit;
	union {
		struct {
			lzma_stream xz;
			lzma_block block;
		};
		z_stream gz;
		bz_stream bz;
		struct {
			ZSTD_DStream *stream;
			size_t want;	/* 0 at the end of a frame */
		} zst;
	};
};

/*
 * struct shim_codec - one decompression library
 * @step: consumes and produces bytes; returns 0 to continue, 1 at the end of the file, or an error.
 *	A file may consist of several concatenated streams.
 */
struct shim_codec {
	int (*open)(struct shim_stream *u);
	int (*step)(struct shim_stream *u);
	void (*close)(struct shim_stream *u);
};

/* @shim_codec_block unpacks one block of an xz file, @shim_codec_xz a whole file of xz or lzma */
extern const struct shim_codec shim_codec_xz, shim_codec_block, shim_codec_zst;

/*
 * Choose the codec by the first bytes.  The suffix is only a hint, because .Z is used for several
 * formats.  Return NULL for the format of compress(1).
 */
const struct shim_codec *shim_codec__of(const uint8_t *p, size_t n, const char *suffix);

#endif /* SHIM_ARCHIVE_CODEC_H */
