/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Read lines of a file, and entries of a directory, distinguishing an error from the end. */
#ifndef SHIM_BASE_LINES_H
#define SHIM_BASE_LINES_H

#include <dirent.h>
#include <errno.h>
#include <stdio.h>

/*
 * Read the next line.  Return 1, 0 at the end, or -errno.  @line and @room are used as by
 * getline().
 */
static inline int shim_lines__next(FILE *f, char **line, size_t *room)
{
	errno = 0;
	if (getline(line, room, f) >= 0)
		return 1;
	if (feof(f) && !ferror(f))
		return 0;
	return errno ? -errno : -EIO;
}

/*
 * Read the next entry.  Return 1; 0 at the end, or if the directory was removed, which happens in
 * /proc; or -errno.
 */
static inline int shim_entries__next(DIR *dir, struct dirent **entry)
{
	errno = 0;
	*entry = readdir(dir);
	if (*entry)
		return 1;
	return !errno || errno == ENOENT || errno == ESRCH ? 0 : -errno;
}

#endif /* SHIM_BASE_LINES_H */
