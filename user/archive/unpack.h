/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Compressed files of an archive, unpacked once into a file without a name. */
#ifndef SHIM_ARCHIVE_UNPACK_H
#define SHIM_ARCHIVE_UNPACK_H

#include <stdint.h>

/* Suffixes of compressed files, in the order in which they are tried; NULL ends the list */
extern const char *const shim_unpack_suffixes[];

/*
 * What is in the file at @fd, whose name ends in @suffix: a file descriptor,
 * which is the caller's, and its size.  -EILSEQ if it does not begin as a file
 * of an archive does, -EBADMSG if it is no such compressed file or damaged,
 * -EFBIG if it is blown up, -EOPNOTSUPP for compress(1)'s own format, -ENOMEM.
 */
int shim_unpack__file(int fd, uint64_t packed, const char *suffix, int *out, uint64_t *size);

#endif /* SHIM_ARCHIVE_UNPACK_H */
