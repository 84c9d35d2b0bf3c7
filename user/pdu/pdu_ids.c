// SPDX-License-Identifier: LGPL-2.1-or-later
/* PMNS_IDS: a request for a metric's names, or the metrics of names. */
#include "pdu.h"

void shim_pdu_ids__encode(struct shim_buf *out, int32_t from, uint32_t pmid)
{
	shim_pdu__begin(out, SHIM_PDU_PMNS_IDS, from);
	shim_buf__put32(out, 0);
	shim_buf__put32(out, 1);
	shim_buf__put32(out, pmid);
	shim_pdu__end(out);
}

int shim_pdu_ids__decode(struct shim_pdu *pdu, uint32_t n, uint32_t *pmids)
{
	uint32_t count;

	shim_in__u32(&pdu->in);		/* the number found, which the caller counts itself */
	count = shim_in__u32(&pdu->in);
	if (pdu->in.bad || count != n || shim_in__left(&pdu->in) != (size_t)n * 4)
		return -EBADMSG;
	for (uint32_t i = 0; i < n; i++)
		pmids[i] = shim_in__u32(&pdu->in);
	return 0;
}
