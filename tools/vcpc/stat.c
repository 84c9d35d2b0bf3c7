// SPDX-License-Identifier: GPL-2.0-or-later
/* vcpc stat: run a command, and print what it and all it started have counted. */
#define _GNU_SOURCE
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <time.h>

#include "vcpc.h"

static int help(void)
{
	printf("Usage: vcpc stat [-e EVENTS] [--] COMMAND [ARGUMENT...]\n\n"
	       "Runs COMMAND and prints, on stderr, how many events it and all the threads and\n"
	       "processes it started have counted.  Exits with COMMAND's exit status.\n\n"
	       "  -e, --events LIST  events, with commas between; may be given again\n"
	       "                     (without: the usual ones that exist here)\n");
	return 0;
}

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

static int run(struct shim_set *set, char **argv)
{
	struct vcpc_child child = { .flags = 0 };
	struct shim_sample sample;
	uint64_t start = now();
	int status;
	int ret = vcpc_child_start(&child, set, argv);

	if (ret)
		return ret;
	status = vcpc_child_wait(&child, 0, NULL, NULL);
	start = now() - start;
	ret = shim_set_total(set, 0, &sample);
	if (ret)
		return vcpc_fail(ret, "no counts of '%s'", argv[0]);
	print(set, &sample, start, argv[0]);
	return status;
}

int vcpc_cmd_stat(int argc, char **argv)
{
	static const struct option options[] = {
		{ "events", required_argument, NULL, 'e' },
		{ "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 }
	};
	struct vcpc_events events = { 0 };
	struct shim_set *set;
	int ret = 0;
	int c;

	while (!ret && (c = getopt_long(argc, argv, "+e:h", options, NULL)) != -1) {
		if (c == 'h')
			return help();
		ret = c == 'e' ? vcpc_events_add(&events, optarg) : vcpc_usage(NULL);
	}
	if (!ret && optind == argc)
		ret = vcpc_usage("which command?");
	if (!ret)
		ret = vcpc_events_open(&events, &set);
	if (!ret) {
		ret = run(set, argv + optind);
		shim_set_destroy(set);
	}
	vcpc_events_free(&events);
	return ret;
}
