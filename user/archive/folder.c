// SPDX-License-Identifier: LGPL-2.1-or-later
/* The names in a directory, used to find the files of many archives in it. */
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "folder.h"

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static int add(struct shim_folder *folder, const char *name)
{
	if (shim_vec__room(folder->names, &folder->cap, folder->n))
		return -ENOMEM;
	folder->names[folder->n] = strdup(name);
	return folder->names[folder->n++] ? 0 : -ENOMEM;
}

static int add_all(struct shim_folder *folder)
{
	const struct dirent *entry;
	DIR *dir = opendir(folder->path);
	int err = dir ? 0 : -errno;

	while (errno = 0, !err && (entry = readdir(dir)))
		err = add(folder, entry->d_name);
	if (!err && errno)
		err = -errno;
	if (dir)
		closedir(dir);
	return err;
}

int shim_folder__read(struct shim_folder *folder, const char *path)
{
	int err;

	if (folder->path && !strcmp(folder->path, path))
		return 0;
	shim_folder__free(folder);
	folder->path = strdup(path);
	err = folder->path ? add_all(folder) : -ENOMEM;
	if (err)
		shim_folder__free(folder);
	else if (folder->n)
		qsort(folder->names, folder->n, sizeof(*folder->names), by_name);
	return err;
}

size_t shim_folder__first(const struct shim_folder *folder, const char *prefix)
{
	size_t lo = 0, hi = folder->n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (strcmp(folder->names[mid], prefix) < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

void shim_folder__free(struct shim_folder *folder)
{
	for (size_t i = 0; i < folder->n; i++)
		free(folder->names[i]);
	free(folder->names);
	free(folder->path);
	*folder = (struct shim_folder){ 0 };
}
