// SPDX-License-Identifier: LGPL-2.1-or-later
/* Calls to a context's source: get its host's name, reconnect to it, and store values. */
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
 * @handle: handle of the context; an archive has no connection
 *
 * A host's connection, if any, is closed, and a new one is made; the instance profile is kept.
 * After a failure, calls fail immediately for the time in PMCD_RECONNECT_TIMEOUT.  The context's
 * own derived metrics are removed, global ones are bound again.
 *
 * Return: @handle, PM_ERR_NOCONTEXT, or -ETIMEDOUT if pmcd cannot be reached, or it is too early to
 * try again.
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
 * @result: the values, in the metrics' types; its stamp is ignored
 *
 * Return: 0; PM_ERR_TOOSMALL, PM_ERR_VALUE for a metric without values, PM_ERR_NOCONTEXT;
 * PM_ERR_NOTHOST for an archive, whose values cannot change; an error of the host's pmcd or of the
 * metric's agent, such as PM_ERR_PERMISSION, PM_ERR_BADSTORE or PM_ERR_PMID; PM_ERR_TOOBIG if there
 * are more than pmcd accepts, PM_ERR_TIMEOUT, PM_ERR_IPC.
 */
SHIM_API int pmStore(const pmResult *result)
{
	return result ? store(result->numpmid, result->vset) : -EINVAL;
}

/** pmStoreHighRes() - like pmStore() */
SHIM_API int pmStoreHighRes(const pmHighResResult *result)
{
	return result ? store(result->numpmid, result->vset) : -EINVAL;
}
