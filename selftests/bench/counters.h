/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Open several counters as a set, and the same counters as a perf group, for benchmarks. */
#ifndef BENCH_COUNTERS_H
#define BENCH_COUNTERS_H

#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <linux/vcpc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define MAX_COUNTERS	6

struct event {
	__u32 type;
	__u64 config;
};

/* Software events replace these if there is no PMU; ratios remain meaningful. */
static const struct event hardware[MAX_COUNTERS] = {
	{ PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES },
	{ PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS },
	{ PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES },
	{ PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS },
	{ PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES },
	{ PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS },
};
static const struct event software[MAX_COUNTERS] = {
	{ PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS },
	{ PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES },
	{ PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_MIGRATIONS },
	{ PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK },
	{ PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MIN },
	{ PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MAJ },
};

static inline void die(const char *what)
{
	fprintf(stderr, "bench: %s: %s\n", what, strerror(errno));
	exit(1);
}

/*
 * Bind a set of @nr requests to the caller.  If @far is not 0, the first request overflows after
 * @far events.  Return the set's descriptor, or a negative errno.
 */
static inline int try_set(const struct event *events, unsigned int nr, __u64 far)
{
	struct vcpc_request requests[MAX_COUNTERS] = { 0 };
	struct vcpc_set_create_args create = {
		.size = sizeof(create),
		.nr_requests = nr,
		.request_size = sizeof(requests[0]),
		.requests = (__u64)(unsigned long)requests,
	};
	struct vcpc_bind_args bind = { .size = sizeof(bind) };
	int device = open("/dev/vcpc", O_RDWR | O_CLOEXEC), set, ret;
	unsigned int i;

	for (i = 0; i < nr; i++) {
		requests[i].type = events[i].type;
		requests[i].config = events[i].config;
		requests[i].flags = VCPC_REQ_F_USER;
	}
	if (far) {
		requests[0].flags |= VCPC_REQ_F_OVERFLOW;
		requests[0].preset = -far;
	}
	if (device < 0)
		die("/dev/vcpc");
	set = ioctl(device, VCPC_IOC_SET_CREATE, &create);
	ret = set < 0 || ioctl(set, VCPC_IOC_BIND, &bind) ? -errno : set;
	if (ret < 0 && set >= 0)
		close(set);
	close(device);
	return ret;
}

/* Return hardware events if the PMU has enough counters, otherwise software events. */
static inline const struct event *events_for(unsigned int nr)
{
	int set = try_set(hardware, nr, 0);

	if (set < 0)
		return software;
	close(set);
	return hardware;
}

static inline int open_set_that_overflows(const struct event *events, unsigned int nr, __u64 far)
{
	int set = try_set(events, nr, far);

	if (set < 0) {
		errno = -set;
		die("a set");
	}
	return set;
}

static inline int open_set(const struct event *events, unsigned int nr)
{
	return open_set_that_overflows(events, nr, 0);
}

/*
 * Open the same events as a perf group with the descriptors @fds[0..@nr-1].  The first descriptor
 * is the leader.
 */
static inline void open_group(const struct event *events, unsigned int nr, int *fds)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.read_format = PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_ENABLED |
			       PERF_FORMAT_TOTAL_TIME_RUNNING,
		.exclude_kernel = 1,
		.exclude_hv = 1,
		.pinned = 1,
	};
	unsigned int i;

	for (i = 0; i < nr; i++) {
		attr.type = events[i].type;
		attr.config = events[i].config;
		fds[i] = syscall(SYS_perf_event_open, &attr, 0, -1, i ? fds[0] : -1, PERF_FLAG_FD_CLOEXEC);
		if (fds[i] < 0)
			die("perf_event_open");
		attr.pinned = 0;
	}
}

static inline void close_group(const int *fds, unsigned int nr)
{
	while (nr)
		close(fds[--nr]);
}

static inline __u64 now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000ULL + ts.tv_nsec;
}

#endif /* BENCH_COUNTERS_H */
