/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Suppress the fsnotify events of a file.  Since Linux 6.14 the kernel also sets
 * FMODE_NONOTIFY_PERM before it calls open(), and both flags together suppress fewer events.
 */
#ifndef VCPC_COMPAT_NO_NOTIFY_H
#define VCPC_COMPAT_NO_NOTIFY_H

#include <linux/fs.h>

static inline void vcpc_no_notify(struct file *file)
{
#ifdef FMODE_NONOTIFY_PERM
	file->f_mode &= ~FMODE_NONOTIFY_PERM;
#endif
	file->f_mode |= FMODE_NONOTIFY;
}

#endif
