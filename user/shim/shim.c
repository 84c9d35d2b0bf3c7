// SPDX-License-Identifier: LGPL-2.1-or-later
/* Open a back end, list events, and get this library's version. */
#include <errno.h>
#include <stddef.h>

#include <shim/archive.h>

#include "archive/check.h"
#include "base/api.h"
#include "core/event.h"
#include "core/pmus.h"
#include "handle.h"
#include "shim/shim.h"

_Static_assert(SHIM_EVENT_MAX == SHIM_EVENT_LEN, "the public buffer must have room for a name");

/**
 * shim_version() - get the version of the library in use
 *
 * Return: "major.minor.patch".
 */
SHIM_API const char *shim_version(void)
{
	return SHIM_VERSION;
}

/**
 * shim_open() - open a back end: the module, or perf_event_open(2) if the module is not loaded
 * @handle: set on success; to be closed with shim_close()
 *
 * The environment variable SHIM_BACKEND selects one of them, "vcpc" or "perf".
 *
 * Return: 0, -ENODEV (neither is available), -EACCES (no access to the module's device, or perf is
 * not permitted), -EPROTONOSUPPORT (the module has a different version), -EINVAL (SHIM_BACKEND
 * names neither), -ENOMEM, -EMFILE. shim_backend_why() explains the reason.
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
 * shim_backend() - get the name of the back end in use
 * @handle: handle from shim_open()
 *
 * Return: "vcpc" for the module, "perf" for perf_event_open(2).
 */
SHIM_API const char *shim_backend(struct shim_handle *handle)
{
	return handle ? shim_session__ops(shim_handle__session(handle))->name : NULL;
}

/**
 * shim_backend_why() - explain why this back end was chosen, or why none can be opened
 * @handle: handle from shim_open(), or NULL if that call failed
 * @buf: receives a text without a newline
 * @size: size of @buf; SHIM_WHY_MAX is sufficient
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
 * @handle: handle from shim_open(); its sets continue to exist
 */
SHIM_API void shim_close(struct shim_handle *handle)
{
	if (handle)
		shim_session__close(shim_handle__session(handle));
}

/**
 * shim_events_walk() - visit all events by name
 * @handle: visit only events that this back end can count here; NULL: all known names
 * @fn: called for each event; a value other than 0 ends the walk
 * @arg: argument of @fn
 *
 * Return: 0, the value of @fn that ended the walk, or an error that may not recur, for example
 * -ENOMEM or -EMFILE.
 */
SHIM_API int shim_events_walk(struct shim_handle *handle,
			      int (*fn)(void *arg, const char *name, const char *desc), void *arg)
{
	return fn ? shim_event__walk(shim_handle__session(handle), fn, arg) : -EINVAL;
}

/**
 * shim_pmus_walk() - visit the core PMUs, one for each kind of core
 * @fn: called for each PMU with its name and its CPUs, for example "0-3,8", or "" for all CPUs; a
 *	value other than 0 ends the walk
 * @arg: argument of @fn
 *
 * If there are several, an event without a PMU is counted on all of them, and its value is the sum;
 * an event such as cpu_core/cycles/ is counted on one of them.
 *
 * Return: 0, even if there is no PMU, the value of @fn, or an error from reading the kernel's list.
 */
SHIM_API int shim_pmus_walk(int (*fn)(void *arg, const char *name, const char *cpus), void *arg)
{
	int ret = fn ? shim_pmus__load() : -EINVAL;
	const struct shim_pmus *pmus = shim_pmus__get();

	for (unsigned int i = 0; i < pmus->n && !ret; i++)
		ret = fn(arg, pmus->pmu[i].name, pmus->pmu[i].list);
	return ret;
}

/**
 * shim_event_on_pmu() - get the name of an event on one kind of core
 * @name: an event that every core PMU counts: one of perf's own hardware events, or a raw code
 * @pmu: from shim_pmus_walk()
 * @buf: receives the name: "cycles:u" becomes "cpu_core/cycles/:u"
 * @size: size of @buf; SHIM_EVENT_MAX is sufficient for perf's own events
 *
 * Return: 0, -ENOENT for other events, such as software events and events with a PMU, -EINVAL
 * (invalid mode), -ENAMETOOLONG.
 */
SHIM_API int shim_event_on_pmu(const char *name, const char *pmu, char *buf, size_t size)
{
	return name && pmu && buf ? shim_event__on(pmu, name, buf, size) : -EINVAL;
}

/**
 * shim_event_suggest() - suggest an event name
 * @name: a name that does not exist
 * @buf: receives a similar name that exists
 * @size: size of @buf; SHIM_EVENT_MAX is sufficient
 *
 * Return: 0, -ENOENT if no name is similar, -ENAMETOOLONG.
 */
SHIM_API int shim_event_suggest(const char *name, char *buf, size_t size)
{
	return name && buf ? shim_event__suggest(name, buf, size) : -EINVAL;
}

/* The check of archives as a public call, for programs without access to internal headers */

/* Sizes of the struct in earlier versions: without @note, and with @note but without @span */
#define OLD_SIZE offsetof(struct shim_archive_watch, note)
#define NOTE_SIZE offsetof(struct shim_archive_watch, span)

static void pass_note(void *arg, enum shim_check_note kind, const char *file, uint64_t offset,
		      const char *text)
{
	const struct shim_archive_watch *watch = arg;

	_Static_assert((int)SHIM_CHECK_UNKNOWN == (int)SHIM_ARCHIVE_UNKNOWN, "same kinds");
	watch->note(watch->arg, (int)kind, file, offset, text);
}

static void pass_problem(void *arg, const char *file, uint64_t offset, const char *text)
{
	const struct shim_archive_watch *watch = arg;

	watch->problem(watch->arg, file, offset, text);
}

static void pass_progress(void *arg, uint64_t done, uint64_t total)
{
	const struct shim_archive_watch *watch = arg;

	watch->progress(watch->arg, done, total);
}

static struct shim_ts ts_of(struct timespec t)
{
	return (struct shim_ts){ .sec = t.tv_sec, .nsec = (int32_t)t.tv_nsec };
}

static bool is_time(struct timespec t)
{
	return t.tv_nsec >= 0 && t.tv_nsec < 1000000000;
}

static bool is_good(const struct shim_archive_span *span)
{
	return is_time(span->from) && is_time(span->to) && span->points <= 1 && !span->reserved;
}

/**
 * shim_archive_check() - check an archive for damage and missing parts
 * @archive: the archive's base name, or the name of one of its files
 * @watch: callbacks for problems, notes and progress, and what to check
 *
 * Readers of archives tolerate many of the reported problems.
 *
 * Return: the number of problems, without notes; -EINVAL, -ENOENT if the archive does not exist,
 * -EFBIG if it exceeds SHIM_ARCHIVE_MEMORY, or another error from reading it.
 */
SHIM_API int shim_archive_check(const char *archive, const struct shim_archive_watch *watch)
{
	struct shim_check check = { .problem = pass_problem, .arg = (void *)watch };
	const struct shim_archive_span *only;
	struct shim_check_span span;

	if (!archive || !watch || watch->size < OLD_SIZE || watch->reserved || !watch->problem)
		return -EINVAL;
	if (watch->progress)
		check.progress = pass_progress;
	if (watch->size >= NOTE_SIZE && watch->note)
		check.note = pass_note;
	only = watch->size >= sizeof(*watch) ? watch->span : NULL;
	if (only && !is_good(only))
		return -EINVAL;
	if (only) {
		span = (struct shim_check_span){ ts_of(only->from), ts_of(only->to), only->points };
		check.span = &span;
	}
	return shim_archive__check(archive, &check);
}
