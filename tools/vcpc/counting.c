// SPDX-License-Identifier: GPL-2.0-or-later
/* What is asked of a command that is to be counted: its events, how often, and the command itself. */
#include <getopt.h>

#include "counting.h"

int vcpc_counting_parse(int argc, char **argv, const struct vcpc_counting_options *options,
			struct vcpc_counting *counting, void *arg)
{
	int ret = 0;
	int c;

	while (!ret && (c = getopt_long(argc, argv, options->letters, options->names, NULL)) != -1) {
		if (c == 'h')
			return -1;
		if (c == 'e')
			ret = vcpc_events_add(&counting->events, optarg);
		else if (c == 'i')
			ret = vcpc_interval(optarg, &counting->interval);
		else if (c == '?' || !options->own(c, arg))
			ret = vcpc_usage(NULL);
	}
	counting->argv = argv + optind;
	return ret;
}

int vcpc_counting_command(const struct vcpc_counting *counting)
{
	return *counting->argv ? 0 : vcpc_usage("which command?");
}
