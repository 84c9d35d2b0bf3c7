// SPDX-License-Identifier: LGPL-2.1-or-later
/* PMNS_NAMES, PMNS_IDS, PMNS_CHILD and PMNS_TRAVERSE: the name space */
#include "pdu.h"

#define ENTRY_SIZE	4	/* size of an entry without its name */

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

	shim_in__u32(&pdu->in);		/* skip the length of all names, computed here */
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

/* PMNS_IDS: a request for a metric's names, or a reply with the metrics that have given names */

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

	shim_in__u32(&pdu->in);		/* skip the number of names found */
	count = shim_in__u32(&pdu->in);
	if (pdu->in.bad || count != n || shim_in__left(&pdu->in) != (size_t)n * 4)
		return -EBADMSG;
	for (uint32_t i = 0; i < n; i++)
		pmids[i] = shim_in__u32(&pdu->in);
	return 0;
}

/* PMNS_CHILD and PMNS_TRAVERSE: names directly below a name, or all metrics below it */

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
