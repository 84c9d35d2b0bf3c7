/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Unpacked files that are in use, so that no file is unpacked twice at the same time */
#ifndef SHIM_ARCHIVE_UNPACKED_H
#define SHIM_ARCHIVE_UNPACKED_H

#include <stdint.h>
#include <sys/stat.h>

/*
 * struct shim_unpacked - the content of a compressed file
 * @data: @size bytes, mapped; NULL if there are none
 * @packed: the state of the compressed file when it was unpacked
 */
struct shim_unpacked {
	uint8_t *data;
	uint64_t size;
	struct stat packed;
	unsigned int refs;
	struct shim_unpacked *next;
};

/*
 * Get the content of the file at @fd, which has the status @packed and whose name ends in @suffix.
 * It is unpacked, unless another archive, context or check of this process uses it.  Return 0 or
 * the errors from shim_unpack__file().
 */
int shim_unpacked__get(int fd, const struct stat *packed, const char *suffix,
		       struct shim_unpacked **out);
/* Add one more user of the same content.  NULL stays NULL. */
struct shim_unpacked *shim_unpacked__share(struct shim_unpacked *u);
/* Unmap the content after its last user; NULL is ignored. */
void shim_unpacked__put(struct shim_unpacked *u);

#endif /* SHIM_ARCHIVE_UNPACKED_H */
