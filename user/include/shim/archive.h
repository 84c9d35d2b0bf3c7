/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What is wrong with an archive of Performance Co-Pilot: see shim_archive_check(3). */
#ifndef SHIM_ARCHIVE_H
#define SHIM_ARCHIVE_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * struct shim_archive_watch - who wants to know
 * @size: sizeof(struct shim_archive_watch)
 * @reserved: 0
 * @problem: called for each: in this file, behind so many bytes; @text is one line
 * @progress: NULL, or called now and then: so many bytes of all were seen
 * @arg: for both
 */
struct shim_archive_watch {
	uint32_t size;
	uint32_t reserved;
	void (*problem)(void *arg, const char *file, uint64_t offset, const char *text);
	void (*progress)(void *arg, uint64_t done, uint64_t total);
	void *arg;
};

int shim_archive_check(const char *archive, const struct shim_archive_watch *watch);

#ifdef __cplusplus
}
#endif

#endif /* SHIM_ARCHIVE_H */
