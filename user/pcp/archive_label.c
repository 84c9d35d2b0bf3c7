// SPDX-License-Identifier: LGPL-2.1-or-later
/* The archive's label and end, in both precisions. */
#include <errno.h>
#include <string.h>

#include "base/api.h"
#include "context.h"
#include "err.h"
#include "stamp.h"

static void copy_text(char *to, size_t size, const char *from)
{
	size_t len = strnlen(from, size - 1);

	memset(to, 0, size);
	memcpy(to, from, len);
}

/* Lock the current context and get its archive's label.  On error nothing is locked. */
static int label_enter(struct shim_context **ctx, const struct shim_label **label)
{
	int err = shim_context__enter_archive(ctx);

	if (!err)
		*label = shim_archive__label((*ctx)->ar);
	return err;
}

/**
 * pmGetArchiveLabel() - the label of the current context's archive
 * @label: written on success; host and zone are truncated to its sizes
 *
 * Return: 0, PM_ERR_NOCONTEXT, PM_ERR_NOTARCHIVE.
 */
SHIM_API int pmGetArchiveLabel(pmLogLabel *label)
{
	struct shim_context *ctx;
	const struct shim_label *l;
	int err = label ? label_enter(&ctx, &l) : -EINVAL;

	if (err)
		return err;
	label->ll_magic = PM_LOG_MAGIC | l->version;
	label->ll_pid = l->pid;
	label->ll_start = shim_stamp__to_timeval(l->start);
	copy_text(label->ll_hostname, sizeof(label->ll_hostname), l->host);
	copy_text(label->ll_tz, sizeof(label->ll_tz), l->tz);
	return shim_context__leave(ctx, 0);
}

/**
 * pmGetHighResArchiveLabel() - the label of the current context's archive, in full
 * @label: written on success
 *
 * Return: 0, PM_ERR_NOCONTEXT, PM_ERR_NOTARCHIVE.
 */
SHIM_API int pmGetHighResArchiveLabel(pmHighResLogLabel *label)
{
	struct shim_context *ctx;
	const struct shim_label *l;
	int err = label ? label_enter(&ctx, &l) : -EINVAL;

	if (err)
		return err;
	label->magic = PM_LOG_MAGIC | l->version;
	label->pid = l->pid;
	label->start = shim_stamp__to_timespec(l->start);
	copy_text(label->hostname, sizeof(label->hostname), l->host);
	copy_text(label->timezone, sizeof(label->timezone), l->tz);
	copy_text(label->zoneinfo, sizeof(label->zoneinfo), l->zoneinfo);
	return shim_context__leave(ctx, 0);
}

static int archive_end(struct shim_ts *end)
{
	struct shim_context *ctx;
	int err = shim_context__enter_archive(&ctx);

	if (err)
		return err;
	err = shim_archive__end(ctx->ar, end);
	return shim_context__leave(ctx, shim_pcp__error(err));
}

/**
 * pmGetHighResArchiveEnd() - the stamp of the archive's last record
 * @end: the stamp; PM_MAX_TIME_T seconds if the archive has none
 *
 * Return: 0, PM_ERR_NOCONTEXT, PM_ERR_NOTARCHIVE, PM_ERR_LOGREC if no complete record is found.
 */
SHIM_API int pmGetHighResArchiveEnd(struct timespec *end)
{
	struct shim_ts ts = { .sec = PM_MAX_TIME_T };
	int err = end ? archive_end(&ts) : -EINVAL;

	if (end && err != PM_ERR_NOCONTEXT && err != PM_ERR_NOTARCHIVE)
		*end = shim_stamp__to_timespec(ts);
	return err;
}

/**
 * pmGetArchiveEnd() - the stamp of the archive's last record
 * @end: the stamp, truncated to microseconds; PM_MAX_TIME_T seconds if the archive has none
 *
 * Return: 0, PM_ERR_NOCONTEXT, PM_ERR_NOTARCHIVE, PM_ERR_LOGREC if no complete record is found.
 */
SHIM_API int pmGetArchiveEnd(struct timeval *end)
{
	struct shim_ts ts = { .sec = PM_MAX_TIME_T };
	int err = end ? archive_end(&ts) : -EINVAL;

	if (end && err != PM_ERR_NOCONTEXT && err != PM_ERR_NOTARCHIVE)
		*end = shim_stamp__to_timeval(ts);
	return err;
}
