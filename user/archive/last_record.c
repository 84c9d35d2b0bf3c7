// SPDX-License-Identifier: LGPL-2.1-or-later
/* Find the last complete record of an archive, even if it is truncated or still growing. */
#include "archive.h"

/* The last of the consecutive well-formed records starting at @from; false if there is none */
static bool scan(const struct shim_volume_view *view, uint64_t from, struct shim_record *last)
{
	struct shim_record rec;
	bool found = false;

	while (!shim_volume_record__at(view, from, &rec) && !shim_record__check(&rec)) {
		*last = rec;
		found = true;
		from += rec.len;
	}
	return found;
}

/*
 * If a volume does not end with a record: scan from places of the index, starting with the newest.
 */
static bool scan_from_index(struct shim_archive *ar, unsigned int volume,
			    const struct shim_volume_view *view, struct shim_record *last)
{
	const struct shim_index *index = shim_archive__index_locked(ar);
	size_t n = shim_index__upto(index, volume);

	while (n-- && index->places[n].volume == volume) {
		uint64_t offset = index->places[n].offset;

		if (shim_volume_record__is_boundary(view, offset) && scan(view, offset, last))
			return true;
	}
	return scan(view, view->head, last);
}

static int last_of_volume(struct shim_archive *ar, unsigned int volume, struct shim_record *last)
{
	struct shim_volume *v = shim_archive__volume(ar, volume);
	struct shim_volume_view view;
	bool found;
	int err;

	err = shim_archive__view_locked(ar, volume, &view);
	if (err)
		return err == -SHIM_EVOLUME ? -ENOENT : err;
	found = !shim_volume_record__before(&view, view.size, last) && !shim_record__check(last);
	if (!found)
		found = scan_from_index(ar, volume, &view, last);
	v->good = found ? last->offset + last->len : view.head;
	return found ? 0 : -ENOENT;
}

int shim_segment__last_record(struct shim_archive *ar, const struct shim_segment *segment,
			      struct shim_record *last)
{
	unsigned int i = segment->nvolumes;
	int err = -ENOENT;

	while (err == -ENOENT && i--)
		err = last_of_volume(ar, segment->first + i, last);
	return err;
}

/*
 * Returns 0 if the end, or that there is none, is now known; otherwise the error that prevented it.
 */
static int find_end(struct shim_archive *ar)
{
	const struct shim_segment *segment = &ar->segments[ar->nsegments - 1];
	struct shim_record last;
	int err = shim_segment__last_record(ar, segment, &last);

	ar->end_known = !err || err == -ENOENT;
	ar->end_err = err == -ENOENT ? -EBADMSG : 0;
	if (!err)
		ar->end = last.stamp;
	return err == -ENOENT ? 0 : err;
}

/**
 * shim_archive__end() - time of the last complete record
 * @ar: the archive
 * @end: the time
 *
 * Check whether the last volume's file has grown, and whether there is a next volume; cursors then
 * see new records.  If stamps go backwards, the end is the stamp of the physically last record.  If
 * several archives were opened as one, the end is that of the last archive.
 *
 * Return: 0, -EBADMSG if there is no complete record, or the error that prevented reading a volume.
 */
int shim_archive__end(struct shim_archive *ar, struct shim_ts *end)
{
	bool changed = false;
	int err;

	shim_lock__enter(&ar->lock);
	err = shim_archive__follow_locked(ar, &changed);
	if (!err && (changed || !ar->end_known))
		err = find_end(ar);
	if (!err)
		err = ar->end_err;
	if (!err)
		*end = ar->end;
	shim_lock__leave(&ar->lock);
	return err;
}
