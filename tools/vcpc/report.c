// SPDX-License-Identifier: GPL-2.0-or-later
/* vcpc report: writes an archive as one self-contained page for a browser. */
#include <unistd.h>

#include "damage.h"
#include "options.h"
#include "output.h"
#include "report.h"
#include "vcpc.h"

static int help(void)
{
	printf("Usage: vcpc report ARCHIVE -o FILE.html\n\n"
	       "Makes one HTML page of an archive, for any browser and without a network: rates over\n"
	       "time, percentiles and a heat map of durations, counts against durations, and a table of\n"
	       "all metrics with their definitions.\n\n"
	       "  -o, --output FILE     write to FILE; - is standard output\n"
	       "%s", VCPC_ARCHIVE_HELP VCPC_WINDOW_HELP);
	return 0;
}

static int write_page(struct vcpc_drawing *d, const char *archive, const char *name)
{
	struct vcpc_output output;
	int status = vcpc_output_open(&output, name);

	if (status)
		return status;
	return vcpc_output_close(&output, report_page(output.file, d, archive));
}

static int report(struct vcpc_drawing *d, const char *archive, const char *name)
{
	const struct vcpc_read read = { .window = &d->tally.window };
	int status = vcpc_open_archive(archive);

	if (status)
		return status;
	/* write a page of what could be read, also if an error ended the archive early */
	status = vcpc_drawing_read(d, archive);
	if (d->tally.groups)
		status |= write_page(d, archive, name) | vcpc_damage(archive, &read);
	vcpc_drawing_free(d);
	pmDestroyContext(pmWhichContext());
	return status;
}

int vcpc_cmd_report(int argc, char **argv)
{
	static const struct option longs[] = {
		{ "output", required_argument, NULL, 'o' },
		{ "help", no_argument, NULL, 'h' },
		VCPC_WINDOW_LONG,
		{ NULL, 0, NULL, 0 },
	};
	struct vcpc_drawing d = { 0 };
	const char *output = NULL, *archive;
	int c;

	while ((c = vcpc_getopt(argc, argv, "o:h" VCPC_WINDOW_SHORT, longs)) != -1) {
		if (c == 'h')
			return help();
		if (c == 'o')
			output = optarg;
		else if (!vcpc_window_option(&d.tally.window, c, optarg))
			return vcpc_usage(NULL);
	}
	archive = vcpc_window_archive(&d.tally.window, argv);
	if (!archive)
		return VCPC_EXIT_USAGE;
	if (optind < argc)
		return vcpc_usage("only one archive is allowed");
	if (!output && isatty(STDOUT_FILENO))
		return vcpc_usage("an output file is required: -o FILE.html");
	return report(&d, archive, output);
}
