// SPDX-License-Identifier: LGPL-2.1-or-later
/* The module opened, its events, and this library's version. */
#include <stddef.h>

#include "base/api.h"
#include "core/event.h"
#include "handle.h"
#include "shim/shim.h"

_Static_assert(SHIM_EVENT_MAX == SHIM_EVENT_LEN, "a name of core fits the public buffer");

/**
 * shim_version() - the version of the library that is in use
 *
 * Return: "major.minor.patch".
 */
SHIM_API const char *shim_version(void)
{
	return SHIM_VERSION;
}

/**
 * shim_open() - open the module
 * @handle: for shim_close()
 *
 * Return: 0, -ENODEV (it is not loaded), -EACCES (no access to its device),
 * -EPROTONOSUPPORT (it is of another version), -ENOMEM, -EMFILE.
 */
SHIM_API int shim_open(struct shim_handle **handle)
{
	struct shim_session *session;
	int ret = shim_session__open(&session);

	if (!ret)
		*handle = (struct shim_handle *)session;
	return ret;
}

/**
 * shim_close() - close the module
 * @handle: sets made by it live on
 */
SHIM_API void shim_close(struct shim_handle *handle)
{
	shim_session__close(shim_handle__session(handle));
}

/**
 * shim_events_walk() - visit all events by name
 * @handle: only what the module can count here; NULL: all names there are
 * @fn: called for each; anything but 0 ends the walk
 * @arg: for @fn
 *
 * Return: 0, or what @fn returned.
 */
SHIM_API int shim_events_walk(struct shim_handle *handle,
			      int (*fn)(void *arg, const char *name, const char *desc), void *arg)
{
	return shim_event__walk(shim_handle__session(handle), fn, arg);
}

/**
 * shim_event_suggest() - which event was probably meant
 * @name: one that does not exist
 * @buf: a name that does
 * @size: of @buf; SHIM_EVENT_MAX is enough
 *
 * Return: 0, -ENOENT if nothing is near, -ENAMETOOLONG.
 */
SHIM_API int shim_event_suggest(const char *name, char *buf, size_t size)
{
	return shim_event__suggest(name, buf, size);
}
