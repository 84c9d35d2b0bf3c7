/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Big-endian numbers in memory, and an input that is never read past its end.
 *
 * The first read that does not fit sets @bad in struct shim_in.  From then on every read returns 0
 * or NULL, so a decoder may read a whole record and check only once, at the end, whether it was
 * complete.
 */
#ifndef SHIM_BASE_BYTES_H
#define SHIM_BASE_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

static inline uint32_t shim_be32__get(const void *p)
{
	uint32_t v;

	memcpy(&v, p, sizeof(v));
	return __builtin_bswap32(v);
}

static inline uint64_t shim_be64__get(const void *p)
{
	uint64_t v;

	memcpy(&v, p, sizeof(v));
	return __builtin_bswap64(v);
}

static inline void shim_be32__put(void *p, uint32_t v)
{
	v = __builtin_bswap32(v);
	memcpy(p, &v, sizeof(v));
}

static inline void shim_be64__put(void *p, uint64_t v)
{
	v = __builtin_bswap64(v);
	memcpy(p, &v, sizeof(v));
}

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "big-endian machines are not supported");

/*
 * struct shim_in - bytes that remain to be read
 * @bad: a read did not fit; data read since then is invalid
 */
struct shim_in {
	const uint8_t *p;
	const uint8_t *end;
	bool bad;
};

static inline struct shim_in shim_in__of(const void *data, size_t len)
{
	const uint8_t *p = data;

	return (struct shim_in){ .p = p, .end = p + len };
}

static inline size_t shim_in__left(const struct shim_in *in)
{
	return in->end - in->p;
}

/* Return a pointer to the next @len bytes, or NULL. */
static inline const uint8_t *shim_in__bytes(struct shim_in *in, size_t len)
{
	const uint8_t *p = in->p;

	if (in->bad || shim_in__left(in) < len) {
		in->bad = true;
		return NULL;
	}
	in->p += len;
	return p;
}

static inline uint32_t shim_in__u32(struct shim_in *in)
{
	const uint8_t *p = shim_in__bytes(in, 4);

	return p ? shim_be32__get(p) : 0;
}

static inline uint64_t shim_in__u64(struct shim_in *in)
{
	const uint8_t *p = shim_in__bytes(in, 8);

	return p ? shim_be64__get(p) : 0;
}

#endif /* SHIM_BASE_BYTES_H */
