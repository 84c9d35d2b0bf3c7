// SPDX-License-Identifier: GPL-2.0-or-later
/* Find the file of a program or library by its path, or by its name alone. */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "functions.h"
#include "vcpc.h"

#ifdef __x86_64__
#define TRIPLET "x86_64-linux-gnu"
#else
#define TRIPLET "aarch64-linux-gnu"
#endif

#define LIBRARIES "/lib/" TRIPLET ":/usr/lib/" TRIPLET ":/lib64:/usr/lib64:/lib:/usr/lib:/usr/local/lib"

static char *copy_of(const char *text)
{
	char *copy = strdup(text);

	if (!copy)
		vcpc_no_memory();
	return copy;
}

/* Return the path in the first of the colon-separated directories that has the file, or NULL. */
static char *in_folders(const char *folders, const char *name, int mode)
{
	while (folders && *folders) {
		size_t len = strcspn(folders, ":");
		char *path;

		if (asprintf(&path, "%.*s/%s", (int)len, folders, name) < 0)
			vcpc_no_memory();
		if (len && !access(path, mode))
			return path;
		free(path);
		folders += len + (folders[len] == ':');
	}
	return NULL;
}

/*
 * Return the path, in the process's file system, of a file with this name that the process has
 * mapped, or NULL with errno, which is 0 if there is no such file.
 */
static char *in_process(const char *name, pid_t pid)
{
	char maps[64], *line = NULL, *found = NULL;
	size_t size = 0;
	int err;
	FILE *f;

	snprintf(maps, sizeof(maps), "/proc/%d/maps", (int)pid);
	f = fopen(maps, "re");
	if (!f)
		return NULL;
	errno = 0;
	while (!found && getline(&line, &size, f) > 0) {
		char *path = strchr(line, '/'), *end = strchr(line, '\n');

		if (end)
			*end = '\0';
		if (path && !strcmp(strrchr(path, '/') + 1, name))
			found = copy_of(path);
	}
	err = found || feof(f) ? 0 : errno;
	fclose(f);
	free(line);
	errno = err;
	return found;
}

static char *by_name(const char *name, pid_t pid)
{
	char *path;

	if (pid)
		return in_process(name, pid);
	if (!strstr(name, ".so"))
		return in_folders(getenv("PATH"), name, X_OK);
	path = in_folders(getenv("LD_LIBRARY_PATH"), name, R_OK);
	return path ? path : in_folders(LIBRARIES, name, R_OK);
}

/**
 * binary_find() - find a program's or library's file
 * @name: its path, or a name to search for among the files that @pid has mapped, or in PATH and the
 *	usual library directories
 * @pid: a process, which may have another file system; 0: none
 * @path: set on success, to be freed by the caller
 *
 * Return: 0, or an exit status after printing a message.
 */
int binary_find(const char *name, pid_t pid, char **path)
{
	char *found = strchr(name, '/') ? realpath(name, NULL) : by_name(name, pid);

	/* Find the file to which this path refers in the process. */
	if (pid && *name == '/' && !found)
		found = copy_of(name);
	if (!found && pid && !strchr(name, '/') && errno && errno != ENOENT && errno != ESRCH)
		return vcpc_fail(errno, "cannot read the mappings of process %d", (int)pid);
	if (!found && pid && !strchr(name, '/'))
		return vcpc_fail(0, "process %d has not mapped a file '%s' (see /proc/%d/maps)", (int)pid, name, (int)pid);
	if (!found && !strchr(name, '/'))
		return vcpc_fail(0, "cannot find '%s' in %s; specify its path", name,
				 strstr(name, ".so") ? "the library directories" : "PATH");
	if (!found)
		return vcpc_fail(-errno, "cannot find '%s'", name);
	if (!pid) {
		*path = found;
	} else if (asprintf(path, "/proc/%d/root%s", (int)pid, found) < 0) {
		vcpc_no_memory();
	} else {
		free(found);
	}
	return 0;
}
