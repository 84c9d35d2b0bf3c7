/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Finding the archives that a name stands for, and reading the label of each. */
#ifndef SHIM_ARCHIVE_SEGMENT_H
#define SHIM_ARCHIVE_SEGMENT_H

#include "archive.h"

/*
 * The names of archives that a name stands for: itself, or those of a list with
 * commas, in which directories stand for all archives in them; each once.
 * 0, -ENOENT, -ENOMEM; @names and each of them are the caller's to free.
 */
int shim_segment__names(const char *name, char ***names, size_t *n);

/*
 * Finds an archive's files and reads its label; @folder: as for shim_files__find(); *@fd: its first
 * volume, if it was unpacked
 */
int shim_segment__open(struct shim_segment *segment, const char *name, struct shim_folder *folder,
		       int *fd);
/*
 * The same without scanning the directory, for most archives: those with an
 * uncompressed volume 0.  Which other files exist is not known then.  On any
 * error, the caller tries again with shim_segment__open().
 */
int shim_segment__open_plain(struct shim_segment *segment, const char *name);
/*
 * The volumes that exist now, without a last one whose label is not complete yet.
 * If the directory may not be read, those that are found by trying names.
 */
int shim_segment__list(const struct shim_segment *segment, struct shim_files *out);
void shim_segment__close(struct shim_segment *segment);

#endif /* SHIM_ARCHIVE_SEGMENT_H */
