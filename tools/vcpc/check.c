// SPDX-License-Identifier: GPL-2.0-or-later
/* vcpc check: what is wrong with archives. */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>

#include <shim/archive.h>

#include "vcpc.h"
#include "window.h"

#define MOST	100	/* problems of an archive that are shown one by one */

/* How a check goes on */
struct job {
	struct vcpc_progress progress;
	unsigned int said;
};

static int help(void)
{
	printf("Usage: vcpc check ARCHIVE...\n\n"
	       "Looks for all that is wrong with each ARCHIVE: files that are missing or end too early,\n"
	       "damaged records, metrics and instances that are not described, times that go back,\n"
	       "and an index that leads nowhere.  Prints file, place and problem, a line each.\n");
	return 0;
}

static void problem(void *arg, const char *file, uint64_t offset, const char *text)
{
	struct job *job = arg;

	vcpc_progress_end(&job->progress);
	if (job->said++ < MOST)
		printf("%s: %llu: %s\n", file, (unsigned long long)offset, text);
}

static void progress(void *arg, uint64_t done, uint64_t total)
{
	struct job *job = arg;

	vcpc_progress_at(&job->progress, (double)done / (double)(total ? total : 1));
}

static int check(const char *archive)
{
	struct job job = { 0 };
	const struct shim_archive_watch watch = {
		.size = sizeof(watch),
		.problem = problem,
		.progress = progress,
		.arg = &job,
	};
	int n;

	vcpc_progress_start(&job.progress, 0, 1);
	n = shim_archive_check(archive, &watch);
	vcpc_progress_end(&job.progress);
	if (n == -ENOENT)
		return vcpc_fail(0, "there is no archive '%s' (no file %s.meta)", archive, archive);
	if (n < 0)
		return vcpc_fail(n, "%s", archive);
	if (n > MOST)
		printf("... and %d more\n", n - MOST);
	return n ? vcpc_fail(0, "%s: %d %s", archive, n, n == 1 ? "problem" : "problems") : 0;
}

int vcpc_cmd_check(int argc, char **argv)
{
	static const struct option longs[] = {
		{ "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 },
	};
	int c, status = 0;

	while ((c = getopt_long(argc, argv, "h", longs, NULL)) != -1)
		return c == 'h' ? help() : vcpc_usage(NULL);
	if (optind == argc)
		return vcpc_usage("which archive?");
	for (; optind < argc; optind++) {
		int one = check(argv[optind]);

		status = one ? one : status;
	}
	return status;
}
