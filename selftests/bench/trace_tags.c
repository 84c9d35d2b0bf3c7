// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Measure a transaction in a program with many tags and threads, and how the cost grows. This may
 * take 200 s on a busy machine.
 *
 * usage: trace_tags [TRANSPORT TAGS THREADS [points]]
 *
 * TRANSPORT is a value of SHIM_TRACE; "off" measures probes while none are attached.  With
 * arguments only the nanoseconds are printed, for lttng.sh.
 */
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <pcp/trace.h>
#include <shim/trace.h>

#include "trace_tags.h"

#define CALLS		20000	/* per round; fewer for transports that make system calls */
#define CALLS_KERNEL	4000

static void pair(const char *tag)
{
	pmtracebegin(tag);
	pmtraceend(tag);
}

static void point(const char *tag)
{
	pmtracepoint(tag);
}

/* Turn on the transport's listener, if it has one.  Return 0 or a negative errno. */
static int listen_for(const char *way)
{
	struct shim_trace_options options = { .size = sizeof(options) };

	if (!strcmp(way, "kernel"))
		options.flags = SHIM_TRACE_F_MODULE;
	else if (!strcmp(way, "probe"))
		options.flags = SHIM_TRACE_F_PROBES;
	else if (!strcmp(way, "direct"))
		options.direct_slots = TAGS_THREADS * TAGS_MOST;
	else
		return 0;
	return shim_trace_on(&options);
}

static int measure(const char *way, unsigned int tags, unsigned int threads, bool points, double *ns)
{
	bool off = !strcmp(way, "off"), direct = !strcmp(way, "direct");
	struct tags_load load = {
		.call = points ? point : pair, .tags = tags, .threads = threads, .shared = points,
		.calls = (off || direct ? CALLS : CALLS_KERNEL) / threads,
	};
	int err = listen_for(way);

	if (err) {
		fprintf(stderr, "trace_tags: %s: %s\n", way, strerror(-err));
		return 1;
	}
	setenv("SHIM_TRACE", off ? "probe" : way, 1);
	/* Make enough calls that the first round uses each tag. */
	if (load.calls < 2 * tags / (points ? 1 : threads))
		load.calls = 2 * tags / (points ? 1 : threads);
	*ns = tags_cost(&load);
	if (!off)
		shim_trace_off();
	return 0;
}

/* Measure each transport in a child, because a process uses only one. */
static double in_child(const char *way, unsigned int tags, unsigned int threads, bool points)
{
	double *ns = mmap(NULL, sizeof(*ns), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	int status = 1;
	double got;
	pid_t pid;

	if (ns == MAP_FAILED)
		return -1;
	pid = fork();
	if (!pid)
		_exit(measure(way, tags, threads, points, ns));
	if (pid > 0)
		waitpid(pid, &status, 0);
	got = status ? -1 : *ns;
	munmap(ns, sizeof(*ns));
	return got;
}

static int row(const char *what, const char *way, unsigned int threads, bool points)
{
	static const unsigned int tags[] = { 1, 10, 100, 1000 };
	double ns[4];
	int failed = 0;

	printf("  %-36s %2u", what, threads);
	for (int i = 0; i < 4; i++) {
		ns[i] = in_child(way, tags[i] < threads && !points ? threads : tags[i], threads, points);
		failed |= ns[i] < 0;
		printf(" %7.1f", ns[i]);
	}
	printf("   %5.2f %5.2f\n", ns[2] / ns[1], ns[3] / ns[2]);
	fflush(stdout);
	return failed;
}

static int table(void)
{
	static const unsigned int threads[] = { 1, 4, 16 };
	int failed = 0;

	printf("%-41s %7s %7s %7s %7s   %5s %5s\n", "CPU ns of a begin and an end; threads, tags", "1",
	       "10", "100", "1,000", "x10", "x100");
	for (int i = 0; i < 3; i++)
		failed |= row("direct", "direct", threads[i], false);
	failed |= row("direct, points of the same tags", "direct", 16, true);
	for (int i = 0; i < 3; i += 2)
		failed |= row("nobody listens", "off", threads[i], false);
	for (int i = 0; i < 3 && !access("/dev/vcpc", F_OK); i += 2)
		failed |= row("module, into BPF", "kernel", threads[i], false);
	failed |= row("a probe on libshim, into BPF", "probe", 1, false);
	return failed;
}

int main(int argc, char **argv)
{
	double ns;

	if (argc < 4)
		return table();
	ns = in_child(argv[1], atoi(argv[2]), atoi(argv[3]), argc > 4);
	printf("%.1f\n", ns);
	return ns < 0;
}
