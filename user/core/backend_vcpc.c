// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The back end that counts in the module.  Only this file calls vcpc's set ioctls.  The module
 * counts the calling thread and threads that inherit from it.
 *
 * The program may have closed one of the library's descriptors, and another file may have reused
 * the number.  An ioctl on another file is harmless, because it fails with ENOTTY.  Before close,
 * flock and similar calls the library checks the descriptor.  Before a sample with read(2) it only
 * checks, without a system call, that the library itself has not received the number again.  The
 * library's descriptors have high numbers, which the program gets only if it has hundreds of open
 * descriptors (shim_fd__own()).
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "backend.h"
#include "clock.h"

/* Number of instances to examine when checking whether a set was bound more than once */
#define ROOTS	64

static int call(struct shim_fd fd, unsigned long request, void *arg)
{
	int ret;

	if (!shim_fd__is_latest(fd))
		return -EBADF;
	ret = ioctl(fd.nr, request, arg);
	if (ret >= 0)
		return ret;
	return errno == ENOTTY ? -EBADF : -errno;
}

/* Return -ENODEV if the node does not exist (ENOENT) or has no driver (ENXIO or ENODEV). */
static int open_device(struct shim_fd *out)
{
	int fd = open("/dev/vcpc", O_RDWR | O_CLOEXEC);

	if (fd >= 0)
		return shim_fd__own(fd, out);
	return errno == ENOENT || errno == ENXIO ? -ENODEV : -errno;
}

static int open_and_ask(struct shim_fd *fd, struct vcpc_info_args *args)
{
	int ret = open_device(fd);

	if (ret)
		return ret;
	*args = (struct vcpc_info_args) { .size = sizeof(*args) };
	ret = call(*fd, VCPC_IOC_INFO, args);
	if (ret)
		shim_fd__close(*fd);
	return ret == -EBADF ? -ENOTTY : ret;
}

/**
 * shim_vcpc__abi() - get the interface version of the loaded module
 *
 * Return: the version, or an error from opening the device.
 */
int shim_vcpc__abi(void)
{
	struct vcpc_info_args args;
	struct shim_fd fd;
	int ret = open_and_ask(&fd, &args);

	if (ret)
		return ret;
	shim_fd__close(fd);
	return args.abi;
}

static int vcpc_open(union shim_backend_ref *dev, struct vcpc_info_args *info)
{
	struct vcpc_info_args args;
	struct shim_fd fd;
	int ret = open_and_ask(&fd, &args);

	if (ret)
		return ret;
	if (args.abi != VCPC_ABI_VERSION || !(args.features & VCPC_FEAT_SETS) ||
	    args.sample_size != sizeof(struct vcpc_sample)) {
		shim_fd__close(fd);
		return -EPROTONOSUPPORT;
	}
	dev->fd = fd;
	*info = args;
	return 0;
}

static void vcpc_close(union shim_backend_ref dev)
{
	if (shim_fd__is_ours(dev.fd))
		shim_fd__close(dev.fd);
}

/*
 * Return whether a descriptor still refers to a set.  fstat(2) cannot identify a set, because all
 * anonymous files share one inode.  However, only a set implements VCPC_IOC_INSTANCES.
 */
static int is_our_set(struct shim_fd fd)
{
	struct vcpc_instances_args args = {
		.size = sizeof(args),
		.info_size = sizeof(struct vcpc_instance_info),
	};
	int ret = shim_fd__is_ours(fd) ? call(fd, VCPC_IOC_INSTANCES, &args) : -EBADF;

	return !ret || ret == -ENOMEM;
}

static void vcpc_destroy(union shim_backend_ref set)
{
	if (is_our_set(set.fd))
		shim_fd__close(set.fd);
}

static __u64 vcpc_now(void)
{
	return shim_clock__ns();
}

static int vcpc_create(union shim_backend_ref dev, const struct vcpc_request *reqs, unsigned int n,
		       unsigned int flags, struct shim_terms terms, int *bad,
		       union shim_backend_ref *set)
{
	struct vcpc_set_create_args args = {
		.size = sizeof(args),
		.flags = flags,
		.nr_requests = n,
		.request_size = sizeof(*reqs),
		.requests = (uintptr_t)reqs,
		.bad_request = -1,
		.signal = terms.signal,
	};
	int fd = call(dev.fd, VCPC_IOC_SET_CREATE, &args);
	struct shim_fd again;

	if (fd == -EBADF && !shim_fd__is_ours(dev.fd) && !open_device(&again)) {
		fd = call(again, VCPC_IOC_SET_CREATE, &args);
		shim_fd__close(again);
	}
	if (fd < 0) {
		*bad = args.bad_request;
		return fd;
	}
	return shim_fd__own(fd, &set->fd);
}

/*
 * Return whether @tid is the calling thread.  The module changes no other thread's instance.
 */
static bool is_caller(pid_t tid)
{
	return !tid || tid == gettid();
}

static int vcpc_bind(union shim_backend_ref set, pid_t tid, unsigned int flags, int *bad)
{
	struct vcpc_bind_args args = { .size = sizeof(args), .flags = flags, .bad_request = -1 };
	int ret = is_caller(tid) ? call(set.fd, VCPC_IOC_BIND, &args) : -EOPNOTSUPP;

	if (ret)
		*bad = args.bad_request;
	return ret;
}

/* List at most @args->room instances.  Return 0 or a negative error of VCPC_IOC_INSTANCES. */
static int vcpc_list(union shim_backend_ref set, struct vcpc_instances_args *args)
{
	args->flags = 0;
	return call(set.fd, VCPC_IOC_INSTANCES, args);
}

/*
 * Act on the caller's instance.  Return 0, -EINVAL if nothing is bound, -EOPNOTSUPP if the target
 * includes another thread, or an error from the request.
 */
static int on_own(union shim_backend_ref set, pid_t tid, unsigned int flags,
		  unsigned long request)
{
	struct vcpc_own_args args = { .size = sizeof(args) };
	struct vcpc_instances_args all = {
		.size = sizeof(all), .info_size = sizeof(struct vcpc_instance_info),
	};
	int ret = flags || !is_caller(tid) ? vcpc_list(set, &all) : 0;

	if (ret)
		return ret;
	if (flags & SHIM_TARGET_F_ALL && !all.nr)
		return -EINVAL;
	if (flags & SHIM_TARGET_F_ALL && !tid && request == VCPC_IOC_UNBIND)
		args.flags = VCPC_OWN_F_ALL;
	else if (!is_caller(tid) || (flags & SHIM_TARGET_F_ALL && all.nr > 1))
		return all.nr ? -EOPNOTSUPP : -EINVAL;
	return call(set.fd, request, &args);
}

static int vcpc_unbind(union shim_backend_ref set, pid_t tid, unsigned int flags)
{
	return on_own(set, tid, flags, VCPC_IOC_UNBIND);
}

static int vcpc_enable(union shim_backend_ref set, pid_t tid, unsigned int flags)
{
	return on_own(set, tid, flags, VCPC_IOC_ENABLE);
}

static int vcpc_disable(union shim_backend_ref set, pid_t tid, unsigned int flags)
{
	return on_own(set, tid, flags, VCPC_IOC_DISABLE);
}

static int vcpc_restart(union shim_backend_ref set, pid_t tid, unsigned int flags)
{
	return on_own(set, tid, flags, VCPC_IOC_RESTART);
}

static int vcpc_preset(union shim_backend_ref set, pid_t tid, unsigned int request, __u64 value)
{
	struct vcpc_preset_args args = { .size = sizeof(args), .request = request, .preset = value };

	return is_caller(tid) ? call(set.fd, VCPC_IOC_PRESET, &args) : -EOPNOTSUPP;
}

/*
 * Check that a set was bound only once.  The module's total includes all binds, so the total of one
 * bind is available only if there is no other bind.
 *
 * Return: 0, -EINVAL if the thread has no instance, -EOPNOTSUPP, or an error from the list.
 */
static int check_only_root(union shim_backend_ref set, pid_t tid)
{
	struct vcpc_instance_info info[ROOTS];
	struct vcpc_instances_args args = {
		.size = sizeof(args), .info = (uintptr_t)info, .info_size = sizeof(*info),
		.room = ROOTS,
	};
	int ret = vcpc_list(set, &args);
	bool found = false;

	for (unsigned int i = 0; i < args.nr && i < ROOTS && !ret; i++) {
		found |= info[i].root == tid || info[i].tid == tid;
		if (info[i].root != info[0].root)
			ret = -EOPNOTSUPP;
	}
	if (ret)
		return ret;
	return found || args.folded || args.nr > ROOTS ? 0 : -EINVAL;
}

static int vcpc_sample(union shim_backend_ref set, pid_t tid, unsigned int flags,
		       struct vcpc_sample *buf, size_t size)
{
	struct vcpc_sample_args args = {
		.size = sizeof(args),
		.flags = flags,
		.tid = tid,
		.buf_size = size,
		.buf = (uintptr_t)buf,
	};
	int ret;

	/*
	 * read(2) returns the same sample at a lower cost, because security modules check every
	 * ioctl.
	 */
	if (!tid && !flags && shim_fd__is_latest(set.fd))
		return read(set.fd.nr, buf, size) < 0 ? -errno : 0;
	if (flags & VCPC_SAMPLE_F_TOTAL && tid) {
		ret = check_only_root(set, tid);
		if (ret)
			return ret;
		args.tid = 0;
	}
	return call(set.fd, VCPC_IOC_SAMPLE, &args);
}

const struct shim_backend_ops shim_backend__vcpc = {
	.name = "vcpc",
	.open = vcpc_open,
	.close = vcpc_close,
	.now = vcpc_now,
	.create = vcpc_create,
	.destroy = vcpc_destroy,
	.bind = vcpc_bind,
	.unbind = vcpc_unbind,
	.sample = vcpc_sample,
	.enable = vcpc_enable,
	.disable = vcpc_disable,
	.restart = vcpc_restart,
	.preset = vcpc_preset,
	.list = vcpc_list,
};
