// SPDX-License-Identifier: GPL-2.0
/*
 * The descriptor of a set: its file operations, and the switch over its ioctls.
 */
#include <linux/err.h>
#include <linux/fcntl.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "bind.h"
#include "compat/anon_file.h"
#include "compat/uninitialized.h"
#include "inherit.h"
#include "listing.h"
#include "setfd.h"
#include "target.h"
#include "uarg.h"

/*
 * Which request was refused is told if the caller can be told; the error comes
 * first.  A struct that says it is too short has no room for it.
 */
static int tell_bad(int ret, int bad, bool room, s32 __user *where)
{
	if (ret < 0 && room)
		(void)put_user(bad, where);
	return ret;
}

static int ioc_bind(struct vcpc_set *set, struct vcpc_bind_args __user *uarg)
{
	struct vcpc_bind_args args;
	int ret, bad = -1;

	ret = vcpc_uarg_bind(&args, uarg);
	if (!ret)
		ret = vcpc_bind_set(set, &args, &bad);
	return tell_bad(ret, bad, args.size >= sizeof(args), &uarg->bad_request);
}

static int ioc_unbind(struct vcpc_set *set, void __user *uarg)
{
	struct vcpc_target_args args;
	int ret = vcpc_uarg_target(&args, uarg);

	return ret ?: vcpc_target_unbind(set, args.tid, args.flags);
}

static int ioc_do(struct vcpc_set *set, void __user *uarg, enum vcpc_op op)
{
	struct vcpc_target_args args;
	int ret = vcpc_uarg_target(&args, uarg);

	if (ret)
		return ret;
	if (args.flags & VCPC_TARGET_F_ALL)
		return vcpc_target_do_all(set, args.tid, op);
	return vcpc_target_do(set, args.tid, op, NULL);
}

static int sample_large(struct vcpc_set *set, pid_t tid, u32 flags, struct vcpc_sample *sample)
{
	struct vcpc_group_sample *groups = NULL;

	if (set->spec.groups)
		groups = (void *)&sample->values[set->spec.nr];
	if (flags & VCPC_SAMPLE_F_TOTAL)
		return vcpc_target_total(set, tid, sample, groups);
	if (groups)
		return vcpc_target_sample_groups(set, tid, sample, groups);
	return vcpc_target_sample(set, tid, sample);
}

static noinline int put_large(struct vcpc_set *set, pid_t tid, u32 flags, void __user *to)
{
	/* A total has room for the groups of one instance behind it. */
	size_t more = set->spec.groups * sizeof(struct vcpc_group_sample);
	struct vcpc_sample *sample = kvmalloc(set->spec.sample_size + more, GFP_KERNEL_ACCOUNT);
	int ret;

	if (!sample)
		return -ENOMEM;
	ret = sample_large(set, tid, flags, sample);
	if (!ret && copy_to_user(to, sample, set->spec.sample_size))
		ret = -EFAULT;
	kvfree(sample);
	return ret;
}

static bool is_large(const struct vcpc_set *set)
{
	return set->spec.quick_size != set->spec.sample_size;
}

/* Of somebody else, of all, or of too many requests for the stack */
static noinline int sample_other(struct vcpc_set *set, void __user *uarg,
				 union vcpc_sample_room *room)
{
	struct vcpc_sample_args args;
	void __user *to;
	int ret;

	ret = vcpc_uarg_sample(&args, uarg);
	if (ret)
		return ret;
	if (args.buf_size < set->spec.sample_size)
		return -EINVAL;
	to = u64_to_user_ptr(args.buf);
	if (is_large(set))
		return put_large(set, args.tid, args.flags, to);
	if (args.flags & VCPC_SAMPLE_F_TOTAL)
		ret = vcpc_target_total(set, args.tid, &room->sample, NULL);
	else
		ret = vcpc_target_sample(set, args.tid, &room->sample);
	return ret ?: vcpc_uarg_put_words(to, room->words, set->spec.sample_size);
}

static __always_inline long sample_own(struct vcpc_set *set, void __user *to,
				       union vcpc_sample_room *room)
{
	long ret = vcpc_target_sample(set, 0, &room->sample);

	if (unlikely(ret))
		return ret;
	return vcpc_uarg_put_words(to, room->words, set->spec.sample_size);
}

static __always_inline long ioc_sample(struct vcpc_set *set, void __user *uarg)
{
	union vcpc_sample_room room __uninitialized;
	struct vcpc_sample_args args __uninitialized;

	if (likely(vcpc_uarg_sample_own(&args, uarg) && args.buf_size >= set->spec.quick_size))
		return sample_own(set, u64_to_user_ptr(args.buf), &room);
	return sample_other(set, uarg, &room);
}

static int ioc_instances(struct vcpc_set *set, void __user *uarg)
{
	struct vcpc_instances_args args;
	int ret = vcpc_uarg_instances(&args, uarg);

	if (!ret)
		ret = vcpc_listing_instances(set, &args);
	if (ret)
		return ret;
	return copy_to_user(uarg, &args, sizeof(args)) ? -EFAULT : 0;
}

static int ioc_preset(struct vcpc_set *set, void __user *uarg)
{
	struct vcpc_preset_args args;
	int ret = vcpc_uarg_preset(&args, uarg);

	return ret ?: vcpc_target_preset(set, &args);
}

static __always_inline ssize_t read_sample(struct vcpc_set *set, char __user *buf, size_t size)
{
	union vcpc_sample_room room __uninitialized;
	int ret;

	if (unlikely(size < set->spec.quick_size)) {
		if (size < set->spec.sample_size)
			return -EINVAL;
		ret = put_large(set, 0, 0, buf);
	} else {
		ret = sample_own(set, buf, &room);
	}
	return ret ?: (ssize_t)set->spec.sample_size;
}

/*
 * A sampler: a descriptor of a set that may sample it, and list its instances, and nothing
 * else, for handing to others.  It holds the set's file.
 */
static struct vcpc_set *set_of_sampler(struct file *file)
{
	struct file *whole = file->private_data;

	return whole->private_data;
}

static long sampler_ioctl(struct file *file, unsigned int cmd, unsigned long arg)
{
	struct vcpc_set *set = set_of_sampler(file);
	void __user *uarg = (void __user *)arg;

	switch (VCPC_UARG_CMD(cmd)) {
	case VCPC_UARG_CMD(VCPC_IOC_SAMPLE):	return ioc_sample(set, uarg);
	case VCPC_UARG_CMD(VCPC_IOC_INSTANCES): return ioc_instances(set, uarg);
	case VCPC_UARG_CMD(VCPC_IOC_BIND):
	case VCPC_UARG_CMD(VCPC_IOC_UNBIND):
	case VCPC_UARG_CMD(VCPC_IOC_ENABLE):
	case VCPC_UARG_CMD(VCPC_IOC_DISABLE):
	case VCPC_UARG_CMD(VCPC_IOC_RESTART):
	case VCPC_UARG_CMD(VCPC_IOC_PRESET):
	case VCPC_UARG_CMD(VCPC_IOC_SAMPLER):	return -EPERM;
	default:		return -ENOIOCTLCMD;
	}
}

static ssize_t sampler_read(struct file *file, char __user *buf, size_t size, loff_t *pos)
{
	return read_sample(set_of_sampler(file), buf, size);
}

static int sampler_release(struct inode *inode, struct file *file)
{
	fput(file->private_data);
	return 0;
}

static const struct file_operations sampler_fops = {
	.owner = THIS_MODULE,
	.read = sampler_read,
	.unlocked_ioctl = sampler_ioctl,
	.compat_ioctl = compat_ptr_ioctl,
	.release = sampler_release,
};

static int ioc_sampler(struct file *whole)
{
	struct file *file;
	int fd = get_unused_fd_flags(O_CLOEXEC);

	if (fd < 0)
		return fd;
	file = vcpc_anon_file("[vcpc-sampler]", &sampler_fops, whole, O_RDONLY);
	if (IS_ERR(file)) {
		put_unused_fd(fd);
		return PTR_ERR(file);
	}
	get_file(whole);
	fd_install(fd, file);
	return fd;
}

static noinline long ioc_other(struct vcpc_set *set, struct file *file, unsigned int cmd,
			       void __user *uarg)
{
	switch (VCPC_UARG_CMD(cmd)) {
	case VCPC_UARG_CMD(VCPC_IOC_SAMPLE):	return ioc_sample(set, uarg);
	case VCPC_UARG_CMD(VCPC_IOC_BIND):	return ioc_bind(set, uarg);
	case VCPC_UARG_CMD(VCPC_IOC_UNBIND):	return ioc_unbind(set, uarg);
	case VCPC_UARG_CMD(VCPC_IOC_ENABLE):	return ioc_do(set, uarg, VCPC_OP_ENABLE);
	case VCPC_UARG_CMD(VCPC_IOC_DISABLE):	return ioc_do(set, uarg, VCPC_OP_DISABLE);
	case VCPC_UARG_CMD(VCPC_IOC_RESTART):	return ioc_do(set, uarg, VCPC_OP_RESTART);
	case VCPC_UARG_CMD(VCPC_IOC_PRESET):	return ioc_preset(set, uarg);
	case VCPC_UARG_CMD(VCPC_IOC_INSTANCES): return ioc_instances(set, uarg);
	case VCPC_UARG_CMD(VCPC_IOC_SAMPLER):	return ioc_sampler(file);
	default:		return -ENOIOCTLCMD;
	}
}

/* Samples go first, past the switch, which is a search; others bear with their stack. */
static long setfd_ioctl(struct file *file, unsigned int cmd, unsigned long arg)
{
	struct vcpc_set *set = file->private_data;
	void __user *uarg = (void __user *)arg;

	if (likely(cmd == VCPC_IOC_SAMPLE))
		return ioc_sample(set, uarg);
	return ioc_other(set, file, cmd, uarg);
}

static ssize_t setfd_read(struct file *file, char __user *buf, size_t size, loff_t *pos)
{
	return read_sample(file->private_data, buf, size);
}

static void destroy(struct vcpc_set *set)
{
	vcpc_inherit_unwatch(set);
	vcpc_target_destroy(set);
}

static int setfd_release(struct inode *inode, struct file *file)
{
	destroy(file->private_data);
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
	struct vcpc_set *set;
	struct file *file;
	int fd, ret;

	set = vcpc_set_create(args, user, bad);
	if (IS_ERR(set))
		return PTR_ERR(set);
	fd = get_unused_fd_flags(O_CLOEXEC);
	if (fd < 0) {
		ret = fd;
		goto err_fd;
	}
	file = vcpc_anon_file("[vcpc]", &setfd_fops, set, O_RDONLY);
	if (IS_ERR(file)) {
		ret = PTR_ERR(file);
		goto err_file;
	}
	set->spec.fd = fd;
	fd_install(fd, file);
	return fd;

err_file:
	put_unused_fd(fd);
err_fd:
	destroy(set);
	return ret;
}

/**
 * vcpc_setfd_create() - do VCPC_IOC_SET_CREATE
 * @user: whom to account the set to
 * @uarg: the caller's struct vcpc_set_create_args
 *
 * Context: sleeps.
 * Return: a new descriptor, or a negative errno.
 */
int vcpc_setfd_create(struct vcpc_user *user, void __user *uarg)
{
	struct vcpc_set_create_args __user *where = uarg;
	struct vcpc_set_create_args args;
	int ret, bad = -1;

	ret = vcpc_uarg_set_create(&args, uarg);
	if (!ret)
		ret = setfd_open(&args, user, &bad);
	return tell_bad(ret, bad, args.size >= sizeof(args), &where->bad_request);
}
