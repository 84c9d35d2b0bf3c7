/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Find the archives that a name refers to, and read the label of each. */
#ifndef SHIM_ARCHIVE_SEGMENT_H
#define SHIM_ARCHIVE_SEGMENT_H

#include "archive.h"

/*
 * Get the names of the archives that a name refers to: the name itself, or those of a
 * comma-separated list, in which a directory means all archives in it.  Each name occurs once.
 * Returns 0, -ENOENT or -ENOMEM.  The caller frees @names and each name.
 */
int shim_segment__names(const char *name, char ***names, size_t *n);

/*
 * Find an archive's files and read its label.  @folder: as for shim_files__find().
 */
int shim_segment__open(struct shim_segment *segment, const char *name, struct shim_folder *folder);
/*
 * The same without scanning the directory.  This works for most archives: those with an
 * uncompressed volume 0.  It does not determine which other files exist.  On any error, the caller
 * tries again with shim_segment__open().
 */
int shim_segment__open_plain(struct shim_segment *segment, const char *name);
/*
 * List the volumes that exist now, except a last one whose label is not complete yet.  If the
 * directory cannot be read, list those found by trying names.
 */
int shim_segment__list(const struct shim_segment *segment, struct shim_files *out);
void shim_segment__close(struct shim_segment *segment);

#endif /* SHIM_ARCHIVE_SEGMENT_H */
