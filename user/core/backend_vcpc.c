// SPDX-License-Identifier: LGPL-2.1-or-later
/* The back end that counts in the kernel: the only caller of vcpc's set ioctls. */
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "backend.h"
#include "tick.h"

static int call(int fd, unsigned long request, void *arg)
{
	int ret = ioctl(fd, request, arg);

	return ret < 0 ? -errno : ret;
}

/* A node without a driver behind it says ENXIO or ENODEV, no node ENOENT. */
static int open_device(void)
{
	int fd = open("/dev/vcpc", O_RDWR | O_CLOEXEC);

	if (fd >= 0)
		return fd;
	return errno == ENOENT || errno == ENXIO ? -ENODEV : -errno;
}

static int vcpc_open(union shim_backend_ref *dev, struct vcpc_info_args *info)
{
	struct vcpc_info_args args = { .size = sizeof(args) };
	int fd = open_device();
	int ret;

	if (fd < 0)
		return fd;
	ret = call(fd, VCPC_IOC_INFO, &args);
	if (!ret && (args.abi != VCPC_ABI_VERSION || !(args.features & VCPC_FEAT_SETS) ||
		     args.sample_size != sizeof(struct vcpc_sample)))
		ret = -EPROTONOSUPPORT;
	if (ret) {
		close(fd);
		return ret;
	}
	dev->fd = fd;
	*info = args;
	return 0;
}

static void vcpc_close(union shim_backend_ref ref)
{
	close(ref.fd);
}

static __u64 vcpc_now(void)
{
	return shim_tick__ns();
}

/* The administrator may let sets on CPUs and on threads live beside each other. */
static int is_lifted(void)
{
	int fd = open("/sys/module/vcpc/parameters/exclusive", O_RDONLY | O_CLOEXEC);
	char c = 'Y';

	if (fd < 0)
		return 0;
	if (read(fd, &c, 1) != 1)
		c = 'Y';
	close(fd);
	return c == 'N' || c == '0';
}

static int vcpc_lock(union shim_backend_ref dev, int how)
{
	if (!flock(dev.fd, how | LOCK_NB))
		return 0;
	return errno == EWOULDBLOCK && is_lifted() ? 0 : -errno;
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
		.slot = terms.slot,
		.seed = terms.seed,
		.signal = terms.signal,
	};
	int fd = call(dev.fd, VCPC_IOC_SET_CREATE, &args);

	if (fd < 0) {
		*bad = args.bad_request;
		return fd;
	}
	set->fd = fd;
	return 0;
}

static int vcpc_bind(union shim_backend_ref set, pid_t tid, unsigned int flags, int *bad)
{
	struct vcpc_bind_args args = {
		.size = sizeof(args),
		.flags = flags,
		.tid = tid,
		.bad_request = -1,
	};
	int ret = call(set.fd, VCPC_IOC_BIND, &args);

	if (ret)
		*bad = args.bad_request;
	return ret;
}

static int on_target(union shim_backend_ref set, pid_t tid, unsigned int flags,
		     unsigned long request)
{
	struct vcpc_target_args args = { .size = sizeof(args), .flags = flags, .tid = tid };

	return call(set.fd, request, &args);
}

static int vcpc_unbind(union shim_backend_ref set, pid_t tid, unsigned int flags)
{
	return on_target(set, tid, flags, VCPC_IOC_UNBIND);
}

static int vcpc_enable(union shim_backend_ref set, pid_t tid, unsigned int flags)
{
	return on_target(set, tid, flags, VCPC_IOC_ENABLE);
}

static int vcpc_disable(union shim_backend_ref set, pid_t tid, unsigned int flags)
{
	return on_target(set, tid, flags, VCPC_IOC_DISABLE);
}

static int vcpc_restart(union shim_backend_ref set, pid_t tid, unsigned int flags)
{
	return on_target(set, tid, flags, VCPC_IOC_RESTART);
}

static int vcpc_preset(union shim_backend_ref set, pid_t tid, unsigned int request, __u64 value)
{
	struct vcpc_preset_args args = {
		.size = sizeof(args),
		.tid = tid,
		.request = request,
		.preset = value,
	};

	return call(set.fd, VCPC_IOC_PRESET, &args);
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

	/* The same, and cheaper: security modules look at every ioctl. */
	if (!tid && !flags)
		return read(set.fd, buf, size) < 0 ? -errno : 0;
	return call(set.fd, VCPC_IOC_SAMPLE, &args);
}

static int vcpc_list(union shim_backend_ref set, struct vcpc_instances_args *args)
{
	return call(set.fd, VCPC_IOC_INSTANCES, args);
}

const struct shim_backend_ops shim_backend__vcpc = {
	.name = "vcpc",
	.open = vcpc_open,
	.close = vcpc_close,
	.now = vcpc_now,
	.lock = vcpc_lock,
	.create = vcpc_create,
	.destroy = vcpc_close,
	.bind = vcpc_bind,
	.unbind = vcpc_unbind,
	.sample = vcpc_sample,
	.enable = vcpc_enable,
	.disable = vcpc_disable,
	.restart = vcpc_restart,
	.preset = vcpc_preset,
	.list = vcpc_list,
};
