/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The format on disk: lengths, magic numbers and record types of both versions.
 *
 * All numbers are big-endian.  Every record of the metadata file and of the volumes, and every
 * label, is framed by two words that both contain its length, including these words.  Entries of
 * the index are not framed.
 */
#ifndef SHIM_ARCHIVE_FORMAT_H
#define SHIM_ARCHIVE_FORMAT_H

#include <stddef.h>
#include <stdint.h>

#define SHIM_LABEL_MAGIC	0x50052600u	/* ORed with the version */
#define SHIM_LABEL_MAX		808
#define SHIM_ENTRY_MAX		32
#define SHIM_FEATURE_QA		0x80000000u	/* the only feature bit that has no effect */

/* Volume numbers in the labels of files that are not volumes */
#define SHIM_VOLUME_META	(-1)
#define SHIM_VOLUME_INDEX	(-2)

#define SHIM_MARK_LEN		24		/* length of a version 3 mark record */
#define SHIM_FRAME_LEN		8		/* both length words */

enum shim_meta_type {
	SHIM_META_DESC = 1,
	SHIM_META_INDOM_V2 = 2,
	SHIM_META_LABEL_V2 = 3,
	SHIM_META_TEXT = 4,
	SHIM_META_INDOM = 5,
	SHIM_META_INDOM_DELTA = 6,
	SHIM_META_LABEL = 7,
};

#define SHIM_META_MIN		12		/* frame and type */
#define SHIM_NAME_MAX		4095		/* bytes of a metric's name */

/* A value block: one word with the type and the 24-bit length, then the value, padded to a word */
#define SHIM_BLOCK_HEAD		4
#define SHIM_BLOCK_MAX		0x00ffffffu
#define SHIM_BLOCK_PAD		0x7e

/* A reference to a block is its offset, in 4-byte words, from 8 bytes before the record */
#define SHIM_BLOCK_ORIGIN	2

/*
 * struct shim_format - the differences between the versions
 * @record_min: length of a record without value sets
 * @host_len, @tz_len, @zoneinfo_len: sizes of the label's strings, including a NUL
 * @offset_max: maximum size of a file
 */
struct shim_format {
	int version;
	uint32_t label_len;
	uint32_t stamp_len;
	uint32_t entry_len;
	uint32_t record_min;
	uint32_t host_len;
	uint32_t tz_len;
	uint32_t zoneinfo_len;
	uint64_t offset_max;
	enum shim_meta_type indom_type;
	enum shim_meta_type labels_type;
};

/* Return NULL for an unknown version. */
const struct shim_format *shim_format__of(int version);

#endif /* SHIM_ARCHIVE_FORMAT_H */
