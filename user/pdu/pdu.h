/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * PCP's protocol data units, version 2, as sent and received by a client of pmcd.  The encoder of a
 * request and the decoder of its reply are in the same file (pdu_*.c).
 *
 * Encoders write a whole PDU into a buffer, which records if memory runs out.  Decoders accept
 * arbitrary bytes and do not read beyond the PDU's end.  They return 0, or -EBADMSG if the lengths,
 * counts or order of a PDU violate the protocol.  Their results point into the PDU.
 */
#ifndef SHIM_PDU_PDU_H
#define SHIM_PDU_PDU_H

#include <errno.h>

#include "base/buf.h"
#include "base/tstamp.h"

#define SHIM_PDU_HEADER	12

/* pmcd closes the connection of a client that sends a larger PDU. */
#define SHIM_PDU_REQUEST_MAX	65536

enum shim_pdu_type {
	SHIM_PDU_ERROR = 0x7000,
	SHIM_PDU_RESULT,
	SHIM_PDU_PROFILE,
	SHIM_PDU_FETCH,
	SHIM_PDU_DESC_REQ,
	SHIM_PDU_DESC,
	SHIM_PDU_INSTANCE_REQ,
	SHIM_PDU_INSTANCE,
	SHIM_PDU_TEXT_REQ,
	SHIM_PDU_TEXT,
	SHIM_PDU_CREDS = 0x700c,
	SHIM_PDU_PMNS_IDS,
	SHIM_PDU_PMNS_NAMES,
	SHIM_PDU_PMNS_CHILD,
	SHIM_PDU_PMNS_TRAVERSE,
	SHIM_PDU_ATTR,
	SHIM_PDU_LABEL_REQ,
	SHIM_PDU_LABEL,
	SHIM_PDU_HIGHRES_FETCH,
	SHIM_PDU_HIGHRES_RESULT,
	SHIM_PDU_DESC_IDS,
	SHIM_PDU_DESCS,
};

/* Features that a server offers, and a client requests */
#define SHIM_FEATURE_SECURE	0x1u
#define SHIM_FEATURE_COMPRESS	0x2u
#define SHIM_FEATURE_AUTH	0x4u
#define SHIM_FEATURE_CREDS_REQD	0x8u
#define SHIM_FEATURE_CONTAINER	0x40u
#define SHIM_FEATURE_CERT_REQD	0x80u
#define SHIM_FEATURE_LABELS	0x200u
#define SHIM_FEATURE_HIGHRES	0x400u
#define SHIM_FEATURE_DESCS	0x800u

#define SHIM_ATTR_CONTAINER	15

/*
 * struct shim_pdu - a received PDU
 * @in: the bytes after its header that have not been read yet
 */
struct shim_pdu {
	uint32_t type;
	uint32_t len;
	const uint8_t *start;
	struct shim_in in;
};

/* A string within the PDU, not NUL-terminated */
struct shim_pdu_string {
	const char *s;
	uint32_t len;
};

static inline void shim_pdu__of(struct shim_pdu *pdu, const uint8_t *start, uint32_t len)
{
	pdu->type = shim_be32__get(start + 4);
	pdu->len = len;
	pdu->start = start;
	pdu->in = shim_in__of(start + SHIM_PDU_HEADER, len - SHIM_PDU_HEADER);
}

/* Return 0 if all reads were within the PDU and no bytes remain, otherwise -EBADMSG. */
static inline int shim_pdu__done(const struct shim_in *in)
{
	return in->bad || shim_in__left(in) ? -EBADMSG : 0;
}

static inline uint32_t shim_pdu__padded(uint32_t len)
{
	return (len + 3) & ~(uint32_t)3;
}

static inline struct shim_pdu_string shim_pdu__string(struct shim_in *in, uint32_t len)
{
	struct shim_pdu_string string = { .len = len };

	if (len > shim_in__left(in)) {	/* checked first, so that padding cannot overflow */
		in->bad = true;
		string.len = 0;
		return string;
	}
	string.s = (const char *)shim_in__bytes(in, shim_pdu__padded(len));
	if (!string.s)
		string.len = 0;
	return string;
}

static inline void shim_pdu__begin(struct shim_buf *out, enum shim_pdu_type type, int32_t from)
{
	shim_buf__reset(out);
	shim_buf__put32(out, 0);
	shim_buf__put32(out, type);
	shim_buf__put32(out, from);
}

/* Finish a PDU by setting its length. */
static inline void shim_pdu__end(struct shim_buf *out)
{
	if (out->err)
		return;
	if (out->len > SHIM_PDU_REQUEST_MAX)
		out->err = -E2BIG;
	shim_be32__put(out->data, out->len);
}

static inline void shim_pdu__put_string(struct shim_buf *out, const char *s, uint32_t len)
{
	shim_buf__put32(out, len);
	shim_buf__put(out, s, len);
	shim_buf__fill(out, '~', shim_pdu__padded(len) - len);
}

/* Functions in pdu_error.c */

/*
 * Decode a code, which must not be 0.  A negative code is an error; a positive one is a notice of
 * changes.
 */
int shim_pdu_error__decode(struct shim_pdu *pdu, int32_t *code);
/* Decode the reply to a store request; 0 means success. */
int shim_pdu_error__decode_status(struct shim_pdu *pdu, int32_t *code);
/*
 * Decode a connection's first PDU: @status is 0 or a code, followed by the server's version and
 * features.
 */
int shim_pdu_error__decode_greeting(struct shim_pdu *pdu, int32_t *status, unsigned int *version,
				    uint32_t *features);

void shim_pdu_creds__encode(struct shim_buf *out, int32_t from, uint32_t flags);

void shim_pdu_attr__encode(struct shim_buf *out, int32_t from, uint32_t attr, const char *value);

/* Functions in pdu_desc.c */
struct shim_pdu_desc {
	uint32_t pmid;		/* 0xffffffff in DESCS if the server does not have this metric */
	int32_t type;
	uint32_t indom;
	int32_t sem;
	uint32_t units;
};

void shim_pdu_desc__encode(struct shim_buf *out, int32_t from, uint32_t pmid);
int shim_pdu_desc__decode(struct shim_pdu *pdu, uint32_t pmid, struct shim_pdu_desc *desc);
void shim_pdu_descs__encode(struct shim_buf *out, int32_t from, uint32_t n, const uint32_t *pmids);
/* Check that there is a descriptor for each of @pmids, in order; then read them one by one. */
int shim_pdu_descs__decode(struct shim_pdu *pdu, uint32_t n, const uint32_t *pmids);
void shim_pdu_descs__next(struct shim_pdu *pdu, struct shim_pdu_desc *desc);

struct shim_pdu_instance {
	int32_t inst;
	struct shim_pdu_string name;
};

/*
 * Encode a request.  An @inst of -1 without a name requests the whole domain, an instance requests
 *	its name, and a name requests its instance.
 */
void shim_pdu_instance__encode(struct shim_buf *out, int32_t from, uint32_t indom, int32_t inst,
			       const char *name);
/*
 * Get the number of instances, which are then read one by one, and the total length of their names.
 */
int shim_pdu_instance__decode(struct shim_pdu *pdu, uint32_t *n, size_t *bytes);
void shim_pdu_instance__next(struct shim_pdu *pdu, struct shim_pdu_instance *instance);

void shim_pdu_text__encode(struct shim_buf *out, int32_t from, uint32_t ident, uint32_t flags);
int shim_pdu_text__decode(struct shim_pdu *pdu, struct shim_pdu_string *text);

/* Functions in pdu_names.c */
struct shim_pdu_names {
	uint32_t n;
	bool has_status;
	size_t bytes;		/* total length of all names */
};

void shim_pdu_names__encode(struct shim_buf *out, int32_t from, uint32_t n,
			    const char *const *names);
int shim_pdu_names__decode(struct shim_pdu *pdu, struct shim_pdu_names *names);
/* @leaf is valid only if names->has_status. */
void shim_pdu_names__next(struct shim_pdu *pdu, const struct shim_pdu_names *names,
			  struct shim_pdu_string *name, bool *leaf);

void shim_pdu_ids__encode(struct shim_buf *out, int32_t from, uint32_t pmid);
int shim_pdu_ids__decode(struct shim_pdu *pdu, uint32_t n, uint32_t *pmids);

void shim_pdu_child__encode(struct shim_buf *out, int32_t from, const char *name, bool status);
void shim_pdu_traverse__encode(struct shim_buf *out, int32_t from, const char *name);

/* Functions in pdu_result.c */
struct shim_pdu_profile {
	uint32_t indom;
	bool exclude;		/* if true, exclude all other instances; if false, these */
	uint32_t n;
	const int32_t *inst;
};

void shim_pdu_profile__encode(struct shim_buf *out, int32_t from, bool exclude, uint32_t n,
			      const struct shim_pdu_profile *indoms);

void shim_pdu_fetch__encode(struct shim_buf *out, int32_t from, bool highres, uint32_t n,
			    const uint32_t *pmids);

struct shim_pdu_result {
	struct shim_ts stamp;
	uint32_t n;		/* number of value sets */
	uint32_t values;	/* number of values in all sets */
	uint32_t blocks;	/* number of values in value blocks */
	uint32_t next_block;	/* where the next value block must begin */
};

/*
 * struct shim_pdu_vset - the values of one metric
 * @numval: number of values, or an error code
 * @valfmt: 0 if the values are in place, otherwise they are in blocks
 */
struct shim_pdu_vset {
	uint32_t pmid;
	int32_t numval;
	uint32_t valfmt;
};

/*
 * struct shim_pdu_value - one value
 * @word: the value itself if the set's values are in place
 * @bytes: otherwise, @len bytes of a block, of @type
 */
struct shim_pdu_value {
	int32_t inst;
	uint32_t word;
	uint32_t type;
	uint32_t len;
	const uint8_t *bytes;
};

/*
 * Check that a result has a value set for each of @pmids, in order, and that all values are within
 * the PDU.  The sets, and the values of each set, are then read in order.
 */
int shim_pdu_result__decode(struct shim_pdu *pdu, uint32_t n, const uint32_t *pmids,
			    struct shim_pdu_result *result);
void shim_pdu_result__vset(struct shim_pdu *pdu, struct shim_pdu_vset *vset);
void shim_pdu_result__value(struct shim_pdu *pdu, struct shim_pdu_result *result,
			    const struct shim_pdu_vset *vset, struct shim_pdu_value *value);

/*
 * Encode a store request: call begin, encode each value set followed by its values, encode all
 * blocks in order, and call shim_pdu__end().  A value is either in place, or the offset of its
 * block in the PDU, in words.
 */
void shim_pdu_store__begin(struct shim_buf *out, int32_t from, uint32_t n);
void shim_pdu_store__vset(struct shim_buf *out, uint32_t pmid, uint32_t numval, uint32_t valfmt);
void shim_pdu_store__value(struct shim_buf *out, int32_t inst, uint32_t word);
void shim_pdu_store__block(struct shim_buf *out, uint32_t type, const void *bytes, uint32_t len);

/* More functions in pdu_desc.c */
struct shim_pdu_labelset {
	int32_t inst;
	int32_t nlabels;	/* or an error code */
	const char *json;
	uint32_t jsonlen;
	const uint8_t *labels;
};

struct shim_pdu_label {
	uint32_t name, namelen, flags, value, valuelen;
};

void shim_pdu_label__encode(struct shim_buf *out, int32_t from, uint32_t ident, uint32_t type);
/* Get the number of sets, which are then read one by one. */
int shim_pdu_label__decode(struct shim_pdu *pdu, uint32_t type, uint32_t *n);
void shim_pdu_label__next(struct shim_pdu *pdu, struct shim_pdu_labelset *set);
struct shim_pdu_label shim_pdu_labelset__at(const struct shim_pdu_labelset *set, uint32_t i);

#endif /* SHIM_PDU_PDU_H */
