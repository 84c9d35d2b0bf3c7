/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Consistency check of an archive, also for problems that a reader tolerates. */
#ifndef SHIM_ARCHIVE_CHECK_H
#define SHIM_ARCHIVE_CHECK_H

#include <stdbool.h>
#include <stdint.h>

#include "types.h"

/* A kind of note: real loggers write such archives, and the values are right */
enum shim_check_note {
	SHIM_CHECK_INCOMPLETE,	/* a name or a file is missing */
	SHIM_CHECK_UNKNOWN,	/* newer than this library */
};

/*
 * struct shim_check_span - what was read of an archive
 * @from, @to: the times of the first and the last record, or before and behind them
 * @points: only values at some times between them; records are not checked then
 */
struct shim_check_span {
	struct shim_ts from, to;
	bool points;
};

/*
 * struct shim_check - callbacks of a check, and what to check
 * @problem: called for each damage, at @offset of @file; @text is one line
 * @note: the same for each note; may be NULL
 * @progress: called now and then with the bytes checked and their total; may be NULL
 * @arg: passed to all
 * @span: which records and volumes to check; NULL: all
 */
struct shim_check {
	void (*problem)(void *arg, const char *file, uint64_t offset, const char *text);
	void (*note)(void *arg, enum shim_check_note kind, const char *file, uint64_t offset,
		     const char *text);
	void (*progress)(void *arg, uint64_t done, uint64_t total);
	void *arg;
	const struct shim_check_span *span;
};

/* The number of problems, -ENOENT if there is no such archive, -ENOMEM, or the error of reading */
int shim_archive__check(const char *name, const struct shim_check *check);

#endif /* SHIM_ARCHIVE_CHECK_H */
