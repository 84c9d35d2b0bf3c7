/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Descriptors of the library, which the program may close */
#ifndef SHIM_BASE_FD_H
#define SHIM_BASE_FD_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

/**
 * struct shim_fd - a descriptor that the library owns
 * @nr: its number
 * @owner: serial number of the shim_fd__own() call that received it; 0 if it is not recorded
 *
 * A program may close descriptors that it has not opened, as daemons do with closefrom(3), and then
 * open its own files under the same numbers.  Therefore the library's descriptors have numbers far
 * above those that open(2) returns, which are always the lowest free ones.  Before an operation
 * that could harm another file, the library checks that the descriptor is still its own.
 */
struct shim_fd {
	int nr;
	uint32_t owner;
};

/* A closed file */
#define SHIM_NO_FD	((struct shim_fd){ .nr = -1 })

int shim_fd__own(int nr, struct shim_fd *out);
int shim_fd__above_standard(int nr);
bool shim_fd__is_latest(struct shim_fd fd);
bool shim_fd__stat(struct shim_fd fd, struct stat *st);
bool shim_fd__is_ours(struct shim_fd fd);
int shim_fd__close(struct shim_fd fd);
void shim_fd__release(struct shim_fd *fd);

#endif /* SHIM_BASE_FD_H */
