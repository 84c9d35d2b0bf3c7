// SPDX-License-Identifier: GPL-2.0
/*
 * /dev/vcpc: its file operations, and the switch over its ioctls.
 */
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/miscdevice.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "chardev.h"
#include "hardware.h"
#include "inherit.h"
#include "limits.h"
#include "setfd.h"
#include "tracecall.h"
#include "tracepage.h"
#include "uarg.h"

/**
 * struct vcpc_file - one opening of /dev/vcpc
 * @user: who opened it
 * @tracer: its trace state
 */
struct vcpc_file {
	struct vcpc_user *user;
	struct vcpc_tracer tracer;
};

static int ioc_info(void __user *uarg)
{
	struct vcpc_info_args args;
	int ret = vcpc_uarg_info(&args, uarg);

	if (ret)
		return ret;
	args.abi = VCPC_ABI_VERSION;
	args.features = VCPC_FEAT_SETS | VCPC_FEAT_TRACE | VCPC_FEAT_CPU | VCPC_FEAT_GROUPS |
			VCPC_FEAT_PROCESS | VCPC_FEAT_TRACE_COUNTS | VCPC_FEAT_SHUFFLE |
			VCPC_FEAT_OVERFLOW;
	if (vcpc_inherit_can())
		args.features |= VCPC_FEAT_INHERIT;
	args.max_requests = vcpc_limits_requests();
	args.max_sets = vcpc_limits_sets();
	args.max_tags = vcpc_limits_tags();
	args.hw_slots = vcpc_hardware_slots();
	args.sample_size = sizeof(struct vcpc_sample);
	return copy_to_user(uarg, &args, sizeof(args)) ? -EFAULT : 0;
}

static long chardev_ioctl(struct file *file, unsigned int cmd, unsigned long arg)
{
	struct vcpc_file *vf = file->private_data;
	void __user *uarg = (void __user *)arg;

	switch (VCPC_UARG_CMD(cmd)) {
	case VCPC_UARG_CMD(VCPC_IOC_INFO):
		return ioc_info(uarg);
	case VCPC_UARG_CMD(VCPC_IOC_SET_CREATE):
		return vcpc_setfd_create(vf->user, uarg);
	case VCPC_UARG_CMD(VCPC_IOC_TRACE_TAG):
		return vcpc_tracecall_tag(&vf->tracer, uarg);
	case VCPC_UARG_CMD(VCPC_IOC_TRACE):
		return vcpc_tracecall_fire(&vf->tracer, uarg);
	default:
		return -ENOIOCTLCMD;
	}
}

static int chardev_fadvise(struct file *file, loff_t offset, loff_t len, int advice)
{
	struct vcpc_file *vf = file->private_data;

	return vcpc_tracecall_advise(&vf->tracer, offset, len, advice);
}

static int chardev_mmap(struct file *file, struct vm_area_struct *vma)
{
	return vcpc_tracepage_map(vma);
}

static int chardev_open(struct inode *inode, struct file *file)
{
	struct vcpc_file *vf = kzalloc(sizeof(*vf), GFP_KERNEL_ACCOUNT);
	int ret;

	if (!vf)
		return -ENOMEM;
	vf->user = vcpc_limits_get();
	if (IS_ERR(vf->user)) {
		ret = PTR_ERR(vf->user);
		kfree(vf);
		return ret;
	}
	vcpc_tracecall_init(&vf->tracer, vf->user);
	file->private_data = vf;
	return 0;
}

static int chardev_release(struct inode *inode, struct file *file)
{
	struct vcpc_file *vf = file->private_data;

	vcpc_tracecall_release(&vf->tracer);
	vcpc_limits_put(vf->user);
	kfree(vf);
	return 0;
}

static const struct file_operations chardev_fops = {
	.owner = THIS_MODULE,
	.open = chardev_open,
	.unlocked_ioctl = chardev_ioctl,
	.compat_ioctl = compat_ptr_ioctl,
	.fadvise = chardev_fadvise,
	.mmap = chardev_mmap,
	.release = chardev_release,
};

/*
 * A number of its own lets the module be loaded when its node is opened: of all that are not
 * given away, one that systems hand out last.
 */
#define CHARDEV_MINOR	249

/* Whom the administrator lets in is said by a rule of udev's, which sets group and mode. */
static struct miscdevice chardev = {
	.minor = CHARDEV_MINOR,
	.name = "vcpc",
	.fops = &chardev_fops,
	.mode = 0600,
};

/**
 * vcpc_chardev_register() - make /dev/vcpc appear
 *
 * Return: 0 or a negative errno.
 */
int vcpc_chardev_register(void)
{
	int ret = misc_register(&chardev);

	if (ret != -EBUSY)
		return ret;
	chardev.minor = MISC_DYNAMIC_MINOR;
	return misc_register(&chardev);
}

MODULE_ALIAS_MISCDEV(CHARDEV_MINOR);
MODULE_ALIAS("devname:vcpc");

/**
 * vcpc_chardev_unregister() - make it disappear
 */
void vcpc_chardev_unregister(void)
{
	misc_deregister(&chardev);
}
