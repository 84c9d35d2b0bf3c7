/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Compressed files of an archive, unpacked once into a file without a name. */
#ifndef SHIM_ARCHIVE_UNPACK_H
#define SHIM_ARCHIVE_UNPACK_H

#include <stdint.h>

/* Suffixes of compressed files, in the order in which they are tried; NULL ends the list */
extern const char *const shim_unpack_suffixes[];

/*
 * Unpack the file at @fd, which has @packed bytes and whose name ends in
 * @suffix: *@out is a descriptor of its content, owned by the caller, *@size
 * its size.  -EILSEQ if it does not begin with an archive's label, -EBADMSG if
 * it is not a compressed file or damaged, -EFBIG if it unpacks to an
 * implausible size or more than SHIM_ARCHIVE_MEMORY, -EOPNOTSUPP for compress(1)'s own format, -ENOMEM.
 */
int shim_unpack__file(int fd, uint64_t packed, const char *suffix, int *out, uint64_t *size);

#endif /* SHIM_ARCHIVE_UNPACK_H */
