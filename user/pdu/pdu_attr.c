// SPDX-License-Identifier: LGPL-2.1-or-later
/* ATTR: an attribute of the connection; its value extends to the end of the PDU, unpadded. */
#include "pdu.h"

void shim_pdu_attr__encode(struct shim_buf *out, int32_t from, uint32_t attr, const char *value)
{
	shim_pdu__begin(out, SHIM_PDU_ATTR, from);
	shim_buf__put32(out, attr);
	shim_buf__put(out, value, strlen(value));
	shim_pdu__end(out);
}
