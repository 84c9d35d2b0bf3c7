// SPDX-License-Identifier: LGPL-2.1-or-later
/* PMNS_NAMES: names, as a request for their metrics or as the reply to other requests. */
#include "pdu.h"

#define ENTRY_SIZE	4	/* without the name */

void shim_pdu_names__encode(struct shim_buf *out, int32_t from, uint32_t n,
			    const char *const *names)
{
	size_t bytes = 0;

	for (uint32_t i = 0; i < n; i++)
		bytes += strlen(names[i]) + 1;
	shim_pdu__begin(out, SHIM_PDU_PMNS_NAMES, from);
	shim_buf__put32(out, bytes);
	shim_buf__put32(out, 0);
	shim_buf__put32(out, n);
	for (uint32_t i = 0; i < n; i++)
		shim_pdu__put_string(out, names[i], strlen(names[i]));
	shim_pdu__end(out);
}

static void take(struct shim_in *in, bool has_status, struct shim_pdu_string *name, bool *leaf)
{
	*leaf = has_status && !shim_in__u32(in);
	*name = shim_pdu__string(in, shim_in__u32(in));
}

int shim_pdu_names__decode(struct shim_pdu *pdu, struct shim_pdu_names *names)
{
	struct shim_pdu_string name;
	uint32_t nstatus;
	struct shim_in in;
	bool leaf;

	shim_in__u32(&pdu->in);		/* total length of all names, which is counted here */
	nstatus = shim_in__u32(&pdu->in);
	names->n = shim_in__u32(&pdu->in);
	names->has_status = nstatus;
	names->bytes = 0;
	in = pdu->in;
	if (in.bad || (nstatus && nstatus != names->n) ||
	    names->n > shim_in__left(&in) / ENTRY_SIZE)
		return -EBADMSG;
	for (uint32_t i = 0; i < names->n; i++) {
		take(&in, nstatus, &name, &leaf);
		names->bytes += name.len;
		if (name.s && memchr(name.s, '\0', name.len))
			return -EBADMSG;
	}
	return shim_pdu__done(&in);
}

void shim_pdu_names__next(struct shim_pdu *pdu, const struct shim_pdu_names *names,
			  struct shim_pdu_string *name, bool *leaf)
{
	take(&pdu->in, names->has_status, name, leaf);
}
