/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* From a name to the archives that it stands for, and what each of them begins with. */
#ifndef SHIM_ARCHIVE_SEGMENT_H
#define SHIM_ARCHIVE_SEGMENT_H

#include "archive.h"

/*
 * The names of archives that a name stands for: itself, or those of a list with
 * commas, in which folders stand for all archives in them; each once.
 * 0, -ENOENT, -ENOMEM; @names and each of them are the caller's to free.
 */
int shim_segment__names(const char *name, char ***names, size_t *n);

/* Finds an archive's files and reads its label; *@fd: its first volume, if it was unpacked */
int shim_segment__open(struct shim_segment *segment, const char *name, int *fd);
/*
 * The same without looking through the folder, for what most archives begin
 * with: a volume 0 that is not packed.  What other files there are is not known
 * then.  On an error, whatever it is, shim_segment__open() is the one to ask.
 */
int shim_segment__open_plain(struct shim_segment *segment, const char *name);
/*
 * The volumes that there are, as of now; a last one that was only begun is left out.
 * Of a folder that may not be read, those whose names can be known.
 */
int shim_segment__list(const struct shim_segment *segment, struct shim_files *out);
void shim_segment__close(struct shim_segment *segment);

#endif /* SHIM_ARCHIVE_SEGMENT_H */
