// SPDX-License-Identifier: LGPL-2.1-or-later
/* FETCH and HIGHRES_FETCH: requests for the values of metrics. */
#include "pdu.h"

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
