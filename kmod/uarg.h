/* SPDX-License-Identifier: GPL-2.0 */
#ifndef VCPC_UARG_H
#define VCPC_UARG_H

#include <linux/types.h>
#include <linux/vcpc.h>

/* An ioctl's number without the size in it, which is that of the caller's struct */
#define VCPC_UARG_CMD(cmd)	((cmd) & ~IOCSIZE_MASK)

int vcpc_uarg_sized(void *to, size_t known, const void __user *from, size_t size);
int vcpc_uarg_info(struct vcpc_info_args *args, const void __user *from);
int vcpc_uarg_set_create(struct vcpc_set_create_args *args, const void __user *from);
int vcpc_uarg_request(struct vcpc_request *req, const struct vcpc_set_create_args *args,
		      unsigned int index);
int vcpc_uarg_bind(struct vcpc_bind_args *args, const void __user *from);
int vcpc_uarg_own(struct vcpc_own_args *args, const void __user *from, u32 flags);
int vcpc_uarg_preset(struct vcpc_preset_args *args, const void __user *from);
int vcpc_uarg_sample(struct vcpc_sample_args *args, const void __user *from);
int vcpc_uarg_instances(struct vcpc_instances_args *args, const void __user *from);
int vcpc_uarg_tag(struct vcpc_trace_tag_args *args, char *name, const void __user *from);
int vcpc_uarg_event(struct vcpc_trace_write *event, const void __user *from, size_t size);

#endif
