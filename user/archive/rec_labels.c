// SPDX-License-Identifier: LGPL-2.1-or-later
/* The records of metadata: metrics, instance domains, texts and labels */
#include <stdlib.h>

#include "base/json.h"
#include "record.h"

/* The record of a metric: its descriptor and its names */

#define DESC_MIN	36	/* length for a metric without a name */

/* Return the next name and its length.  A name that was truncated in place ends at a NUL. */
const uint8_t *shim_rec_desc__name(struct shim_in *names, uint32_t *len)
{
	uint32_t room = shim_in__u32(names);
	const uint8_t *name = shim_in__bytes(names, room);

	*len = name ? (uint32_t)strnlen((const char *)name, room) : 0;
	return name;
}

static int check_names(struct shim_in names, uint32_t n)
{
	while (n--) {
		uint32_t len;
		const uint8_t *name = shim_rec_desc__name(&names, &len);

		if (!name || !len || len > SHIM_NAME_MAX)
			return -EBADMSG;
	}
	return names.p == names.end ? 0 : -EBADMSG;
}

/**
 * shim_rec_desc__decode() - read a metric
 * @p: the whole record, whose frame shim_frame__len() has checked
 * @len: length of the record
 * @out: the metric, whose names have been checked
 *
 * Return: 0 or -EBADMSG.
 */
int shim_rec_desc__decode(const uint8_t *p, uint32_t len, struct shim_rec_desc *out)
{
	struct shim_rec_desc rec;
	struct shim_in in;

	if (len < DESC_MIN)
		return -EBADMSG;
	in = shim_in__of(p + 8, len - 12);
	rec.pmid = shim_in__u32(&in);
	rec.type = (int32_t)shim_in__u32(&in);
	rec.indom = shim_in__u32(&in);
	rec.sem = (int32_t)shim_in__u32(&in);
	rec.units = shim_in__u32(&in);
	rec.nnames = shim_in__u32(&in);
	rec.names = in;
	if (check_names(in, rec.nnames))
		return -EBADMSG;
	*out = rec;
	return 0;
}

void shim_rec_desc__encode(struct shim_buf *buf, const struct shim_desc *desc)
{
	size_t start = buf->len;

	shim_buf__put32(buf, 0);
	shim_buf__put32(buf, SHIM_META_DESC);
	shim_buf__put32(buf, desc->pmid);
	shim_buf__put32(buf, (uint32_t)desc->type);
	shim_buf__put32(buf, desc->indom);
	shim_buf__put32(buf, (uint32_t)desc->sem);
	shim_buf__put32(buf, desc->units);
	shim_buf__put32(buf, desc->nnames);
	for (unsigned int i = 0; i < desc->nnames; i++) {
		size_t len = strlen(desc->names[i]);

		shim_buf__put32(buf, (uint32_t)len);
		shim_buf__put(buf, desc->names[i], len);
	}
	shim_frame__close(buf, start);
}

/* The records of an instance domain: the whole domain, or a delta */

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

/* Check that IDs are not negative, and that names lie within @room bytes, which end with a NUL. */
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
 * shim_rec_indom__decode() - read an instance domain or the changes to it
 * @p: the whole record, whose frame shim_frame__len() has checked
 * @len: length of the record
 * @out: the record, whose entries have been checked; it points into @p
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

/* The record of a text: one-line or long help about a metric or an instance domain */

bool shim_rec_text__type_ok(uint32_t type)
{
	uint32_t level = type & (SHIM_TEXT_ONELINE | SHIM_TEXT_HELP);
	uint32_t about = type & (SHIM_TEXT_PMID | SHIM_TEXT_INDOM);

	return level && about && (level & (level - 1)) == 0 && (about & (about - 1)) == 0 &&
	       type == (level | about);
}

/**
 * shim_rec_text__decode() - read a text
 * @p: the whole record, whose frame shim_frame__len() has checked
 * @len: length of the record
 * @out: the text, which points into @p
 *
 * Return: 0 or -EBADMSG.
 */
int shim_rec_text__decode(const uint8_t *p, uint32_t len, struct shim_rec_text *out)
{
	struct shim_rec_text rec;
	struct shim_in in;

	if (len < SHIM_META_MIN)
		return -EBADMSG;
	in = shim_in__of(p + 8, len - SHIM_META_MIN);
	rec.type = shim_in__u32(&in);
	rec.ident = shim_in__u32(&in);
	if (in.bad || !shim_rec_text__type_ok(rec.type) || !memchr(in.p, 0, shim_in__left(&in)))
		return -EBADMSG;
	rec.text = (const char *)in.p;
	*out = rec;
	return 0;
}

void shim_rec_text__encode(struct shim_buf *buf, const struct shim_rec_text *text)
{
	size_t start = buf->len;

	shim_buf__put32(buf, 0);
	shim_buf__put32(buf, SHIM_META_TEXT);
	shim_buf__put32(buf, text->type);
	shim_buf__put32(buf, text->ident);
	shim_buf__put(buf, text->text, strlen(text->text) + 1);
	shim_frame__close(buf, start);
}

#define LABEL_LEN	8	/* two offsets, two lengths, flags */

static uint16_t be16(const uint8_t *p)
{
	return (uint16_t)(p[0] << 8 | p[1]);
}

struct shim_labelref shim_labelset__at(const struct shim_labelset *set, unsigned int i)
{
	const uint8_t *p = set->labels + LABEL_LEN * (size_t)i;

	return (struct shim_labelref){
		.name = be16(p),
		.namelen = p[2],
		.flags = p[3],
		.value = be16(p + 4),
		.valuelen = be16(p + 6),
	};
}

/* Return whether names and values are within the text. */
static bool labels_ok(const struct shim_labelset *set)
{
	for (int32_t i = 0; i < set->nlabels; i++) {
		struct shim_labelref ref = shim_labelset__at(set, i);

		if (ref.name + (uint32_t)ref.namelen > set->jsonlen ||
		    ref.value + (uint32_t)ref.valuelen > set->jsonlen)
			return false;
	}
	return true;
}

static void take_set(struct shim_in *in, struct shim_labelset *set)
{
	set->inst = (int32_t)shim_in__u32(in);
	set->jsonlen = shim_in__u32(in);
	set->json = (const char *)shim_in__bytes(in, set->jsonlen);
	set->nlabels = (int32_t)shim_in__u32(in);
	set->labels = shim_in__bytes(in, set->nlabels > 0 ? LABEL_LEN * (size_t)set->nlabels : 0);
}

static bool sets_ok(struct shim_in in, uint32_t n)
{
	while (n--) {
		struct shim_labelset set;

		take_set(&in, &set);
		if (in.bad || set.jsonlen > SHIM_LABELS_JSON_MAX ||
		    set.nlabels > SHIM_LABELS_MAX || !labels_ok(&set))
			return false;
	}
	return in.p == in.end;
}

/* Get the next set without checks, because the sets were checked when the record was decoded. */
void shim_labels__next(struct shim_labels_iter *iter, struct shim_labelset *out)
{
	struct shim_in in = shim_in__of(iter->at, iter->end - iter->at);

	take_set(&in, out);
	iter->at = in.p;
	iter->n--;
}

/**
 * shim_rec_labels__decode() - read labels
 * @p: the whole record, whose frame shim_frame__len() has checked
 * @len: length of the record
 * @out: the record, whose sets have been checked; it points into @p
 *
 * A version 3 archive may contain version 2 records, which have the shorter stamp.
 *
 * Return: 0 or -EBADMSG.
 */
int shim_rec_labels__decode(const uint8_t *p, uint32_t len, struct shim_rec_labels *out)
{
	struct shim_rec_labels rec;
	const struct shim_format *f;
	const uint8_t *stamp;
	struct shim_in in;

	if (len < SHIM_META_MIN)
		return -EBADMSG;
	f = shim_format__of(shim_be32__get(p + 4) == SHIM_META_LABEL_V2 ? 2 : 3);
	in = shim_in__of(p + 8, len - SHIM_META_MIN);
	stamp = shim_in__bytes(&in, f->stamp_len);
	rec.level = shim_in__u32(&in);
	rec.ident = shim_in__u32(&in);
	rec.sets.n = shim_in__u32(&in);
	rec.sets.at = in.p;
	rec.sets.end = in.end;
	if (in.bad || shim_stamp__decode(f, stamp, &rec.stamp) || !sets_ok(in, rec.sets.n))
		return -EBADMSG;
	*out = rec;
	return 0;
}

static int by_name(const void *a, const void *b)
{
	const struct shim_json_member *ma = a, *mb = b;
	size_t n = ma->namelen < mb->namelen ? ma->namelen : mb->namelen;
	int cmp = memcmp(ma->name, mb->name, n);

	return cmp ? cmp : (ma->namelen > mb->namelen) - (ma->namelen < mb->namelen);
}

/*
 * Parse and sort a set's labels.  Return their number, or -EINVAL if PCP would not accept the set.
 */
static int members_parse(const char *text, struct shim_json_member members[SHIM_LABELS_MAX])
{
	struct shim_json_member m;
	struct shim_json json;
	int n = 0, err;

	err = shim_json__begin(&json, text, strlen(text));
	while (!err && (err = shim_json__next(&json, &m)) > 0) {
		if (n == SHIM_LABELS_MAX || m.namelen > UINT8_MAX || m.value[0] == '{' ||
		    !shim_json__is_name(m.name, m.namelen))
			return -EINVAL;
		members[n++] = m;
		err = 0;
	}
	if (err)
		return err;
	qsort(members, n, sizeof(*members), by_name);
	for (int i = 1; i < n; i++)
		if (!by_name(&members[i - 1], &members[i]))
			return -EINVAL;
	return n;
}

static void put_ref(uint8_t *p, struct shim_labelref ref)
{
	shim_be32__put(p, (uint32_t)ref.name << 16 | (uint32_t)ref.namelen << 8 | ref.flags);
	shim_be32__put(p + 4, (uint32_t)ref.value << 16 | ref.valuelen);
}

/*
 * Print the labels without blanks to @out, and store their positions in @refs.  Return the text's
 * length.
 */
static size_t print(char *out, const struct shim_json_member *members, int n, uint8_t flags,
		    uint8_t *refs)
{
	char *p = out;

	*p++ = '{';
	for (int i = 0; i < n; i++) {
		const struct shim_json_member *m = &members[i];
		struct shim_labelref ref = { .namelen = m->namelen, .flags = flags };

		if (i)
			*p++ = ',';
		*p++ = '"';
		ref.name = p - out;
		memcpy(p, m->name, m->namelen);
		p += m->namelen;
		*p++ = '"';
		*p++ = ':';
		ref.value = p - out;
		ref.valuelen = shim_json__squeeze(p, m->value, m->valuelen);
		p += ref.valuelen;
		put_ref(refs + LABEL_LEN * (size_t)i, ref);
	}
	*p++ = '}';
	return (size_t)(p - out);
}

/* These buffers are allocated, because they are too large for a stack of the minimum size. */
struct set_room {
	struct shim_json_member members[SHIM_LABELS_MAX];
	uint8_t refs[LABEL_LEN * SHIM_LABELS_MAX];
	char json[];
};

static int put_set(struct shim_buf *buf, int32_t inst, const char *text, uint8_t flags)
{
	const size_t room = strlen(text);
	struct set_room *r;
	size_t len;
	int n;

	if (room > SHIM_LABELS_JSON_MAX)
		return -EINVAL;
	r = malloc(sizeof(*r) + room);
	if (!r)
		return -ENOMEM;
	n = members_parse(text, r->members);
	if (n < 0) {
		free(r);
		return n;
	}
	/*
	 * The result fits, because it is the original text in a different order and without blanks.
	 */
	len = print(r->json, r->members, n, flags, r->refs);
	shim_buf__put32(buf, (uint32_t)inst);
	shim_buf__put32(buf, (uint32_t)len);
	shim_buf__put(buf, r->json, len);
	shim_buf__put32(buf, (uint32_t)n);
	shim_buf__put(buf, r->refs, LABEL_LEN * (size_t)n);
	free(r);
	return 0;
}

int shim_rec_labels__encode(const struct shim_format *f, struct shim_buf *buf,
			    const struct shim_labels *labels)
{
	size_t start = buf->len;
	int err = 0;

	shim_buf__put32(buf, 0);
	shim_buf__put32(buf, f->labels_type);
	shim_stamp__encode(f, buf, labels->stamp);
	shim_buf__put32(buf, labels->level);
	shim_buf__put32(buf, labels->ident);
	shim_buf__put32(buf, labels->n);
	for (unsigned int i = 0; i < labels->n && !err; i++)
		err = put_set(buf, labels->inst ? labels->inst[i] : SHIM_IN_NULL, labels->json[i],
			      (uint8_t)labels->level);
	if (err)
		return err;
	shim_frame__close(buf, start);
	return buf->err;
}
