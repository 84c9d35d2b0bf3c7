// SPDX-License-Identifier: LGPL-2.1-or-later
/* Store the values of a sample in a buffer, and do arithmetic on buffers. */
#include <errno.h>
#include <stdlib.h>

#include "base/api.h"
#include "impl.h"

static size_t values_size(const cpc_buf_t *buf)
{
	return buf->n * sizeof(buf->sample.values[0]);
}

/**
 * cpc_buf_create() - create a buffer for a set's current requests
 * @cpc: the handle
 * @set: a set of this handle
 *
 * Return: the buffer, all zero, or NULL and errno: EINVAL (the set belongs to another handle),
 * ENOMEM.
 */
SHIM_API cpc_buf_t *cpc_buf_create(cpc_t *cpc, cpc_set_t *set)
{
	cpc_buf_t *buf = NULL;

	if (!cpc) {
		errno = EINVAL;
		return NULL;
	}
	shim_cpc__lock();
	if (!shim_cpc__has_set(cpc, set)) {
		errno = EINVAL;
		goto out;
	}
	buf = calloc(1, sizeof(*buf) + set->n * sizeof(buf->sample.values[0]));
	if (!buf)
		goto out;
	buf->cpc = cpc;
	buf->shape = set->shape;
	buf->n = set->n;
	buf->next = cpc->bufs;
	cpc->bufs = buf;
out:
	shim_cpc__unlock();
	return buf;
}

/**
 * cpc_buf_destroy() - free a buffer
 * @cpc: the handle
 * @buf: a buffer of this handle
 *
 * Return: 0, or -1 and EINVAL if the buffer belongs to another handle.
 */
SHIM_API int cpc_buf_destroy(cpc_t *cpc, cpc_buf_t *buf)
{
	cpc_buf_t **at;

	if (!cpc)
		return shim_cpc__fail(EINVAL);
	shim_cpc__lock();
	for (at = &cpc->bufs; *at && *at != buf; at = &(*at)->next)
		;
	if (*at)
		*at = buf->next;
	else
		buf = NULL;
	shim_cpc__unlock();
	if (!buf)
		return shim_cpc__fail(EINVAL);
	free(buf);
	return 0;
}

static __u64 later(__u64 a, __u64 b)
{
	return a > b ? a : b;
}

static bool is_of(const cpc_t *cpc, const cpc_buf_t *buf)
{
	return buf && buf->cpc == cpc;
}

/*
 * Return true if all buffers belong to the handle and have the same size; otherwise set errno.  The
 * caller then leaves the buffers unchanged, as in the original.  Buffers of different sets are
 * accepted, because Solaris' cputrack gives each thread its own set and adds all of them to one
 * total.
 */
static bool same_size(const cpc_t *cpc, const cpc_buf_t *ds, const cpc_buf_t *a, const cpc_buf_t *b)
{
	if (is_of(cpc, ds) && is_of(cpc, a) && is_of(cpc, b) && ds->n == a->n && ds->n == b->n)
		return true;
	errno = EINVAL;
	return false;
}

/*
 * Two buffers are identical or do not overlap, so no value is read after it has been overwritten,
 * and the compiler may vectorize loops over values.
 */
#define EACH_VALUE	_Pragma("GCC ivdep")
#define SEVERAL_AT_A_TIME	__attribute__((optimize("O3")))

/**
 * cpc_buf_sub() - set @ds to @a - @b, value by value, modulo 2^64
 * @cpc: the handle
 * @ds: may be @a or @b; its hrtime is set to the later one, its tick to the difference
 * @a: a buffer for the same number of requests
 * @b: a buffer for the same number of requests
 *
 * If the numbers differ, or a buffer belongs to another handle, @ds is unchanged and errno is
 * EINVAL.
 */
SHIM_API SEVERAL_AT_A_TIME void cpc_buf_sub(cpc_t *cpc, cpc_buf_t *ds, cpc_buf_t *a, cpc_buf_t *b)
{
	uint_t n;

	if (!same_size(cpc, ds, a, b))
		return;
	n = ds->n;
	EACH_VALUE
	for (uint_t i = 0; i < n; i++)
		ds->sample.values[i] = a->sample.values[i] - b->sample.values[i];
	ds->sample.time = later(a->sample.time, b->sample.time);
	ds->sample.tick = a->sample.tick - b->sample.tick;
}

/**
 * cpc_buf_add() - set @ds to @a + @b, value by value, modulo 2^64
 * @cpc: the handle
 * @ds: may be @a or @b; its hrtime is set to the later one, its tick to the sum
 * @a: a buffer for the same number of requests
 * @b: a buffer for the same number of requests
 *
 * If the numbers differ, or a buffer belongs to another handle, @ds is unchanged and errno is
 * EINVAL.
 */
SHIM_API SEVERAL_AT_A_TIME void cpc_buf_add(cpc_t *cpc, cpc_buf_t *ds, cpc_buf_t *a, cpc_buf_t *b)
{
	uint_t n;

	if (!same_size(cpc, ds, a, b))
		return;
	n = ds->n;
	EACH_VALUE
	for (uint_t i = 0; i < n; i++)
		ds->sample.values[i] = a->sample.values[i] + b->sample.values[i];
	ds->sample.time = later(a->sample.time, b->sample.time);
	ds->sample.tick = a->sample.tick + b->sample.tick;
}

/**
 * cpc_buf_copy() - copy a buffer
 * @cpc: the handle
 * @ds: created for the same set as @src, with the same requests
 * @src: the buffer to copy
 *
 * If the sets or their requests differ, or a buffer belongs to another handle, @ds is
 * unchanged and errno is EINVAL.
 */
SHIM_API void cpc_buf_copy(cpc_t *cpc, cpc_buf_t *ds, cpc_buf_t *src)
{
	if (!is_of(cpc, ds) || !is_of(cpc, src) || ds->shape != src->shape) {
		errno = EINVAL;
		return;
	}
	memmove(ds->sample.values, src->sample.values, values_size(ds));
	ds->sample.time = src->sample.time;
	ds->sample.tick = src->sample.tick;
}

/**
 * cpc_buf_zero() - reset a buffer, as if it had never been sampled
 * @cpc: the handle
 * @buf: its values, hrtime and tick are set to 0; if it belongs to another handle, errno is set to
 *	EINVAL
 */
SHIM_API void cpc_buf_zero(cpc_t *cpc, cpc_buf_t *buf)
{
	if (!is_of(cpc, buf)) {
		errno = EINVAL;
		return;
	}
	memset(buf->sample.values, 0, values_size(buf));
	buf->sample.time = 0;
	buf->sample.tick = 0;
}

static bool has(const cpc_t *cpc, const cpc_buf_t *buf, int index)
{
	/* As an unsigned number, a negative index is greater than all valid ones. */
	return is_of(cpc, buf) && (uint_t)index < buf->n;
}

/**
 * cpc_buf_get() - get one value
 * @cpc: the handle
 * @buf: the buffer
 * @index: the result of cpc_set_add_request()
 * @val: the value
 *
 * Return: 0, or -1 and EINVAL if the buffer belongs to another handle or has no such
 * index.
 */
SHIM_API int cpc_buf_get(cpc_t *cpc, cpc_buf_t *buf, int index, uint64_t *val)
{
	if (!val || !has(cpc, buf, index))
		return shim_cpc__fail(EINVAL);
	*val = buf->sample.values[index];
	return 0;
}

/**
 * cpc_buf_set() - change one value, only in the buffer
 * @cpc: the handle
 * @buf: the buffer
 * @index: the result of cpc_set_add_request()
 * @val: the value
 *
 * Return: 0, or -1 and EINVAL if the buffer belongs to another handle or has no such
 * index.
 */
SHIM_API int cpc_buf_set(cpc_t *cpc, cpc_buf_t *buf, int index, uint64_t val)
{
	if (!has(cpc, buf, index))
		return shim_cpc__fail(EINVAL);
	buf->sample.values[index] = val;
	return 0;
}

/**
 * cpc_buf_hrtime() - get the time of the sample
 * @cpc: the handle
 * @buf: the buffer
 *
 * Return: gethrtime() at the time of the sample, 0 if the buffer was never sampled; 0 and EINVAL if
 * the buffer belongs to another handle.
 */
SHIM_API hrtime_t cpc_buf_hrtime(cpc_t *cpc, cpc_buf_t *buf)
{
	if (is_of(cpc, buf))
		return (hrtime_t)buf->sample.time;
	errno = EINVAL;
	return 0;
}

/**
 * cpc_buf_tick() - get the time during which the set had counted
 * @cpc: the handle
 * @buf: the buffer
 *
 * Return: nanoseconds of the thread's CPU time; 0 and EINVAL if the buffer belongs to another
 * handle.
 */
SHIM_API uint64_t cpc_buf_tick(cpc_t *cpc, cpc_buf_t *buf)
{
	if (is_of(cpc, buf))
		return buf->sample.tick;
	errno = EINVAL;
	return 0;
}
