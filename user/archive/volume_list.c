// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The list of an archive's volumes: find the volumes in its directory and, while the archive is
 * being written, detect growth of the last volume and new volumes after it.
 *
 * A writer finishes a volume before it starts the next one.  Therefore a reader that first finds
 * the next volume and then reads the size of the previous one sees all of the previous one.  New
 * metrics and states of instance domains are not detected; only a new context has them.
 */
#define _DEFAULT_SOURCE
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "archive.h"
#include "base/now.h"
#include "segment.h"

/* Find the last complete record of an archive, even if the archive is truncated or still growing */

/* Return whether there is no usable record, rather than an error that prevented reading one. */
static bool is_none(int err)
{
	return err == -ENODATA || err == -EBADMSG;
}

/*
 * Find the last of the consecutive well-formed records starting at @from.  Return 0, -EBADMSG if
 * there is none, or the error that prevented reading one.
 */
static int view_scan(const struct shim_volume_view *view, uint64_t from, struct shim_record *last)
{
	struct shim_record rec;
	bool found = false;
	int err;

	while (!(err = shim_volume_record__at(view, from, &rec)) && !shim_record__check(&rec)) {
		*last = rec;
		found = true;
		from += rec.len;
	}
	return err && !is_none(err) ? err : found ? 0 : -EBADMSG;
}

/*
 * Find the last record of a volume that does not end with a record: scan from places of the index,
 * starting with the newest.
 */
static int scan_from_index(struct shim_archive *ar, unsigned int volume,
			    const struct shim_volume_view *view, struct shim_record *last)
{
	const struct shim_index *index = shim_archive__index_locked(ar);
	size_t n = shim_index__upto(index, volume);

	while (n-- && index->places[n].volume == volume) {
		uint64_t offset = index->places[n].offset;
		int err = -EBADMSG;

		if (shim_volume_record__is_boundary(view, offset))
			err = view_scan(view, offset, last);
		if (!is_none(err))
			return err;
	}
	return view_scan(view, view->head, last);
}

static int last_of_volume(struct shim_archive *ar, unsigned int volume, struct shim_record *last)
{
	struct shim_volume *v = shim_archive__volume(ar, volume);
	struct shim_volume_view view;
	int err;

	err = shim_archive__view_locked(ar, volume, &view);
	if (err)
		return err == -SHIM_EVOLUME ? -ENOENT : err;
	err = shim_volume_record__before(&view, view.size, last);
	if (!err)
		err = shim_record__check(last);
	if (is_none(err))
		err = scan_from_index(ar, volume, &view, last);
	if (err && !is_none(err))
		return err;
	v->good = err ? view.head : last->offset + last->len;
	return err ? -ENOENT : 0;
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

/* Find the archive's end, if it has one.  Return 0, or the error that prevented the search. */
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
 * shim_archive__end() - get the time of the last complete record
 * @ar: the archive
 * @end: the time
 *
 * This call checks whether the last volume's file has grown, and whether there is a next volume;
 * cursors then see new records.  If stamps go backwards, the end is the stamp of the physically
 * last record.  If several archives were opened as one, the end is the end of the last archive.
 *
 * Return: 0, -EBADMSG if there is no complete record, or the error that prevented reading a volume.
 */
int shim_archive__end(struct shim_archive *ar, struct shim_ts *end)
{
	bool changed = false;
	int err;

	shim_fork_lock__enter(&ar->lock);
	err = shim_archive__follow_locked(ar, &changed);
	if (!err && (changed || !ar->end_known))
		err = find_end(ar);
	if (!err)
		err = ar->end_err;
	if (!err)
		*end = ar->end;
	shim_fork_lock__leave(&ar->lock);
	return err;
}

/* Maximum time to wait for the rest of a half-written record after the file last changed */
#define PATIENCE	((struct shim_ts){ .sec = 1 })
#define NAP_NS		1000000

void shim_volume__init(struct shim_volume *v, struct shim_segment *segment, bool joint)
{
	v->segment = segment;
	v->joint = joint;
	v->fd.nr = -1;
	v->look.nr = -1;
	atomic_init(&v->ready, false);
	atomic_init(&v->extent, NULL);
}

static struct shim_volume *last_volume(struct shim_archive *ar)
{
	return shim_archive__volume(ar, shim_archive__nvolumes(ar) - 1);
}

/* Set *@more if there is a volume after the last one that has at least a complete label. */
static int look_for_next(const struct shim_volume *last, bool *more)
{
	const struct shim_segment *segment = last->segment;
	uint64_t size;
	int err;

	*more = false;
	if (last->number == INT32_MAX)
		return 0;
	err = shim_files__plain_size(segment->files.base, last->number + 1, &size);
	*more = !err && size >= segment->format->label_len;
	return err == -ENOENT ? 0 : err;
}

static int add_volume(struct shim_archive *ar, int number)
{
	unsigned int n = atomic_load_explicit(&ar->nvolumes, memory_order_relaxed);
	unsigned int chunk = shim_later__chunk(n - ar->nopened);
	struct shim_volume *last = shim_archive__volume(ar, n - 1), *v;
	int err;

	if (chunk >= SHIM_LATER_CHUNKS)
		return -E2BIG;
	if (!ar->later[chunk])
		ar->later[chunk] = calloc(shim_later__room(chunk), sizeof(*v));
	if (!ar->later[chunk])
		return -ENOMEM;
	/* Add the new number, because the index finds volumes through this list. */
	err = shim_files__add(&last->segment->files, number);
	if (err)
		return err;
	if (atomic_load_explicit(&last->ready, memory_order_relaxed))
		shim_fd__release(&last->fd);
	v = shim_archive__volume(ar, n);
	shim_volume__init(v, last->segment, false);
	v->number = number;
	last->segment->nvolumes++;
	atomic_store_explicit(&ar->nvolumes, n + 1, memory_order_release);
	return 0;
}

/*
 * Add the volumes in the directory that follow the known ones.  If the directory was removed, add
 * none.
 */
static int list(struct shim_archive *ar)
{
	unsigned int n = atomic_load_explicit(&ar->nvolumes, memory_order_relaxed);
	int known = shim_archive__volume(ar, n - 1)->number;
	struct shim_files files;
	int err;

	err = shim_segment__list(&ar->segments[0], &files);
	if (err)
		return err == -ENOENT ? 0 : err;
	for (size_t i = 0; i < files.nvolumes && !err; i++)
		if (files.volumes[i] > known)
			err = add_volume(ar, files.volumes[i]);
	shim_files__free(&files);
	return err;
}

int shim_archive__list_locked(struct shim_archive *ar)
{
	int err;

	if (atomic_load_explicit(&ar->listed, memory_order_relaxed))
		return 0;
	err = list(ar);
	if (!err)
		atomic_store_explicit(&ar->listed, true, memory_order_release);
	return err;
}

int shim_archive__list(struct shim_archive *ar)
{
	int err;

	if (atomic_load_explicit(&ar->listed, memory_order_acquire))
		return 0;
	shim_fork_lock__enter(&ar->lock);
	err = shim_archive__list_locked(ar);
	shim_fork_lock__leave(&ar->lock);
	return err;
}

/*
 * Follow the last volume's file.  If it was truncated, forget the clear ranges, because marks may
 * be written there.
 */
static int refresh(struct shim_archive *ar, bool *changed)
{
	struct shim_volume *last = last_volume(ar);
	struct shim_volume_view before = { 0 }, now = { 0 };
	int err;

	shim_volume__view(last, &before);
	err = shim_volume__refresh(last, changed);
	shim_volume__view(last, &now);
	if (now.size < before.size)
		shim_clear_ranges__forget(&ar->clear);
	return err;
}

/*
 * Return whether to check for a next volume.  Checking takes twice as long as the rest of
 * pmGetArchiveEnd().  A program that starts a new volume after the last check makes system calls
 * that take longer than LOOK_NS.
 */
#define LOOK_NS	10000

static bool is_due(struct shim_archive *ar)
{
	int64_t ns = shim_now_ns();

	if (ar->looked && ns - ar->looked < LOOK_NS)
		return false;
	ar->looked = ns;
	return true;
}

int shim_archive__follow_locked(struct shim_archive *ar, bool *changed)
{
	bool more = false, grown = false, due;
	int err = shim_archive__list_locked(ar);

	if (err)
		return err;
	due = is_due(ar);
	do {
		if (due)
			err = look_for_next(last_volume(ar), &more);
		if (!err)
			err = refresh(ar, &grown);
		*changed |= grown;
		if (!err && more)
			err = add_volume(ar, last_volume(ar)->number + 1);
		if (!err && more)
			*changed = true;
	} while (!err && more);
	return err;
}

/**
 * shim_archive__follow() - detect additions to an archive's files
 * @ar: the archive
 *
 * Return: 1 if there are additions, 0 if not, or an error.
 */
int shim_archive__follow(struct shim_archive *ar)
{
	bool changed = false;
	int err;

	shim_fork_lock__enter(&ar->lock);
	err = shim_archive__follow_locked(ar, &changed);
	if (changed)
		ar->end_known = false;
	shim_fork_lock__leave(&ar->lock);
	return err ? err : changed;
}

static struct shim_ts now(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return (struct shim_ts){ ts.tv_sec, (int32_t)ts.tv_nsec };
}

/* Return whether the last volume's file was modified very recently.  The caller holds ar->lock. */
static bool is_fresh(const struct shim_volume *last)
{
	struct shim_ts age;
	struct stat st;

	if (last->fd.nr < 0 || !shim_fd__stat(last->fd, &st))
		return false;
	age = shim_ts__sub(now(CLOCK_REALTIME),
			   (struct shim_ts){ st.st_mtim.tv_sec, (int32_t)st.st_mtim.tv_nsec });
	/* Ignore a time in the future, which comes from another machine's clock. */
	return age.sec >= 0 && shim_ts__cmp(age, PATIENCE) < 0;
}

/*
 * Return whether @cur is before an incomplete record, according to the last known size of the last
 * volume.
 */
static bool is_before_half(const struct shim_cursor *cur)
{
	struct shim_archive *ar = cur->ar;
	unsigned int last = shim_archive__nvolumes(ar) - 1;
	uint64_t offset = cur->volume == last ? cur->offset : shim_archive__head(ar, last);
	struct shim_volume_view view;

	return !shim_archive__view(ar, last, &view) && shim_volume_record__is_half(&view, offset);
}

/**
 * shim_archive__await() - wait for the archive's writer to complete a record
 * @cur: a cursor that has reached an invalid record
 * @since: the time when waiting began; zero before the first call, which sets it
 *
 * Readers may see a part of a record even if it is written by one write(2), because the kernel
 * extends a file page by page.
 *
 * Return: true if the caller should try again; false if it has waited long enough, the file
 * was not modified very recently, or the record is not an incomplete record at the end.
 */
bool shim_archive__await(const struct shim_cursor *cur, struct shim_ts *since)
{
	struct shim_archive *ar = cur->ar;
	struct shim_ts at = now(CLOCK_MONOTONIC);
	bool fresh;

	if (!since->sec && !since->nsec)
		*since = at;
	if (!is_before_half(cur) || shim_ts__cmp(shim_ts__sub(at, *since), PATIENCE) >= 0)
		return false;
	shim_fork_lock__enter(&ar->lock);
	fresh = is_fresh(last_volume(ar));
	shim_fork_lock__leave(&ar->lock);
	if (!fresh)
		return false;
	nanosleep(&(struct timespec){ .tv_nsec = NAP_NS }, NULL);
	/*
	 * Until the record is complete, the caller calls this function again, for at most PATIENCE.
	 */
	shim_archive__follow(ar);
	return true;
}
