// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Measures the effect of counting on other threads of the same CPU: the wakeup latency of a
 * SCHED_FIFO thread next to a thread with the maximum number of counters of a user without
 * CAP_PERFMON, and the cost of a pair of trace calls while another thread has counts in its
 * transactions.
 *
 * In the arm64 VM with -icount shift=0 a nanosecond is an instruction.
 */
#include <grp.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "counters.h"
#include "known_work.h"

#define WAKES	500
#define PAIRS	2000
#define MOST	31
#define NOBODY	65534

static void on_first_cpu(void)
{
	cpu_set_t cpus;

	CPU_ZERO(&cpus);
	CPU_SET(0, &cpus);
	if (sched_setaffinity(0, sizeof(cpus), &cpus))
		die("sched_setaffinity");
}

static int make_set(unsigned int nr, __u64 config, __u32 flags, __u32 bind_flags)
{
	struct vcpc_request requests[MOST] = { 0 };
	struct vcpc_set_create_args create = {
		.size = sizeof(create), .nr_requests = nr, .request_size = sizeof(requests[0]),
		.requests = (__u64)(unsigned long)requests,
	};
	struct vcpc_bind_args bind = { .size = sizeof(bind), .flags = bind_flags };
	int device = open("/dev/vcpc", O_RDWR | O_CLOEXEC), set;
	unsigned int i;

	for (i = 0; i < nr; i++) {
		requests[i].type = PERF_TYPE_SOFTWARE;
		requests[i].config = config;
		requests[i].flags = VCPC_REQ_F_USER | flags;
	}
	set = ioctl(device, VCPC_IOC_SET_CREATE, &create);
	if (set < 0 || ioctl(set, VCPC_IOC_BIND, &bind))
		die("a set");
	return set;
}

/* The kinds of neighbor */
static const struct neighbor {
	const char *text;
	unsigned int nr;
	__u64 config;
	__u32 flags;
} neighbors[] = {
	{ "no set", 0, 0, 0 },
	{ "31 page-faults", 31, PERF_COUNT_SW_PAGE_FAULTS, 0 },
	{ "31 cpu-clock", 31, PERF_COUNT_SW_CPU_CLOCK, 0 },
	{ "31 page-faults that may overflow", 31, PERF_COUNT_SW_PAGE_FAULTS, VCPC_REQ_F_OVERFLOW },
	/* Each of them is charged as eight for max_thread_counters. */
	{ "3 cpu-clock that may overflow", 3, PERF_COUNT_SW_CPU_CLOCK, VCPC_REQ_F_OVERFLOW },
};

static void be_neighbor(const struct neighbor *n, int ready)
{
	if (prctl(PR_SET_PDEATHSIG, SIGKILL) || setgroups(0, NULL) ||
	    setresgid(NOBODY, NOBODY, NOBODY) || setresuid(NOBODY, NOBODY, NOBODY))
		die("a user");
	if (n->nr)
		make_set(n->nr, n->config, n->flags, 0);
	if (write(ready, "", 1) != 1)
		die("a pipe");
	for (;;)
		spin(1000000);
}

/* The average delay after the requested time */
static double lateness(void)
{
	__u64 sum = 0, due;
	int i;

	for (i = 0; i < WAKES; i++) {
		struct timespec at;

		due = now() + 1000000;
		at.tv_sec = due / 1000000000ULL;
		at.tv_nsec = due % 1000000000ULL;
		clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL);
		sum += now() - due;
	}
	return (double)sum / WAKES;
}

static double beside(const struct neighbor *n)
{
	int ends[2];
	char byte;
	double late;
	pid_t pid;

	if (pipe(ends))
		die("a pipe");
	pid = fork();
	if (!pid)
		be_neighbor(n, ends[1]);
	close(ends[1]);
	if (read(ends[0], &byte, 1) != 1)
		die("a neighbor");
	late = lateness();
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	close(ends[0]);
	return late;
}

static double pair(int device, __u32 handle)
{
	struct vcpc_trace_write begin = { .op = VCPC_TRACE_BEGIN, .handle = handle };
	struct vcpc_trace_write end = { .op = VCPC_TRACE_END, .handle = handle };
	__u64 since = now();
	int i;

	for (i = 0; i < PAIRS; i++)
		if (write(device, &begin, sizeof(begin)) < 0 || write(device, &end, sizeof(end)) < 0)
			die("write");
	return (double)(now() - since) / PAIRS;
}

static void pairs(void)
{
	struct vcpc_trace_tag_args tag = {
		.size = sizeof(tag), .name = (__u64)(unsigned long)"bench", .name_len = 5,
	};
	int device = open("/dev/vcpc", O_RDWR | O_CLOEXEC), ends[2];
	double alone;
	char byte;
	pid_t pid;

	if (device < 0 || ioctl(device, VCPC_IOC_TRACE_TAG, &tag) || pipe(ends))
		die("a tag");
	pair(device, tag.handle);
	alone = pair(device, tag.handle);
	pid = fork();
	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		make_set(4, PERF_COUNT_SW_PAGE_FAULTS, 0, VCPC_BIND_F_TRACE);
		if (write(ends[1], "", 1) == 1)
			pause();
		_exit(1);
	}
	if (read(ends[0], &byte, 1) != 1)
		die("a neighbor");
	printf("%-62s %10.0f\n", "a pair of trace calls", alone);
	printf("%-62s %10.0f\n", "  while another thread has counts in its own", pair(device, tag.handle));
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	close(device);
}

int main(void)
{
	struct sched_param fifo = { .sched_priority = 10 };
	unsigned int i;

	if (chmod("/dev/vcpc", 0666))
		die("/dev/vcpc");
	on_first_cpu();
	pairs();
	for (i = 0; i < sizeof(neighbors) / sizeof(neighbors[0]); i++) {
		char text[96];

		/* Children, such as the neighbor, do not inherit this. */
		if (sched_setscheduler(0, SCHED_FIFO | SCHED_RESET_ON_FORK, &fifo))
			die("SCHED_FIFO");
		snprintf(text, sizeof(text), "SCHED_FIFO wakes up late beside %s", neighbors[i].text);
		printf("%-62s %10.0f\n", text, beside(&neighbors[i]));
		fflush(stdout);
	}
	return 0;
}
