/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Encoding and decoding of each kind of record, with one file per kind (rec_*.c).
 *
 * Decoders accept arbitrary bytes, do not read beyond the given length, and leave the result
 * unchanged on error.  Encoders append to a buffer, which records if memory runs out.
 */
#ifndef SHIM_ARCHIVE_RECORD_H
#define SHIM_ARCHIVE_RECORD_H

#include <errno.h>
#include <stdbool.h>

#include "base/buf.h"
#include "base/bytes.h"
#include "format.h"
#include "reader.h"
#include "types.h"

/*
 * Get the length of the record at @p.  Return 0, -ENODATA if the file ends within the record, or
 * -EBADMSG if its two length words differ or are out of range.
 */
static inline int shim_frame__len(const uint8_t *p, uint64_t left, uint32_t min, uint32_t *out)
{
	uint32_t len;

	if (left < 4)
		return -ENODATA;
	len = shim_be32__get(p);
	if (len < min || len > SHIM_BUF_MAX)
		return -EBADMSG;
	if (len > left)
		return -ENODATA;
	if (shim_be32__get(p + len - 4) != len)
		return -EBADMSG;
	*out = len;
	return 0;
}

/*
 * Append the closing length word of the record that begins at @start, and fill in the opening one.
 */
void shim_frame__close(struct shim_buf *buf, size_t start);

/* Stamps of either version; decoding returns -EBADMSG if the fraction is out of range */
int shim_stamp__decode(const struct shim_format *f, const uint8_t *p, struct shim_ts *out);
void shim_stamp__encode(const struct shim_format *f, struct shim_buf *buf, struct shim_ts ts);

/* Functions in rec_label.c */
int shim_rec_label__decode(const uint8_t *p, size_t len, int volume, struct shim_label *out);
void shim_rec_label__encode(struct shim_buf *buf, const struct shim_label *label, int volume);

/*
 * Check the label of another file of the archive.  Return the errors from shim_rec_label__decode(),
 * or -EILSEQ if the label differs from @first.
 */
int shim_rec_label__agree(const struct shim_label *first, const uint8_t *p, size_t len, int volume);

/* Functions in rec_labels.c: metrics */

/*
 * struct shim_rec_desc - a metric as stored in the file
 * @names: @nnames checked names, to be read with shim_rec_desc__name()
 */
struct shim_rec_desc {
	uint32_t pmid;
	int32_t type;
	uint32_t indom;
	int32_t sem;
	uint32_t units;
	uint32_t nnames;
	struct shim_in names;
};

int shim_rec_desc__decode(const uint8_t *p, uint32_t len, struct shim_rec_desc *out);
const uint8_t *shim_rec_desc__name(struct shim_in *names, uint32_t *len);
void shim_rec_desc__encode(struct shim_buf *buf, const struct shim_desc *desc);

/* Functions in rec_labels.c: instance domains */

/*
 * struct shim_rec_indom - an instance domain, or changes to it, in the file
 * @delta: the entries are changes
 * @n: number of entries
 */
struct shim_rec_indom {
	struct shim_ts stamp;
	uint32_t indom;
	bool delta;
	uint32_t n;
	const uint8_t *ids;
	const uint8_t *offsets;
	const char *strings;
};

int shim_rec_indom__decode(const uint8_t *p, uint32_t len, struct shim_rec_indom *out);
int32_t shim_rec_indom__id(const struct shim_rec_indom *rec, uint32_t i);
/* Return NULL if the instance is deleted. */
const char *shim_rec_indom__name(const struct shim_rec_indom *rec, uint32_t i);
/* Append the record of an instance domain.  With @delta, an instance without a name is deleted. */
void shim_rec_indom__encode(const struct shim_format *f, struct shim_buf *buf,
			    const struct shim_indom *indom, bool delta);

/* Functions in rec_labels.c: texts */

/*
 * struct shim_rec_text - a text about a metric or an instance domain
 * @type: two of SHIM_TEXT_*
 * @text: the text in the file, with its NUL
 */
struct shim_rec_text {
	uint32_t type;
	uint32_t ident;
	const char *text;
};

/* Return whether exactly one of ONELINE and HELP is set, and exactly one of PMID and INDOM. */
bool shim_rec_text__type_ok(uint32_t type);
int shim_rec_text__decode(const uint8_t *p, uint32_t len, struct shim_rec_text *out);
void shim_rec_text__encode(struct shim_buf *buf, const struct shim_rec_text *text);

/* Functions in rec_labels.c: labels; reader.h declares the functions that decode a record's sets */

/*
 * struct shim_rec_labels - sets of labels in the file
 * @level: enum shim_level, or an unknown newer value
 */
struct shim_rec_labels {
	struct shim_ts stamp;
	uint32_t level;
	uint32_t ident;
	struct shim_labels_iter sets;
};

int shim_rec_labels__decode(const uint8_t *p, uint32_t len, struct shim_rec_labels *out);
/*
 * Return -EINVAL if a set's text is invalid, or -ENOMEM or -EMSGSIZE.  After an error, the caller
 * must remove the appended bytes.
 */
int shim_rec_labels__encode(const struct shim_format *f, struct shim_buf *buf,
			    const struct shim_labels *labels);

/* Functions in rec_label.c: index entries */

/*
 * struct shim_entry - an index entry: the sizes of the metadata file and the volume at a time
 */
struct shim_entry {
	struct shim_ts stamp;
	int32_t volume;
	uint64_t off_meta;
	uint64_t off_data;
};

int shim_rec_index__decode(const struct shim_format *f, const uint8_t *p, struct shim_entry *out);
void shim_rec_index__encode(const struct shim_format *f, struct shim_buf *buf,
			    const struct shim_entry *entry);

/* Functions in rec_result.c; reader.h declares the functions that decode a record's sets */

/*
 * Set everything except @volume and @offset.  Return -ENODATA if the file ends within the record.
 */
int shim_rec_result__decode(const struct shim_format *f, const uint8_t *p, uint64_t left,
			    struct shim_record *out);

/*
 * Return the payload of the block to which a value refers, and its length, or NULL if there is no
 * block.
 */
static inline const uint8_t *shim_record__block(const struct shim_record *rec, uint32_t ref,
						uint32_t *len)
{
	uint64_t offset = ((uint64_t)ref - SHIM_BLOCK_ORIGIN) * 4;
	uint64_t end = rec->len - 4;
	uint32_t vlen;

	if (ref < SHIM_BLOCK_ORIGIN || offset < (uint64_t)(rec->sets - rec->data) ||
	    offset + SHIM_BLOCK_HEAD > end)
		return NULL;
	vlen = shim_be32__get(rec->data + offset) & SHIM_BLOCK_MAX;
	if (vlen < SHIM_BLOCK_HEAD || vlen > end - offset)
		return NULL;
	*len = vlen - SHIM_BLOCK_HEAD;
	return rec->data + offset + SHIM_BLOCK_HEAD;
}

#define SHIM_SET_HEAD	8	/* bytes of the metric and the number of values */
#define SHIM_VLIST_HEAD	12	/* the same and the value format */

/* Return the end of a record's value sets and blocks. */
static inline const uint8_t *shim_record__end(const struct shim_record *rec)
{
	return rec->data + rec->len - 4;
}

/* Return a place before the first set of a record, from which shim_record__step() begins. */
static inline struct shim_vset shim_record__sets(const struct shim_record *rec)
{
	return (struct shim_vset){ .next = rec->sets, .left = rec->npmids };
}

/*
 * Decode the next value set of a record.  Return 0, -ENOENT after the last set, or -EBADMSG, after
 * which @vset is undefined.
 */
static inline int shim_record__step(const struct shim_record *rec, struct shim_vset *vset)
{
	const uint8_t *p = vset->next;
	size_t room = (size_t)(shim_record__end(rec) - p);

	if (!vset->left)
		return -ENOENT;
	if (room < SHIM_SET_HEAD)
		return -EBADMSG;
	vset->left--;
	vset->pmid = shim_be32__get(p);
	vset->numval = (int32_t)shim_be32__get(p + 4);
	if (vset->numval <= 0) {
		vset->valfmt = SHIM_VAL_INSITU;
		vset->vlist = NULL;
		vset->next = p + SHIM_SET_HEAD;
		return 0;
	}
	if (room < SHIM_VLIST_HEAD ||
	    (uint32_t)vset->numval > (room - SHIM_VLIST_HEAD) / SHIM_VALUE_LEN)
		return -EBADMSG;
	vset->valfmt = (int32_t)shim_be32__get(p + SHIM_SET_HEAD);
	if ((uint32_t)vset->valfmt > SHIM_VAL_SPTR)
		return -EBADMSG;
	vset->vlist = p + SHIM_VLIST_HEAD;
	vset->next = vset->vlist + (size_t)vset->numval * SHIM_VALUE_LEN;
	return 0;
}

/*
 * struct shim_rec_result - a record under construction
 * @sets: the record from its length word to the last value; finally the whole record
 * @blocks: the blocks to which the values refer
 * @refs: places in @sets that contain an offset into @blocks
 * @set: offset in @sets of the value set under construction, or 0
 */
struct shim_rec_result {
	struct shim_buf sets;
	struct shim_buf blocks;
	uint32_t *refs;
	size_t nrefs;
	size_t refs_cap;
	uint32_t npmids;
	uint32_t set;
	uint32_t numval;
};

void shim_rec_result__begin(const struct shim_format *f, struct shim_rec_result *r,
			    struct shim_ts stamp);
void shim_rec_result__set(struct shim_rec_result *r, uint32_t pmid, int32_t error);
void shim_rec_result__values(struct shim_rec_result *r, const struct shim_value *values, size_t n);

static inline void shim_rec_result__value(struct shim_rec_result *r, const struct shim_value *value)
{
	shim_rec_result__values(r, value, 1);
}

/* The finished record is in r->sets.  Return 0, -ENOMEM or -EMSGSIZE. */
int shim_rec_result__end(const struct shim_format *f, struct shim_rec_result *r);
void shim_rec_result__free(struct shim_rec_result *r);

/* The fields of a label that describe the machine that writes the archive */

/*
 * Set process, host and time zone of @label.  The UTC offset is the one at @label->start, or the
 * current one if the start is 0.
 */
void shim_local_zone__fill(struct shim_label *label);

/*
 * The layout of a record, used to recognize other records with the same layout.
 *
 * A logger writes the same metrics with the same instances repeatedly.  If two records differ only
 * in their stamps and the bytes of their values, each value is at the same place in both.
 * Therefore the results for one record apply to the other.
 */

/*
 * struct shim_record_layout - the bytes that all records of a layout share
 * @len, @head: length of a record, and number of bytes before its first value set; 0 if there is no
 *   layout
 * @mask: @len bytes, with bits set where records must match @bits
 * @bits: @len bytes with the bits to match, zero elsewhere
 */
struct shim_record_layout {
	uint32_t len;
	uint32_t head;
	uint8_t *mask;
	uint8_t *bits;
};

/*
 * Return 0, -ENOMEM, or -EBADMSG if the record is not well-formed.  On error @layout is unchanged.
 */
int shim_record_layout__make(struct shim_record_layout *layout, const struct shim_record *rec);
/* Return whether a record has this layout. */
bool shim_record_layout__fits(const struct shim_record_layout *layout,
			      const struct shim_record *rec);
void shim_record_layout__fini(struct shim_record_layout *layout);

#endif /* SHIM_ARCHIVE_RECORD_H */
