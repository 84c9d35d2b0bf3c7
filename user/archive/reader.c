// SPDX-License-Identifier: LGPL-2.1-or-later
/* Open and close archives, and check whether their files have changed. */
#include <stdlib.h>
#include <unistd.h>

#include "archive.h"
#include "files.h"
#include "segment.h"

/*
 * The open archives.  fork() waits until no other thread holds their locks, so that the child can
 * use them.  It does not wait long, because a thread may hold a lock while a file server does not
 * respond.
 */

#define FORK_WAIT	1	/* seconds, for all archives together */

static void hold_all(void);
static void release_all(void);
static void drop_lost(void);

SHIM_FORK_LOCK(list_lock, 1, .before = hold_all, .after = release_all, .in_child = drop_lost);
static struct shim_archive *archives;

static void hold_all(void)
{
	struct timespec until;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += FORK_WAIT;
	for (struct shim_archive *ar = archives; ar; ar = ar->next_open) {
		shim_fork_lock__before(&ar->lock, &until);
		shim_fork_lock__before(&ar->clear.lock, &until);
		shim_fork_lock__before(&ar->meta.lock, &until);
	}
}

static void release_all(void)
{
	for (struct shim_archive *ar = archives; ar; ar = ar->next_open) {
		shim_fork_lock__after(&ar->meta.lock);
		shim_fork_lock__after(&ar->clear.lock);
		shim_fork_lock__after(&ar->lock);
	}
}

/*
 * Return whether this is a forked child and a thread of its parent was changing the archive during
 * the fork.
 */
bool shim_archive__is_lost(struct shim_archive *ar)
{
	return shim_fork_lock__is_lost(&ar->lock) || shim_fork_lock__is_lost(&ar->clear.lock) ||
	       shim_fork_lock__is_lost(&ar->meta.lock);
}

static void list_remove(struct shim_archive *ar)
{
	if (!ar->to)
		return;
	*ar->to = ar->next_open;
	if (ar->next_open)
		ar->next_open->to = ar->to;
	ar->to = NULL;
}

/* Called in a forked child: its own forks must not wait for a lock whose owner does not exist here. */
static void drop_lost(void)
{
	for (struct shim_archive *ar = archives, *next; ar; ar = next) {
		next = ar->next_open;
		if (shim_archive__is_lost(ar))
			list_remove(ar);
	}
}

static void list_add(struct shim_archive *ar)
{
	shim_fork_lock__enter(&list_lock);
	ar->next_open = archives;
	ar->to = &archives;
	if (archives)
		archives->to = &ar->next_open;
	archives = ar;
	shim_fork_lock__leave(&list_lock);
}

static void asked_free(struct shim_asked *asked)
{
	for (size_t i = 0; asked->names && i < asked->n; i++)
		free(asked->names[i]);
	free(asked->names);
	free(asked->errs);
	*asked = (struct shim_asked){ 0 };
}

static void archive_destroy(struct shim_archive *ar)
{
	unsigned int nvolumes = atomic_load_explicit(&ar->nvolumes, memory_order_acquire);

	shim_fork_lock__enter(&list_lock);
	list_remove(ar);
	shim_fork_lock__leave(&list_lock);
	for (unsigned int i = 0; i < nvolumes; i++)
		shim_volume__free(shim_archive__volume(ar, i));
	free(ar->volumes);
	for (unsigned int i = 0; i < SHIM_LATER_CHUNKS; i++)
		free(ar->later[i]);
	for (unsigned int i = 0; i < ar->nsegments; i++)
		shim_segment__close(&ar->segments[i]);
	free(ar->segments);
	shim_index__free(&ar->index);
	shim_meta__free(&ar->meta);
	shim_clear_ranges__fini(&ar->clear);
	shim_fork_lock__fini(&ar->lock);
	asked_free(&ar->asked);
	free(ar->name);
	free(ar);
}

static struct shim_archive *create(size_t nsegments)
{
	struct shim_archive *ar = calloc(1, sizeof(*ar));

	if (!ar)
		return NULL;
	atomic_init(&ar->refs, 1);
	shim_meta__init(&ar->meta);
	shim_clear_ranges__init(&ar->clear);
	shim_fork_lock__init(&ar->lock);
	ar->generation = shim_fork__generation();
	atomic_init(&ar->indexed, false);
	atomic_init(&ar->nvolumes, 0);
	atomic_init(&ar->listed, false);
	for (unsigned int i = 0; i < SHIM_VOLUMES_ENTERED; i++)
		atomic_init(&ar->entered[i], UINT32_MAX);
	ar->budget = (struct shim_budget){ SHIM_VOLUME_COPY, SHIM_VOLUME_LOOKS };
	ar->segments = calloc(nsegments, sizeof(*ar->segments));
	if (!ar->segments) {
		archive_destroy(ar);
		return NULL;
	}
	list_add(ar);
	return ar;
}

static int by_start(const void *a, const void *b)
{
	const struct shim_segment *x = a, *y = b;

	return shim_ts__cmp(x->label.start, y->label.start);
}

/* Check that the last of @n segments has the same host as the others and a different start time. */
static int check_segment(const struct shim_segment *all, size_t n)
{
	const struct shim_label *last = &all[n - 1].label;

	if (strcmp(last->host, all[0].label.host))
		return -SHIM_EHOST;
	for (size_t i = 0; i < n - 1; i++)
		if (!shim_ts__cmp(all[i].label.start, last->start))
			return -SHIM_EOVERLAP;
	return 0;
}

/* Move the opened segments into the archive, and list the volumes of all of them consecutively. */
static int adopt(struct shim_archive *ar, struct shim_segment *all, size_t n)
{
	size_t nvolumes = 0;
	unsigned int k = 0;

	for (size_t i = 0; i < n; i++)
		nvolumes += all[i].files.nvolumes + 1;
	ar->volumes = calloc(nvolumes, sizeof(*ar->volumes));
	if (!ar->volumes)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++) {
		struct shim_segment *segment = &ar->segments[ar->nsegments++];

		*segment = all[i];
		all[i] = (struct shim_segment){ .kept.nr = -1 };
		if (i)
			shim_volume__init(&ar->volumes[k++], segment, true);
		segment->first = k;
		segment->nvolumes = (unsigned int)segment->files.nvolumes;
		for (unsigned int v = 0; v < segment->nvolumes; v++) {
			shim_volume__init(&ar->volumes[k], segment, false);
			ar->volumes[k++].number = segment->files.volumes[v];
		}
	}
	ar->nopened = k;
	atomic_store_explicit(&ar->nvolumes, k, memory_order_relaxed);
	ar->label = ar->segments[0].label;
	return 0;
}

/* Return whether an error is permanent.  If it is, a repetition would have the same result. */
static bool is_lasting(int err)
{
	return err != -ENOMEM && err != -EMFILE && err != -ENFILE && err != -EINTR && err != -EIO;
}

/*
 * If there are other archives, skip one that is missing or damaged, as PCP 7.2 does.  Return false
 * if it is not skipped.
 */
static bool skip(struct shim_asked *asked, size_t i, int err)
{
	if (asked->n == 1 ||
	    !(shim_volume_record__is_damage(err) || err == -ENXIO || err == -EPROTO))
		return false;
	asked->errs[i] = err;
	return true;
}

static int open_segments(struct shim_archive *ar, struct shim_asked *asked, bool list,
			 bool any_feature)
{
	struct shim_segment *all = calloc(asked->n, sizeof(*all));
	struct shim_folder folder = { 0 };
	size_t opened = 0;
	int err = all ? 0 : -ENOMEM;

	for (size_t i = 0; !err && i < asked->n; i++) {
		struct shim_segment *next = &all[opened];

		if (asked->errs[i])
			continue;
		*next = (struct shim_segment){
			.place = i, .any_feature = any_feature, .kept.nr = -1,
		};
		if (list)
			err = shim_segment__open(next, asked->names[i], &folder);
		else
			err = shim_segment__open_plain(next, asked->names[i]);
		if (skip(asked, i, err))
			err = 0;
		else if (!err)
			err = check_segment(all, ++opened);
	}
	if (!err && !opened)
		err = -ENXIO;
	if (!err) {
		qsort(all, opened, sizeof(*all), by_start);
		err = adopt(ar, all, opened);
	}
	for (size_t i = 0; i < opened; i++)
		shim_segment__close(&all[i]);
	shim_folder__free(&folder);
	free(all);
	return err;
}

/*
 * Load the index at first use.  If it cannot be loaded completely, searches are slower but still
 * correct.
 */
const struct shim_index *shim_archive__index_locked(struct shim_archive *ar)
{
	static const struct shim_index none;
	int err = 0;

	if (atomic_load_explicit(&ar->indexed, memory_order_relaxed))
		return &ar->index;
	for (unsigned int i = 0; i < ar->nsegments && !err; i++)
		err = shim_index__load(&ar->index, &ar->segments[i]);
	if (err && !is_lasting(err)) {
		shim_index__free(&ar->index);
		return &none;
	}
	atomic_store_explicit(&ar->indexed, true, memory_order_release);
	return &ar->index;
}

const struct shim_index *shim_archive__index(struct shim_archive *ar)
{
	const struct shim_index *index;

	if (atomic_load_explicit(&ar->indexed, memory_order_acquire))
		return &ar->index;
	shim_fork_lock__enter(&ar->lock);
	index = shim_archive__index_locked(ar);
	shim_fork_lock__leave(&ar->lock);
	return index;
}

/* Stat the archive's files.  Return false if one does not exist. */
static bool look_at_files(const struct shim_archive *ar, struct shim_seen *now)
{
	const struct shim_segment *segment = &ar->segments[0];
	const struct shim_seen *seen = &segment->seen;
	const char *base = segment->files.base;
	int first = ar->volumes[segment->first].number;

	*now = (struct shim_seen){ 0 };
	return shim_files__look(base, SHIM_VOLUME_META, seen->meta.st_size, &now->meta) &&
	       shim_files__look(base, first, seen->volume.st_size, &now->volume) &&
	       (!segment->files.index ||
		shim_files__look(base, SHIM_VOLUME_INDEX, seen->index.st_size, &now->index));
}

static bool is_file(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

static bool is_unchanged(const struct stat *a, const struct stat *b)
{
	return is_file(a, b) && a->st_size == b->st_size && a->st_mtim.tv_sec == b->st_mtim.tv_sec &&
	       a->st_mtim.tv_nsec == b->st_mtim.tv_nsec;
}

/*
 * Return whether a file is unchanged or has only grown.  An open archive detects growth by itself.
 */
static bool is_same_or_longer(const struct stat *now, const struct stat *seen)
{
	return is_unchanged(now, seen) || (is_file(now, seen) && now->st_size > seen->st_size);
}

/*
 * Return whether this is a single archive that was opened under @name by this process.  A forked
 * child does not share its parent's archives, because a thread of the parent may have been changing
 * them.
 */
bool shim_archive__has_name(const struct shim_archive *ar, const char *name)
{
	size_t len = strlen(name), known = strlen(ar->name);
	char *absolute;
	bool same;

	if (ar->nsegments > 1 || ar->generation != shim_fork__generation() || known < len ||
	    strcmp(ar->name + known - len, name))
		return false;
	absolute = shim_files__absolute(name);
	same = absolute && !strcmp(ar->name, absolute);
	free(absolute);
	return same;
}

bool shim_archive__is_current(const struct shim_archive *ar)
{
	const struct shim_seen *seen = &ar->segments[0].seen;
	struct shim_seen now;

	if (!look_at_files(ar, &now))
		return false;
	return is_unchanged(&now.meta, &seen->meta) && is_unchanged(&now.index, &seen->index) &&
	       is_same_or_longer(&now.volume, &seen->volume);
}

/* Return the segment with that position in the list of names, or NULL if it is skipped. */
static struct shim_segment *segment_at(const struct shim_archive *ar, size_t place)
{
	for (unsigned int i = 0; i < ar->nsegments; i++)
		if (ar->segments[i].place == place)
			return &ar->segments[i];
	return NULL;
}

static int segment_load(struct shim_archive *ar, struct shim_segment *segment)
{
	struct shim_entry last;
	int err = shim_index__check(segment, &last);

	if (err)
		return err;
	/*
	 * List the volumes now, because readers skip volumes that did not exist at opening, but
	 * report those that were removed later.  If this fails, the first use tries again.
	 */
	if (last.volume > segment->files.volumes[0])
		shim_archive__list(ar);
	return shim_meta__load(&ar->meta, segment->files.base, &segment->label, last.off_meta,
			       &segment->seen.meta);
}

/*
 * Load the metadata in the order of the list: the first archive that describes a metric determines
 * its name and identifier, and the last one that has a text determines the text.  If an archive's
 * metadata is damaged, set @again: the others must be opened again without this archive.
 */
static int archive_load(struct shim_archive *ar, struct shim_asked *asked, bool *again)
{
	int err = 0;

	for (size_t i = 0; i < asked->n && !err; i++) {
		struct shim_segment *segment = segment_at(ar, i);

		if (segment)
			err = segment_load(ar, segment);
		*again = skip(asked, i, err);
	}
	return err ? err : shim_meta__sort(&ar->meta);
}

/* With @list, scan the archives' directories now, instead of assuming an uncompressed volume 0. */
static int open_as(const char *name, struct shim_asked *asked, bool list, bool any_feature,
		   struct shim_archive **out)
{
	struct shim_archive *ar;
	bool again;
	int err;

	do {
		again = false;
		ar = create(asked->n);
		err = ar ? open_segments(ar, asked, list, any_feature) : -ENOMEM;
		if (!err) {
			atomic_store_explicit(&ar->listed, list, memory_order_relaxed);
			ar->name = shim_files__absolute(name);
			err = ar->name ? archive_load(ar, asked, &again) : -ENOMEM;
		}
		if (err && ar)
			archive_destroy(ar);
	} while (again);
	if (!err)
		*out = ar;
	return err;
}

static void report_skipped(const struct shim_asked *asked, shim_archive_skipped_fn *skipped)
{
	for (size_t i = 0; skipped && i < asked->n; i++)
		if (asked->errs[i])
			skipped(asked->names[i], asked->errs[i]);
}

/**
 * shim_archive__open_all() - open an archive, or several as one, and report those that are skipped
 * @name: as for shim_archive__open()
 * @any_feature: accept labels that require unknown features
 * @skipped: called for each of several archives that is missing or damaged, even if this fails
 *	because all are; may be NULL
 * @out: the archive
 *
 * Return: as for shim_archive__open().
 */
int shim_archive__open_all(const char *name, bool any_feature, shim_archive_skipped_fn *skipped,
			   struct shim_archive **out)
{
	struct shim_asked asked = { 0 };
	int err;

	err = shim_segment__names(name, &asked.names, &asked.n);
	if (err)
		return err;
	asked.errs = calloc(asked.n, sizeof(*asked.errs));
	err = !asked.errs ? -ENOMEM : -EAGAIN;
	if (err == -EAGAIN && asked.n == 1)
		err = open_as(name, &asked, false, any_feature, out);
	if (err && is_lasting(err))
		err = open_as(name, &asked, true, any_feature, out);
	if (asked.errs)
		report_skipped(&asked, skipped);
	if (err)
		asked_free(&asked);
	else
		(*out)->asked = asked;
	return err;
}

/* Note that a reader leaves one of several archives, because this volume of it is damaged. */
void shim_archive__leave(struct shim_archive *ar, unsigned int volume)
{
	unsigned int i = ar->nsegments - 1;

	while (i && ar->segments[i].first > volume)
		i--;
	shim_fork_lock__enter(&ar->lock);
	if (ar->segments[i].left == SHIM_NOT_LEFT) {
		ar->segments[i].left = SHIM_LEFT;
		atomic_store_explicit(&ar->any_left, true, memory_order_relaxed);
	}
	shim_fork_lock__leave(&ar->lock);
}

/**
 * shim_archive__next_left() - get the archives that readers have left because of damage
 * @ar: the archive
 *
 * Return: the name of one of them, once for each; NULL if there is no further one.
 */
const char *shim_archive__next_left(struct shim_archive *ar)
{
	const char *name = NULL;

	if (!atomic_load_explicit(&ar->any_left, memory_order_relaxed))
		return NULL;
	shim_fork_lock__enter(&ar->lock);
	for (unsigned int i = 0; i < ar->nsegments && !name; i++)
		if (ar->segments[i].left == SHIM_LEFT) {
			ar->segments[i].left = SHIM_LEFT_REPORTED;
			name = ar->asked.names[ar->segments[i].place];
		}
	if (!name)
		atomic_store_explicit(&ar->any_left, false, memory_order_relaxed);
	shim_fork_lock__leave(&ar->lock);
	return name;
}

bool shim_archive__is_several(const struct shim_archive *ar)
{
	return ar->nsegments > 1;
}

/**
 * shim_archive__open() - open an archive, or several as one
 * @name: base name, or the name of one of its files; a directory; or a comma-separated list of
 *	these
 * @out: the archive, to be released by shim_archive__put()
 *
 * Several archives are read in sequence, with a mark between adjacent ones.  They must come from
 * the same host.  Missing and damaged archives are skipped, unless all are.
 *
 * Return: 0 or one of the errors in types.h.
 */
int shim_archive__open(const char *name, struct shim_archive **out)
{
	return shim_archive__open_all(name, false, NULL, out);
}

/* Like shim_archive__open(), but accepts a label that requires unknown features */
int shim_archive__open_any(const char *name, struct shim_archive **out)
{
	return shim_archive__open_all(name, true, NULL, out);
}

struct shim_archive *shim_archive__get(struct shim_archive *ar)
{
	atomic_fetch_add_explicit(&ar->refs, 1, memory_order_relaxed);
	return ar;
}

/**
 * shim_archive__put() - release a reference to an archive
 * @ar: an archive, or NULL
 *
 * When the last reference is released, everything obtained from the archive is freed: labels,
 * metrics, records, values.
 */
void shim_archive__put(struct shim_archive *ar)
{
	if (ar && atomic_fetch_sub_explicit(&ar->refs, 1, memory_order_acq_rel) == 1)
		archive_destroy(ar);
}
