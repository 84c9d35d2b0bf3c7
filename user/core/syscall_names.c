// SPDX-License-Identifier: LGPL-2.1-or-later
/* The names of this machine's system calls; the table is made from <sys/syscall.h> at the build. */
#include <stddef.h>
#include <sys/syscall.h>

#include "bpf_why.h"

static const char *const names[] = {
#include "syscall_table.h"
};

/**
 * shim_syscall__name() - the name of a system call
 * @number: its number
 *
 * Return: the name, or NULL if it was not known when this library was built.
 */
const char *shim_syscall__name(uint32_t number)
{
	return number < sizeof(names) / sizeof(names[0]) ? names[number] : NULL;
}
