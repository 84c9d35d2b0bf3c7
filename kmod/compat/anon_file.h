/* SPDX-License-Identifier: GPL-2.0 */
/*
 * vcpc_anon_file(): a file without a name, which has no position, and whose
 * reads nobody is notified of.  The latter is so for all such files since
 * Linux 6.14; before, each has to ask for it.
 */
#ifndef VCPC_COMPAT_ANON_FILE_H
#define VCPC_COMPAT_ANON_FILE_H

#include <linux/anon_inodes.h>
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/version.h>

static inline struct file *vcpc_anon_file(const char *name, const struct file_operations *fops,
					  void *priv, int flags)
{
	struct file *file = anon_inode_getfile(name, fops, priv, flags);

	if (IS_ERR(file))
		return file;
	stream_open(file_inode(file), file);
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 14, 0)
	file->f_mode |= FMODE_NONOTIFY;
#endif
	return file;
}

#endif
