// SPDX-License-Identifier: GPL-2.0-or-later
/* vcpc trace: turn the machine's tracing on and off, and show what was traced. */
#define _GNU_SOURCE
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <shim/trace.h>

#include "vcpc.h"

#define BAR_WIDTH	40

static const char help_text[] =
	"Usage: vcpc trace on [--max-tags N] [--max-open N]\n"
	"       vcpc trace off\n"
	"       vcpc trace show [--hist]\n"
	"\n"
	"Times the transactions of all programs that call pmtracebegin() and pmtraceend(),\n"
	"and counts their points, observations and counters, until it is turned off.\n"
	"Needs root and the vcpc module; the programs need neither.\n"
	"\n"
	"  --max-tags N  how many tags can have statistics\n"
	"  --max-open N  how many pairs of tag and process can be in a transaction\n"
	"  --hist        also show how the transactions' times are distributed\n"
	"\n"
	"The statistics are in /sys/fs/bpf/vcpc, too: bpftool map dump pinned ...\n";

struct options {
	struct shim_trace_options on;
	int hist;
};

/* "123", 1 to 2^30: 0, or -1 if it is anything else */
static int parse_number(const char *s, uint32_t *n)
{
	char *end;
	unsigned long number = strtoul(s, &end, 10);

	if (*s < '0' || *s > '9' || *end || !number || number > 1ul << 30)
		return -1;
	*n = number;
	return 0;
}

static int do_on(const struct options *options)
{
	int err = shim_trace_on(&options->on);

	switch (err) {
	case 0:
		return 0;
	case -EEXIST:
		return vcpc_fail(0, "tracing is on already");
	case -ENOSYS:
		return vcpc_fail(0, "this kernel has no BPF");
	default:
		return vcpc_fail(err, "cannot turn tracing on");
	}
}

static int do_off(const struct options *options)
{
	int err = shim_trace_off();

	(void)options;
	if (err == -ENOENT)
		return vcpc_fail(0, "tracing is off already");
	return err ? vcpc_fail(err, "cannot turn tracing off") : 0;
}

static const char *kind_name(uint32_t kind)
{
	static const char *const names[] = {
		[SHIM_TRACE_TRANSACTION] = "transaction",
		[SHIM_TRACE_POINT] = "point",
		[SHIM_TRACE_OBSERVATION] = "observation",
		[SHIM_TRACE_COUNTER] = "counter",
	};

	return kind < sizeof(names) / sizeof(names[0]) && names[kind] ? names[kind] : "?";
}

/* "12.3 us": three digits and a unit */
static const char *time_text(char *text, size_t size, double ns)
{
	static const struct {
		double ns;
		const char *name;
	} units[] = { { 1e9, "s" }, { 1e6, "ms" }, { 1e3, "us" }, { 1, "ns" } };
	size_t i = 0;
	double n;

	while (i < 3 && ns < units[i].ns)
		i++;
	n = ns / units[i].ns;
	snprintf(text, size, "%.*f %s", n < 10 && i < 3 ? 2 : n < 100 && i < 3 ? 1 : 0, n,
		 units[i].name);
	return text;
}

static int by_kind_and_name(const void *a, const void *b)
{
	const struct shim_trace_stat *const *x = a, *const *y = b;

	if ((*x)->kind != (*y)->kind)
		return (*x)->kind < (*y)->kind ? -1 : 1;
	return strcmp((*x)->name, (*y)->name);
}

static void show_hist(const struct shim_trace_stat *stat)
{
	char from[32], to[32];
	uint64_t most = 0;
	int first = SHIM_TRACE_HIST_SLOTS, last = -1;

	for (int i = 0; i < SHIM_TRACE_HIST_SLOTS; i++) {
		if (!stat->hist[i])
			continue;
		first = i < first ? i : first;
		last = i;
		most = stat->hist[i] > most ? stat->hist[i] : most;
	}
	for (int i = first; i <= last; i++) {
		int bar = (stat->hist[i] * BAR_WIDTH + most - 1) / most;

		printf("    %8s to %-8s |%-*.*s| %llu\n",
		       time_text(from, sizeof(from), i ? (double)(1ull << i) : 0),
		       time_text(to, sizeof(to), 2.0 * (1ull << i)), BAR_WIDTH, bar,
		       "########################################",
		       (unsigned long long)stat->hist[i]);
	}
}

static void show_stat(const struct shim_trace_stat *stat, int width)
{
	char mean[32] = "-", min[32] = "-", max[32] = "-", value[32] = "-";

	if (stat->kind == SHIM_TRACE_TRANSACTION) {
		time_text(mean, sizeof(mean), (double)stat->sum_ns / stat->count);
		time_text(min, sizeof(min), stat->min_ns);
		time_text(max, sizeof(max), stat->max_ns);
	} else if (stat->kind != SHIM_TRACE_POINT) {
		snprintf(value, sizeof(value), "%g", stat->value);
	}
	printf("%-*s  %-11s %10llu %9s %9s %9s %12s\n", width, stat->name, kind_name(stat->kind),
	       (unsigned long long)stat->count, mean, min, max, value);
}

static void show_table(const struct shim_trace_stat **stats, size_t n, int hist)
{
	int width = 3;

	for (size_t i = 0; i < n; i++) {
		int len = strlen(stats[i]->name);

		width = len > width ? len : width;
	}
	printf("%-*s  %-11s %10s %9s %9s %9s %12s\n", width, "TAG", "KIND", "COUNT", "MEAN", "MIN",
	       "MAX", "LAST VALUE");
	for (size_t i = 0; i < n; i++) {
		show_stat(stats[i], width);
		if (hist && stats[i]->kind == SHIM_TRACE_TRANSACTION)
			show_hist(stats[i]);
	}
}

static int show_stats(struct shim_trace *trace, int hist)
{
	const struct shim_trace_stat **stats;
	size_t n;
	int err = shim_trace_stats_get(trace, &n);

	if (err)
		return err;
	stats = calloc(n + 1, sizeof(*stats));
	if (!stats)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++)
		stats[i] = shim_trace_stat_at(trace, i);
	qsort(stats, n, sizeof(*stats), by_kind_and_name);
	show_table(stats, n, hist);
	free(stats);
	return 0;
}

static int show_drops(struct shim_trace *trace)
{
	struct shim_trace_drops drops;
	int err = shim_trace_drops_get(trace, &drops);
	const struct {
		uint64_t n;
		const char *why;
	} reasons[] = {
		{ drops.open_full, "begins, as too many transactions were open (--max-open)" },
		{ drops.stat_full, "events of a new tag, as there are too many (--max-tags)" },
		{ drops.tag_full, "events of a new name, as there are too many (--max-tags)" },
		{ drops.not_open, "ends whose begin was before tracing was on, or lost" },
	};

	for (size_t i = 0; !err && i < sizeof(reasons) / sizeof(reasons[0]); i++)
		if (reasons[i].n)
			printf("not recorded: %llu %s\n", (unsigned long long)reasons[i].n,
			       reasons[i].why);
	return err;
}

static int do_show(const struct options *options)
{
	struct shim_trace *trace;
	int err = shim_trace_open(&trace);

	if (err == -ENOENT)
		return vcpc_fail(0, "tracing is off; turn it on with 'vcpc trace on'");
	if (err)
		return vcpc_fail(err, "cannot read the statistics");
	err = show_stats(trace, options->hist);
	if (!err)
		err = show_drops(trace);
	shim_trace_close(trace);
	return err ? vcpc_fail(err, "cannot read the statistics") : 0;
}

static const struct action {
	const char *name;
	int (*fn)(const struct options *options);
	const char *takes;	/* its options' letters */
} actions[] = {
	{ "on", do_on, "to" },
	{ "off", do_off, "" },
	{ "show", do_show, "H" },
};

static const struct action *find_action(const char *name)
{
	for (size_t i = 0; i < sizeof(actions) / sizeof(actions[0]); i++)
		if (!strcmp(actions[i].name, name))
			return &actions[i];
	return NULL;
}

/* An option: 0, or why not */
static const char *take_option(int letter, struct options *options)
{
	switch (letter) {
	case 't':
		return parse_number(optarg, &options->on.max_tags) ? "--max-tags: a number" : NULL;
	case 'o':
		return parse_number(optarg, &options->on.max_open) ? "--max-open: a number" : NULL;
	case 'H':
		options->hist = 1;
		return NULL;
	default:
		return "";
	}
}

/* vcpc trace on|off|show */
int vcpc_cmd_trace(int argc, char **argv)
{
	static const struct option longs[] = {
		{ "max-tags", required_argument, NULL, 't' },
		{ "max-open", required_argument, NULL, 'o' },
		{ "hist", no_argument, NULL, 'H' },
		{ "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 }
	};
	struct options options = { .on.size = sizeof(options.on) };
	char used[8] = "";
	const struct action *action;
	int letter;

	while ((letter = getopt_long(argc, argv, "h", longs, NULL)) != -1) {
		const char *wrong;

		if (letter == 'h') {
			fputs(help_text, stdout);
			return 0;
		}
		wrong = take_option(letter, &options);
		if (wrong)
			return *wrong ? vcpc_usage("%s", wrong) : vcpc_usage(NULL);
		if (strlen(used) < sizeof(used) - 1)
			used[strlen(used)] = letter;
	}
	if (argc - optind != 1)
		return vcpc_usage("on, off or show?");
	action = find_action(argv[optind]);
	if (!action)
		return vcpc_usage("on, off or show, not '%s'", argv[optind]);
	if (used[strspn(used, action->takes)])
		return vcpc_usage("'%s' does not take that option", action->name);
	return action->fn(&options);
}
