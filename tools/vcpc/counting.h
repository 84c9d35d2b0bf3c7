/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The options of commands that run another command and count events in it. */
#ifndef VCPC_COUNTING_H
#define VCPC_COUNTING_H

#include <stdbool.h>

#include "options.h"
#include "target.h"
#include "vcpc.h"

/* The options that these commands share, for getopt */
#define VCPC_OPTION_FOR		256
#define VCPC_COUNTING_SHORT	"+aC:e:G:hI:p:t:"
#define VCPC_COUNTING_LONG				\
	{ "all-cpus", no_argument, NULL, 'a' },		\
	{ "cpus", required_argument, NULL, 'C' },	\
	{ "cgroup", required_argument, NULL, 'G' },	\
	{ "events", required_argument, NULL, 'e' },	\
	{ "for", required_argument, NULL, VCPC_OPTION_FOR },	\
	{ "pid", required_argument, NULL, 'p' },	\
	{ "tid", required_argument, NULL, 't' },	\
	{ "help", no_argument, NULL, 'h' },		\
	{ "interval", required_argument, NULL, 'I' }

#define VCPC_COUNTING_HELP							\
	"  -p, --pid PID         count these processes (comma-separated IDs), and all threads\n"	\
	"                        and processes that they start later\n"			\
	"  -t, --tid TID         count only these threads (comma-separated IDs)\n"		\
	"  -a, --all-cpus        count everything that runs on any online CPU\n"		\
	"  -C, --cpus LIST       count these CPUs: 0,2-3\n"	\
	"  -G, --cgroup GROUP    with -a or -C: count only the processes of this control group\n"	\
	"      --for TIME        with -p, -t, -a or -C: stop after TIME; otherwise, stop when\n"	\
	"                        COMMAND (which is not counted) has ended or, without COMMAND,\n"	\
	"                        when all targets have ended or at Ctrl-C\n"

/*
 * struct vcpc_counting - the user's request
 * @interval: in nanoseconds; unchanged if the option was not used
 * @delay: nanoseconds until the first tick; 0 means one interval
 * @targets: running targets to count instead of the command
 * @duration: how long to count @targets, in nanoseconds; 0: until they end or the user interrupts
 * @argv: the command and its arguments; the first is NULL if there is none
 * @path: the command's file, if there is a command
 */
struct vcpc_counting {
	struct vcpc_events events;
	uint64_t interval;
	uint64_t delay;
	struct vcpc_targets targets;
	uint64_t duration;
	char **argv;
	char path[PATH_MAX];
};

/*
 * struct vcpc_counting_options - a command's options: the common ones and its own
 * @own: handles a command-specific option; returns 0, -1 if there is no such option, or an exit
 *	status after printing a message
 */
struct vcpc_counting_options {
	const char *letters;
	const struct option *names;
	int (*own)(int letter, void *arg);
};

/* Return 0, -1 if help is requested, or the exit status after printing a message. */
int vcpc_counting_parse(int argc, char **argv, const struct vcpc_counting_options *options,
			struct vcpc_counting *counting, void *arg);
/*
 * Check that there is a command that can be executed, or a target to count.  Return 0, or an exit
 * status after printing a message.
 */
int vcpc_counting_command(struct vcpc_counting *counting);

/*
 * Call this after the targets are bound.  If there is a command, run it to its end without counting
 * it; otherwise wait until the targets end, the time limit is reached, or the user interrupts.
 * @tick is as for vcpc_child_wait().  Return the command's exit status, 0, or an exit status after
 * a message.
 */
int vcpc_counting_wait(const struct vcpc_counting *counting, vcpc_tick_fn *tick, void *arg);

#endif /* VCPC_COUNTING_H */
