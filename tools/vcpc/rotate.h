/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A directory of successive archives: vcpc record --rotate and --keep */
#ifndef VCPC_ROTATE_H
#define VCPC_ROTATE_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * struct vcpc_rotate - when to begin a new archive, and how many to keep
 * @size: maximum size of an archive in bytes; 0: no limit
 * @time: maximum duration of an archive in nanoseconds; 0: no limit
 * @keep: number of archives to keep in the directory, including the one being written; 0: all
 * @made: this command created the directory
 * @refused: the error from the last attempt to begin an archive, or 0; used to report it only once
 * @since: the CLOCK_MONOTONIC time at which the current archive was begun
 * @archive: path of the current archive, without .meta
 */
struct vcpc_rotate {
	double size;
	int64_t time;
	unsigned int keep;
	bool made;
	int refused;
	uint64_t since;
	char archive[PATH_MAX];
};

/* Parse "64M" or "1h".  Return 0, or an exit status after printing a message. */
int vcpc_rotate_parse(struct vcpc_rotate *rotate, const char *text);
int vcpc_rotate_parse_keep(struct vcpc_rotate *rotate, const char *text);
bool vcpc_rotate_wanted(const struct vcpc_rotate *rotate);
/* Create the directory if it does not exist.  Return 0 or -errno. */
int vcpc_rotate_folder(struct vcpc_rotate *rotate, const char *folder);
/* Choose an unused archive name in the directory, from the time in UTC.  Return 0 or -errno. */
int vcpc_rotate_name(const char *folder, char path[PATH_MAX]);
/* Set the archive that is written from now on. */
void vcpc_rotate_begin(struct vcpc_rotate *rotate, const char *path);
/* Return whether the current archive has reached its maximum size or age. */
bool vcpc_rotate_due(const struct vcpc_rotate *rotate);
/* Remove the oldest archives if there are more than @keep.  Return 0 or -errno. */
int vcpc_rotate_prune(const struct vcpc_rotate *rotate, const char *folder);
/* Return the total size of an archive's files in bytes. */
double vcpc_archive_size(const char *archive);
/* Parse "500K", "64M", "2G".  Return false if it is not a size. */
bool vcpc_parse_size(const char *text, double *size);

#endif /* VCPC_ROTATE_H */
