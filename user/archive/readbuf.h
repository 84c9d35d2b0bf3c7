/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A read buffer for a few records around a place, used instead of the mapping.
 *
 * When a page of a large mapping is touched, the kernel also maps the surrounding pages, which must
 * be released later.  That costs several times as much as reading a few kilobytes.  After a seek, a
 * cursor mostly needs no more than that.  If the cursor continues record by record, more is read at
 * a time.  This is as fast as the mapping but takes less memory, because a fault maps as many
 * adjacent pages as the page cache has.
 */
#ifndef SHIM_ARCHIVE_READBUF_H
#define SHIM_ARCHIVE_READBUF_H

#include "reader.h"

#define SHIM_READBUF_SIZE	8192u		/* bytes to read around the target of a seek */
#define SHIM_READBUF_MAX	65536u		/* maximum for a cursor that continues */

/*
 * struct shim_readbuf - a copy of some bytes of a volume
 * @bytes: buffer of @room bytes, NULL until it is needed
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
/* Read SHIM_READBUF_SIZE at @offset; false if that fails or is not possible for the volume. */
bool shim_readbuf__read(struct shim_readbuf *readbuf, struct shim_archive *ar, unsigned int volume,
		     uint64_t offset);
/* Read around @offset, mostly ahead of a cursor that continues forward, or backward if @back. */
bool shim_readbuf__go_on(struct shim_readbuf *readbuf, struct shim_archive *ar, unsigned int volume,
		      uint64_t offset, bool back);
/* Get the record that begins or ends at @offset; false if the buffer does not contain all of it. */
bool shim_readbuf__at(const struct shim_readbuf *readbuf, const struct shim_archive *ar,
		   unsigned int volume, uint64_t offset, struct shim_record *rec);
bool shim_readbuf__before(const struct shim_readbuf *readbuf, const struct shim_archive *ar,
		       unsigned int volume, uint64_t offset, struct shim_record *rec);
/*
 * Point the value's bytes into the volume's own memory if they are in the buffer, which will be
 * overwritten.  Returns 0 or -EBADMSG.
 */
int shim_readbuf__keep(const struct shim_readbuf *readbuf, struct shim_archive *ar,
		    const struct shim_record *rec, struct shim_value *value);

#endif /* SHIM_ARCHIVE_READBUF_H */
