// SPDX-License-Identifier: GPL-2.0
/*
 * Copy in every struct of the interface, and check its size, flags and reserved fields.
 */
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/signal.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "uarg.h"

/* Each ioctl's number contains the size of its struct.  The most frequent ioctl is first. */
static const unsigned int known[] = {
	VCPC_IOC_SAMPLE, VCPC_IOC_RESTART, VCPC_IOC_ENABLE, VCPC_IOC_DISABLE, VCPC_IOC_PRESET,
	VCPC_IOC_INSTANCES, VCPC_IOC_BIND, VCPC_IOC_UNBIND, VCPC_IOC_SET_CREATE, VCPC_IOC_INFO,
};

/**
 * vcpc_uarg_sized() - copy in a struct that can be longer than the module's version
 * @to: written on success
 * @known: size of the module's version, which is also the minimum
 * @from: the caller's struct
 * @size: its size
 *
 * Return: 0; -EINVAL (too short), -E2BIG (longer, with nonzero extra bytes), or -EFAULT.
 */
int vcpc_uarg_sized(void *to, size_t known, const void __user *from, size_t size)
{
	if (size < known)
		return -EINVAL;
	if (size > PAGE_SIZE)
		return -E2BIG;
	return copy_struct_from_user(to, known, from, size);
}

/* Copy word by word, because copy_from_user() takes three times as long for a few bytes. */
static __always_inline int copy_words(u64 *to, const u64 __user *from, size_t size)
{
	size_t i;

	if (!user_read_access_begin(from, size))
		return -EFAULT;
	/* Unroll the loop where the size is a constant. */
#pragma GCC unroll 2
	for (i = 0; i < size / sizeof(*to); i++)
		unsafe_get_user(to[i], &from[i], err_fault);
	user_read_access_end();
	return 0;

err_fault:
	user_read_access_end();
	return -EFAULT;
}

/* Copy in a struct in one step if it is of this version; otherwise it can have any length. */
static int copy_args(void *to, size_t known_size, const void __user *from)
{
	u32 *size = to;

	if (likely(!copy_words(to, from, known_size) && *size == known_size))
		return 0;
	if (get_user(*size, (const u32 __user *)from))
		return -EFAULT;
	return vcpc_uarg_sized(to, known_size, from, *size);
}

static bool is_known_sample(const struct vcpc_sample_args *args)
{
	return !(args->flags & ~VCPC_SAMPLE_F_TOTAL) && args->tid >= 0 &&
	       !(args->flags && args->tid);
}

static bool is_known_set(const struct vcpc_set_create_args *args)
{
	return !(args->flags & ~VCPC_SET_F_DISABLED) && !args->reserved[0] &&
	       !args->reserved[1] && valid_signal(args->signal);
}

static bool is_known(const union vcpc_uargs *args, unsigned int cmd)
{
	const u32 bind = VCPC_BIND_F_ENABLE_ON_EXEC | VCPC_BIND_F_INHERIT | VCPC_BIND_F_TREE |
			 VCPC_BIND_F_TRACE;

	switch (cmd) {
	case VCPC_IOC_SAMPLE:		return is_known_sample(&args->sample);
	case VCPC_IOC_ENABLE:
	case VCPC_IOC_DISABLE:
	case VCPC_IOC_RESTART:		return !args->own.flags;
	case VCPC_IOC_UNBIND:		return !(args->own.flags & ~VCPC_OWN_F_ALL);
	case VCPC_IOC_BIND:		return !(args->bind.flags & ~bind || args->bind.reserved);
	case VCPC_IOC_INSTANCES:	return !args->instances.flags;
	case VCPC_IOC_SET_CREATE:	return is_known_set(&args->set_create);
	default:			return true;
	}
}

/**
 * vcpc_uarg_take() - copy in and check the arguments of an ioctl
 * @args: written on success; its size is always written, 0 if it could not be read
 * @cmd: the ioctl, with any size
 * @from: the caller's struct
 *
 * Return: 0, -ENOIOCTLCMD, -EINVAL, -E2BIG or -EFAULT.
 */
int vcpc_uarg_take(union vcpc_uargs *args, unsigned int cmd, const void __user *from)
{
	unsigned int i;
	int ret;

	args->size = 0;
	for (i = 0; i < ARRAY_SIZE(known); i++)
		if (VCPC_UARG_CMD(known[i]) == VCPC_UARG_CMD(cmd))
			break;
	if (i == ARRAY_SIZE(known))
		return -ENOIOCTLCMD;
	ret = copy_args(args, _IOC_SIZE(known[i]), from);
	return ret || is_known(args, known[i]) ? ret : -EINVAL;
}

/**
 * vcpc_uarg_request() - copy in and check one request of a new set
 * @req: written on success
 * @args: contains the address and size of the requests
 * @index: index of the request
 *
 * Return: 0, -EINVAL, -E2BIG or -EFAULT.
 */
int vcpc_uarg_request(struct vcpc_request *req, const struct vcpc_set_create_args *args,
		      unsigned int index)
{
	const u32 counted = VCPC_REQ_F_USER | VCPC_REQ_F_KERNEL;
	void __user *from = u64_to_user_ptr(args->requests + (u64)index * args->request_size);
	int ret = vcpc_uarg_sized(req, sizeof(*req), from, args->request_size);

	if (ret)
		return ret;
	if (!(req->flags & counted) || req->flags & ~(counted | VCPC_REQ_F_OVERFLOW))
		return -EINVAL;
	return memchr_inv(req->reserved, 0, sizeof(req->reserved)) ? -EINVAL : 0;
}

/**
 * vcpc_uarg_tag() - copy in and check the arguments of VCPC_IOC_TRACE_TAG, and the name
 * @args: written on success
 * @name: char[VCPC_TAG_LEN], filled with the name and a NUL
 * @from: the caller's struct
 *
 * Return: 0, -EINVAL (including a name that contains a NUL), -ENAMETOOLONG, -E2BIG or -EFAULT.
 */
int vcpc_uarg_tag(struct vcpc_trace_tag_args *args, char *name, const void __user *from)
{
	int ret = copy_args(args, sizeof(*args), from);

	if (ret)
		return ret;
	if (args->flags || !args->name_len)
		return -EINVAL;
	if (args->name_len >= VCPC_TAG_LEN)
		return -ENAMETOOLONG;
	if (copy_from_user(name, u64_to_user_ptr(args->name), args->name_len))
		return -EFAULT;
	name[args->name_len] = '\0';
	return strlen(name) == args->name_len ? 0 : -EINVAL;
}

/**
 * vcpc_uarg_event() - copy in and check a trace event
 * @event: written on success
 * @from: the caller's struct
 * @size: number of bytes
 *
 * Return: 0, -EINVAL, -E2BIG or -EFAULT.
 */
int vcpc_uarg_event(struct vcpc_trace_write *event, const void __user *from, size_t size)
{
	int ret;

	if (likely(size == sizeof(*event)))
		ret = copy_words((u64 *)event, from, sizeof(*event));
	else
		ret = vcpc_uarg_sized(event, sizeof(*event), from, size);
	return ret ?: vcpc_uarg_check_event(event->op, event->value);
}
