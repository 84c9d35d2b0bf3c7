/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The names in a folder, for finding the files of many archives in it. */
#ifndef SHIM_ARCHIVE_FOLDER_H
#define SHIM_ARCHIVE_FOLDER_H

#include <stddef.h>

/*
 * struct shim_folder - a folder as it was when it was read; zero at first
 * @path: the folder that was read last, or NULL
 * @names: @n names, sorted; room for @cap
 */
struct shim_folder {
	char *path;
	char **names;
	size_t n, cap;
};

/* Read a folder unless it is the one that was read last: 0 or an error, after which it has none */
int shim_folder__read(struct shim_folder *folder, const char *path);
/* The place of the first name that begins with @prefix, or is behind all that do */
size_t shim_folder__first(const struct shim_folder *folder, const char *prefix);
void shim_folder__free(struct shim_folder *folder);

#endif /* SHIM_ARCHIVE_FOLDER_H */
