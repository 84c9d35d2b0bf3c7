// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What a transaction costs through the module, beside the same BPF code behind uprobes.
 *
 * The module's side is the whole of pmtracebegin() and pmtraceend(), with their
 * checks.  The uprobes' side is the probed function and nothing else, once an
 * ordinary one, whose first instruction the kernel steps over, and once an
 * empty one, whose only instruction arm64 simulates: less is not possible.
 *
 * Where the clock counts instructions (arm64 VM) a nanosecond is one.  That
 * flatters the uprobes: a trap counts no more than any other instruction there.
 */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <pcp/trace.h>
#include <shim/trace.h>

#include "bpf/trace.h"
#include "uprobe.skel.h"

#define PAIRS	2000
#define ROUNDS	15
#define TAG	"a transaction"

#define PROBED __attribute__((noipa))

/* What a probed function is called with is what its probe sees. */
#define ARGUMENTS uint32_t tag, uint32_t id, uint32_t flags, const char *name

PROBED void bench_empty_begin(ARGUMENTS);
PROBED void bench_empty_end(ARGUMENTS);
PROBED int bench_begin(ARGUMENTS);
PROBED int bench_end(ARGUMENTS);

void bench_empty_begin(ARGUMENTS)
{
	(void)tag, (void)id, (void)flags, (void)name;
}

void bench_empty_end(ARGUMENTS)
{
	(void)tag, (void)id, (void)flags, (void)name;
	__asm__ volatile("");	/* or it would be the same function */
}

/* Ordinary: it has a frame. */
int bench_begin(ARGUMENTS)
{
	bench_empty_begin(tag, id, flags, name);
	return 0;
}

int bench_end(ARGUMENTS)
{
	bench_empty_end(tag, id, flags, name);
	return 0;
}

static void pair_of_empty(void)
{
	bench_empty_begin(1, 77, 0, TAG);
	bench_empty_end(1, 77, 0, TAG);
}

static void pair_of_ordinary(void)
{
	bench_begin(1, 77, 0, TAG);
	bench_end(1, 77, 0, TAG);
}

static void pair_by_module(void)
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

static int measure_uprobe(const char *begin, const char *end, void (*pair)(void), double *result)
{
	struct vc_uprobe *skel = vc_uprobe__open_and_load();
	int err;

	if (!skel)
		return fail("cannot load the uprobe programs", -errno);
	err = attach(skel->progs.vc_user_begin, begin, &skel->links.vc_user_begin);
	if (!err)
		err = attach(skel->progs.vc_user_end, end, &skel->links.vc_user_end);
	if (err)
		fail("cannot attach the uprobes", err);
	else
		*result = cost(pair);
	if (!err && seen_by_uprobe(skel) != PAIRS * ROUNDS + 1) {
		printf("trace_vs_uprobe: the uprobes saw %llu pairs\n",
		       (unsigned long long)seen_by_uprobe(skel));
		err = 1;
	}
	vc_uprobe__destroy(skel);
	return err ? 1 : 0;
}

static uint64_t seen_by_module(void)
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

static int measure_module(double *off, double *on)
{
	uint64_t seen;
	int err = pmtracebegin(TAG);

	if (err)
		return fail("no module", err);
	pmtraceend(TAG);
	*off = cost(pair_by_module);
	err = shim_trace_on(NULL);
	if (err)
		return fail("cannot turn tracing on", err);
	*on = cost(pair_by_module);
	seen = seen_by_module();
	shim_trace_off();
	if (seen == PAIRS * ROUNDS + 1)
		return 0;
	printf("trace_vs_uprobe: the module's programs saw %llu pairs\n", (unsigned long long)seen);
	return 1;
}

int main(void)
{
	double silent, off = 0, on = 0, ordinary = 0, empty = 0;
	int module_failed;

	pmtracestate(PMTRACE_STATE_NOAGENT);
	silent = cost(pair_by_module);
	pmtracestate(PMTRACE_STATE_NONE);
	module_failed = measure_module(&off, &on);
	if (measure_uprobe("bench_begin", "bench_end", pair_of_ordinary, &ordinary) ||
	    measure_uprobe("bench_empty_begin", "bench_empty_end", pair_of_empty, &empty))
		return 1;
	printf("a transaction (begin + end)                              ns   / module\n");
	printf("  pmtracebegin + pmtraceend, PMTRACE_STATE_NOAGENT %8.0f\n", silent);
	if (module_failed)
		on = 0;
	else
		printf("  ... through the module, tracing off              %8.0f\n"
		       "  ... through the module into BPF                  %8.0f       1.00\n", off, on);
	printf("  uprobes into the same BPF, ordinary functions    %8.0f %10.2f\n", ordinary,
	       on ? ordinary / on : 0);
	printf("  uprobes into the same BPF, empty functions       %8.0f %10.2f\n", empty,
	       on ? empty / on : 0);
	return module_failed;
}
