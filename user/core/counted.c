// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Whether the module can sample counters of the calling thread for its trace events.
 *
 * The module can do so if the thread has bound a set for that, or inherited one from the thread
 * that started it or from before its execve(2).  The library queries the module once, when the
 * thread first begins a transaction that has a listener.  A thread without such a set binds the set
 * that the tracing session wants (wanted.c), and checks ten times per second whether that has
 * changed.
 *
 * The whole process shares that set.  The set ends when its descriptor is closed: when the process
 * finds that there is no listener, or that the session wants something else.
 *
 * Locking: a lock that keeps signal handlers out guards the set.  The state of a thread belongs to
 * that thread; a handler that interrupts shim_counted__ask() finds the previous state.
 *
 * A forked child inherits neither the set nor the thread's state, so it queries again.
 */
#include <errno.h>
#include <stdatomic.h>
#include <stddef.h>
#include <sys/ioctl.h>

#include <linux/vcpc.h>

#include "base/process.h"
#include "counted.h"
#include "tracedev.h"
#include "wanted.h"

#define ASK_AGAIN	100000000ull

__thread struct shim_counted shim_counted__own
	__attribute__((tls_model("initial-exec"), visibility("hidden")));

static void in_child(void);

/* The set that the session wants.  @id: ID of the session; 0: no set */
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
	/* The program may have closed the descriptor and reused its number for another file. */
	if (atomic_exchange(&wanted.id, 0) && is_set())
		shim_fd__close(wanted.fd);
}

/* The child's descriptor is a copy of the parent's, and that set counts the parent's threads. */
static void in_child(void)
{
	close_set();
}

static int create(int dev, bool user_only)
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

/* Make the set of this session unless it exists.  Called with the lock held. */
static int open_set(int dev, uint64_t id)
{
	int fd, err;

	if (atomic_load(&wanted.id) == id && shim_fd__is_ours(wanted.fd))
		return 0;
	close_set();
	fd = create(dev, false);
	if (fd == -EACCES)
		fd = create(dev, true);
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
static bool follow(int dev, uint64_t id)
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
 * shim_counted__follows() - whether the process has a set that the session wants
 */
bool shim_counted__follows(void)
{
	return atomic_load_explicit(&wanted.id, memory_order_relaxed);
}

/**
 * shim_counted__leave() - close the session's set, so all threads stop counting
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
	own->flag = id && follow(fd, id) ? VCPC_TRACE_F_COUNTS : 0;
}

/**
 * shim_counted__ask() - find out whether the calling thread has a set for its trace events
 * @fd: from shim_tracedev__open(); if it is no longer the module's, the state is not changed
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
				 -ENOMEM : shim_tracedev__counted(fd);
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

/* Called when the thread has bound a set for its trace events, which replaces the session's. */
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
