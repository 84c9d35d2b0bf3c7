// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Count a set's events on one target as a perf event group.  Only this file calls
 * perf_event_open(2).
 *
 * A group is pinned: either the whole group is on the PMU whenever its target runs, or it enters
 * the error state and stays there, and read(2) returns 0.  An event that overflows leads the group,
 * because perf stops the whole group when its leader overflows.  An inherited group is not pinned,
 * because errors of a child's copy would go unnoticed.  Instead, time enabled and time running
 * differ if any copy was ever off the PMU.  Flexible groups are not pinned either: perf multiplexes
 * them.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <poll.h>
#include <sched.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/nap.h"
#include "base/rawcall.h"
#include "perf_group.h"

/*
 * Number of times that a read is repeated while a thread that has inherited the group exits: first
 * the caller yields the CPU, then it sleeps.
 */
#define EXIT_YIELDS	100
#define EXIT_WAITS	10000
#define EXIT_WAIT_NS	100000

/* config1 on arm64: request reads in user mode, which kernel.perf_user_access must permit */
#define ARM64_USER_READ	2

/**
 * shim_group__open_event() - call perf_event_open(2)
 * @attr: the event
 * @place: its target
 * @leader: descriptor of the group's leader, or -1
 *
 * A control group's directory is opened again for each event.  Therefore events can be reopened
 * when a CPU comes back online, even if the program has closed all descriptors that it did not
 * open.
 *
 * Return: the descriptor, or -1 with errno set.
 */
int shim_group__open_event(struct perf_event_attr *attr, const struct shim_group_place *place,
			   int leader)
{
	int folder, fd, err;

	if (!place->cgroup)
		return syscall(SYS_perf_event_open, attr, place->tid, place->cpu, leader,
			       PERF_FLAG_FD_CLOEXEC);
	folder = open(place->cgroup, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (folder < 0)
		return -1;
	fd = syscall(SYS_perf_event_open, attr, folder, place->cpu, leader,
		     PERF_FLAG_PID_CGROUP | PERF_FLAG_FD_CLOEXEC);
	err = errno;
	close(folder);
	errno = err;
	return fd;
}

/** shim_group__describe() - fill in @attr for the request @req */
void shim_group__describe(struct perf_event_attr *attr, const struct vcpc_request *req)
{
	*attr = (struct perf_event_attr) {
		.size = sizeof(*attr),
		.type = req->type,
		.config = req->config,
		.config1 = req->config1,
		.config2 = req->config2,
		.read_format = PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_ENABLED |
			       PERF_FORMAT_TOTAL_TIME_RUNNING,
		.exclude_user = !(req->flags & VCPC_REQ_F_USER),
		.exclude_kernel = !(req->flags & VCPC_REQ_F_KERNEL),
		/* The module also excludes guest and hypervisor mode. */
		.exclude_hv = 1,
		.exclude_guest = 1,
	};
	if (!(req->flags & VCPC_REQ_F_OVERFLOW))
		return;
	attr->sample_period = SHIM_GROUP_NEVER;
	/* After execve(2) the signals would be sent to another program. */
	attr->remove_on_exec = 1;
}

/** shim_group__error() - translate an errno of perf_event_open(2) to an error of VCPC_IOC_SET_CREATE */
int shim_group__error(int err)
{
	switch (err) {
	case EPERM:
		return -EACCES;
	case ENODEV:
		return -EOPNOTSUPP;
	default:
		return -err;
	}
}

/**
 * shim_group__is_ours() - check whether a descriptor still refers to an event
 * @event: the event
 *
 * Return: false if the program has closed the descriptor; another file may have reused its number.
 */
bool shim_group__is_ours(const struct shim_group_event *event)
{
	__u64 id;

	return event->fd.nr >= 0 && shim_fd__is_latest(event->fd) &&
	       !ioctl(event->fd.nr, PERF_EVENT_IOC_ID, &id) && id == event->id;
}

static void close_event(struct shim_group_event *event)
{
	if (shim_group__is_ours(event))
		shim_fd__close(event->fd);
	event->fd.nr = -1;
}

/*
 * On arm64, a thread can read hardware events in user mode only if that was requested when they
 * were opened.  If the kernel rejects that, open them without it.
 */
static int open_readable(struct perf_event_attr *attr, struct shim_group_place place, int leader)
{
#if defined(__aarch64__)
	bool hardware = attr->type != PERF_TYPE_SOFTWARE && attr->type != PERF_TYPE_TRACEPOINT &&
			attr->type != PERF_TYPE_BREAKPOINT;
	int fd;

	if (hardware && !attr->config1 && !place.inherit && place.cpu < 0) {
		attr->config1 = ARM64_USER_READ;
		fd = shim_group__open_event(attr, &place, leader);
		if (fd >= 0)
			return fd;
		attr->config1 = 0;
	}
#endif
	return shim_group__open_event(attr, &place, leader);
}

/*
 * Return whether to set enable_on_exec.  When arm64 checks whether a group can ever be on the PMU,
 * it ignores a disabled leader, unless execve will enable it.  Therefore the flag is set for
 * leaders in this process's own threads.  It has no other effect, because a process that executes
 * another program closes its groups.
 */
static bool is_reckoned_with(const struct perf_event_attr *attr, struct shim_group_place place)
{
	return place.own && !place.inherit && !attr->remove_on_exec;
}

static int open_one(struct shim_group *group, unsigned int i, const struct vcpc_request *req,
		    struct shim_group_place place)
{
	struct shim_group_event *event = &group->events[i];
	bool leads = i == group->lead;
	struct perf_event_attr attr;
	int fd, ret;

	shim_group__describe(&attr, req);
	/* If perf splits the group, a member's own count can still be read, see perf_watch.c. */
	if (!leads)
		attr.read_format &= ~PERF_FORMAT_GROUP;
	attr.disabled = leads;
	attr.pinned = leads && (place.pinned || (!place.inherit && !place.flexible));
	attr.enable_on_exec = leads && (place.on_exec || is_reckoned_with(&attr, place));
	attr.inherit = place.inherit;
	attr.inherit_thread = place.inherit && place.threads_only;
	fd = open_readable(&attr, place, leads ? -1 : group->events[group->lead].fd.nr);
	if (fd < 0)
		return shim_group__error(errno);
	ret = shim_fd__own(fd, &event->fd);
	if (ret)
		return ret;
	if (!ioctl(event->fd.nr, PERF_EVENT_IOC_ID, &event->id))
		return 0;
	ret = -errno;
	shim_fd__close(event->fd);
	event->fd.nr = -1;
	return ret;
}

static void unmap(struct shim_group *group, unsigned int n)
{
	while (n--)
		munmap((void *)group->pages[n], sysconf(_SC_PAGESIZE));
	free(group->pages);
	group->pages = NULL;
}

/*
 * Map the pages of all events, or none if one cannot be mapped, for example because the limit of
 * locked memory is reached.  A mapped page keeps its event open, so only the descriptors of the
 * leader and of events that overflow are needed.
 */
static void group_map(struct shim_group *group)
{
	group->pages = calloc(group->n + 1, sizeof(*group->pages));
	for (unsigned int i = 0; i < group->n && group->pages; i++) {
		/* MAP_POPULATE avoids page faults in the first sample. */
		void *page = mmap(NULL, sysconf(_SC_PAGESIZE), PROT_READ,
				  MAP_SHARED | MAP_POPULATE, group->events[i].fd.nr, 0);

		/* Without the pages, samples are system calls and return the same values. */
		if (page == MAP_FAILED) {
			unmap(group, i);
			return;
		}
		/* A forked child must not inherit the page.  The kernel also ensures this. */
		madvise(page, sysconf(_SC_PAGESIZE), MADV_DONTFORK);
		group->pages[i] = page;
	}
	if (!group->pages)
		return;
	group->pages[group->n] = group->pages[0];
	for (unsigned int i = 0; i < group->n; i++)
		if (i != group->lead && !(group->overflows & 1ull << i))
			close_event(&group->events[i]);
}

/*
 * Return -ESTALE if a thread was started while only some of the events were open.  The thread has
 * inherited only these events, so perf refuses to read the group (ECHILD).
 */
static int check_inherited(const struct shim_group *group)
{
	struct shim_group_counts counts;
	size_t size = offsetof(struct shim_group_counts, values) + group->n * sizeof(__u64);

	return read(group->events[group->lead].fd.nr, &counts, size) < 0 && errno == ECHILD ? -ESTALE : 0;
}

/* Return the index of the @k-th event to open and read: first the leader, then the others. */
static unsigned int nth(const struct shim_group *group, unsigned int k)
{
	return !k ? group->lead : k <= group->lead ? k - 1 : k;
}

/* Initialize a group without open events.  Return 0 or -ENOMEM. */
static int group_prepare(struct shim_group *group, const struct vcpc_request *reqs, unsigned int n)
{
	*group = (struct shim_group) { .events = calloc(n, sizeof(*group->events)) };
	if (!group->events)
		return -ENOMEM;
	group->n = n;
	for (unsigned int i = n; i--; ) {
		group->events[i].fd.nr = -1;
		if (!(reqs[i].flags & VCPC_REQ_F_OVERFLOW))
			continue;
		group->overflows |= 1ull << i;
		group->lead = i;
	}
	return 0;
}

/**
 * shim_group__open() - open a set's requests on a target in the disabled state
 * @group: filled in; on success, the caller must close it
 * @reqs: struct vcpc_request[@n]
 * @n: 1..SHIM_GROUP_MAX
 * @place: the target
 * @bad: on failure, the index of the rejected request, or -1
 *
 * Return: 0, -ENOSPC (the group can never fit on the PMU), -ESRCH, -EACCES, -ENODEV (no such CPU),
 * -EMFILE, -ENOMEM, or perf's error for an event.
 *
 * For an inherited group this may also return -ESTALE, and the caller must try again: if the target
 * started a thread between two opens, the kernel may have exchanged the contexts of the two
 * threads, and the new thread may have ended together with the first events, so the next event is
 * rejected. -ESTALE is also returned if the group does not fit on the PMU; @bad is then the
 * rejected request.
 */
int shim_group__open(struct shim_group *group, const struct vcpc_request *reqs, unsigned int n,
		     struct shim_group_place place, int *bad)
{
	int ret;

	*bad = -1;
	ret = group_prepare(group, reqs, n);
	for (unsigned int k = 0; k < n && !ret; k++) {
		unsigned int i = nth(group, k);

		ret = open_one(group, i, &reqs[i], place);
		/*
		 * perf_create() has tried each event alone, so the kernel rejects the combination.
		 */
		if (k && place.inherit && (ret == -EINVAL || ret == -EOPNOTSUPP))
			ret = -ESTALE;
		else if (k && ret == -EINVAL)
			ret = -ENOSPC;
		if (ret == -ENOSPC || ret == -ESTALE || ret == -ENOENT || ret == -EOPNOTSUPP)
			*bad = i;
	}
	if (!ret && place.inherit)
		ret = check_inherited(group);
	if (ret) {
		shim_group__close(group);
		return ret;
	}
	if (!place.inherit && place.cpu < 0)
		group_map(group);
	return 0;
}

/**
 * shim_group__close() - stop counting
 * @group: the group; no thread may be reading its pages
 */
void shim_group__close(struct shim_group *group)
{
	/* Stop the group first, because members continue to count after their leader is closed. */
	if (group->n)
		shim_group__turn(group, false);
	if (group->pages)
		unmap(group, group->n);
	shim_group__forget(group);
}

/**
 * shim_group__forget() - free a group in a forked child, where its pages are not mapped
 * @group: the group; it continues to count in the parent
 */
void shim_group__forget(struct shim_group *group)
{
	for (unsigned int i = group->n; i--; )
		close_event(&group->events[i]);
	free(group->events);
	free(group->pages);
	*group = (struct shim_group) { 0 };
}

/**
 * shim_group__turn() - enable or disable a group
 * @group: the group, including all copies if it is inherited
 * @on: true to enable
 *
 * Return: 0, or -EBADF if the program has closed the descriptor.
 */
int shim_group__turn(const struct shim_group *group, bool on)
{
	if (!group->n || !shim_group__is_ours(&group->events[group->lead]))
		return -EBADF;
	return ioctl(group->events[group->lead].fd.nr, on ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE,
		     0) ? -errno : 0;
}

/*
 * Call ioctl(2) on an event.  Return 0, -EBADF if the program has closed the descriptor, or another
 * error.
 */
static int control(const struct shim_group *group, unsigned int i, unsigned long request,
		   unsigned long arg)
{
	if (!shim_group__is_ours(&group->events[i]))
		return -EBADF;
	return ioctl(group->events[i].fd.nr, request, arg) ? -errno : 0;
}

/**
 * shim_group__tell() - send a thread a signal whenever an event overflows
 * @group: the group of one thread, not inherited
 * @tid: the thread
 * @signal: the signal; its siginfo contains the event's descriptor
 *
 * Return: 0, or an error from fcntl(2).
 */
int shim_group__tell(const struct shim_group *group, pid_t tid, int signal)
{
	const struct f_owner_ex owner = { .type = F_OWNER_TID, .pid = tid };

	for (unsigned int i = 0; i < group->n; i++)
		if (group->overflows & 1ull << i &&
		    (fcntl(group->events[i].fd.nr, F_SETSIG, signal) ||
		     fcntl(group->events[i].fd.nr, F_SETOWN_EX, &owner) ||
		     fcntl(group->events[i].fd.nr, F_SETFL, O_ASYNC)))
			return -errno;
	return 0;
}

/**
 * shim_group__set_distance() - set the number of events until the next overflow
 * @group: a disabled group, or one with a clock event
 * @i: index of the event
 * @distance: 1..SHIM_GROUP_NEVER
 *
 * Return: 0 or -EBADF.
 */
int shim_group__set_distance(const struct shim_group *group, unsigned int i, __u64 distance)
{
	return control(group, i, PERF_EVENT_IOC_PERIOD, (unsigned long)&distance);
}

/**
 * shim_group__limit() - enable an event until its next overflow
 * @group: the group; it counts only if its leader is also enabled
 * @i: index of the event; if it is the leader, its overflow stops the whole group
 *
 * Return: 0 or -EBADF.
 */
int shim_group__limit(const struct shim_group *group, unsigned int i)
{
	return control(group, i, PERF_EVENT_IOC_REFRESH, 1);
}

/* Enable an event that was limited before.  Return 0 or -EBADF. */
int shim_group__enable_one(const struct shim_group *group, unsigned int i)
{
	return control(group, i, PERF_EVENT_IOC_ENABLE, 0);
}

/*
 * Yield first and then sleep, because the exiting thread may have been preempted.  All waits
 * together take at least one second.
 */
static void wait_for_exit(int tries)
{
	if (tries < EXIT_YIELDS)
		sched_yield();
	else
		shim_nap(EXIT_WAIT_NS);
}

/* Put the counts in the order of the requests; perf returns the leader's count first. */
static void put_in_order(const struct shim_group *group, struct shim_group_counts *counts)
{
	__u64 lead = counts->values[0];

	memmove(counts->values, counts->values + 1, group->lead * sizeof(counts->values[0]));
	counts->values[group->lead] = lead;
}

/**
 * shim_group__read_event() - call read(2) on an event
 * @event: the event
 * @to: filled in
 * @size: size of @to
 *
 * The C library's read() is not used, because it is a cancellation point.  Beginning or ending
 * a transaction also samples, and must not be a cancellation point.
 *
 * Return: as for read(2), or a negative error.
 */
long shim_group__read_event(const struct shim_group_event *event, void *to, size_t size)
{
	return shim_rawcall4(SYS_read, event->fd.nr, (long)to, size, 0);
}

/**
 * shim_group__read_any() - read the counts with read(2), even if they are incomplete
 * @group: the group
 * @counts: filled in; its times show whether the group was always on the PMU
 *
 * Return: as for shim_group__read().
 */
int shim_group__read_any(const struct shim_group *group, struct shim_group_counts *counts)
{
	size_t size = offsetof(struct shim_group_counts, values) + group->n * sizeof(__u64);
	long got;

	/*
	 * If another file has reused the number, read(2) could block, or consume the program's
	 * data.
	 */
	if (!shim_group__is_ours(&group->events[group->lead]))
		return -EBADF;
	got = shim_group__read_event(&group->events[group->lead], counts, size);
	/* ECHILD means that perf is removing the events of an exiting thread one by one. */
	for (int tries = 0; got == -ECHILD && tries < EXIT_YIELDS + EXIT_WAITS; tries++) {
		wait_for_exit(tries);
		got = shim_group__read_event(&group->events[group->lead], counts, size);
	}
	if (got < 0)
		return got == -ECHILD ? -EAGAIN : got;
	if (got != (long)size || counts->nr != group->n)
		return -EAGAIN;
	put_in_order(group, counts);
	return 0;
}

/**
 * shim_group__read() - read the counts with read(2)
 * @group: the group
 * @counts: filled in
 *
 * Return: 0, -EAGAIN (the group was off the PMU while its target ran, or a thread that inherited it
 * did not exit within one second), or -EBADF.
 */
int shim_group__read(const struct shim_group *group, struct shim_group_counts *counts)
{
	int ret = shim_group__read_any(group, counts);

	return !ret && counts->enabled != counts->running ? -EAGAIN : ret;
}

/**
 * shim_group__has_ended() - check whether the thread that a group counts has exited
 * @group: the group, not inherited
 *
 * Return: true; false if the thread runs, or if this is unknown because the pages could not be
 * mapped.
 */
bool shim_group__has_ended(const struct shim_group *group)
{
	struct pollfd fd = { .events = 0 };

	if (!group->pages || !shim_fd__is_latest(group->events[group->lead].fd))
		return false;
	fd.fd = group->events[group->lead].fd.nr;
	return poll(&fd, 1, 0) == 1 && fd.revents & POLLHUP;
}
