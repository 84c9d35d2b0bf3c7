/* SPDX-License-Identifier: GPL-2.0 */
/*
 * vcpc_put_unchecked(): copy_to_user() without a look at the source, which is known to be
 * good.  Linux 6.12 renamed what does so where it is inlined, as on arm64.
 */
#ifndef VCPC_COMPAT_PUT_UNCHECKED_H
#define VCPC_COMPAT_PUT_UNCHECKED_H

#include <linux/uaccess.h>
#include <linux/version.h>

static __always_inline unsigned long vcpc_put_unchecked(void __user *to, const void *from,
							unsigned long size)
{
#if defined(INLINE_COPY_TO_USER) && LINUX_VERSION_CODE >= KERNEL_VERSION(6, 12, 0)
	return _inline_copy_to_user(to, from, size);
#else
	return _copy_to_user(to, from, size);
#endif
}

#endif
