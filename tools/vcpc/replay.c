// SPDX-License-Identifier: GPL-2.0-or-later
/* vcpc replay: print an archive's values at any interval, as a table, charts, CSV or JSON. */
#define _GNU_SOURCE
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "chart.h"
#include "damage.h"
#include "export.h"
#include "options.h"
#include "overview.h"
#include "preset.h"
#include "series.h"
#include "table.h"
#include "text.h"
#include "vcpc.h"
#include "window.h"

#define ROWS_BY_DEFAULT	20
#define MOST_ROWS	1000000
#define WIDTH		80
#define OPTION_ASCII	300

enum form { TABLE, CHART, CSV, JSON };

struct options {
	const char *archive;
	char **names;
	struct vcpc_picks picks;	/* the selected instances */
	int mode;
	int64_t delta;		/* in ns; 0 if not specified */
	size_t samples;		/* 0 if not specified */
	enum form form;
	bool raw, ascii, reverse, together;
	struct vcpc_window window;
};

static int replay_help(void)
{
	printf("Usage: vcpc replay ARCHIVE [-t INTERVAL] [-m MODE] [-p] [-r] [METRIC...]\n\n"
	       "Prints the values of an archive at regular intervals.  METRIC is a metric, a group of\n"
	       "metrics (trace), or one instance (trace.transact.count[name]).  Counters are shown as\n"
	       "rates per second.  Without METRIC or an interval, prints one screen of the most useful\n"
	       "metrics.\n\n"
	       "  -t, --interval TIME   print a row per TIME: 100ms, 2sec, 1.5s, \"1min 30sec\",\n"
	       "                        10 (seconds); default: about 20 rows\n"
	       "  -s, --samples N       print at most N rows\n"
	       "  -m, --mode MODE       interp: interpolate between records (default)\n"
	       "                        forw:   print each record unchanged\n"
	       "                        back:   print each record, from the last to the first\n"
	       "  -R, --reverse         print rows from the end to the start\n"
	       "%s"
	       "  -i, --instance NAMES  show only these instances, separated by commas or blanks; quote\n"
	       "                        names that contain these; can be repeated\n"
	       "  -p, --plot            draw charts\n"
	       "  -g, --together        draw up to 8 instances of a metric in one chart\n"
	       "  -c, --csv             print CSV: a line with the names, then a line per row\n"
	       "  -j, --json            print one JSON object\n"
	       "  -r, --raw             show values of counters instead of rates, and all digits\n"
	       "      --ascii           draw with ASCII characters only\n\n"
	       "These names select groups of metrics:\n",
	       VCPC_ARCHIVE_HELP VCPC_WINDOW_HELP);
	vcpc_preset_help();
	return 0;
}

static int parse_mode(const char *text, int *mode)
{
	static const struct {
		const char *name;
		int mode;
	} modes[] = {
		{ "interp", PM_MODE_INTERP },
		{ "forw", PM_MODE_FORW },
		{ "back", PM_MODE_BACK },
	};

	for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++) {
		if (!strcmp(text, modes[i].name)) {
			*mode = modes[i].mode;
			return 0;
		}
	}
	return -EINVAL;
}

/* Choose the output format; requesting two different ones is an error. */
static int choose_form(struct options *o, enum form form)
{
	if (o->form != TABLE && o->form != form)
		return vcpc_usage("-p, -c and -j are mutually exclusive");
	o->form = form;
	return 0;
}

static int take_samples(struct options *o)
{
	char *end;

	o->samples = strtoul(optarg, &end, 10);
	if (*optarg >= '0' && *optarg <= '9' && !*end && o->samples && o->samples <= MOST_ROWS)
		return 0;
	return vcpc_usage("-s: invalid number of rows '%s' (1 to %d)", optarg, MOST_ROWS);
}

/* Return 0, or an exit status after printing a message. */
static int replay_option(struct options *o, int c)
{
	switch (c) {
	case 't':
		if (vcpc_parse_interval(optarg, &o->delta))
			return vcpc_usage("invalid interval '%s' (examples: 500ms, 2sec)", optarg);
		return 0;
	case 's':
		return take_samples(o);
	case 'm':
		return parse_mode(optarg, &o->mode) ?
		       vcpc_usage("unknown mode '%s' (use interp, forw or back)", optarg) : 0;
	case 'i':
		return vcpc_picks_add(&o->picks, optarg) ? vcpc_fail(ENOMEM, "instances") : 0;
	case 'R':
		o->reverse = true;
		return 0;
	case 'p':
		return choose_form(o, CHART);
	case 'c':
		return choose_form(o, CSV);
	case 'j':
		return choose_form(o, JSON);
	case 'r':
		o->raw = true;
		return 0;
	case 'g':
		o->together = true;
		return choose_form(o, CHART);
	case OPTION_ASCII:
		o->ascii = true;
		return 0;
	default:
		return vcpc_usage(NULL);
	}
}

/* Return -1 to continue, otherwise the exit status. */
static int parse_options(int argc, char **argv, struct options *o)
{
	static const struct option longs[] = {
		{ "interval", required_argument, NULL, 't' },
		{ "samples", required_argument, NULL, 's' },
		{ "mode", required_argument, NULL, 'm' },
		{ "instance", required_argument, NULL, 'i' },
		{ "reverse", no_argument, NULL, 'R' },
		{ "plot", no_argument, NULL, 'p' },
		{ "together", no_argument, NULL, 'g' },
		{ "csv", no_argument, NULL, 'c' },
		{ "json", no_argument, NULL, 'j' },
		{ "raw", no_argument, NULL, 'r' },
		{ "ascii", no_argument, NULL, OPTION_ASCII },
		{ "help", no_argument, NULL, 'h' },
		VCPC_WINDOW_LONG,
		{ NULL, 0, NULL, 0 },
	};
	int c, status;

	while ((c = vcpc_getopt(argc, argv, "t:s:m:i:Rpgcjrh" VCPC_WINDOW_SHORT, longs)) != -1) {
		if (c == 'h')
			return replay_help();
		if (vcpc_window_option(&o->window, c, optarg))
			continue;
		status = replay_option(o, c);
		if (status)
			return status;
	}
	o->archive = vcpc_window_archive(&o->window, argv);
	if (!o->archive)
		return VCPC_EXIT_USAGE;
	if (o->reverse && o->mode != PM_MODE_INTERP)
		o->mode = o->mode == PM_MODE_FORW ? PM_MODE_BACK : PM_MODE_FORW;
	o->names = argv + optind;
	return -1;
}

/* Add a preset, a metric, a group of metrics, or an instance. */
static int add_name(struct vcpc_series *s, const char *name)
{
	int err;

	if (*name == ':')
		return vcpc_preset_add(s, name);
	err = vcpc_series_add(s, name);
	return err ? vcpc_fail_metric(err, name) : 0;
}

static int select_metrics(struct vcpc_series *s, char **names)
{
	const char *missing;
	int status = 0;

	if (!*names)
		status = vcpc_preset_add(s, VCPC_PRESET_DEFAULT);
	for (; *names && !status; names++)
		status = add_name(s, *names);
	if (status)
		return status;
	if (!s->nmetrics)
		return vcpc_fail(0, "the archive has no numeric metrics");
	missing = vcpc_picks_missing(&s->picks);
	return missing ? vcpc_fail(0, "none of these metrics has an instance '%s'", missing) : 0;
}

/*
 * Return the default interval in nanoseconds: 1, 2 or 5 times a power of ten, for at most 20 steps.
 */
static int64_t nice_delta(double span)
{
	static const double steps[] = { 1, 2, 5, 10 };
	double want = span / ROWS_BY_DEFAULT * 1e9;
	double unit = pow(10, floor(log10(want)));

	if (!(want >= 1))
		return VCPC_NSEC_PER_SEC;
	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++)
		if (steps[i] * unit >= want)
			return (int64_t)(steps[i] * unit);
	return (int64_t)want;
}

static int plan(const struct options *o, struct vcpc_walk *walk)
{
	const struct vcpc_window *w = &o->window;
	bool backwards = o->mode == PM_MODE_BACK || (o->mode == PM_MODE_INTERP && o->reverse);
	double span = vcpc_seconds(w->to) - vcpc_seconds(w->from);
	int64_t delta = o->delta ? o->delta : nice_delta(span);

	walk->mode = o->mode;
	walk->samples = o->samples;
	walk->backwards = backwards;
	walk->from = backwards ? w->to : w->origin;
	if (backwards && w->offset)
		walk->from = w->origin;
	walk->to = backwards ? w->from : w->to;
	if (o->mode != PM_MODE_INTERP)
		return 0;
	if (!o->samples && span * 1e9 / delta > MOST_ROWS)
		return vcpc_fail(0, "the interval results in %.0f rows, which is too many; use a longer interval, or -s N",
				 span * 1e9 / delta);
	/* All parts must have the same sign, as in pmSetModeHighRes(). */
	walk->delta.tv_sec = (backwards ? -delta : delta) / VCPC_NSEC_PER_SEC;
	walk->delta.tv_nsec = (backwards ? -delta : delta) % VCPC_NSEC_PER_SEC;
	return 0;
}

static unsigned int terminal_width(void)
{
	const char *columns = getenv("COLUMNS");
	struct winsize size;

	if (columns && atoi(columns) > 0)
		return (unsigned int)atoi(columns);
	if (!ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) && size.ws_col)
		return size.ws_col;
	return WIDTH;
}

static void put_heading(const struct options *o, const struct vcpc_walk *walk)
{
	const struct vcpc_window *w = &o->window;
	const struct timespec second = { 1, 0 };
	char from[64], to[64];

	bool dated = vcpc_several_days(w->from, w->to);

	vcpc_table_time(from, sizeof(from), w->from, second, true);
	vcpc_table_time(to, sizeof(to), w->to, second, dated);
	vcpc_put_printable(stdout, o->archive, "");
	fputs(": host ", stdout);
	vcpc_put_printable(stdout, w->label.hostname, "");
	printf(", %s to %s", from, to);
	if (walk->mode == PM_MODE_INTERP)
		printf(", every %.9g s", fabs(vcpc_seconds(walk->delta)));
	printf("\n\n");
}

static bool all_empty(const struct vcpc_series *s)
{
	for (size_t i = 0; i < s->ncolumns; i++)
		if (!s->columns[i].empty)
			return false;
	return true;
}

/* Return the time between rows, which determines how many digits their times have. */
static struct timespec step(const struct vcpc_walk *walk)
{
	struct timespec t = walk->delta;

	t.tv_sec = labs(t.tv_sec);
	t.tv_nsec = labs(t.tv_nsec);
	return t;
}

/*
 * Explain why there is no output: a rate requires two values, so there may be too few rows, or the
 * interval may be too long.  If only the last record has values, there is nothing before it.
 */
static void put_nothing(const struct options *o, const struct vcpc_walk *walk)
{
	double length = vcpc_seconds(o->window.to) - vcpc_seconds(o->window.from);

	printf("no values");
	if (o->samples == 1)
		printf(": a rate requires two values, so the first row has none; use -s 2, or -r for the values of counters");
	else if (walk->mode == PM_MODE_INTERP && o->delta && fabs(vcpc_seconds(walk->delta)) * 4 > length)
		printf(" at this interval: the window is %.3g s long, and a rate requires two values; use a shorter interval, or omit -t",
		       length);
	else if (walk->mode == PM_MODE_INTERP)
		printf(" can be interpolated, because few or no records have any; to print those of each record: vcpc replay --mode forw --raw");
	putchar('\n');
}

/*
 * Return whether to choose the order of metrics: none was named, and the archive has no metrics of
 * vcpc.
 */
static bool wants_overview(const struct vcpc_series *s, const struct options *o)
{
	if (*o->names || !s->nrows)
		return false;
	for (size_t i = 0; i < s->nmetrics; i++)
		if (vcpc_overview_is_own(s->metrics[i].name))
			return false;
	return true;
}

static void put_more(const struct options *o, size_t left, bool overview)
{
	printf("\n%zu more %s: name metrics, or %s:all;\n'vcpc dump -d ", left, left == 1 ? "column" : "columns",
	       overview ? "" : ":counts, :transactions, :points, :histograms, ");
	vcpc_put_printable(stdout, o->archive, "");
	printf("' lists all metrics\n");
}

/* If neither metrics nor an interval are specified, print only as much as fits on a screen. */
static int put_values(struct vcpc_series *s, const struct options *o, const struct vcpc_walk *walk)
{
	bool one_screen = !*o->names && !o->delta && walk->mode == PM_MODE_INTERP;
	unsigned int width = terminal_width();
	size_t left = 0;
	int status = 0;

	if (o->form == CHART)
		status = vcpc_chart(s, step(walk), width, o->ascii, o->together || one_screen,
				    one_screen ? &left : NULL);
	else if (vcpc_table(stdout, s, step(walk), width, one_screen ? &left : NULL))
		status = vcpc_fail(ENOMEM, "table");
	if (left && !status)
		put_more(o, left, wants_overview(s, o));
	return status;
}

static int replay_print(struct vcpc_series *s, const struct options *o,
			const struct vcpc_walk *walk)
{
	vcpc_series_printable(s);
	put_heading(o, walk);
	if (!s->nrows || all_empty(s))
		put_nothing(o, walk);
	else
		return put_values(s, o, walk);
	return 0;
}

/* Write each row when it is read, so that memory does not grow with the number of rows. */
static int export(struct vcpc_series *s, const struct options *o, struct vcpc_walk *walk)
{
	struct vcpc_export x = {
		.out = stdout, .json = o->form == JSON, .archive = o->archive, .host = o->window.label.hostname,
	};
	int err;

	walk->put = vcpc_export_row;
	walk->arg = &x;
	err = vcpc_series_read(s, walk);
	if (!err || s->nread)
		vcpc_export_end(&x, s);
	return err ? vcpc_fail_pm(err, o->archive) : 0;
}

static int series_show(struct vcpc_series *s, const struct options *o)
{
	struct vcpc_walk walk = { 0 };
	int status = plan(o, &walk);
	int err;

	if (status)
		return status;
	if (o->form == CSV || o->form == JSON)
		return export(s, o, &walk);
	err = vcpc_series_read(s, &walk);
	if (err && !s->nrows)
		return vcpc_fail_pm(err, o->archive);
	if (wants_overview(s, o) && vcpc_overview_series(s, o->form == CHART))
		return vcpc_fail(ENOMEM, "columns");
	status = replay_print(s, o, &walk);
	return err ? vcpc_fail_pm(err, o->archive) : status;
}

static int check_damage(const struct vcpc_series *s, const struct options *o)
{
	const struct vcpc_read read = {
		.window = &o->window, .points = o->mode == PM_MODE_INTERP, .damaged = s->damaged,
	};

	return vcpc_damage(o->archive, &read);
}

static int replay(struct options *o)
{
	struct vcpc_series s = { .raw = o->raw, .picks = o->picks };
	int status = vcpc_window_set(&o->window, o->archive);

	if (!status)
		status = select_metrics(&s, o->names);
	if (!status)
		status = series_show(&s, o) | check_damage(&s, o);
	vcpc_series_free(&s);
	return status;
}

int vcpc_cmd_replay(int argc, char **argv)
{
	struct options o = { .mode = PM_MODE_INTERP };
	int status = parse_options(argc, argv, &o);

	if (status < 0) {
		status = vcpc_open_archive(o.archive);
		if (!status) {
			status = replay(&o);
			pmDestroyContext(pmWhichContext());
		}
	}
	vcpc_picks_free(&o.picks);
	return status;
}
