// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What one sample of four counters costs: SAMPLE and read() of a set, and
 * read() of a perf group of four.
 *
 * In the arm64 VM with -icount shift=0 a nanosecond is an instruction.
 */
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

#define COUNTERS	4
#define ROUNDS		20
#define CALLS		1000

struct event {
	__u32 type;
	__u64 config;
};

/* Where there is no PMU, software events stand in; the proportion still tells. */
static const struct event hardware[COUNTERS] = {
	{ PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES },
	{ PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS },
	{ PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES },
	{ PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS },
};
static const struct event software[COUNTERS] = {
	{ PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS },
	{ PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES },
	{ PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_MIGRATIONS },
	{ PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK },
};

struct bench {
	int device, set, group;
	struct vcpc_sample_args args;
	union {
		struct vcpc_sample sample;
		__u64 words[5 + COUNTERS];
	} room;
	__u64 group_words[3 + COUNTERS];
};

static void die(const char *what)
{
	fprintf(stderr, "sample_vs_group: %s: %s\n", what, strerror(errno));
	exit(1);
}

static void open_set(struct bench *b, const struct event *events)
{
	struct vcpc_request requests[COUNTERS] = { 0 };
	struct vcpc_set_create_args create = {
		.size = sizeof(create),
		.nr_requests = COUNTERS,
		.request_size = sizeof(requests[0]),
		.requests = (__u64)(unsigned long)requests,
	};
	struct vcpc_bind_args bind = { .size = sizeof(bind) };
	int i;

	for (i = 0; i < COUNTERS; i++) {
		requests[i].type = events[i].type;
		requests[i].config = events[i].config;
		requests[i].flags = VCPC_REQ_F_USER;
	}
	b->device = open("/dev/vcpc", O_RDWR | O_CLOEXEC);
	if (b->device < 0)
		die("/dev/vcpc");
	b->set = ioctl(b->device, VCPC_IOC_SET_CREATE, &create);
	if (b->set < 0)
		die("SET_CREATE");
	if (ioctl(b->set, VCPC_IOC_BIND, &bind))
		die("BIND");
	b->args.size = sizeof(b->args);
	b->args.buf = (__u64)(unsigned long)&b->room;
	b->args.buf_size = sizeof(b->room);
}

static void open_group(struct bench *b, const struct event *events)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.read_format = PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_ENABLED |
			       PERF_FORMAT_TOTAL_TIME_RUNNING,
		.exclude_kernel = 1,
		.exclude_hv = 1,
		.pinned = 1,
	};
	int i, fd;

	b->group = -1;
	for (i = 0; i < COUNTERS; i++) {
		attr.type = events[i].type;
		attr.config = events[i].config;
		fd = syscall(SYS_perf_event_open, &attr, 0, -1, b->group, 0);
		if (fd < 0)
			die("perf_event_open");
		if (!i)
			b->group = fd;
		attr.pinned = 0;
	}
}

static void nothing(struct bench *b)
{
	if (ioctl(b->set, _IO(VCPC_IOC_TYPE, 0xff)) == 0)
		die("an unknown ioctl");
}

static void sample_ioctl(struct bench *b)
{
	if (ioctl(b->set, VCPC_IOC_SAMPLE, &b->args))
		die("SAMPLE");
}

static void sample_read(struct bench *b)
{
	if (read(b->set, &b->room, sizeof(b->room)) != sizeof(b->room))
		die("read of the set");
}

static void group_read(struct bench *b)
{
	if (read(b->group, b->group_words, sizeof(b->group_words)) != sizeof(b->group_words))
		die("read of the group");
}

static __u64 now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000ULL + ts.tv_nsec;
}

/* The least of some rounds, because interrupts only ever add. */
static double cost(struct bench *b, void (*call)(struct bench *b))
{
	__u64 start, took, least = ~0ULL;
	int round, i;

	for (round = 0; round < ROUNDS; round++) {
		start = now();
		for (i = 0; i < CALLS; i++)
			call(b);
		took = now() - start;
		if (took < least)
			least = took;
	}
	return (double)least / CALLS;
}

int main(void)
{
	struct vcpc_info_args info = { .size = sizeof(info) };
	const struct event *events = software;
	struct bench b = { 0 };
	double null, by_ioctl, by_read, by_group;

	b.device = open("/dev/vcpc", O_RDWR | O_CLOEXEC);
	if (b.device < 0 || ioctl(b.device, VCPC_IOC_INFO, &info))
		die("/dev/vcpc");
	close(b.device);
	if (info.hw_slots >= COUNTERS)
		events = hardware;

	/* One after the other: the PMU need not have room for both. */
	open_set(&b, events);
	null = cost(&b, nothing);
	by_ioctl = cost(&b, sample_ioctl);
	by_read = cost(&b, sample_read);
	close(b.set);
	open_group(&b, events);
	by_group = cost(&b, group_read);

	printf("events\t%s\n", events == hardware ? "hardware" : "software");
	printf("ioctl that does nothing\t%.0f ns\n", null);
	printf("SAMPLE of 4\t%.0f ns\t%.3f of the group\n", by_ioctl, by_ioctl / by_group);
	printf("read() of a set of 4\t%.0f ns\t%.3f of the group\n", by_read, by_read / by_group);
	printf("read() of a perf group of 4\t%.0f ns\n", by_group);
	return 0;
}
