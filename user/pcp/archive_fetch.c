// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Fetches from archives: get the values at a time, or the next record, and set where the next fetch
 * reads.
 */
#include <errno.h>
#include <stdlib.h>
#include <syslog.h>

#include "archive.h"
#include "base/process.h"
#include "context.h"
#include "err.h"
#include "pmns.h"
#include "request.h"
#include "result.h"
#include "stamp.h"

#define NSEC_PER_MSEC 1000000

/* A time at most this long outside of the archive's span counts as within the archive. */
static const struct shim_ts margin = { .nsec = NSEC_PER_MSEC };

static struct shim_filter filter_of(const struct shim_context *ctx)
{
	struct shim_filter filter = { 0 };

	if (!shim_profile__is_all(&ctx->profile)) {
		filter.has = shim_profile__has;
		filter.arg = &ctx->profile;
	}
	return filter;
}

/*
 * Ignore mark records if PCP_IGNORE_MARK_RECORDS is set: all of them if the variable is empty,
 * otherwise mark records in gaps not longer than the interval in the variable.
 */
static void ignore_marks(struct shim_context *ctx)
{
	const char *gap = shim_environ__get("PCP_IGNORE_MARK_RECORDS");
	struct timespec longest = { .tv_sec = INT64_MAX };
	char *message = NULL;

	if (!gap)
		return;
	if (*gap && pmParseHighResInterval(gap, &longest, &message)) {
		pmprintf("%s: Warning: PCP_IGNORE_MARK_RECORDS is not an interval: %s",
			 pmGetProgname(), message);
		pmflush();
		free(message);
		return;
	}
	shim_interp__ignore_marks(ctx->interp, shim_stamp__make(longest.tv_sec, longest.tv_nsec));
}

static int open_interp(struct shim_context *ctx)
{
	int err;

	if (ctx->interp)
		return 0;
	err = shim_interp__new(ctx->ar, shim_environ__get("PCP_COUNTER_WRAP") ? SHIM_INTERP_WRAP : 0,
			       &ctx->interp);
	if (!err)
		ignore_marks(ctx);
	return err;
}

/*
 * Check that the current time is within the archive.  Return 0, PM_ERR_EOL or another error.  If
 * the time is after the last known end, find the end again, because the archive may grow.
 */
static int within(struct shim_context *ctx)
{
	struct shim_ts start = shim_archive__label(ctx->ar)->start;
	struct shim_ts end;
	int err;

	if (shim_ts__cmp(shim_ts__add(ctx->origin, margin), start) < 0)
		return PM_ERR_EOL;
	if (ctx->end_known && shim_ts__cmp(ctx->origin, ctx->end) <= 0)
		return 0;
	err = shim_archive__end(ctx->ar, &end);
	if (err && err != -EBADMSG)
		return err;
	if (err)
		end = start;
	if (ctx->end_known && shim_ts__cmp(end, ctx->end))
		shim_interp__grown(ctx->interp);
	ctx->end = end;
	ctx->end_known = true;
	if (shim_ts__cmp(ctx->origin, shim_ts__add(end, margin)) <= 0)
		return 0;
	err = shim_interp__end(ctx->interp, end);
	return err ? err : PM_ERR_EOL;
}

/*
 * Translate the errors of shim_interp__fetch() for individual metrics into PMAPI codes.  The
 * library's own metrics, which are not in the archive, have no values, as in PM_MODE_FORW and
 * PM_MODE_BACK.
 */
static void translate(struct shim_request *req)
{
	struct shim_answer *answers = req->answers;

	for (unsigned int i = 0; i < req->n; i++) {
		if (answers[i].numval == -ENOENT)
			answers[i].numval = shim_pmns_tree__builtin(req->pmids[i]) ? 0 : PM_ERR_PMID_LOG;
		else if (answers[i].numval == -EDOM)
			answers[i].numval = PM_ERR_TYPE;
	}
}

static int interpolate(struct shim_context *ctx, pmResult **out)
{
	struct shim_request *req = &ctx->request;
	const struct shim_filter filter = filter_of(ctx);
	size_t size;
	int err;

	err = within(ctx);
	if (err)
		return err;
	err = shim_interp__fetch(ctx->interp, ctx->origin, req->n, req->pmids, &filter,
				 req->answers);
	if (err)
		return err;
	translate(req);
	err = shim_result__build(req->n, req->answers, out, &size);
	if (err)
		shim_interp__undo(ctx->interp);
	return err;
}

/*
 * The time advances after success and after PM_ERR_EOL, but not after another error.  Damage is
 * reported once; the next fetch then gets the values at the same time.
 */
static int fetch_interp(struct shim_context *ctx, struct shim_ts *stamp, pmResult **out)
{
	int err = open_interp(ctx);

	if (err)
		return err;
	*stamp = ctx->origin;
	err = interpolate(ctx, out);
	if (!err || err == PM_ERR_EOL)
		ctx->origin = shim_ts__add(ctx->origin, ctx->delta);
	return err;
}

static int place(struct shim_context *ctx)
{
	int err;

	if (ctx->placed)
		return 0;
	shim_cursor__init(&ctx->cursor, ctx->ar);
	ctx->cursor.readbuf = &ctx->readbuf;
	if (ctx->mode == PM_MODE_FORW)
		err = shim_cursor__seek_before(&ctx->cursor, ctx->origin);
	else
		err = shim_cursor__seek_after(&ctx->cursor, ctx->origin);
	if (!err)
		shim_cursor__enter_later(&ctx->cursor, ctx->origin, ctx->mode == PM_MODE_BACK);
	ctx->placed = !err;
	return err;
}

/*
 * Get the next record in the file.  Retry if it is missing or invalid, because the archive may
 * grow.
 */
static int record_step(struct shim_context *ctx, struct shim_record *rec)
{
	struct shim_ts since = { 0 };
	int err;

	if (ctx->mode == PM_MODE_BACK)
		return shim_cursor__prev(&ctx->cursor, rec);
	err = shim_cursor__next(&ctx->cursor, rec);
	if (err != -ERANGE && err != -EBADMSG)
		return err;
	/*
	 * Read again even if no additions are found, because another context may have detected new
	 * data.
	 */
	err = shim_archive__follow(ctx->ar);
	if (err < 0)
		return err;
	do
		err = shim_cursor__next(&ctx->cursor, rec);
	while (err == -EBADMSG && shim_archive__await(&ctx->cursor, &since));
	return err;
}

/*
 * Like record_step(), but if several archives were opened as one, ignore the rest of a damaged one,
 * as PCP 7.2 does.
 */
static int step_across(struct shim_context *ctx, struct shim_record *rec)
{
	bool back = ctx->mode == PM_MODE_BACK;
	int err;

	if (!shim_archive__is_several(ctx->ar))
		return record_step(ctx, rec);
	do {
		err = record_step(ctx, rec);
		if (err == -EBADMSG)
			shim_archive__leave(ctx->ar, rec->volume);
	} while (err == -EBADMSG && shim_cursor__leave(&ctx->cursor, rec->volume, back));
	return err == -EBADMSG ? -ERANGE : err;
}

/* Like step_across(), but an unusable volume is reported once per context and then skipped. */
static int step_usable(struct shim_context *ctx, struct shim_record *rec)
{
	int err;

	do {
		struct shim_cursor before = ctx->cursor;

		err = step_across(ctx, rec);
		if (err != -SHIM_EVOLUME ||
		    shim_pmidmap__get(&ctx->passed, rec->volume) != SHIM_PMIDMAP_NONE)
			continue;
		if (!shim_pmidmap__add(&ctx->passed, rec->volume, 0))
			return err;
		ctx->cursor = before;
		return -ENOMEM;
	} while (err == -SHIM_EVOLUME);
	return err;
}

/*
 * Get the next record in the mode's direction, and make its time the current time.  After the mark
 * between two archives that overlap, fail once.  Then continue after the mark's time.
 */
static int next_record(struct shim_context *ctx, struct shim_record *rec)
{
	int forward = ctx->mode == PM_MODE_FORW;
	struct shim_ts back;
	int err = place(ctx);

	if (!err && ctx->overlaps)
		err = -SHIM_EOVERLAP;
	ctx->overlaps = false;
	while (!err) {
		int order;

		err = step_usable(ctx, rec);
		if (err)
			break;
		err = shim_archive__joint(ctx->ar, rec, &back);
		ctx->overlaps = err == -SHIM_EOVERLAP;
		if (err && !forward)
			rec->stamp = back;
		err = 0;
		order = shim_ts__cmp(rec->stamp, ctx->origin);
		if (forward ? order < 0 : order > 0)
			continue;	/* out of order in the file */
		ctx->origin = rec->stamp;
		return 0;
	}
	return err;
}

static int answer(struct shim_context *ctx, const struct shim_record *rec,
		  const struct shim_filter *filter, pmResult **out, size_t *size)
{
	struct shim_request *req = &ctx->request;
	int err = filter->has ? -ENOTSUP : shim_request__locate(req);

	if (!err)
		err = shim_record_result__build(rec, req->n, req->vsets, req->types, out, size);
	if (err != -ENOTSUP)
		return err;
	err = shim_request__answer(req, rec, filter);
	return err ? err : shim_result__build(req->n, req->answers, out, size);
}

/*
 * Return whether every record has a result.  As in PCP, that is the case if the request contains
 * only derived metrics: constants, and metrics that cannot be evaluated in this context.
 */
static bool takes_all(const struct shim_request *req, const struct shim_record *rec)
{
	return req->nderived == req->n && rec->npmids;
}

/*
 * Search a record for the metrics without a plan.  Return 1 with the result in *@out, 0 if the
 * record has none of the metrics, or an error.
 */
static int take_apart(struct shim_context *ctx, const struct shim_record *rec, pmResult **out)
{
	struct shim_request *req = &ctx->request;
	const struct shim_filter filter = filter_of(ctx);
	size_t size = 0;
	int err, found;

	*out = NULL;
	found = shim_request__match(req, rec);
	if (found < 0)
		return found;
	found = found || takes_all(req, rec);
	if (found) {
		err = answer(ctx, rec, &filter, out, &size);
		if (err)
			return err == -ENOENT ? PM_ERR_PMID_LOG : err;
	}
	shim_plans__learn(&ctx->plans, rec, req, *out, size);
	return found;
}

/* If memory ran out for a record's result, the next fetch returns that record. */
static int give_back(struct shim_context *ctx, const struct shim_cursor *before,
		     struct shim_ts origin, int err)
{
	if (err == -ENOMEM) {
		ctx->cursor = *before;
		ctx->origin = origin;
		ctx->overlaps = false;
	}
	return err;
}

/* Get the next record that has a result.  Marks have none. */
static int fetch_record(struct shim_context *ctx, struct shim_ts *stamp, pmResult **out)
{
	struct shim_record rec;
	pmResult *result;
	int found = 0;

	while (!found) {
		struct shim_ts origin = ctx->origin;
		struct shim_cursor before;
		int err = place(ctx);

		before = ctx->cursor;
		if (!err)
			err = next_record(ctx, &rec);
		if (err)
			return err;
		found = shim_plans__apply(&ctx->plans, &rec, &result);
		if (found == -ENOENT)
			found = take_apart(ctx, &rec, &result);
		if (found < 0)
			return give_back(ctx, &before, origin, found);
	}
	*stamp = rec.stamp;
	*out = result;
	return 0;
}

static int ask(struct shim_context *ctx, int n, const pmID *pmids)
{
	int err = shim_request__set(&ctx->request, ctx->ar, n, pmids);

	if (err)
		shim_plans__reset(&ctx->plans);
	return err < 0 ? err : 0;
}

/* Report damage in one of several archives once, as PCP 7.2 does. */
static void report_left(struct shim_archive *ar)
{
	const char *name;

	while ((name = shim_archive__next_left(ar)))
		pmNotifyErr(LOG_WARNING, "pmFetch: archive \"%s\" is damaged: some of its records are missing",
			    name);
}

int shim_archive_source__fetch(struct shim_context *ctx, int n, const pmID *pmids,
			       struct shim_ts *stamp, pmResult **out)
{
	int err = ask(ctx, n, pmids);

	if (!err && ctx->mode == PM_MODE_INTERP)
		err = fetch_interp(ctx, stamp, out);
	else if (!err)
		err = fetch_record(ctx, stamp, out);
	report_left(ctx->ar);
	return shim_pcp__error(err);
}

static int answer_all(struct shim_context *ctx, const struct shim_record *rec, pmResult **out,
		      size_t *size)
{
	struct shim_request *req = &ctx->request;
	int n = shim_request__locate_all(req, ctx->ar, rec);
	int err;

	if (n < 0)
		return n;
	err = shim_record_result__build(rec, n, req->vsets, req->types, out, size);
	if (err != -ENOTSUP)
		return err;
	n = shim_request__answer_all(req, ctx->ar, rec);
	return n < 0 ? n : shim_result__build(n, req->answers, out, size);
}

static int any_record(struct shim_context *ctx, struct shim_ts *stamp, pmResult **out)
{
	struct shim_ts origin = ctx->origin;
	struct shim_cursor before;
	struct shim_record rec;
	size_t size;
	int err;

	if (ctx->mode == PM_MODE_INTERP)
		return PM_ERR_MODE;
	err = place(ctx);
	before = ctx->cursor;
	if (!err)
		err = next_record(ctx, &rec);
	if (err)
		return err;
	*stamp = rec.stamp;
	err = shim_plans__apply(&ctx->whole_plans, &rec, out);
	if (err == -ENOENT) {
		err = answer_all(ctx, &rec, out, &size);
		if (!err)
			shim_plans__learn(&ctx->whole_plans, &rec, &ctx->request, *out, size);
	}
	return err < 0 ? give_back(ctx, &before, origin, err) : 0;
}

int shim_archive_source__record(struct shim_context *ctx, struct shim_ts *stamp, pmResult **out)
{
	int err = any_record(ctx, stamp, out);

	report_left(ctx->ar);
	return shim_pcp__error(err);
}

int shim_archive_source__set_mode(struct shim_context *ctx, int mode, const struct shim_ts *when,
				  struct shim_ts delta)
{
	if (mode != PM_MODE_INTERP && mode != PM_MODE_FORW && mode != PM_MODE_BACK)
		return PM_ERR_MODE;
	if (when)
		ctx->origin = *when;
	ctx->mode = mode;
	ctx->delta = delta;
	ctx->placed = false;
	ctx->overlaps = false;
	if (ctx->interp)
		shim_interp__reposition(ctx->interp);
	return 0;
}
