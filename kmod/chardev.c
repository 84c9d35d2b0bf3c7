// SPDX-License-Identifier: GPL-2.0
/*
 * /dev/vcpc and the descriptors of sets: file operations and ioctl dispatch.
 *
 * Locking: this file has no locks.
 */
#include <linux/anon_inodes.h>
#include <linux/cred.h>
#include <linux/err.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/minmax.h>
#include <linux/miscdevice.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "chardev.h"
#include "clock.h"
#include "compat/no_notify.h"
#include "compat/uninitialized.h"
#include "compat/unsigned_offset.h"
#include "hardware.h"
#include "inherit.h"
#include "limits.h"
#include "set.h"
#include "trace/call.h"
#include "trace/events.h"
#include "uarg.h"

/**
 * struct vcpc_file - an open file of /dev/vcpc
 * @user: the account to which the file is charged
 * @creator: the user who opened it
 * @release: used by vcpc_limits_release()
 * @tracer: the file's trace state
 */
struct vcpc_file {
	struct vcpc_user *user;
	kuid_t creator;
	struct vcpc_release release;
	struct vcpc_tracer tracer;
};

/* Store the index of the rejected request if the caller's struct is long enough to contain it. */
static int put_bad(int ret, int bad, bool room, __s32 __user *where)
{
	return ret < 0 && room && put_user(bad, where) ? -EFAULT : ret;
}

static int put_sample(struct vcpc_sample *sample, void __user *to)
{
	sample->time += vcpc_clock_offset();
	return copy_to_user(to, sample, vcpc_sample_size(sample->nr)) ? -EFAULT : 0;
}

/* Slow path: sample another thread's instance or a total, or a sample too large for the stack. */
static noinline int sample_any(struct vcpc_set *set, u32 flags, pid_t tid, void __user *to)
{
	struct vcpc_sample *sample = kvmalloc(vcpc_sample_size(set->spec.nr), GFP_KERNEL_ACCOUNT);
	int ret;

	if (!sample)
		return -ENOMEM;
	ret = vcpc_set_sample(set, flags, tid, sample) ?: put_sample(sample, to);
	kvfree(sample);
	return ret;
}

static __always_inline int sample_own(struct vcpc_set *set, void __user *to)
{
	union vcpc_sample_room room __uninitialized;
	int ret = -ESTALE;

	if (likely(set->spec.nr <= VCPC_SAMPLE_STACK))
		ret = vcpc_set_sample_own(set, &room.sample);
	if (likely(!ret))
		return put_sample(&room.sample, to);
	return ret == -EAGAIN ? ret : sample_any(set, 0, 0, to);
}

static int ioc_sample(struct vcpc_set *set, const struct vcpc_sample_args *args)
{
	if (args->buf_size < vcpc_sample_size(set->spec.nr))
		return -EINVAL;
	if (!args->flags && !args->tid)
		return sample_own(set, u64_to_user_ptr(args->buf));
	return sample_any(set, args->flags, args->tid, u64_to_user_ptr(args->buf));
}

static int ioc_bind(struct vcpc_set *set, u32 flags, int *bad)
{
	if (flags & ~VCPC_BIND_F_TRACE && !vcpc_inherit_can())
		return -EOPNOTSUPP;
	return vcpc_set_bind(set, flags, bad);
}

static int put_infos(const struct vcpc_instances_args *args, const struct vcpc_instance_info *info,
		     int nr)
{
	char __user *to = u64_to_user_ptr(args->info);
	size_t rest = args->info_size - sizeof(*info);
	int i;

	for (i = 0; i < nr; i++, to += args->info_size) {
		if (copy_to_user(to, &info[i], sizeof(*info)))
			return -EFAULT;
		if (rest && clear_user(to + sizeof(*info), rest))
			return -EFAULT;
	}
	return 0;
}

static int ioc_instances(struct vcpc_set *set, struct vcpc_instances_args *args, void __user *uarg)
{
	/* Instances created before the list is read are counted but not listed. */
	u32 room = min(args->room, READ_ONCE(set->nr));
	struct vcpc_instance_info *info;
	int ret;

	if (args->info_size < sizeof(*info))
		return -EINVAL;
	if (args->info_size > PAGE_SIZE)
		return -E2BIG;
	info = kvmalloc_array(max(room, 1U), sizeof(*info), GFP_KERNEL_ACCOUNT);
	if (!info)
		return -ENOMEM;
	ret = vcpc_set_list(set, args, info, room);
	if (ret >= 0)
		ret = put_infos(args, info, ret);
	kvfree(info);
	return ret || !copy_to_user(uarg, args, sizeof(*args)) ? ret : -EFAULT;
}

static long setfd_ioctl(struct file *file, unsigned int cmd, unsigned long arg)
{
	struct vcpc_set *set = file->private_data;
	void __user *uarg = (void __user *)arg;
	struct vcpc_bind_args __user *where = uarg;
	union vcpc_uargs args __uninitialized;
	int ret, bad = -1;

	ret = vcpc_uarg_take(&args, cmd, uarg);
	switch (VCPC_UARG_CMD(cmd)) {
	case VCPC_UARG_CMD(VCPC_IOC_SAMPLE):
		return ret ?: ioc_sample(set, &args.sample);
	case VCPC_UARG_CMD(VCPC_IOC_BIND):
		ret = ret ?: ioc_bind(set, args.bind.flags, &bad);
		return put_bad(ret, bad, args.size >= sizeof(args.bind), &where->bad_request);
	case VCPC_UARG_CMD(VCPC_IOC_UNBIND):
		return ret ?: vcpc_set_unbind(set, args.own.flags);
	case VCPC_UARG_CMD(VCPC_IOC_ENABLE):
	case VCPC_UARG_CMD(VCPC_IOC_DISABLE):
	case VCPC_UARG_CMD(VCPC_IOC_RESTART):
	case VCPC_UARG_CMD(VCPC_IOC_PRESET):
		return ret ?: vcpc_set_op(set, _IOC_NR(cmd), &args.preset);
	case VCPC_UARG_CMD(VCPC_IOC_INSTANCES):
		return ret ?: ioc_instances(set, &args.instances, uarg);
	default:
		return -ENOIOCTLCMD;
	}
}

static ssize_t setfd_read(struct file *file, char __user *buf, size_t size, loff_t *pos)
{
	struct vcpc_set *set = file->private_data;
	size_t needed = vcpc_sample_size(set->spec.nr);

	if (size < needed)
		return -EINVAL;
	return sample_own(set, buf) ?: (ssize_t)needed;
}

static int setfd_release(struct inode *inode, struct file *file)
{
	vcpc_set_release(file->private_data);
	return 0;
}

static const struct file_operations setfd_fops = {
	.owner = THIS_MODULE,
	.read = setfd_read,
	.unlocked_ioctl = setfd_ioctl,
	.compat_ioctl = compat_ptr_ioctl,
	.release = setfd_release,
};

static int setfd_open(const struct vcpc_set_create_args *args, struct vcpc_user *user, int *bad)
{
	struct vcpc_set *set = vcpc_set_create(args, user, bad);
	struct file *file;
	int fd;

	if (IS_ERR(set))
		return PTR_ERR(set);
	fd = get_unused_fd_flags(O_CLOEXEC);
	if (fd < 0)
		goto err_fd;
	file = anon_inode_getfile("[vcpc]", &setfd_fops, set, O_RDONLY);
	if (IS_ERR(file)) {
		put_unused_fd(fd);
		fd = PTR_ERR(file);
		goto err_fd;
	}
	stream_open(file_inode(file), file);
	set->spec.fd = fd;
	fd_install(fd, file);
	return fd;

err_fd:
	vcpc_set_put(set);
	return fd;
}

static int ioc_info(struct vcpc_info_args *args, void __user *uarg)
{
	args->abi = VCPC_ABI_VERSION;
	args->features = VCPC_FEAT_SETS | VCPC_FEAT_TRACE | VCPC_FEAT_TRACE_COUNTS;
	if (vcpc_task_work_works())
		args->features |= VCPC_FEAT_OVERFLOW;
	if (vcpc_inherit_can())
		args->features |= VCPC_FEAT_INHERIT;
	args->max_requests = vcpc_limits_requests();
	args->max_sets = vcpc_limits_max(VCPC_LIMIT_SETS);
	args->max_tags = vcpc_limits_max(VCPC_LIMIT_TAGS);
	args->hw_slots = vcpc_hardware_slots();
	args->sample_size = sizeof(struct vcpc_sample);
	args->counted = vcpc_tracecall_counted();
	return copy_to_user(uarg, args, sizeof(*args)) ? -EFAULT : 0;
}

static long chardev_ioctl(struct file *file, unsigned int cmd, unsigned long arg)
{
	struct vcpc_file *vf = file->private_data;
	void __user *uarg = (void __user *)arg;
	struct vcpc_set_create_args __user *where = uarg;
	union vcpc_uargs args;
	int ret, bad = -1;

	ret = vcpc_uarg_take(&args, cmd, uarg);
	switch (VCPC_UARG_CMD(cmd)) {
	case VCPC_UARG_CMD(VCPC_IOC_INFO):
		return ret ?: ioc_info(&args.info, uarg);
	case VCPC_UARG_CMD(VCPC_IOC_SET_CREATE):
		ret = ret ?: setfd_open(&args.set_create, vf->user, &bad);
		return put_bad(ret, bad, args.size >= sizeof(args.set_create), &where->bad_request);
	case VCPC_UARG_CMD(VCPC_IOC_TRACE_TAG):
		return vcpc_tracecall_tag(&vf->tracer, uarg);
	default:
		return -ENOIOCTLCMD;
	}
}

static ssize_t chardev_write(struct file *file, const char __user *from, size_t size, loff_t *pos)
{
	struct vcpc_file *vf = file->private_data;
	struct vcpc_trace_write event;
	int ret = vcpc_uarg_event(&event, from, size);

	ret = ret ?: vcpc_tracecall_fire(&vf->tracer, event.op, event.handle, event.value);
	return ret ?: (ssize_t)size;
}

/*
 * Like chardev_write(), but faster: it copies nothing from user space and skips write(2)'s checks.
 */
static int chardev_fadvise(struct file *file, loff_t value, loff_t handle, int advice)
{
	struct vcpc_file *vf = file->private_data;
	const u32 op = advice - VCPC_TRACE_ADVICE;

	if (!(file->f_mode & FMODE_WRITE))
		return -EINVAL;
	/* The end of a transaction is valid with any value. */
	if (op != VCPC_TRACE_END && vcpc_uarg_check_event(op, value))
		return -EINVAL;
	return vcpc_tracecall_fire(&vf->tracer, op, handle, value);
}

/*
 * The kernel opens all miscellaneous devices of the machine under one mutex, so this must not wait
 * for memory, which takes long in a memory cgroup at its limit.
 */
static int chardev_open(struct inode *inode, struct file *file)
{
	struct vcpc_file *vf = kzalloc(sizeof(*vf), GFP_ATOMIC | __GFP_ACCOUNT);

	if (!vf)
		return -ENOMEM;
	vf->user = vcpc_limits_get();
	if (!vf->user) {
		kfree(vf);
		return -ENOMEM;
	}
	vf->creator = current_uid();
	vcpc_tracecall_init(&vf->tracer, vf->user);
	file->private_data = vf;
	file->f_mode |= FMODE_UNSIGNED_OFFSET;
	/* Any user of the device could see, and slow down, the calls of all others (inotify). */
	vcpc_no_notify(file);
	return 0;
}

static void release_file(struct vcpc_release *release)
{
	struct vcpc_file *vf = container_of(release, struct vcpc_file, release);

	vcpc_tracecall_release(&vf->tracer);
	vcpc_limits_put(vf->user);
	kfree(vf);
}

/*
 * This can be slow: a file can hold thousands of tags, and BPF programs search for its open
 * transactions.
 */
static int chardev_release(struct inode *inode, struct file *file)
{
	struct vcpc_file *vf = file->private_data;

	vcpc_limits_release(vf->user, vf->creator, &vf->release, release_file);
	return 0;
}

static const struct file_operations chardev_fops = {
	.owner = THIS_MODULE,
	.open = chardev_open,
	.unlocked_ioctl = chardev_ioctl,
	.compat_ioctl = compat_ptr_ioctl,
	.write = chardev_write,
	.fadvise = chardev_fadvise,
	VCPC_FOP_UNSIGNED_OFFSET
	.mmap = vcpc_tracepage_mmap,
	.release = chardev_release,
};

/*
 * The minor number is static so that opening the node loads the module.  Dynamic allocation uses
 * this unassigned number last.
 */
#define CHARDEV_MINOR	249

/* A udev rule sets the node's group and mode. */
static struct miscdevice chardev = {
	.minor = CHARDEV_MINOR,
	.name = "vcpc",
	.fops = &chardev_fops,
	.mode = 0600,
};

/**
 * vcpc_chardev_register() - create /dev/vcpc
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
 * vcpc_chardev_unregister() - remove /dev/vcpc
 */
void vcpc_chardev_unregister(void)
{
	misc_deregister(&chardev);
}
