// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Measure the overhead of 'vcpc why': the CPU time of beginning and ending a transaction, and of a
 * context switch between two threads, with tracing alone and with a handle of <shim/why.h>.  In a
 * VM with -icount, a nanosecond is an instruction.
 *
 * The threads have a real-time policy, so a woken thread never preempts the other, and each round
 * trip consists of two wakeups and two switches.
 */
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <pcp/trace.h>
#include <pthread.h>
#include <shim/trace.h>
#include <shim/why.h>

#ifndef ROUNDS
#define ROUNDS	2000	/* more outside a VM with -icount */
#endif

#define REPEATS	4

static int ping[2], pong[2];

static double now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return t.tv_sec * 1e9 + t.tv_nsec;
}

static double pairs(void)
{
	double start = 0;

	for (int i = -10; i < ROUNDS; i++) {
		if (!i)
			start = now_ns();
		pmtracebegin("pair");
		pmtraceend("pair");
	}
	return (now_ns() - start) / ROUNDS;
}

static void *answer(void *arg)
{
	char c;

	if (arg)
		pmtracebegin("answers");
	while (read(ping[0], &c, 1) == 1 && c != 'q')
		if (write(pong[1], &c, 1) != 1)
			break;
	if (arg)
		pmtraceend("answers");
	return NULL;
}

/*
 * Return half the time of a round trip between two threads on one CPU, which is one context switch.
 */
static double switches(int inside)
{
	pthread_t thread;
	double start = 0;
	char c = 'c';

	pthread_create(&thread, NULL, answer, inside ? &c : NULL);
	if (inside)
		pmtracebegin("asks");
	for (int i = -10; i < ROUNDS; i++) {
		if (!i)
			start = now_ns();
		if (write(ping[1], &c, 1) != 1 || read(pong[0], &c, 1) != 1)
			break;
	}
	start = (now_ns() - start) / (2 * ROUNDS);
	c = 'q';
	if (write(ping[1], &c, 1) == 1)
		pthread_join(thread, NULL);
	if (inside)
		pmtraceend("asks");
	return start;
}

static void row(const char *what)
{
	printf("%-32s pair %7.0f  switch outside %6.0f  inside %6.0f\n", what, pairs(), switches(0),
	       switches(1));
}

static void with_why(const char *what, uint32_t flags)
{
	struct shim_why_options options = { .size = sizeof(options), .flags = flags };
	struct shim_why *why;
	int err = shim_why_open(&options, &why);

	if (err) {
		printf("%s: %s\n", what, strerror(-err));
		return;
	}
	/*
	 * Wait until the kernel has freed the loader's memory, which costs this process CPU time.
	 */
	usleep(300000);
	row(what);
	shim_why_close(why);
	usleep(300000);
}

static int in_turn(void)
{
	struct sched_param lowest = { .sched_priority = 1 };
	cpu_set_t one;

	CPU_ZERO(&one);
	CPU_SET(0, &one);
	return sched_setaffinity(0, sizeof(one), &one) || sched_setscheduler(0, SCHED_FIFO, &lowest);
}

/* With an argument, measure only the row with that name, while another tool runs. */
int main(int argc, char **argv)
{
	struct shim_trace_options begins = { .size = sizeof(begins), .flags = SHIM_TRACE_F_BEGINS };

	if (in_turn() || pipe(ping) || pipe(pong)) {
		perror("why_cost");
		return 1;
	}
	if (argc > 1) {
		row(argv[1]);
		return 0;
	}
	row("nothing");
	with_why("why, tracing off", 0);
	with_why("why with stacks, tracing off", SHIM_WHY_F_STACKS);
	row("nothing again");
	if (shim_trace_on(&begins))
		return 1;
	/* Repeat the measurement, because the kernel's part of a switch varies by 2 %. */
	for (int i = 0; i < REPEATS; i++) {
		row("trace on --begins");
		with_why("trace on --begins, and why", 0);
	}
	shim_trace_off();
	return 0;
}
