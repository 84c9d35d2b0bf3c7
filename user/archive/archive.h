/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * An open archive, as the files of this room see it.
 *
 * Locking: @lock guards the loading and growing of volumes and the end.  The
 * rest does not change after opening; @meta has a lock of its own, which is
 * never taken together with this one, and so has @clear, which may be taken
 * with it.
 */
#ifndef SHIM_ARCHIVE_ARCHIVE_H
#define SHIM_ARCHIVE_ARCHIVE_H

#include <stdatomic.h>
#include <sys/stat.h>

#include "base/process.h"
#include "files.h"
#include "index.h"
#include "meta.h"
#include "reader.h"
#include "record.h"
#include "clear_range.h"
#include "volume.h"

#define SHIM_LATER_CHUNKS	25	/* each as large as all before it and ... */
#define SHIM_LATER_FIRST	64	/* ... the first one */

/*
 * struct shim_segment - one of the archives that were opened as one
 * @first, @nvolumes: its volumes
 * @any_feature: it may ask for features that are not known
 * @mark: in a joint: a record that says that the segment before it has ended
 * @seen: what its files were when they were opened; no inode: there is none, or not in plain form
 */
struct shim_segment {
	const struct shim_format *format;
	struct shim_label label;
	struct shim_files files;
	unsigned int first, nvolumes;
	bool any_feature;
	uint8_t mark[SHIM_MARK_LEN];
	struct shim_seen {
		struct stat meta, index, volume;
	} seen;
};

/*
 * struct shim_archive - an open archive
 * @segments: @nsegments, in the order of their start
 * @label: of the first segment
 * @name: by which it was opened
 * @index: of all segments, once it is @indexed, which it is when first needed
 * @volumes: @nopened, of all segments, with a joint between each two
 * @later: further ones of the last segment, which were found since, in chunks; neither moves
 * @nvolumes: all of them; what is counted is there
 * @clear: where there is no mark, as far as readers have found
 * @listed: the folder was looked through for volumes, which is done when one needs to know
 */
struct shim_archive {
	atomic_uint refs;
	struct shim_segment *segments;
	unsigned int nsegments;
	struct shim_label label;
	char *name;
	struct shim_meta meta;
	struct shim_index index;
	atomic_bool indexed;
	struct shim_lock lock;
	struct shim_volume *volumes;
	unsigned int nopened;
	struct shim_volume *later[SHIM_LATER_CHUNKS];
	atomic_uint nvolumes;
	atomic_bool listed;
	struct shim_budget budget;	/* that volumes have left */
	struct shim_clear_ranges clear;
	bool end_known;
	int end_err;
	struct shim_ts end;
};

/* The places of all segments; the second one with ar->lock held */
const struct shim_index *shim_archive__index(struct shim_archive *ar);
const struct shim_index *shim_archive__index_locked(struct shim_archive *ar);

/* What there is of a volume; false if it cannot be used, which is as if it were not there */
bool shim_archive__view(struct shim_archive *ar, unsigned int volume, struct shim_volume_view *out);
/* The same, with ar->lock held */
bool shim_archive__view_locked(struct shim_archive *ar, unsigned int volume,
			       struct shim_volume_view *out);

/* How many volumes there are; the second one with ar->lock held */
unsigned int shim_archive__nvolumes(struct shim_archive *ar);
unsigned int shim_archive__nvolumes_locked(struct shim_archive *ar);

/* Which chunk has the @i-th of the later volumes, and how many such a chunk has */
static inline unsigned int shim_later__chunk(unsigned int i)
{
	return (unsigned int)(__builtin_clz(SHIM_LATER_FIRST) -
			      __builtin_clz(i + SHIM_LATER_FIRST));
}

static inline unsigned int shim_later__room(unsigned int chunk)
{
	return (unsigned int)SHIM_LATER_FIRST << chunk;
}

static inline struct shim_volume *shim_archive__later(const struct shim_archive *ar,
						      unsigned int i)
{
	unsigned int chunk = shim_later__chunk(i);

	return &ar->later[chunk][i + SHIM_LATER_FIRST - shim_later__room(chunk)];
}

static inline struct shim_volume *shim_archive__volume(const struct shim_archive *ar,
						       unsigned int i)
{
	if (i < ar->nopened)
		return &ar->volumes[i];
	return shim_archive__later(ar, i - ar->nopened);
}

/* A reader has come to a place of a volume */
static inline void shim_cursor__look_at(struct shim_cursor *cur, unsigned int volume,
					uint64_t offset)
{
	uint32_t window = (uint32_t)(offset >> SHIM_VOLUME_WINDOW);

	if (cur->window == window)
		return;
	cur->window = window;
	shim_volume__enter(shim_archive__volume(cur->ar, volume));
}

/* A volume that was not loaded yet */
void shim_volume__init(struct shim_volume *v, struct shim_segment *segment, bool joint);

/* Take in what the last volume and those behind it have become, with ar->lock held */
int shim_archive__follow_locked(struct shim_archive *ar, bool *changed);

/* Where a volume's records begin */
static inline uint64_t shim_archive__head(const struct shim_archive *ar, unsigned int volume)
{
	const struct shim_volume *v = shim_archive__volume(ar, volume);

	return v->joint ? 0 : v->segment->format->label_len;
}

/* The last complete record of a segment, with ar->lock held; false if it has none */
bool shim_segment__last_record(struct shim_archive *ar, const struct shim_segment *segment,
			       struct shim_record *last);

/* The record that begins, or the one that ends, at @offset: 0, -ENODATA at the edge, -EBADMSG */
int shim_volume_record__at(const struct shim_volume_view *view, uint64_t offset,
			   struct shim_record *out);
int shim_volume_record__before(const struct shim_volume_view *view, uint64_t offset,
			       struct shim_record *out);
/* Whether the file ends within the record that begins at @offset */
bool shim_volume_record__is_half(const struct shim_volume_view *view, uint64_t offset);
/* Whether an offset, which may be any number, is where a record begins or ends */
bool shim_volume_record__is_boundary(const struct shim_volume_view *view, uint64_t offset);

#endif /* SHIM_ARCHIVE_ARCHIVE_H */
