// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Event records in a value: convert them from disk byte order to host byte order, and unpack them
 * into one result per record.
 *
 * Each result is one allocation, like the result of a fetch (result.c).  The two kinds of result
 * differ only in their stamps.  The value is not trusted, because it may come from a damaged
 * archive.
 */
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <pcp/pmapi.h>

#include "base/api.h"
#include "base/bytes.h"
#include "event.h"
#include "result.h"

#define FLAG_MISSED (1u << 31)
#define PMID_FLAGS	(DYNAMIC_PMID << 22 | 1)
#define PMID_MISSED	(DYNAMIC_PMID << 22 | 2)

_Static_assert(sizeof(pmEventParameter) == 8 && offsetof(pmEventRecord, er_param) == 16 &&
	       offsetof(pmHighResEventRecord, er_param) == 24, "records must have the layout of the protocol");

/*
 * A conversion of @in, in disk byte order, to @out, in host byte order.  Once @in is invalid,
 *	nothing more is written.
 */
struct turn {
	struct shim_in in;
	char *out;
};

static uint32_t turn32(struct turn *t)
{
	uint32_t v = shim_in__u32(&t->in);

	if (t->in.bad)
		return 0;
	memcpy(t->out, &v, sizeof(v));
	t->out += sizeof(v);
	return v;
}

static void turn64(struct turn *t)
{
	uint64_t v = shim_in__u64(&t->in);

	if (t->in.bad)
		return;
	memcpy(t->out, &v, sizeof(v));
	t->out += sizeof(v);
}

static void copy(struct turn *t, uint32_t len)
{
	const uint8_t *p = shim_in__bytes(&t->in, len);

	if (!p)
		return;
	memcpy(t->out, p, len);
	t->out += len;
}

static void turn_parameter(struct turn *t)
{
	uint32_t head, type, len;

	turn32(t);
	head = turn32(t);
	type = head >> 24;
	len = head & PM_VAL_VLEN_MAX;
	if (len < PM_VAL_HDR_SIZE) {
		t->in.bad = true;
		return;
	}
	len = (len - PM_VAL_HDR_SIZE + 3) & ~3u;
	if (len == 4 && (type == PM_TYPE_32 || type == PM_TYPE_U32 || type == PM_TYPE_FLOAT))
		turn32(t);
	else if (len == 8 && (type == PM_TYPE_64 || type == PM_TYPE_U64 || type == PM_TYPE_DOUBLE))
		turn64(t);
	else
		copy(t, len);
}

static void turn_record(struct turn *t, int type)
{
	uint32_t flags, parameters;

	if (type == PM_TYPE_EVENT) {
		turn32(t);
		turn32(t);
	} else {
		turn64(t);
		turn64(t);
	}
	flags = turn32(t);
	parameters = turn32(t);
	if (flags & FLAG_MISSED)
		return;		/* @parameters is the number of lost records in this case */
	for (uint32_t i = 0; i < parameters && !t->in.bad; i++)
		turn_parameter(t);
}

int shim_event__to_host(int type, const uint8_t *p, uint32_t len, char *out)
{
	struct turn t = { .in = shim_in__of(p, len), .out = out };
	uint32_t records = turn32(&t);

	for (uint32_t i = 0; i < records && !t.in.bad; i++)
		turn_record(&t, type);
	copy(&t, shim_in__left(&t.in));
	return t.in.bad ? -EBADMSG : 0;
}

/* The rest of a value.  @types is PM_ERR_TYPE once a parameter had the wrong type, otherwise 0. */
struct unpacking {
	const char *at, *end;
	bool fine;
	int types;
};

struct head {
	int64_t sec, fraction;
	unsigned int flags;
	int parameters;
};

static const char *unpack_take(struct unpacking *u, size_t len)
{
	const char *p = u->at;

	if ((size_t)(u->end - u->at) < len)
		return NULL;
	u->at += len;
	return p;
}

static int take_head(struct unpacking *u, struct head *out)
{
	pmHighResEventRecord fine;
	pmEventRecord coarse;
	size_t len = u->fine ? offsetof(pmHighResEventRecord, er_param) :
			       offsetof(pmEventRecord, er_param);
	const char *p = unpack_take(u, len);

	if (!p)
		return PM_ERR_TOOBIG;
	if (u->fine) {
		memcpy(&fine, p, len);
		*out = (struct head){ fine.er_timestamp.tv_sec, fine.er_timestamp.tv_nsec,
				      fine.er_flags, fine.er_nparams };
	} else {
		memcpy(&coarse, p, len);
		*out = (struct head){ coarse.er_timestamp.tv_sec, coarse.er_timestamp.tv_usec,
				      coarse.er_flags, coarse.er_nparams };
	}
	if (out->flags & PM_EVENT_FLAG_MISSED)
		return out->flags == PM_EVENT_FLAG_MISSED ? 0 : PM_ERR_CONV;
	return out->parameters < 0 ? PM_ERR_TOOSMALL : 0;
}

static bool in_place(unsigned int type)
{
	return type == PM_TYPE_32 || type == PM_TYPE_U32;
}

static size_t padded(size_t len)
{
	return (len + 3) & ~(size_t)3;
}

static int take_parameter(struct unpacking *u, pmEventParameter *out, const char **payload)
{
	const char *p = unpack_take(u, sizeof(*out));
	size_t len;

	if (!p)
		return PM_ERR_TOOBIG;
	memcpy(out, p, sizeof(*out));
	if (out->ep_len < PM_VAL_HDR_SIZE)
		return PM_ERR_TOOSMALL;
	len = padded(out->ep_len - PM_VAL_HDR_SIZE);
	*payload = unpack_take(u, len);
	if (!*payload)
		return PM_ERR_TOOBIG;
	if (out->ep_type >= PM_TYPE_EVENT)
		u->types = PM_ERR_TYPE;
	return in_place(out->ep_type) && len < 4 ? PM_ERR_TOOSMALL : 0;
}

static unsigned int sets_of(const struct head *head)
{
	unsigned int own = head->flags ? 1 : 0;

	return own + (head->flags & PM_EVENT_FLAG_MISSED ? 1u : (unsigned int)head->parameters);
}

static size_t payload_of(const pmEventParameter *p)
{
	return p->ep_len - PM_VAL_HDR_SIZE;
}

/* Compute the size of the blocks of a record's result, and advance past the record. */
static int unpack_measure(struct unpacking *u, const struct head *head, size_t *blocks)
{
	*blocks = 0;

	for (int i = 0; !(head->flags & PM_EVENT_FLAG_MISSED) && i < head->parameters; i++) {
		pmEventParameter p;
		const char *payload = NULL;
		int err = take_parameter(u, &p, &payload);

		if (err)
			return err;
		if (!in_place(p.ep_type))
			*blocks += shim_result__block_len((int)p.ep_type, payload_of(&p));
	}
	return 0;
}

static pmValue *add_value(struct shim_builder *b, pmID pmid, int valfmt)
{
	pmValueSet *set = shim_builder__set(b, pmid, 1, valfmt);

	set->vlist[0].inst = PM_IN_NULL;
	return &set->vlist[0];
}

static void add_word(struct shim_builder *b, pmID pmid, const void *word)
{
	pmValue *v = add_value(b, pmid, PM_VAL_INSITU);

	memcpy(&v->value.lval, word, sizeof(v->value.lval));
}

static void add_block(struct shim_builder *b, const pmEventParameter *p, const char *payload)
{
	pmValue *v = add_value(b, p->ep_pmid, PM_VAL_DPTR);

	memcpy(shim_builder__block(b, v, (int)p->ep_type, payload_of(p)), payload, payload_of(p));
}

/* Fill in a record's result; unpack_measure() has checked that the record is complete. */
static void fill(struct unpacking *u, const struct head *head, struct shim_builder *b)
{
	b->result->timestamp.tv_sec = head->sec;
	b->result->timestamp.tv_usec = head->fraction;
	if (head->flags)
		add_word(b, PMID_FLAGS, &head->flags);
	if (head->flags & PM_EVENT_FLAG_MISSED) {
		add_word(b, PMID_MISSED, &head->parameters);
		return;
	}
	for (int i = 0; i < head->parameters; i++) {
		pmEventParameter p;
		const char *payload = NULL;

		take_parameter(u, &p, &payload);
		if (in_place(p.ep_type))
			add_word(b, p.ep_pmid, payload);
		else
			add_block(b, &p, payload);
	}
}

static int take_record(struct unpacking *u, pmResult **out)
{
	struct unpacking again;
	struct shim_builder b;
	struct head head;
	size_t blocks;
	int err = take_head(u, &head);

	again = *u;
	if (!err)
		err = unpack_measure(u, &head, &blocks);
	if (!err)
		err = shim_builder__begin(&b, sets_of(&head),
					  sets_of(&head) * shim_result__set_len(1), blocks);
	if (err)
		return err;
	fill(&again, &head, &b);
	*out = b.result;
	return 0;
}

static void free_all(pmResult **results)
{
	for (pmResult **r = results; r && *r; r++)
		free(*r);
	free(results);
}

/* Open a value for unpacking.  Return its record count, or an error. */
static int unpack_begin(const pmValueSet *vsp, int idx, struct unpacking *u)
{
	const pmValueBlock *block;
	int n;

	if (vsp->numval < 1)
		return vsp->numval;
	if (idx < 0 || idx >= vsp->numval)
		return -EINVAL;
	if (vsp->valfmt != PM_VAL_DPTR && vsp->valfmt != PM_VAL_SPTR)
		return PM_ERR_CONV;
	block = vsp->vlist[idx].value.pval;
	if (block->vtype != (u->fine ? PM_TYPE_HIGHRES_EVENT : PM_TYPE_EVENT))
		return PM_ERR_TYPE;
	if (block->vlen < PM_VAL_HDR_SIZE + sizeof(n))
		return PM_ERR_TOOSMALL;
	memcpy(&n, block->vbuf, sizeof(n));
	u->at = block->vbuf + sizeof(n);
	u->end = (const char *)block + block->vlen;
	return n < 0 ? PM_ERR_TOOSMALL : n;
}

static int unpack(const pmValueSet *vsp, int idx, bool fine, pmResult ***out)
{
	struct unpacking u = { .fine = fine };
	int n = unpack_begin(vsp, idx, &u);
	pmResult **results;
	int err = 0;

	if (n < 0)
		return n;
	if (n > u.end - u.at)
		return PM_ERR_TOOBIG;	/* each record takes more than one byte */
	if (n == 0) {
		*out = NULL;
		return 0;
	}
	results = calloc((size_t)n + 1, sizeof(*results));
	if (!results)
		return -ENOMEM;
	for (int i = 0; i < n && !err; i++)
		err = take_record(&u, &results[i]);
	/* As in PCP, other errors have precedence, even if they come later. */
	if (!err)
		err = u.types;
	if (err) {
		free_all(results);
		return err;
	}
	*out = results;
	return n;
}

/**
 * pmUnpackEventRecords() - unpack the event records in a value of type PM_TYPE_EVENT
 * @vsp: the value set, from a fetch
 * @idx: index of the value in the set
 * @rap: on success, a NULL-terminated list of results, to be freed with pmFreeEventResult(); NULL
 *	if there is no record
 *
 * The result of a record contains event.flags, if any flag is set, and the parameters; for lost
 * records, it contains event.missed.
 *
 * Return: the number of records; the set's numval if it has no values; PM_ERR_CONV for a value in
 * place, or if the flag of lost records is combined with other flags; PM_ERR_TYPE for a value or a
 * parameter of the wrong type; PM_ERR_TOOSMALL or PM_ERR_TOOBIG if lengths are inconsistent;
 * -EINVAL for an @idx out of range; -ENOMEM.
 */
SHIM_API int pmUnpackEventRecords(pmValueSet *vsp, int idx, pmResult ***rap)
{
	return vsp && rap ? unpack(vsp, idx, false, rap) : -EINVAL;
}

/**
 * pmUnpackHighResEventRecords() - unpack the event records in a value of type PM_TYPE_HIGHRES_EVENT
 * @vsp: the value set, from a fetch
 * @idx: index of the value in the set
 * @rap: as for pmUnpackEventRecords(), to be freed with pmFreeHighResEventResult()
 *
 * Return: as for pmUnpackEventRecords().
 */
SHIM_API int pmUnpackHighResEventRecords(pmValueSet *vsp, int idx, pmHighResResult ***rap)
{
	return vsp && rap ? unpack(vsp, idx, true, (pmResult ***)rap) : -EINVAL;
}

/** pmFreeEventResult() - free the result of pmUnpackEventRecords(), or NULL */
SHIM_API void pmFreeEventResult(pmResult **rset)
{
	free_all(rset);
}

/** pmFreeHighResEventResult() - free the result of pmUnpackHighResEventRecords(), or NULL */
SHIM_API void pmFreeHighResEventResult(pmHighResResult **rset)
{
	free_all((pmResult **)rset);
}
