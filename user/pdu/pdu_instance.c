// SPDX-License-Identifier: LGPL-2.1-or-later
/* INSTANCE_REQ and INSTANCE: instances of a domain and their names. */
#include "pdu.h"

#define ENTRY_SIZE	8	/* without the name */

void shim_pdu_instance__encode(struct shim_buf *out, int32_t from, uint32_t indom, int32_t inst,
			       const char *name)
{
	shim_pdu__begin(out, SHIM_PDU_INSTANCE_REQ, from);
	shim_buf__put32(out, indom);
	shim_buf__put32(out, 0);
	shim_buf__put32(out, 0);
	shim_buf__put32(out, (uint32_t)inst);
	shim_pdu__put_string(out, name, strlen(name));
	shim_pdu__end(out);
}

static void take(struct shim_in *in, struct shim_pdu_instance *instance)
{
	instance->inst = (int32_t)shim_in__u32(in);
	instance->name = shim_pdu__string(in, shim_in__u32(in));
}

int shim_pdu_instance__decode(struct shim_pdu *pdu, uint32_t *n, size_t *bytes)
{
	struct shim_pdu_instance instance;
	struct shim_in in;

	/* the domain, which pmcd's own agent does not set */
	shim_in__u32(&pdu->in);
	*n = shim_in__u32(&pdu->in);
	*bytes = 0;
	in = pdu->in;
	if (in.bad || *n > shim_in__left(&in) / ENTRY_SIZE)
		return -EBADMSG;
	for (uint32_t i = 0; i < *n; i++) {
		take(&in, &instance);
		*bytes += instance.name.len;
	}
	return shim_pdu__done(&in);
}

void shim_pdu_instance__next(struct shim_pdu *pdu, struct shim_pdu_instance *instance)
{
	take(&pdu->in, instance);
}
