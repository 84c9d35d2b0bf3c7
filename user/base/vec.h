/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Arrays that grow by doubling */
#ifndef SHIM_BASE_VEC_H
#define SHIM_BASE_VEC_H

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* Grow to a capacity of at least @n elements; @array is the address of the pointer. */
__attribute__((cold)) static inline int shim_vec__grow(void *array, size_t *cap, size_t n,
						       size_t size)
{
	size_t more = 2 * *cap > 8 ? 2 * *cap : 8;
	size_t bytes;
	void *data;

	if (more < n)
		more = n;
	if (__builtin_mul_overflow(more, size, &bytes))
		return -ENOMEM;
	memcpy(&data, array, sizeof(data));
	data = realloc(data, bytes);
	if (!data)
		return -ENOMEM;
	memcpy(array, &data, sizeof(data));
	*cap = more;
	return 0;
}

/* Common part of both macros below: call shim_vec__grow() only if the array is full. */
static inline int shim_vec__fit(void *array, size_t *cap, size_t n, size_t size)
{
	return n <= *cap ? 0 : shim_vec__grow(array, cap, n, size);
}

/**
 * shim_vec__room() - allocate space for one more element
 * @array: pointer to the elements, NULL at first; updated if they move
 * @cap: address of a size_t, the capacity in elements
 * @n: number of elements in use
 *
 * Arrays of equal length can share a capacity: grow each array with a copy of the capacity, and set
 * the capacity when all of them have grown.
 *
 * Return: 0, or -ENOMEM, in which case the array and its capacity are unchanged.
 */
#define shim_vec__room(array, cap, n) shim_vec__reserve(array, cap, (size_t)(n) + 1)

/**
 * shim_vec__reserve() - allocate space for a given number of elements
 * @array: pointer to the elements, NULL at first; updated if they move
 * @cap: address of a size_t, the capacity in elements
 * @n: the required capacity
 *
 * Return: as for shim_vec__room().
 */
#define shim_vec__reserve(array, cap, n) shim_vec__fit(&(array), cap, n, sizeof(*(array)))

#endif /* SHIM_BASE_VEC_H */
