/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A data volume in memory, loaded at first use, growing as its file grows.
 *
 * Of an archive's volumes, SHIM_VOLUME_COPY bytes are copied; a volume that
 * does not fit in there is mapped.  A mapped file must only grow while it is
 * open: touching a page that is gone is a SIGBUS, as for every mapped file,
 * and what was checked must stay as it was.
 *
 * Locking: opening and growing is done under the archive's lock.  Others look
 * by shim_volume__view() without one: an extent, once published, only gets
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
 * Pages of a map that were looked at stay in the process's memory until it is
 * short of it.  A reader that passes through an archive needs only the last few:
 * each time it has come through so many windows, the map gives all pages back;
 * they stay in the page cache, from where they are taken again if need be.
 */
#define SHIM_VOLUME_WINDOW	18	/* log2 of its bytes */
#define SHIM_VOLUME_WINDOWS	1

struct shim_extent;
struct shim_format;
struct shim_segment;

/**
 * struct shim_volume - a volume
 * @segment: the archive's segment that it belongs to; of a joint, the segment behind it
 * @joint: no file: the mark between two segments
 * @number: as in the file's name
 * @fd: to follow its growth, or -1
 * @look: to read what need not be mapped, or -1; stays as it is once the volume is ready
 * @err: why it cannot be used, or 0
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
 * struct shim_volume_view - what there is of a volume
 * @head: where its records begin
 */
struct shim_volume_view {
	const uint8_t *data;
	uint64_t size;
	const struct shim_format *format;
	uint32_t head;
};

/*
 * What volumes of an archive may still have: bytes that are copied, and files
 * that stay open to be looked into.
 */
struct shim_budget {
	uint64_t copy;
	unsigned int looks;
};

/* @follow: the file is to be asked again for its size */
int shim_volume__load(struct shim_volume *v, const char *base, bool follow,
		      struct shim_budget *left);
/* Take in what the file has become; true if its size changed */
int shim_volume__refresh(struct shim_volume *v, bool *changed);
void shim_volume__free(struct shim_volume *v);
/* A reader has come to another window */
void shim_volume__enter(struct shim_volume *v);
/* Its bytes: nothing before it is loaded */
bool shim_volume__view(struct shim_volume *v, struct shim_volume_view *out);

#endif /* SHIM_ARCHIVE_VOLUME_H */
