// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The list of unpacked files that are in use.
 *
 * A file may be needed several times: a command reads an archive through a context and then checks
 * it for damage, and the label of a volume is read before the volume.  Without this list, the file
 * would be unpacked each time.
 *
 * Threads: list_lock guards the list and the number of users.  It is not held while unpacking: if
 * two threads unpack the same file, one of the copies is dropped.  fork() acquires it, so that a
 * child can use the list even if another thread of its parent was using it.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

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
	if (u->data)
		munmap(u->data, u->size);
	free(u);
}

static int map(struct shim_unpacked *u, int fd)
{
	void *p;

	if (!u->size)		/* mmap(2) rejects a length of zero */
		return 0;
	if (u->size > SIZE_MAX / 2)
		return -EFBIG;
	p = mmap(NULL, u->size, PROT_READ, MAP_SHARED, fd, 0);
	if (p == MAP_FAILED)
		return -errno;
	u->data = p;
	return 0;
}

static int content_unpack(int fd, const struct stat *packed, const char *suffix,
			  struct shim_unpacked **out)
{
	struct shim_unpacked *u = calloc(1, sizeof(*u));
	int plain, err;

	if (!u)
		return -ENOMEM;
	err = shim_unpack__file(fd, (uint64_t)packed->st_size, suffix, &plain, &u->size);
	if (!err) {
		err = map(u, plain);
		close(plain);
	}
	if (err) {
		free(u);
		return err;
	}
	u->packed = *packed;
	u->refs = 1;
	*out = u;
	return 0;
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
		err = content_unpack(fd, packed, suffix, &u);
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
