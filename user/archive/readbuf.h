/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A read buffer for a few records around a place, used instead of the map.
 *
 * When a page of a large map is touched, the kernel also maps the pages around
 * it, which later have to be released: several times the cost of reading a few
 * kilobytes.  After a seek, a cursor mostly needs no more than that.  If it goes
 * on from there record by record, more is read at a time, which is as fast as
 * the map, but takes less memory: a fault maps as many adjacent pages as the
 * kernel finds.
 */
#ifndef SHIM_ARCHIVE_READBUF_H
#define SHIM_ARCHIVE_READBUF_H

#include "reader.h"

#define SHIM_READBUF_SIZE	8192u		/* bytes read around the place of a seek */
#define SHIM_READBUF_MAX	65536u		/* at most, for a cursor that goes on */

/*
 * struct shim_readbuf - a copy of some bytes of a volume
 * @bytes: room for @room of them, NULL until it is needed
 * @offset, @len: the range of the volume that was read
 */
struct shim_readbuf {
	uint8_t *bytes;
	size_t room;
	unsigned int volume;
	uint32_t len;
	uint64_t offset;
};

void shim_readbuf__fini(struct shim_readbuf *readbuf);
/* Read SHIM_READBUF_SIZE from @offset on; false if that fails, or is not possible for the volume */
bool shim_readbuf__read(struct shim_readbuf *readbuf, struct shim_archive *ar, unsigned int volume,
		     uint64_t offset);
/* Read around @offset, most of it ahead of a cursor that goes on from there, or @back */
bool shim_readbuf__go_on(struct shim_readbuf *readbuf, struct shim_archive *ar, unsigned int volume,
		      uint64_t offset, bool back);
/* The record that begins, or the one that ends, at @offset; false if not all of it is there */
bool shim_readbuf__at(const struct shim_readbuf *readbuf, const struct shim_archive *ar,
		   unsigned int volume, uint64_t offset, struct shim_record *rec);
bool shim_readbuf__before(const struct shim_readbuf *readbuf, const struct shim_archive *ar,
		       unsigned int volume, uint64_t offset, struct shim_record *rec);
/*
 * Point a value's bytes into the volume's own memory, if they are in the buffer, which will be
 * overwritten; 0 or -EBADMSG
 */
int shim_readbuf__keep(const struct shim_readbuf *readbuf, struct shim_archive *ar,
		    const struct shim_record *rec, struct shim_value *value);

#endif /* SHIM_ARCHIVE_READBUF_H */
