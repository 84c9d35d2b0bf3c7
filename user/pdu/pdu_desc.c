// SPDX-License-Identifier: LGPL-2.1-or-later
/* DESC_REQ and DESC, DESC_IDS and DESCS: descriptors of one metric, or of several. */
#include "pdu.h"

#define NONE		0xffffffffu
#define DESC_SIZE	20

static void take(struct shim_in *in, struct shim_pdu_desc *desc)
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

	take(&pdu->in, desc);
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

		take(&in, &desc);
		if (desc.pmid != NONE && desc.pmid != pmids[i])
			return -EBADMSG;
	}
	return 0;
}

void shim_pdu_descs__next(struct shim_pdu *pdu, struct shim_pdu_desc *desc)
{
	take(&pdu->in, desc);
}
