// SPDX-License-Identifier: LGPL-2.1-or-later
/* The records of an instance domain: the whole domain, or a delta. */
#include "record.h"

#define DELETED	0xffffffffu

int32_t shim_rec_indom__id(const struct shim_rec_indom *rec, uint32_t i)
{
	return (int32_t)shim_be32__get(rec->ids + 4 * (size_t)i);
}

const char *shim_rec_indom__name(const struct shim_rec_indom *rec, uint32_t i)
{
	uint32_t offset = shim_be32__get(rec->offsets + 4 * (size_t)i);

	return offset == DELETED ? NULL : rec->strings + offset;
}

/* Check that ids are not negative, and that names lie within @room bytes, which end with a NUL */
static int check_entries(const struct shim_rec_indom *rec, size_t room)
{
	bool terminated = room && !rec->strings[room - 1];

	for (uint32_t i = 0; i < rec->n; i++) {
		uint32_t offset = shim_be32__get(rec->offsets + 4 * (size_t)i);

		if (shim_rec_indom__id(rec, i) < 0)
			return -EBADMSG;
		if (rec->delta && offset == DELETED)
			continue;
		if (!terminated || offset >= room)
			return -EBADMSG;
	}
	return 0;
}

/**
 * shim_rec_indom__decode() - read an instance domain or a change of it
 * @p: the whole record, whose frame shim_frame__len() has checked
 * @len: its length
 * @out: the record, its entries checked; it points into @p
 *
 * A version 3 archive may contain version 2 records, which have the shorter stamp.
 *
 * Return: 0 or -EBADMSG.
 */
int shim_rec_indom__decode(const uint8_t *p, uint32_t len, struct shim_rec_indom *out)
{
	struct shim_rec_indom rec = { 0 };
	const struct shim_format *f;
	const uint8_t *stamp;
	struct shim_in in;
	uint32_t type;

	if (len < SHIM_META_MIN)
		return -EBADMSG;
	in = shim_in__of(p + 4, len - SHIM_FRAME_LEN);
	type = shim_in__u32(&in);
	f = type == SHIM_META_INDOM_V2 ? shim_format__of(2) : shim_format__of(3);
	rec.delta = type == SHIM_META_INDOM_DELTA;
	stamp = shim_in__bytes(&in, f->stamp_len);
	rec.indom = shim_in__u32(&in);
	rec.n = shim_in__u32(&in);
	if (in.bad || rec.n > shim_in__left(&in) / 8)
		return -EBADMSG;
	rec.ids = shim_in__bytes(&in, 4 * (size_t)rec.n);
	rec.offsets = shim_in__bytes(&in, 4 * (size_t)rec.n);
	rec.strings = (const char *)in.p;
	if (shim_stamp__decode(f, stamp, &rec.stamp) || check_entries(&rec, shim_in__left(&in)))
		return -EBADMSG;
	*out = rec;
	return 0;
}

static void put_offsets(struct shim_buf *buf, const struct shim_indom *indom)
{
	uint32_t offset = 0;

	for (unsigned int i = 0; i < indom->n; i++) {
		if (!indom->name[i]) {
			shim_buf__put32(buf, DELETED);
			continue;
		}
		shim_buf__put32(buf, offset);
		offset += (uint32_t)strlen(indom->name[i]) + 1;
	}
}

void shim_rec_indom__encode(const struct shim_format *f, struct shim_buf *buf,
			    const struct shim_indom *indom, bool delta)
{
	size_t start = buf->len;

	shim_buf__put32(buf, 0);
	shim_buf__put32(buf, delta ? SHIM_META_INDOM_DELTA : f->indom_type);
	shim_stamp__encode(f, buf, indom->stamp);
	shim_buf__put32(buf, indom->indom);
	shim_buf__put32(buf, indom->n);
	for (unsigned int i = 0; i < indom->n; i++)
		shim_buf__put32(buf, (uint32_t)indom->inst[i]);
	put_offsets(buf, indom);
	for (unsigned int i = 0; i < indom->n; i++)
		if (indom->name[i])
			shim_buf__put(buf, indom->name[i], strlen(indom->name[i]) + 1);
	shim_frame__close(buf, start);
}
