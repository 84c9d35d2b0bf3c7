// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Measure beginning and ending a transaction with counts of four hardware events, both with the
 * module, which samples in the kernel, and with a thread that reads its counters and writes its
 * statistics itself.
 *
 * In the arm64 VM with -icount shift=0 a nanosecond is an instruction.
 */
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <pcp/trace.h>
#include <shim/shim.h>
#include <shim/trace.h>

#define NR	4
#define ROUNDS	20
#define CALLS	1000

static const char *const events[NR] = { "cycles:u", "instructions:u", "cycles:u", "instructions:u" };

static uint64_t now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000ull + ts.tv_nsec;
}

/*
 * Return the minimum of several rounds, because interrupts only add time; negative if a call
 * failed.
 */
static double cost(void)
{
	uint64_t least = UINT64_MAX;

	for (int round = 0; round < ROUNDS; round++) {
		uint64_t start = now();

		for (int i = 0; i < CALLS; i++)
			if (pmtracebegin("measured") || pmtraceend("measured"))
				return -1;
		start = now() - start;
		if (start < least)
			least = start;
	}
	return (double)least / CALLS;
}

/* Return whether all expected transactions have counts. */
static bool all_counted(struct shim_trace *trace, bool counts)
{
	uint64_t counted = 0;
	size_t n = 0;

	if (shim_trace_counts_get(trace, &n))
		return false;
	for (size_t i = 0; i < n; i++)
		counted += shim_trace_count_at(trace, i)->transactions;
	return counted == (counts ? NR * (uint64_t)ROUNDS * CALLS : 0);
}

static int measure(const char *way, bool counts)
{
	struct shim_trace_options options = {
		.size = sizeof(options), .direct_slots = strcmp(way, "direct") ? 0 : 64,
	};
	struct shim_handle *handle;
	struct shim_trace *trace;
	struct shim_set *set;
	double took;

	setenv("SHIM_TRACE", way, 1);
	shim_trace_off();
	if (shim_trace_on(&options) || shim_open(&handle) ||
	    shim_set_create(handle, events, NR, NULL, &set) ||
	    (counts && shim_set_bind(set, 0, SHIM_BIND_TRACE)))
		return 77;
	took = cost();
	if (took < 0 || shim_trace_open(&trace) || !all_counted(trace, counts))
		return 1;
	printf("begin and end, %s, %s\t%.0f ns\n", way, counts ? "with counts of 4" : "without counts",
	       took);
	fflush(stdout);
	shim_trace_close(trace);
	shim_set_destroy(set);
	shim_close(handle);
	return shim_trace_off() != 0;
}

/* Measure each transport in its own process, because a process uses only one. */
static int row(const char *way, bool counts, const char *back_end)
{
	int status = 1;
	pid_t pid = fork();

	if (!pid) {
		if (back_end)
			setenv("SHIM_BACKEND", back_end, 1);
		_exit(measure(way, counts));
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid || !WIFEXITED(status))
		return 1;
	if (WEXITSTATUS(status) == 77) {
		printf("begin and end, %s, %s\tnot measured here\n", way, counts ? "with counts of 4" :
		       "without counts");
		return 0;
	}
	return WEXITSTATUS(status);
}

int main(void)
{
	int access_was = open("/proc/sys/kernel/perf_user_access", O_RDWR), failed = 0;

	if (access_was >= 0 && write(access_was, "1", 1) != 1)
		printf("kernel.perf_user_access cannot be set to 1\n");
	if (!access("/dev/vcpc", F_OK)) {
		failed |= row("kernel", false, NULL);
		failed |= row("kernel", true, "vcpc");
	}
	failed |= row("direct", false, NULL);
	failed |= row("direct", true, "perf");
	return failed;
}
