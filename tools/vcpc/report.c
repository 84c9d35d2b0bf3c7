// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * vcpc report: write an archive, or a comparison of two, as one self-contained page for a browser.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "archives.h"
#include "damage.h"
#include "options.h"
#include "output.h"
#include "record_why.h"
#include "report.h"
#include "vcpc.h"

#define OPTION_FOLDED	256

static int report_help(void)
{
	printf("Usage: vcpc report ARCHIVE -o FILE.html\n"
	       "       vcpc report A B -o FILE.html\n\n"
	       "Writes a self-contained HTML page about an archive, which browsers can show offline.\n"
	       "It has a table of all transactions with their costs, charts of rates over time, percentiles\n"
	       "and a heat map of durations, charts of counts against durations, and a table of all metrics\n"
	       "with their definitions.\n\n"
	       "With two archives, the page begins with their comparison, and each chart shows both.  A and\n"
	       "B can be several runs, as for 'vcpc compare'; the charts show the first run of each.\n\n"
	       "      --folded FILE     draw flame graphs of the stacks in FILE, the output of\n"
	       "                        'vcpc why --folded-diff' (default: ARCHIVE.folded, if it exists)\n"
	       "  -o, --output FILE     write to FILE; - is standard output\n"
	       "%s", VCPC_ARCHIVE_HELP VCPC_WINDOW_HELP);
	return 0;
}

void report_use(const struct report_side *side)
{
	pmUseContext(side->context);
}

static int write_page(struct report *r, const char *name)
{
	struct vcpc_output output;
	int status = vcpc_output_open(&output, name);

	if (status)
		return status;
	return vcpc_output_close(&output, report_page(output.file, r));
}

/*
 * Read the file of --folded or, if it exists, the file that 'vcpc record --why' has written next to
 * the archive.
 */
static int read_stacks(struct report_side *side)
{
	char *path = NULL;
	int status = 0;

	if (side->folded)
		return report_stacks_read(&side->stacks, side->folded);
	if (asprintf(&path, "%s" VCPC_STACKS_SUFFIX, side->archive) < 0)
		return vcpc_fail(ENOMEM, "stacks");
	if (!access(path, F_OK))
		status = report_stacks_read(&side->stacks, path);
	free(path);
	return status;
}

/* Read an archive. @side->drawing has groups if there is data to show, even after an error. */
static int read_side(struct report_side *side)
{
	struct vcpc_drawing *d = &side->drawing;
	const struct vcpc_read read = { .window = &d->tally.window };
	int status = vcpc_open_archive(side->archive);

	if (status)
		return status;
	side->context = pmWhichContext();
	status = vcpc_drawing_read(d, side->archive);
	if (d->tally.groups)
		status |= read_stacks(side);
	if (d->tally.groups)
		status |= vcpc_run_of(&side->run, &d->tally) | vcpc_damage(side->archive, &read);
	return status;
}

/* Compare the sides: their first runs, which have already been read, and all other runs. */
static int report_compare(struct report *r, char **argv)
{
	struct vcpc_comparison *c = &r->comparison;
	int status = 0, err;

	for (size_t i = 0; i < r->n; i++) {
		c->runs[i] = malloc(sizeof(*c->runs[i]));
		if (!c->runs[i])
			return vcpc_fail(ENOMEM, "runs");
		c->runs[i][0] = r->sides[i].run;
		c->nruns[i] = 1;
		r->sides[i].run = (struct vcpc_run){ NULL };
	}
	status = vcpc_comparison_read(c, &r->sides[0].drawing.tally.window, argv, (char *[]){ NULL });
	err = status ? 0 : vcpc_comparison_make(c);
	return err ? vcpc_fail(err, "comparison") : status;
}

/*
 * Read the first archive of each of @argv; a single argument may be a directory, whose archives are
 * read as a single one.
 */
static int read_sides(struct report *r, char **argv, struct vcpc_archives *archives)
{
	int status = 0;

	for (size_t i = 0; i < r->n && !status; i++) {
		r->sides[i].archive = argv[i];
		if (r->n > 1)
			status = vcpc_comparison_archives(&archives[i], argv[i]);
		if (r->n > 1 && !status)
			r->sides[i].archive = archives[i].names[0];
		if (!status)
			status = read_side(&r->sides[i]);
	}
	return status;
}

/*
 * Write a page about an archive (or its readable part) or about two sides. Return the exit status.
 */
static int report(struct report *r, char **argv, const char *name)
{
	struct vcpc_archives archives[VCPC_SIDES] = { 0 };
	int status = read_sides(r, argv, archives);

	if (r->n > 1 && !status)
		status = report_compare(r, argv);
	if (r->sides[0].drawing.tally.groups && (r->n == 1 || !status))
		status |= write_page(r, name);
	for (size_t i = 0; i < r->n; i++)
		vcpc_archives_free(&archives[i]);
	return status;
}

static void report_release(struct report *r)
{
	vcpc_comparison_free(&r->comparison);
	for (size_t i = 0; i < r->n; i++) {
		vcpc_drawing_free(&r->sides[i].drawing);
		vcpc_run_free(&r->sides[i].run);
		report_stacks_free(&r->sides[i].stacks);
		if (r->sides[i].context >= 0)
			pmDestroyContext(r->sides[i].context);
	}
}

int vcpc_cmd_report(int argc, char **argv)
{
	static const struct option longs[] = {
		{ "folded", required_argument, NULL, OPTION_FOLDED },
		{ "output", required_argument, NULL, 'o' },
		{ "help", no_argument, NULL, 'h' },
		VCPC_WINDOW_LONG,
		{ NULL, 0, NULL, 0 },
	};
	struct report r = { .sides = { { .context = -1 }, { .context = -1 } }, .n = 1 };
	struct vcpc_window *window = &r.sides[0].drawing.tally.window;
	char *archives[VCPC_SIDES] = { NULL };
	const char *output = NULL;
	int c;

	while ((c = vcpc_getopt(argc, argv, "o:h" VCPC_WINDOW_SHORT, longs)) != -1) {
		if (c == 'h')
			return report_help();
		if (c == 'o')
			output = optarg;
		else if (c == OPTION_FOLDED)
			r.sides[0].folded = optarg;
		else if (!vcpc_window_option(window, c, optarg))
			return vcpc_usage(NULL);
	}
	archives[0] = (char *)vcpc_window_archive(window, argv);
	if (!archives[0])
		return VCPC_EXIT_USAGE;
	if (optind < argc)
		archives[r.n++] = argv[optind++];
	if (optind < argc)
		return vcpc_usage("at most two archives are allowed");
	if (r.n > 1 && r.sides[0].folded)
		return vcpc_usage("--folded requires a single archive");
	if (!output && isatty(STDOUT_FILENO))
		return vcpc_usage("an output file is required: -o FILE.html");
	r.sides[1].drawing.tally.window = *window;
	c = report(&r, archives, output);
	report_release(&r);
	return c;
}
