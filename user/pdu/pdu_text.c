// SPDX-License-Identifier: LGPL-2.1-or-later
/* TEXT_REQ and TEXT: help texts of metrics and instance domains. */
#include "pdu.h"

void shim_pdu_text__encode(struct shim_buf *out, int32_t from, uint32_t ident, uint32_t flags)
{
	shim_pdu__begin(out, SHIM_PDU_TEXT_REQ, from);
	shim_buf__put32(out, ident);
	shim_buf__put32(out, flags);
	shim_pdu__end(out);
}

int shim_pdu_text__decode(struct shim_pdu *pdu, struct shim_pdu_string *text)
{
	/* the identifier, which some servers send in their own byte order */
	shim_in__u32(&pdu->in);
	*text = shim_pdu__string(&pdu->in, shim_in__u32(&pdu->in));
	return shim_pdu__done(&pdu->in);
}
