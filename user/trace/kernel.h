/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The way out through the module: connect, tag ids, events. */
#ifndef SHIM_TRACE_KERNEL_H
#define SHIM_TRACE_KERNEL_H

#include "process.h"

int shim_kernel__connect(struct shim_process *p);
int shim_kernel__prepare(struct shim_process *p, struct shim_tag *tag);
int shim_kernel__fire(struct shim_process *p, struct shim_tag *tag, uint32_t op, uint64_t value);

#endif /* SHIM_TRACE_KERNEL_H */
