// SPDX-License-Identifier: LGPL-2.1-or-later
/* CREDS: the client's protocol version, and the server features that it requests. */
#include "pdu.h"

#define CRED_VERSION	1u
#define PDU_VERSION	2u

void shim_pdu_creds__encode(struct shim_buf *out, int32_t from, uint32_t flags)
{
	shim_pdu__begin(out, SHIM_PDU_CREDS, from);
	shim_buf__put32(out, 1);
	shim_buf__put32(out, CRED_VERSION << 24 | PDU_VERSION << 16 | (flags & 0xffff));
	shim_pdu__end(out);
}
