/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A data volume in memory, loaded at first use; it grows with its file.
 *
 * Up to SHIM_VOLUME_COPY bytes of an archive's volumes are copied; a volume that does not fit into
 * the remaining part is mapped.  While it is open, a mapped file may only grow.  If it is
 * truncated, touching a lost page raises SIGBUS, as for every mapped file.  Bytes that were checked
 * must not change.
 *
 * Locking: volumes are loaded and extended under the archive's lock.  Readers call
 * shim_volume__view() without a lock: a published extent can only get longer, and exists as long as
 * the volume does.
 */
#ifndef SHIM_ARCHIVE_VOLUME_H
#define SHIM_ARCHIVE_VOLUME_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/fd.h"
#include "reader.h"

#define SHIM_VOLUME_COPY	(64u << 10)
#define SHIM_VOLUME_LOOKS	8u

/*
 * Pages of a mapping that were touched stay in the process's memory until memory is short.  A
 * reader that goes through an archive needs only the last few pages.  Therefore, each time
 * readers have entered SHIM_VOLUME_WINDOWS more windows, all pages of the mapping are released
 * (MADV_DONTNEED).  They stay in the page cache and are mapped again on the next access.  An
 * archive may have thousands of volumes, so only the last SHIM_VOLUMES_ENTERED volumes that were
 * entered keep pages.
 */
#define SHIM_VOLUME_WINDOW	18	/* log2 of the window size in bytes */
#define SHIM_VOLUME_WINDOWS	1
#define SHIM_VOLUMES_ENTERED	4

struct shim_extent;
struct shim_format;
struct shim_segment;
struct shim_unpacked;

/**
 * struct shim_volume - a volume
 * @segment: the archive's segment to which it belongs; for a joint, the segment after it
 * @joint: the volume is not a file but the mark between two segments
 * @number: the number in the file's name
 * @fd: descriptor to follow its growth, or -1
 * @look: descriptor for reads instead of the mapping, or -1; constant once the volume is
 *   ready
 * @err: the error that makes the volume permanently unusable, or 0
 * @map: the volume is mapped, not copied
 * @ready: the volume was loaded and its label is valid
 * @good: end of the last record known to be complete; bytes after it may be rewritten
 * @extent: NULL until the volume is loaded
 * @windows: number of windows that readers have entered since pages were last released
 */
struct shim_volume {
	struct shim_segment *segment;
	bool joint;
	int number;
	struct shim_fd fd;
	struct shim_fd look;
	int err;
	bool map;
	atomic_bool ready;
	uint64_t good;
	_Atomic(struct shim_extent *) extent;
	_Atomic uint32_t windows;
};

/*
 * struct shim_volume_view - the current content of a volume
 * @unpacked: if set, shim_unpacked__need() must be called before reading @data
 * @head: offset of its first record
 */
struct shim_volume_view {
	const uint8_t *data;
	struct shim_unpacked *unpacked;
	uint64_t size;
	const struct shim_format *format;
	uint32_t head;
};

/* Resources left for an archive's volumes: bytes for copies, and descriptors for reading */
struct shim_budget {
	uint64_t copy;
	unsigned int looks;
};

/*
 * Load a volume.  With @follow, keep the file open, so that shim_volume__refresh() can follow its
 * growth.
 */
int shim_volume__load(struct shim_volume *v, const char *base, bool follow,
		      struct shim_budget *left);
/* Detect a change of the file. *@changed is set if its size differs. */
int shim_volume__refresh(struct shim_volume *v, bool *changed);
void shim_volume__free(struct shim_volume *v);
/* Record that a reader has entered another window.  This may release the mapping's pages. */
void shim_volume__enter(struct shim_volume *v);
/* Release the mapping's pages. */
void shim_volume__release(struct shim_volume *v);
/* Get the volume's bytes.  Return false before it is loaded. */
bool shim_volume__view(struct shim_volume *v, struct shim_volume_view *out);

/*
 * A read buffer for a few records around a place, used instead of the mapping.
 *
 * When a page of a large mapping is touched, the kernel also maps the surrounding pages, which must
 * be released later.  That costs several times as much as reading a few kilobytes.  After a seek, a
 * cursor usually needs no more than that.  If the cursor continues record by record, larger parts
 * are read.  This is as fast as the mapping but takes less memory, because a fault maps as many
 * adjacent pages as the page cache has.
 */

#define SHIM_READBUF_SIZE	8192u		/* bytes to read around the target of a seek */
#define SHIM_READBUF_MAX	65536u		/* maximum for a cursor that continues */

/*
 * struct shim_readbuf - a copy of some bytes of a volume
 * @bytes: buffer of @room bytes, NULL until it is needed
 * @offset, @len: the range of the volume that was read
 * @large: the last record did not fit into SHIM_READBUF_SIZE; such records are mapped
 */
struct shim_readbuf {
	uint8_t *bytes;
	size_t room;
	unsigned int volume;
	uint32_t len;
	uint64_t offset;
	bool large;
};

void shim_readbuf__fini(struct shim_readbuf *readbuf);
/*
 * Read SHIM_READBUF_SIZE bytes at @offset.  Return false if that fails or is not possible for the
 * volume.
 */
bool shim_readbuf__read(struct shim_readbuf *readbuf, struct shim_archive *ar, unsigned int volume,
		     uint64_t offset);
/*
 * Read around @offset, mostly ahead of a cursor that continues forward, or backward if @back is
 * set.
 */
bool shim_readbuf__go_on(struct shim_readbuf *readbuf, struct shim_archive *ar, unsigned int volume,
		      uint64_t offset, bool back);
/*
 * Get the record that begins or ends at @offset.  Return false if the buffer does not contain all
 * of it.
 */
bool shim_readbuf__at(const struct shim_readbuf *readbuf, const struct shim_archive *ar,
		   unsigned int volume, uint64_t offset, struct shim_record *rec);
bool shim_readbuf__before(const struct shim_readbuf *readbuf, const struct shim_archive *ar,
		       unsigned int volume, uint64_t offset, struct shim_record *rec);
/*
 * If the value's bytes are in the buffer, which will be overwritten, make the value point into the
 * volume's own memory.  Return 0 or -EBADMSG.
 */
int shim_readbuf__keep(const struct shim_readbuf *readbuf, struct shim_archive *ar,
		    const struct shim_record *rec, struct shim_value *value);

#endif /* SHIM_ARCHIVE_VOLUME_H */
