// SPDX-License-Identifier: GPL-2.0-or-later
/* Parse the options of vcpc stat. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stat_options.h"

#define MOST_RUNS	10000

enum { OPTION_MULTIPLEX = 300, OPTION_PER_CORE, OPTION_PER_THREAD, OPTION_RATES };

int stat_help(void)
{
	printf("Usage: vcpc stat [OPTION...] [--] COMMAND [ARGUMENT...]\n"
	       "       vcpc stat {-p PID | -t TID | -a | -C CPUS} [OPTION...] [COMMAND [ARGUMENT...]]\n\n"
	       "Runs COMMAND, counts events in it and in all threads and processes that it starts, and\n"
	       "prints the counts on stderr.  Exits with COMMAND's exit status.\n"
	       "In the second form, counts targets that are already running.\n\n"
	       "  -e, --events LIST     count these events, separated by commas; can be repeated\n"
	       "                        (default: common events that exist here)\n"
	       "  -I, --interval TIME   print the counts of each interval: 100 or 100ms, 2s, 1min\n"
	       "      --rates           with -I: print one line per interval, with rates per second\n"
	       "  -d, --detailed        also count cache events; -dd and -ddd count more\n"
	       "  -D, --delay TIME      start counting after TIME: 500 or 500ms, 2s\n"
	       "      --multiplex       count more events than fit on the CPU, by multiplexing; print each count\n"
	       "                        as an estimate with its error and the share of time it was counted\n"
	       "  -A, --no-aggr         with -a or -C: print the counts of each CPU\n"
	       "      --per-core        with -a or -C: print the counts of each core\n"
	       "      --per-thread      also print the counts of each thread\n"
	       "  -r, --repeat N        run COMMAND N times; print means and their 95 %% intervals\n"
	       "  -j, --json            print one JSON object\n"
	       "  -x, --field-separator SEP  print one line per event, with SEP between fields, as in perf stat\n"
	       "  -o, --output FILE     write to FILE instead of stderr\n"
	       "  -v, --verbose         first report whether the module or perf is used, and why\n\n"
	       VCPC_COUNTING_HELP);
	return 0;
}

static int take_repeat(struct count_job *job)
{
	char *end;

	job->runs = strtoul(optarg, &end, 10);
	if (*optarg >= '0' && *optarg <= '9' && !*end && job->runs && job->runs <= MOST_RUNS)
		return 0;
	return vcpc_usage("-r: invalid number of runs '%s' (1 to %d)", optarg, MOST_RUNS);
}

static int divide(struct count_job *job, enum vcpc_apart apart)
{
	if (job->apart && job->apart != apart)
		return vcpc_usage("-A and --per-core are mutually exclusive");
	job->apart = apart;
	return 0;
}

static int own_option(int letter, void *arg)
{
	struct count_job *job = arg;

	switch (letter) {
	case 'v':
		job->counting.events.verbose = true;
		return 0;
	case OPTION_MULTIPLEX:
		job->counting.events.in_turn = true;
		return 0;
	case OPTION_PER_THREAD:
		job->threads = true;
		return 0;
	case 'A':
		return divide(job, VCPC_EACH_CPU);
	case OPTION_PER_CORE:
		return divide(job, VCPC_EACH_CORE);
	case 'd':
		job->counting.events.detailed++;
		return 0;
	case 'D':
		return vcpc_interval(optarg, &job->counting.delay);
	case OPTION_RATES:
		job->rates = true;
		return 0;
	case 'j':
		job->json = true;
		return 0;
	case 'x':
		job->separator = strcmp(optarg, "\\t") ? optarg : "\t";
		return 0;
	case 'o':
		job->name = optarg;
		return 0;
	case 'r':
		return take_repeat(job);
	default:
		return -1;
	}
}

/*
 * Reject options that are mutually exclusive.  Return 0, or an exit status after printing a
 * message.
 */
static int job_check(const struct count_job *job)
{
	bool attached = job->counting.targets.kind != VCPC_NO_TARGETS;

	if (job->counting.events.in_turn && (job->threads || job->counting.interval))
		return vcpc_usage("--multiplex estimates the whole run; it cannot be combined with --per-thread or -I");
	if (job->counting.events.in_turn && job->counting.events.grouped)
		return vcpc_usage("--multiplex chooses the groups itself; omit the braces");
	if (job->counting.delay && (job->counting.events.in_turn || job->threads))
		return vcpc_usage("-D cannot be combined with --multiplex or --per-thread");
	if (job->runs && attached)
		return vcpc_usage("-r requires a command, not a running target");
	if (job->runs > 1 && (job->threads || job->counting.interval))
		return vcpc_usage("-r prints means of all runs; it cannot be combined with --per-thread or -I");
	if (job->json && job->separator)
		return vcpc_usage("-x and -j are mutually exclusive");
	if (job->separator && !*job->separator)
		return vcpc_usage("-x: the separator is empty");
	if (job->json && (job->threads || job->counting.interval))
		return vcpc_usage("-j prints the whole run; it cannot be combined with --per-thread or -I");
	if (job->threads && (job->separator || job->counting.interval))
		return vcpc_usage("--per-thread prints a table of the whole run; it cannot be combined with -x or -I");
	if (job->rates && (!job->counting.interval || job->separator))
		return vcpc_usage("--rates requires -I TIME, and cannot be combined with -x");
	if (job->apart && job->counting.targets.kind != VCPC_CPUS)
		return vcpc_usage("-A and --per-core require CPUs to count: -a or -C CPUS");
	if (job->apart && (job->json || job->rates || job->counting.events.in_turn))
		return vcpc_usage("-A and --per-core print a line per event; they cannot be combined with -j, --rates or --multiplex");
	if (job->threads && job->counting.targets.kind == VCPC_PROCESSES)
		return vcpc_usage("--per-thread cannot be combined with -p: the threads of a running process are counted together; to count them separately: -t $(ls /proc/PID/task | paste -sd,) --per-thread");
	if (job->threads && job->counting.targets.kind == VCPC_CPUS)
		return vcpc_usage("--per-thread cannot be combined with -a or -C: the counts of a CPU are not divided among threads");
	return 0;
}

int stat_parse(int argc, char **argv, struct count_job *job)
{
	static const struct option names[] = {
		VCPC_COUNTING_LONG,
		{ "delay", required_argument, NULL, 'D' },
		{ "detailed", no_argument, NULL, 'd' },
		{ "field-separator", required_argument, NULL, 'x' },
		{ "json", no_argument, NULL, 'j' },
		{ "multiplex", no_argument, NULL, OPTION_MULTIPLEX },
		{ "no-aggr", no_argument, NULL, 'A' },
		{ "output", required_argument, NULL, 'o' },
		{ "per-core", no_argument, NULL, OPTION_PER_CORE },
		{ "per-thread", no_argument, NULL, OPTION_PER_THREAD },
		{ "rates", no_argument, NULL, OPTION_RATES },
		{ "repeat", required_argument, NULL, 'r' },
		{ "verbose", no_argument, NULL, 'v' },
		{ NULL, 0, NULL, 0 }
	};
	static const struct vcpc_counting_options options = {
		.letters = VCPC_COUNTING_SHORT "AdD:jo:r:vx:", .names = names, .own = own_option,
	};
	int ret = vcpc_counting_parse(argc, argv, &options, &job->counting, job);

	if (!ret)
		ret = job_check(job);
	return ret ? ret : vcpc_counting_command(&job->counting);
}
