// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What a transaction costs by each way into the same BPF code.
 *
 * The peer is the usual way to trace a program by BPF: a probe on a function
 * that is called at the begin, and one at the end.  Once on ordinary functions,
 * whose first instruction the kernel steps over, and once on empty ones,
 * which it simulates: less is not possible.  Ours is the whole of
 * pmtracebegin() and pmtraceend(), with their checks.
 *
 * Where the clock counts instructions (arm64 VM) a nanosecond is one.  That
 * flatters the uprobes: a trap counts no more than any other instruction there.
 */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <linux/vcpc.h>
#include <pcp/trace.h>
#include <shim/trace.h>

#include "bpf/trace.h"
#include "uprobe.skel.h"

#define PAIRS	2000
#define ROUNDS	15
#define TAG	"a transaction"
#define SEEN	(PAIRS * ROUNDS + 1)

#define PROBED __attribute__((noipa))

/* What a probed function is called with is what its probe sees. */
#define ARGUMENTS uint32_t op, uint64_t hash, uint64_t value, const char *name

PROBED void bench_empty_begin(ARGUMENTS);
PROBED void bench_empty_end(ARGUMENTS);
PROBED int bench_begin(ARGUMENTS);
PROBED int bench_end(ARGUMENTS);

void bench_empty_begin(ARGUMENTS)
{
	(void)op, (void)hash, (void)value, (void)name;
}

void bench_empty_end(ARGUMENTS)
{
	(void)op, (void)hash, (void)value, (void)name;
	__asm__ volatile("");	/* or it would be the same function */
}

/* Ordinary: it has a frame. */
int bench_begin(ARGUMENTS)
{
	bench_empty_begin(op, hash, value, name);
	return 0;
}

int bench_end(ARGUMENTS)
{
	bench_empty_end(op, hash, value, name);
	return 0;
}

static void pair_of_empty(void)
{
	bench_empty_begin(VCPC_TRACE_BEGIN, 77, 0, TAG);
	bench_empty_end(VCPC_TRACE_END, 77, 0, TAG);
}

static void pair_of_ordinary(void)
{
	bench_begin(VCPC_TRACE_BEGIN, 77, 0, TAG);
	bench_end(VCPC_TRACE_END, 77, 0, TAG);
}

static void pair_of_calls(void)
{
	pmtracebegin(TAG);
	pmtraceend(TAG);
}

static double now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1e9 + ts.tv_nsec;
}

/* The best of some rounds: nothing came in between. */
static double cost(void (*pair)(void))
{
	double best = 0;

	pair();
	for (int round = 0; round < ROUNDS; round++) {
		double start = now(), spent;

		for (int i = 0; i < PAIRS; i++)
			pair();
		spent = (now() - start) / PAIRS;
		if (!round || spent < best)
			best = spent;
	}
	return best;
}

static int fail(const char *what, int err)
{
	printf("trace_vs_uprobe: %s: %s\n", what, strerror(-err));
	return 1;
}

/* Did the probes really see every pair? */
static uint64_t seen_by_uprobe(struct vc_uprobe *skel)
{
	struct vc_stat cpus[libbpf_num_possible_cpus()];
	struct vc_stat_key key = { .tag = 1, .kind = VC_TRANSACT };
	uint64_t n = 0;

	if (bpf_map_lookup_elem(bpf_map__fd(skel->maps.vc_stat), &key, cpus))
		return 0;
	for (size_t i = 0; i < sizeof(cpus) / sizeof(cpus[0]); i++)
		n += cpus[i].count;
	return n;
}

static int attach(struct bpf_program *prog, const char *function, struct bpf_link **link)
{
	LIBBPF_OPTS(bpf_uprobe_opts, opts, .func_name = function);

	*link = bpf_program__attach_uprobe_opts(prog, getpid(), "/proc/self/exe", 0, &opts);
	return *link ? 0 : -errno;
}

/* 0, or 1 after a message */
static int measure_uprobe(const char *begin, const char *end, void (*pair)(void), double *result)
{
	struct vc_uprobe *skel = vc_uprobe__open();
	int err = skel ? 0 : -errno;

	if (!err) {
		skel->rodata->vc_want_begins = 1;
		err = vc_uprobe__load(skel);
	}
	if (!err)
		err = attach(skel->progs.vc_user_begin, begin, &skel->links.vc_user_begin);
	if (!err)
		err = attach(skel->progs.vc_user_any, end, &skel->links.vc_user_any);
	if (err)
		return fail("cannot attach the uprobes", err);
	*result = cost(pair);
	if (seen_by_uprobe(skel) != SEEN) {
		printf("trace_vs_uprobe: the uprobes saw %llu pairs\n",
		       (unsigned long long)seen_by_uprobe(skel));
		err = 1;
	}
	vc_uprobe__destroy(skel);
	return err;
}

static uint64_t seen_by_us(void)
{
	struct shim_trace *trace;
	uint64_t count = 0;
	size_t n = 0;

	if (shim_trace_open(&trace))
		return 0;
	shim_trace_stats_get(trace, &n);
	for (size_t i = 0; i < n; i++)
		if (!strcmp(shim_trace_stat_at(trace, i)->name, TAG))
			count = shim_trace_stat_at(trace, i)->count;
	shim_trace_close(trace);
	return count;
}

/* One way of ours */
struct way {
	const char *what;
	const char *env;	/* SHIM_TRACE */
	int off;		/* nobody listens */
	struct shim_trace_options options;
};

static int measure_way(const struct way *way, double *result)
{
	int err = way->off ? 0 : shim_trace_on(&way->options);
	int ret = 0;

	if (err)
		return fail("cannot turn tracing on", err);
	setenv("SHIM_TRACE", way->env, 1);
	err = pmtracebegin(TAG);
	if (err && strcmp(way->env, "none"))
		ret = fail(way->what, err);
	pmtraceabort(TAG);
	if (!ret)
		*result = cost(pair_of_calls);
	if (!ret && !way->off && seen_by_us() != SEEN) {
		printf("trace_vs_uprobe: %s: %llu pairs were seen\n", way->what,
		       (unsigned long long)seen_by_us());
		ret = 1;
	}
	if (!way->off)
		shim_trace_off();
	return ret;
}

/* A process has one way: each is tried in a child. */
static int in_child(const struct way *way, double *result)
{
	int status = 1;
	pid_t pid = fork();

	if (!pid) {
		status = measure_way(way, result);
		fflush(stdout);
		_exit(status);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid || status)
		return 1;
	return 0;
}

#define OPTIONS(flag, ring) { \
	.size = sizeof(struct shim_trace_options), .flags = (flag), .ring_bytes = (ring) }

static const struct way ways[] = {
	{ "pmtracebegin + pmtraceend, to nowhere", "none", 1, OPTIONS(0, 0) },
	{ "... to the module, tracing off", "kernel", 1, OPTIONS(0, 0) },
	{ "... to the module, into BPF", "kernel", 0, OPTIONS(SHIM_TRACE_F_MODULE, 0) },
	{ "... and the event into the ring", "kernel", 0,
	  OPTIONS(SHIM_TRACE_F_MODULE, 1 << 24) },
	{ "... to the module, begins, too", "kernel", 0,
	  OPTIONS(SHIM_TRACE_F_MODULE | SHIM_TRACE_F_BEGINS, 0) },
	{ "... by a probe on libshim, tracing off", "probe", 1, OPTIONS(0, 0) },
	{ "... by a probe on libshim, into BPF", "probe", 0, OPTIONS(SHIM_TRACE_F_PROBES, 0) },
	{ "... by probes on libshim, begins, too", "probe", 0,
	  OPTIONS(SHIM_TRACE_F_PROBES | SHIM_TRACE_F_BEGINS, 0) },
};

static void print(const char *what, double ns, double peer)
{
	printf("  %-48s %8.0f %8.3f\n", what, ns, ns / peer);
}

int main(void)
{
	double *result = mmap(NULL, sizeof(*result), PROT_READ | PROT_WRITE,
			      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	double ordinary = 0, empty = 0;
	int failed;

	failed = measure_uprobe("bench_begin", "bench_end", pair_of_ordinary, &ordinary);
	failed |= measure_uprobe("bench_empty_begin", "bench_empty_end", pair_of_empty, &empty);
	if (failed)
		return 1;
	printf("%-50s %8s %8s\n", "a transaction (begin + end)", "ns", "/ peer");
	print("two uprobes, ordinary functions (the peer)", ordinary, ordinary);
	print("two uprobes, empty functions", empty, ordinary);
	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
		if (access("/dev/vcpc", F_OK) && !strcmp(ways[i].env, "kernel"))
			continue;
		if (in_child(&ways[i], result))
			failed = 1;
		else
			print(ways[i].what, *result, ordinary);
	}
	return failed;
}
