/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Looking for all that is wrong with an archive, where a reader makes do. */
#ifndef SHIM_ARCHIVE_CHECK_H
#define SHIM_ARCHIVE_CHECK_H

#include <stdint.h>

/*
 * struct shim_check - who wants to know
 * @problem: in this file, behind so many bytes; @text is one line
 * @progress: so many bytes of all were seen; may be NULL
 */
struct shim_check {
	void (*problem)(void *arg, const char *file, uint64_t offset, const char *text);
	void (*progress)(void *arg, uint64_t done, uint64_t total);
	void *arg;
};

/* The number of problems; -ENOENT if there is no such archive, -ENOMEM, or what reading failed with */
int shim_archive__check(const char *name, const struct shim_check *check);

#endif /* SHIM_ARCHIVE_CHECK_H */
