// SPDX-License-Identifier: LGPL-2.1-or-later
/* /dev/vcpc for trace events: get handles of tags by name, and write single events. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <linux/vcpc.h>

#include "base/process.h"
#include "tracedev.h"

#define DEVICE	"/dev/vcpc"

static int info(int fd, struct vcpc_info_args *args)
{
	*args = (struct vcpc_info_args) { .size = sizeof(*args) };
	return ioctl(fd, VCPC_IOC_INFO, args) ? -errno : 0;
}

/**
 * shim_tracedev__open() - open the module's device for trace events
 * @fd: the descriptor, close-on-exec, on success
 *
 * Return: 0; -ENODEV without the module, -EACCES without permission, -EOPNOTSUPP if the module does
 *	not trace or has another version, or another errno of open(2).
 */
int shim_tracedev__open(int *fd)
{
	struct vcpc_info_args args;
	int dev = open(DEVICE, O_RDWR | O_CLOEXEC);
	int err;

	if (dev < 0)
		return errno == ENOENT || errno == ENXIO ? -ENODEV : -errno;
	dev = shim_fd__above_standard(dev);
	if (dev < 0)
		return dev;
	err = info(dev, &args);
	if (!err && (args.abi != VCPC_ABI_VERSION || !(args.features & VCPC_FEAT_TRACE)))
		err = -EOPNOTSUPP;
	if (err) {
		close(dev);
		return err;
	}
	*fd = dev;
	return 0;
}

/**
 * shim_tracedev__tag() - get a handle of the tag with a name; the descriptor then holds the tag
 * @fd: from shim_tracedev__open()
 * @name: @len bytes, without a NUL
 * @len: 1..VCPC_TAG_LEN-1
 * @handle: on success, for shim_tracedev__fire() on this descriptor
 *
 * Return: 0, or an errno of VCPC_IOC_TRACE_TAG.
 */
int shim_tracedev__tag(int fd, const char *name, size_t len, uint32_t *handle)
{
	struct vcpc_trace_tag_args args = {
		.size = sizeof(args),
		.name = (uintptr_t)name,
		.name_len = len,
	};

	if (ioctl(fd, VCPC_IOC_TRACE_TAG, &args))
		return -errno;
	*handle = args.handle;
	return 0;
}

/**
 * shim_tracedev__map() - map the page that shows whether events have a listener
 * @fd: from shim_tracedev__open()
 *
 * A forked child does not inherit the page, because it would keep the parent's descriptor in use.
 *
 * Return: the page, which stays mapped until the process ends, or NULL.
 */
const struct vcpc_trace_page *shim_tracedev__map(int fd)
{
	size_t size = sysconf(_SC_PAGESIZE);
	struct vcpc_trace_page *page = mmap(NULL, size, PROT_READ, MAP_SHARED, fd, 0);

	if (page == MAP_FAILED)
		return NULL;
	if (page->size < sizeof(*page)) {
		munmap(page, size);
		return NULL;
	}
	madvise(page, size, MADV_DONTFORK);
	return page;
}

/* Whether a descriptor is still the module's device, not another file that reuses the number */
int shim_tracedev__is(int fd)
{
	struct vcpc_info_args args;

	return info(fd, &args) == 0;
}

/**
 * shim_tracedev__counted() - whether the module samples a set of the calling thread for its events
 * @fd: from shim_tracedev__open()
 *
 * Return: 1 or 0, or a negative errno if @fd is no longer the module's device.
 */
int shim_tracedev__counted(int fd)
{
	struct vcpc_info_args args;
	int err = info(fd, &args);

	return err ? err : args.counted != 0;
}

void shim_tracedev__close(int fd)
{
	close(fd);
}
