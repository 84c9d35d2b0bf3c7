// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Count events in calls of traced functions, in the threads of one process.
 *
 * The process does no counting itself.  A map holds perf events for its threads until tracing is
 * turned off.
 */
#include <dirent.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <linux/vcpc.h>

#include "bpf_function_counts.h"
#include "bpf_pins.h"
#include "base/lines.h"

#define ANY_MODE	(VCPC_REQ_F_USER | VCPC_REQ_F_KERNEL)

/**
 * shim_function_counts__wanted() - get the events that the session counts
 * @events: written on success; may be empty
 *
 * Return: 0 or a negated errno.
 */
int shim_function_counts__wanted(struct vc_events *events)
{
	const uint32_t key = 0;
	int fd = bpf_obj_get(VC_PIN_DIR "/vc_wanted"), err = 0;

	if (fd < 0)
		return -errno;
	if (bpf_map_lookup_elem(fd, &key, events))
		err = -errno;
	close(fd);
	return err;
}

static int open_event(pid_t tid, const struct vc_event_desc *event)
{
	const uint32_t flags = event->flags ? event->flags : ANY_MODE;
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = event->type,
		.config = event->config,
		.exclude_user = !(flags & VCPC_REQ_F_USER),
		.exclude_kernel = !(flags & VCPC_REQ_F_KERNEL),
		.exclude_hv = 1,
		.exclude_guest = 1,
	};
	int fd = syscall(SYS_perf_event_open, &attr, tid, -1, -1, PERF_FLAG_FD_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

/* Add a thread's counters to the map from @first on: 0, -ESRCH if it ended, or an errno. */
static int count_thread(pid_t tid, const struct vc_events *events, int counter_map, uint32_t first)
{
	for (uint32_t i = 0; i < events->nr; i++) {
		const uint32_t key = first + i;
		int fd = open_event(tid, &events->event[i]), err = 0;

		if (fd < 0)
			return fd;
		if (bpf_map_update_elem(counter_map, &key, &fd, 0))
			err = -errno;
		close(fd);
		if (err)
			return err;
	}
	return 0;
}

static int count_threads(DIR *threads, const struct vc_events *events, int counter_map, int thread_map)
{
	uint32_t n = 0;
	struct dirent *entry;
	int err = 0, more = 0;

	while (!err && (more = shim_entries__next(threads, &entry)) > 0) {
		const uint32_t tid = strtoul(entry->d_name, NULL, 10), first = n * VC_MAX_COUNTERS;

		if (!tid)
			continue;
		if (n == VC_MAX_COUNTED_THREADS)
			return -E2BIG;
		err = count_thread((pid_t)tid, events, counter_map, first);
		if (!err && bpf_map_update_elem(thread_map, &tid, &first, 0))
			err = -errno;
		n += !err;
		err = err == -ESRCH ? 0 : err;
	}
	return err ? err : more;
}

/**
 * shim_function_counts__open() - count events in the current threads of a process
 * @pid: the process
 * @events: what to count
 * @counter_map: vc_counter, with room for VC_MAX_COUNTERS in each of VC_MAX_COUNTED_THREADS
 * @thread_map: vc_counted_thread
 * @events_map: vc_events
 *
 * Return: 0, -ESRCH if the process does not exist, -E2BIG if it has too many threads, or the error
 *	of listing them or of opening an event.
 */
int shim_function_counts__open(pid_t pid, const struct vc_events *events, int counter_map,
			       int thread_map, int events_map)
{
	const uint64_t key = VC_FUNCTION_EVENTS;
	char path[64];
	DIR *threads;
	int err;

	if (bpf_map_update_elem(events_map, &key, events, 0))
		return -errno;
	snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	threads = opendir(path);
	if (!threads)
		return errno == ENOENT ? -ESRCH : -errno;
	err = count_threads(threads, events, counter_map, thread_map);
	closedir(threads);
	return err;
}
