/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reading lines of a file, and entries of a folder, so that a failure is not taken for the end. */
#ifndef SHIM_BASE_LINES_H
#define SHIM_BASE_LINES_H

#include <dirent.h>
#include <errno.h>
#include <stdio.h>

/* The next line: 1, 0 at the end, or -errno; @line and @room as those of getline() */
static inline int shim_lines__next(FILE *f, char **line, size_t *room)
{
	errno = 0;
	if (getline(line, room, f) >= 0)
		return 1;
	if (feof(f) && !ferror(f))
		return 0;
	return errno ? -errno : -EIO;
}

/* The next entry: 1, 0 at the end or if the folder has gone, as those of /proc do; or -errno */
static inline int shim_entries__next(DIR *dir, struct dirent **entry)
{
	errno = 0;
	*entry = readdir(dir);
	if (*entry)
		return 1;
	return !errno || errno == ENOENT || errno == ESRCH ? 0 : -errno;
}

#endif /* SHIM_BASE_LINES_H */
