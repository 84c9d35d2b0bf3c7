// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Measure a transaction for each transport that leads to the same BPF code.
 *
 * The reference is the usual method of tracing a program with BPF: probes on two functions, which
 * the program calls at the start and at the end of a transaction.  The functions are either empty,
 * starting with an instruction that the kernel can emulate (the lower bound), or ordinary.  The
 * benchmark compares them with the complete pmtracebegin() and pmtraceend(), including their
 * checks.
 *
 * If the clock counts instructions (arm64 VM), a nanosecond is one instruction.  That favors
 * uprobes, because a trap counts as one instruction there.
 */
#include <errno.h>
#include <pthread.h>
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

#define ROUNDS		7
#define PAIRS		2000	/* per round; more for fast transports */
#define MANY		50000
#define MAX_THREADS	8
#define STEPS		4	/* with 1, 2, 4 and 8 threads */

/* A thread's tag: its name and, for uprobes, its number */
struct tag {
	char name[24];
	uint64_t hash;
};

typedef void pair_fn(const struct tag *tag);

/* A pair of calls to measure, and how often each thread performs it per round */
struct load {
	pair_fn *pair;
	unsigned int pairs;
	unsigned int steps;	/* number of steps to measure, at most STEPS */
};

/* CPU time per pair in ns, with 1, 2, 4 and 8 threads */
struct costs {
	double ns[STEPS];
};

#define PROBED __attribute__((noipa))

#define ARGUMENTS uint32_t op, uint64_t hash, uint64_t value, const char *name

PROBED void bench_empty_begin(ARGUMENTS);
PROBED void bench_empty_end(ARGUMENTS);
PROBED int bench_begin(ARGUMENTS);
PROBED int bench_end(ARGUMENTS);

/* An empty function that starts with an instruction that every kernel can emulate */
void bench_empty_begin(ARGUMENTS)
{
	__asm__ volatile("nop" : : "r"(op), "r"(hash), "r"(value), "r"(name));
}

void bench_empty_end(ARGUMENTS)
{
	__asm__ volatile("nop; nop" : : "r"(op), "r"(hash), "r"(value), "r"(name));
}

/* An ordinary function with a frame */
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

static void pair_of_empty(const struct tag *tag)
{
	bench_empty_begin(VCPC_TRACE_BEGIN, tag->hash, 0, tag->name);
	bench_empty_end(VCPC_TRACE_END, tag->hash, 0, tag->name);
}

static void pair_of_ordinary(const struct tag *tag)
{
	bench_begin(VCPC_TRACE_BEGIN, tag->hash, 0, tag->name);
	bench_end(VCPC_TRACE_END, tag->hash, 0, tag->name);
}

static void pair_of_calls(const struct tag *tag)
{
	pmtracebegin(tag->name);
	pmtraceend(tag->name);
}

/* Return the CPU time of all threads of this process, in ns. */
static double cpu_time(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
	return ts.tv_sec * 1e9 + ts.tv_nsec;
}

static struct tag tags[MAX_THREADS];

/* Threads that perform each round at the same time */
struct team {
	const struct load *load;
	pthread_barrier_t barrier;
	double best;		/* best round of the first thread, per call */
};

struct member {
	pthread_t thread;
	struct team *team;
	const struct tag *tag;
};

static void *run(void *arg)
{
	const struct member *m = arg;
	struct team *team = m->team;

	for (int round = 0; round < ROUNDS; round++) {
		double start, spent;

		pthread_barrier_wait(&team->barrier);
		start = cpu_time();
		/* Start the clock between two barriers, while no thread works. */
		pthread_barrier_wait(&team->barrier);
		for (unsigned int i = 0; i < team->load->pairs; i++)
			team->load->pair(m->tag);
		pthread_barrier_wait(&team->barrier);
		spent = cpu_time() - start;
		if (m->tag == tags && (!round || spent < team->best))
			team->best = spent;
	}
	return NULL;
}

/*
 * Measure the minimum of several rounds.  If @n is 1, the process has no other thread, and the
 * kernel needs 40 fewer instructions to look up a descriptor.
 */
static int cost_of_threads(const struct load *load, unsigned int n, double *ns)
{
	struct team team = { .load = load };
	unsigned int started;
	struct member members[MAX_THREADS];
	int err = 0;

	pthread_barrier_init(&team.barrier, NULL, n);
	members[0] = (struct member) { .team = &team, .tag = &tags[0] };
	if (n == 1)
		run(&members[0]);
	for (started = 0; n > 1 && started < n && !err; started++) {
		members[started] = (struct member) { .team = &team, .tag = &tags[started] };
		err = pthread_create(&members[started].thread, NULL, run, &members[started]);
	}
	/* Exit, because the other threads would wait forever. */
	if (err)
		return -err;
	for (unsigned int i = 0; i < started; i++)
		pthread_join(members[i].thread, NULL);
	pthread_barrier_destroy(&team.barrier);
	*ns = team.best / (n * (double)load->pairs);
	return 0;
}

/* Return the number of pairs that cost() performs. */
static uint64_t pairs_of(const struct load *load)
{
	return (uint64_t)load->pairs * ROUNDS * ((1u << load->steps) - 1);
}

static int cost(const struct load *load, struct costs *costs)
{
	int err = 0;

	*costs = (struct costs) { { 0 } };
	for (unsigned int step = 0; step < load->steps && !err; step++)
		err = cost_of_threads(load, 1u << step, &costs->ns[step]);
	return err;
}

static int fail(const char *what, int err)
{
	printf("trace_vs_uprobe: %s: %s\n", what, strerror(-err));
	return 1;
}

/* Check that the probes saw every pair. Tags are numbered in order of appearance. */
static uint64_t seen_by_uprobe(struct vc_uprobe *skel)
{
	struct vc_stat cpus[libbpf_num_possible_cpus()];
	uint64_t n = 0;

	for (uint32_t tag = 1; tag <= MAX_THREADS; tag++) {
		struct vc_stat_key key = { .tag = tag, .kind = VC_TRANSACT };

		if (bpf_map_lookup_elem(bpf_map__fd(skel->maps.vc_stat), &key, cpus))
			continue;
		for (size_t i = 0; i < sizeof(cpus) / sizeof(cpus[0]); i++)
			n += cpus[i].count;
	}
	return n;
}

static int attach(struct bpf_program *prog, const char *function, struct bpf_link **link)
{
	LIBBPF_OPTS(bpf_uprobe_opts, opts, .func_name = function);

	*link = bpf_program__attach_uprobe_opts(prog, getpid(), "/proc/self/exe", 0, &opts);
	return *link ? 0 : -errno;
}

/* Return 0, or 1 after printing a message. */
static int measure_uprobe(const char *begin, const char *end, pair_fn *pair, struct costs *costs)
{
	const struct load load = { pair, PAIRS, STEPS };
	struct vc_uprobe *skel = vc_uprobe__open();
	int err = skel ? 0 : -errno;

	if (!err) {
		skel->rodata->vc_want_begins = 1;
		bpf_map__set_autocreate(skel->maps.vc_process, false);
		err = vc_uprobe__load(skel);
	}
	if (!err)
		err = attach(skel->progs.vc_user_begin, begin, &skel->links.vc_user_begin);
	if (!err)
		err = attach(skel->progs.vc_user_any, end, &skel->links.vc_user_any);
	if (!err)
		err = cost(&load, costs);
	if (err)
		return fail("cannot measure uprobes", err);
	if (seen_by_uprobe(skel) != pairs_of(&load)) {
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
		count += shim_trace_stat_at(trace, i)->count;
	shim_trace_close(trace);
	return count;
}

/* One of our transports */
struct way {
	const char *what;
	const char *env;	/* value of SHIM_TRACE */
	struct shim_trace_options options;
	unsigned int pairs;
	unsigned int steps;
	int off;		/* not attached */
	int no_way;		/* tracing is disabled in the library */
};

/* Make the first call, which is not measured. */
static int start_calls(const struct way *way)
{
	for (int i = 0; i < MAX_THREADS; i++) {
		int err = pmtracebegin(tags[i].name);

		if (err && !way->no_way)
			return err;
		pmtraceabort(tags[i].name);
	}
	return 0;
}

static int measure_way(const struct way *way, struct costs *costs)
{
	const struct load load = { pair_of_calls, way->pairs, way->steps };
	int err = way->off ? 0 : shim_trace_on(&way->options);
	int ret = 0;

	if (err)
		return fail("cannot turn tracing on", err);
	setenv("SHIM_TRACE", way->env, 1);
	err = start_calls(way);
	if (!err)
		err = cost(&load, costs);
	if (err)
		ret = fail(way->what, err);
	if (!ret && !way->off && seen_by_us() != pairs_of(&load)) {
		printf("trace_vs_uprobe: %s: %llu pairs were seen\n", way->what,
		       (unsigned long long)seen_by_us());
		ret = 1;
	}
	if (!way->off)
		shim_trace_off();
	return ret;
}

/* Measure each transport in a child, because a process uses only one. */
static int in_child(const struct way *way, struct costs *costs)
{
	int status = 1;
	pid_t pid = fork();

	if (!pid) {
		status = measure_way(way, costs);
		fflush(stdout);
		_exit(status);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid || status)
		return 1;
	return 0;
}

#define OPTIONS(flag, ring, direct) { \
	.size = sizeof(struct shim_trace_options), .flags = (flag), .ring_bytes = (ring), \
	.direct_slots = (direct) }

#define MODULE	SHIM_TRACE_F_MODULE
#define PROBES	SHIM_TRACE_F_PROBES
#define BEGINS	SHIM_TRACE_F_BEGINS
#define USER	SHIM_TRACE_F_USER_BEGINS
#define PROCESSES	SHIM_TRACE_F_PROCESSES

static const struct way ways[] = {
	{ "pmtracebegin + pmtraceend, to nowhere", "none", OPTIONS(0, 0, 0), MANY, STEPS, 1, 1 },
	{ "... to the module, tracing off", "kernel", OPTIONS(0, 0, 0), MANY, STEPS, 1, 0 },
	{ "... to the module, into BPF", "kernel", OPTIONS(MODULE, 0, 0), PAIRS, STEPS, 0, 0 },
	/* More threads would fill the ring. */
	{ "... and the event into the ring", "kernel", OPTIONS(MODULE, 1 << 24, 0), PAIRS, 1, 0, 0 },
	{ "... to the module, begins by user", "kernel", OPTIONS(MODULE | USER, 0, 0), PAIRS, STEPS,
	  0, 0 },
	{ "... to the module, by process, too", "kernel", OPTIONS(MODULE | PROCESSES, 0, 0), PAIRS,
	  STEPS, 0, 0 },
	{ "... by a probe on libshim, tracing off", "probe", OPTIONS(0, 0, 0), MANY, STEPS, 1, 0 },
	{ "... by a probe on libshim, into BPF", "probe", OPTIONS(PROBES, 0, 0), PAIRS, STEPS, 0, 0 },
	{ "... by probes on libshim, begins, too", "probe", OPTIONS(PROBES | BEGINS, 0, 0), PAIRS,
	  STEPS, 0, 0 },
	{ "... direct, into a map of BPF's", "direct", OPTIONS(0, 0, 64), MANY, STEPS, 0, 0 },
};

static void print(const char *what, const struct costs *costs, const struct costs *peer)
{
	printf("  %-42s", what);
	for (int step = 0; step < STEPS && costs->ns[step] > 0; step++)
		printf(" %7.0f %5.3f", costs->ns[step], costs->ns[step] / peer->ns[step]);
	putchar('\n');
	fflush(stdout);
}

/* Each transport is compared with the cheapest pair of uprobes. */
static int measure_peers(struct costs *empty)
{
	struct costs ordinary;

	if (measure_uprobe("bench_empty_begin", "bench_empty_end", pair_of_empty, empty) ||
	    measure_uprobe("bench_begin", "bench_end", pair_of_ordinary, &ordinary))
		return 1;
	printf("%-44s %13s %13s %13s %13s\n", "CPU ns of a transaction (begin + end), / peer",
	       "1 thread", "2 threads", "4 threads", "8 threads");
	print("two uprobes, empty functions (the peer)", empty, empty);
	print("two uprobes, ordinary functions", &ordinary, empty);
	return 0;
}

int main(void)
{
	struct costs *costs = mmap(NULL, sizeof(*costs), PROT_READ | PROT_WRITE,
				   MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	struct costs peer;
	int failed = 0;

	for (int i = 0; i < MAX_THREADS; i++) {
		snprintf(tags[i].name, sizeof(tags[i].name), "a transaction %d", i);
		tags[i].hash = 77 + i;
	}
	if (costs == MAP_FAILED || measure_peers(&peer))
		return 1;
	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
		if (access("/dev/vcpc", F_OK) && !strcmp(ways[i].env, "kernel"))
			continue;
		if (in_child(&ways[i], costs))
			failed = 1;
		else
			print(ways[i].what, costs, &peer);
	}
	return failed;
}
