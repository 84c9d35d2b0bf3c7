// SPDX-License-Identifier: LGPL-2.1-or-later
/* Store values into a host's metrics. */
#include <errno.h>
#include <string.h>

#include "context.h"
#include "host.h"

#define RESULT_HEADER	24	/* includes the stamp and the number of metrics */
#define SET_HEADER	12
#define VALUE_SIZE	8

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
