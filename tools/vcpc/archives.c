// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Expand arguments into archive names.  An argument is the name of an archive, of one of its files,
 * or of a directory of archives, or a comma-separated list of these.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "archives.h"

/* Suffixes of an archive's files when they are compressed */
static const char *const packers[] = { ".xz", ".lzma", ".gz", ".bz2", ".bz", ".Z", ".z", ".zst" };

/*
 * Remove @suffix from a name.  Return false if the name does not end with it, or consists only of
 * it.
 */
static bool suffix_cut(char *name, const char *suffix)
{
	size_t len = strlen(name), end = strlen(suffix);

	if (len <= end || strcmp(name + len - end, suffix))
		return false;
	name[len - end] = '\0';
	return true;
}

static void cut_packer(char *name)
{
	for (size_t i = 0; i < sizeof(packers) / sizeof(packers[0]); i++)
		if (suffix_cut(name, packers[i]))
			return;
}

/* Remove the number of a volume, such as ".0".  Return false if there is none. */
static bool cut_volume(char *name)
{
	char *dot = strrchr(name, '.');

	if (!dot || dot == name || !dot[1] || dot[1 + strspn(dot + 1, "0123456789")])
		return false;
	*dot = '\0';
	return true;
}

static bool is_file(const char *name)
{
	struct stat st;

	return !stat(name, &st) && S_ISREG(st.st_mode);
}

static bool has_metadata(const char *base)
{
	char path[4096];

	snprintf(path, sizeof(path), "%s.meta", base);
	if (is_file(path))
		return true;
	for (size_t i = 0; i < sizeof(packers) / sizeof(packers[0]); i++) {
		snprintf(path, sizeof(path), "%s.meta%s", base, packers[i]);
		if (is_file(path))
			return true;
	}
	return false;
}

/*
 * Append a name unless it is in the list.  Take ownership of @name, which is freed if it is not
 * appended.
 */
static int archive_append(struct vcpc_archives *archives, char *name)
{
	char **more = name ? realloc(archives->names, (archives->n + 1) * sizeof(*more)) : NULL;

	if (!more) {
		free(name);
		return -ENOMEM;
	}
	archives->names = more;
	for (size_t i = 0; i < archives->n; i++) {
		if (!strcmp(more[i], name)) {
			free(name);
			return 0;
		}
	}
	more[archives->n++] = name;
	return 0;
}

/* Add an archive.  If @what is a file, add the archive to which it belongs. */
static int add_archive(struct vcpc_archives *archives, const char *what)
{
	char *name = strdup(what);

	if (name && !has_metadata(name) && is_file(name)) {
		cut_packer(name);
		if (!suffix_cut(name, ".meta") && !suffix_cut(name, ".index"))
			cut_volume(name);
	}
	return archive_append(archives, name);
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Find archives by their metadata and by their index, because one of these may be missing. */
static int add_folder(struct vcpc_archives *archives, const char *folder)
{
	DIR *dir = opendir(folder);
	size_t before = archives->n;
	struct dirent *entry;
	bool any = false;
	int err = 0;

	if (!dir)
		return -errno;
	while (errno = 0, !err && (entry = readdir(dir))) {
		char *name;

		cut_packer(entry->d_name);
		if (!suffix_cut(entry->d_name, ".meta") && !suffix_cut(entry->d_name, ".index"))
			continue;
		any = true;
		if (asprintf(&name, "%s%s%s", folder, folder[strlen(folder) - 1] == '/' ? "" : "/",
			     entry->d_name) < 0)
			name = NULL;
		err = archive_append(archives, name);
	}
	if (!err && errno)
		err = -errno;
	closedir(dir);
	if (any)
		qsort(archives->names + before, archives->n - before, sizeof(char *), by_name);
	return err || any ? err : -ENOENT;
}

static int add_one(struct vcpc_archives *archives, const char *what)
{
	struct stat st;

	if (!has_metadata(what) && !stat(what, &st) && S_ISDIR(st.st_mode))
		return add_folder(archives, what);
	return add_archive(archives, what);
}

int vcpc_archives_add(struct vcpc_archives *archives, const char *what)
{
	char *list, *rest, *item;
	struct stat st;
	int err = 0;

	if (!strchr(what, ',') || has_metadata(what) || !stat(what, &st))
		return add_one(archives, what);
	list = rest = strdup(what);
	if (!list)
		return -ENOMEM;
	while (!err && (item = strsep(&rest, ",")))
		if (*item)
			err = add_one(archives, item);
	free(list);
	return err;
}

void vcpc_archives_free(struct vcpc_archives *archives)
{
	for (size_t i = 0; i < archives->n; i++)
		free(archives->names[i]);
	free(archives->names);
	*archives = (struct vcpc_archives){ 0 };
}
