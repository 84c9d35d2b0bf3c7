// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * How far off multiplexed counts are, under loads of two phases: the module's sets
 * in order and in random order, and perf's events by its own rotation, on the
 * same PMU.
 *
 * All count instructions in user mode, which one phase has many of and the other,
 * spent in the kernel, has few of; one more counter that is never taken off says
 * in the same run what is true.  PAPI's perf component leaves rotation to perf
 * and scales by whole percents; the last column is perf's counts by that
 * arithmetic.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "aix/pmx.h"

#define MS	1000000ULL
#define SETS	4
#define SLOT	10ULL		/* ms */
#define RUN	(2400 * MS)
#define EVENTS	16		/* of perf's, so that they do not fit */

static void die(const char *what, int error)
{
	fprintf(stderr, "multiplex_error: %s: %d\n", what, error);
	exit(1);
}

static unsigned long long cpu_time(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
	return ts.tv_sec * 1000 * MS + ts.tv_nsec;
}

/* Lengths of phases; 0: drawn from 20 to 200 ms; no phases at all if it is too long */
static const struct load {
	const char *name;
	unsigned long long half;
} loads[] = {
	{ "homogeneous", ~0ULL },
	{ "square wave, period K slots", SETS * SLOT * MS / 2 },
	{ "square wave, 1.37 K slots", SETS * SLOT * MS * 137 / 200 },
	{ "phases of 20 to 200 ms", 0 },
};

static void in_user_mode(void)
{
	for (volatile int i = 0; i < 2000; i++)
		;
}

static void in_the_kernel(void)
{
	static char buf[65536];
	static int zero = -1;

	if (zero < 0)
		zero = open("/dev/zero", O_RDONLY | O_CLOEXEC);
	if (read(zero, buf, sizeof(buf)) < 0)
		die("/dev/zero", errno);
}

static void work(const struct load *load, void (*mark)(void *arg), void *arg)
{
	unsigned long long begin = cpu_time(), now = begin, next = begin, marked = begin;
	unsigned int random = 1;
	int phase = 1;

	while (now - begin < RUN) {
		if (now >= next) {
			phase = !phase;
			random = random * 1103515245 + 12345;
			next += load->half == ~0ULL ? RUN : load->half ? load->half :
				(20 + (random >> 16) % 180) * MS;
		}
		(phase ? in_the_kernel : in_user_mode)();
		now = cpu_time();
		if (mark && now - marked >= 4 * MS) {
			mark(arg);
			marked = now;
		}
	}
}

struct errors {
	double mean, worst;
};

static void add(struct errors *e, double value, double truth, int of)
{
	double off = fabs(value / truth - 1);

	e->mean += off / of;
	if (off > e->worst)
		e->worst = off;
}

static void mark(void *stats)
{
	int ret = pmx_stats_mark(stats);

	if (ret)
		die("pmx_stats_mark", ret);
}

static int instructions(const pm_info2_t *info)
{
	for (int i = 0; i < info->maxevents[0]; i++)
		if (!strcmp(info->list_events[0][i].short_name, "PM_INST_CMPL"))
			return info->list_events[0][i].event_id;
	puts("multiplex_error: this PMU counts no instructions");
	exit(0);
}

static struct errors with_sets(const struct load *load, int event, int shuffle)
{
	pm_events_prog_t sets[SETS];
	pm_prog_mx_t prog = { .mode.w = PM_USER | PM_COUNT, .slice_duration = SLOT,
			      .nb_events_prog = SETS, .events_set = sets };
	pmx_options_t options = { .shuffle = shuffle, .seed = 1, .anchor = event };
	struct errors e = { 0, 0 };
	pmx_estimate_t estimate;
	pmx_stats_t *stats;
	pmx_whole_t whole;
	int ret;

	memset(sets, 0xff, sizeof(sets));
	for (int k = 0; k < SETS; k++)
		sets[k][0] = event;
	ret = pmx_set_program_mx(PMX_MYTHREAD, &prog, &options);
	if (!ret)
		ret = pmx_stats_open(PMX_MYTHREAD, &stats);
	if (ret)
		die("pmx_set_program_mx", ret);
	work(load, mark, stats);
	mark(stats);
	pmx_stats_whole(stats, &whole);
	for (int k = 0; k < SETS; k++) {
		pmx_stats_estimate(stats, k, 0, &estimate);
		add(&e, estimate.plain, whole.anchor, SETS);
	}
	pmx_stats_close(stats);
	pm_delete_program_mythread();
	return e;
}

struct reading {
	unsigned long long value, enabled, running;
};

static int open_event(int pinned)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_HARDWARE, .size = sizeof(attr),
		.config = PERF_COUNT_HW_INSTRUCTIONS, .pinned = pinned, .exclude_kernel = 1,
		.exclude_hv = 1,
		.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING,
	};
	int fd = syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0);

	if (fd < 0)
		die("perf_event_open", errno);
	return fd;
}

static struct reading read_event(int fd)
{
	struct reading r = { 0, 0, 0 };

	if (read(fd, &r, sizeof(r)) != sizeof(r))
		die("read", errno);
	return r;
}

static void with_perf(const struct load *load, struct errors *exact, struct errors *percents)
{
	int truth = open_event(1), fds[EVENTS];
	double whole;

	*exact = *percents = (struct errors) { 0, 0 };
	for (int i = 0; i < EVENTS; i++)
		fds[i] = open_event(0);
	work(load, NULL, NULL);
	whole = read_event(truth).value;
	for (int i = 0; i < EVENTS; i++) {
		struct reading r = read_event(fds[i]);
		unsigned long long percent = r.running ? r.enabled * 100 / r.running : 100;

		add(exact, r.running ? (double)r.value * r.enabled / r.running : 0, whole, EVENTS);
		add(percents, (double)(r.value * percent / 100), whole, EVENTS);
		close(fds[i]);
	}
	close(truth);
}

static void print(const struct errors *e)
{
	printf("  %6.2f %% %6.2f %%", e->mean * 100, e->worst * 100);
}

int main(void)
{
	pm_info2_t info;
	int ret = pm_initialize(PM_VERIFIED, &info, NULL, PM_CURRENT);
	int event;

	if (ret)
		die("pm_initialize", ret);
	event = instructions(&info);
	printf("mean and worst error, %d sets of 10 ms, %d of perf's events:\n", SETS, EVENTS);
	printf("%-28s  %-17s  %-17s  %-17s  %s\n", "", "sets in order", "in random order",
	       "perf", "by whole percents");
	for (size_t i = 0; i < sizeof(loads) / sizeof(loads[0]); i++) {
		struct errors in_order = with_sets(&loads[i], event, 0);
		struct errors shuffled = with_sets(&loads[i], event, 1), exact, percents;

		with_perf(&loads[i], &exact, &percents);
		printf("%-28s", loads[i].name);
		print(&in_order);
		print(&shuffled);
		print(&exact);
		print(&percents);
		puts("");
	}
	return 0;
}
