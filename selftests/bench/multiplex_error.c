// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * How far off multiplexed counts are, under loads of two phases: the module's sets
 * in order and in random order, by time and with an anchor, beside perf's rotation
 * and PAPI's, on the same PMU.
 *
 * All count instructions in user mode, of which one phase has many and the
 * other, page faults, has few; the anchor is the page faults.  One more counter that
 * is never taken off says in the same run what is true.
 *
 * usage: multiplex_error [TRIALS [WAY]]   (each with other seeds and phases; ways whose
 * names have WAY in them)
 *
 * May take 2400 s on a busy machine.
 */
#include <errno.h>
#include <linux/perf_event.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>

#include "aix/pmx.h"
#include "mux_load.h"
#include "papi.h"

#define EVENTS	16		/* of perf's and PAPI's, so that they do not fit */

static void die(const char *what, int error)
{
	fprintf(stderr, "multiplex_error: %s: %d\n", what, error);
	exit(1);
}

/* Errors; of intervals how many there were, and how many held the truth */
struct errors {
	double sum, worst;
	int n, told, inside;
};

static void add(struct errors *e, double value, double truth)
{
	double off = fabs(value / truth - 1);

	e->sum += off;
	e->n++;
	if (off > e->worst)
		e->worst = off;
}

struct way {
	const char *name;
	void (*run)(const struct way *way, const struct load *load, unsigned int seed,
		    struct errors *e);
	bool shuffle, anchor;
	unsigned int slice_us;
};

struct reading {
	unsigned long long value, enabled, running;
};

static int open_event(int pinned)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_HARDWARE, .size = sizeof(attr),
		.config = PERF_COUNT_HW_INSTRUCTIONS, .pinned = pinned, .exclude_kernel = 1,
		.exclude_hv = 1,
		.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING,
	};
	int fd = syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0);

	if (fd < 0)
		die("perf_event_open", errno);
	return fd;
}

static struct reading read_event(int fd)
{
	struct reading r = { 0, 0, 0 };

	if (read(fd, &r, sizeof(r)) != sizeof(r))
		die("read", errno);
	return r;
}

static int number_of(const char *name)
{
	pm_info2_t info;
	int ret = pm_initialize(PM_VERIFIED, &info, NULL, PM_CURRENT);

	if (ret)
		die("pm_initialize", ret);
	for (int i = 0; i < info.maxevents[0]; i++)
		if (!strcmp(info.list_events[0][i].short_name, name))
			return info.list_events[0][i].event_id;
	printf("multiplex_error: %s cannot be counted here\n", name);
	exit(0);
}

static void mark(void *stats)
{
	int ret = pmx_stats_mark(stats);

	if (ret)
		die("pmx_stats_mark", ret);
}

static pmx_stats_t *begin_sets(const struct way *way, unsigned int seed)
{
	pm_events_prog_t sets[SETS];
	pm_prog_mx_t prog = { .mode.w = PM_USER | PM_COUNT, .slice_duration = SLOT,
			      .nb_events_prog = SETS, .events_set = sets };
	pmx_options_t options = { .shuffle = way->shuffle, .seed = way->shuffle ? seed : 0,
				  .anchor = COUNT_NOTHING, .slice_us = way->slice_us };
	int event = number_of("PM_INST_CMPL");
	pmx_stats_t *stats;
	int ret;

	if (way->anchor)
		options.anchor = number_of("PM_PAGE_FAULTS");
	memset(sets, 0xff, sizeof(sets));
	for (int k = 0; k < SETS; k++)
		sets[k][0] = event;
	ret = pmx_set_program_mx(PMX_MYTHREAD, &prog, &options);
	if (!ret)
		ret = pmx_stats_open(PMX_MYTHREAD, &stats);
	if (ret)
		die("pmx_set_program_mx", ret);
	return stats;
}

static void with_sets(const struct way *way, const struct load *load, unsigned int seed,
		      struct errors *e)
{
	int truth = open_event(1);
	pmx_stats_t *stats = begin_sets(way, seed);
	double whole = read_event(truth).value;

	work(load, seed, mark, stats);
	mark(stats);
	whole = read_event(truth).value - whole;
	for (int k = 0; k < SETS; k++) {
		pmx_estimate_t estimate;

		pmx_stats_estimate(stats, k, 0, &estimate);
		add(e, way->anchor ? estimate.value : estimate.plain, whole);
		e->told += estimate.low >= 0;
		e->inside += estimate.low >= 0 && estimate.low <= whole && whole <= estimate.high;
	}
	pmx_stats_close(stats);
	pm_delete_program_mythread();
	close(truth);
}

static void with_perf(const struct way *way, const struct load *load, unsigned int seed,
		      struct errors *e)
{
	int truth = open_event(1), fds[EVENTS];
	double whole;

	(void)way;
	for (int i = 0; i < EVENTS; i++)
		fds[i] = open_event(0);
	work(load, seed, NULL, NULL);
	whole = read_event(truth).value;
	for (int i = 0; i < EVENTS; i++) {
		struct reading r = read_event(fds[i]);

		add(e, r.running ? (double)r.value * r.enabled / r.running : 0, whole);
		close(fds[i]);
	}
	close(truth);
}

#ifdef HAVE_PAPI
static void papi(const char *what, int ret)
{
	if (ret == PAPI_OK)
		return;
	fprintf(stderr, "multiplex_error: %s: %s\n", what, PAPI_strerror(ret));
	exit(1);
}

/* PAPI takes an event once in each spelling. */
static void add_instructions(int set)
{
	static const char *const names[] = { "INST_RETIRED", "inst_retired", "Inst_Retired" };
	static const char *const modes[] = { "u", "u=1", "u=1:k=0", "k=0:u=1", "u:k=0", "k=0:u" };
	char name[64];

	for (int i = 0; i < EVENTS; i++) {
		snprintf(name, sizeof(name), "%s:%s", names[i / 6], modes[i % 6]);
		papi(name, PAPI_add_named_event(set, name));
	}
}

/* By the kernel's rotation, or with a slice by a timer of PAPI's own, one event at a time */
static void with_papi(const struct way *way, const struct load *load, unsigned int seed,
		      struct errors *e)
{
	PAPI_option_t option = { .multiplex = { .ns = way->slice_us * 1000,
						.flags = PAPI_MULTIPLEX_FORCE_SW } };
	long long values[EVENTS];
	int truth = open_event(1), set = PAPI_NULL;
	double whole;

	papi("PAPI_create_eventset", PAPI_create_eventset(&set));
	papi("PAPI_assign_eventset_component", PAPI_assign_eventset_component(set, 0));
	option.multiplex.eventset = set;
	papi("PAPI_set_multiplex", way->slice_us ? PAPI_set_opt(PAPI_MULTIPLEX, &option) :
						   PAPI_set_multiplex(set));
	add_instructions(set);
	papi("PAPI_start", PAPI_start(set));
	whole = read_event(truth).value;
	work(load, seed, NULL, NULL);
	whole = read_event(truth).value - whole;
	papi("PAPI_stop", PAPI_stop(set, values));
	for (int i = 0; i < EVENTS; i++)
		add(e, values[i], whole);
	PAPI_cleanup_eventset(set);
	PAPI_destroy_eventset(&set);
	close(truth);
}

static const char *begin_papi(void)
{
	const char *why = papi_begin();

	if (!why)
		papi("PAPI_multiplex_init", PAPI_multiplex_init());
	return why;
}
#else
#define with_papi	NULL
#define begin_papi	papi_begin
#endif

static const struct way ways[] = {
	{ "sets in order", with_sets, false, false, 10000 },
	{ "random order", with_sets, true, false, 10000 },
	{ "random order, slots of 1 ms", with_sets, true, false, 1000 },
	{ "random order, anchor", with_sets, true, true, 10000 },
	{ "random order, anchor, 1 ms", with_sets, true, true, 1000 },
	{ "perf", with_perf, false, false, 0 },
	{ "PAPI, the kernel's rotation", with_papi, false, false, 0 },
	{ "PAPI, its own", with_papi, false, false, 10000 },
};

#define WAYS	(sizeof(ways) / sizeof(ways[0]))

static void print(const struct way *way, const struct errors *e, const char *missing)
{
	printf("  %-28s", way->name);
	if (missing)
		printf("  %s\n", missing);
	else if (e->told)
		printf("  %7.2f %% %7.2f %%  %3d of %d\n", e->sum / e->n * 100, e->worst * 100,
		       e->inside, e->told);
	else
		printf("  %7.2f %% %7.2f %%\n", e->sum / e->n * 100, e->worst * 100);
}

int main(int argc, char **argv)
{
	const char *no_papi = begin_papi();
	int trials = argc > 1 ? atoi(argv[1]) : 1;

	number_of("PM_INST_CMPL");
	printf("mean and worst error of %d sets of 10 ms, of %d events of perf's and PAPI's, %d times; "
	       "95 %% intervals that held the truth:\n", SETS, EVENTS, trials);
	for (size_t i = 0; i < LOADS; i++) {
		puts(loads[i].name);
		for (size_t w = 0; w < WAYS; w++) {
			const char *missing = w >= WAYS - 2 ? no_papi : NULL;
			struct errors e = { 0 };

			if (argc > 2 && !strstr(ways[w].name, argv[2]))
				continue;
			for (int seed = 1; seed <= trials && !missing; seed++)
				ways[w].run(&ways[w], &loads[i], seed, &e);
			print(&ways[w], &e, missing);
		}
	}
	return 0;
}
