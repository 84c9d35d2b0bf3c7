/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Accept file positions above 2^63 - 1, which the kernel rejects by default.  Since Linux 6.12 a
 * flag in struct file_operations (VCPC_FOP_UNSIGNED_OFFSET) allows them.  In older kernels, each
 * open file has a flag (FMODE_UNSIGNED_OFFSET).
 */
#ifndef VCPC_COMPAT_UNSIGNED_OFFSET_H
#define VCPC_COMPAT_UNSIGNED_OFFSET_H

#include <linux/fs.h>

#ifdef FOP_UNSIGNED_OFFSET
#define VCPC_FOP_UNSIGNED_OFFSET	.fop_flags = FOP_UNSIGNED_OFFSET,
#define FMODE_UNSIGNED_OFFSET		0
#else
#define VCPC_FOP_UNSIGNED_OFFSET
#endif

#endif
