/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A few records around a place, read instead of mapped.
 *
 * Of a large volume to map a page means to map what lies around it, and to give
 * that back again: several times what it costs to read so little.  Who comes to
 * a place by a seek mostly needs no more than that.
 */
#ifndef SHIM_ARCHIVE_SPOT_H
#define SHIM_ARCHIVE_SPOT_H

#include "reader.h"

#define SHIM_SPOT_SIZE	8192u

/*
 * struct shim_spot - bytes of a volume that are complete as far as they go
 * @bytes: room for SHIM_SPOT_SIZE of them, NULL until it is needed
 * @offset, @len: which ones are there
 */
struct shim_spot {
	uint8_t *bytes;
	unsigned int volume;
	uint32_t len;
	uint64_t offset;
};

void shim_spot__fini(struct shim_spot *spot);
/* Read from @offset on; false if the volume is not to be read in parts */
bool shim_spot__read(struct shim_spot *spot, struct shim_archive *ar, unsigned int volume,
		     uint64_t offset);
/* The record that begins, or the one that ends, at @offset; false if not all of it is there */
bool shim_spot__at(const struct shim_spot *spot, const struct shim_archive *ar,
		   unsigned int volume, uint64_t offset, struct shim_record *rec);
bool shim_spot__before(const struct shim_spot *spot, const struct shim_archive *ar,
		       unsigned int volume, uint64_t offset, struct shim_record *rec);
/* Let a value's bytes be those of the map, which stay; 0 or -EBADMSG */
int shim_spot__keep(const struct shim_spot *spot, struct shim_archive *ar,
		    const struct shim_record *rec, struct shim_value *value);

#endif /* SHIM_ARCHIVE_SPOT_H */
