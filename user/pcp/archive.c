// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Archives as a source of metrics: the table of operations, and the calls that return an archive's
 * label and end, in microseconds and nanoseconds
 */
#include <errno.h>
#include <string.h>

#include "base/api.h"
#include "archive.h"
#include "context.h"
#include "err.h"
#include "stamp.h"

static void archive_free(struct shim_context *ctx)
{
	shim_pmns_tree__free(ctx->pmns);
	shim_plans__reset(&ctx->plans);
	shim_plans__reset(&ctx->whole_plans);
	shim_request__fini(&ctx->request);
	shim_interp__free(ctx->interp);
	shim_readbuf__fini(&ctx->readbuf);
	shim_pmidmap__fini(&ctx->passed);
	shim_archive__put(ctx->ar);
}

static int archive_dup(struct shim_context *to, struct shim_context *from)
{
	to->ar = shim_archive__get(from->ar);
	to->mode = from->mode;
	to->origin = from->origin;
	to->delta = from->delta;
	to->cursor = from->cursor;
	to->cursor.readbuf = &to->readbuf;
	to->placed = from->placed;
	to->overlaps = from->overlaps;
	return 0;
}

static void copy_text(char *buf, size_t size, const char *text)
{
	size_t len = strnlen(text, size - 1);

	memcpy(buf, text, len);
	buf[len] = '\0';
}

static void archive_host(struct shim_context *ctx, char *buf, size_t size)
{
	copy_text(buf, size, shim_archive__label(ctx->ar)->host);
}

static int archive_zone(struct shim_context *ctx, char *buf, size_t size)
{
	copy_text(buf, size, shim_archive__label(ctx->ar)->tz);
	return 0;
}

/* An archive has no connection, so reconnecting always succeeds. */
static int archive_reconnect(struct shim_context *ctx)
{
	(void)ctx;
	return 0;
}

static int archive_store(struct shim_context *ctx, int n, pmValueSet *const *sets)
{
	(void)ctx;
	(void)n;
	(void)sets;
	return PM_ERR_NOTHOST;
}

static void archive_profile_changed(struct shim_context *ctx)
{
	shim_plans__reset(&ctx->plans);
}

static bool archive_knows(const struct shim_context *ctx, pmID pmid)
{
	return shim_archive__desc(ctx->ar, pmid);
}

const struct shim_source shim_archive_source = {
	.names_at = PMNS_ARCHIVE,
	.free = archive_free,
	.dup = archive_dup,
	.host = archive_host,
	.zone = archive_zone,
	.reconnect = archive_reconnect,
	.set_mode = shim_archive_source__set_mode,
	.profile_changed = archive_profile_changed,
	.fetch = shim_archive_source__fetch,
	.record = shim_archive_source__record,
	.store = archive_store,
	.knows = archive_knows,
	.desc = shim_archive_source__desc,
	.descs = shim_archive_source__descs,
	.text = shim_archive_source__text,
	.labels = shim_archive_source__labels,
	.instances = shim_archive_source__instances,
	.instance_name = shim_archive_source__instance_name,
	.instance = shim_archive_source__instance,
	.metrics = shim_archive_source__metrics,
	.children = shim_archive_source__children,
	.leaves = shim_archive_source__leaves,
	.names = shim_archive_source__names,
};

static void copy_padded(char *to, size_t size, const char *from)
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
 * pmGetArchiveLabel() - get the label of the current context's archive
 * @label: written on success; host and zone are truncated to the sizes of its members
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
	copy_padded(label->ll_hostname, sizeof(label->ll_hostname), l->host);
	copy_padded(label->ll_tz, sizeof(label->ll_tz), l->tz);
	return shim_context__leave(ctx, 0);
}

/**
 * pmGetHighResArchiveLabel() - get the complete label of the current context's archive
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
	copy_padded(label->hostname, sizeof(label->hostname), l->host);
	copy_padded(label->timezone, sizeof(label->timezone), l->tz);
	copy_padded(label->zoneinfo, sizeof(label->zoneinfo), l->zoneinfo);
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
 * pmGetHighResArchiveEnd() - get the stamp of the archive's last record
 * @end: the stamp; PM_MAX_TIME_T seconds if the archive has no records
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
 * pmGetArchiveEnd() - get the stamp of the archive's last record
 * @end: the stamp, truncated to microseconds; PM_MAX_TIME_T seconds if the archive has no records
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
