/* SPDX-License-Identifier: GPL-2.0 */
#ifndef VCPC_UARG_H
#define VCPC_UARG_H

#include <linux/compiler.h>
#include <linux/errno.h>
#include <linux/types.h>
#include <linux/uaccess.h>
#include <linux/vcpc.h>

/* How a CPU is named where a thread may be, and back */
#define VCPC_UARG_CPU(cpu)	(~(cpu))

int vcpc_uarg_info(struct vcpc_info_args *args, const void __user *from);
int vcpc_uarg_set_create(struct vcpc_set_create_args *args, const void __user *from);
int vcpc_uarg_request(struct vcpc_request *req, const struct vcpc_set_create_args *args,
		      unsigned int index);
int vcpc_uarg_bind(struct vcpc_bind_args *args, const void __user *from);
int vcpc_uarg_target(struct vcpc_target_args *args, const void __user *from);
int vcpc_uarg_preset(struct vcpc_preset_args *args, const void __user *from);
int vcpc_uarg_overflows(struct vcpc_overflows_args *args, const void __user *from);
int vcpc_uarg_sample_slow(struct vcpc_sample_args *args, const void __user *from);
int vcpc_uarg_instances(struct vcpc_instances_args *args, const void __user *from);
int vcpc_uarg_trace_tag(struct vcpc_trace_tag_args *args, const void __user *from);
int vcpc_uarg_tag_name(char *name, const struct vcpc_trace_tag_args *args);
int vcpc_uarg_check_trace(const struct vcpc_trace_args *args);
int vcpc_uarg_trace(struct vcpc_trace_args *args, const void __user *from);

/**
 * vcpc_uarg_sample() - take in the arguments of VCPC_IOC_SAMPLE
 * @args: written on success; a CPU is named by VCPC_UARG_CPU()
 * @from: the caller's
 *
 * In line, as this is the one call that is made often: of oneself.
 *
 * Return: 0, -EINVAL, -E2BIG or -EFAULT.
 */
static __always_inline int vcpc_uarg_sample(struct vcpc_sample_args *args, const void __user *from)
{
	if (likely(!copy_from_user(args, from, sizeof(*args)) &&
		   !((args->size ^ sizeof(*args)) | args->flags | args->tid)))
		return 0;
	return vcpc_uarg_sample_slow(args, from);
}

/**
 * vcpc_uarg_put_words() - give the caller some 64-bit words
 * @to: where
 * @words: what
 * @nr: how many
 *
 * Not copy_to_user(): that would first have the whole of the caller's stack
 * frame checked, which costs as much as reading a counter.  @nr is the number
 * of a set's requests and a constant, so the length is known to be good.
 *
 * Return: 0 or -EFAULT.
 */
static inline int vcpc_uarg_put_words(void __user *to, const u64 *words, unsigned int nr)
{
	return _copy_to_user(to, words, nr * sizeof(*words)) ? -EFAULT : 0;
}

#endif
