// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * vcpc compare: report what changed between two recorded runs or sets of runs, and check limits.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "comparison.h"
#include "limit.h"
#include "options.h"
#include "vcpc.h"

#define EXIT_BEYOND	3

struct job {
	struct vcpc_window window;	/* the options for windows */
	struct vcpc_limit *limits;
	size_t nlimits;
	bool json;
	struct vcpc_comparison comparison;
};

static int compare_help(void)
{
	printf("Usage: vcpc compare A B [--fail-if CONDITION]... [-j] [METRIC...]\n\n"
	       "Compares the recorded runs A and B: the command's counts, and the number, durations and\n"
	       "counts of each transaction.  Each side is an archive, or several runs: a comma-separated\n"
	       "list of archives, or a directory.  If both sides have several runs, prints a confidence\n"
	       "interval for each difference.\n\n"
	       "  -f, --fail-if COND    exit with status 3 if COND holds; can be repeated:\n"
	       "                        'checkout:instructions > +2%%'   in each transaction\n"
	       "                        'checkout:p99 > +1ms', 'elapsed >= +5%%', 'cycles < 0'\n"
	       "                        COND must hold for the whole confidence interval, if there is one.\n"
	       "                        If a side has only one run, durations are checked only if COND ends\n"
	       "                        with 'from one run', because they differ from run to run.\n"
	       "  -j, --json            print one JSON object, with the values of each run\n"
	       "%s", VCPC_WINDOW_HELP);
	return 0;
}

static int add_limit(struct job *job, const char *text)
{
	struct vcpc_limit *limits = reallocarray(job->limits, job->nlimits + 1, sizeof(*limits));
	int status;

	if (!limits)
		return vcpc_fail(ENOMEM, "conditions");
	job->limits = limits;
	status = vcpc_limit_parse(&limits[job->nlimits], text);
	job->nlimits += !status;
	return status;
}

static const struct vcpc_pair *pair_find(const struct vcpc_comparison *c,
					 const struct vcpc_limit *limit)
{
	for (size_t i = 0; i < c->npairs; i++)
		if (vcpc_limit_names(limit, c->pairs[i].scope, c->pairs[i].what))
			return &c->pairs[i];
	return NULL;
}

/* Return whether there is a quantity with this name and the mode @mode, such as instructions:u. */
static bool has_mode(const struct vcpc_comparison *c, const char *name, const char *mode)
{
	struct vcpc_limit limit = { 0 };
	bool found = asprintf(&limit.name, "%s:%s", name, mode) > 0 && pair_find(c, &limit);

	free(limit.name);
	return found;
}

static int fail_unknown(const struct vcpc_comparison *c, const char *name)
{
	static const char *const modes[] = { "u", "k" };

	for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++)
		if (has_mode(c, name, modes[i]))
			return vcpc_fail(0, "neither side has '%s', but '%s:%s', which was counted in only one mode",
					 name, name, modes[i]);
	return vcpc_fail(0, "neither side has '%s'; use a name from the table, such as checkout:p99", name);
}

/*
 * Judge a condition. Return 0, EXIT_BEYOND if it holds, or VCPC_EXIT_FAILURE after a message if the
 * quantity does not exist on both sides.
 */
static int judge(const struct vcpc_comparison *c, const struct vcpc_limit *limit, FILE *out)
{
	const struct vcpc_pair *pair = pair_find(c, limit);

	if (!pair)
		return fail_unknown(c, limit->name);
	if (!pair->n[0] || !pair->n[1])
		return vcpc_fail(0, "'%s' is only in %s", limit->name, pair->n[0] ? "A" : "B");
	if (pair->seconds && !pair->difference.known && !limit->one_run)
		return vcpc_fail(0, "'%s' is a duration, and durations differ from run to run: record several runs per side, or check it anyway with '%s from one run'",
				 limit->name, limit->text);
	switch (vcpc_limit_judge(limit, &pair->difference)) {
	case VCPC_BEYOND:
		fprintf(out, "FAIL  %s\n", limit->text);
		return EXIT_BEYOND;
	case VCPC_UNCERTAIN:
		fprintf(out, "pass  %s (uncertain: it holds for only part of the interval)\n", limit->text);
		return 0;
	default:
		fprintf(out, "pass  %s\n", limit->text);
		return 0;
	}
}

static int judge_all(const struct job *job)
{
	/* With --json, only the JSON goes to standard output. */
	FILE *out = job->json ? stderr : stdout;
	int status = 0;

	if (job->nlimits && !job->json)
		fputc('\n', out);
	for (size_t i = 0; i < job->nlimits; i++) {
		int one = judge(&job->comparison, &job->limits[i], out);

		if (one && status != VCPC_EXIT_FAILURE)
			status = one;
	}
	return status;
}

static int runs_compare(struct job *job, char **argv)
{
	int status = vcpc_comparison_read(&job->comparison, &job->window, argv, argv + VCPC_SIDES);
	int err = status ? 0 : vcpc_comparison_make(&job->comparison);

	if (err)
		return vcpc_fail(err, "comparison");
	if (status)
		return status;
	if (!job->comparison.npairs)
		return vcpc_fail(0, "the archives have no numeric values in this window");
	if (job->json)
		vcpc_comparison_json(stdout, &job->comparison);
	else
		vcpc_comparison_table(stdout, &job->comparison);
	status = judge_all(job);
	err = vcpc_flush();
	return err ? err : status;
}

static int compare_option(struct job *job, int c)
{
	if (vcpc_window_option(&job->window, c, optarg))
		return 0;
	if (c == 'f')
		return add_limit(job, optarg);
	job->json |= c == 'j';
	return c == 'j' ? 0 : vcpc_usage(NULL);
}

static void compare_release(struct job *job)
{
	vcpc_comparison_free(&job->comparison);
	for (size_t i = 0; i < job->nlimits; i++)
		free(job->limits[i].name);
	free(job->limits);
}

int vcpc_cmd_compare(int argc, char **argv)
{
	static const struct option longs[] = {
		{ "fail-if", required_argument, NULL, 'f' }, { "json", no_argument, NULL, 'j' },
		{ "help", no_argument, NULL, 'h' },	     VCPC_WINDOW_LONG,
		{ NULL, 0, NULL, 0 },
	};
	struct job job = { 0 };
	int c, status = 0;

	while (!status && (c = vcpc_getopt(argc, argv, "f:jh" VCPC_WINDOW_SHORT, longs)) != -1) {
		if (c == 'h') {
			compare_release(&job);
			return compare_help();
		}
		status = compare_option(&job, c);
	}
	if (!status && argc - optind < VCPC_SIDES)
		status = vcpc_usage("two archives are required");
	if (!status)
		status = runs_compare(&job, argv + optind);
	compare_release(&job);
	return status;
}
