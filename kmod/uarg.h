/* SPDX-License-Identifier: GPL-2.0 */
#ifndef VCPC_UARG_H
#define VCPC_UARG_H

#include <linux/compiler.h>
#include <linux/errno.h>
#include <linux/types.h>
#include <linux/uaccess.h>
#include <linux/vcpc.h>

#include "compat/put_unchecked.h"

/* How a CPU is named where a thread may be, and back */
#define VCPC_UARG_CPU(cpu)	(~(cpu))

/* An ioctl's number without the size in it, which is that of the struct that the caller knows */
#define VCPC_UARG_CMD(cmd)	((cmd) & ~IOCSIZE_MASK)

int vcpc_uarg_info(struct vcpc_info_args *args, const void __user *from);
int vcpc_uarg_set_create(struct vcpc_set_create_args *args, const void __user *from);
int vcpc_uarg_request(struct vcpc_request *req, const struct vcpc_set_create_args *args,
		      unsigned int index);
int vcpc_uarg_bind(struct vcpc_bind_args *args, const void __user *from);
int vcpc_uarg_target(struct vcpc_target_args *args, const void __user *from);
int vcpc_uarg_preset(struct vcpc_preset_args *args, const void __user *from);
int vcpc_uarg_sample(struct vcpc_sample_args *args, const void __user *from);
int vcpc_uarg_instances(struct vcpc_instances_args *args, const void __user *from);

/**
 * vcpc_uarg_sample_own() - take in the arguments of the one call that is made often
 * @args: written on success
 * @from: the caller's
 *
 * Return: true if they are of just this version, without a flag, and name nobody;
 * otherwise vcpc_uarg_sample() knows more.
 */
static __always_inline bool vcpc_uarg_sample_own(struct vcpc_sample_args *args,
						 const void __user *from)
{
	return !copy_from_user(args, from, sizeof(*args)) &&
	       !((args->size ^ sizeof(*args)) | args->flags | args->tid);
}

/**
 * vcpc_uarg_put_words() - give the caller some 64-bit words
 * @to: where
 * @words: what
 * @size: how many bytes
 *
 * Not copy_to_user(): that would first have the whole of the caller's stack
 * frame checked, which costs as much as reading a counter.  @size follows from the
 * number of a set's requests, so it is known to be good.
 *
 * Return: 0 or -EFAULT.
 */
static inline int vcpc_uarg_put_words(void __user *to, const u64 *words, size_t size)
{
	return vcpc_put_unchecked(to, words, size) ? -EFAULT : 0;
}

#endif
