/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Allocate many small objects that are freed together. */
#ifndef SHIM_BASE_ARENA_H
#define SHIM_BASE_ARENA_H

#include <stddef.h>

struct shim_arena {
	struct shim_arena_chunk *chunks;
	size_t left;
};

/* Returns zeroed memory, aligned for any object, or NULL if memory runs out. */
void *shim_arena__alloc(struct shim_arena *arena, size_t size);
/* Allocate @n objects of @size bytes. */
void *shim_arena__array(struct shim_arena *arena, size_t n, size_t size);
/* Copy @len bytes and append a NUL. */
char *shim_arena__string(struct shim_arena *arena, const void *s, size_t len);
void shim_arena__free(struct shim_arena *arena);

#endif /* SHIM_BASE_ARENA_H */
