/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * An open archive.  Only files of this directory include this header.
 *
 * Locking: @lock guards the loading and extension of volumes, the loading of the index, and the
 * cached end time.  Apart from these, only @meta and @clear change after opening.  They have their
 * own locks.  The lock of @meta is never taken together with @lock.  The lock of @clear may be
 * taken while @lock is held.  fork() takes all three.
 */
#ifndef SHIM_ARCHIVE_ARCHIVE_H
#define SHIM_ARCHIVE_ARCHIVE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

#include "base/fd.h"
#include "base/process.h"
#include "files.h"
#include "index.h"
#include "meta.h"
#include "reader.h"
#include "record.h"
#include "unpacked.h"
#include "volume.h"

/*
 * Ranges of an archive that are known to contain no mark record.
 *
 * When two fetches are far apart in time, every record between them must be examined, because one
 * of them may be a mark.  Complete records never change, so a range that one reader has examined
 * need not be examined again by others.
 */

#define SHIM_CLEAR_RANGES_MAX	4096	/* no more ranges are stored */

/* struct shim_position - a position between two records */
struct shim_position {
	unsigned int volume;
	uint64_t offset;
};

/*
 * struct shim_clear_range - consecutive records without a mark, with ascending stamps
 * @from, @to: positions before the first and after the last record; equal if there are no records
 * @first, @last: times of the first and the last record
 */
struct shim_clear_range {
	struct shim_position from, to;
	int64_t first, last;
};

/* struct shim_clear_ranges - @n known ranges, in archive order, without overlaps */
struct shim_clear_ranges {
	struct shim_fork_lock lock;
	struct shim_clear_range *all;
	size_t n, cap;
};

static inline int shim_position__cmp(struct shim_position a, struct shim_position b)
{
	if (a.volume != b.volume)
		return a.volume < b.volume ? -1 : 1;
	return (a.offset > b.offset) - (a.offset < b.offset);
}

static inline bool shim_clear_range__is_empty(const struct shim_clear_range *s)
{
	return !shim_position__cmp(s->from, s->to);
}

void shim_clear_ranges__init(struct shim_clear_ranges *known);
void shim_clear_ranges__fini(struct shim_clear_ranges *known);
/*
 * Find the known range that contains the record after a position, or before it if @back.  Return
 * false if there is none.
 */
bool shim_clear_ranges__find(struct shim_clear_ranges *known, struct shim_position at, bool back,
			  struct shim_clear_range *out);
/* Remember a range.  If memory runs out, its records will be examined again. */
void shim_clear_ranges__add(struct shim_clear_ranges *known, const struct shim_clear_range *s);
void shim_clear_ranges__forget(struct shim_clear_ranges *known);

#define SHIM_LATER_CHUNKS	25	/* each chunk is twice as large as the previous one */
#define SHIM_LATER_FIRST	64	/* volumes in the first chunk */

/*
 * struct shim_segment - one of the archives that were opened as a single archive
 * @first, @nvolumes: its volumes
 * @place: position in the list of names
 * @any_feature: accept a label that requires unknown features
 * @mark: the mark record of the joint before this segment
 * @seen: state of its files at opening; st_ino is 0 if a file is missing
 * @volume, @index: the unpacked first volume and index, kept for their next use; NULL if not
 *	compressed
 * @kept: descriptor of the first volume until it is loaded, because its file may be removed or
 *	replaced before; -1 if there are several archives, or volume 0 is compressed or missing
 * @left: whether a reader has left it because of damage, and whether that was reported
 */
struct shim_segment {
	const struct shim_format *format;
	struct shim_label label;
	struct shim_files files;
	unsigned int first, nvolumes;
	size_t place;
	bool any_feature;
	uint8_t mark[SHIM_MARK_LEN];
	struct shim_seen {
		struct stat meta, index, volume;
	} seen;
	struct shim_unpacked *volume, *index;
	struct shim_fd kept;
	enum { SHIM_NOT_LEFT, SHIM_LEFT, SHIM_LEFT_REPORTED } left;
};

/*
 * struct shim_asked - the @n archives that the caller named
 * @errs: for each, the error that prevented opening it, or 0
 */
struct shim_asked {
	char **names;
	int *errs;
	size_t n;
};

/*
 * struct shim_archive - an open archive
 * @next_open, @to: links of the list of open archives; @to is the pointer to this one, NULL if it is not
 *	in the list
 * @segments: @nsegments, ordered by start time
 * @label: label of the first segment
 * @name: the name that was passed to open
 * @asked: the archives to which @name refers
 * @any_left: a reader has left one of several archives, and this was not reported yet
 * @index: index of all segments, loaded at first use; complete once @indexed is set
 * @volumes: the @nopened volumes known at opening, with a joint between adjacent segments
 * @later: volumes of the last segment that were found after opening, in chunks; volumes never move
 *	in memory
 * @nvolumes: number of all volumes; a volume is initialized before it is counted
 * @clear: ranges that readers have found to contain no mark
 * @listed: the directory has been scanned for volumes, which happens at first use
 * @looked: CLOCK_MONOTONIC of the last check for a next volume, in ns; 0 before the first one
 * @entered: volumes whose mappings may have pages in memory; UINT32_MAX if unused.  @next is the
 *	index of the next one to replace.
 */
struct shim_archive {
	atomic_uint refs;
	struct shim_archive *next_open, **to;
	struct shim_segment *segments;
	unsigned int nsegments;
	struct shim_label label;
	char *name;
	struct shim_asked asked;
	atomic_bool any_left;
	struct shim_meta meta;
	struct shim_index index;
	atomic_bool indexed;
	unsigned int generation;	/* shim_fork__generation() of the process that opened it */
	struct shim_fork_lock lock;
	struct shim_volume *volumes;
	unsigned int nopened;
	struct shim_volume *later[SHIM_LATER_CHUNKS];
	atomic_uint nvolumes;
	atomic_bool listed;
	int64_t looked;
	_Atomic uint32_t entered[SHIM_VOLUMES_ENTERED];
	_Atomic uint32_t next;
	struct shim_budget budget;	/* memory and descriptors left for volumes */
	struct shim_clear_ranges clear;
	bool end_known;
	int end_err;
	struct shim_ts end;
};

/*
 * Return the index of all segments, and load it at first use.  The second function must be called
 * with ar->lock held.
 */
const struct shim_index *shim_archive__index(struct shim_archive *ar);
const struct shim_index *shim_archive__index_locked(struct shim_archive *ar);

/*
 * Get the content of a volume.  Return 0, -SHIM_EVOLUME if it is damaged (readers skip it), or the
 * error that prevented reading it, after which the next call tries again.
 */
int shim_archive__view(struct shim_archive *ar, unsigned int volume, struct shim_volume_view *out);
/* Like shim_archive__view(), with ar->lock held */
int shim_archive__view_locked(struct shim_archive *ar, unsigned int volume,
			      struct shim_volume_view *out);

/*
 * List the volumes in the directory, unless they have already been listed.  Return 0 or an error.
 */
int shim_archive__list(struct shim_archive *ar);
int shim_archive__list_locked(struct shim_archive *ar);

/* Return the number of volumes listed so far. */
static inline unsigned int shim_archive__nvolumes(const struct shim_archive *ar)
{
	return atomic_load_explicit(&ar->nvolumes, memory_order_acquire);
}

/*
 * The first function returns the chunk of @later that contains the @i-th later volume; the second
 * returns the number of volumes in a chunk.
 */
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

/* Record that a reader has entered another window.  Pages of other windows can then be released. */
void shim_archive__enter(struct shim_archive *ar, unsigned int volume);

/* Record that a cursor has moved to @offset, so pages of earlier windows can be released. */
static inline void shim_cursor__look_at(struct shim_cursor *cur, unsigned int volume,
					uint64_t offset)
{
	uint64_t window = (uint64_t)volume << 32 | (uint32_t)(offset >> SHIM_VOLUME_WINDOW);

	if (cur->window == window)
		return;
	cur->window = window;
	shim_archive__enter(cur->ar, volume);
}

/* Initialize a volume that is not loaded yet. */
void shim_volume__init(struct shim_volume *v, struct shim_segment *segment, bool joint);

/* Detect growth of the last volume, and new volumes after it; call with ar->lock held. */
int shim_archive__follow_locked(struct shim_archive *ar, bool *changed);

/* Return the offset of a volume's first record. */
static inline uint64_t shim_archive__head(const struct shim_archive *ar, unsigned int volume)
{
	const struct shim_volume *v = shim_archive__volume(ar, volume);

	return v->joint ? 0 : v->segment->format->label_len;
}

/*
 * Get the last complete record of a segment, with ar->lock held.  Return 0, -ENOENT if there is no
 * complete record, or an error.
 */
int shim_segment__last_record(struct shim_archive *ar, const struct shim_segment *segment,
			      struct shim_record *last);

/* Return whether an error is caused by the file itself, so that reading it again is useless. */
bool shim_volume_record__is_damage(int err);
/*
 * Get the record that begins (at) or ends (before) at @offset.  Return 0, -ENODATA at the end or
 * the start of the volume, -EBADMSG if the record is corrupt or incomplete, or the error that
 * prevented unpacking it.
 */
int shim_volume_record__at(const struct shim_volume_view *view, uint64_t offset,
			   struct shim_record *out);
int shim_volume_record__before(const struct shim_volume_view *view, uint64_t offset,
			       struct shim_record *out);
/* Return whether the record that begins at @offset is truncated by the end of the file. */
bool shim_volume_record__is_half(const struct shim_volume_view *view, uint64_t offset);
/* Return whether @offset, which may be any number, is the start or the end of a record. */
bool shim_volume_record__is_boundary(const struct shim_volume_view *view, uint64_t offset);

#endif /* SHIM_ARCHIVE_ARCHIVE_H */
