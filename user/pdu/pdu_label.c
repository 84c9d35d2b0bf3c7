// SPDX-License-Identifier: LGPL-2.1-or-later
/* LABEL_REQ and LABEL: names and values that annotate metrics. */
#include "pdu.h"

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
 * Read the next set; *@at is the expected address of its text, NULL if that is not within the PDU
 */
static void take(const struct shim_pdu *pdu, struct shim_in *in, struct shim_pdu_labelset *set,
		 uint32_t *at)
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

/* The texts are contiguous; the first begins where the sets end. */
static int check_texts(const struct shim_pdu *pdu, uint32_t n, uint32_t texts)
{
	struct shim_in in = pdu->in;
	uint32_t next = texts;

	for (uint32_t i = 0; i < n; i++) {
		struct shim_pdu_labelset set;
		uint32_t at;

		take(pdu, &in, &set, &at);
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

	shim_in__u32(&pdu->in);		/* the identifier */
	of = shim_in__u32(&pdu->in);
	shim_in__u32(&pdu->in);
	*n = shim_in__u32(&pdu->in);
	in = pdu->in;
	if (in.bad || of != type || *n > shim_in__left(&in) / SET_SIZE)
		return -EBADMSG;
	for (uint32_t i = 0; i < *n; i++) {
		struct shim_pdu_labelset set;

		take(pdu, &in, &set, &at);
	}
	return in.bad ? -EBADMSG : check_texts(pdu, *n, in.p - pdu->start);
}

void shim_pdu_label__next(struct shim_pdu *pdu, struct shim_pdu_labelset *set)
{
	uint32_t at;

	take(pdu, &pdu->in, set, &at);
}
