// SPDX-License-Identifier: LGPL-2.1-or-later
/* Memory that grows: buffers and arenas */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "buf.h"

uint8_t *shim_buf__grow(struct shim_buf *buf, size_t len)
{
	size_t cap = buf->cap ? buf->cap : 256;
	uint8_t *data;

	if (buf->err)
		return NULL;
	if (len > SHIM_BUF_MAX - buf->len) {
		buf->err = -EMSGSIZE;
		return NULL;
	}
	while (cap - buf->len < len)
		cap *= 2;
	if (cap != buf->cap) {
		data = realloc(buf->data, cap);
		if (!data) {
			buf->err = -ENOMEM;
			return NULL;
		}
		buf->data = data;
		buf->cap = cap;
	}
	data = buf->data + buf->len;
	buf->len += len;
	return data;
}

void shim_buf__free(struct shim_buf *buf)
{
	free(buf->data);
	*buf = (struct shim_buf){ 0 };
}

/*
 * An arena always allocates from its newest chunk.  Each chunk is twice as large as the one before,
 * up to a limit, so that an arena with few objects uses little memory.
 */

#define CHUNK_SIZE_MIN	2048
#define CHUNK_SIZE_MAX	65536
#define ALIGN		_Alignof(max_align_t)

struct shim_arena_chunk {
	struct shim_arena_chunk *older;
	_Alignas(max_align_t) unsigned char bytes[];
};

static size_t next_size(size_t size)
{
	if (!size)
		return CHUNK_SIZE_MIN;
	return size < CHUNK_SIZE_MAX ? 2 * size : size;
}

static void *new_chunk(struct shim_arena *arena, size_t size)
{
	struct shim_arena_chunk *chunk = calloc(1, sizeof(*chunk) + size);

	if (!chunk)
		return NULL;
	chunk->older = arena->chunks;
	arena->chunks = chunk;
	return chunk;
}

void *shim_arena__alloc(struct shim_arena *arena, size_t size)
{
	if (size > SIZE_MAX / 2)
		return NULL;
	size = (size + ALIGN - 1) & ~(ALIGN - 1);
	if (size > arena->left) {
		size_t next = next_size(arena->chunk_size);
		size_t chunk = size > next ? size : next;

		if (!new_chunk(arena, chunk))
			return NULL;
		arena->chunk_size = next;
		arena->left = chunk;
	}
	/* The newest chunk is used from its end downwards. */
	arena->left -= size;
	return arena->chunks->bytes + arena->left;
}

void *shim_arena__array(struct shim_arena *arena, size_t n, size_t size)
{
	size_t bytes;

	if (__builtin_mul_overflow(n, size, &bytes))
		return NULL;
	return shim_arena__alloc(arena, bytes);
}

char *shim_arena__string(struct shim_arena *arena, const void *s, size_t len)
{
	char *copy = shim_arena__alloc(arena, len + 1);

	if (copy)
		memcpy(copy, s, len);
	return copy;
}

void shim_arena__free(struct shim_arena *arena)
{
	struct shim_arena_chunk *chunk;

	while ((chunk = arena->chunks)) {
		arena->chunks = chunk->older;
		free(chunk);
	}
	*arena = (struct shim_arena){ 0 };
}
