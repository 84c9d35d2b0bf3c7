// SPDX-License-Identifier: LGPL-2.1-or-later
/* Descriptors of the library, which the program may close */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include "fd.h"

/*
 * For each descriptor number, the last shim_fd__own() call that received it.  The kernel reuses a
 * number only after it has been closed, so only the latest owner's descriptor can be open.  Records
 * are allocated by number, in chunks.
 */
#define CHUNK	256
#define CHUNKS	4096	/* enough for 2^20, the default of fs.nr_open */

struct record {
	_Atomic uint32_t owner;	/* 0 while the other fields change */
	_Atomic dev_t dev;
	_Atomic ino_t ino;
};

static _Atomic(struct record *) records[CHUNKS];
static _Atomic uint32_t owners;

static struct record *record_of(int nr)
{
	struct record *chunk;

	if (nr < 0 || nr >= CHUNK * CHUNKS)
		return NULL;
	chunk = atomic_load(&records[nr / CHUNK]);
	return chunk ? &chunk[nr % CHUNK] : NULL;
}

static struct record *make_record(int nr)
{
	struct record *chunk, *none = NULL;

	if (nr >= CHUNK * CHUNKS)
		return NULL;
	if (!atomic_load(&records[nr / CHUNK])) {
		chunk = calloc(CHUNK, sizeof(*chunk));
		if (chunk && !atomic_compare_exchange_strong(&records[nr / CHUNK], &none, chunk))
			free(chunk);
	}
	return record_of(nr);
}

/*
 * Return the lowest number for the library's descriptors.  It is below 1024, for programs that use
 * select(2), and slightly below the limit, with about a hundred numbers between the two.
 */
static int first_number(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) || limit.rlim_cur > 1024)
		return 900;
	return (int)(limit.rlim_cur - limit.rlim_cur / 8);
}

/*
 * Move a descriptor to number @least or higher.  On error, it stays open under its original number.
 */
static int move(int nr, int least)
{
	int moved = fcntl(nr, F_DUPFD_CLOEXEC, least);
	int err = -errno;

	if (moved < 0)
		return err;
	close(nr);
	return moved;
}

/**
 * shim_fd__above_standard() - move a new descriptor above those of stdin, stdout and stderr
 * @nr: a newly opened descriptor
 *
 * A program may close 0 to 2 and rely on the next files that it opens to get these numbers.
 *
 * Return: a descriptor that replaces @nr, or -errno; @nr is closed even on error.
 */
int shim_fd__above_standard(int nr)
{
	int moved;

	if (nr > STDERR_FILENO)
		return nr;
	moved = move(nr, STDERR_FILENO + 1);
	if (moved < 0)
		close(nr);
	return moved;
}

/**
 * shim_fd__own() - register a descriptor of the library
 * @nr: a newly opened descriptor, which is moved to another number
 * @out: set on success
 *
 * Return: 0, or -errno, in which case @nr is closed.
 */
int shim_fd__own(int nr, struct shim_fd *out)
{
	int moved = move(nr, first_number());
	struct record *record;
	struct stat st;

	if (moved < 0)
		moved = shim_fd__above_standard(nr);
	if (moved < 0)
		return moved;
	*out = (struct shim_fd){ .nr = moved };
	record = make_record(moved);
	if (!record || fstat(moved, &st))
		return 0;
	while (!out->owner)
		out->owner = atomic_fetch_add(&owners, 1) + 1;
	atomic_store(&record->owner, 0);
	atomic_store(&record->dev, st.st_dev);
	atomic_store(&record->ino, st.st_ino);
	atomic_store(&record->owner, out->owner);
	return 0;
}

/**
 * shim_fd__is_latest() - check that the library has not received the same number again
 * @fd: descriptor from shim_fd__own()
 *
 * Context: makes no system call; may be called in signal handlers.
 * Return: false if it has, which means that the program has closed @fd.
 */
bool shim_fd__is_latest(struct shim_fd fd)
{
	const struct record *record = record_of(fd.nr);

	return !fd.owner || !record ||
	       atomic_load_explicit(&record->owner, memory_order_relaxed) == fd.owner;
}

/**
 * shim_fd__stat() - fstat() a descriptor if it still refers to the library's own file
 * @fd: descriptor from shim_fd__own()
 * @st: the file's status
 *
 * All anonymous files have the same inode number, so the caller must also query an anonymous file
 * itself.
 *
 * Return: false if it was closed, if the library has since received its number for another file, if
 * the number now refers to another file, or if fstat() failed.
 */
bool shim_fd__stat(struct shim_fd fd, struct stat *st)
{
	struct record *record = record_of(fd.nr);

	if (!shim_fd__is_latest(fd) || fstat(fd.nr, st))
		return false;
	if (!fd.owner || !record)
		return true;
	return atomic_load(&record->dev) == st->st_dev && atomic_load(&record->ino) == st->st_ino &&
	       shim_fd__is_latest(fd);
}

/* Like shim_fd__stat(), if the file's status is not needed. */
bool shim_fd__is_ours(struct shim_fd fd)
{
	struct stat st;

	return shim_fd__stat(fd, &st);
}

/**
 * shim_fd__close() - close a descriptor that is still the library's own
 * @fd: descriptor from shim_fd__own()
 *
 * Return: 0 or -errno.
 */
int shim_fd__close(struct shim_fd fd)
{
	struct record *record = record_of(fd.nr);
	uint32_t owner = fd.owner;

	if (record && owner)
		atomic_compare_exchange_strong(&record->owner, &owner, 0);
	return close(fd.nr) ? -errno : 0;
}

/**
 * shim_fd__release() - close a descriptor if the program has not closed it
 * @fd: descriptor from shim_fd__own(), or number -1; its number is set to -1
 */
void shim_fd__release(struct shim_fd *fd)
{
	if (fd->nr >= 0 && shim_fd__is_ours(*fd))
		shim_fd__close(*fd);
	fd->nr = -1;
}
