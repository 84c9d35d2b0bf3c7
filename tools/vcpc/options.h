/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Parse the options of all commands, and suggest a replacement for an option that a command does
 * not have.
 */
#ifndef VCPC_OPTIONS_H
#define VCPC_OPTIONS_H

#include <getopt.h>

/*
 * Like getopt_long(3), with our own messages.  In the commands that count, letters have the same
 * meaning as in perf-stat(1); in the commands that replay, they have the meaning in PCPIntro(1).
 */
int vcpc_getopt(int argc, char **argv, const char *letters, const struct option *names);

#endif /* VCPC_OPTIONS_H */
