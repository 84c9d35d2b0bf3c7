// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The list of unpacked files that are in use.
 *
 * A file may be needed several times: a command reads an archive through a context and then checks
 * it for damage, and the label of a volume is read before the volume.  Without this list, the file
 * would be unpacked each time.
 *
 * Threads: list_lock guards the list and the number of users.  It is not held while a file is
 * opened: if two threads open the same file, one of the copies is dropped.  fork() acquires it, so
 * that a child can use the list even if another thread of its parent was using it.
 *
 * Units are unpacked under the file's lock, and read without it: the state of a unit changes after
 * its bytes.  A child shares the unnamed file with its parent.  Both may unpack the same unit, so
 * that the same bytes are written again.  If another thread was unpacking when the process forked, the child
 * cannot acquire the lock, so it initializes the lock.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/process.h"
#include "unpack.h"
#include "unpacked.h"

static struct shim_siglock list_lock = SHIM_SIGLOCK_INITIALIZER(2, NULL);
static struct shim_unpacked *list;

static bool is_time(const struct timespec *a, const struct timespec *b)
{
	return a->tv_sec == b->tv_sec && a->tv_nsec == b->tv_nsec;
}

static bool is_same(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino && a->st_size == b->st_size &&
	       is_time(&a->st_mtim, &b->st_mtim) && is_time(&a->st_ctim, &b->st_ctim);
}

/* Find the content of a file and add a user.  The caller holds list_lock. */
static struct shim_unpacked *unpacked_find(const struct stat *packed)
{
	struct shim_unpacked *u = list;

	while (u && !is_same(&u->packed, packed))
		u = u->next;
	if (u)
		u->refs++;
	return u;
}

static void unpacked_destroy(struct shim_unpacked *u)
{
	shim_unpack__close(u);
	free(u);
}

static int content_open(int fd, const struct stat *packed, const char *suffix,
			struct shim_unpacked **out)
{
	struct shim_unpacked *u = calloc(1, sizeof(*u));
	int err;

	if (!u)
		return -ENOMEM;
	u->packed = *packed;
	u->refs = 1;
	u->generation = shim_fork__generation();
	err = shim_unpack__open(u, fd, suffix);
	if (err)
		unpacked_destroy(u);
	else
		*out = u;
	return err;
}

/* Enter new content, or drop it if another thread has already entered the same content. */
static struct shim_unpacked *enter(struct shim_unpacked *u)
{
	struct shim_unpacked *other;

	shim_siglock__enter(&list_lock);
	other = unpacked_find(&u->packed);
	if (!other) {
		u->next = list;
		list = u;
	}
	shim_siglock__leave(&list_lock);
	if (!other)
		return u;
	unpacked_destroy(u);
	return other;
}

int shim_unpacked__get(int fd, const struct stat *packed, const char *suffix,
		       struct shim_unpacked **out)
{
	struct shim_unpacked *u;
	int err = shim_fork__wait_for(&list_lock);

	if (err)
		return err;
	shim_siglock__enter(&list_lock);
	u = unpacked_find(packed);
	shim_siglock__leave(&list_lock);
	if (!u) {
		err = content_open(fd, packed, suffix, &u);
		if (err)
			return err;
		u = enter(u);
	}
	*out = u;
	return 0;
}

struct shim_unpacked *shim_unpacked__share(struct shim_unpacked *u)
{
	if (!u)
		return NULL;
	shim_siglock__enter(&list_lock);
	u->refs++;
	shim_siglock__leave(&list_lock);
	return u;
}

void shim_unpacked__put(struct shim_unpacked *u)
{
	struct shim_unpacked **at = &list;
	bool last;

	if (!u)
		return;
	shim_siglock__enter(&list_lock);
	last = !--u->refs;
	if (last) {
		while (*at != u)
			at = &(*at)->next;
		*at = u->next;
	}
	shim_siglock__leave(&list_lock);
	if (last)
		unpacked_destroy(u);
}

/* Acquire the lock of a file, which may have been lost in a fork. */
static void acquire(struct shim_unpacked *u)
{
	shim_siglock__enter(&list_lock);
	if (u->generation != shim_fork__generation()) {
		shim_lock__init(&u->lock);
		u->generation = shim_fork__generation();
	}
	shim_siglock__leave(&list_lock);
	shim_lock__enter(&u->lock);
}

static int unit_unpack(struct shim_unpacked *u, struct shim_unit *unit)
{
	int err = 0, state;

	acquire(u);
	state = atomic_load_explicit(&unit->state, memory_order_relaxed);
	if (!state) {
		err = shim_unpack__unit(u, unit);
		state = err ? err : 1;
		/* Other errors may be transient. */
		if (!err || err == -EBADMSG)
			atomic_store_explicit(&unit->state, state, memory_order_release);
		if (!err && atomic_fetch_sub_explicit(&u->left, 1, memory_order_release) == 1)
			shim_unpack__done(u);
	}
	shim_lock__leave(&u->lock);
	return state < 0 ? state : 0;
}

/* Return the unit of a byte. */
static size_t unit_of(const struct shim_unpacked *u, uint64_t at)
{
	size_t lo = 0, hi = u->nunits;

	while (hi - lo > 1) {
		size_t mid = lo + (hi - lo) / 2;

		if (u->units[mid].from <= at)
			lo = mid;
		else
			hi = mid;
	}
	return lo;
}

int shim_unpacked__need(struct shim_unpacked *u, uint64_t from, uint64_t len)
{
	uint64_t to;
	int err = 0;

	if (!u || !len || !atomic_load_explicit(&u->left, memory_order_acquire) || from >= u->size)
		return 0;
	to = len < u->size - from ? from + len : u->size;
	if (to <= u->head)
		return 0;
	for (size_t i = unit_of(u, from); !err && i < u->nunits && u->units[i].from < to; i++) {
		int state = atomic_load_explicit(&u->units[i].state, memory_order_acquire);

		err = state == 1 ? 0 : state ? state : unit_unpack(u, &u->units[i]);
	}
	return err;
}

int shim_unpacked__need_record(struct shim_unpacked *u, uint64_t at)
{
	int err = shim_unpacked__need(u, at, sizeof(uint32_t));

	if (err || !u || at > u->size || u->size - at < sizeof(uint32_t))
		return err;
	return shim_unpacked__need(u, at, shim_be32__get(u->data + at));
}
