// SPDX-License-Identifier: LGPL-2.1-or-later
/* PROFILE: the instances that the following fetches return.  There is no reply. */
#include "pdu.h"

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
