// SPDX-License-Identifier: LGPL-2.1-or-later
/* ERROR, CREDS and ATTR: status replies, and the client's version, features and attributes */
#include "pdu.h"

/*
 * pmcd rejects a connection with an error code of PCP 1, whose codes begin at -1000 instead of
 * -12345.
 */
#define OLD_BASE	1000
#define NEW_BASE	12345

int shim_pdu_error__decode_status(struct shim_pdu *pdu, int32_t *code)
{
	*code = (int32_t)shim_in__u32(&pdu->in);
	return shim_pdu__done(&pdu->in);
}

int shim_pdu_error__decode(struct shim_pdu *pdu, int32_t *code)
{
	int err = shim_pdu_error__decode_status(pdu, code);

	return err || !*code ? -EBADMSG : 0;
}

static int32_t from_old(int32_t code)
{
	if (code > -OLD_BASE || code < -NEW_BASE)
		return code;
	return code + OLD_BASE - NEW_BASE;
}

int shim_pdu_error__decode_greeting(struct shim_pdu *pdu, int32_t *status, unsigned int *version,
				    uint32_t *features)
{
	int32_t code = (int32_t)shim_in__u32(&pdu->in);
	uint32_t info = shim_in__u32(&pdu->in);
	int err = shim_pdu__done(&pdu->in);

	if (err)
		return err;
	*status = from_old(code);
	*version = info >> 24 & 0x7f;
	*features = info & 0xffff;
	return 0;
}

/* CREDS: the client's protocol version, and the server features that it requests */

#define CRED_VERSION	1u
#define PDU_VERSION	2u

void shim_pdu_creds__encode(struct shim_buf *out, int32_t from, uint32_t flags)
{
	shim_pdu__begin(out, SHIM_PDU_CREDS, from);
	shim_buf__put32(out, 1);
	shim_buf__put32(out, CRED_VERSION << 24 | PDU_VERSION << 16 | (flags & 0xffff));
	shim_pdu__end(out);
}

/* ATTR: an attribute of the connection, whose value extends to the end of the PDU, unpadded */

void shim_pdu_attr__encode(struct shim_buf *out, int32_t from, uint32_t attr, const char *value)
{
	shim_pdu__begin(out, SHIM_PDU_ATTR, from);
	shim_buf__put32(out, attr);
	shim_buf__put(out, value, strlen(value));
	shim_pdu__end(out);
}
