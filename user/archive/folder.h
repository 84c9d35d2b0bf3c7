/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The names in a directory, used to find the files of many archives in it. */
#ifndef SHIM_ARCHIVE_FOLDER_H
#define SHIM_ARCHIVE_FOLDER_H

#include <stddef.h>

/*
 * struct shim_folder - snapshot of a directory's names; zero-initialized
 * @path: the directory that was read last, or NULL
 * @names: @n names, sorted; room for @cap
 */
struct shim_folder {
	char *path;
	char **names;
	size_t n, cap;
};

/*
 * Read a directory, unless it is the one read last.  Returns 0 or an error; after an error, there
 * are no names.
 */
int shim_folder__read(struct shim_folder *folder, const char *path);
/* The index of the first name that begins with @prefix, or after all that do */
size_t shim_folder__first(const struct shim_folder *folder, const char *prefix);
void shim_folder__free(struct shim_folder *folder);

#endif /* SHIM_ARCHIVE_FOLDER_H */
