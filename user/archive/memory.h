/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How much a packed file may unpack to, and how much memory an archive's metadata may take. */
#ifndef SHIM_ARCHIVE_MEMORY_H
#define SHIM_ARCHIVE_MEMORY_H

#include <stdint.h>

/*
 * The bytes that SHIM_ARCHIVE_MEMORY says, with K, M or G behind; without it, or if it is not a
 * number, a quarter of the machine's memory.
 */
uint64_t shim_archive_memory__limit(void);

#endif /* SHIM_ARCHIVE_MEMORY_H */
