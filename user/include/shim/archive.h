/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Check an archive of Performance Co-Pilot for damage: see shim_archive_check(3). */
#ifndef SHIM_ARCHIVE_H
#define SHIM_ARCHIVE_H

#include <stdint.h>
#include <time.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * enum shim_archive_note - kinds of notes about an archive whose values are correct
 * @SHIM_ARCHIVE_INCOMPLETE: an instance's name or a file is missing
 * @SHIM_ARCHIVE_UNKNOWN: a record that only newer versions of PCP write
 */
enum shim_archive_note {
	SHIM_ARCHIVE_INCOMPLETE = 0,
	SHIM_ARCHIVE_UNKNOWN = 1,
};

/**
 * struct shim_archive_span - a part of an archive
 * @from: the first time to check
 * @to: the last time to check
 * @points: 1: the caller has read values only at some of these times, so records are not checked;
 *	otherwise 0
 * @reserved: 0
 */
struct shim_archive_span {
	struct timespec from, to;
	uint32_t points;
	uint32_t reserved;
};

/**
 * struct shim_archive_watch - callbacks of a check, and what to check
 * @size: sizeof(struct shim_archive_watch)
 * @reserved: 0
 * @problem: called for each damaged place, at @offset of @file; @text is one line
 * @progress: NULL, or called periodically with the number of bytes checked and the total
 * @arg: passed to all callbacks
 * @note: NULL, or called for each note; @kind is enum shim_archive_note
 * @span: NULL to check all, or the records to check; labels, metadata, the index and the end of the
 *	last volume are always checked
 */
struct shim_archive_watch {
	uint32_t size;
	uint32_t reserved;
	void (*problem)(void *arg, const char *file, uint64_t offset, const char *text);
	void (*progress)(void *arg, uint64_t done, uint64_t total);
	void *arg;
	void (*note)(void *arg, int kind, const char *file, uint64_t offset, const char *text);
	const struct shim_archive_span *span;
};

int shim_archive_check(const char *archive, const struct shim_archive_watch *watch);

#ifdef __cplusplus
}
#endif

#endif /* SHIM_ARCHIVE_H */
