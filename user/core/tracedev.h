/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A descriptor of /dev/vcpc for trace events: names to handles of tags, and one event a write. */
#ifndef SHIM_CORE_TRACEDEV_H
#define SHIM_CORE_TRACEDEV_H

#include <stddef.h>
#include <stdint.h>

#include <linux/vcpc.h>

/* Operations and flags are the module's: VCPC_TRACE_* in <linux/vcpc.h>. */

int shim_tracedev__open(int *fd);
int shim_tracedev__tag(int fd, const char *name, size_t len, uint32_t *handle);
const struct vcpc_trace_page *shim_tracedev__map(int fd);
int shim_tracedev__fire(int fd, uint32_t op, uint32_t handle, uint64_t value);
void shim_tracedev__close(int fd);
int shim_tracedev__is(int fd);

#endif /* SHIM_CORE_TRACEDEV_H */
