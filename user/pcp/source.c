// SPDX-License-Identifier: LGPL-2.1-or-later
/* Where a context's values come from: its host, connecting to it again, and storing. */
#include <string.h>

#include "base/api.h"
#include "context.h"

/* The host of the archive's label; "" for a handle that is none */
static void host_of(int handle, char *buf, size_t size)
{
	struct shim_context *ctx;
	size_t len = 0;

	if (!size)
		return;
	if (!shim_context__enter_handle(handle, &ctx)) {
		const char *host = shim_archive__label(ctx->ar)->host;

		len = strnlen(host, size - 1);
		memcpy(buf, host, len);
		shim_context__leave(ctx, 0);
	}
	buf[len] = '\0';
}

/**
 * pmGetHostName() - the host whose values a context has
 * @handle: of the context
 * @buf: the host, cut to @buflen - 1 bytes; "" for a handle that is none
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
 * @buf: the host, cut to @buflen - 1 bytes; "" for a handle that is none
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
	static __thread char buf[PM_MAX_HOSTNAMELEN];

	return pmGetContextHostName_r(handle, buf, sizeof(buf));
}

/**
 * pmReconnectContext() - connect to a context's source again
 * @handle: of the context; an archive has no connection to lose
 *
 * Return: @handle, or PM_ERR_NOCONTEXT.
 */
SHIM_API int pmReconnectContext(int handle)
{
	struct shim_context *ctx;
	int err = shim_context__enter_handle(handle, &ctx);

	return err ? err : shim_context__leave(ctx, handle);
}

/* Nothing can be stored in an archive, and there are no other contexts. */
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
	return err ? err : shim_context__leave(ctx, PM_ERR_NOTHOST);
}

/**
 * pmStore() - give metrics other values
 * @result: the values
 *
 * Return: PM_ERR_TOOSMALL, PM_ERR_VALUE for a metric without values, PM_ERR_NOCONTEXT, or
 * PM_ERR_NOTHOST, as an archive's values are what they are.
 */
SHIM_API int pmStore(const pmResult *result)
{
	return store(result->numpmid, result->vset);
}

/** pmStoreHighRes() - as pmStore() */
SHIM_API int pmStoreHighRes(const pmHighResResult *result)
{
	return store(result->numpmid, result->vset);
}
