/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Many small pieces of memory that are freed together. */
#ifndef SHIM_BASE_ARENA_H
#define SHIM_BASE_ARENA_H

#include <stddef.h>

struct shim_arena {
	struct shim_arena_chunk *chunks;
	size_t left;
};

/* Zeroed, aligned for any object, NULL when memory runs out */
void *shim_arena__alloc(struct shim_arena *arena, size_t size);
/* @n objects of @size bytes */
void *shim_arena__array(struct shim_arena *arena, size_t n, size_t size);
/* A copy of @len bytes with a NUL behind them */
char *shim_arena__string(struct shim_arena *arena, const void *s, size_t len);
void shim_arena__free(struct shim_arena *arena);

#endif /* SHIM_BASE_ARENA_H */
