/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Describe this machine: processor and kernel. */
#ifndef VCPC_MACHINE_H
#define VCPC_MACHINE_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Get the processor's model and the number of CPUs online.  Return false if the model is unknown;
 * errno is unchanged if the kernel does not report it.
 */
bool vcpc_machine_cpu(char *buf, size_t size);
/* Get the kernel, its release and the machine from uname(2). */
bool vcpc_machine_kernel(char *buf, size_t size);

#endif /* VCPC_MACHINE_H */
