/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A few records around a place, read instead of mapped.
 *
 * Of a large volume to map a page means to map what lies around it, and to give
 * that back again: several times what it costs to read so little.  Who comes to
 * a place by a seek mostly needs no more than that.  A cursor that goes on from
 * there record by record reads more at a time: as fast as a map, but with less
 * memory, of which a map takes as much as the kernel finds together.
 */
#ifndef SHIM_ARCHIVE_READBUF_H
#define SHIM_ARCHIVE_READBUF_H

#include "reader.h"

#define SHIM_READBUF_SIZE	8192u		/* around a seek's place */
#define SHIM_READBUF_MAX	65536u		/* for who goes on */

/*
 * struct shim_readbuf - bytes of a volume that are complete as far as they go
 * @bytes: room for @room of them, NULL until it is needed
 * @offset, @len: which ones are there
 */
struct shim_readbuf {
	uint8_t *bytes;
	size_t room;
	unsigned int volume;
	uint32_t len;
	uint64_t offset;
};

void shim_readbuf__fini(struct shim_readbuf *readbuf);
/* Read SHIM_READBUF_SIZE from @offset on; false if the volume is not to be read in parts */
bool shim_readbuf__read(struct shim_readbuf *readbuf, struct shim_archive *ar, unsigned int volume,
		     uint64_t offset);
/* Read what is around @offset, most of it in the direction of who comes there step by step */
bool shim_readbuf__go_on(struct shim_readbuf *readbuf, struct shim_archive *ar, unsigned int volume,
		      uint64_t offset, bool back);
/* The record that begins, or the one that ends, at @offset; false if not all of it is there */
bool shim_readbuf__at(const struct shim_readbuf *readbuf, const struct shim_archive *ar,
		   unsigned int volume, uint64_t offset, struct shim_record *rec);
bool shim_readbuf__before(const struct shim_readbuf *readbuf, const struct shim_archive *ar,
		       unsigned int volume, uint64_t offset, struct shim_record *rec);
/* Let a value's bytes be those of the map, which stay; 0 or -EBADMSG */
int shim_readbuf__keep(const struct shim_readbuf *readbuf, struct shim_archive *ar,
		    const struct shim_record *rec, struct shim_value *value);

#endif /* SHIM_ARCHIVE_READBUF_H */
