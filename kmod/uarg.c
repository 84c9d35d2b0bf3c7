// SPDX-License-Identifier: GPL-2.0
/*
 * Copies every struct of the contract in, and checks its size, flags and
 * reserved fields.
 */
#include <linux/build_bug.h>
#include <linux/signal.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "sized.h"
#include "uarg.h"

/* The structs as version 1 of the contract knew them; they only grow. */
static_assert(sizeof(struct vcpc_info_args) == 40);
static_assert(sizeof(struct vcpc_request) == 64);
static_assert(sizeof(struct vcpc_set_create_args) == 48);
static_assert(sizeof(struct vcpc_bind_args) == 16);
static_assert(sizeof(struct vcpc_target_args) == 16);
static_assert(sizeof(struct vcpc_preset_args) == 24);
static_assert(sizeof(struct vcpc_sample_args) == 24);
static_assert(sizeof(struct vcpc_sample) == 24);
static_assert(sizeof(struct vcpc_group_sample) == 32);
static_assert(sizeof(struct vcpc_instance_info) == 32);
static_assert(sizeof(struct vcpc_instances_args) == 40);

/* What copy_target() relies on */
#define BEGINS_AS_TARGET(type)								\
	static_assert(offsetof(struct type, flags) ==					\
		      offsetof(struct vcpc_target_args, flags) &&			\
		      offsetof(struct type, tid) == offsetof(struct vcpc_target_args, tid))
BEGINS_AS_TARGET(vcpc_preset_args);
BEGINS_AS_TARGET(vcpc_sample_args);

static noinline int copy_other_size(void *to, size_t known, const void __user *from)
{
	u32 size;

	if (get_user(size, (const u32 __user *)from))
		return -EFAULT;
	return vcpc_copy_sized(to, known, from, size);
}

/* A caller of this very version pays for one copy of constant size. */
static __always_inline int copy_args(void *to, size_t known, const void __user *from)
{
	const u32 *size = to;

	if (likely(!copy_from_user(to, from, known) && *size == known))
		return 0;
	return copy_other_size(to, known, from);
}

/* Neither a thread nor a CPU has a negative number, so that CPUs can have these. */
static int name_target(s32 *tid, bool cpu)
{
	if (*tid < 0)
		return -EINVAL;
	if (cpu)
		*tid = VCPC_UARG_CPU(*tid);
	return 0;
}

/*
 * What names an instance begins alike, whatever comes behind.  @flags are those that are
 * known, and @cpu is the one that says that a CPU is meant.
 */
static __always_inline int copy_target(void *to, size_t known, const void __user *from, u32 flags,
				       u32 cpu)
{
	struct vcpc_target_args *args = to;
	int ret = copy_args(to, known, from);

	if (ret)
		return ret;
	if (args->flags & ~flags)
		return -EINVAL;
	return name_target(&args->tid, args->flags & cpu);
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

static int take_slot(struct vcpc_set_create_args *args)
{
	if (!(args->flags & VCPC_SET_F_GROUPS))
		return args->slot ? -EINVAL : 0;
	if (!args->slot)
		args->slot = VCPC_SLOT_DEFAULT;
	return args->slot < VCPC_SLOT_MIN || args->slot > VCPC_SLOT_MAX ? -EINVAL : 0;
}

/**
 * vcpc_uarg_set_create() - take in the arguments of VCPC_IOC_SET_CREATE
 * @args: written on success; of a set with groups, the slot is never 0
 * @from: the caller's
 *
 * Return: 0, -EINVAL, -E2BIG or -EFAULT.
 */
int vcpc_uarg_set_create(struct vcpc_set_create_args *args, const void __user *from)
{
	int ret = copy_args(args, sizeof(*args), from);

	if (ret)
		return ret;
	if (args->flags & ~(VCPC_SET_F_DISABLED | VCPC_SET_F_GROUPS | VCPC_SET_F_SHUFFLE) ||
	    args->reserved)
		return -EINVAL;
	if (args->flags & VCPC_SET_F_SHUFFLE ? !(args->flags & VCPC_SET_F_GROUPS) : args->seed)
		return -EINVAL;
	if (!valid_signal(args->signal))
		return -EINVAL;
	return take_slot(args);
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
	int ret = vcpc_copy_sized(req, sizeof(*req), from, args->request_size);

	if (ret)
		return ret;
	if (!(req->flags & counted) || req->flags & ~(counted | VCPC_REQ_F_OVERFLOW))
		return -EINVAL;
	if (req->flags & VCPC_REQ_F_OVERFLOW && args->flags & VCPC_SET_F_GROUPS)
		return -EINVAL;
	if (req->reserved0 || memchr_inv(req->reserved, 0, sizeof(req->reserved)))
		return -EINVAL;
	if (req->group && !(args->flags & VCPC_SET_F_GROUPS))
		return -EINVAL;
	return 0;
}

/**
 * vcpc_uarg_bind() - take in the arguments of VCPC_IOC_BIND
 * @args: written on success; a CPU is named by VCPC_UARG_CPU()
 * @from: the caller's
 *
 * Return: 0, -EINVAL, -ESRCH, -ENODEV, -E2BIG or -EFAULT.
 */
int vcpc_uarg_bind(struct vcpc_bind_args *args, const void __user *from)
{
	const u32 known = VCPC_BIND_F_ENABLE_ON_EXEC | VCPC_BIND_F_INHERIT | VCPC_BIND_F_TREE |
			  VCPC_BIND_F_PROCESS | VCPC_BIND_F_CPU | VCPC_BIND_F_YIELD |
			  VCPC_BIND_F_TRACE;
	const u32 on_cpu = VCPC_BIND_F_CPU | VCPC_BIND_F_YIELD;
	int ret = copy_args(args, sizeof(*args), from);

	if (ret)
		return ret;
	if (args->flags & ~known)
		return -EINVAL;
	if (args->flags & VCPC_BIND_F_CPU) {
		if (args->flags & ~on_cpu)
			return -EINVAL;
		return name_target(&args->tid, true) ? -ENODEV : 0;
	}
	if (args->flags & VCPC_BIND_F_YIELD)
		return -EINVAL;
	return name_target(&args->tid, false) ? -ESRCH : 0;
}

/**
 * vcpc_uarg_target() - take in the arguments of an ioctl that only names an instance
 * @args: written on success; a CPU is named by VCPC_UARG_CPU()
 * @from: the caller's
 *
 * Return: 0, -EINVAL, -E2BIG or -EFAULT.
 */
int vcpc_uarg_target(struct vcpc_target_args *args, const void __user *from)
{
	int ret = copy_target(args, sizeof(*args), from, VCPC_TARGET_F_ALL | VCPC_TARGET_F_CPU,
			      VCPC_TARGET_F_CPU);

	if (ret)
		return ret;
	return args->reserved ? -EINVAL : 0;
}

/**
 * vcpc_uarg_preset() - take in the arguments of VCPC_IOC_PRESET
 * @args: written on success; a CPU is named by VCPC_UARG_CPU()
 * @from: the caller's
 *
 * Return: 0, -EINVAL, -E2BIG or -EFAULT.
 */
int vcpc_uarg_preset(struct vcpc_preset_args *args, const void __user *from)
{
	return copy_target(args, sizeof(*args), from, VCPC_TARGET_F_CPU, VCPC_TARGET_F_CPU);
}

/**
 * vcpc_uarg_sample() - take in the arguments of VCPC_IOC_SAMPLE
 * @args: written on success; a CPU is named by VCPC_UARG_CPU()
 * @from: the caller's
 *
 * Return: 0, -EINVAL, -E2BIG or -EFAULT.
 */
int vcpc_uarg_sample(struct vcpc_sample_args *args, const void __user *from)
{
	return copy_target(args, sizeof(*args), from, VCPC_SAMPLE_F_TOTAL | VCPC_SAMPLE_F_CPU,
			   VCPC_SAMPLE_F_CPU);
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
