// SPDX-License-Identifier: LGPL-2.1-or-later
/* DESC, INSTANCE, TEXT and LABEL: a metric's metadata */
#include "pdu.h"

#define NONE		0xffffffffu
#define DESC_SIZE	20

static void desc_take(struct shim_in *in, struct shim_pdu_desc *desc)
{
	desc->pmid = shim_in__u32(in);
	desc->type = (int32_t)shim_in__u32(in);
	desc->indom = shim_in__u32(in);
	desc->sem = (int32_t)shim_in__u32(in);
	desc->units = shim_in__u32(in);
}

void shim_pdu_desc__encode(struct shim_buf *out, int32_t from, uint32_t pmid)
{
	shim_pdu__begin(out, SHIM_PDU_DESC_REQ, from);
	shim_buf__put32(out, pmid);
	shim_pdu__end(out);
}

int shim_pdu_desc__decode(struct shim_pdu *pdu, uint32_t pmid, struct shim_pdu_desc *desc)
{
	int err;

	desc_take(&pdu->in, desc);
	err = shim_pdu__done(&pdu->in);
	return err || desc->pmid != pmid ? -EBADMSG : 0;
}

void shim_pdu_descs__encode(struct shim_buf *out, int32_t from, uint32_t n, const uint32_t *pmids)
{
	shim_pdu__begin(out, SHIM_PDU_DESC_IDS, from);
	shim_buf__put32(out, NONE);
	shim_buf__put32(out, n);
	for (uint32_t i = 0; i < n; i++)
		shim_buf__put32(out, pmids[i]);
	shim_pdu__end(out);
}

int shim_pdu_descs__decode(struct shim_pdu *pdu, uint32_t n, const uint32_t *pmids)
{
	uint32_t count = shim_in__u32(&pdu->in);
	struct shim_in in = pdu->in;

	if (in.bad || count != n || shim_in__left(&in) != (size_t)n * DESC_SIZE)
		return -EBADMSG;
	for (uint32_t i = 0; i < n; i++) {
		struct shim_pdu_desc desc;

		desc_take(&in, &desc);
		if (desc.pmid != NONE && desc.pmid != pmids[i])
			return -EBADMSG;
	}
	return 0;
}

void shim_pdu_descs__next(struct shim_pdu *pdu, struct shim_pdu_desc *desc)
{
	desc_take(&pdu->in, desc);
}

/* INSTANCE_REQ and INSTANCE: instances of a domain and their names */

#define ENTRY_SIZE	8	/* size of an entry without its name */

void shim_pdu_instance__encode(struct shim_buf *out, int32_t from, uint32_t indom, int32_t inst,
			       const char *name)
{
	shim_pdu__begin(out, SHIM_PDU_INSTANCE_REQ, from);
	shim_buf__put32(out, indom);
	shim_buf__put32(out, 0);
	shim_buf__put32(out, 0);
	shim_buf__put32(out, (uint32_t)inst);
	shim_pdu__put_string(out, name, strlen(name));
	shim_pdu__end(out);
}

static void instance_take(struct shim_in *in, struct shim_pdu_instance *instance)
{
	instance->inst = (int32_t)shim_in__u32(in);
	instance->name = shim_pdu__string(in, shim_in__u32(in));
}

int shim_pdu_instance__decode(struct shim_pdu *pdu, uint32_t *n, size_t *bytes)
{
	struct shim_pdu_instance instance;
	struct shim_in in;

	/* Skip the domain, which pmcd's own agent does not set. */
	shim_in__u32(&pdu->in);
	*n = shim_in__u32(&pdu->in);
	*bytes = 0;
	in = pdu->in;
	if (in.bad || *n > shim_in__left(&in) / ENTRY_SIZE)
		return -EBADMSG;
	for (uint32_t i = 0; i < *n; i++) {
		instance_take(&in, &instance);
		*bytes += instance.name.len;
	}
	return shim_pdu__done(&in);
}

void shim_pdu_instance__next(struct shim_pdu *pdu, struct shim_pdu_instance *instance)
{
	instance_take(&pdu->in, instance);
}

/* TEXT_REQ and TEXT: help texts of metrics and instance domains */

void shim_pdu_text__encode(struct shim_buf *out, int32_t from, uint32_t ident, uint32_t flags)
{
	shim_pdu__begin(out, SHIM_PDU_TEXT_REQ, from);
	shim_buf__put32(out, ident);
	shim_buf__put32(out, flags);
	shim_pdu__end(out);
}

int shim_pdu_text__decode(struct shim_pdu *pdu, struct shim_pdu_string *text)
{
	/* Skip the identifier, which some servers send in their own byte order. */
	shim_in__u32(&pdu->in);
	*text = shim_pdu__string(&pdu->in, shim_in__u32(&pdu->in));
	return shim_pdu__done(&pdu->in);
}

/* LABEL_REQ and LABEL: names and values that annotate metrics */

#define SET_SIZE	16
#define LABEL_SIZE	8
#define LABELS_MAX	255
#define JSON_MAX	65535

void shim_pdu_label__encode(struct shim_buf *out, int32_t from, uint32_t ident, uint32_t type)
{
	shim_pdu__begin(out, SHIM_PDU_LABEL_REQ, from);
	shim_buf__put32(out, ident);
	shim_buf__put32(out, type);
	shim_pdu__end(out);
}

/*
 * Read the next set. *@at is the expected address of its text, or NULL if that is not within the
 * PDU.
 */
static void label_take(const struct shim_pdu *pdu, struct shim_in *in,
		       struct shim_pdu_labelset *set, uint32_t *at)
{
	set->inst = (int32_t)shim_in__u32(in);
	set->nlabels = (int32_t)shim_in__u32(in);
	*at = shim_in__u32(in);
	set->jsonlen = shim_in__u32(in);
	set->json = NULL;
	set->labels = NULL;
	if (set->nlabels > LABELS_MAX || set->jsonlen > JSON_MAX)
		in->bad = true;
	if (set->nlabels > 0)
		set->labels = shim_in__bytes(in, (size_t)set->nlabels * LABEL_SIZE);
	if (!in->bad && *at <= pdu->len && set->jsonlen <= pdu->len - *at)
		set->json = (const char *)pdu->start + *at;
}

struct shim_pdu_label shim_pdu_labelset__at(const struct shim_pdu_labelset *set, uint32_t i)
{
	const uint8_t *p = set->labels + (size_t)i * LABEL_SIZE;

	return (struct shim_pdu_label){
		.name = (uint32_t)p[0] << 8 | p[1],
		.namelen = p[2],
		.flags = p[3],
		.value = (uint32_t)p[4] << 8 | p[5],
		.valuelen = (uint32_t)p[6] << 8 | p[7],
	};
}

static bool fits(const struct shim_pdu_labelset *set)
{
	for (int32_t i = 0; i < set->nlabels; i++) {
		struct shim_pdu_label label = shim_pdu_labelset__at(set, i);

		if (label.name + label.namelen > set->jsonlen ||
		    label.value + label.valuelen > set->jsonlen)
			return false;
	}
	return true;
}

/* Check the texts. They are contiguous, and the first one begins where the sets end. */
static int check_texts(const struct shim_pdu *pdu, uint32_t n, uint32_t texts)
{
	struct shim_in in = pdu->in;
	uint32_t next = texts;

	for (uint32_t i = 0; i < n; i++) {
		struct shim_pdu_labelset set;
		uint32_t at;

		label_take(pdu, &in, &set, &at);
		if (set.nlabels < 0 && !set.jsonlen)
			continue;
		if (!set.jsonlen && !set.nlabels)
			continue;	/* an empty text may have any offset */
		if (!set.json || at != next || !fits(&set))
			return -EBADMSG;
		next += set.jsonlen;
	}
	return next == pdu->len ? 0 : -EBADMSG;
}

int shim_pdu_label__decode(struct shim_pdu *pdu, uint32_t type, uint32_t *n)
{
	uint32_t of, at;
	struct shim_in in;

	shim_in__u32(&pdu->in);		/* skip the identifier */
	of = shim_in__u32(&pdu->in);
	shim_in__u32(&pdu->in);
	*n = shim_in__u32(&pdu->in);
	in = pdu->in;
	if (in.bad || of != type || *n > shim_in__left(&in) / SET_SIZE)
		return -EBADMSG;
	for (uint32_t i = 0; i < *n; i++) {
		struct shim_pdu_labelset set;

		label_take(pdu, &in, &set, &at);
	}
	return in.bad ? -EBADMSG : check_texts(pdu, *n, in.p - pdu->start);
}

void shim_pdu_label__next(struct shim_pdu *pdu, struct shim_pdu_labelset *set)
{
	uint32_t at;

	label_take(pdu, &pdu->in, set, &at);
}
