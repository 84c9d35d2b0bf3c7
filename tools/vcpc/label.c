// SPDX-License-Identifier: GPL-2.0-or-later
/* vcpc label: print an archive's host and time span. */
#include <stdio.h>
#include <string.h>

#include "catalog.h"
#include "export.h"
#include "options.h"
#include "text.h"
#include "vcpc.h"

static int label_help(void)
{
	printf("Usage: vcpc label [-Z ZONE | -z] ARCHIVE...\n\n"
	       "For each ARCHIVE, prints its version, host, time zone, time span and size.\n\n"
	       "  -Z, --timezone ZONE   print times in this zone (as in TZ)\n"
	       "  -z, --hostzone        print times in the zone of the archive's host\n");
	return 0;
}

static void label_count(const char *name, void *closure)
{
	size_t *n = closure;

	if (strncmp(name, "event.", 6))
		++*n;
}

static void put_time(const char *what, struct timespec when)
{
	char buf[64];

	vcpc_iso_time(buf, sizeof(buf), when);
	printf("  %-10s %s\n", what, buf);
}

static int label_show(struct vcpc_window *w, const char *archive)
{
	int status = vcpc_open_archive(archive);
	size_t metrics = 0;
	int ret;

	if (status)
		return status;
	status = vcpc_window_set(w, archive);
	if (!status) {
		ret = pmTraversePMNS_r("", label_count, &metrics);
		if (ret < 0)
			status = vcpc_fail_pm(ret, archive);
	}
	if (!status) {
		vcpc_printable(w->label.hostname, "");
		vcpc_printable(w->label.timezone, "");
		vcpc_printable(w->label.zoneinfo, "");
		vcpc_put_printable(stdout, archive, "");
		printf("\n  %-10s %d\n  %-10s %s\n  %-10s %s%s%s\n", "version",
		       w->label.magic & 0xff, "host", w->label.hostname, "zone",
		       w->label.timezone, *w->label.zoneinfo ? " " : "", w->label.zoneinfo);
		put_time("start", w->label.start);
		put_time("end", w->end);
		printf("  %-10s %.9g s\n", "length",
		       (vcpc_ns_of(w->end) - vcpc_ns_of(w->label.start)) / 1e9);
		printf("  %-10s %zu\n  %-10s %d\n", "metrics", metrics, "writer",
		       (int)w->label.pid);
	}
	pmDestroyContext(pmWhichContext());
	return status;
}

int vcpc_cmd_label(int argc, char **argv)
{
	static const struct option longs[] = {
		{ "timezone", required_argument, NULL, 'Z' },
		{ "hostzone", no_argument, NULL, 'z' },
		{ "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 },
	};
	struct vcpc_window w = { 0 };
	int c, status = 0;

	while ((c = vcpc_getopt(argc, argv, "Z:zh", longs)) != -1) {
		if (c == 'h')
			return label_help();
		if (!vcpc_window_option(&w, c, optarg))
			return vcpc_usage(NULL);
	}
	if (optind == argc)
		return vcpc_usage("an archive is required");
	for (; optind < argc; optind++) {
		int one = label_show(&w, argv[optind]);

		status = one ? one : status;
	}
	return status;
}
