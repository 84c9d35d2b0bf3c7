/* SPDX-License-Identifier: GPL-2.0 */
/*
 * vcpc_unsigned_offset(): an open file takes every position, also those beyond 2^63 - 1, which
 * are an error of all that do not say so.  Linux 6.12 asks for it in struct file_operations
 * (VCPC_FOP_UNSIGNED_OFFSET); before, each open file has to.
 */
#ifndef VCPC_COMPAT_UNSIGNED_OFFSET_H
#define VCPC_COMPAT_UNSIGNED_OFFSET_H

#include <linux/fs.h>

#ifdef FOP_UNSIGNED_OFFSET

#define VCPC_FOP_UNSIGNED_OFFSET	.fop_flags = FOP_UNSIGNED_OFFSET,

static inline void vcpc_unsigned_offset(struct file *file)
{
}

#else

#define VCPC_FOP_UNSIGNED_OFFSET

static inline void vcpc_unsigned_offset(struct file *file)
{
	file->f_mode |= FMODE_UNSIGNED_OFFSET;
}

#endif
#endif
