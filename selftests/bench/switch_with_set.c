// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Measure a context switch between two processes that exchange a byte: without counters, while
 * another process counts, with a set of four counters per process, one of which may overflow, and
 * with a perf group of four counters per process.
 *
 * In the arm64 VM with -icount shift=0 a nanosecond is an instruction.
 */
#include <sys/wait.h>

#include "counters.h"

#define COUNTERS	4
#define ROUNDS		20
#define TURNS		500

#define FAR		(1ULL << 40)

enum counting { NONE, SET, OVERFLOWING, GROUP };

static const struct event *events;

static void count(enum counting counting)
{
	int fds[MAX_COUNTERS];

	if (counting == SET)
		open_set(events, COUNTERS);
	if (counting == OVERFLOWING)
		open_set_that_overflows(events, COUNTERS, FAR);
	if (counting == GROUP)
		open_group(events, COUNTERS, fds);
}

static void hand(int to, int from, unsigned int turns)
{
	char byte = 0;

	while (turns--)
		if (write(to, &byte, 1) != 1 || read(from, &byte, 1) != 1)
			die("pipe");
}

static void answer(int to, int from)
{
	char byte;

	while (read(from, &byte, 1) == 1)
		if (write(to, &byte, 1) != 1)
			die("pipe");
	_exit(0);
}

/* Return the minimum of several rounds in a separate process, whose exit ends its counters. */
static double measure(enum counting counting)
{
	__u64 start, took, least = ~0ULL;
	int there[2], back[2], i;

	if (pipe(there) || pipe(back))
		die("pipe");
	if (!fork()) {
		close(there[1]);
		count(counting);
		answer(back[1], there[0]);
	}
	count(counting);
	close(there[0]);
	hand(there[1], back[0], 10);
	for (i = 0; i < ROUNDS; i++) {
		start = now();
		hand(there[1], back[0], TURNS);
		took = now() - start;
		if (took < least)
			least = took;
	}
	return (double)least / TURNS / 2;
}

static double cost(enum counting counting)
{
	double *result, value;
	int fds[2], status;
	pid_t pid;

	if (pipe(fds))
		die("pipe");
	pid = fork();
	if (!pid) {
		value = measure(counting);
		_exit(write(fds[1], &value, sizeof(value)) != sizeof(value));
	}
	result = &value;
	if (waitpid(pid, &status, 0) != pid || status ||
	    read(fds[0], result, sizeof(*result)) != sizeof(*result))
		die("a measurement");
	close(fds[0]);
	close(fds[1]);
	return value;
}

static void print_row(const char *what, double value, double before, double group)
{
	printf("switch, %s\t%.0f ns\t%+.0f", what, value, value - before);
	if (group)
		printf("\t%.3f of the groups", value / group);
	putchar('\n');
}

int main(void)
{
	double before, beside, beside_overflows, set, overflowing, group;
	struct vcpc_own_args all = { .size = sizeof(all) };
	int fd;

	events = events_for(COUNTERS);
	before = cost(NONE);
	fd = open_set(events, COUNTERS);
	beside = cost(NONE);
	set = cost(SET);
	/* Unbind all sets, because exiting processes may still have the descriptor open. */
	if (ioctl(fd, VCPC_IOC_UNBIND, &all))
		die("UNBIND");
	open_set_that_overflows(events, COUNTERS, FAR);
	beside_overflows = cost(NONE);
	overflowing = cost(OVERFLOWING);
	group = cost(GROUP);
	print_row("nobody counts", before, before, 0);
	print_row("another thread has a set of 4", beside, before, 0);
	print_row("another thread has one that may overflow", beside_overflows, before, 0);
	print_row("both have a set of 4", set, before, group);
	print_row("both have one that may overflow", overflowing, before, group);
	print_row("both have a perf group of 4", group, before, 0);
	return 0;
}
