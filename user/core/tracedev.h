/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* /dev/vcpc for trace events: get handles of tags by name, and write events, one at a time. */
#ifndef SHIM_CORE_TRACEDEV_H
#define SHIM_CORE_TRACEDEV_H

#include <errno.h>
#include <stddef.h>
#include <stdint.h>

#include <linux/vcpc.h>

#include "base/rawcall.h"

/* Operations and flags are the module's: VCPC_TRACE_* in <linux/vcpc.h>. */

int shim_tracedev__open(int *fd);
int shim_tracedev__tag(int fd, const char *name, size_t len, uint32_t *handle);
const struct vcpc_trace_page *shim_tracedev__map(int fd);
void shim_tracedev__close(int fd);
int shim_tracedev__is(int fd);
int shim_tracedev__counted(int fd);

/* The system call takes a position as one argument, on 64-bit machines only. */
_Static_assert(sizeof(long) == sizeof(VCPC_TRACE_AT), "64-bit");

/**
 * shim_tracedev__fire() - one event of the calling process
 * @fd: from shim_tracedev__open()
 * @op: VCPC_TRACE_*, with VCPC_TRACE_F_COUNTS or without
 * @handle: from shim_tracedev__tag() on the same descriptor
 * @value: as in struct vcpc_trace_write
 *
 * The program may have closed the descriptor, and its number may be another file's by now,
 * which must not get a byte: hence the position VCPC_TRACE_AT, which all other files refuse.
 *
 * The system call is made without the C library's pwrite(), which is a cancellation point:
 * tracing must not make a program's function one.  errno is not changed.
 *
 * Return: 0, -EBADF if it is another file's, or an errno of write(2) on the device.
 */
static inline int shim_tracedev__fire(int fd, uint32_t op, uint32_t handle, uint64_t value)
{
	const struct vcpc_trace_write event = { .op = op, .handle = handle, .value = value };
	long n = shim_rawcall4(SYS_pwrite64, fd, (long)&event, sizeof(event), VCPC_TRACE_AT);

	if (__builtin_expect(n == sizeof(event), 1))
		return 0;
	return n >= 0 || n == -EINVAL || n == -ESPIPE ? -EBADF : (int)n;
}

#endif /* SHIM_CORE_TRACEDEV_H */
