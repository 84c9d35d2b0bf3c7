/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A data volume in memory, loaded at first use, growing as its file grows.
 *
 * An archive's volumes are copied, up to SHIM_VOLUME_COPY bytes of them; a
 * volume that does not fit in what is left of that is mapped.  While it is
 * open, a mapped file may only grow: if it is truncated, touching a lost page
 * raises SIGBUS, as for every mapped file, and bytes that were checked must not
 * change.
 *
 * Locking: loading and growing is done under the archive's lock.  Readers call
 * shim_volume__view() without a lock: an extent, once published, only gets
 * longer, and lives as long as the volume.
 */
#ifndef SHIM_ARCHIVE_VOLUME_H
#define SHIM_ARCHIVE_VOLUME_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#define SHIM_VOLUME_COPY	(64u << 10)
#define SHIM_VOLUME_LOOKS	8u

/*
 * Pages of a map that were touched stay in the process's memory until memory is
 * short.  A reader that goes through an archive needs only the last few.  So
 * each time readers have entered SHIM_VOLUME_WINDOWS more windows, all pages of
 * the map are released (MADV_DONTNEED); they stay in the page cache, and are
 * mapped again if need be.
 */
#define SHIM_VOLUME_WINDOW	18	/* log2 of a window's bytes */
#define SHIM_VOLUME_WINDOWS	1

struct shim_extent;
struct shim_format;
struct shim_segment;

/**
 * struct shim_volume - a volume
 * @segment: the archive's segment that it belongs to; of a joint, the segment behind it
 * @joint: it is not a file, but the mark between two segments
 * @number: as in the file's name
 * @fd: descriptor to follow its growth, or, before loading, of the unpacked file; or -1
 * @look: descriptor for reads instead of the map, or -1; constant once the volume is ready
 * @err: why it can never be used, or 0
 * @map: it is mapped, not copied
 * @ready: it was loaded and its label is right
 * @good: end of the last record known to be complete; what follows may be rewritten
 * @extent: NULL until it was loaded
 * @windows: how many readers have entered since pages were given back
 */
struct shim_volume {
	struct shim_segment *segment;
	bool joint;
	int number;
	int fd;
	int look;
	int err;
	bool map;
	atomic_bool ready;
	uint64_t good;
	_Atomic(struct shim_extent *) extent;
	_Atomic uint32_t windows;
};

/*
 * struct shim_volume_view - the content of a volume, as of now
 * @head: where its records begin
 */
struct shim_volume_view {
	const uint8_t *data;
	uint64_t size;
	const struct shim_format *format;
	uint32_t head;
};

/*
 * What an archive's volumes may still use: bytes for copies, and descriptors
 * that stay open for reads.
 */
struct shim_budget {
	uint64_t copy;
	unsigned int looks;
};

/* @follow: keep the file open, for shim_volume__refresh() to follow its growth */
int shim_volume__load(struct shim_volume *v, const char *base, bool follow,
		      struct shim_budget *left);
/* Pick up a change of the file; *@changed: whether its size differs */
int shim_volume__refresh(struct shim_volume *v, bool *changed);
void shim_volume__free(struct shim_volume *v);
/* A reader has entered another window; may release the map's pages */
void shim_volume__enter(struct shim_volume *v);
/* The volume's bytes; false before it is loaded */
bool shim_volume__view(struct shim_volume *v, struct shim_volume_view *out);

#endif /* SHIM_ARCHIVE_VOLUME_H */
