// SPDX-License-Identifier: LGPL-2.1-or-later
/* Data records: decode them in place, and build them */
#include <stdlib.h>

#include "base/vec.h"
#include "record.h"

/**
 * shim_rec_result__decode() - read the head of a data record
 * @f: format of the archive
 * @p: where the record should begin
 * @left: number of bytes at @p
 * @out: the record; the caller sets its volume and offset
 *
 * Return: 0, -ENODATA if the file ends within the record, or -EBADMSG if it is not a valid record.
 */
int shim_rec_result__decode(const struct shim_format *f, const uint8_t *p, uint64_t left,
			    struct shim_record *out)
{
	const uint8_t *body = p + 4 + f->stamp_len;
	uint32_t len, npmids;
	struct shim_ts stamp;
	int err;

	err = shim_frame__len(p, left, f->record_min, &len);
	if (err)
		return err;
	npmids = shim_be32__get(body);
	if (npmids > (len - f->record_min) / SHIM_SET_HEAD || shim_stamp__decode(f, p + 4, &stamp))
		return -EBADMSG;
	out->stamp = stamp;
	out->npmids = npmids;
	out->sets = body + 4;
	out->data = p;
	out->len = len;
	return 0;
}

/**
 * shim_record__first() - get the first value set of a record
 * @rec: a record from a cursor
 * @out: the set
 *
 * Return: 0, -ENOENT if the record is a mark, or -EBADMSG.
 */
int shim_record__first(const struct shim_record *rec, struct shim_vset *out)
{
	struct shim_vset vset = shim_record__sets(rec);
	int err = shim_record__step(rec, &vset);

	if (!err)
		*out = vset;
	return err;
}

/**
 * shim_record__next() - get the next value set of a record
 * @rec: the record that contains both
 * @vset: a set, replaced by the next one
 *
 * Return: 0, -ENOENT after the last set, or -EBADMSG.
 */
int shim_record__next(const struct shim_record *rec, struct shim_vset *vset)
{
	struct shim_vset next = *vset;
	int err = shim_record__step(rec, &next);

	if (!err)
		*vset = next;
	return err;
}

/**
 * shim_record__find() - find the value set of a metric
 * @rec: a record from a cursor
 * @pmid: the metric
 * @out: its set
 *
 * Return: 0, -ENOENT if the record has no such set, or -EBADMSG if the record is corrupt before
 * that set.
 */
int shim_record__find(const struct shim_record *rec, uint32_t pmid, struct shim_vset *out)
{
	struct shim_vset vset = shim_record__sets(rec);
	int err;

	while (!(err = shim_record__step(rec, &vset))) {
		if (vset.pmid == pmid) {
			*out = vset;
			return 0;
		}
	}
	return err;
}

/*
 * Add the bytes of a set's blocks, with padding, to *@total.  Set *@first to the record's first
 * block.
 */
static int measure_blocks(const struct shim_record *rec, const struct shim_vset *vset,
			  uint64_t *total, const uint8_t **first)
{
	for (int32_t i = 0; i < vset->numval; i++) {
		uint32_t ref = shim_be32__get(vset->vlist + (size_t)i * SHIM_VALUE_LEN + 4);
		const uint8_t *block;
		uint32_t len;

		block = shim_record__block(rec, ref, &len);
		if (!block)
			return -EBADMSG;
		if (!*first)
			*first = block - SHIM_BLOCK_HEAD;
		*total += (SHIM_BLOCK_HEAD + (uint64_t)len + 3) & ~3u;
	}
	return 0;
}

/**
 * shim_record__check() - check that all of a record is well-formed
 * @rec: a record from a cursor
 *
 * This checks that the sets are contiguous, that the first block begins where they end, and that
 * all blocks together fill the record.
 *
 * Return: 0 or -EBADMSG.
 */
int shim_record__check(const struct shim_record *rec)
{
	const uint8_t *end = rec->sets, *first = NULL;
	struct shim_vset vset = shim_record__sets(rec);
	uint64_t total = 0;
	int err;

	while (!(err = shim_record__step(rec, &vset))) {
		end = vset.next;
		if (vset.numval > 0 && vset.valfmt != SHIM_VAL_INSITU &&
		    measure_blocks(rec, &vset, &total, &first))
			return -EBADMSG;
	}
	if (err != -ENOENT || (first && first != end) || end + total != shim_record__end(rec))
		return -EBADMSG;
	return 0;
}

static int take_payload(const uint8_t *p, uint32_t len, int32_t type, struct shim_value *v)
{
	v->len = len;
	switch (type) {
	case SHIM_TYPE_64:
	case SHIM_TYPE_U64:
	case SHIM_TYPE_DOUBLE:
		if (len != 8)
			return -EBADMSG;
		v->ull = shim_be64__get(p);
		return 0;
	case SHIM_TYPE_FLOAT:
		if (len != 4)
			return -EBADMSG;
		v->ul = shim_be32__get(p);
		return 0;
	case SHIM_TYPE_STRING:		/* some writers omit the NUL */
	case SHIM_TYPE_AGGREGATE:
	case SHIM_TYPE_AGGREGATE_STATIC:
	case SHIM_TYPE_EVENT:
	case SHIM_TYPE_HIGHRES_EVENT:
		v->bytes = p;
		return 0;
	default:
		return -EBADMSG;
	}
}

/**
 * shim_vset__raw() - get one value of a set as stored, regardless of the metric's type
 * @rec: the record of the set
 * @vset: the set
 * @i: index of the value
 * @out: the value.  If it is in place, its word is in @out->ul, and the type is SHIM_TYPE_U32.
 *	Otherwise @out has the type in the block, which may be any number up to 255, and its bytes
 *	in file order.
 *
 * Return: 0, -EINVAL if the set has no such value, or -EBADMSG.
 */
int shim_vset__raw(const struct shim_record *rec, const struct shim_vset *vset, unsigned int i,
		   struct shim_value *out)
{
	const uint8_t *p, *payload;
	uint32_t word, len;

	if (vset->numval <= 0 || i >= (uint32_t)vset->numval)
		return -EINVAL;
	p = vset->vlist + (size_t)i * SHIM_VALUE_LEN;
	word = shim_be32__get(p + 4);
	if (vset->valfmt == SHIM_VAL_INSITU) {
		*out = (struct shim_value){ .type = SHIM_TYPE_U32, .len = 4, .ul = word };
	} else {
		payload = shim_record__block(rec, word, &len);
		if (!payload)
			return -EBADMSG;
		*out = (struct shim_value){ .type = payload[-SHIM_BLOCK_HEAD], .len = len,
					    .bytes = payload };
	}
	out->inst = (int32_t)shim_be32__get(p);
	return 0;
}

/**
 * shim_vset__value() - get one value of a set
 * @rec: the record of the set
 * @vset: the set
 * @i: index of the value
 * @type: type of the metric, enum shim_type
 * @out: the value
 *
 * Return: 0, -EINVAL if the set has no such value, or -EBADMSG if the value is not of @type.
 */
int shim_vset__value(const struct shim_record *rec, const struct shim_vset *vset,
		     unsigned int i, int32_t type, struct shim_value *out)
{
	return vset->numval <= 0 || i >= (uint32_t)vset->numval ? -EINVAL :
	       shim_vset__values(rec, vset, i, 1, type, out);
}

static int insitu_values(const uint8_t *p, unsigned int n, int32_t type, struct shim_value *out)
{
	if (type != SHIM_TYPE_32 && type != SHIM_TYPE_U32 && type != SHIM_TYPE_FLOAT)
		return -EBADMSG;
	for (unsigned int i = 0; i < n; i++, p += SHIM_VALUE_LEN) {
		out[i].inst = (int32_t)shim_be32__get(p);
		out[i].type = type;
		out[i].len = 4;
		out[i].ul = shim_be32__get(p + 4);	/* the same bits for all three types */
	}
	return 0;
}

static inline int block_value(const struct shim_record *rec, const uint8_t *p, int32_t type,
			      struct shim_value *out)
{
	const uint8_t *payload;
	uint32_t len;

	payload = shim_record__block(rec, shim_be32__get(p + 4), &len);
	if (!payload)
		return -EBADMSG;
	out->inst = (int32_t)shim_be32__get(p);
	out->type = type;
	return take_payload(payload, len, type, out);
}

/**
 * shim_vset__values() - get several values of a set
 * @rec: the record of the set
 * @vset: the set, which has values
 * @from: index of the first value
 * @n: number of values; the set must have all of them
 * @type: type of the metric, enum shim_type
 * @out: the values
 *
 * Return: 0, or -EBADMSG if one of them is not of @type, in which case @out is
 * undefined.
 */
int shim_vset__values(const struct shim_record *rec, const struct shim_vset *vset,
		      unsigned int from, unsigned int n, int32_t type, struct shim_value *out)
{
	const uint8_t *p = vset->vlist + (size_t)from * SHIM_VALUE_LEN;
	int err = 0;

	if (vset->valfmt == SHIM_VAL_INSITU)
		return insitu_values(p, n, type, out);
	for (unsigned int i = 0; i < n && !err; i++, p += SHIM_VALUE_LEN)
		err = block_value(rec, p, type, &out[i]);
	return err;
}

/**
 * shim_rec_result__begin() - start building a record
 * @f: format of the archive
 * @r: the record; either zeroed or used before, in which case its buffers are reused
 * @stamp: the time of the record
 */
void shim_rec_result__begin(const struct shim_format *f, struct shim_rec_result *r,
			    struct shim_ts stamp)
{
	shim_buf__reset(&r->sets);
	shim_buf__reset(&r->blocks);
	r->nrefs = 0;
	r->npmids = 0;
	r->set = 0;
	r->numval = 0;
	shim_buf__put32(&r->sets, 0);
	shim_stamp__encode(f, &r->sets, stamp);
	shim_buf__put32(&r->sets, 0);
}

/* Finish a set by setting its value count.  An empty set has no value format. */
static void end_set(struct shim_rec_result *r)
{
	if (!r->set || r->sets.err)
		return;
	if (r->numval)
		shim_be32__put(r->sets.data + r->set + 4, r->numval);
	r->set = 0;
	r->numval = 0;
}

/**
 * shim_rec_result__set() - start a value set
 * @r: the record
 * @pmid: the metric of the set
 * @error: a negative error code instead of values, or 0
 */
void shim_rec_result__set(struct shim_rec_result *r, uint32_t pmid, int32_t error)
{
	uint8_t *p;

	end_set(r);
	r->set = (uint32_t)r->sets.len;
	r->npmids++;
	p = shim_buf__add(&r->sets, SHIM_SET_HEAD);
	if (p) {
		shim_be32__put(p, pmid);
		shim_be32__put(p + 4, (uint32_t)error);
	}
}

/*
 * Return the length of a value in a block.  Only strings and aggregates have their length in the
 * value.
 */
static uint32_t block_len(const struct shim_value *v)
{
	switch (v->type) {
	case SHIM_TYPE_64:
	case SHIM_TYPE_U64:
	case SHIM_TYPE_DOUBLE:
		return 8;
	case SHIM_TYPE_FLOAT:
		return 4;
	default:
		return v->len;
	}
}

/* Write a value's block.  Return its offset, in words, from the first block. */
static uint32_t put_block(struct shim_rec_result *r, const struct shim_value *v)
{
	uint32_t len = block_len(v), vlen = SHIM_BLOCK_HEAD + len, padding = -vlen & 3;
	uint32_t offset = (uint32_t)(r->blocks.len / 4);
	uint8_t *p = shim_buf__add(&r->blocks, (size_t)vlen + padding);

	if (!p)
		return 0;
	shim_be32__put(p, (uint32_t)v->type << 24 | vlen);
	p += SHIM_BLOCK_HEAD;
	if (v->type == SHIM_TYPE_FLOAT)
		shim_be32__put(p, v->ul);
	else if (v->type < SHIM_TYPE_STRING)
		shim_be64__put(p, v->ull);
	else if (len)
		memcpy(p, v->bytes, len);
	memset(p + len, SHIM_BLOCK_PAD, padding);
	return offset;
}

static void put_in_place(uint8_t *p, const struct shim_value *values, size_t n)
{
	for (size_t i = 0; i < n; i++, p += SHIM_VALUE_LEN) {
		shim_be32__put(p, (uint32_t)values[i].inst);
		shim_be32__put(p + 4, values[i].ul);
	}
}

static void put_blocks(struct shim_rec_result *r, uint8_t *p, const struct shim_value *values,
		       size_t n)
{
	if (shim_vec__reserve(r->refs, &r->refs_cap, r->nrefs + n)) {
		r->sets.err = -ENOMEM;
		return;
	}
	for (size_t i = 0; i < n; i++, p += SHIM_VALUE_LEN) {
		shim_be32__put(p, (uint32_t)values[i].inst);
		shim_be32__put(p + 4, put_block(r, &values[i]));
		r->refs[r->nrefs++] = (uint32_t)(p + 4 - r->sets.data);
	}
}

/**
 * shim_rec_result__values() - add values to the set under construction
 * @r: the record
 * @values: the values, all of the set's type; the caller has checked that each fits into a block.
 *	Their lengths are used only for strings and aggregates.
 * @n: number of values, at least 1
 */
void shim_rec_result__values(struct shim_rec_result *r, const struct shim_value *values, size_t n)
{
	bool in_place = values->type == SHIM_TYPE_32 || values->type == SHIM_TYPE_U32;
	uint32_t head = r->numval ? 0 : SHIM_VLIST_HEAD - SHIM_SET_HEAD;
	uint8_t *p = shim_buf__add(&r->sets, head + n * SHIM_VALUE_LEN);

	if (!p)
		return;
	if (head)
		shim_be32__put(p, in_place ? SHIM_VAL_INSITU : SHIM_VAL_DPTR);
	r->numval += (uint32_t)n;
	if (in_place)
		put_in_place(p + head, values, n);
	else
		put_blocks(r, p + head, values, n);
}

int shim_rec_result__end(const struct shim_format *f, struct shim_rec_result *r)
{
	uint32_t origin;

	end_set(r);
	origin = (uint32_t)(r->sets.len / 4) + SHIM_BLOCK_ORIGIN;
	shim_buf__put(&r->sets, r->blocks.data, r->blocks.len);
	shim_frame__close(&r->sets, 0);
	if (r->sets.err || r->blocks.err)
		return r->sets.err ? r->sets.err : r->blocks.err;
	shim_be32__put(r->sets.data + 4 + f->stamp_len, r->npmids);
	for (size_t i = 0; i < r->nrefs; i++) {
		uint8_t *ref = r->sets.data + r->refs[i];

		shim_be32__put(ref, shim_be32__get(ref) + origin);
	}
	return 0;
}

void shim_rec_result__free(struct shim_rec_result *r)
{
	shim_buf__free(&r->sets);
	shim_buf__free(&r->blocks);
	free(r->refs);
	*r = (struct shim_rec_result){ 0 };
}
