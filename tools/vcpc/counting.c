// SPDX-License-Identifier: GPL-2.0-or-later
/* Parse the options of the counting commands, and wait for the counted targets. */

#include <string.h>

#include "counting.h"

static int letter_take(struct vcpc_counting *counting, int letter)
{
	switch (letter) {
	case 'a':
		return vcpc_targets_add_all(&counting->targets);
	case 'C':
		return vcpc_targets_add(&counting->targets, VCPC_CPUS, optarg);
	case 'G':
		counting->targets.cgroup = optarg;
		return strchr(optarg, ',') ? vcpc_usage("-G accepts only one control group") : 0;
	case 'p':
		return vcpc_targets_add(&counting->targets, VCPC_PROCESSES, optarg);
	case 't':
		return vcpc_targets_add(&counting->targets, VCPC_THREADS, optarg);
	case VCPC_OPTION_FOR:
		return vcpc_interval(optarg, &counting->duration);
	case 'e':
		return vcpc_events_add(&counting->events, optarg);
	case 'I':
		return vcpc_interval(optarg, &counting->interval);
	default:
		return -1;
	}
}

int vcpc_counting_parse(int argc, char **argv, const struct vcpc_counting_options *options,
			struct vcpc_counting *counting, void *arg)
{
	int ret = 0;
	int c;

	while (!ret && (c = vcpc_getopt(argc, argv, options->letters, options->names)) != -1) {
		if (c == 'h')
			return -1;
		if (c == '?')
			return vcpc_usage(NULL);
		ret = letter_take(counting, c);
		if (ret < 0)
			ret = options->own(c, arg);
		if (ret < 0)
			ret = vcpc_usage(NULL);
	}
	counting->argv = argv + optind;
	return ret;
}

int vcpc_counting_command(struct vcpc_counting *counting)
{
	bool attached = counting->targets.kind != VCPC_NO_TARGETS;

	if (!*counting->argv && !attached)
		return vcpc_usage("a command is required (or a running target: -p PID, -t TID, -C CPUS, -a)");
	if (counting->duration && (!attached || *counting->argv))
		return vcpc_usage("--for requires -p, -t, -C or -a, without a command");
	if (counting->targets.cgroup && counting->targets.kind != VCPC_CPUS)
		return vcpc_usage("-G requires -a or -C, because a control group is counted on CPUs");
	counting->events.cgroup = counting->targets.cgroup;
	return *counting->argv ? vcpc_child_check(*counting->argv, counting->path) : 0;
}

int vcpc_counting_wait(const struct vcpc_counting *counting, vcpc_tick_fn *tick, void *arg)
{
	struct vcpc_child child = { .delay = counting->delay };
	int ret;

	if (!*counting->argv)
		return vcpc_targets_wait(&counting->targets, counting->delay, counting->interval,
					 counting->duration, tick, arg);
	ret = vcpc_child_start(&child, NULL, counting->argv);
	return ret ? ret : vcpc_child_wait(&child, counting->interval, tick, arg);
}
