// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * How far off estimates are: 10 events on 4 counters, under loads whose truth is
 * known to the last event, on the synthetic clock.
 *
 * Compared are the sets in order and the events by time, as the original's users
 * do it; the same in random order; and random order with an anchor, which
 * takes two of the four counters.  Beside them stands what perf's rotation and
 * PAPI's multiplexing would have said of the very same load: they are modelled
 * here, from how they work, as no PMU of a VM has ten events.
 */
#include <math.h>
#include <stdio.h>

#include "aix/pmx.h"
#include "selftests/synthetic/backend_clock.h"
#include "../aix/work.h"

const struct shim_backend_ops *shim_session__backend(void)
{
	return &shim_backend__clock;
}

#define EVENTS	10
#define SLOT	10		/* ms */
#define RUN	6000		/* ms */
#define TRIALS	20

/* By perf's number */
static const char *const events[EVENTS] = {
	"PM_CYC", "PM_INST_CMPL", "PM_CACHE_REFERENCES", "PM_CACHE_MISSES", "PM_BR_CMPL",
	"PM_BR_MPRED", "PM_BUS_CYCLES", "PM_STALLED_CYCLES_FRONTEND",
	"PM_STALLED_CYCLES_BACKEND", "PM_REF_CYCLES",
};

/* A microsecond's in each of two phases */
static const double rates[EVENTS][2] = {
	{ 3000, 2900 }, { 4500, 1200 }, { 40, 150 }, { 2, 60 }, { 900, 250 },
	{ 9, 20 }, { 100, 100 }, { 300, 900 }, { 500, 1700 }, { 2500, 2500 },
};

enum load {
	HOMOGENEOUS,
	IN_STEP,
	OUT_OF_STEP,
	AT_RANDOM,
	LOADS,
};

static const char *const load_names[LOADS] = {
	"homogeneous, +-20 % noise", "square wave, period K slots", "square wave, 1.37 K slots",
	"phases of 20 to 200 ms",
};

static struct {
	enum load load;
	unsigned int seed;
	__u64 begin;
	double period;		/* ns */
	unsigned char phase[RUN + 1000];
	double truth[EVENTS];
} world;

static double unit(__u64 x)
{
	x += 0x9e3779b97f4a7c15ull * (world.seed + 1);
	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ull;
	x = (x ^ x >> 27) * 0x94d049bb133111ebull;
	return ((x ^ x >> 31) >> 11) * 0x1p-53;
}

static int phase_at(double ns)
{
	if (world.load == HOMOGENEOUS)
		return 0;
	if (world.load == AT_RANDOM)
		return world.phase[(int)(ns / MS)];
	return fmod(ns, world.period) >= world.period / 2;
}

/* A millisecond is a little of an event's own and a little of all events' mood. */
static double noise(__u64 ms, int event)
{
	return (0.8 + 0.4 * unit(ms)) * (0.9 + 0.2 * unit(ms * 64 + event + 1));
}

static double count(int event, __u64 from, __u64 to)
{
	double sum = 0;

	while (from < to) {
		/* Pieces of a tenth of a millisecond */
		__u64 end = (from / (MS / 10) + 1) * (MS / 10);

		if (end > to)
			end = to;
		sum += rates[event][phase_at(from)] * noise(from / MS, event) * (end - from) / 1000;
		from = end;
	}
	return sum;
}

static double rate(const struct vcpc_request *req, __u64 from, __u64 to)
{
	return count(req->config, from - world.begin, to - world.begin);
}

static void new_world(enum load load, unsigned int seed, int sets)
{
	int left = 0, phase = 0;

	world.load = load;
	world.seed = seed;
	world.period = sets * SLOT * (double)MS * (load == OUT_OF_STEP ? 1.37 : 1);
	for (int i = 0; i < RUN + 1000; i++) {
		if (!left--) {
			left = 20 + 180 * unit(i * 3 + 7);
			phase = !phase;
		}
		world.phase[i] = phase;
	}
	for (int e = 0; e < EVENTS; e++)
		world.truth[e] = count(e, 0, (__u64)RUN * MS);
	world.begin = shim_clock__now();
	shim_clock__begin(rate, 0);
}

struct way {
	const char *name;
	int sets, each;
	bool shuffle, anchor, best;
	void (*modelled)(double values[EVENTS]);
};

#define PERF_STEP	4	/* ms, of a kernel with 250 ticks a second */
#define PERF_COUNTERS	4

/* Four events at a time; in each step the first goes to the end, and all are scaled at the end. */
static void by_perf(double values[EVENTS])
{
	int running[EVENTS] = { 0 };

	for (int step = 0; step < RUN / PERF_STEP; step++)
		for (int i = 0; i < PERF_COUNTERS; i++) {
			int e = (step + i) % EVENTS;

			values[e] += count(e, step * PERF_STEP * MS, (step + 1) * PERF_STEP * MS);
			running[e] += PERF_STEP;
		}
	for (int e = 0; e < EVENTS; e++)
		values[e] *= (double)RUN / running[e];
}

/* One event at a time with cycles beside it, which say how much of it there was since its last turn */
static void by_papi(double values[EVENTS])
{
	double rate[EVENTS] = { 0 }, since[EVENTS] = { 0 };

	for (int step = 0; step < RUN / SLOT; step++) {
		__u64 from = step * SLOT * MS, to = from + SLOT * MS;
		double cycles = count(0, from, to);
		int now = step % EVENTS;

		for (int e = 0; e < EVENTS; e++)
			since[e] += cycles;
		rate[now] = count(now, from, to) / cycles;
		values[now] += rate[now] * since[now];
		since[now] = 0;
	}
	for (int e = 0; e < EVENTS; e++)
		values[e] += rate[e] * since[e];
}

static const struct way ways[] = {
	{ "in order, by time", 3, 4, false, false, false, NULL },
	{ "random order, by time", 3, 4, true, false, false, NULL },
	{ "random order, anchor", 5, 2, true, true, true, NULL },
	{ "perf", 3, 0, false, false, false, by_perf },
	{ "PAPI, its own", 3, 0, false, false, false, by_papi },
};

#define WAYS	(sizeof(ways) / sizeof(ways[0]))

struct result {
	double sum, worst;
	int n, inside, told;
};

static void set_program(const struct way *way, unsigned int seed)
{
	pm_prog_mx_t prog = program_mx("PM_INST_CMPL", way->sets, SLOT);
	pmx_options_t options = { .shuffle = way->shuffle, .seed = seed, .anchor = COUNT_NOTHING };

	for (int e = 0; e < way->sets * way->each; e++)
		prog.events_set[e / way->each][e % way->each] =
			e < EVENTS ? event_on(0, events[e]) : COUNT_NOTHING;
	if (way->anchor)
		options.anchor = event_on(0, "PM_INST_CMPL");
	prog.mode.b.count = 1;
	if (pmx_set_program_mx(PMX_MYTHREAD, &prog, &options))
		abort();
}

static void judge_value(double value, double truth, struct result *result)
{
	double error = fabs(value - truth) / truth;

	result->sum += error;
	result->n++;
	if (error > result->worst)
		result->worst = error;
}

static void judge(const struct way *way, const pmx_stats_t *stats, struct result *result)
{
	for (int e = 0; e < EVENTS; e++) {
		double truth = world.truth[e];
		pmx_estimate_t est;

		if (pmx_stats_estimate(stats, e / way->each, e % way->each, &est))
			abort();
		judge_value(way->best ? est.value : est.plain, truth, result);
		if (est.low < 0)
			continue;
		result->told++;
		result->inside += est.low <= truth && truth <= est.high;
	}
}

static void model(const struct way *way, struct result *result)
{
	double values[EVENTS] = { 0 };

	way->modelled(values);
	for (int e = 0; e < EVENTS; e++)
		judge_value(values[e], world.truth[e], result);
}

static void trial(const struct way *way, enum load load, unsigned int seed, struct result *result)
{
	pid_t tid = syscall(SYS_gettid);
	pmx_stats_t *stats;

	new_world(load, seed, way->sets);
	if (way->modelled) {
		model(way, result);
		return;
	}
	set_program(way, seed);
	if (pmx_stats_open(PMX_MYTHREAD, &stats))
		abort();
	for (int ms = 0; ms < RUN; ms += 4) {
		shim_clock__run(tid, 4 * MS);
		if (pmx_stats_mark(stats))
			abort();
	}
	judge(way, stats, result);
	pmx_stats_close(stats);
	if (pm_delete_program_mythread())
		abort();
}

TEST(errors)
{
	struct result all[LOADS][WAYS] = { 0 };

	ASSERT_EQ(0, initialize());
	for (int load = 0; load < LOADS; load++) {
		for (size_t w = 0; w < WAYS; w++) {
			struct result *r = &all[load][w];

			for (int seed = 0; seed < TRIALS; seed++)
				trial(&ways[w], load, seed, r);
			TH_LOG("%-28s %-22s mean %6.3f %%  worst %6.3f %%  in its interval %5.1f %%",
			       load_names[load], ways[w].name, r->sum / r->n * 100, r->worst * 100,
			       r->told ? r->inside * 100.0 / r->told : NAN);
		}
	}
	/* What is promised: of all loads, in random order with an anchor */
	for (int load = 0; load < LOADS; load++) {
		const struct result *r = &all[load][2];

		EXPECT_GE(load == HOMOGENEOUS ? 0.03 : 0.05, r->sum / r->n);
		EXPECT_LE(0.90, (double)r->inside / r->told);
		EXPECT_LE(0.90, (double)all[load][1].inside / all[load][1].told);
		EXPECT_EQ(r->n, r->told);
	}
	EXPECT_GE(0.03, all[HOMOGENEOUS][0].sum / all[HOMOGENEOUS][0].n);
	/* What others do is worse where phases are in step with it, or come at random. */
	for (size_t w = 3; w < WAYS; w++) {
		EXPECT_GT(all[IN_STEP][w].sum, all[IN_STEP][2].sum);
		EXPECT_GT(all[AT_RANDOM][w].sum, all[AT_RANDOM][2].sum);
	}
	/* In step with the turns, order makes it wrong, and nothing but another order helps. */
	EXPECT_LT(0.10, all[IN_STEP][0].worst);
	EXPECT_GT(all[IN_STEP][0].sum, 2 * all[IN_STEP][1].sum);
}

TEST_HARNESS_MAIN
