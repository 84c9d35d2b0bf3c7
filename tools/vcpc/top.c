// SPDX-License-Identifier: GPL-2.0-or-later
/* vcpc top: show the machine's transactions, once or continuously. */
#define _GNU_SOURCE
#include <errno.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "options.h"
#include "top.h"
#include "vcpc.h"

#define DEFAULT_INTERVAL	1000000000ULL
#define LEAST_INTERVAL		100000000ULL
#define WIDTH			80

enum { OPTION_ONCE = 300, OPTION_REVERSE };

struct job {
	bool once;
	uint64_t interval;
	struct top_view view;
};

static int top_help(void)
{
	printf("Usage: vcpc top [-I INTERVAL] [-b WHAT] [-s KEY] [-f TEXT] [--once]\n\n"
	       "For each tag, shows how many transactions ended per second, their durations, and their\n"
	       "counts, in the last INTERVAL.  Tracing must be on ('vcpc trace on').\n\n"
	       "  -I, --interval TIME   refresh at this interval, at least 100ms (default: 1s)\n"
	       "  -b, --by WHAT         show a row for each tag (default), process, or both; processes\n"
	       "                        require 'vcpc trace on --processes'\n"
	       "  -s, --sort KEY        sort by rate (default), p50, p99, total or name\n"
	       "      --reverse         reverse the order\n"
	       "  -f, --filter TEXT     show only rows whose names contain this text, in any case\n"
	       "      --once            print once, after one interval; requires no terminal\n\n"
	       "Keys: q quit, p pause, b group by, s sort, r reverse, / filter, arrow and page keys scroll\n");
	return 0;
}

int top_again(struct top_view *view, struct shim_trace **trace)
{
	int err = *trace ? 0 : shim_trace_open(trace);

	if (!err)
		err = top_look(view, *trace, vcpc_now());
	if (!err || err == -EAGAIN)
		return err;
	/* Tracing may have been turned off and on again, so reopen the handle the next time. */
	shim_trace_close(*trace);
	*trace = NULL;
	top_forget(view);
	return err;
}

static unsigned int output_width(void)
{
	const char *columns = getenv("COLUMNS");
	struct winsize size;

	if (columns && atoi(columns) > 0 && atoi(columns) < 10000)
		return atoi(columns);
	if (!ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) && size.ws_col)
		return size.ws_col;
	return WIDTH;
}

static int top_print(const struct top_view *view)
{
	unsigned int width = output_width();
	char *line = malloc(4 * (size_t)width + 512);

	if (!line)
		return vcpc_fail(ENOMEM, "rows");
	top_title(view, false, line, 256);
	puts(line);
	for (size_t i = 0; i <= view->nrows; i++) {
		top_line(view, i ? &view->rows[i - 1] : NULL, width, line);
		puts(line);
	}
	free(line);
	return 0;
}

static int once(struct job *job)
{
	const struct timespec pause = { job->interval / 1000000000, job->interval % 1000000000 };
	struct shim_trace *trace = NULL;
	int err = top_again(&job->view, &trace);

	if (err == -EAGAIN) {
		nanosleep(&pause, NULL);
		err = top_again(&job->view, &trace);
	}
	if (err == -ENODATA)
		err = vcpc_fail(0, TOP_NO_PROCESSES);
	else if (err == -ENOENT || err == -ESTALE)
		err = vcpc_fail(0, "tracing is off; turn it on with 'vcpc trace on'");
	else
		err = err ? vcpc_fail(err, "cannot read the statistics") : top_print(&job->view);
	shim_trace_close(trace);
	return err;
}

static int parse_key(const char *text, enum top_key *key)
{
	for (int i = 0; i < TOP_KEYS; i++) {
		if (strcmp(top_key_name(i), text))
			continue;
		*key = i;
		return 0;
	}
	return vcpc_usage("unknown sort key '%s' (use rate, p50, p99, total or name)", text);
}

static int parse_by(const char *text, enum top_by *by)
{
	for (int i = 0; i < TOP_BYS; i++) {
		if (strcmp(top_by_name(i), text))
			continue;
		*by = i;
		return 0;
	}
	return vcpc_usage("unknown value '%s' (use tag, process or both)", text);
}

static int top_option(struct job *job, int c)
{
	int status;

	switch (c) {
	case 'I':
		status = vcpc_interval(optarg, &job->interval);
		if (!status && job->interval < LEAST_INTERVAL)
			status = vcpc_usage("invalid interval '%s' (at least 100ms)", optarg);
		return status;
	case 'b':
		return parse_by(optarg, &job->view.by);
	case 's':
		return parse_key(optarg, &job->view.key);
	case OPTION_REVERSE:
		job->view.reverse = true;
		return 0;
	case 'f':
		job->view.filter = *optarg ? optarg : NULL;
		return 0;
	case OPTION_ONCE:
		job->once = true;
		return 0;
	default:
		return vcpc_usage(NULL);
	}
}

int vcpc_cmd_top(int argc, char **argv)
{
	static const struct option longs[] = {
		{ "by", required_argument, NULL, 'b' },
		{ "interval", required_argument, NULL, 'I' }, { "sort", required_argument, NULL, 's' },
		{ "reverse", no_argument, NULL, OPTION_REVERSE },	      { "filter", required_argument, NULL, 'f' },
		{ "once", no_argument, NULL, OPTION_ONCE },	      { "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 },
	};
	struct job job = { .interval = DEFAULT_INTERVAL };
	int c, status = 0;

	while (!status && (c = vcpc_getopt(argc, argv, "I:b:s:f:h", longs)) != -1) {
		if (c == 'h')
			return top_help();
		status = top_option(&job, c);
	}
	if (!status && optind < argc)
		status = vcpc_usage("unexpected argument '%s'", argv[optind]);
	if (!status && !job.once && !(isatty(STDOUT_FILENO) && isatty(STDIN_FILENO)))
		status = vcpc_fail(0, "vcpc top requires a terminal; 'vcpc top --once' does not");
	setlocale(LC_CTYPE, "");	/* needed for the width of characters in names */
	if (!status)
		status = job.once ? once(&job) : top_screen(&job.view, job.interval);
	top_free(&job.view);
	return status;
}
