// SPDX-License-Identifier: GPL-2.0-or-later
/* vcpc stat: run a command, and print what it and all it started have counted. */
#define _GNU_SOURCE
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <time.h>

#include "counting.h"

static int help(void)
{
	printf("Usage: vcpc stat [-e EVENTS] [-i INTERVAL] [-T] [-v] [--] COMMAND [ARGUMENT...]\n\n"
	       "Runs COMMAND and prints, on stderr, how many events it and all the threads and\n"
	       "processes it started have counted.  Exits with COMMAND's exit status.\n\n"
	       "  -e, --events LIST    events, with commas between; may be given again\n"
	       "                       (without: the usual ones that exist here)\n"
	       "  -i, --interval TIME  print the counts so far at each interval, too; with a\n"
	       "                       unit: 100ms, 2s, 1min\n"
	       "  -T, --threads        and those of each thread\n"
	       "  -v, --verbose        say first what counts, the module or perf, and why\n");
	return 0;
}

struct job {
	struct vcpc_counting counting;
	bool threads;
};

/* A command under way */
struct run {
	const struct job *job;
	struct shim_set *set;
	uint64_t start;
};

static uint64_t now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000 + ts.tv_nsec;
}

static void print(const struct shim_set *set, const struct shim_sample *sample, uint64_t elapsed,
		  const char *command)
{
	fprintf(stderr, "\nCounts of '%s':\n\n", command);
	for (unsigned int i = 0; i < sample->nr; i++)
		fprintf(stderr, "%20" PRIu64 "  %s\n", sample->values[i], shim_set_event(set, i));
	fprintf(stderr, "\n%20.9f  seconds elapsed\n%20.9f  seconds of CPU time while counting\n\n",
		elapsed / 1e9, sample->tick / 1e9);
}

/* The counts so far; those of threads are of the same samples that were added up. */
static int show(const struct run *run)
{
	const char *command = run->job->counting.argv[0];
	uint64_t elapsed = now() - run->start;
	struct shim_sample total;
	int ret = shim_set_total(run->set, 0, &total);

	if (ret)
		return vcpc_fail(ret, "no counts of '%s'", command);
	print(run->set, &total, elapsed, command);
	if (run->job->threads)
		ret = vcpc_threads_print(run->set, &total);
	return ret ? vcpc_fail(ret, "no counts of the threads of '%s'", command) : 0;
}

static int tick(void *arg)
{
	return show(arg);
}

static int run(const struct job *job, struct shim_set *set)
{
	struct run run = { .job = job, .set = set, .start = now() };
	struct vcpc_child child = { .flags = 0 };
	int status, ret;

	ret = vcpc_child_start(&child, set, job->counting.argv);
	if (ret)
		return ret;
	status = vcpc_child_wait(&child, job->counting.interval, tick, &run);
	ret = show(&run);
	return ret ? ret : status;
}

static bool own_option(int letter, void *arg)
{
	struct job *job = arg;

	job->threads |= letter == 'T';
	job->counting.events.verbose |= letter == 'v';
	return letter == 'T' || letter == 'v';
}

int vcpc_cmd_stat(int argc, char **argv)
{
	static const struct option names[] = {
		VCPC_COUNTING_LONG,
		{ "threads", no_argument, NULL, 'T' },
		{ "verbose", no_argument, NULL, 'v' },
		{ NULL, 0, NULL, 0 }
	};
	static const struct vcpc_counting_options options = {
		.letters = VCPC_COUNTING_SHORT "Tv", .names = names, .own = own_option,
	};
	struct job job = { .threads = false };
	struct shim_set *set = NULL;
	int ret = vcpc_counting_parse(argc, argv, &options, &job.counting, &job);
	bool wants_help = ret < 0;

	if (!ret)
		ret = vcpc_counting_command(&job.counting);
	if (!ret)
		ret = vcpc_events_open(&job.counting.events, &set);
	if (!ret)
		ret = run(&job, set);
	shim_set_destroy(set);
	vcpc_events_free(&job.counting.events);
	return wants_help ? help() : ret;
}
