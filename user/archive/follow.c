// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Following an archive that is being written: its last volume grows, and then there is another.
 *
 * The writer begins a volume when it is done with the one before: so whoever sees
 * the next one and then looks at the former has all of that.  New metrics and
 * states of instance domains are not taken in: a new context has them.
 */
#include <stdlib.h>
#include <unistd.h>

#include "archive.h"

void shim_volume__init(struct shim_volume *v, struct shim_part *part, bool joint)
{
	v->part = part;
	v->joint = joint;
	v->fd = -1;
	atomic_init(&v->ready, false);
	atomic_init(&v->extent, NULL);
}

static struct shim_volume *last_volume(const struct shim_archive *ar)
{
	return shim_archive__volume(ar, shim_archive__nvolumes(ar) - 1);
}

/* Whether there is a volume behind the last one that has at least its label */
static bool is_next_there(const struct shim_volume *last)
{
	const struct shim_part *part = last->part;
	struct stat st;
	char *path;
	bool there;

	if (last->number == INT32_MAX)
		return false;
	path = shim_files__path(part->files.base, last->number + 1);
	there = path && !stat(path, &st) && S_ISREG(st.st_mode) &&
		(uint64_t)st.st_size >= part->format->label_len;
	free(path);
	return there;
}

/* The index finds volumes by their numbers, so it gets to know the new one, too. */
static int add_number(struct shim_files *files, int number)
{
	int *numbers = reallocarray(files->volumes, files->nvolumes + 1, sizeof(*numbers));

	if (!numbers)
		return -ENOMEM;
	files->volumes = numbers;
	numbers[files->nvolumes++] = number;
	return 0;
}

static int add_volume(struct shim_archive *ar)
{
	struct shim_volume *last = last_volume(ar), *v;
	unsigned int n = shim_archive__nvolumes(ar), i = n - ar->nopened;
	int err;

	if (i / SHIM_LATER_EACH >= SHIM_LATER_CHUNKS)
		return -E2BIG;
	if (!ar->later[i / SHIM_LATER_EACH])
		ar->later[i / SHIM_LATER_EACH] = calloc(SHIM_LATER_EACH, sizeof(*v));
	if (!ar->later[i / SHIM_LATER_EACH])
		return -ENOMEM;
	err = add_number(&last->part->files, last->number + 1);
	if (err)
		return err;
	if (atomic_load_explicit(&last->ready, memory_order_relaxed) && last->fd >= 0) {
		close(last->fd);
		last->fd = -1;
	}
	v = shim_archive__volume(ar, n);
	shim_volume__init(v, last->part, false);
	v->number = last->number + 1;
	last->part->nvolumes++;
	atomic_store_explicit(&ar->nvolumes, n + 1, memory_order_release);
	return 0;
}

int shim_archive__follow_locked(struct shim_archive *ar, bool *changed)
{
	bool more = false, grown;
	int err;

	do {
		more = is_next_there(last_volume(ar));
		err = shim_volume__refresh(last_volume(ar), &grown);
		*changed |= grown;
		if (!err && more)
			err = add_volume(ar);
		if (!err && more)
			*changed = true;
	} while (!err && more);
	return err;
}

/**
 * shim_archive__follow() - take in what an archive's files have become
 * @ar: the archive
 *
 * Return: whether there is anything new.
 */
bool shim_archive__follow(struct shim_archive *ar)
{
	bool changed = false;

	pthread_mutex_lock(&ar->lock);
	if (shim_archive__follow_locked(ar, &changed))
		changed = false;
	if (changed)
		ar->end_known = false;
	pthread_mutex_unlock(&ar->lock);
	return changed;
}
