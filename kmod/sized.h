/* SPDX-License-Identifier: GPL-2.0 */
/* A caller's struct that says how long it is, whichever version it is of. */
#ifndef VCPC_SIZED_H
#define VCPC_SIZED_H

#include <linux/errno.h>
#include <linux/mm.h>
#include <linux/uaccess.h>

/**
 * vcpc_copy_sized() - take in a struct that may be longer than what is known
 * @to: written on success
 * @known: its size here, which is also the least
 * @from: the caller's
 * @size: its size there
 *
 * Return: 0; -EINVAL (too short), -E2BIG (longer, and not zero there), or -EFAULT.
 */
static inline int vcpc_copy_sized(void *to, size_t known, const void __user *from, size_t size)
{
	if (size < known)
		return -EINVAL;
	if (size > PAGE_SIZE)
		return -E2BIG;
	return copy_struct_from_user(to, known, from, size);
}

#endif
