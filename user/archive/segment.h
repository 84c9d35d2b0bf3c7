/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Find the archives to which a name refers, and read the label of each. */
#ifndef SHIM_ARCHIVE_SEGMENT_H
#define SHIM_ARCHIVE_SEGMENT_H

#include "archive.h"

/*
 * Get the names of the archives to which a name refers: the name itself, or the names in a
 * comma-separated list, in which a directory means all archives in it.  Each name occurs once.
 * Return 0, -ENOENT or -ENOMEM.  The caller frees @names and each name.
 */
int shim_segment__names(const char *name, char ***names, size_t *n);

/* Find an archive's files and read its label.  @folder is as for shim_files__find(). */
int shim_segment__open(struct shim_segment *segment, const char *name, struct shim_folder *folder);
/*
 * Like shim_segment__open(), without scanning the directory.  This works for archives with an
 * uncompressed volume 0, which most have.  It does not determine which other files exist.  On any
 * error, the caller tries again with shim_segment__open().
 */
int shim_segment__open_plain(struct shim_segment *segment, const char *name);
/*
 * List the volumes that exist now, except for a last one whose label is not complete yet.  If the
 * directory cannot be read, list the volumes found by trying names.
 */
int shim_segment__list(const struct shim_segment *segment, struct shim_files *out);
void shim_segment__close(struct shim_segment *segment);

#endif /* SHIM_ARCHIVE_SEGMENT_H */
