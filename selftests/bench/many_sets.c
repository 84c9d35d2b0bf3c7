// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * With a thousand sets of two requests on one thread, compare creating, binding, sampling and
 * unbinding another set with the same for perf groups, and show how the cost grows. May take 300 s
 * on a busy machine.
 *
 * In the arm64 VM with -icount shift=0 a nanosecond is an instruction.
 */
#include <sys/resource.h>

#include "counters.h"

#define NR	2
#define MOST	1000
#define STEP	20	/* number of calls over which a cost is averaged */

struct costs {
	double open, sample, close;
};

/* Use software events, because a thread can have any number of them. */
static const struct event *const events = software;

static int groups[MOST][NR];
static int sets[MOST];

static void open_one_group(int i)
{
	open_group(events, NR, groups[i]);
}

static void read_one_group(int i)
{
	__u64 values[3 + NR];

	if (read(groups[i][0], values, sizeof(values)) != sizeof(values))
		die("read");
}

static void close_one_group(int i)
{
	close_group(groups[i], NR);
}

static void open_one_set(int i)
{
	sets[i] = open_set(events, NR);
}

static void sample_one_set(int i)
{
	char room[sizeof(struct vcpc_sample) + NR * sizeof(__u64)];
	struct vcpc_sample_args args = {
		.size = sizeof(args), .buf = (__u64)(unsigned long)room, .buf_size = sizeof(room),
	};

	if (ioctl(sets[i], VCPC_IOC_SAMPLE, &args) < 0)
		die("SAMPLE");
}

static void close_one_set(int i)
{
	close(sets[i]);
}

static double mean(void (*one)(int i), int from, int to)
{
	__u64 since = now();

	for (int i = from; i < to; i++)
		one(i);
	return (double)(now() - since) / (to - from);
}

/* Return the costs of another set on a thread that has @n sets. */
static struct costs cost_at(void (*open)(int i), void (*sample)(int i), void (*close)(int i), int n)
{
	struct costs costs;

	costs.open = mean(open, n, n + STEP);
	costs.sample = mean(sample, n, n + STEP);
	costs.close = mean(close, n, n + STEP);
	return costs;
}

static void grow(void (*open)(int i), int from, int to)
{
	for (int i = from; i < to; i++)
		open(i);
}

static void print(const char *what, struct costs c)
{
	printf("  %-28s %12.0f %12.0f %12.0f\n", what, c.open, c.sample, c.close);
	fflush(stdout);
}

static struct costs measure(const char *what, void (*open)(int i), void (*sample)(int i), void (*close)(int i))
{
	static const int steps[] = { 10, 100, MOST - STEP };
	struct costs c[3];
	char text[64];
	int there = 0;

	for (int k = 0; k < 3; k++) {
		grow(open, there, steps[k]);
		there = steps[k];
		c[k] = cost_at(open, sample, close, there);
		snprintf(text, sizeof(text), "%s, beside %d", what, there);
		print(text, c[k]);
	}
	printf("  %-28s %12.1f %12.1f %12.1f\n", "  from 100 on, times", c[2].open / c[1].open,
	       c[2].sample / c[1].sample, c[2].close / c[1].close);
	for (int i = 0; i < there; i++)
		close(i);
	return c[2];
}

/* By default the module permits far fewer counters per thread. */
static void lift_limits(void)
{
	int fd = open("/sys/module/vcpc/parameters/max_thread_counters", O_WRONLY);

	if (fd < 0 || write(fd, "4096", 4) != 4)
		die("max_thread_counters");
	close(fd);
}

int main(void)
{
	const struct rlimit files = { 8192, 8192 };
	struct costs ours, perfs;

	lift_limits();
	if (setrlimit(RLIMIT_NOFILE, &files))
		die("RLIMIT_NOFILE");
	printf("%-30s %12s %12s %12s\n", "one more set of 2 on a thread", "create+bind", "sample", "close");
	ours = measure("sets", open_one_set, sample_one_set, close_one_set);
	perfs = measure("perf's groups", open_one_group, read_one_group, close_one_group);
	printf("  %-28s %12.2f %12.2f %12.2f\n", "set : group, at the end", ours.open / perfs.open,
	       ours.sample / perfs.sample, ours.close / perfs.close);
	return 0;
}
