// SPDX-License-Identifier: GPL-2.0-or-later
/* vcpc check: report damaged and missing parts of archives. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <shim/archive.h>

#include "archives.h"
#include "options.h"
#include "text.h"
#include "vcpc.h"
#include "window.h"

#define MOST	100	/* maximum number of problems and notes shown per archive */

/*
 * struct job - the running checks
 * @archives: all archives to check; @now: index of the current one
 * @folder: length of the directory in the current archive's name, printed before its files' names
 * @said: number of the current archive's problems and notes so far
 * @bad: number of damaged archives
 */
struct job {
	struct vcpc_archives archives;
	struct vcpc_progress progress;
	size_t now, bad;
	int folder;
	unsigned int said;
};

static int check_help(void)
{
	printf("Usage: vcpc check ARCHIVE...\n\n"
	       "Checks all files of each ARCHIVE and prints a line for each finding: the file, the\n"
	       "byte offset, a description, and one of these words:\n"
	       "  damaged     the data is wrong: bad records or index entries, times out of order\n"
	       "  incomplete  an instance's name or a file is missing; the values are correct\n"
	       "  unknown     a newer version of PCP wrote it; the values are correct\n\n"
	       "ARCHIVE can be one of an archive's files, a directory (all archives in it), or a\n"
	       "comma-separated list.  The exit status is 1 if an archive is damaged.\n");
	return 0;
}

/* Print a finding, with the directory if several archives are checked. */
static void print_finding(struct job *job, const char *word, const char *file, uint64_t offset,
			  const char *text)
{
	char path[2 * PATH_MAX];

	vcpc_progress_end(&job->progress);
	if (job->said++ >= MOST)
		return;
	snprintf(path, sizeof(path), "%.*s%s", job->folder, job->archives.names[job->now], file);
	vcpc_put_printable(stdout, path, "");
	printf(": %llu: %s: ", (unsigned long long)offset, word);
	vcpc_put_printable(stdout, text, "");
	putchar('\n');
}

static void problem(void *arg, const char *file, uint64_t offset, const char *text)
{
	print_finding(arg, "damaged", file, offset, text);
}

static void finding_note(void *arg, int kind, const char *file, uint64_t offset, const char *text)
{
	print_finding(arg, kind == SHIM_ARCHIVE_UNKNOWN ? "unknown" : "incomplete", file, offset,
		      text);
}

static void progress(void *arg, uint64_t done, uint64_t total)
{
	struct job *job = arg;

	vcpc_progress_at(&job->progress, job->now + (double)done / (double)(total ? total : 1));
}

/* Report a file that vcpc record --compress leaves if it is killed while it compresses. */
static void note_unfinished(struct job *job, const char *archive)
{
	const char *slash = strrchr(archive, '/');
	char path[PATH_MAX + 16];
	int len = snprintf(path, sizeof(path), "%s.0.xz.part", archive);

	if (len < (int)sizeof(path) && !access(path, F_OK))
		print_finding(job, "incomplete", path + (slash ? slash + 1 - archive : 0), 0,
			      "an unfinished compressed copy; remove it unless vcpc record is running");
}

static int archive_check(struct job *job, const char *archive)
{
	const struct shim_archive_watch watch = {
		.size = sizeof(watch),
		.problem = problem,
		.progress = progress,
		.arg = job,
		.note = finding_note,
	};
	const char *slash = job->archives.n > 1 ? strrchr(archive, '/') : NULL;
	int n;

	job->said = 0;
	job->folder = slash ? slash + 1 - archive : 0;
	n = shim_archive_check(archive, &watch);
	if (n >= 0)
		note_unfinished(job, archive);
	vcpc_progress_end(&job->progress);
	fflush(stdout);
	if (n == -ENOENT)
		return *archive ? vcpc_fail(0, "archive '%s' not found (no file %s.meta)", archive, archive) :
				  vcpc_fail(0, "the archive name is empty");
	if (n < 0)
		return vcpc_fail(n, "%s", archive);
	if (job->said > MOST)
		printf("... and %u more\n", job->said - MOST);
	return n ? vcpc_fail(0, "%s is damaged (%d %s)", archive, n, n == 1 ? "problem" : "problems") : 0;
}

static int check_all(struct job *job)
{
	struct vcpc_archives *all = &job->archives;
	int status = 0;

	vcpc_progress_start(&job->progress, 0, all->n);
	/*
	 * Show progress even if stdout is also a terminal: little is printed, and problem() clears
	 * the progress.
	 */
	job->progress.visible = isatty(STDERR_FILENO);
	for (job->now = 0; job->now < all->n; job->now++) {
		int one = archive_check(job, all->names[job->now]);

		job->bad += one != 0;
		status = one ? one : status;
	}
	if (all->n > 1 && job->bad)
		vcpc_fail(0, "%zu of %zu archives are damaged or cannot be read", job->bad, all->n);
	return status;
}

int vcpc_cmd_check(int argc, char **argv)
{
	static const struct option longs[] = {
		{ "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 },
	};
	struct job job = { 0 };
	int c, status = 0;

	while ((c = vcpc_getopt(argc, argv, "h", longs)) != -1)
		return c == 'h' ? check_help() : vcpc_usage(NULL);
	if (optind == argc)
		return vcpc_usage("an archive is required");
	for (; optind < argc; optind++) {
		int err = vcpc_archives_add(&job.archives, argv[optind]);

		if (err == -ENOENT)
			status = vcpc_fail(0, "the directory '%s' contains no archives", argv[optind]);
		else if (err)
			status = vcpc_fail(err, "%s", argv[optind]);
	}
	c = check_all(&job);
	vcpc_archives_free(&job.archives);
	return c ? c : status;
}
