// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Make trace calls of all kinds, and print their results.  The program is built with libshim and
 * with PCP's own library.
 *
 * usage: trace_calls sync|async|burst|rate-sync|rate-async TAG [N [THREADS]]
 *
 * PCP's asynchronous calls return a number of bytes on success; this program prints 0 instead.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <pcp/trace.h>

#define MAX_THREADS 8

static void show(const char *call, const char *tag, int result)
{
	printf("%s %.20s %d\n", call, tag ? tag : "NULL", result > 0 ? 0 : result);
}

#define SHOW(call, tag) show(#call, tag, pmtrace##call(tag))
#define SHOW_VALUE(call, tag, value) show(#call, tag, pmtrace##call(tag, value))

static void mistakes(void)
{
	char longest[300];

	memset(longest, 'x', sizeof(longest));
	longest[255] = '\0';
	SHOW(end, "never begun");
	SHOW(abort, "never begun");
	SHOW(begin, NULL);
	SHOW(begin, "");
	SHOW(point, longest);
	SHOW_VALUE(obs, longest, 1);
	SHOW_VALUE(counter, "", 1);
}

static void calls(const char *tag)
{
	SHOW(begin, tag);
	SHOW(begin, tag);
	SHOW(end, tag);
	SHOW(end, tag);
	SHOW(abort, tag);
	SHOW(begin, tag);
	SHOW(abort, tag);
	SHOW(abort, tag);
	SHOW(begin, "another");
	SHOW(begin, tag);
	SHOW(end, "another");
	SHOW(end, tag);
	for (int i = 0; i < 3; i++)
		SHOW(point, tag);
	SHOW_VALUE(obs, tag, -7e300);
	SHOW_VALUE(obs, "with blanks, and \xc3\xa4", 0.1);
	SHOW_VALUE(counter, tag, 12345678.5);
}

/* Make calls as fast as possible, and exit at once. */
static void burst(const char *tag, int n)
{
	int accepted = 0;

	pmtracestate(PMTRACE_STATE_ASYNC);
	for (int i = 0; i < n; i++)
		accepted += pmtracepoint(tag) >= 0;
	printf("%d\n", accepted);
	fflush(stdout);
	_exit(0);
}

struct pairs {
	pthread_t thread;
	char tag[64];
	int n;
	int bad;
};

static void *make_pairs(void *arg)
{
	struct pairs *pairs = arg;

	for (int i = 0; i < pairs->n; i++)
		pairs->bad += pmtracebegin(pairs->tag) < 0 || pmtraceend(pairs->tag) < 0;
	return NULL;
}

/* Measure nanoseconds per pair of begin and end, for one or several threads with @n pairs each. */
static void rate(int async, const char *tag, int n, int threads)
{
	struct pairs pairs[MAX_THREADS];
	struct timespec start, stop;
	int bad = 0;

	pmtracestate(async ? PMTRACE_STATE_ASYNC : 0);
	for (int i = 0; i < threads; i++) {
		pairs[i] = (struct pairs) { .n = 1 };
		snprintf(pairs[i].tag, sizeof(pairs[i].tag), "%.40s %d", tag, i);
		make_pairs(&pairs[i]);
		bad += pairs[i].bad;
		pairs[i].bad = 0;
		pairs[i].n = n;
	}
	clock_gettime(CLOCK_MONOTONIC, &start);
	for (int i = 1; i < threads; i++)
		if (pthread_create(&pairs[i].thread, NULL, make_pairs, &pairs[i]))
			exit(1);
	make_pairs(&pairs[0]);
	for (int i = 1; i < threads; i++)
		pthread_join(pairs[i].thread, NULL);
	clock_gettime(CLOCK_MONOTONIC, &stop);
	for (int i = 0; i < threads; i++)
		bad += pairs[i].bad;
	printf("%.0f %d\n", ((stop.tv_sec - start.tv_sec) * 1e9 +
			      (stop.tv_nsec - start.tv_nsec)) / n / threads, bad);
}

static int number(int argc, char **argv, int i)
{
	return argc > i ? atoi(argv[i]) : 1;
}

int main(int argc, char **argv)
{
	if (argc < 3)
		return 2;
	if (!strcmp(argv[1], "burst"))
		burst(argv[2], number(argc, argv, 3));
	if (!strncmp(argv[1], "rate-", 5)) {
		int threads = number(argc, argv, 4);

		rate(!strcmp(argv[1], "rate-async"), argv[2], number(argc, argv, 3),
		     threads < 1 || threads > MAX_THREADS ? 1 : threads);
		return 0;
	}
	mistakes();
	if (!strcmp(argv[1], "async"))
		printf("state %d\n", pmtracestate(PMTRACE_STATE_ASYNC));
	calls(argv[2]);
	if (!strcmp(argv[1], "sync"))
		printf("state %d\n", pmtracestate(PMTRACE_STATE_ASYNC));
	printf("state %d\n", pmtracestate(0x4000 | (!strcmp(argv[1], "async") ? 32 : 0)));
	printf("state %d\n", pmtracestate(0));
	fflush(stdout);
	usleep(300000);
	return 0;
}
