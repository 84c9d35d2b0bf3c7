// SPDX-License-Identifier: LGPL-2.1-or-later
/* Opening a back end, listing events, and this library's version. */
#include <errno.h>
#include <stddef.h>

#include "base/api.h"
#include "core/event.h"
#include "core/pmus.h"
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
 * shim_open() - open a back end: the module, or perf_event_open(2) where it is not loaded
 * @handle: for shim_close()
 *
 * SHIM_BACKEND in the environment names one of them, "vcpc" or "perf".
 *
 * Return: 0, -ENODEV (neither is here), -EACCES (no access to the module's device, or perf is not
 * allowed), -EPROTONOSUPPORT (the module is of another version), -EINVAL (SHIM_BACKEND names
 * neither), -ENOMEM, -EMFILE.  shim_backend_why() gives the reason in words.
 */
SHIM_API int shim_open(struct shim_handle **handle)
{
	struct shim_session *session;
	int ret = handle ? shim_session__open(&session) : -EINVAL;

	if (!ret)
		*handle = (struct shim_handle *)session;
	return ret;
}

/**
 * shim_backend() - the name of the back end in use
 * @handle: of shim_open()
 *
 * Return: "vcpc" for the module, "perf" for perf_event_open(2).
 */
SHIM_API const char *shim_backend(struct shim_handle *handle)
{
	return handle ? shim_session__ops(shim_handle__session(handle))->name : NULL;
}

/**
 * shim_backend_why() - why this back end was chosen, or why none can be opened
 * @handle: of shim_open(), or NULL if that failed
 * @buf: a text for people, without a newline
 * @size: of @buf; SHIM_WHY_MAX is enough
 *
 * Return: 0, or -EINVAL if @size is 0.
 */
SHIM_API int shim_backend_why(struct shim_handle *handle, char *buf, size_t size)
{
	const struct shim_session *session = shim_handle__session(handle);

	if (!buf || !size)
		return -EINVAL;
	shim_session__why(session ? shim_session__ops(session) : NULL, buf, size);
	return 0;
}

/**
 * shim_close() - close a handle
 * @handle: of shim_open(); sets made by it live on
 */
SHIM_API void shim_close(struct shim_handle *handle)
{
	if (handle)
		shim_session__close(shim_handle__session(handle));
}

/**
 * shim_events_walk() - visit all events by name
 * @handle: visit only events that this back end can count here; NULL: all that have a name
 * @fn: called for each; anything but 0 ends the walk
 * @arg: for @fn
 *
 * Return: 0, or what @fn returned.
 */
SHIM_API int shim_events_walk(struct shim_handle *handle,
			      int (*fn)(void *arg, const char *name, const char *desc), void *arg)
{
	return fn ? shim_event__walk(shim_handle__session(handle), fn, arg) : -EINVAL;
}

/**
 * shim_pmus_walk() - visit the PMUs of the cores: one, or one for each kind of core
 * @fn: called for each with its name and its CPUs, "0-3,8", or "" if it is of all CPUs; anything
 *	but 0 ends the walk
 * @arg: for @fn
 *
 * Where there are several, an event without a PMU's name is counted on all of them, and its value is the
 * sum; cpu_core/cycles/ is counted on one.
 *
 * Return: 0, also if there is no PMU, or what @fn returned.
 */
SHIM_API int shim_pmus_walk(int (*fn)(void *arg, const char *name, const char *cpus), void *arg)
{
	const struct shim_pmus *pmus = shim_pmus__get();
	int ret = fn ? 0 : -EINVAL;

	for (unsigned int i = 0; i < pmus->n && !ret; i++)
		ret = fn(arg, pmus->pmu[i].name, pmus->pmu[i].list);
	return ret;
}

/**
 * shim_event_on_pmu() - the name of an event as it is counted on one kind of core
 * @name: an event that every core PMU counts: one of perf's own hardware events, or a raw code
 * @pmu: of shim_pmus_walk()
 * @buf: for the name: "cycles:u" becomes "cpu_core/cycles/:u"
 * @size: of @buf; SHIM_EVENT_MAX is enough for perf's own events
 *
 * Return: 0, -ENOENT if it is another event, such as one of software or one that names a PMU,
 * -EINVAL (a bad mode), -ENAMETOOLONG.
 */
SHIM_API int shim_event_on_pmu(const char *name, const char *pmu, char *buf, size_t size)
{
	return name && pmu && buf ? shim_event__on(pmu, name, buf, size) : -EINVAL;
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
	return name && buf ? shim_event__suggest(name, buf, size) : -EINVAL;
}
