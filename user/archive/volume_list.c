// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The list of an archive's volumes: those in its directory, and, while it is being written, growth
 * of the last one and new ones after it.
 *
 * A writer begins a volume only when it is done with the one before.  So whoever sees the next
 * volume, and only then looks at the size of the former, has all of the former.  New metrics and
 * states of instance domains are not picked up: a new context has them.
 */
#define _DEFAULT_SOURCE	/* nanosleep */
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "archive.h"
#include "segment.h"

/* How long to wait for the rest of a half-written record after the file's last change. */
#define PATIENCE	((struct shim_ts){ .sec = 1 })
#define NAP_NS		1000000

void shim_volume__init(struct shim_volume *v, struct shim_segment *segment, bool joint)
{
	v->segment = segment;
	v->joint = joint;
	v->fd = -1;
	v->look = -1;
	atomic_init(&v->ready, false);
	atomic_init(&v->extent, NULL);
}

static struct shim_volume *last_volume(struct shim_archive *ar)
{
	return shim_archive__volume(ar, shim_archive__nvolumes(ar) - 1);
}

/* Sets *@more if there is a volume behind the last one that has at least its label */
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
	/* The index finds volumes by this list of numbers, so it must have the new one, too. */
	err = shim_files__add(&last->segment->files, number);
	if (err)
		return err;
	if (atomic_load_explicit(&last->ready, memory_order_relaxed) && last->fd >= 0) {
		close(last->fd);
		last->fd = -1;
	}
	v = shim_archive__volume(ar, n);
	shim_volume__init(v, last->segment, false);
	v->number = number;
	last->segment->nvolumes++;
	atomic_store_explicit(&ar->nvolumes, n + 1, memory_order_release);
	return 0;
}

/* Add the volumes that the directory has after the known ones; none if it was removed. */
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
	shim_lock__enter(&ar->lock);
	err = shim_archive__list_locked(ar);
	shim_lock__leave(&ar->lock);
	return err;
}

/* After a truncation, forget the clear ranges: what is written there next may have marks. */
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

int shim_archive__follow_locked(struct shim_archive *ar, bool *changed)
{
	bool more = false, grown = false;
	int err = shim_archive__list_locked(ar);

	if (err)
		return err;
	do {
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
 * shim_archive__follow() - pick up what was added to an archive's files
 * @ar: the archive
 *
 * Return: 1 if there is anything new, 0 if not, or why that cannot be seen.
 */
int shim_archive__follow(struct shim_archive *ar)
{
	bool changed = false;
	int err;

	shim_lock__enter(&ar->lock);
	err = shim_archive__follow_locked(ar, &changed);
	if (changed)
		ar->end_known = false;
	shim_lock__leave(&ar->lock);
	return err ? err : changed;
}

static struct shim_ts now(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return (struct shim_ts){ ts.tv_sec, (int32_t)ts.tv_nsec };
}

/* Whether the last volume's file was written to a moment ago, with ar->lock held */
static bool is_fresh(const struct shim_volume *last)
{
	struct shim_ts age;
	struct stat st;

	if (last->fd < 0 || fstat(last->fd, &st))
		return false;
	age = shim_ts__sub(now(CLOCK_REALTIME),
			   (struct shim_ts){ st.st_mtim.tv_sec, (int32_t)st.st_mtim.tv_nsec });
	/* a time in the future is by another machine's clock, and says nothing */
	return age.sec >= 0 && shim_ts__cmp(age, PATIENCE) < 0;
}

/* Whether @cur is before an incomplete record, as of the last look at the last volume's size */
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
 * @cur: a cursor that came to a bad record
 * @since: when waiting began; all zero before the first call, which sets it
 *
 * Even a record that is written by one write(2) may be seen in part: the kernel
 * lets a file grow page by page.
 *
 * Return: whether to try again; false if the caller has waited long enough, the file was not
 * written to a moment ago, or the record is not an incomplete one at the end.
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
	shim_lock__enter(&ar->lock);
	fresh = is_fresh(last_volume(ar));
	shim_lock__leave(&ar->lock);
	if (!fresh)
		return false;
	nanosleep(&(struct timespec){ .tv_nsec = NAP_NS }, NULL);
	/* without the rest of the record the next try comes here again, until PATIENCE ends */
	shim_archive__follow(ar);
	return true;
}
