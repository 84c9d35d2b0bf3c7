// SPDX-License-Identifier: GPL-2.0-or-later
/* vcpc stat: count a command or running targets, and print the counts. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "counts.h"
#include "rates.h"
#include "stat_options.h"

#define LOOK		10000000	/* ns between two samples of multiplexed events */
#define LITTLE		0.02		/* seconds of CPU time that may be uncounted */
#define LITTLE_OF_ALL	0.1		/* the same, if the command has started other processes */

/*
 * A running command, or a part of the targets
 * @counts: the counts of all runs of the command
 * @base: the counts at the end of the delay; @waits: the delay has not ended
 * @before, @shown: the counts at the end of the last interval, and the time of that end
 */
struct run {
	const struct count_job *job;
	const struct vcpc_part *part;
	struct shim_set *set;
	struct vcpc_counts counts;
	uint64_t start;
	struct vcpc_rates rates;
	bool waits;
	struct shim_sample base, before;
	double shown;
	struct vcpc_turns turns;
};

/* @list: @n parts; there is one unless the targets are divided */
struct runs {
	const struct count_job *job;
	struct run *list;
	unsigned int n;
};

static int show_rates(struct run *run)
{
	struct shim_sample total;
	int ret = shim_set_total(run->set, 0, &total);

	if (ret)
		return vcpc_fail_counters(ret, "cannot read the counts of %s", run->job->what);
	vcpc_rates_print(run->job->output.file, &run->rates, run->set, &total, (vcpc_now() - run->start) / 1e9);
	return 0;
}

/*
 * Sample multiplexed events.  An error in a tick ends the ticks without a message; the last sample
 * reports it.
 */
static int multiplex_sample(struct run *run)
{
	uint64_t whole[SHIM_SET_MAX];
	struct shim_turns now;
	int ret = shim_set_turns_whole(run->set, 0, &now, whole);

	if (!ret)
		vcpc_turns_look(&run->turns, &now, whole);
	return ret;
}

static int take_turns(struct run *run)
{
	double elapsed = (vcpc_now() - run->start) / 1e9;
	int ret = multiplex_sample(run);

	if (!ret)
		ret = vcpc_counts_add_turns(&run->counts, &run->job->counting.events.rows, run->set,
					    &run->turns, elapsed);
	return ret ? vcpc_fail_counters(ret, "cannot read the counts of %s", run->job->what) : 0;
}

/*
 * Handle a run that ended during the delay of -D.  Return 0, or an exit status after printing a
 * message.
 */
static int take_nothing(struct run *run)
{
	return vcpc_counts_add(&run->counts, &run->job->counting.events.rows, run->set, NULL, 0) ?
		vcpc_fail(ENOMEM, "counts") : 0;
}

/* Sample the targets.  Return 0, or an exit status after printing a message. */
static int sample_take(struct run *run, struct shim_sample *total)
{
	double elapsed = (vcpc_now() - run->start) / 1e9;
	int ret = shim_set_total(run->set, 0, total);

	total->tick -= run->base.tick;
	for (unsigned int i = 0; i < total->nr && i < run->base.nr; i++)
		total->values[i] -= run->base.values[i];
	if (!ret)
		ret = vcpc_counts_add(&run->counts, &run->job->counting.events.rows, run->set,
				      total, elapsed);
	return ret ? vcpc_fail_counters(ret, "cannot read the counts of %s", run->job->what) : 0;
}

/* Print the counts since the last interval. */
static int show_counts(struct run *run)
{
	const struct vcpc_event_rows *rows = &run->job->counting.events.rows;
	struct vcpc_counts counts = { .part = run->part };
	double seconds = (vcpc_now() - run->start) / 1e9;
	struct shim_sample total, part;
	int ret = shim_set_total(run->set, 0, &total);

	if (!ret) {
		part = total;
		part.tick -= run->before.tick;
		for (unsigned int i = 0; i < total.nr; i++)
			part.values[i] -= run->before.values[i];
		ret = vcpc_counts_add(&counts, rows, run->set, &part, seconds - run->shown);
	}
	if (ret)
		return vcpc_fail_counters(ret, "cannot read the counts of %s", run->job->what);
	vcpc_counts_interval(run->job->output.file, &counts, seconds, run->job->separator);
	fflush(run->job->output.file);
	vcpc_counts_free(&counts);
	run->before = total;
	run->shown = seconds;
	return 0;
}

/* Discard the counts so far at the end of the delay of -D. */
static int stat_begin(struct run *run)
{
	int ret = shim_set_total(run->set, 0, &run->base);

	if (ret)
		return vcpc_fail_counters(ret, "cannot read the counts of %s", run->job->what);
	run->waits = false;
	run->before = run->base;
	memcpy(run->rates.before, run->base.values, sizeof(run->rates.before));
	run->start = vcpc_now();
	return 0;
}

static int tick_one(struct run *run)
{
	if (run->waits)
		return stat_begin(run);
	if (run->job->counting.events.in_turn)
		return multiplex_sample(run);
	return run->job->rates ? show_rates(run) : show_counts(run);
}

static int stat_tick(void *arg, uint64_t missed)
{
	struct runs *runs = arg;
	int ret = 0;

	(void)missed;
	for (unsigned int i = 0; i < runs->n && !ret; i++)
		ret = tick_one(&runs->list[i]);
	return ret;
}

static int bind(const struct runs *runs)
{
	const struct count_job *job = runs->job;
	int ret = 0;

	for (unsigned int i = 0; i < job->counting.targets.n && !ret; i++)
		ret = vcpc_targets_bind(&job->counting.targets, i, runs->list[job->parts.of[i]].set);
	return ret;
}

static int stat_wait(const struct count_job *job, struct runs *runs)
{
	struct vcpc_child child = { .delay = job->counting.delay };
	int ret;

	if (job->counting.targets.kind != VCPC_NO_TARGETS) {
		ret = bind(runs);
		if (!ret && !*job->counting.argv && !job->counting.duration)
			vcpc_fail(0, "counting %s; stop with Ctrl-C", job->what);
		return ret ? -ret : vcpc_counting_wait(&job->counting, stat_tick, runs);
	}
	ret = vcpc_child_start(&child, runs->list->set, job->counting.argv);
	return ret ? -ret : vcpc_child_wait(&child, job->counting.interval, stat_tick, runs);
}

/*
 * Return whether to print the counts of intervals.  With --multiplex, the interval may serve only
 * to sample the groups.
 */
static bool prints_intervals(const struct vcpc_counting *counting)
{
	return counting->interval && !counting->events.in_turn;
}

/* Print the counts.  With -I, -x prints only the intervals, like perf stat. */
static int stat_print(const struct runs *runs, const struct shim_sample *total)
{
	const struct count_job *job = runs->job;
	struct vcpc_counts *counts = reallocarray(NULL, runs->n, sizeof(*counts));
	FILE *out = job->output.file;

	if (!counts)
		return vcpc_fail(ENOMEM, "counts");
	for (unsigned int i = 0; i < runs->n; i++)
		counts[i] = runs->list[i].counts;
	if (job->json)
		vcpc_counts_json(out, counts);
	else if (!job->separator)
		vcpc_counts_text(out, counts, runs->n);
	for (unsigned int i = 0; job->separator && !prints_intervals(&job->counting) && i < runs->n; i++)
		vcpc_counts_separated(out, &counts[i], job->separator);
	free(counts);
	return job->threads ? vcpc_threads_print(out, runs->list->set, total) : 0;
}

static double seconds_of(struct timeval t)
{
	return (double)t.tv_sec + (double)t.tv_usec / 1e6;
}

/*
 * Report CPU time of the command, and of all processes that it has started, that was not counted.
 * A little time, until execve, is never counted.
 */
static void note_uncounted(const struct vcpc_counts *counts, const char *path)
{
	size_t last = counts->runs - 1;
	double used = counts->user[last] + counts->system[last], missing = used - counts->cpu[last];

	if (missing >= LITTLE && missing >= used / 2 && vcpc_child_ends_counting(path))
		vcpc_fail(0, "note: %.0f %% of the CPU time of %s was not counted: the kernel stops counting a process that executes a program that gains privileges or that you may not read (run as root)",
			  missing / used * 100, counts->what);
	else if (missing >= LITTLE_OF_ALL && missing >= used / 10)
		vcpc_fail(0, "note: %.0f %% of the CPU time of %s and its children was not counted: the kernel does not count the beginning and the end of a process, and stops counting one that executes a program that gains privileges or that you may not read",
			  missing / used * 100, counts->what);
}

/* Add the CPU time of the children that have ended since @before. */
static int take_usage(struct vcpc_counts *counts, const struct rusage *before)
{
	struct rusage now;
	int ret;

	getrusage(RUSAGE_CHILDREN, &now);
	ret = vcpc_counts_add_usage(counts, seconds_of(now.ru_utime) - seconds_of(before->ru_utime),
				    seconds_of(now.ru_stime) - seconds_of(before->ru_stime));
	return ret ? vcpc_fail(ret, "cannot add up the CPU time") : 0;
}

/* Collect the counts at the end of a run.  Return 0, or an exit status after printing a message. */
static int take_all(struct runs *runs, struct shim_sample *total)
{
	const struct vcpc_counting *counting = &runs->job->counting;
	bool waits = runs->list->waits;
	int ret = 0;

	if (waits)
		vcpc_fail(0, "%s ended before counting began (-D)", runs->job->what);
	else if (prints_intervals(counting))
		ret = stat_tick(runs, 0);
	for (unsigned int i = 0; i < runs->n && !ret; i++) {
		struct run *run = &runs->list[i];

		ret = waits ? take_nothing(run) : counting->events.in_turn ? take_turns(run) : sample_take(run, total);
	}
	return ret;
}

/*
 * Open the sets of a run, the first of which may already be open.  Return 0, or an exit status
 * after printing a message.
 */
static int open_sets(struct count_job *job, struct runs *runs)
{
	int ret = 0;

	for (unsigned int i = 0; i < runs->n && !ret; i++) {
		struct run *run = &runs->list[i];

		run->job = job;
		run->part = job->apart ? &job->parts.part[i] : NULL;
		run->counts.what = job->what;
		run->counts.part = run->part;
		if (!run->set)
			ret = vcpc_events_open(&job->counting.events, &run->set);
		run->turns = (struct vcpc_turns){ .last.nr = 0 };
		run->base = run->before = (struct shim_sample){ .nr = 0 };
		run->waits = job->counting.delay;
	}
	return ret;
}

static void close_sets(struct runs *runs)
{
	for (unsigned int i = 0; i < runs->n; i++) {
		shim_set_destroy(runs->list[i].set);
		runs->list[i].set = NULL;
	}
}

/*
 * Do one run.  Return 0, or an exit status after printing a message.  If the command's exit status
 * is not 0, store it in *@status.
 */
static int run_once(struct count_job *job, struct runs *runs, struct shim_sample *total, int *status)
{
	const struct vcpc_counting *counting = &job->counting;
	struct rusage usage;
	uint64_t start = vcpc_now();
	int one, ret;

	for (unsigned int i = 0; i < runs->n; i++)
		runs->list[i].start = start;
	getrusage(RUSAGE_CHILDREN, &usage);
	one = stat_wait(job, runs);
	*status = one ? one : *status;
	/* If @one is negative, the command could not be started, or a target could not be bound. */
	ret = one < 0 ? -one : take_all(runs, total);
	if (ret || counting->targets.kind != VCPC_NO_TARGETS || counting->delay)
		return ret;
	ret = take_usage(&runs->list->counts, &usage);
	if (!ret)
		note_uncounted(&runs->list->counts, counting->path);
	return ret;
}

/*
 * Run the command once or more.  Each run has its own set, because a set's total includes all
 * targets to which it has ever been bound.
 */
static int run_all(struct count_job *job, struct runs *runs)
{
	struct shim_sample total;
	int status = 0, ret = 0;

	job->output.file = stderr;
	if (job->name)
		ret = vcpc_output_open(&job->output, job->name);
	if (ret)
		return ret;
	for (unsigned long i = 0; i < (job->runs ? job->runs : 1) && !ret; i++) {
		if (i)
			close_sets(runs);
		ret = open_sets(job, runs);
		if (!ret)
			ret = run_once(job, runs, &total, &status);
	}
	if (!ret)
		ret = stat_print(runs, &total);
	if (job->name)
		ret = vcpc_output_close(&job->output, ret);
	else if (!ret && !status && ferror(stderr))
		ret = VCPC_EXIT_FAILURE;	/* no message could be printed either */
	return ret ? ret : status;
}

/*
 * Reject counts per thread if perf counts a command, because perf reports only a total for the
 * threads that a command starts.  It counts the threads of -t separately.
 */
static int check_threads(const struct count_job *job)
{
	struct shim_handle *handle;
	int status = 0;

	if (!job->threads || job->counting.targets.kind != VCPC_NO_TARGETS || shim_open(&handle))
		return 0;
	if (!strcmp(shim_backend(handle), "perf"))
		status = vcpc_fail(0, "--per-thread: perf_event_open(2) reports only the total of a command's threads; the vcpc module reports each (as root: modprobe vcpc)");
	shim_close(handle);
	return status;
}

/* Return whether there is an event that this machine can count. */
static bool counts_any(const struct vcpc_events *events)
{
	for (unsigned int i = 0; i < events->rows.n; i++)
		if (events->rows.row[i].n)
			return true;
	return false;
}

static void name_it(struct count_job *job)
{
	if (job->counting.targets.kind == VCPC_NO_TARGETS)
		snprintf(job->what, sizeof(job->what), "'%s'", job->counting.argv[0]);
	else
		vcpc_targets_text(&job->counting.targets, job->what, sizeof(job->what));
}

/* Explain a list of events of which none was counted. */
static void note_no_event(const struct count_job *job)
{
	if (!job->json && !job->separator && !counts_any(&job->counting.events))
		vcpc_fail(0, "note: none of these events can be counted here; 'vcpc events' lists the available events");
}

/*
 * Divide the targets into parts, and count.  Return 0, or an exit status after printing a message.
 */
static int stat_count(struct count_job *job)
{
	struct runs runs = { .job = job };
	int ret;

	vcpc_parts_divide(&job->parts, job->apart, &job->counting.targets);
	runs.n = job->parts.n;
	runs.list = calloc(runs.n, sizeof(*runs.list));
	if (!runs.list)
		return vcpc_fail(ENOMEM, "counts");
	ret = vcpc_events_open(&job->counting.events, &runs.list->set);
	if (!ret && (job->threads || job->rates) && !counts_any(&job->counting.events))
		ret = vcpc_fail(0, "none of these events can be counted here; 'vcpc events' lists the available events");
	if (!ret) {
		name_it(job);
		ret = run_all(job, &runs);
		note_no_event(job);
	}
	close_sets(&runs);
	for (unsigned int i = 0; i < runs.n; i++)
		vcpc_counts_free(&runs.list[i].counts);
	free(runs.list);
	return ret;
}

int vcpc_cmd_stat(int argc, char **argv)
{
	struct count_job job = { .counting.events.by_kind = true };
	int ret = stat_parse(argc, argv, &job);
	bool wants_help = ret < 0;

	if (!ret && job.counting.events.in_turn)
		job.counting.interval = LOOK;
	if (!ret)
		ret = check_threads(&job);
	if (!ret)
		ret = stat_count(&job);
	vcpc_events_free(&job.counting.events);
	return wants_help ? stat_help() : ret;
}
