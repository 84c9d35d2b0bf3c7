/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Arrays that grow by doubling. */
#ifndef SHIM_BASE_VEC_H
#define SHIM_BASE_VEC_H

#include <stddef.h>
#include <stdlib.h>

/**
 * shim_vec__room() - make room for one more element
 * @data: NULL or the array, which may move
 * @cap: elements there is room for
 * @n: elements in use
 * @size: bytes of an element
 *
 * Return: the array (the caller's pointer must be set to it), or NULL when memory runs out; then
 * the old one is as it was.
 */
static inline void *shim_vec__room(void *data, size_t *cap, size_t n, size_t size)
{
	size_t more = *cap ? 2 * *cap : 8;
	size_t bytes;

	if (n < *cap)
		return data;
	if (__builtin_mul_overflow(more, size, &bytes))
		return NULL;
	data = realloc(data, bytes);
	if (data)
		*cap = more;
	return data;
}

#endif /* SHIM_BASE_VEC_H */
