// SPDX-License-Identifier: GPL-2.0
/*
 * Copies every struct of the contract in, and checks its size, flags and reserved fields.
 */
#include <linux/build_bug.h>
#include <linux/errno.h>
#include <linux/mm.h>
#include <linux/signal.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "uarg.h"

/* The structs as version 2 of the contract has them; they only grow. */
static_assert(sizeof(struct vcpc_info_args) == 40);
static_assert(sizeof(struct vcpc_request) == 64);
static_assert(sizeof(struct vcpc_set_create_args) == 48);
static_assert(sizeof(struct vcpc_bind_args) == 16);
static_assert(sizeof(struct vcpc_own_args) == 8);
static_assert(sizeof(struct vcpc_preset_args) == 16);
static_assert(sizeof(struct vcpc_sample_args) == 24);
static_assert(sizeof(struct vcpc_sample) == 24);
static_assert(sizeof(struct vcpc_instance_info) == 32);
static_assert(sizeof(struct vcpc_instances_args) == 40);
static_assert(sizeof(struct vcpc_trace_tag_args) == 32);
static_assert(sizeof(struct vcpc_trace_write) == 16);

/**
 * vcpc_uarg_sized() - copy in a struct that may be longer than what is known
 * @to: written on success
 * @known: its size here, which is also the minimum
 * @from: the caller's
 * @size: its size there
 *
 * Return: 0; -EINVAL (too short), -E2BIG (longer, and not zero there), or -EFAULT.
 */
int vcpc_uarg_sized(void *to, size_t known, const void __user *from, size_t size)
{
	if (size < known)
		return -EINVAL;
	if (size > PAGE_SIZE)
		return -E2BIG;
	return copy_struct_from_user(to, known, from, size);
}

static noinline int copy_other_size(void *to, size_t known, const void __user *from)
{
	u32 size;

	if (get_user(size, (const u32 __user *)from))
		return -EFAULT;
	return vcpc_uarg_sized(to, known, from, size);
}

/* A caller of this very version pays for one copy of constant size. */
static __always_inline int copy_args(void *to, size_t known, const void __user *from)
{
	const u32 *size = to;

	if (likely(!copy_from_user(to, from, known) && *size == known))
		return 0;
	return copy_other_size(to, known, from);
}

/**
 * vcpc_uarg_info() - take in the arguments of VCPC_IOC_INFO
 * @args: written on success
 * @from: the caller's
 *
 * Return: 0, -EINVAL, -E2BIG or -EFAULT.
 */
int vcpc_uarg_info(struct vcpc_info_args *args, const void __user *from)
{
	return copy_args(args, sizeof(*args), from);
}

/**
 * vcpc_uarg_set_create() - take in the arguments of VCPC_IOC_SET_CREATE
 * @args: written on success
 * @from: the caller's
 *
 * Return: 0, -EINVAL, -E2BIG or -EFAULT.
 */
int vcpc_uarg_set_create(struct vcpc_set_create_args *args, const void __user *from)
{
	int ret = copy_args(args, sizeof(*args), from);

	if (ret)
		return ret;
	if (args->flags & ~VCPC_SET_F_DISABLED || args->reserved[0] || args->reserved[1])
		return -EINVAL;
	return valid_signal(args->signal) ? 0 : -EINVAL;
}

/**
 * vcpc_uarg_request() - take in one request of a new set
 * @req: written on success
 * @args: says where the requests are and how long each is
 * @index: which one
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
 * vcpc_uarg_bind() - take in the arguments of VCPC_IOC_BIND
 * @args: written on success
 * @from: the caller's
 *
 * Return: 0, -EINVAL, -E2BIG or -EFAULT.
 */
int vcpc_uarg_bind(struct vcpc_bind_args *args, const void __user *from)
{
	const u32 known = VCPC_BIND_F_ENABLE_ON_EXEC | VCPC_BIND_F_INHERIT | VCPC_BIND_F_TREE |
			  VCPC_BIND_F_TRACE;
	int ret = copy_args(args, sizeof(*args), from);

	if (ret)
		return ret;
	return args->flags & ~known || args->reserved ? -EINVAL : 0;
}

/**
 * vcpc_uarg_own() - take in the arguments of an ioctl on the caller's own instance
 * @args: written on success
 * @from: the caller's
 * @flags: VCPC_OWN_F_* that this ioctl has
 *
 * Return: 0, -EINVAL, -E2BIG or -EFAULT.
 */
int vcpc_uarg_own(struct vcpc_own_args *args, const void __user *from, u32 flags)
{
	int ret = copy_args(args, sizeof(*args), from);

	if (ret)
		return ret;
	return args->flags & ~flags ? -EINVAL : 0;
}

/**
 * vcpc_uarg_preset() - take in the arguments of VCPC_IOC_PRESET
 * @args: written on success
 * @from: the caller's
 *
 * Return: 0, -EINVAL, -E2BIG or -EFAULT.
 */
int vcpc_uarg_preset(struct vcpc_preset_args *args, const void __user *from)
{
	return copy_args(args, sizeof(*args), from);
}

/**
 * vcpc_uarg_sample() - take in the arguments of VCPC_IOC_SAMPLE
 * @args: written on success
 * @from: the caller's
 *
 * Return: 0, -EINVAL, -E2BIG or -EFAULT.
 */
int vcpc_uarg_sample(struct vcpc_sample_args *args, const void __user *from)
{
	int ret = copy_args(args, sizeof(*args), from);

	if (ret)
		return ret;
	if (args->flags & ~VCPC_SAMPLE_F_TOTAL || args->tid < 0)
		return -EINVAL;
	return args->flags && args->tid ? -EINVAL : 0;
}

/**
 * vcpc_uarg_instances() - take in the arguments of VCPC_IOC_INSTANCES
 * @args: written on success
 * @from: the caller's
 *
 * Return: 0, -EINVAL, -E2BIG or -EFAULT.
 */
int vcpc_uarg_instances(struct vcpc_instances_args *args, const void __user *from)
{
	int ret = copy_args(args, sizeof(*args), from);

	if (ret)
		return ret;
	if (args->flags || args->info_size < sizeof(struct vcpc_instance_info))
		return -EINVAL;
	return args->info_size > PAGE_SIZE ? -E2BIG : 0;
}

/**
 * vcpc_uarg_tag() - take in the arguments of VCPC_IOC_TRACE_TAG, and the name
 * @args: written on success
 * @name: char[VCPC_TAG_LEN], gets the name and a NUL
 * @from: the caller's
 *
 * Return: 0, -EINVAL (also if there is a NUL inside), -ENAMETOOLONG, -E2BIG or -EFAULT.
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

static int check_event(const struct vcpc_trace_write *event)
{
	const u32 op = event->op & ~VCPC_TRACE_F_COUNTS;

	if (op < VCPC_TRACE_BEGIN || op > VCPC_TRACE_COUNTER)
		return -EINVAL;
	if (event->op & VCPC_TRACE_F_COUNTS && op > VCPC_TRACE_END)
		return -EINVAL;
	if (event->value && (op == VCPC_TRACE_BEGIN || op == VCPC_TRACE_POINT))
		return -EINVAL;
	return 0;
}

/* In two words: this is called often, and copy_from_user() takes three times as long. */
static __always_inline int copy_event(struct vcpc_trace_write *event, const void __user *from)
{
	const u64 __user *words = from;
	union {
		struct vcpc_trace_write event;
		u64 words[2];
	} u;

	BUILD_BUG_ON(sizeof(u.words) != sizeof(u.event));
	if (!user_read_access_begin(words, sizeof(u)))
		return -EFAULT;
	unsafe_get_user(u.words[0], &words[0], err_fault);
	unsafe_get_user(u.words[1], &words[1], err_fault);
	user_read_access_end();
	*event = u.event;
	return 0;

err_fault:
	user_read_access_end();
	return -EFAULT;
}

/**
 * vcpc_uarg_event() - take in a trace event
 * @event: written on success
 * @from: the caller's
 * @size: how many bytes
 *
 * Return: 0, -EINVAL, -E2BIG or -EFAULT.
 */
int vcpc_uarg_event(struct vcpc_trace_write *event, const void __user *from, size_t size)
{
	int ret;

	if (likely(size == sizeof(*event)))
		ret = copy_event(event, from);
	else
		ret = vcpc_uarg_sized(event, sizeof(*event), from, size);
	return ret ?: check_event(event);
}
