/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The options of the commands that run another one and count it. */
#ifndef VCPC_COUNTING_H
#define VCPC_COUNTING_H

#include <getopt.h>
#include <stdbool.h>

#include "vcpc.h"

/* For getopt: those that they all have */
#define VCPC_COUNTING_SHORT	"+e:hi:"
#define VCPC_COUNTING_LONG				\
	{ "events", required_argument, NULL, 'e' },	\
	{ "help", no_argument, NULL, 'h' },		\
	{ "interval", required_argument, NULL, 'i' }

/*
 * struct vcpc_counting - what is asked for
 * @interval: in nanoseconds; stays as it is if it was not given
 * @argv: the command and its arguments
 */
struct vcpc_counting {
	struct vcpc_events events;
	uint64_t interval;
	char **argv;
};

/*
 * struct vcpc_counting_options - a command's options: those above and its own
 * @own: takes one of its own; false if it is none
 */
struct vcpc_counting_options {
	const char *letters;
	const struct option *names;
	bool (*own)(int letter, void *arg);
};

/* 0, -1 if help is wanted, or the exit status after a message */
int vcpc_counting_parse(int argc, char **argv, const struct vcpc_counting_options *options,
			struct vcpc_counting *counting, void *arg);
/* Whether there is a command: 0, or the exit status after a message */
int vcpc_counting_command(const struct vcpc_counting *counting);

#endif /* VCPC_COUNTING_H */
