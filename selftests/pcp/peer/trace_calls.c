// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Trace calls of all kinds, and what each returned; to be built against libshim
 * and against PCP's own library.
 *
 * usage: trace_calls sync|async|burst|rate-sync|rate-async TAG [N]
 *
 * PCP's asynchronous calls return the number of bytes; here all success is 0.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <pcp/trace.h>

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

/* As fast as can be, and gone */
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

/* Nanoseconds of a begin and an end */
static void rate(int async, const char *tag, int n)
{
	struct timespec start, stop;
	int bad = 0;

	pmtracestate(async ? PMTRACE_STATE_ASYNC : 0);
	bad += pmtracebegin(tag) < 0 || pmtraceend(tag) < 0;
	clock_gettime(CLOCK_MONOTONIC, &start);
	for (int i = 0; i < n; i++)
		bad += pmtracebegin(tag) < 0 || pmtraceend(tag) < 0;
	clock_gettime(CLOCK_MONOTONIC, &stop);
	printf("%.0f %d\n", ((stop.tv_sec - start.tv_sec) * 1e9 +
			      (stop.tv_nsec - start.tv_nsec)) / n, bad);
}

int main(int argc, char **argv)
{
	if (argc < 3)
		return 2;
	if (!strcmp(argv[1], "burst"))
		burst(argv[2], argc > 3 ? atoi(argv[3]) : 1);
	if (!strncmp(argv[1], "rate-", 5)) {
		rate(!strcmp(argv[1], "rate-async"), argv[2], argc > 3 ? atoi(argv[3]) : 1);
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
