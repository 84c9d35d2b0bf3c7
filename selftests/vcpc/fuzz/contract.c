// SPDX-License-Identifier: GPL-2.0-or-later
/* Tabulate the documented results of each operation. */
#include <errno.h>
#include <linux/vcpc.h>

#include "contract.h"

const struct contract contract[OP_NR] = {
	[OP_INFO] = {
		.name = "INFO", .cmd = VCPC_IOC_INFO, .known = sizeof(struct vcpc_info_args),
		.out = 4, .out_len = sizeof(struct vcpc_info_args) - 4,
		.errors = { EINVAL, E2BIG, EFAULT },
	},
	[OP_SET_CREATE] = {
		.name = "SET_CREATE", .cmd = VCPC_IOC_SET_CREATE,
		.known = sizeof(struct vcpc_set_create_args), .out_on_failure = true,
		.out = offsetof(struct vcpc_set_create_args, bad_request), .out_len = 4,
		.errors = { EINVAL, E2BIG, EFAULT, ENOENT, EOPNOTSUPP, EACCES, EMFILE, ENFILE,
			    EUSERS, ENOMEM },
	},
	[OP_BIND] = {
		.name = "BIND", .cmd = VCPC_IOC_BIND,
		.known = sizeof(struct vcpc_bind_args), .out_on_failure = true,
		.out = offsetof(struct vcpc_bind_args, bad_request), .out_len = 4,
		.errors = { EINVAL, E2BIG, EFAULT, EACCES, EBUSY, ENOSPC, EUSERS, EINTR, ENOENT,
			    EOPNOTSUPP, ENOMEM },
	},
	[OP_UNBIND] = {
		.name = "UNBIND", .cmd = VCPC_IOC_UNBIND, .known = sizeof(struct vcpc_own_args),
		.errors = { EINVAL, E2BIG, EFAULT },
	},
	[OP_ENABLE] = {
		.name = "ENABLE", .cmd = VCPC_IOC_ENABLE, .known = sizeof(struct vcpc_own_args),
		.errors = { EINVAL, E2BIG, EFAULT, EAGAIN },
	},
	[OP_DISABLE] = {
		.name = "DISABLE", .cmd = VCPC_IOC_DISABLE,
		.known = sizeof(struct vcpc_own_args),
		.errors = { EINVAL, E2BIG, EFAULT, EAGAIN },
	},
	[OP_RESTART] = {
		.name = "RESTART", .cmd = VCPC_IOC_RESTART,
		.known = sizeof(struct vcpc_own_args),
		.errors = { EINVAL, E2BIG, EFAULT, EAGAIN },
	},
	[OP_PRESET] = {
		.name = "PRESET", .cmd = VCPC_IOC_PRESET, .known = sizeof(struct vcpc_preset_args),
		.errors = { EINVAL, E2BIG, EFAULT, ENOMEM },
	},
	[OP_SAMPLE] = {
		.name = "SAMPLE", .cmd = VCPC_IOC_SAMPLE, .known = sizeof(struct vcpc_sample_args),
		.errors = { EINVAL, E2BIG, EFAULT, EAGAIN, EBUSY, ENOMEM },
	},
	[OP_INSTANCES] = {
		.name = "INSTANCES", .cmd = VCPC_IOC_INSTANCES,
		.known = sizeof(struct vcpc_instances_args),
		.out = offsetof(struct vcpc_instances_args, nr), .out_len = 16,
		.errors = { EINVAL, E2BIG, EFAULT, ENOMEM },
	},
	[OP_READ] = {
		.name = "read", .errors = { EINVAL, EFAULT, EAGAIN, EBUSY, ENOMEM },
	},
	[OP_TRACE_TAG] = {
		.name = "TRACE_TAG", .cmd = VCPC_IOC_TRACE_TAG,
		.known = sizeof(struct vcpc_trace_tag_args),
		.out = offsetof(struct vcpc_trace_tag_args, handle), .out_len = 12,
		.errors = { EINVAL, E2BIG, EFAULT, ENAMETOOLONG, ENOSPC, EUSERS, ENOMEM },
	},
	[OP_TRACE] = {
		.name = "write", .known = sizeof(struct vcpc_trace_write),
		.errors = { EINVAL, E2BIG, EFAULT, ENOENT, ESPIPE, EBADF, EIO },
	},
	[OP_ADVISE] = {
		.name = "fadvise", .errors = { EINVAL, ENOENT, ESPIPE, EBADF },
	},
	[OP_MMAP] = {
		.name = "mmap", .errors = { EINVAL, EACCES, EPERM, ENODEV, ENOMEM },
	},
	[OP_UNKNOWN] = {
		.name = "unknown", .errors = { ENOTTY },
	},
};
