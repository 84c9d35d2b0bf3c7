// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Measure the cost, for a compute-bound thread, of switching from one group of four events to
 * another: by the library on perf, by perf itself, and by a helper thread that preempts it,
 * disables one perf group and enables the other.
 *
 * The same work runs with one group and with two multiplexed groups; the extra time is divided by
 * the number of switches.  In the arm64 VM with -icount shift=0 a nanosecond is an instruction.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include "aix/pmapi.h"
#include "known_work.h"

#define EACH	4
#define GROUPS	2
#define SLOT	10000000ULL
#define WORK	1000000000ULL	/* number of loop iterations, each two instructions */

struct exchange {
	const int *fd;
	int ended;
	unsigned long long turns;
};

static void die(const char *what)
{
	fprintf(stderr, "rotation: %s: %s\n", what, strerror(errno));
	exit(1);
}

static unsigned long long now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000ULL + ts.tv_nsec;
}

static unsigned long long work(void)
{
	unsigned long long begin = now();

	spin(WORK);
	return now() - begin;
}

static int event_on(const pm_info2_t *info, int counter, const char *name)
{
	for (int i = 0; i < info->maxevents[counter]; i++)
		if (!strcmp(info->list_events[counter][i].short_name, name))
			return info->list_events[counter][i].event_id;
	return COUNT_NOTHING;
}

/*
 * Run the library on perf through AIX's calls.  Return the time of the work; set @turns to the
 * number of multiplex slots and @sample to the time to read the counts.
 */
static unsigned long long with_library(int groups, unsigned long long *turns,
				       unsigned long long *sample)
{
	pm_prog_mx_t prog = { .mode.w = PM_USER | PM_COUNT, .slice_duration = SLOT / 1000000 };
	pm_events_prog_t sets[GROUPS];
	unsigned long long took;
	pm_data_mx_t data;
	pm_info2_t info;

	if (pm_initialize(PM_VERIFIED, &info, NULL, PM_CURRENT))
		die("pm_initialize");
	for (int k = 0; k < groups; k++)
		for (int c = 0; c < MAX_COUNTERS; c++)
			sets[k][c] = c >= EACH ? COUNT_NOTHING :
				     event_on(&info, c, c & 1 ? "PM_INST_CMPL" : "PM_CYC");
	prog.nb_events_prog = groups;
	prog.events_set = sets;
	/* With only one group, use a slot that does not end during the work. */
	if (groups == 1)
		prog.slice_duration = 30000;
	if (pm_set_program_mythread_mx(&prog))
		die("pm_set_program_mythread_mx");
	took = work();
	*sample = now();
	if (pm_get_data_mythread_mx(&data))
		die("pm_get_data_mythread_mx");
	*sample = now() - *sample;
	*turns = groups > 1 ? (unsigned long long)data.nb_mx_round * groups : 0;
	free(data.accu_set);
	if (pm_delete_program_mythread())
		die("pm_delete_program_mythread");
	return took;
}

/* Open @groups perf groups, and enable all of them or only the first. */
static void open_groups(int *fd, unsigned int groups, int only_first)
{
	int leader = -1;

	for (unsigned int i = 0; i < groups * EACH; i++) {
		struct perf_event_attr attr = {
			.type = PERF_TYPE_HARDWARE,
			.size = sizeof(attr),
			.config = i & 1 ? PERF_COUNT_HW_INSTRUCTIONS : PERF_COUNT_HW_CPU_CYCLES,
			.disabled = only_first && i == EACH,
			.exclude_kernel = 1,
			.exclude_hv = 1,
		};

		fd[i] = syscall(SYS_perf_event_open, &attr, 0, -1, i % EACH ? leader : -1, 0);
		if (fd[i] < 0)
			die("perf_event_open");
		if (i % EACH == 0)
			leader = fd[i];
	}
}

static void close_groups(const int *fd, unsigned int groups)
{
	for (unsigned int i = 0; i < groups * EACH; i++)
		close(fd[i]);
}

/* perf rotates by wall time, so the work is also measured in wall time. */
static unsigned long long with_perf(unsigned int groups)
{
	unsigned long long took;
	int fd[GROUPS * EACH];

	open_groups(fd, groups, 0);
	took = work();
	close_groups(fd, groups);
	return took;
}

/* Preempt the other thread at each slot's end, and switch its groups. */
static void *change_over(void *arg)
{
	struct exchange *exchange = arg;
	struct itimerspec spec = {
		.it_interval.tv_nsec = SLOT, .it_value.tv_nsec = SLOT,
	};
	int timer = timerfd_create(CLOCK_MONOTONIC, 0);
	unsigned long long times;

	if (timer < 0 || timerfd_settime(timer, 0, &spec, NULL))
		die("timer");
	while (!__atomic_load_n(&exchange->ended, __ATOMIC_RELAXED)) {
		unsigned int now = exchange->turns & 1;

		if (read(timer, &times, sizeof(times)) != sizeof(times))
			die("timer");
		if (ioctl(exchange->fd[now * EACH], PERF_EVENT_IOC_DISABLE, 0) ||
		    ioctl(exchange->fd[!now * EACH], PERF_EVENT_IOC_ENABLE, 0))
			die("exchange");
		exchange->turns++;
	}
	close(timer);
	return NULL;
}

static unsigned long long with_exchange(unsigned long long *turns)
{
	int fd[GROUPS * EACH];
	struct exchange exchange = { .fd = fd };
	unsigned long long took;
	pthread_t helper;

	open_groups(fd, GROUPS, 1);
	if (pthread_create(&helper, NULL, change_over, &exchange))
		die("a thread");
	took = work();
	*turns = exchange.turns;
	__atomic_store_n(&exchange.ended, 1, __ATOMIC_RELAXED);
	pthread_join(helper, NULL);
	close_groups(fd, GROUPS);
	return took;
}

static unsigned long long perf_interval(void)
{
	static const char *const paths[] = {
		"/sys/bus/event_source/devices/armv8_pmuv3/perf_event_mux_interval_ms",
		"/sys/bus/event_source/devices/armv8_pmuv3_0/perf_event_mux_interval_ms",
		"/sys/bus/event_source/devices/cpu/perf_event_mux_interval_ms",
	};
	unsigned long long ms = 0;

	for (unsigned int i = 0; i < sizeof(paths) / sizeof(paths[0]) && !ms; i++) {
		FILE *f = fopen(paths[i], "r");

		if (f && fscanf(f, "%llu", &ms) != 1)
			ms = 0;
		if (f)
			fclose(f);
	}
	return ms * 1000000;
}

static void show(const char *who, unsigned long long one, unsigned long long two,
		 unsigned long long turns)
{
	if (!turns) {
		printf("%-34s did not rotate\n", who);
		return;
	}
	printf("%-34s %8lld per switch (%llu switches)\n", who,
	       (long long)(two - one) / (long long)turns, turns);
}

int main(void)
{
	unsigned long long one, two, turns, sample, interval = perf_interval();

	if (syscall(SYS_perf_event_open, &(struct perf_event_attr) {
			.type = PERF_TYPE_HARDWARE, .size = sizeof(struct perf_event_attr),
			.exclude_kernel = 1, .exclude_hv = 1 }, 0, -1, -1, 0) < 0) {
		printf("rotation: there is no PMU\n");
		return 0;
	}
	setenv("SHIM_BACKEND", "perf", 1);
	printf("Two multiplexed groups of four, compared with one:\n");
	one = with_library(1, &turns, &sample);
	two = with_library(GROUPS, &turns, &sample);
	show("the library over perf, 10 ms slots", one, two, turns);
	printf("%-34s %8llu to read the counts\n", "", sample);
	one = with_perf(1);
	two = with_perf(GROUPS);
	show("perf's own multiplexing", one, two, interval ? two / interval : 0);
	one = with_perf(1);
	two = with_exchange(&turns);
	show("perf groups, exchanged by a thread", one, two, turns);
	return 0;
}
