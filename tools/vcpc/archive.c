// SPDX-License-Identifier: GPL-2.0-or-later
/* Open an archive for a command, report its errors, and show the progress of reading it. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "archives.h"
#include "vcpc.h"
#include "window.h"

/* Progress is first shown after FIRST_NS, then at most once every EACH_NS. */
#define FIRST_NS	500000000LL
#define EACH_NS		100000000LL

int vcpc_fail_pm(int code, const char *what)
{
	/* The code is an errno, for which there may be advice. */
	if (code < 0 && code > -PM_ERR_BASE)
		return vcpc_fail(code, "%s", what);
	return vcpc_fail(0, "%s: %s", what, pmErrStr(code));
}

/* Print why a directory cannot be opened: it has no archives, or all of them are damaged. */
static int fail_directory(const char *name)
{
	struct vcpc_archives archives = { 0 };
	int err = vcpc_archives_add(&archives, name);
	size_t n = archives.n;

	vcpc_archives_free(&archives);
	if (err == -ENOENT)
		return vcpc_fail(0, "the directory '%s' contains no archives", name);
	if (err)
		return vcpc_fail(err, "%s", name);
	return vcpc_fail(0, "no archive in the directory '%s' can be read (%zu are damaged); run 'vcpc check %s' for details",
			 name, n, name);
}

int vcpc_open_archive(const char *name)
{
	struct stat st;
	int handle = pmNewContext(PM_CONTEXT_ARCHIVE, name);

	if (handle >= 0)
		return 0;
	if (handle == -ENOENT)
		return vcpc_fail(0, "archive '%s' not found (no file %s.meta)", name, name);
	if (handle == PM_ERR_LOGFILE && !*name)
		return vcpc_fail(0, "the archive name is empty");
	if (handle == PM_ERR_LOGFILE && !stat(name, &st) && S_ISDIR(st.st_mode))
		return fail_directory(name);
	return vcpc_fail_pm(handle, name);
}

int vcpc_traverse(const char *from, void (*take)(const char *name, void *arg), void *arg)
{
	bool quiet = !getenv("PCP_STDERR") && !setenv("PCP_STDERR", "/dev/null", 0);
	int n = pmTraversePMNS_r(from, take, arg);

	if (quiet)
		unsetenv("PCP_STDERR");
	return n;
}

static struct timespec now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t;
}

void vcpc_progress_start(struct vcpc_progress *p, double from, double span)
{
	*p = (struct vcpc_progress){
		.from = from,
		.span = span > 0 ? span : 1,
		.shown = -1,
		.visible = isatty(STDERR_FILENO) && !isatty(STDOUT_FILENO),
		.next = vcpc_of_ns(vcpc_ns_of(now()) + FIRST_NS),
	};
}

void vcpc_progress_at(struct vcpc_progress *p, double at)
{
	int percent = (int)((at - p->from) / p->span * 100);
	int64_t t;

	if (!p->visible || percent == p->shown)
		return;
	t = vcpc_ns_of(now());
	if (t < vcpc_ns_of(p->next))
		return;
	p->next = vcpc_of_ns(t + EACH_NS);
	p->shown = percent;
	fprintf(stderr, "\r%3d%%", percent < 0 ? 0 : percent > 100 ? 100 : percent);
}

void vcpc_progress_end(struct vcpc_progress *p)
{
	if (p->shown >= 0)
		fprintf(stderr, "\r    \r");
	p->shown = -1;
}
