// SPDX-License-Identifier: GPL-2.0-or-later
/* vcpc replay: an archive's values at any interval, as a table or as charts. */
#define _GNU_SOURCE
#include <errno.h>
#include <getopt.h>
#include <langinfo.h>
#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "plot.h"
#include "series.h"
#include "table.h"
#include "vcpc.h"

#define ROWS_BY_DEFAULT	20
#define MOST_ROWS	1000000.0
#define NSEC_PER_SEC	1000000000LL
#define WIDTH		80
#define WIDEST_CHART	110

struct options {
	const char *archive;
	char **names;
	int mode;
	int64_t delta;		/* ns; 0 if not given */
	bool raw, plot, ascii;
};

static int help(void)
{
	printf("Usage: vcpc replay ARCHIVE [-t INTERVAL] [-m MODE] [-p] [-r] [METRIC...]\n\n"
	       "Prints an archive's values: those of the METRICs, of groups of them (trace), or of\n"
	       "single instances (trace.transact.count[name]); without, of all that have numbers.\n"
	       "Counters are shown as their rate per second.\n\n"
	       "  -t, --interval TIME   time from row to row: 100ms, 2sec, 1.5s, \"1min 30sec\"\n"
	       "                        (without: one that gives some 20 rows)\n"
	       "  -m, --mode MODE       interp: values at each interval, between the records (default)\n"
	       "                        forw:   each record as it is\n"
	       "                        back:   the same from the end\n"
	       "  -p, --plot            draw charts\n"
	       "  -r, --raw             counters as they are, every digit\n"
	       "  -a, --ascii           draw with ASCII characters even where there are better ones\n");
	return 0;
}

/* PCP's intervals: numbers with units, one after the other; without a unit seconds. */
static int parse_interval(const char *text, int64_t *ns)
{
	static const struct {
		const char *names[3];
		double ns;
	} units[] = {
		{ { "", "s", "sec" }, 1e9 },	       { { "second", NULL, NULL }, 1e9 },
		{ { "ms", "msec", "millisecond" }, 1e6 }, { { "us", "usec", "microsecond" }, 1e3 },
		{ { "ns", "nsec", "nanosecond" }, 1 }, { { "m", "min", "minute" }, 60e9 },
		{ { "h", "hr", "hour" }, 3600e9 },     { { "d", "day", NULL }, 86400e9 },
	};
	double sum = 0;

	while (*text) {
		char unit[16] = "";
		double factor = 0;
		char *end;
		double number = strtod(text, &end);
		size_t len;

		if (end == text || !(number >= 0))
			return -EINVAL;
		text = end + strspn(end, " \t");
		len = strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ");
		if (len >= sizeof(unit))
			return -EINVAL;
		memcpy(unit, text, len);
		text += len + strspn(text + len, " \t");
		if (len > 2 && unit[len - 1] == 's')
			unit[len - 1] = '\0';
		for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
			for (int j = 0; j < 3 && units[i].names[j]; j++)
				if (!strcasecmp(unit, units[i].names[j]))
					factor = units[i].ns;
		if (factor == 0)
			return -EINVAL;
		sum += number * factor;
	}
	if (!(sum >= 1 && sum < 9e18))
		return -EINVAL;
	*ns = llround(sum);
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

/* -1: go on; otherwise the exit status */
static int parse_options(int argc, char **argv, struct options *o)
{
	static const struct option longs[] = {
		{ "interval", required_argument, NULL, 't' },
		{ "mode", required_argument, NULL, 'm' },
		{ "plot", no_argument, NULL, 'p' },
		{ "raw", no_argument, NULL, 'r' },
		{ "ascii", no_argument, NULL, 'a' },
		{ "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 },
	};
	int c;

	while ((c = getopt_long(argc, argv, "t:m:prah", longs, NULL)) != -1) {
		switch (c) {
		case 't':
			if (parse_interval(optarg, &o->delta))
				return vcpc_usage("'%s' is no interval; 500ms or 2sec are", optarg);
			break;
		case 'm':
			if (parse_mode(optarg, &o->mode))
				return vcpc_usage("there is no mode '%s'", optarg);
			break;
		case 'p':
			o->plot = true;
			break;
		case 'r':
			o->raw = true;
			break;
		case 'a':
			o->ascii = true;
			break;
		case 'h':
			return help();
		default:
			return vcpc_usage(NULL);
		}
	}
	if (optind == argc)
		return vcpc_usage("which archive?");
	o->archive = argv[optind];
	o->names = argv + optind + 1;
	return -1;
}

static int fail(int code, const char *what)
{
	return vcpc_fail(0, "%s: %s", what, pmErrStr(code));
}

static int open_archive(const char *name)
{
	int handle = pmNewContext(PM_CONTEXT_ARCHIVE, name);

	if (handle >= 0)
		return 0;
	if (handle == -ENOENT)
		return vcpc_fail(0, "there is no archive '%s' (no file %s.meta)", name, name);
	return fail(handle, name);
}

/* The name most like one that there is not */
struct guess {
	const char *name;
	char best[256];
	unsigned int distance;
};

static unsigned int least(unsigned int a, unsigned int b)
{
	return a < b ? a : b;
}

/* Edits that make one name of the other: a letter more, less, other, or two swapped */
static unsigned int distance(const char *a, const char *b)
{
	size_t m = strlen(a), n = strlen(b);
	unsigned int rows[3][256];

	if (n >= sizeof(rows[0]) / sizeof(rows[0][0]))
		return UINT32_MAX;
	for (size_t j = 0; j <= n; j++)
		rows[0][j] = (unsigned int)j;
	for (size_t i = 1; i <= m; i++) {
		unsigned int *row = rows[i % 3], *above = rows[(i + 2) % 3];

		row[0] = (unsigned int)i;
		for (size_t j = 1; j <= n; j++) {
			row[j] = least(least(row[j - 1], above[j]) + 1,
				       above[j - 1] + (a[i - 1] != b[j - 1]));
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
				row[j] = least(row[j], rows[(i + 1) % 3][j - 2] + 1);
		}
	}
	return rows[m % 3][n];
}

static void consider(const char *name, void *closure)
{
	struct guess *g = closure;
	const char *last = strrchr(name, '.');
	unsigned int d = distance(g->name, name);

	/* "cycles" means vcpc.count.cycles */
	if (last && !strcmp(last + 1, g->name))
		d = 0;
	if (d < g->distance) {
		g->distance = d;
		snprintf(g->best, sizeof(g->best), "%s", name);
	}
}

static int fail_metric(int code, const char *name)
{
	struct guess g = { .name = name, .distance = UINT32_MAX };

	if (code == PM_ERR_INST_LOG)
		return vcpc_fail(0, "the archive has no such instance: %s", name);
	if (code != PM_ERR_NAME)
		return fail(code, name);
	pmTraversePMNS_r("", consider, &g);
	if (*g.best && g.distance <= strlen(name) / 2)
		return vcpc_fail(0, "there is no metric '%s'; did you mean '%s'?", name, g.best);
	return vcpc_fail(0, "there is no metric '%s' in the archive; 'vcpc replay ARCHIVE' shows all",
			 name);
}

static int select_metrics(struct vcpc_series *s, char **names)
{
	int err;

	if (!*names) {
		err = vcpc_series_add_all(s);
		if (err)
			return fail(err, "metrics");
	}
	for (; *names; names++) {
		err = vcpc_series_add(s, *names);
		if (err)
			return fail_metric(err, *names);
	}
	if (!s->nmetrics)
		return vcpc_fail(0, "the archive has no metrics with numbers");
	return 0;
}

/* 1, 2 or 5 times a power of ten, for some 20 rows */
static int64_t nice_delta(double span)
{
	static const double steps[] = { 1, 2, 5, 10 };
	double want = span / ROWS_BY_DEFAULT * 1e9;
	double unit = pow(10, floor(log10(want)));

	if (!(want >= 1))
		return NSEC_PER_SEC;
	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++)
		if (steps[i] * unit >= want)
			return (int64_t)(steps[i] * unit);
	return (int64_t)want;
}

static double seconds(struct timespec t)
{
	return (double)t.tv_sec + t.tv_nsec / 1e9;
}

static int plan(const struct options *o, struct vcpc_walk *walk, pmHighResLogLabel *label,
		struct timespec *end)
{
	int64_t delta = o->delta;
	double span;
	int err = pmGetHighResArchiveLabel(label);

	if (!err)
		err = pmGetHighResArchiveEnd(end);
	if (err)
		return fail(err, o->archive);
	span = seconds(*end) - seconds(label->start);
	if (!delta)
		delta = nice_delta(span);
	walk->mode = o->mode;
	walk->from = o->mode == PM_MODE_BACK ? *end : label->start;
	if (o->mode != PM_MODE_INTERP)
		return 0;
	if (span * 1e9 / delta > MOST_ROWS)
		return vcpc_fail(0, "%.0f rows would be too many; take a longer interval",
				 span * 1e9 / delta);
	walk->delta.tv_sec = delta / NSEC_PER_SEC;
	walk->delta.tv_nsec = delta % NSEC_PER_SEC;
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

static bool is_utf8(void)
{
	setlocale(LC_CTYPE, "");
	return !strcmp(nl_langinfo(CODESET), "UTF-8");
}

/* Charts go from left to right, whichever way the archive was read. */
static void ascending(struct vcpc_series *s)
{
	size_t n = s->nrows;

	if (n < 2 || seconds(s->times[0]) <= seconds(s->times[n - 1]))
		return;
	for (size_t i = 0; i < n / 2; i++) {
		struct timespec t = s->times[i];

		s->times[i] = s->times[n - 1 - i];
		s->times[n - 1 - i] = t;
		for (size_t j = 0; j < s->ncolumns; j++) {
			double *values = s->columns[j].values;
			double v = values[i];

			values[i] = values[n - 1 - i];
			values[n - 1 - i] = v;
		}
	}
}

static int draw_column(const struct vcpc_series *s, const struct vcpc_column *c,
		       struct vcpc_plot *plot)
{
	char title[512];

	if (c->instance)
		snprintf(title, sizeof(title), "%s [%s]", c->metric, c->instance);
	else
		snprintf(title, sizeof(title), "%s", c->metric);
	plot->title = title;
	plot->unit = c->unit;
	plot->n = s->nrows;
	plot->y = c->values;
	return vcpc_plot(stdout, plot);
}

static int draw(struct vcpc_series *s, const struct options *o, struct timespec delta)
{
	unsigned int width = terminal_width();
	struct vcpc_plot plot = {
		.width = width > WIDEST_CHART ? WIDEST_CHART : width,
		.utf8 = !o->ascii && is_utf8(),
		.height = s->ncolumns > 2 ? 7 : 13,
	};
	double *x = malloc(s->nrows * sizeof(*x));
	char left[32], right[32];
	int err = x ? 0 : -ENOMEM;
	bool first = true;

	ascending(s);
	for (size_t i = 0; !err && i < s->nrows; i++)
		x[i] = seconds(s->times[i]) - seconds(s->times[0]);
	plot.x = x;
	vcpc_table_time(left, sizeof(left), s->times[0], delta);
	vcpc_table_time(right, sizeof(right), s->times[s->nrows - 1], delta);
	plot.left = left;
	plot.right = right;
	for (size_t i = 0; !err && i < s->ncolumns; i++) {
		if (s->columns[i].empty)
			continue;
		if (!first)
			putchar('\n');
		first = false;
		err = draw_column(s, &s->columns[i], &plot);
	}
	free(x);
	return err ? vcpc_fail(err, "chart") : 0;
}

static void put_heading(const struct options *o, const struct vcpc_walk *walk,
			const pmHighResLogLabel *label, struct timespec end)
{
	char from[64], to[64];
	struct tm tm;

	localtime_r(&label->start.tv_sec, &tm);
	strftime(from, sizeof(from), "%Y-%m-%d %H:%M:%S", &tm);
	localtime_r(&end.tv_sec, &tm);
	strftime(to, sizeof(to), "%H:%M:%S", &tm);
	printf("%s: host %s, %s to %s", o->archive, label->hostname, from, to);
	if (walk->mode == PM_MODE_INTERP)
		printf(", every %.9g s", seconds(walk->delta));
	printf("\n\n");
}

static bool all_empty(const struct vcpc_series *s)
{
	for (size_t i = 0; i < s->ncolumns; i++)
		if (!s->columns[i].empty)
			return false;
	return true;
}

static int show(struct vcpc_series *s, const struct options *o)
{
	struct vcpc_walk walk = { 0 };
	pmHighResLogLabel label;
	struct timespec end;
	int status = plan(o, &walk, &label, &end);
	int err;

	if (status)
		return status;
	err = vcpc_series_read(s, &walk);
	if (err && !s->nrows)
		return fail(err, o->archive);
	put_heading(o, &walk, &label, end);
	if (!s->nrows || all_empty(s))
		printf("no values\n");
	else if (o->plot)
		status = draw(s, o, walk.delta);
	else if (vcpc_table(stdout, s, walk.delta, terminal_width()))
		status = vcpc_fail(ENOMEM, "table");
	return err ? fail(err, o->archive) : status;
}

int vcpc_cmd_replay(int argc, char **argv)
{
	struct options o = { .mode = PM_MODE_INTERP };
	struct vcpc_series s = { 0 };
	int status = parse_options(argc, argv, &o);

	if (status >= 0)
		return status;
	status = open_archive(o.archive);
	if (status)
		return status;
	s.raw = o.raw;
	status = select_metrics(&s, o.names);
	if (!status)
		status = show(&s, &o);
	vcpc_series_free(&s);
	pmDestroyContext(pmWhichContext());
	return status;
}
