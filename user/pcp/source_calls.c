// SPDX-License-Identifier: LGPL-2.1-or-later
/* Calls to a context's source: its host's name, connecting to it again, and storing values. */
#include <errno.h>

#include "base/api.h"
#include "context.h"
#include "texts.h"

/* The host's name; "" for an invalid handle */
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
 * pmGetHostName() - the host whose values a context has
 * @handle: of the context
 * @buf: the host, cut to @buflen - 1 bytes; "" for an invalid handle
 * @buflen: room at @buf
 *
 * Return: 0.
 */
SHIM_API int pmGetHostName(int handle, char *buf, int buflen)
{
	host_of(handle, buf, buflen > 0 ? buflen : 0);
	return 0;
}

/**
 * pmGetContextHostName_r() - the host whose values a context has
 * @handle: of the context
 * @buf: the host, cut to @buflen - 1 bytes; "" for an invalid handle
 * @buflen: room at @buf
 *
 * Return: @buf.
 */
SHIM_API char *pmGetContextHostName_r(int handle, char *buf, int buflen)
{
	host_of(handle, buf, buflen > 0 ? buflen : 0);
	return buf;
}

/** pmGetContextHostName() - as pmGetContextHostName_r(); good until this thread's next call */
SHIM_API const char *pmGetContextHostName(int handle)
{
	struct shim_texts *texts = shim_texts();

	return pmGetContextHostName_r(handle, texts->host, sizeof(texts->host));
}

/**
 * pmReconnectContext() - connect to a context's source again
 * @handle: of the context; an archive has no connection to lose
 *
 * A host's connection is closed, if there is one, and made anew; the instance profile stays.
 * After a failure, calls fail at once for as long as PMCD_RECONNECT_TIMEOUT says.
 * Derived metrics of the context's own are gone, global ones are bound anew.
 *
 * Return: @handle, PM_ERR_NOCONTEXT, or -ETIMEDOUT if pmcd cannot be reached, or it is too early
 * to try again.
 */
SHIM_API int pmReconnectContext(int handle)
{
	struct shim_context *ctx;
	int err = shim_context__enter_handle(handle, &ctx);

	if (err)
		return err;
	err = ctx->source->reconnect(ctx);
	if (!err)	/* the source may have other metrics now */
		shim_derived__fini(&ctx->derived);
	return shim_context__leave(ctx, err ? err : handle);
}

static int store(int n, pmValueSet *const *sets)
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
 * @result: the values, in the metrics' own types; its stamp has no meaning
 *
 * Return: 0; PM_ERR_TOOSMALL, PM_ERR_VALUE for a metric without values, PM_ERR_NOCONTEXT;
 * PM_ERR_NOTHOST for an archive, whose values cannot change; an error of the host's pmcd or of
 * the metric's agent, such as PM_ERR_PERMISSION, PM_ERR_BADSTORE or PM_ERR_PMID;
 * PM_ERR_TOOBIG if pmcd would not take that many, PM_ERR_TIMEOUT, PM_ERR_IPC.
 */
SHIM_API int pmStore(const pmResult *result)
{
	return result ? store(result->numpmid, result->vset) : -EINVAL;
}

/** pmStoreHighRes() - as pmStore() */
SHIM_API int pmStoreHighRes(const pmHighResResult *result)
{
	return result ? store(result->numpmid, result->vset) : -EINVAL;
}
