// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Get current values from a host's pmcd as results.  Each result is one allocation; its maximum
 * size follows from the length of the reply and its numbers of values.  The decoder has already
 * validated the whole reply.
 */
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "context.h"
#include "event.h"
#include "host.h"

/* Limit on change notices before a result; pmcd sends at most one */
#define NOTICES_MAX	16

static size_t result_len(uint32_t n)
{
	return offsetof(pmResult, vset) + (n ? n : 1) * sizeof(pmValueSet *);
}

/* A set without values also takes a whole pmValueSet, because programs copy whole structures. */
static size_t set_len(int32_t numval)
{
	return offsetof(pmValueSet, vlist) + (numval > 1 ? numval : 1) * sizeof(pmValue);
}

/* A string's block has room for a terminating NUL, in case the server sent none. */
static size_t block_len(const struct shim_pdu_value *value)
{
	size_t len = PM_VAL_HDR_SIZE + value->len + (value->type == PM_TYPE_STRING);

	return (len + 3) & ~(size_t)3;
}

/* The maximum size of the value sets */
static size_t sets_room(const struct shim_pdu_result *result)
{
	return result->n * set_len(1) + result->values * sizeof(pmValue);
}

/* The maximum size of the value blocks: block_len() is at most one word more than in the reply */
static size_t blocks_room(const struct shim_pdu *pdu, const struct shim_pdu_result *result)
{
	return pdu->len - result->next_block + result->blocks * sizeof(uint32_t);
}

/* A number must have the length of its type; otherwise the reply is invalid. */
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

static int fill_block(char *at, const struct shim_pdu_value *value)
{
	pmValueBlock *block = (pmValueBlock *)at;
	char *to = at + PM_VAL_HDR_SIZE;

	block->vtype = value->type;
	block->vlen = PM_VAL_HDR_SIZE + value->len;
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
	if (value->type == PM_TYPE_STRING)
		to[value->len] = '\0';
	return 0;
}

static int fill_set(struct shim_pdu *pdu, struct shim_pdu_result *result, pmValueSet *set,
		    char **blocks)
{
	struct shim_pdu_vset vset;
	int err = 0;

	shim_pdu_result__vset(pdu, &vset);
	set->pmid = vset.pmid;
	set->numval = vset.numval;
	set->valfmt = vset.numval > 0 ? (int)vset.valfmt : -1;
	if (vset.numval < 0 && shim_pmns_tree__builtin(vset.pmid))
		set->numval = 0;	/* unknown to pmcd: it has values only in event records */
	for (int32_t i = 0; i < vset.numval && !err; i++) {
		struct shim_pdu_value value;

		shim_pdu_result__value(pdu, result, &vset, &value);
		set->vlist[i].inst = value.inst;
		if (!vset.valfmt) {
			set->vlist[i].value.lval = (int)value.word;
			continue;
		}
		set->vlist[i].value.pval = (pmValueBlock *)*blocks;
		err = fill_block(*blocks, &value);
		*blocks += block_len(&value);
	}
	return err;
}

static int build(struct shim_pdu *pdu, struct shim_pdu_result *found, pmResult **out)
{
	size_t head = result_len(found->n), sets_len = sets_room(found);
	pmResult *result;
	char *sets, *blocks;
	int err = 0;

	result = malloc(head + sets_len + blocks_room(pdu, found));
	if (!result)
		return -ENOMEM;
	result->numpmid = (int)found->n;
	sets = (char *)result + head;
	blocks = sets + sets_len;
	for (uint32_t i = 0; i < found->n && !err; i++) {
		result->vset[i] = (pmValueSet *)sets;
		err = fill_set(pdu, found, result->vset[i], &blocks);
		sets += set_len(result->vset[i]->numval);
	}
	if (err)
		free(result);
	else
		*out = result;
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

/* Wait for the result's PDU, and collect the notices before it; or return the code of an ERROR. */
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
