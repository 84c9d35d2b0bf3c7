// SPDX-License-Identifier: LGPL-2.1-or-later
/* Archives as a source of metrics: the operations table, and small operations. */
#include <string.h>

#include "archive_source.h"
#include "context.h"

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

const struct shim_source shim_archive_source = {
	.names_at = PMNS_ARCHIVE,
	.free = archive_free,
	.dup = archive_dup,
	.host = archive_host,
	.zone = archive_zone,
	.reconnect = archive_reconnect,
	.set_mode = shim_archive_source__set_mode,
	.fetch = shim_archive_source__fetch,
	.record = shim_archive_source__record,
	.store = archive_store,
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
