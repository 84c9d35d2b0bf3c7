/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the vcpc command's parts share: the commands, exit statuses and messages. */
#ifndef VCPC_H
#define VCPC_H

#define VCPC_EXIT_FAILURE	1
#define VCPC_EXIT_USAGE		2

/**
 * struct vcpc_command - one command of the vcpc program
 * @name: what the user types after "vcpc"
 * @fn: runs it; argv[0] is "vcpc NAME", for getopt's messages; returns the
 *	program's exit status, and answers --help itself
 * @help: one line for "vcpc --help"
 */
struct vcpc_command {
	const char *name;
	int (*fn)(int argc, char **argv);
	const char *help;
};

/* One file each; a new one is a line here and a line in main.c's table. */
int vcpc_cmd_events(int argc, char **argv);
int vcpc_cmd_record(int argc, char **argv);
int vcpc_cmd_replay(int argc, char **argv);
int vcpc_cmd_stat(int argc, char **argv);
int vcpc_cmd_trace(int argc, char **argv);

/*
 * Messages go to stderr as "vcpc NAME: text[: what the error means]", and what
 * to do about the error on a line of its own where that is known.
 */
int vcpc_fail(int err, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
int vcpc_usage(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

#endif /* VCPC_H */
