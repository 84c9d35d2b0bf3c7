// SPDX-License-Identifier: LGPL-2.1-or-later
/* PROFILE, FETCH and RESULT: the values of metrics, requested, received and stored */
#include "pdu.h"

/* PROFILE: the instances that the following fetches return; it has no reply */

void shim_pdu_profile__encode(struct shim_buf *out, int32_t from, bool exclude, uint32_t n,
			      const struct shim_pdu_profile *indoms)
{
	shim_pdu__begin(out, SHIM_PDU_PROFILE, from);
	shim_buf__put32(out, 0);	/* the context's number: a connection has only one */
	shim_buf__put32(out, exclude);
	shim_buf__put32(out, n);
	shim_buf__put32(out, 0);
	for (uint32_t i = 0; i < n; i++) {
		shim_buf__put32(out, indoms[i].indom);
		shim_buf__put32(out, indoms[i].exclude);
		shim_buf__put32(out, indoms[i].n);
		shim_buf__put32(out, 0);
	}
	for (uint32_t i = 0; i < n; i++)
		for (uint32_t j = 0; j < indoms[i].n; j++)
			shim_buf__put32(out, (uint32_t)indoms[i].inst[j]);
	shim_pdu__end(out);
}

/* FETCH and HIGHRES_FETCH: requests for the values of metrics */

void shim_pdu_fetch__encode(struct shim_buf *out, int32_t from, bool highres, uint32_t n,
			    const uint32_t *pmids)
{
	uint8_t *p;

	shim_pdu__begin(out, highres ? SHIM_PDU_HIGHRES_FETCH : SHIM_PDU_FETCH, from);
	shim_buf__put32(out, 0);	/* the context's number, as in PROFILE */
	shim_buf__put32(out, 0);
	shim_buf__put32(out, 0);
	shim_buf__put32(out, n);
	p = shim_buf__add(out, (size_t)n * 4);
	for (uint32_t i = 0; p && i < n; i++)
		shim_be32__put(p + (size_t)i * 4, pmids[i]);
	shim_pdu__end(out);
}

#define NSEC_PER_USEC	1000
#define NSEC_PER_SEC	1000000000u
#define BLOCK_HEADER	4
#define BLOCK_LEN_MAX	0xffffffu
#define VALUE_SIZE	8
#define VSET_SIZE	12	/* without values, it is one word smaller */

static uint32_t take_stamp(struct shim_pdu *pdu, struct shim_ts *stamp)
{
	uint64_t fraction;
	uint32_t n;

	if (pdu->type == SHIM_PDU_HIGHRES_RESULT) {
		n = shim_in__u32(&pdu->in);
		stamp->sec = (int64_t)shim_in__u64(&pdu->in);
		fraction = shim_in__u64(&pdu->in);
	} else {
		stamp->sec = (int32_t)shim_in__u32(&pdu->in);
		fraction = (uint64_t)shim_in__u32(&pdu->in) * NSEC_PER_USEC;
		n = shim_in__u32(&pdu->in);
	}
	if (fraction >= NSEC_PER_SEC)
		pdu->in.bad = true;
	stamp->nsec = (int32_t)fraction;
	return n;
}

static inline void take_vset(struct shim_in *in, struct shim_pdu_vset *vset)
{
	const uint8_t *p = in->p;

	if (in->bad || shim_in__left(in) < VSET_SIZE) {	/* only the last set may be shorter */
		vset->pmid = shim_in__u32(in);
		vset->numval = (int32_t)shim_in__u32(in);
		vset->valfmt = vset->numval > 0 ? shim_in__u32(in) : 0;
		return;
	}
	vset->pmid = shim_be32__get(p);
	vset->numval = (int32_t)shim_be32__get(p + 4);
	vset->valfmt = vset->numval > 0 ? shim_be32__get(p + 8) : 0;
	in->p += vset->numval > 0 ? VSET_SIZE : VSET_SIZE - 4;
}

/* Check a value's block.  Blocks are contiguous, in the order of the values. */
static void check_block(const struct shim_pdu *pdu, struct shim_in *in, uint32_t word,
			uint32_t *next)
{
	uint32_t len;

	if (word != *next / 4 || *next > pdu->len || pdu->len - *next < BLOCK_HEADER) {
		in->bad = true;
		return;
	}
	len = shim_be32__get(pdu->start + *next) & BLOCK_LEN_MAX;
	if (len < BLOCK_HEADER || shim_pdu__padded(len) > pdu->len - *next) {
		in->bad = true;
		return;
	}
	*next += shim_pdu__padded(len);
}

/* Count the values, and find where their sets end and the first block begins. */
static int find_blocks(const struct shim_pdu *pdu, const uint32_t *pmids,
		       struct shim_pdu_result *result)
{
	struct shim_in in = pdu->in;

	result->values = 0;
	result->blocks = 0;
	for (uint32_t i = 0; i < result->n; i++) {
		struct shim_pdu_vset vset;

		take_vset(&in, &vset);
		if (in.bad || vset.pmid != pmids[i] || vset.valfmt > 2)
			return -EBADMSG;
		if (vset.numval <= 0)
			continue;
		shim_in__bytes(&in, (size_t)vset.numval * VALUE_SIZE);
		result->values += vset.numval;
		result->blocks += vset.valfmt ? vset.numval : 0;
	}
	result->next_block = in.p - pdu->start;
	return in.bad ? -EBADMSG : 0;
}

static int check_blocks(const struct shim_pdu *pdu, uint32_t n, uint32_t blocks)
{
	struct shim_in in = pdu->in;
	uint32_t next = blocks;

	for (uint32_t i = 0; i < n && !in.bad; i++) {
		struct shim_pdu_vset vset;
		const uint8_t *values;

		take_vset(&in, &vset);
		if (vset.numval <= 0)
			continue;
		values = shim_in__bytes(&in, (size_t)vset.numval * VALUE_SIZE);
		for (int32_t j = 0; vset.valfmt && j < vset.numval && !in.bad; j++)
			check_block(pdu, &in, shim_be32__get(values + j * VALUE_SIZE + 4), &next);
	}
	return in.bad || next != pdu->len ? -EBADMSG : 0;
}

int shim_pdu_result__decode(struct shim_pdu *pdu, uint32_t n, const uint32_t *pmids,
			    struct shim_pdu_result *result)
{
	int err;

	result->n = take_stamp(pdu, &result->stamp);
	if (pdu->in.bad || result->n != n)
		return -EBADMSG;
	err = find_blocks(pdu, pmids, result);
	if (!err && !result->blocks)
		return result->next_block == pdu->len ? 0 : -EBADMSG;
	return err ? err : check_blocks(pdu, n, result->next_block);
}

void shim_pdu_result__vset(struct shim_pdu *pdu, struct shim_pdu_vset *vset)
{
	take_vset(&pdu->in, vset);
}

void shim_pdu_result__value(struct shim_pdu *pdu, struct shim_pdu_result *result,
			    const struct shim_pdu_vset *vset, struct shim_pdu_value *value)
{
	const uint8_t *block = pdu->start + result->next_block;
	uint32_t head;

	value->inst = (int32_t)shim_be32__get(pdu->in.p);
	value->word = shim_be32__get(pdu->in.p + 4);
	pdu->in.p += VALUE_SIZE;
	if (!vset->valfmt)
		return;
	head = shim_be32__get(block);
	value->type = head >> 24;
	value->len = (head & BLOCK_LEN_MAX) - BLOCK_HEADER;
	value->bytes = block + BLOCK_HEADER;
	result->next_block += shim_pdu__padded(value->len + BLOCK_HEADER);
}

void shim_pdu_store__begin(struct shim_buf *out, int32_t from, uint32_t n)
{
	shim_pdu__begin(out, SHIM_PDU_RESULT, from);
	shim_buf__put32(out, 0);
	shim_buf__put32(out, 0);
	shim_buf__put32(out, n);
}

void shim_pdu_store__vset(struct shim_buf *out, uint32_t pmid, uint32_t numval, uint32_t valfmt)
{
	shim_buf__put32(out, pmid);
	shim_buf__put32(out, numval);
	shim_buf__put32(out, valfmt);
}

void shim_pdu_store__value(struct shim_buf *out, int32_t inst, uint32_t word)
{
	shim_buf__put32(out, (uint32_t)inst);
	shim_buf__put32(out, word);
}

void shim_pdu_store__block(struct shim_buf *out, uint32_t type, const void *bytes, uint32_t len)
{
	shim_buf__put32(out, type << 24 | (len + BLOCK_HEADER));
	shim_buf__put(out, bytes, len);
	shim_buf__fill(out, '~', shim_pdu__padded(len) - len);
}
