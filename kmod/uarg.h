/* SPDX-License-Identifier: GPL-2.0 */
#ifndef VCPC_UARG_H
#define VCPC_UARG_H

#include <linux/errno.h>
#include <linux/types.h>
#include <linux/vcpc.h>

/* An ioctl's number without the size of the caller's struct */
#define VCPC_UARG_CMD(cmd)	((cmd) & ~IOCSIZE_MASK)

/* The arguments of an ioctl; the first field of each struct is its size. */
union vcpc_uargs {
	u32 size;
	struct vcpc_info_args info;
	struct vcpc_set_create_args set_create;
	struct vcpc_bind_args bind;
	struct vcpc_own_args own;
	struct vcpc_preset_args preset;
	struct vcpc_sample_args sample;
	struct vcpc_instances_args instances;
};

int vcpc_uarg_sized(void *to, size_t known, const void __user *from, size_t size);
int vcpc_uarg_take(union vcpc_uargs *args, unsigned int cmd, const void __user *from);
int vcpc_uarg_request(struct vcpc_request *req, const struct vcpc_set_create_args *args,
		      unsigned int index);
int vcpc_uarg_tag(struct vcpc_trace_tag_args *args, char *name, const void __user *from);
int vcpc_uarg_event(struct vcpc_trace_write *event, const void __user *from, size_t size);

/* Return 0 if a trace event is valid, otherwise -EINVAL. */
static __always_inline int vcpc_uarg_check_event(u32 op, u64 value)
{
	const u32 kind = op & ~VCPC_TRACE_F_COUNTS;

	if (kind < VCPC_TRACE_BEGIN || kind > VCPC_TRACE_COUNTER)
		return -EINVAL;
	if (op & VCPC_TRACE_F_COUNTS && kind > VCPC_TRACE_END)
		return -EINVAL;
	if (value && (kind == VCPC_TRACE_BEGIN || kind == VCPC_TRACE_POINT))
		return -EINVAL;
	return 0;
}

#endif
