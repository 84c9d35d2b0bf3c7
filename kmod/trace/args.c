// SPDX-License-Identifier: GPL-2.0
/*
 * Copies the structs of tags and trace events in, and checks their sizes, flags and values.
 */
#include <linux/build_bug.h>
#include <linux/string.h>

#include "sized.h"
#include "trace/args.h"

/* The structs as version 1 of the contract knew them; they only grow. */
static_assert(sizeof(struct vcpc_trace_tag_args) == 32);
static_assert(sizeof(struct vcpc_trace_write) == 16);

/**
 * vcpc_traceargs_tag() - take in the arguments of VCPC_IOC_TRACE_TAG
 * @args: written on success
 * @from: the caller's
 *
 * Return: 0, -EINVAL, -ENAMETOOLONG, -E2BIG or -EFAULT.
 */
int vcpc_traceargs_tag(struct vcpc_trace_tag_args *args, const void __user *from)
{
	u32 size;
	int ret;

	if (get_user(size, (const u32 __user *)from))
		return -EFAULT;
	ret = vcpc_copy_sized(args, sizeof(*args), from, size);
	if (ret)
		return ret;
	if (args->flags || !args->name_len)
		return -EINVAL;
	return args->name_len >= VCPC_TAG_LEN ? -ENAMETOOLONG : 0;
}

/**
 * vcpc_traceargs_name() - take in a tag's name
 * @name: char[VCPC_TAG_LEN], gets the name and a NUL
 * @args: checked arguments of VCPC_IOC_TRACE_TAG
 *
 * Return: 0, -EINVAL if there is a NUL inside, or -EFAULT.
 */
int vcpc_traceargs_name(char *name, const struct vcpc_trace_tag_args *args)
{
	if (copy_from_user(name, u64_to_user_ptr(args->name), args->name_len))
		return -EFAULT;
	name[args->name_len] = '\0';
	return strlen(name) == args->name_len ? 0 : -EINVAL;
}

/**
 * vcpc_traceargs_other_size() - take in an event of another version's
 * @event: written on success
 * @from: the caller's
 * @size: how many bytes
 *
 * Return: 0, -EINVAL, -E2BIG or -EFAULT.
 */
int vcpc_traceargs_other_size(struct vcpc_trace_write *event, const void __user *from, size_t size)
{
	return vcpc_copy_sized(event, sizeof(*event), from, size);
}
