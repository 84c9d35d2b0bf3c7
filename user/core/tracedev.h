/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* /dev/vcpc for trace events: get handles of tags by name, and write single events. */
#ifndef SHIM_CORE_TRACEDEV_H
#define SHIM_CORE_TRACEDEV_H

#include <errno.h>
#include <stddef.h>
#include <stdint.h>

#include <linux/vcpc.h>

#include "base/rawcall.h"

/* The module defines operations and flags: VCPC_TRACE_* in <linux/vcpc.h>. */

int shim_tracedev__open(int *fd);
int shim_tracedev__tag(int fd, const char *name, size_t len, uint32_t *handle);
const struct vcpc_trace_page *shim_tracedev__map(int fd);
void shim_tracedev__close(int fd);
int shim_tracedev__is(int fd);
int shim_tracedev__counted(int fd);

/* The system call takes the position as one argument only on 64-bit machines. */
_Static_assert(sizeof(long) == sizeof(VCPC_TRACE_AT), "64-bit");

/**
 * shim_tracedev__fire() - write one event of the calling process
 * @fd: from shim_tracedev__open()
 * @op: VCPC_TRACE_*, with VCPC_TRACE_F_COUNTS or without
 * @handle: from shim_tracedev__tag() on the same descriptor
 * @value: as in struct vcpc_trace_write
 *
 * The program may have closed the descriptor, and another file may have reused its number.  Nothing
 * must be written to that file, so the position is VCPC_TRACE_AT, which all other files refuse.
 *
 * The C library's pwrite() is not used, because it is a cancellation point, and tracing must not
 * add cancellation points to a program. errno is not changed.
 *
 * Return: 0, -EBADF if the descriptor is another file, or an errno of write(2) on the device.
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
