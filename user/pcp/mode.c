// SPDX-License-Identifier: LGPL-2.1-or-later
/* pmSetMode(): where the next fetch reads, and how the time advances. */
#include "base/api.h"
#include "archive_source.h"
#include "context.h"
#include "stamp.h"

#define NSEC_PER_SEC 1000000000LL

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
	if (ctx->interp)
		shim_interp__reposition(ctx->interp);
	return 0;
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
 *	record's.  PM_MODE_BACK: the same, for the next record at or before the time.  PM_MODE_LIVE:
 *	the time is now; this is the only mode of hosts and of this machine.  ORed with
 *	PM_XTB_SET(PM_TIME_x) for another unit of @delta
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
