// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Calls to a context's source for values: fetch and store them, set the time of the next fetch, get
 * the host's name, and reconnect.
 */
#include <errno.h>
#include <stdlib.h>

#include "base/api.h"
#include "context.h"
#include "stamp.h"
#include "texts.h"

#define NSEC_PER_SEC 1000000000LL

static int context_fetch(int n, const pmID *pmids, struct shim_ts *stamp, pmResult **out)
{
	struct shim_context *ctx;
	int err;

	if (n < 1)
		return PM_ERR_TOOSMALL;
	if (!pmids || !out)
		return -EINVAL;
	err = shim_context__enter(&ctx);
	if (err)
		return err;
	return shim_context__leave(ctx, shim_derived__fetch(ctx, n, pmids, stamp, out));
}

static int fetch_archive(struct shim_ts *stamp, pmResult **out)
{
	struct shim_context *ctx;
	int err;

	if (!out)
		return -EINVAL;
	err = shim_context__enter(&ctx);
	if (err)
		return err;
	return shim_context__leave(ctx, ctx->source->record(ctx, stamp, out));
}

static int stamp_timeval(int err, struct shim_ts stamp, pmResult *result)
{
	if (err >= 0)
		result->timestamp = shim_stamp__to_timeval(stamp);
	return err;
}

static int stamp_timespec(int err, struct shim_ts stamp, pmResult *result, pmHighResResult **out)
{
	if (err < 0)
		return err;
	*out = (pmHighResResult *)result;
	(*out)->timestamp = shim_stamp__to_timespec(stamp);
	return err;
}

/**
 * pmFetch() - fetch values of metrics, according to the current context's mode
 * @numpmid: number of metrics
 * @pmidlist: the metrics
 * @result: written on success, to be freed by pmFreeResult(); it has a value set for each metric,
 *	in the same order
 *
 * Return: 0, PM_ERR_EOL before the start and after the end of the archive (in PM_MODE_INTERP the
 * time still advances), PM_ERR_LOGREC if the record is corrupt (in PM_MODE_INTERP once per volume;
 * the next fetch is then for the same time), PM_ERR_PMID_LOG if a metric in the record has no
 * descriptor, PM_ERR_TOOSMALL if @numpmid < 1, PM_ERR_NOCONTEXT, -ENOMEM; for a host also the
 * changes since the previous fetch (PMCD_x, ORed), PM_ERR_TIMEOUT, PM_ERR_TOOBIG for more metrics
 * than pmcd accepts in one request, and PM_ERR_IPC if there is no usable connection, in which case
 * the caller should call pmReconnectContext().
 */
SHIM_API int pmFetch(int numpmid, pmID *pmidlist, pmResult **result)
{
	struct shim_ts stamp;
	int err = context_fetch(numpmid, pmidlist, &stamp, result);

	return stamp_timeval(err, stamp, err < 0 ? NULL : *result);
}

/**
 * pmFetchHighRes() - like pmFetch(), with a stamp in nanoseconds
 * @numpmid: number of metrics
 * @pmidlist: the metrics
 * @result: written on success, to be freed by pmFreeHighResResult()
 *
 * Return: as for pmFetch().
 */
SHIM_API int pmFetchHighRes(int numpmid, pmID *pmidlist, pmHighResResult **result)
{
	struct shim_ts stamp;
	pmResult *plain;
	int err = result ? context_fetch(numpmid, pmidlist, &stamp, &plain) : -EINVAL;

	return stamp_timespec(err, stamp, plain, result);
}

/** pmHighResFetch() - older name of pmFetchHighRes() */
SHIM_API int pmHighResFetch(int numpmid, pmID *pmidlist, pmHighResResult **result)
{
	return pmFetchHighRes(numpmid, pmidlist, result);
}

/**
 * pmFetchArchive() - fetch the next record of the archive with all its metrics
 * @result: written on success, to be freed by pmFreeResult(); a mark has no metrics
 *
 * Return: 0, PM_ERR_EOL, PM_ERR_LOGREC, PM_ERR_MODE in PM_MODE_INTERP, PM_ERR_NOCONTEXT,
 * PM_ERR_NOTARCHIVE, -ENOMEM.
 */
SHIM_API int pmFetchArchive(pmResult **result)
{
	struct shim_ts stamp;
	int err = fetch_archive(&stamp, result);

	return stamp_timeval(err, stamp, err < 0 ? NULL : *result);
}

/**
 * pmFetchHighResArchive() - like pmFetchArchive(), with a stamp in nanoseconds
 * @result: written on success, to be freed by pmFreeHighResResult()
 *
 * Return: as for pmFetchArchive().
 */
SHIM_API int pmFetchHighResArchive(pmHighResResult **result)
{
	struct shim_ts stamp;
	pmResult *plain;
	int err = result ? fetch_archive(&stamp, &plain) : -EINVAL;

	return stamp_timespec(err, stamp, plain, result);
}

/* The units of pmSetMode()'s delta: units per second, or seconds per unit */
static const struct {
	int64_t per_second;
	int64_t seconds;
} bases[] = {
	[PM_TIME_NSEC] = { .per_second = NSEC_PER_SEC },
	[PM_TIME_USEC] = { .per_second = 1000000 },
	[PM_TIME_MSEC] = { .per_second = 1000 },
	[PM_TIME_SEC] = { .per_second = 1 },
	[PM_TIME_MIN] = { .seconds = 60 },
	[PM_TIME_HOUR] = { .seconds = 3600 },
};

static struct shim_ts delta_of(int mode, int delta)
{
	unsigned int base = PM_XTB_GET(mode);

	if (base >= sizeof(bases) / sizeof(bases[0]))
		base = PM_TIME_MSEC;
	if (bases[base].seconds)
		return shim_stamp__make(delta * bases[base].seconds, 0);
	return shim_stamp__make(delta / bases[base].per_second,
				delta % bases[base].per_second *
				(NSEC_PER_SEC / bases[base].per_second));
}

static int set_mode(int mode, const struct shim_ts *when, struct shim_ts delta)
{
	struct shim_context *ctx;
	int err = shim_context__enter(&ctx);

	if (err)
		return err;
	return shim_context__leave(ctx, ctx->source->set_mode(ctx, mode & 0xffff, when, delta));
}

/**
 * pmSetMode() - set the current context's time and how it advances
 * @mode: PM_MODE_INTERP: a fetch returns the values at the time, which then advances by @delta.
 *	PM_MODE_FORW: a fetch returns the next record at or after the time, and sets the time to the
 *	record's time.  PM_MODE_BACK: like PM_MODE_FORW, with the next record at or before the time.
 *	PM_MODE_LIVE: the time is now; this is the only mode of hosts and of this machine.  ORed
 *	with PM_XTB_SET(PM_TIME_x) for another unit of @delta
 * @when: the time; NULL leaves it unchanged
 * @delta: in milliseconds, or in the unit in @mode; negative to go backwards; only for
 *	PM_MODE_INTERP
 *
 * Return: 0, PM_ERR_NOCONTEXT, PM_ERR_MODE for a mode that the context does not support, in which
 * case nothing changes.
 */
SHIM_API int pmSetMode(int mode, const struct timeval *when, int delta)
{
	struct shim_ts ts;

	if (when)
		ts = shim_stamp__from_timeval(when);
	return set_mode(mode, when ? &ts : NULL, delta_of(mode, delta));
}

/**
 * pmSetModeHighRes() - set the current context's time and how it advances, in nanoseconds
 * @mode: as for pmSetMode, without a unit
 * @when: the time; NULL leaves it unchanged
 * @delta: how the time advances; NULL means 0
 *
 * Return: as for pmSetMode().
 */
SHIM_API int pmSetModeHighRes(int mode, const struct timespec *when, const struct timespec *delta)
{
	struct shim_ts ts, step = { 0 };

	if (when)
		ts = shim_stamp__make(when->tv_sec, when->tv_nsec);
	if (delta)
		step = shim_stamp__make(delta->tv_sec, delta->tv_nsec);
	return set_mode(mode, when ? &ts : NULL, step);
}

/* Get the host's name, or "" for an invalid handle. */
static void host_of(int handle, char *buf, size_t size)
{
	struct shim_context *ctx;

	if (!size)
		return;
	*buf = '\0';
	if (!shim_context__enter_handle(handle, &ctx)) {
		ctx->source->host(ctx, buf, size);
		shim_context__leave(ctx, 0);
	}
}

/**
 * pmGetHostName() - get the host of a context's values
 * @handle: handle of the context
 * @buf: the host, truncated to @buflen - 1 bytes; "" for an invalid handle
 * @buflen: size of @buf
 *
 * Return: 0.
 */
SHIM_API int pmGetHostName(int handle, char *buf, int buflen)
{
	host_of(handle, buf, buflen > 0 ? buflen : 0);
	return 0;
}

/**
 * pmGetContextHostName_r() - get the host of a context's values
 * @handle: handle of the context
 * @buf: the host, truncated to @buflen - 1 bytes; "" for an invalid handle
 * @buflen: size of @buf
 *
 * Return: @buf.
 */
SHIM_API char *pmGetContextHostName_r(int handle, char *buf, int buflen)
{
	host_of(handle, buf, buflen > 0 ? buflen : 0);
	return buf;
}

/** pmGetContextHostName() - like pmGetContextHostName_r(); valid until this thread's next call */
SHIM_API const char *pmGetContextHostName(int handle)
{
	struct shim_texts *texts = shim_texts();

	return pmGetContextHostName_r(handle, texts->host, sizeof(texts->host));
}

/**
 * pmReconnectContext() - reconnect to a context's source
 * @handle: handle of the context; for an archive, nothing is done
 *
 * This closes a host's connection, if it is open, and opens a new one; the instance profile is
 * kept.  After a failure, calls fail immediately for the time in PMCD_RECONNECT_TIMEOUT.  The
 * context's own derived metrics are removed, and global ones are bound again.
 *
 * Return: @handle, PM_ERR_NOCONTEXT, or -ETIMEDOUT if pmcd cannot be reached, or if it is too early
 * to try again.
 */
SHIM_API int pmReconnectContext(int handle)
{
	struct shim_context *ctx;
	int err = shim_context__enter_handle(handle, &ctx);

	if (err)
		return err;
	err = ctx->source->reconnect(ctx);
	if (!err)	/* the source may now have other metrics */
		shim_derived__fini(&ctx->derived);
	return shim_context__leave(ctx, err ? err : handle);
}

static int sets_store(int n, pmValueSet *const *sets)
{
	struct shim_context *ctx;
	int err;

	if (n < 1)
		return PM_ERR_TOOSMALL;
	for (int i = 0; i < n; i++)
		if (sets[i]->numval < 1)
			return PM_ERR_VALUE;
	err = shim_context__enter(&ctx);
	return err ? err : shim_context__leave(ctx, ctx->source->store(ctx, n, sets));
}

/**
 * pmStore() - store values into metrics
 * @result: the values, in the metrics' types; its stamp is ignored
 *
 * Return: 0; PM_ERR_TOOSMALL, PM_ERR_VALUE for a metric without values, PM_ERR_NOCONTEXT;
 * PM_ERR_NOTHOST for an archive, whose values cannot change; an error from the host's pmcd or the
 * metric's agent, such as PM_ERR_PERMISSION, PM_ERR_BADSTORE or PM_ERR_PMID; PM_ERR_TOOBIG if there
 * are more values than pmcd accepts, PM_ERR_TIMEOUT, PM_ERR_IPC.
 */
SHIM_API int pmStore(const pmResult *result)
{
	return result ? sets_store(result->numpmid, result->vset) : -EINVAL;
}

/** pmStoreHighRes() - like pmStore() */
SHIM_API int pmStoreHighRes(const pmHighResResult *result)
{
	return result ? sets_store(result->numpmid, result->vset) : -EINVAL;
}
