/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A public handle is a session of user/core with another type. */
#ifndef SHIM_SHIM_HANDLE_H
#define SHIM_SHIM_HANDLE_H

#include "core/session.h"

struct shim_handle;

static inline struct shim_session *shim_handle__session(struct shim_handle *handle)
{
	return (struct shim_session *)handle;
}

#endif /* SHIM_SHIM_HANDLE_H */
