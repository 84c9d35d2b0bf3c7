/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Unpack compressed files of an archive into an unnamed file. */
#ifndef SHIM_ARCHIVE_UNPACK_H
#define SHIM_ARCHIVE_UNPACK_H

#include <stdint.h>

/* Suffixes of compressed files, in the order in which they are tried, terminated by NULL */
extern const char *const shim_unpack_suffixes[];

struct shim_unit;
struct shim_unpacked;

/*
 * Prepare @u, of which only @packed is set, for the content of the compressed file at @fd, whose
 * name ends in @suffix.  Return -EILSEQ if the content does not begin with an archive's label,
 * -EBADMSG if the file is damaged or not compressed, -EFBIG if the unpacked size is implausible or
 * exceeds SHIM_ARCHIVE_MEMORY, -EOPNOTSUPP for the format of compress(1), or -ENOMEM.  The caller
 * must call shim_unpack__close() even after an error.
 */
int shim_unpack__open(struct shim_unpacked *u, int fd, const char *suffix);
/* Unpack a unit.  Return -EBADMSG if it is damaged, -ENOMEM, or -ENOSPC. */
int shim_unpack__unit(const struct shim_unpacked *u, const struct shim_unit *unit);
/* Close the unnamed file and unmap the compressed one, after the last unit has been unpacked. */
void shim_unpack__done(struct shim_unpacked *u);
void shim_unpack__close(struct shim_unpacked *u);

/* Limits: the unpacked size of a file, and the memory for an archive's metadata */

/*
 * Return the number of bytes in SHIM_ARCHIVE_MEMORY, which may have a suffix K, M or G.  If it is
 * unset or not a number, return a quarter of the machine's memory.
 */
uint64_t shim_archive_memory__limit(void);

#endif /* SHIM_ARCHIVE_UNPACK_H */
