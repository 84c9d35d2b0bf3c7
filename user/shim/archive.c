// SPDX-License-Identifier: LGPL-2.1-or-later
/* The check of archives as a public call, for programs without access to internal headers. */
#include <errno.h>
#include <stddef.h>

#include <shim/archive.h>

#include "archive/check.h"
#include "base/api.h"

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
 * @archive: its base name, or the name of one of its files
 * @watch: callbacks for problems, notes and progress, and what to check
 *
 * Readers of archives tolerate many of the reported problems.
 *
 * Return: the number of problems, without notes; -EINVAL, -ENOENT if the archive does not exist, or
 * an error of reading it.
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
