/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Unpack compressed files of an archive once, into an unnamed file. */
#ifndef SHIM_ARCHIVE_UNPACK_H
#define SHIM_ARCHIVE_UNPACK_H

#include <stdint.h>

/* Suffixes of compressed files, in the order in which they are tried, terminated by NULL */
extern const char *const shim_unpack_suffixes[];

/*
 * Unpack the file at @fd, which has @packed bytes and whose name ends in @suffix.  Set *@out to a
 * descriptor of the unpacked content, owned by the caller, and *@size to its size.  Return -EILSEQ
 * if the content does not begin with an archive's label, -EBADMSG if the file is damaged or not
 * compressed, -EFBIG if the unpacked size is implausible or exceeds SHIM_ARCHIVE_MEMORY,
 * -EOPNOTSUPP for the format of compress(1), or -ENOMEM.
 */
int shim_unpack__file(int fd, uint64_t packed, const char *suffix, int *out, uint64_t *size);

/* Limits: the unpacked size of a file, and the memory for an archive's metadata */

/*
 * Return the number of bytes in SHIM_ARCHIVE_MEMORY, which may have a suffix K, M or G.  If it is
 * unset or not a number, return a quarter of the machine's memory.
 */
uint64_t shim_archive_memory__limit(void);

#endif /* SHIM_ARCHIVE_UNPACK_H */
