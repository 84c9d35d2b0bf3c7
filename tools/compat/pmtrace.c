// SPDX-License-Identifier: GPL-2.0-or-later
/* The pmtrace command: send one trace event, or run a command as a transaction, from a shell. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <pcp/trace.h>

#include "written.h"

/**
 * struct job - the parsed command line
 * @option: 'c', 'e', 'v', or 0 for a point
 * @value: value of -c and -v
 * @command: command of -e
 * @state: flags of -S
 * @quiet: do not report success
 * @tag: the tag
 */
struct job {
	int option;
	double value;
	const char *command;
	int state;
	int quiet;
	const char *tag;
};

static int usage(FILE *to)
{
	fputs("Usage: pmtrace [-q] [-c VALUE | -e COMMAND | -v VALUE] [-h HOST] [-S STATE] TAG\n"
	      "Send one trace event, by default a point.\n\n"
	      "  -c VALUE    send the value of a counter\n"
	      "  -e COMMAND  run the command as a transaction, and exit with its status\n"
	      "  -v VALUE    send an observed value\n"
	      "  -h HOST     send the event to the trace agent of this host\n"
	      "  -q          print nothing on success\n"
	      "  -S STATE    flags of pmtracestate(3): 1 calls, 2 connection, 4 protocol,\n"
	      "              8 buffers, 16 send nothing; can be repeated\n", to);
	return to == stdout ? 0 : 1;
}

static int mistake(const char *what)
{
	fprintf(stderr, "pmtrace: %s\n", what);
	return usage(stderr);
}

static int number(const char *text, double *value)
{
	char *end;

	*value = strtod(text, &end);
	return end != text && !*end;
}

static int flags(const char *text, int *state)
{
	char *end;
	unsigned long bits = strtoul(text, &end, 0);

	*state |= bits;
	return end != text && !*end && *text != '-';
}

/* Return -1 to continue, or an exit status. */
static int take_option(struct job *job, int option, const char *argument)
{
	switch (option) {
	case 'c':
	case 'e':
	case 'v':
		if (job->option)
			return mistake("-c, -e and -v are mutually exclusive");
		job->option = option;
		job->command = argument;
		if (option != 'e' && !number(argument, &job->value))
			return mistake("-c and -v require a number");
		return -1;
	case 'h':
		if (setenv("PCP_TRACE_HOST", argument, 1) || setenv("SHIM_TRACE", "agent", 1))
			return mistake(strerror(errno));
		return -1;
	case 'q':
		job->quiet = 1;
		return -1;
	case 'S':
		return flags(argument, &job->state) ? -1 : mistake("-S requires a number");
	}
	return usage(optopt == '?' || option == '?' ? stdout : stderr);
}

static int parse(struct job *job, int argc, char **argv)
{
	int option, done;

	opterr = 0;
	while ((option = getopt(argc, argv, "+:c:e:h:qS:v:")) != -1) {
		if (option == ':')
			return mistake("an option requires an argument");
		if (option == '?' && optopt && optopt != '?')
			return mistake("unknown option");
		done = take_option(job, option, optarg);
		if (done >= 0)
			return done;
	}
	if (optind != argc - 1)
		return mistake("exactly one tag is required");
	job->tag = argv[optind];
	return -1;
}

/* Report the result of a call. */
static void report(const struct job *job, const char *what, int result)
{
	if (result < 0)
		fprintf(stderr, "pmtrace: %s error: %s\n", what, pmtraceerrstr(result));
	else if (!job->quiet && (job->option == 'c' || job->option == 'v'))
		printf("pmtrace: %s complete (tag=\"%s\", value=%f)\n", what, job->tag, job->value);
	else if (!job->quiet)
		printf("pmtrace: %s complete (tag=\"%s\")\n", what, job->tag);
}

/* Run the command even if the transaction cannot be traced. */
static int transaction(const struct job *job)
{
	int begun = pmtracebegin(job->tag);
	int status;

	if (begun < 0)
		report(job, "transaction begin", begun);
	fflush(stdout);
	status = system(job->command);
	if (begun >= 0)
		report(job, "transaction", pmtraceend(job->tag));
	if (status < 0) {
		fprintf(stderr, "pmtrace: %s\n", strerror(errno));
		return 127;
	}
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

static int run(const struct job *job)
{
	pmtracestate(job->state | PMTRACE_STATE_ASYNC);
	switch (job->option) {
	case 'e':
		return transaction(job);
	case 'c':
		report(job, "counter", pmtracecounter(job->tag, job->value));
		break;
	case 'v':
		report(job, "observation", pmtraceobs(job->tag, job->value));
		break;
	default:
		report(job, "point", pmtracepoint(job->tag));
	}
	return 0;
}

int main(int argc, char **argv)
{
	struct job job = { 0 };
	int done = parse(&job, argc, argv);

	if (done < 0)
		done = run(&job);
	return written("pmtrace", stdout, NULL) && !done ? 1 : done;
}
