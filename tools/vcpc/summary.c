// SPDX-License-Identifier: GPL-2.0-or-later
/* vcpc summary: print averages, minima and maxima of an archive's metrics. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "damage.h"
#include "options.h"
#include "tally.h"
#include "text.h"
#include "vcpc.h"

#define HISTOGRAM	"vcpc.transact.hist"

static int summary_help(void)
{
	printf("Usage: vcpc summary ARCHIVE [METRIC...]\n\n"
	       "For each numeric metric and instance, prints the number of values, their average over\n"
	       "time, the minimum and the maximum.  Counters are shown as rates per second between\n"
	       "records, except across marks.  Histograms are omitted unless they are named.\n\n"
	       "%s", VCPC_ARCHIVE_HELP VCPC_WINDOW_HELP);
	return 0;
}

static void put_name(const struct vcpc_entry *e, int inst, char *buf, size_t size)
{
	char *name;
	int err;

	snprintf(buf, size, "%s", e->name);
	if (e->desc.indom == PM_INDOM_NULL)
		return;
	err = pmNameInDomArchive(e->desc.indom, inst, &name);
	if (err == -ENOMEM)
		vcpc_no_memory();
	if (err) {
		snprintf(buf, size, "%s[%d]", e->name, inst);
		return;
	}
	snprintf(buf, size, "%s[%s]", e->name, name);
	vcpc_printable(buf, "");
	free(name);
}

static void put_row(const struct vcpc_entry *e, const struct vcpc_row *row, int width)
{
	const char *units = pmUnitsStr(&e->desc.units);
	double average = row->seconds > 0 ? row->weighted / row->seconds : row->sum / row->n;
	char name[512];

	put_name(e, row->inst, name, sizeof(name));
	printf("%-*s %8lu %12.6g %12.6g %12.6g %s%s\n", width, name, row->n, average, row->least,
	       row->most, units, e->desc.sem == PM_SEM_COUNTER ? "/s" : "");
}

static void put_all(const struct vcpc_tally *s)
{
	size_t width = 6;
	char name[512];

	for (size_t i = 0; i < s->catalog.n; i++) {
		for (size_t j = 0; j < s->groups[i].n; j++) {
			put_name(&s->catalog.entries[i], s->groups[i].rows[j].inst, name,
				 sizeof(name));
			width = strlen(name) > width ? strlen(name) : width;
		}
	}
	printf("%-*s %8s %12s %12s %12s\n", (int)width, "metric", "values", "average", "minimum",
	       "maximum");
	for (size_t i = 0; i < s->catalog.n; i++)
		for (size_t j = 0; j < s->groups[i].n; j++)
			if (s->groups[i].rows[j].n)
				put_row(&s->catalog.entries[i], &s->groups[i].rows[j], (int)width);
}

/*
 * Empty the histograms, because their hundreds of buckets would hide the other metrics.  Return the
 * number of omitted rows.
 */
static size_t drop_histograms(struct vcpc_tally *s)
{
	size_t dropped = 0;

	for (size_t i = 0; i < s->catalog.n; i++) {
		if (strcmp(s->catalog.entries[i].name, HISTOGRAM))
			continue;
		dropped += s->groups[i].n;
		s->groups[i].n = 0;
	}
	return dropped;
}

static int summarize(struct vcpc_tally *s, const char *archive, char **names)
{
	const struct vcpc_read read = { .window = &s->window };
	int status = vcpc_tally_read(s, archive, names);
	size_t dropped = s->groups && !*names ? drop_histograms(s) : 0;

	if (s->groups)
		put_all(s);
	if (dropped)
		printf("(%zu histogram buckets are omitted; to print them: vcpc summary ARCHIVE " HISTOGRAM ")\n",
		       dropped);
	return s->groups ? status | vcpc_damage(archive, &read) : status;
}

int vcpc_cmd_summary(int argc, char **argv)
{
	static const struct option longs[] = {
		{ "help", no_argument, NULL, 'h' },
		VCPC_WINDOW_LONG,
		{ NULL, 0, NULL, 0 },
	};
	struct vcpc_tally s = { 0 };
	const char *archive;
	int c, status;

	while ((c = vcpc_getopt(argc, argv, "h" VCPC_WINDOW_SHORT, longs)) != -1) {
		if (c == 'h')
			return summary_help();
		if (!vcpc_window_option(&s.window, c, optarg))
			return vcpc_usage(NULL);
	}
	archive = vcpc_window_archive(&s.window, argv);
	if (!archive)
		return VCPC_EXIT_USAGE;
	status = vcpc_open_archive(archive);
	if (status)
		return status;
	status = summarize(&s, archive, argv + optind);
	vcpc_tally_free(&s);
	pmDestroyContext(pmWhichContext());
	return status;
}
