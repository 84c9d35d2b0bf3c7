// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The events that the tracing session wants each traced thread to count.
 *
 * They are stored in a file that every process can read, because only root can read the maps.  They
 * are also stored in the map vc_wanted, from which the BPF programs know which transactions should
 * have counts.  An event without flags is counted in user and kernel mode, or only in user mode in
 * threads without permission for kernel mode.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include <bpf/bpf.h>

#include "bpf_pins.h"
#include "wanted.h"

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

/* Other processes see the complete file or none. */
static int publish(const struct vc_events *events)
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

/* Whether only root can have written the file */
static int is_trusted(const struct stat *st)
{
	return S_ISREG(st->st_mode) && !st->st_uid && !(st->st_mode & (S_IWGRP | S_IWOTH)) &&
	       st->st_size == sizeof(struct vc_events);
}

/**
 * shim_wanted__id() - get a number that identifies what is wanted now; it changes with each change
 *
 * Context: any thread, or a signal handler; errno may change.
 * Return: the number; 0 if nothing is wanted.
 */
uint64_t shim_wanted__id(void)
{
	struct stat st;

	if (lstat(WANTED, &st) || !is_trusted(&st))
		return 0;
	return ((st.st_mtim.tv_sec * 1000000000ull + st.st_mtim.tv_nsec) ^ st.st_ino << 1) | 1;
}

/**
 * shim_wanted__set() - have each traced thread count these events in its transactions
 * @events: the events; if there are none, the threads stop counting
 *
 * Return: 0, -ENOENT if tracing is off, -EBUSY if other events are wanted, -EPERM, or another
 *	error.
 */
int shim_wanted__set(const struct vc_events *events)
{
	int err = events->nr && shim_wanted__id() ? -EBUSY : tell_programs(events);

	if (err && events->nr)
		return shim_bpf_pins__error(err);
	if (events->nr)
		err = publish(events);
	else if (unlink(WANTED) && errno != ENOENT)
		err = -errno;
	return shim_bpf_pins__error(err);
}

/* Called when tracing is turned off */
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
 * Return: 0, or -ENOENT if nothing is wanted.
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
