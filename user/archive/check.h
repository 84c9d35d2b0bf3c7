/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Check an archive's consistency.  The check also finds problems that readers tolerate. */
#ifndef SHIM_ARCHIVE_CHECK_H
#define SHIM_ARCHIVE_CHECK_H

#include <stdbool.h>
#include <stdint.h>

#include "types.h"

/* Kinds of notes: irregularities in archives of existing loggers that do not make values wrong */
enum shim_check_note {
	SHIM_CHECK_INCOMPLETE,	/* a name or a file is missing */
	SHIM_CHECK_UNKNOWN,	/* something that only a newer PCP defines */
};

/*
 * struct shim_check_span - the part of an archive to check
 * @from, @to: the first and the last time to check
 * @points: the caller has read values only at some of these times, so records are not checked
 */
struct shim_check_span {
	struct shim_ts from, to;
	bool points;
};

/*
 * struct shim_check - callbacks of a check, and what to check
 * @problem: called for each problem, at @offset of @file; @text is one line
 * @note: called in the same way for each note; may be NULL
 * @progress: called periodically with the number of bytes checked and the total; may be NULL
 * @arg: passed to all callbacks
 * @span: the records and volumes to check; NULL for all
 */
struct shim_check {
	void (*problem)(void *arg, const char *file, uint64_t offset, const char *text);
	void (*note)(void *arg, enum shim_check_note kind, const char *file, uint64_t offset,
		     const char *text);
	void (*progress)(void *arg, uint64_t done, uint64_t total);
	void *arg;
	const struct shim_check_span *span;
};

/* Return the number of problems, -ENOENT if there is no such archive, -ENOMEM, or a read error. */
int shim_archive__check(const char *name, const struct shim_check *check);

#endif /* SHIM_ARCHIVE_CHECK_H */
