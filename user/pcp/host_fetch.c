// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Get current values from a host's pmcd as results.  Each result is one allocation; its maximum
 * size follows from the length of the reply and its value counts.  The decoder has already
 * validated the whole reply.
 *
 * Stores send values in the other direction.
 */
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "context.h"
#include "event.h"
#include "host.h"
#include "result.h"

/* Maximum number of change notices before a result; pmcd sends at most one */
#define NOTICES_MAX	16
#define RESULT_HEADER	24	/* includes the stamp and the number of metrics */
#define SET_HEADER	12
#define VALUE_SIZE	8

/* Return the maximum size of the value sets. */
static size_t sets_room(const struct shim_pdu_result *result)
{
	return result->n * shim_result__set_len(1) + result->values * sizeof(pmValue);
}

/*
 * Return the maximum size of the value blocks.  Each takes at most one word more than in the reply.
 */
static size_t blocks_room(const struct shim_pdu *pdu, const struct shim_pdu_result *result)
{
	return pdu->len - result->next_block + result->blocks * sizeof(uint32_t);
}

/* Copy a number.  It must have the length of its type; otherwise the reply is invalid. */
static int copy_number(char *to, const struct shim_pdu_value *value, uint32_t size)
{
	uint64_t wide;
	uint32_t narrow;

	if (value->len != size)
		return -EBADMSG;
	if (size == sizeof(wide)) {
		wide = shim_be64__get(value->bytes);
		memcpy(to, &wide, size);
	} else {
		narrow = shim_be32__get(value->bytes);
		memcpy(to, &narrow, size);
	}
	return 0;
}

static int fill_block(struct shim_builder *b, pmValue *v, const struct shim_pdu_value *value)
{
	char *to = shim_builder__block(b, v, (int)value->type, value->len);

	switch ((int)value->type) {
	case PM_TYPE_32:
	case PM_TYPE_U32:
	case PM_TYPE_FLOAT:
		return copy_number(to, value, sizeof(uint32_t));
	case PM_TYPE_64:
	case PM_TYPE_U64:
	case PM_TYPE_DOUBLE:
		return copy_number(to, value, sizeof(uint64_t));
	case PM_TYPE_EVENT:
	case PM_TYPE_HIGHRES_EVENT:
		return shim_event__to_host(value->type, value->bytes, value->len, to);
	}
	memcpy(to, value->bytes, value->len);
	return 0;
}

/* The decoder has already checked the number of values. */
static void fill_words(struct shim_pdu *pdu, int32_t n, pmValue *to)
{
	const uint8_t *p = pdu->in.p;

	for (int32_t i = 0; i < n; i++, p += VALUE_SIZE) {
		to[i].inst = (int)shim_be32__get(p);
		to[i].value.lval = (int)shim_be32__get(p + 4);
	}
	pdu->in.p = p;
}

static int fill_set(struct shim_builder *b, struct shim_pdu *pdu, struct shim_pdu_result *result)
{
	struct shim_pdu_vset vset;
	pmValueSet *set;
	int err = 0;

	shim_pdu_result__vset(pdu, &vset);
	if (vset.numval < 0 && shim_pmns_tree__builtin(vset.pmid))
		vset.numval = 0;	/* unknown to pmcd: it has values only in event records */
	set = shim_builder__set(b, vset.pmid, vset.numval, (int)vset.valfmt);
	if (vset.numval > 0 && !vset.valfmt)
		fill_words(pdu, vset.numval, set->vlist);
	for (int32_t i = 0; i < vset.numval && vset.valfmt && !err; i++) {
		struct shim_pdu_value value;

		shim_pdu_result__value(pdu, result, &vset, &value);
		set->vlist[i].inst = value.inst;
		err = fill_block(b, &set->vlist[i], &value);
	}
	return err;
}

static int build(struct shim_pdu *pdu, struct shim_pdu_result *found, pmResult **out)
{
	struct shim_builder b;
	int err = shim_builder__begin(&b, found->n, sets_room(found), blocks_room(pdu, found));

	if (err)
		return err;
	for (uint32_t i = 0; i < found->n && !err; i++)
		err = fill_set(&b, pdu, found);
	if (err)
		free(b.result);
	else
		*out = b.result;
	return err;
}

static int send_profile(struct shim_host *host, const struct shim_profile *profile)
{
	struct shim_pdu_profile *indoms = calloc(profile->n + 1, sizeof(*indoms));
	int err;

	if (!indoms)
		return -ENOMEM;
	for (unsigned int i = 0; i < profile->n; i++)
		indoms[i] = (struct shim_pdu_profile){
			.indom = profile->indoms[i].indom,
			.exclude = !profile->indoms[i].include,
			.n = profile->indoms[i].n,
			.inst = profile->indoms[i].inst,
		};
	shim_pdu_profile__encode(&host->wire.out, host->wire.from, profile->exclude, profile->n,
				 indoms);
	free(indoms);
	err = shim_host__send(host);
	if (!err)
		host->profile_sent = true;
	return err;
}

/* Wait for the result's PDU and collect the notices before it.  Return the code of an ERROR PDU. */
static int await_result(struct shim_host *host, bool highres, struct shim_pdu *pdu, int *changes)
{
	for (int i = 0; i <= NOTICES_MAX; i++) {
		int32_t code;
		int err = shim_host__receive(host, pdu);

		if (err)
			return err;
		if (pdu->type == (highres ? SHIM_PDU_HIGHRES_RESULT : SHIM_PDU_RESULT))
			return 0;
		if (pdu->type != SHIM_PDU_ERROR || shim_pdu_error__decode(pdu, &code))
			break;
		if (code < 0)
			return code;
		*changes |= code;
	}
	return shim_host__lose(host, -EBADMSG);
}

static int request(struct shim_host *host, const struct shim_profile *profile, int n,
		   const pmID *pmids, bool highres)
{
	int err = shim_host__begin(host);

	if (!err && !host->profile_sent)
		err = send_profile(host, profile);
	if (err)
		return err;
	shim_pdu_fetch__encode(&host->wire.out, host->wire.from, highres, n, pmids);
	return shim_host__send(host);
}

int shim_host_source__fetch(struct shim_context *ctx, int n, const pmID *pmids,
			    struct shim_ts *stamp, pmResult **out)
{
	struct shim_host *host = ctx->host;
	struct shim_pdu_result result;
	struct shim_pdu pdu;
	int changes = 0, err;
	bool highres;

	err = shim_host__begin(host);
	if (err)
		return err;
	highres = host->features & SHIM_FEATURE_HIGHRES;
	err = request(host, &ctx->profile, n, pmids, highres);
	if (!err)
		err = await_result(host, highres, &pdu, &changes);
	if (err)
		return err;
	err = shim_pdu_result__decode(&pdu, n, pmids, &result);
	if (!err)
		err = build(&pdu, &result, out);
	if (err)
		return err == -ENOMEM ? err : shim_host__lose(host, err);
	*stamp = result.stamp;
	return changes;
}

static int copy_string(const pmResult *result, char *buf, size_t size)
{
	const pmValueSet *set = result->vset[0];
	const pmValueBlock *block;
	size_t len;

	if (set->numval < 1)
		return set->numval < 0 ? set->numval : PM_ERR_VALUE;
	if (set->valfmt == PM_VAL_INSITU || set->vlist[0].value.pval->vtype != PM_TYPE_STRING)
		return PM_ERR_TYPE;
	block = set->vlist[0].value.pval;
	len = strnlen(block->vbuf, block->vlen - PM_VAL_HDR_SIZE);
	if (len > size - 1)
		len = size - 1;
	memcpy(buf, block->vbuf, len);
	buf[len] = '\0';
	return 0;
}

int shim_host_source__string(struct shim_context *ctx, const char *metric, char *buf, size_t size)
{
	struct shim_ts stamp;
	pmID pmid = PM_ID_NULL;
	pmResult *result;
	int err = shim_host_source__metrics(ctx, 1, &metric, &pmid);

	if (err >= 0)
		err = shim_host_source__fetch(ctx, 1, &pmid, &stamp, &result);
	if (err < 0)
		return err;
	err = copy_string(result, buf, size);
	pmFreeResult(result);
	return err;
}

/* Check a block's length against its type; event records cannot be stored. */
static int check_block(const pmValueBlock *block)
{
	uint32_t len;

	if (!block || block->vlen < PM_VAL_HDR_SIZE)
		return PM_ERR_BADSTORE;
	len = block->vlen - PM_VAL_HDR_SIZE;
	switch ((int)block->vtype) {
	case PM_TYPE_32:
	case PM_TYPE_U32:
	case PM_TYPE_FLOAT:
		return len == sizeof(uint32_t) ? 0 : PM_ERR_BADSTORE;
	case PM_TYPE_64:
	case PM_TYPE_U64:
	case PM_TYPE_DOUBLE:
		return len == sizeof(uint64_t) ? 0 : PM_ERR_BADSTORE;
	case PM_TYPE_EVENT:
	case PM_TYPE_HIGHRES_EVENT:
		return PM_ERR_TYPE;
	}
	return 0;
}

static int check_set(const pmValueSet *set)
{
	int err = 0;

	if (set->valfmt == PM_VAL_INSITU)
		return 0;
	if (set->valfmt != PM_VAL_DPTR && set->valfmt != PM_VAL_SPTR)
		return PM_ERR_BADSTORE;
	for (int i = 0; i < set->numval && !err; i++)
		err = check_block(set->vlist[i].value.pval);
	return err;
}

static int check(int n, pmValueSet *const *sets)
{
	int err = 0;

	for (int i = 0; i < n && !err; i++)
		err = check_set(sets[i]);
	return err;
}

static uint32_t words_of(const pmValueBlock *block)
{
	return (block->vlen + 3) / 4;
}

static void put_sets(struct shim_buf *out, int n, pmValueSet *const *sets)
{
	uint32_t next = RESULT_HEADER;

	for (int i = 0; i < n; i++)
		next += SET_HEADER + VALUE_SIZE * (uint32_t)sets[i]->numval;
	next /= 4;
	for (int i = 0; i < n; i++) {
		const pmValueSet *set = sets[i];
		bool in_place = set->valfmt == PM_VAL_INSITU;

		shim_pdu_store__vset(out, set->pmid, set->numval, in_place ? PM_VAL_INSITU :
									     PM_VAL_DPTR);
		for (int j = 0; j < set->numval; j++) {
			const pmValue *v = &set->vlist[j];

			shim_pdu_store__value(out, v->inst,
					      in_place ? (uint32_t)v->value.lval : next);
			if (!in_place)
				next += words_of(v->value.pval);
		}
	}
}

static void put_block(struct shim_buf *out, const pmValueBlock *block)
{
	uint32_t len = block->vlen - PM_VAL_HDR_SIZE;
	uint8_t number[sizeof(uint64_t)];
	const void *bytes = block->vbuf;
	uint64_t wide;
	uint32_t narrow;

	switch ((int)block->vtype) {
	case PM_TYPE_32:
	case PM_TYPE_U32:
	case PM_TYPE_FLOAT:
		memcpy(&narrow, block->vbuf, sizeof(narrow));
		shim_be32__put(number, narrow);
		bytes = number;
		break;
	case PM_TYPE_64:
	case PM_TYPE_U64:
	case PM_TYPE_DOUBLE:
		memcpy(&wide, block->vbuf, sizeof(wide));
		shim_be64__put(number, wide);
		bytes = number;
		break;
	}
	shim_pdu_store__block(out, block->vtype, bytes, len);
}

static void put_all(struct shim_host *host, int n, pmValueSet *const *sets)
{
	struct shim_buf *out = &host->wire.out;

	shim_pdu_store__begin(out, host->wire.from, n);
	put_sets(out, n, sets);
	for (int i = 0; i < n; i++)
		for (int j = 0; sets[i]->valfmt != PM_VAL_INSITU && j < sets[i]->numval; j++)
			put_block(out, sets[i]->vlist[j].value.pval);
	shim_pdu__end(out);
}

int shim_host_source__store(struct shim_context *ctx, int n, pmValueSet *const *sets)
{
	struct shim_host *host = ctx->host;
	struct shim_pdu pdu;
	int32_t code;
	int err = check(n, sets);

	if (!err)
		err = shim_host__begin(host);
	if (err)
		return err;
	put_all(host, n, sets);
	err = shim_host__send(host);
	if (!err)
		err = shim_host__receive(host, &pdu);
	if (err)
		return err;
	if (pdu.type != SHIM_PDU_ERROR || shim_pdu_error__decode_status(&pdu, &code) || code > 0)
		return shim_host__lose(host, -EBADMSG);
	return code;
}
