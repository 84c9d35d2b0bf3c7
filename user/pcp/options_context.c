// SPDX-License-Identifier: LGPL-2.1-or-later
/* Apply a program's options to its context: the time zone and the time window */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <pcp/pmapi.h>

#include "base/api.h"
#include "options_sources.h"
#include "pmapi_v4.h"

struct bounds {
	struct timespec start, end;
	bool known;
};

/* Report what failed (@what, @name and @of_it, concatenated), and why. */
static int failed(pmOptions *opts, int code, const char *what, const char *name, const char *of_it)
{
	char text[PM_MAXERRMSGLEN];

	pmprintf("%s: %s%s%s: %s\n", pmGetProgname(), what, name, of_it,
		 pmErrStr_r(code, text, sizeof(text)));
	shim_options__runtime_error(opts);
	return PM_ERR_GENERIC;
}

static bool is_before(const struct timespec *a, const struct timespec *b)
{
	return a->tv_sec != b->tv_sec ? a->tv_sec < b->tv_sec : a->tv_nsec < b->tv_nsec;
}

static void bounds_extend(struct bounds *b, const struct timespec *start,
			  const struct timespec *end)
{
	if (!b->known || is_before(start, &b->start))
		b->start = *start;
	if (!b->known || is_before(&b->end, end))
		b->end = *end;
	b->known = true;
}

/* Extend the bounds to include the archive of the current context. */
static int extend_by_context(pmOptions *opts, const char *archive, struct bounds *b)
{
	pmHighResLogLabel label;
	struct timespec end;
	int err = pmGetHighResArchiveLabel(&label);

	if (err < 0)
		return failed(opts, err, "Cannot get archive ", archive, " label record");
	err = pmGetHighResArchiveEnd(&end);
	if (err < 0)
		return failed(opts, err, "Cannot get archive ", archive, " end");
	bounds_extend(b, &label.start, &end);
	return 0;
}

static int extend_by_archive(pmOptions *opts, const char *archive, struct bounds *b)
{
	int handle = pmNewContext(PM_CONTEXT_ARCHIVE, archive), err;

	if (handle < 0)
		return failed(opts, handle, "Cannot open archive ", archive, "");
	err = extend_by_context(opts, archive, b);
	pmDestroyContext(handle);
	return err;
}

static bool is_archive(const pmOptions *opts)
{
	return opts->context == PM_CONTEXT_ARCHIVE;
}

/*
 * Return the first archive's name, or "" because the program may have opened an archive that is not
 * in its options.
 */
static const char *first_archive(const pmOptions *opts)
{
	return opts->narchives ? opts->archives[0] : "";
}

/*
 * Find the bounds: from the first archive's start to the last one's end or, for other contexts,
 * from now on.
 */
static int find_bounds(pmOptions *opts, int ctx, struct bounds *b)
{
	int err;

	if (!is_archive(opts)) {
		pmtimespecNow(&b->start);
		b->end = (struct timespec){ PM_MAX_TIME_T, 0 };
		return 0;
	}
	if (opts->narchives <= 1)
		return extend_by_context(opts, first_archive(opts), b);
	for (int i = 0; i < opts->narchives; i++) {
		err = extend_by_archive(opts, opts->archives[i], b);
		if (err)
			return err;
	}
	return pmUseContext(ctx);
}

static struct timeval to_usec(struct timespec t)
{
	return (struct timeval){ t.tv_sec, t.tv_nsec / 1000 };
}

static int parse_window(pmOptions *opts, const struct bounds *b, char **error)
{
	const struct timeval start = to_usec(b->start), end = to_usec(b->end);
	struct shim_options_times times;

	if (shim_options__times(opts, &times))
		return pmParseHighResTimeWindow(opts->start_optarg, opts->finish_optarg,
						opts->align_optarg, opts->origin_optarg, &b->start,
						&b->end, times.start, times.finish,
						times.origin, error);
	return pmParseTimeWindow(opts->start_optarg, opts->finish_optarg, opts->align_optarg,
				 opts->origin_optarg, &start, &end, &opts->start, &opts->finish,
				 &opts->origin, error);
}

static int set_window(pmOptions *opts, int ctx)
{
	struct bounds b = { 0 };
	char *error = NULL;
	int err = find_bounds(opts, ctx, &b), code;

	if (err < 0)
		return err;
	code = parse_window(opts, &b, &error);
	if (code < 0) {
		pmprintf("%s: invalid time window.\n%s\n", pmGetProgname(), error ? error : "");
		shim_options__runtime_error(opts);
	}
	if (code != 1)
		free(error);
	return code < 0 ? PM_ERR_GENERIC : 0;
}

static int set_zone(pmOptions *opts, int ctx)
{
	bool print = opts->flags & PM_OPTFLAG_STDOUT_TZ;
	int code;

	if (opts->tzflag) {
		char host[PM_MAX_HOSTNAMELEN];

		code = pmNewContextZone();
		if (code < 0)
			return failed(opts, code, "pmNewContextZone", " failed", "");
		if (print)
			printf("Note: timezone set to local timezone of host \"%s\"%s\n\n",
			       pmGetContextHostName_r(ctx, host, sizeof(host)),
			       is_archive(opts) ? " from archive" : "");
	} else if (opts->timezone) {
		code = pmNewZone(opts->timezone);
		if (code < 0)
			return failed(opts, code, "pmNewZone", " failed", "");
		if (print)
			printf("Note: timezone set to \"TZ=%s\"\n\n", opts->timezone);
	}
	return 0;
}

/**
 * pmGetContextOptions() - apply options to a context: set its time zone and window
 * @ctx: a context; if there are several archives, the context of the first one
 * @opts: the results of pmGetOptions(); start, finish and origin are set.  If its context is
 *	PM_CONTEXT_ARCHIVE, they are within the archives
 *
 * Messages go to pmprintf().  The thread's current context is unchanged.  With several archives,
 * however, @ctx becomes the current context, as in the original.
 *
 * Return: 0, or an error, which is also counted in @errors; PM_ERR_GENERIC if pmGetOptions() found
 * errors.
 */
SHIM_API int pmGetContextOptions(int ctx, pmOptions *opts)
{
	const int current = pmWhichContext();
	bool window = opts->align_optarg || opts->start_optarg || opts->finish_optarg ||
		      opts->origin_optarg || (opts->flags & PM_OPTFLAG_BOUNDARIES);
	int err;

	if (opts->errors)
		return PM_ERR_GENERIC;
	if (!window && !opts->tzflag && !opts->timezone)
		return 0;
	err = is_archive(opts) || opts->tzflag ? pmUseContext(ctx) : 0;
	if (err < 0)
		return failed(opts, err, "Cannot get archive ", first_archive(opts),
			      " label record");
	err = set_zone(opts, ctx);
	if (!err && window)
		err = set_window(opts, ctx);
	if (opts->narchives <= 1 && current >= 0)
		pmUseContext(current);
	return err;
}

/**
 * pmGetContextOptions_v4() - pmGetContextOptions() of PMAPI version 4
 * @ctx: a context
 * @opts: the results of pmGetOptions(), with struct timespec instead of struct timeval
 *
 * Return: as for pmGetContextOptions().
 */
SHIM_API int pmGetContextOptions_v4(int ctx, pmOptions *opts)
{
	opts->version = PMAPI_VERSION_4;
	return pmGetContextOptions(ctx, opts);
}
