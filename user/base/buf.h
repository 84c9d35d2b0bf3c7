/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A growing buffer for records under construction.
 *
 * If memory runs out, or the buffer would exceed SHIM_BUF_MAX bytes, @err is set to -ENOMEM or
 * -EMSGSIZE and all later data is ignored.  Therefore a caller needs to check for an error only
 * once, after a whole record.
 */
#ifndef SHIM_BASE_BUF_H
#define SHIM_BASE_BUF_H

#include <stddef.h>

#include "bytes.h"

#define SHIM_BUF_MAX	0x7fffffffu

struct shim_buf {
	uint8_t *data;
	size_t len;
	size_t cap;
	int err;
};

/* Add @len bytes to the used part.  Return a pointer to them, or NULL after an error. */
uint8_t *shim_buf__grow(struct shim_buf *buf, size_t len);
void shim_buf__free(struct shim_buf *buf);

static inline void shim_buf__reset(struct shim_buf *buf)
{
	buf->len = 0;
	buf->err = 0;
}

static inline uint8_t *shim_buf__add(struct shim_buf *buf, size_t len)
{
	uint8_t *p;

	if (__builtin_expect(buf->err || buf->cap - buf->len < len, 0))
		return shim_buf__grow(buf, len);
	p = buf->data + buf->len;
	buf->len += len;
	return p;
}

static inline void shim_buf__put32(struct shim_buf *buf, uint32_t v)
{
	uint8_t *p = shim_buf__add(buf, 4);

	if (p)
		shim_be32__put(p, v);
}

static inline void shim_buf__put64(struct shim_buf *buf, uint64_t v)
{
	uint8_t *p = shim_buf__add(buf, 8);

	if (p)
		shim_be64__put(p, v);
}

static inline void shim_buf__put(struct shim_buf *buf, const void *data, size_t len)
{
	uint8_t *p;

	if (!len)
		return;
	p = shim_buf__add(buf, len);
	if (p)
		memcpy(p, data, len);
}

static inline void shim_buf__fill(struct shim_buf *buf, int byte, size_t len)
{
	uint8_t *p;

	if (!len)
		return;
	p = shim_buf__add(buf, len);
	if (p)
		memset(p, byte, len);
}

/*
 * struct shim_arena - allocates many small objects that are freed together
 * @chunks: the newest chunk
 * @chunk_size: its size, unless a larger object needed a larger chunk
 * @left: its unused bytes
 */
struct shim_arena {
	struct shim_arena_chunk *chunks;
	size_t chunk_size;
	size_t left;
};

/* Return zeroed memory, aligned for any object, or NULL if memory runs out. */
void *shim_arena__alloc(struct shim_arena *arena, size_t size);
/* Allocate @n objects of @size bytes. */
void *shim_arena__array(struct shim_arena *arena, size_t n, size_t size);
/* Copy @len bytes and append a NUL. */
char *shim_arena__string(struct shim_arena *arena, const void *s, size_t len);
void shim_arena__free(struct shim_arena *arena);

#endif /* SHIM_BASE_BUF_H */
