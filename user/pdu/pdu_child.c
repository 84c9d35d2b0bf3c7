// SPDX-License-Identifier: LGPL-2.1-or-later
/* PMNS_CHILD and PMNS_TRAVERSE: names directly below a name, or all metrics below it. */
#include "pdu.h"

static void encode(struct shim_buf *out, enum shim_pdu_type type, int32_t from, const char *name,
		   bool status)
{
	shim_pdu__begin(out, type, from);
	shim_buf__put32(out, status);
	shim_pdu__put_string(out, name, strlen(name));
	shim_pdu__end(out);
}

void shim_pdu_child__encode(struct shim_buf *out, int32_t from, const char *name, bool status)
{
	encode(out, SHIM_PDU_PMNS_CHILD, from, name, status);
}

void shim_pdu_traverse__encode(struct shim_buf *out, int32_t from, const char *name)
{
	encode(out, SHIM_PDU_PMNS_TRAVERSE, from, name, false);
}
