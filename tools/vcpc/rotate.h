/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A folder of archives that follow each other: vcpc record --rotate and --keep. */
#ifndef VCPC_ROTATE_H
#define VCPC_ROTATE_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * struct vcpc_rotate - when a new archive is begun, and how many are kept
 * @size: bytes an archive may have; 0: no limit
 * @time: nanoseconds an archive may last; 0: no limit
 * @keep: archives that are kept in the folder, the one being written included; 0: all
 * @made: the folder was not there before
 * @refused: the error of the last attempt to begin an archive, or 0; so that it is reported once
 * @since: when the present archive was begun, by CLOCK_MONOTONIC
 * @archive: the present one's path, without .meta
 */
struct vcpc_rotate {
	double size;
	int64_t time;
	unsigned int keep;
	bool made;
	int refused;
	int64_t since;
	char archive[PATH_MAX];
};

/* "64M" or "1h": 0, or the exit status after a message */
int vcpc_rotate_parse(struct vcpc_rotate *rotate, const char *text);
int vcpc_rotate_parse_keep(struct vcpc_rotate *rotate, const char *text);
bool vcpc_rotate_wanted(const struct vcpc_rotate *rotate);
/* Make the folder where there is none: 0 or -errno */
int vcpc_rotate_folder(struct vcpc_rotate *rotate, const char *folder);
/* A name in the folder that no archive has, by the time in UTC: 0 or -errno */
int vcpc_rotate_name(const char *folder, char path[PATH_MAX]);
/* The archive that is written from now on */
void vcpc_rotate_begin(struct vcpc_rotate *rotate, const char *path);
/* Whether the present archive is as large or as old as it may be */
bool vcpc_rotate_due(const struct vcpc_rotate *rotate);
/* Remove the oldest archives beyond those that are kept: 0 or -errno */
int vcpc_rotate_prune(const struct vcpc_rotate *rotate, const char *folder);
/* Bytes of an archive's three files */
double vcpc_archive_size(const char *archive);
/* "500K", "64M", "2G": false if it is none */
bool vcpc_parse_size(const char *text, double *size);

#endif /* VCPC_ROTATE_H */
