// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What a context switch costs between two processes that hand a byte to and fro: with
 * no counters at all, while somebody else counts, with a set of four each, and with a
 * perf group of four each.
 *
 * In the arm64 VM with -icount shift=0 a nanosecond is an instruction.
 */
#include <sys/wait.h>

#include "counters.h"

#define COUNTERS	4
#define ROUNDS		20
#define TURNS		500

enum counting { NONE, SET, GROUP };

static const struct event *events;

static void count(enum counting counting)
{
	int fds[MAX_COUNTERS];

	if (counting == SET)
		open_set(events, COUNTERS);
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

/* The least of some rounds, in a process of its own, which takes its counters along */
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

int main(void)
{
	double before, beside, set, group;

	events = events_for(COUNTERS);
	before = cost(NONE);
	open_set(events, COUNTERS);
	beside = cost(NONE);
	set = cost(SET);
	group = cost(GROUP);
	printf("switch, nobody counts\t%.0f ns\n", before);
	printf("switch, another thread has a set of %u\t%.0f ns\t%+.0f\n", COUNTERS, beside, beside - before);
	printf("switch, both have a set of %u\t%.0f ns\t%+.0f\t%.3f of the groups\n", COUNTERS, set,
	       set - before, set / group);
	printf("switch, both have a perf group of %u\t%.0f ns\t%+.0f\n", COUNTERS, group, group - before);
	return 0;
}
