/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Limits: the unpacked size of a file, and the memory for an archive's metadata. */
#ifndef SHIM_ARCHIVE_MEMORY_H
#define SHIM_ARCHIVE_MEMORY_H

#include <stdint.h>

/*
 * The number of bytes in SHIM_ARCHIVE_MEMORY, with an optional suffix K, M or G.  If that is unset
 * or not a number, a quarter of the machine's memory.
 */
uint64_t shim_archive_memory__limit(void);

#endif /* SHIM_ARCHIVE_MEMORY_H */
