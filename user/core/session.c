// SPDX-License-Identifier: LGPL-2.1-or-later
/* Open a back end, and keep its features. */
#include <errno.h>
#include <stdlib.h>

#include "pmus.h"
#include "session.h"

struct shim_session {
	const struct shim_backend_ops *ops;
	union shim_backend_ref dev;
	struct vcpc_info_args info;
};

/*
 * Open the selected back end, or the next one if the module is not loaded or has another version.
 */
static int open_backend(struct shim_session *session)
{
	const struct shim_backend_ops *next;
	int ret;

	session->ops = shim_session__backend();
	if (!session->ops)
		return -EINVAL;
	ret = session->ops->open(&session->dev, &session->info);
	next = ret == -ENODEV || ret == -EPROTONOSUPPORT ? shim_session__next(session->ops) : NULL;
	if (!next)
		return ret;
	session->ops = next;
	return next->open(&session->dev, &session->info);
}

/**
 * shim_session__open() - open the back end
 * @out: the session, for shim_session__close()
 *
 * Return: 0, -ENODEV if the module is not loaded and perf is not available, -EACCES if the caller
 * has no permission to open the module's device, or to use perf instead, -EPROTONOSUPPORT if
 * SHIM_BACKEND names the module and it has another version, -EINVAL if SHIM_BACKEND names no back
 * end, -ENOMEM, or an error of open(2).
 */
int shim_session__open(struct shim_session **out)
{
	struct shim_session *session = calloc(1, sizeof(*session));
	int ret;

	if (!session || shim_fork__watch()) {
		free(session);
		return -ENOMEM;
	}
	ret = shim_pmus__load();
	if (!ret)
		ret = open_backend(session);
	if (ret) {
		free(session);
		return ret;
	}
	*out = session;
	return 0;
}

/**
 * shim_session__close() - close the back end
 * @session: freed; counters created from it continue to exist
 */
void shim_session__close(struct shim_session *session)
{
	session->ops->close(session->dev);
	free(session);
}

const struct vcpc_info_args *shim_session__info(const struct shim_session *session)
{
	return &session->info;
}

const struct shim_backend_ops *shim_session__ops(const struct shim_session *session)
{
	return session->ops;
}

union shim_backend_ref shim_session__dev(const struct shim_session *session)
{
	return session->dev;
}
