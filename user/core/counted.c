// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Find out whether the module can sample counters of the calling thread for its trace events.
 *
 * The module can do so if the thread has bound a set for trace events, inherited one from the
 * thread that started it, or kept one across execve(2).  The library queries the module once, when
 * the thread first begins a transaction that has a listener.  A thread without a set binds the set
 * that the tracing session wants, and checks ten times per second whether that set has changed.
 *
 * The whole process shares that set.  The process closes the set's descriptor, which ends the set,
 * when it finds that no listener is attached or that the session wants another set.
 *
 * Locking: the set is guarded by a lock that blocks signals while it is held.  The state of a
 * thread belongs to that thread; a handler that interrupts shim_counted__ask() finds the previous
 * state.
 *
 * A forked child inherits neither the set nor the thread's state, so it queries again.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/vcpc.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <bpf/bpf.h>

#include "base/fd.h"
#include "base/process.h"
#include "bpf_pins.h"
#include "counted.h"

/* Use /dev/vcpc for trace events: get handles of tags by name, and write individual events. */

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
 * Return: 0; -ENODEV if the module is not loaded, -EACCES without permission, -EOPNOTSUPP if the
 *	module does not trace or has a different version, or another errno from open(2).
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
 * shim_tracedev__tag() - get a handle of the tag with a name
 * @fd: descriptor from shim_tracedev__open()
 * @name: @len bytes, without a NUL
 * @len: 1..VCPC_TAG_LEN-1
 * @handle: on success, for shim_tracedev__fire() on this descriptor, which keeps the tag in use
 *
 * Return: 0, or an errno from VCPC_IOC_TRACE_TAG.
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
 * shim_tracedev__write() - write one event to a device that does not implement
 * posix_fadvise(2)
 * @fd: descriptor from shim_tracedev__open()
 * @op: VCPC_TRACE_*, with VCPC_TRACE_F_COUNTS or without
 * @handle: handle from shim_tracedev__tag() on the same descriptor
 * @value: as in struct vcpc_trace_write
 *
 * Return: as for shim_tracedev__fire().
 */
int shim_tracedev__write(int fd, uint32_t op, uint32_t handle, uint64_t value)
{
	const struct vcpc_trace_write event = { .op = op, .handle = handle, .value = value };
	long n = shim_rawcall4(SYS_pwrite64, fd, (long)&event, sizeof(event), VCPC_TRACE_AT);

	if (n == sizeof(event))
		return 0;
	return n >= 0 || n == -EINVAL || n == -ESPIPE ? -EBADF : (int)n;
}

/**
 * shim_tracedev__map() - map the page that shows whether events have a listener
 * @fd: descriptor from shim_tracedev__open()
 *
 * A forked child does not inherit the page, because the mapping would keep the parent's
 * descriptor in use.
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

/*
 * Return whether a descriptor still refers to the module's device, and not to another file that
 * reuses the number.
 */
int shim_tracedev__is(int fd)
{
	struct vcpc_info_args args;

	return info(fd, &args) == 0;
}

/**
 * is_counted() - check whether the module samples a set of the calling thread for its
 * events
 * @fd: descriptor from shim_tracedev__open()
 *
 * Return: 1 or 0, or a negative errno if @fd is no longer the module's device.
 */
static int is_counted(int fd)
{
	struct vcpc_info_args args;
	int err = info(fd, &args);

	return err ? err : args.counted != 0;
}

void shim_tracedev__close(int fd)
{
	close(fd);
}

/*
 * The events that the tracing session wants each traced thread to count.
 *
 * They are stored in a file that every process can read, because only root can read the maps.  They
 * are also stored in the map vc_wanted, so that the BPF programs know which transactions should
 * have counts.  An event without flags is counted in user and kernel mode, or only in user mode in
 * threads without permission for kernel mode.
 */

#define FOLDER		"/run/vcpc"
#define WANTED		FOLDER "/trace-counts"
#define ANY_MODE	(VCPC_REQ_F_USER | VCPC_REQ_F_KERNEL)

static int write_all(int fd, const struct vc_events *events)
{
	ssize_t n = write(fd, events, sizeof(*events));

	if (n < 0)
		return -errno;
	if (n != sizeof(*events))
		return -EIO;
	return fchmod(fd, 0644) ? -errno : 0;
}

/*
 * Publish the events.  Because the file is renamed when complete, other processes see either the
 * complete file or no file.
 */
static int counted_publish(const struct vc_events *events)
{
	int fd, err;

	if (mkdir(FOLDER, 0755) && errno != EEXIST)
		return -errno;
	unlink(WANTED ".new");
	fd = open(WANTED ".new", O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
	if (fd < 0)
		return -errno;
	err = write_all(fd, events);
	close(fd);
	if (!err && rename(WANTED ".new", WANTED))
		err = -errno;
	if (err)
		unlink(WANTED ".new");
	return err;
}

static int tell_programs(const struct vc_events *events)
{
	const uint32_t key = 0;
	int fd = bpf_obj_get(VC_PIN_DIR "/vc_wanted"), err = 0;

	if (fd < 0)
		return -errno;
	if (bpf_map_update_elem(fd, &key, events, 0))
		err = -errno;
	close(fd);
	return err;
}

/* Return whether only root can have written the file. */
static int is_trusted(const struct stat *st)
{
	return S_ISREG(st->st_mode) && !st->st_uid && !(st->st_mode & (S_IWGRP | S_IWOTH)) &&
	       st->st_size == sizeof(struct vc_events);
}

/**
 * shim_wanted__id() - get a number that identifies the wanted events and differs after each change
 *
 * Context: any thread, or a signal handler; errno may change.
 * Return: the number; 0 if no events are wanted.
 */
uint64_t shim_wanted__id(void)
{
	struct stat st;

	if (lstat(WANTED, &st) || !is_trusted(&st))
		return 0;
	return ((st.st_mtim.tv_sec * 1000000000ull + st.st_mtim.tv_nsec) ^ st.st_ino << 1) | 1;
}

static int check_unwanted(void)
{
	struct stat st;

	if (lstat(WANTED, &st))
		return errno == ENOENT ? 0 : -errno;
	return is_trusted(&st) ? -EBUSY : 0;
}

/*
 * Publish the wanted events.  If this fails, no thread counts, so the BPF programs must not expect
 * counts.
 */
static int want(const struct vc_events *events)
{
	static const struct vc_events none;
	int err = check_unwanted();

	if (!err)
		err = tell_programs(events);
	if (err)
		return err;
	err = counted_publish(events);
	if (err)
		tell_programs(&none);
	return err;
}

static int want_nothing(const struct vc_events *none)
{
	/* Remove the file even if tracing is off: a process that died can have left it. */
	int err = tell_programs(none);

	if (unlink(WANTED) && errno != ENOENT)
		return -errno;
	return err;
}

/**
 * shim_wanted__set() - make each traced thread count these events in its transactions
 * @events: the events; if there are none, the threads stop counting
 *
 * Return: 0, -ENOENT if tracing is off, -EBUSY if other events are wanted, -EPERM, or another
 *	error.
 */
int shim_wanted__set(const struct vc_events *events)
{
	return shim_bpf_pins__error(events->nr ? want(events) : want_nothing(events));
}

void shim_wanted__forget(void)
{
	unlink(WANTED);
}

static struct vcpc_request request_of(const struct vc_event_desc *event, __u32 any)
{
	return (struct vcpc_request) {
		.type = event->type,
		.flags = event->flags ? event->flags & ANY_MODE : any,
		.config = event->config,
	};
}

/**
 * shim_wanted__read() - get the wanted events as requests of a set
 * @reqs: filled in
 * @n: number of requests
 * @user_only: count events without flags only in user mode
 *
 * Context: any thread, or a signal handler; errno may change.
 * Return: 0, or -ENOENT if no events are wanted.
 */
int shim_wanted__read(struct vcpc_request reqs[VC_MAX_COUNTERS], unsigned int *n, bool user_only)
{
	int fd = open(WANTED, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	struct vc_events events;
	struct stat st;
	ssize_t got;

	if (fd < 0)
		return -ENOENT;
	got = fstat(fd, &st) || !is_trusted(&st) ? -1 : read(fd, &events, sizeof(events));
	close(fd);
	if (got != sizeof(events) || !events.nr || events.nr > VC_MAX_COUNTERS)
		return -ENOENT;
	for (uint32_t i = 0; i < events.nr; i++)
		reqs[i] = request_of(&events.event[i], user_only ? VCPC_REQ_F_USER : ANY_MODE);
	*n = events.nr;
	return 0;
}

#define ASK_AGAIN	100000000ull

__thread struct shim_counted shim_counted__own
	__attribute__((tls_model("initial-exec"), visibility("hidden")));

static void in_child(void);

/* The set that the session wants, and the session's ID; if @id is 0, there is no set */
static struct {
	struct shim_siglock lock;
	struct shim_fd fd;
	_Atomic uint64_t id;
} wanted = { .lock = SHIM_SIGLOCK_INITIALIZER(0, in_child) };

/* Forget the calling thread's state, because it was forked or a set was unbound from it. */
void shim_counted__forget(void)
{
	shim_counted__own = (struct shim_counted) { .known = false };
}

static struct shim_fork_hook hook = { .in_child = shim_counted__forget };

static bool is_set(void)
{
	struct vcpc_instances_args args = {
		.size = sizeof(args),
		.info_size = sizeof(struct vcpc_instance_info),
	};

	return shim_fd__is_ours(wanted.fd) && !ioctl(wanted.fd.nr, VCPC_IOC_INSTANCES, &args);
}

static void close_set(void)
{
	/*
	 * The program may have closed the descriptor, and another file may have reused its number.
	 */
	if (atomic_exchange(&wanted.id, 0) && is_set())
		shim_fd__close(wanted.fd);
}

/*
 * Close the set in a forked child.  The child has inherited the descriptor from its parent, and the
 * set counts the parent's threads.
 */
static void in_child(void)
{
	close_set();
}

static int counted_create(int dev, bool user_only)
{
	struct vcpc_request reqs[VC_MAX_COUNTERS];
	struct vcpc_set_create_args args = {
		.size = sizeof(args),
		.request_size = sizeof(reqs[0]),
		.requests = (uintptr_t)reqs,
	};
	int fd, err = shim_wanted__read(reqs, &args.nr_requests, user_only);

	if (err)
		return err;
	fd = ioctl(dev, VCPC_IOC_SET_CREATE, &args);
	return fd < 0 ? -errno : fd;
}

/* Create the set of this session unless it exists.  The caller must hold the lock. */
static int open_set(int dev, uint64_t id)
{
	int fd, err;

	if (atomic_load(&wanted.id) == id && shim_fd__is_ours(wanted.fd))
		return 0;
	close_set();
	fd = counted_create(dev, false);
	if (fd == -EACCES)
		fd = counted_create(dev, true);
	if (fd < 0)
		return fd;
	err = shim_fd__own(fd, &wanted.fd);
	if (!err)
		atomic_store(&wanted.id, id);
	return err;
}

static int bind_set(void)
{
	struct vcpc_bind_args args = { .size = sizeof(args), .flags = VCPC_BIND_F_TRACE };

	return ioctl(wanted.fd.nr, VCPC_IOC_BIND, &args) && errno != EBUSY ? -errno : 0;
}

static void unbind_set(void)
{
	struct vcpc_own_args args = { .size = sizeof(args) };

	if (atomic_load(&wanted.id) && shim_fd__is_ours(wanted.fd))
		ioctl(wanted.fd.nr, VCPC_IOC_UNBIND, &args);
}

/* Bind the session's set to the calling thread.  Return whether that succeeded. */
static bool set_follow(int dev, uint64_t id)
{
	int before = errno, err;

	shim_siglock__enter(&wanted.lock);
	err = open_set(dev, id);
	if (!err)
		err = bind_set();
	shim_siglock__leave(&wanted.lock);
	errno = before;
	return !err;
}

/**
 * shim_counted__follows() - check whether the process has a set that the session wants
 */
bool shim_counted__follows(void)
{
	return atomic_load_explicit(&wanted.id, memory_order_relaxed);
}

/**
 * shim_counted__leave() - close the session's set, so that all threads stop counting
 */
void shim_counted__leave(void)
{
	shim_siglock__enter(&wanted.lock);
	close_set();
	shim_siglock__leave(&wanted.lock);
}

static void follow_session(int fd, struct shim_counted *own)
{
	int before = errno;
	uint64_t id = shim_wanted__id();

	errno = before;
	if (own->session == id && (!id || own->flag == 0 || shim_counted__follows()))
		return;
	if (!id)
		shim_counted__leave();
	own->session = id;
	own->flag = id && set_follow(fd, id) ? VCPC_TRACE_F_COUNTS : 0;
}

/**
 * shim_counted__ask() - find out whether the calling thread has a set for its trace events
 * @fd: from shim_tracedev__open(); if it no longer refers to the module's device, the state is not
 *   changed
 * @now: CLOCK_MONOTONIC
 *
 * A thread without a set binds the session's set, if the session wants one.
 */
void shim_counted__ask(int fd, uint64_t now)
{
	struct shim_counted own = shim_counted__own;
	int others = own.others;

	if (!own.known)
		others = shim_fork__wait_for(&wanted.lock) || shim_fork__hook(&hook) ?
				 -ENOMEM : is_counted(fd);
	if (others < 0)
		return;
	own.known = true;
	own.others = others;
	if (others)
		own.flag = VCPC_TRACE_F_COUNTS;
	else
		follow_session(fd, &own);
	own.until = others ? UINT64_MAX : now + ASK_AGAIN;
	own.quiet_until = own.flag ? 0 : own.until;
	shim_counted__own = own;
}

/*
 * Called when the thread has bound a set for its trace events.  That set replaces the session's
 * set.
 */
void shim_counted__bound(void)
{
	if (shim_fork__hook(&hook))
		return;
	if (shim_counted__own.session) {
		shim_siglock__enter(&wanted.lock);
		unbind_set();
		shim_siglock__leave(&wanted.lock);
	}
	shim_counted__own = (struct shim_counted) {
		.until = UINT64_MAX,
		.flag = VCPC_TRACE_F_COUNTS,
		.known = true,
		.others = true,
	};
}
