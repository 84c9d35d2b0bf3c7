// SPDX-License-Identifier: GPL-2.0-or-later
/* The vcpc command: find and run the requested command. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pcp/pmapi.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "vcpc.h"

static const struct vcpc_command commands[] = {
	{ "events", vcpc_cmd_events, "list the events that can be counted on this machine" },
	{ "stat", vcpc_cmd_stat, "run a command and print its counts" },
	{ "record", vcpc_cmd_record, "run a command and record its counts and transactions" },
	{ "replay", vcpc_cmd_replay, "show an archive's values over time as a table or charts" },
	{ "compare", vcpc_cmd_compare, "compare two recorded runs and check conditions on the changes" },
	{ "report", vcpc_cmd_report, "write an HTML page with charts of an archive" },
	{ "dump", vcpc_cmd_dump, "print the raw contents of an archive" },
	{ "check", vcpc_cmd_check, "check archives for damage" },
	{ "label", vcpc_cmd_label, "show an archive's host and time span" },
	{ "summary", vcpc_cmd_summary, "print the average, minimum and maximum of each metric" },
	{ "trace", vcpc_cmd_trace, "time the transactions of running programs" },
	{ "top", vcpc_cmd_top, "show live statistics of transactions" },
	{ "why", vcpc_cmd_why, "explain where slow transactions spend their time" },
	{ "doctor", vcpc_cmd_doctor, "check this machine's support for vcpc and suggest fixes" },
	{ NULL, NULL, NULL }
};

static int main_help(void)
{
	printf("Usage: vcpc COMMAND [ARGUMENT...]\n\n");
	for (const struct vcpc_command *c = commands; c->name; c++)
		printf("  %-8s %s\n", c->name, c->help);
	printf("\nRun 'vcpc COMMAND --help' for details.\n");
	return 0;
}

/*
 * Check that all output was written, unless the command has already failed and printed a message.
 */
static int finish(int status)
{
	return status ? status : vcpc_flush();
}

static int command_run(const struct vcpc_command *command, int argc, char **argv)
{
	static char name[64];

	snprintf(name, sizeof(name), "vcpc %s", command->name);
	program_invocation_name = name;
	pmSetProgname(name);
	argv[0] = name;
	return finish(command->fn(argc, argv));
}

static const struct vcpc_command *command_find(const char *name)
{
	for (const struct vcpc_command *c = commands; c->name; c++)
		if (!strcmp(name, c->name))
			return c;
	return NULL;
}

/* Suggest a command that begins with the name or resembles it. */
static int no_command(const char *name)
{
	const char *best = NULL;
	unsigned int least = (unsigned int)strlen(name) / 2 + 1;

	if (*name == '-')
		return vcpc_usage("unknown option '%s'", name);
	if (least > 3)
		least = 3;

	for (const struct vcpc_command *c = commands; c->name; c++) {
		unsigned int d = *name && !strncmp(name, c->name, strlen(name)) ? 0 :
				 vcpc_distance(name, c->name);

		if (d < least) {
			least = d;
			best = c->name;
		}
	}
	if (best)
		return vcpc_usage("unknown command '%s'; did you mean '%s'?", name, best);
	return vcpc_usage("unknown command '%s'", name);
}

/* vcpc help [COMMAND] is the same as vcpc [COMMAND] --help. */
static int help_with(const char *name)
{
	static char option[] = "--help";
	char *argv[] = { NULL, option, NULL };
	const struct vcpc_command *command = name ? command_find(name) : NULL;

	if (command)
		return command_run(command, 2, argv);
	return name ? no_command(name) : finish(main_help());
}

static int version(void)
{
	printf("vcpc %s, libshim %s\n", VCPC_VERSION, shim_version());
	return finish(0);
}

static void do_nothing(int sig)
{
	(void)sig;
}

/*
 * Make a write beyond the file size limit (ulimit -f) fail with EFBIG instead of ending vcpc, so
 * that the failure is reported.  Commands started by vcpc have the original action, because
 * execve(2) resets handlers.
 */
static void survive_file_limit(void)
{
	if (signal(SIGXFSZ, do_nothing) == SIG_IGN)
		signal(SIGXFSZ, SIG_IGN);
}

/*
 * If descriptor 0, 1 or 2 is closed, an archive could get its number, and messages would be written
 * into the archive.  Occupy the number with a descriptor that fails like a closed one and that is
 * closed in commands started by vcpc.
 */
static bool occupy_descriptors(void)
{
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (fcntl(fd, F_GETFD) < 0 &&
		    open("/dev/null", (fd ? O_RDONLY : O_WRONLY) | O_CLOEXEC) != fd)
			return false;
	return true;
}

int main(int argc, char **argv)
{
	const struct vcpc_command *command;

	program_invocation_name = "vcpc";
	if (!occupy_descriptors())
		return vcpc_fail(errno, "cannot open /dev/null");
	survive_file_limit();
	if (argc < 2)
		return vcpc_usage("a command is required");
	if (!strcmp(argv[1], "help"))
		return help_with(argv[2]);
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h"))
		return help_with(NULL);
	if (!strcmp(argv[1], "--version"))
		return version();
	command = command_find(argv[1]);
	return command ? command_run(command, argc - 1, argv + 1) : no_command(argv[1]);
}
