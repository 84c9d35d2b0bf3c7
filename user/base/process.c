// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * What a library shares with the process around it.
 *
 * Threads: lists are only added to, without a lock.  fork() takes all locks that have asked for
 * it, the lowest rank first, so that the child finds nothing half done.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "process.h"

static struct {
	pthread_once_t once;
	int error;
	_Atomic(struct shim_siglock *) locks;
	_Atomic(struct shim_fork_hook *) hooks;
	atomic_uint generation;
} forks = { .once = PTHREAD_ONCE_INIT, .generation = 1 };

void shim_siglock__init(struct shim_siglock *lock)
{
	shim_lock__init(&lock->lock);
}

void shim_siglock__fini(struct shim_siglock *lock)
{
	shim_lock__fini(&lock->lock);
}

void shim_siglock__enter(struct shim_siglock *lock)
{
	sigset_t all, mask;

	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &mask);
	shim_lock__enter(&lock->lock);
	lock->mask = mask;
}

void shim_siglock__leave(struct shim_siglock *lock)
{
	sigset_t mask = lock->mask;

	shim_lock__leave(&lock->lock);
	pthread_sigmask(SIG_SETMASK, &mask, NULL);
}

static void before_fork(void)
{
	for (int rank = 0; rank < SHIM_RANKS; rank++)
		for (struct shim_siglock *l = atomic_load(&forks.locks); l; l = l->next) {
			if (l->rank != rank)
				continue;
			shim_siglock__enter(l);
			l->forking = true;
		}
}

/* In the reverse order, so that the first one's mask comes last */
static void leave_rank(struct shim_siglock *lock, int rank)
{
	if (!lock)
		return;
	leave_rank(lock->next, rank);
	if (lock->rank != rank || !lock->forking)
		return;
	lock->forking = false;
	shim_siglock__leave(lock);
}

static void after_fork(void)
{
	for (int rank = SHIM_RANKS; rank--; )
		leave_rank(atomic_load(&forks.locks), rank);
}

static void in_child(void)
{
	atomic_fetch_add(&forks.generation, 1);
	for (struct shim_siglock *l = atomic_load(&forks.locks); l; l = l->next)
		if (l->forking && l->in_child)
			l->in_child();
	for (struct shim_fork_hook *h = atomic_load(&forks.hooks); h; h = h->next)
		h->in_child();
	after_fork();
}

static void watch(void)
{
	forks.error = pthread_atfork(before_fork, after_fork, in_child);
}

/**
 * shim_fork__watch() - see to it that forks are heard of
 *
 * Return: 0 or -ENOMEM.
 */
int shim_fork__watch(void)
{
	pthread_once(&forks.once, watch);
	return forks.error ? -ENOMEM : 0;
}

/**
 * shim_fork__wait_for() - let fork() take a lock, before it is taken for the first time
 * @lock: stays for the process's life; may be given more than once
 *
 * Return: 0 or -ENOMEM.
 */
int shim_fork__wait_for(struct shim_siglock *lock)
{
	int err = shim_fork__watch();

	if (err || atomic_exchange(&lock->listed, true))
		return err;
	lock->next = atomic_load(&forks.locks);
	while (!atomic_compare_exchange_weak(&forks.locks, &lock->next, lock))
		;
	return 0;
}

/**
 * shim_fork__hook() - do something in each forked child
 * @hook: stays for the process's life; may be given more than once
 *
 * Return: 0 or -ENOMEM.
 */
int shim_fork__hook(struct shim_fork_hook *hook)
{
	int err = shim_fork__watch();

	if (err || atomic_exchange(&hook->listed, true))
		return err;
	hook->next = atomic_load(&forks.hooks);
	while (!atomic_compare_exchange_weak(&forks.hooks, &hook->next, hook))
		;
	return 0;
}

/**
 * shim_fork__generation() - tells a process from the one that has forked it
 *
 * Return: a number that is another one in a forked child than in its parent, once
 * shim_fork__watch() was called.
 */
unsigned int shim_fork__generation(void)
{
	return atomic_load_explicit(&forks.generation, memory_order_relaxed);
}

static int make_key(struct shim_thread_end *end, unsigned int *key)
{
	unsigned int none = 0;
	pthread_key_t made;

	if (pthread_key_create(&made, end->fn))
		return -ENOMEM;
	*key = made + 1;
	if (!atomic_compare_exchange_strong(&end->key, &none, *key)) {
		pthread_key_delete(made);
		*key = none;
	}
	return 0;
}

/**
 * shim_thread_end__arm() - have something done when the calling thread ends
 * @end: what; stays for the process's life, as does the library (-z nodelete)
 * @arg: for it, not NULL; takes the place of what the thread gave before
 *
 * Return: 0 or -ENOMEM.
 */
int shim_thread_end__arm(struct shim_thread_end *end, void *arg)
{
	unsigned int key = atomic_load(&end->key);
	int err = key ? 0 : make_key(end, &key);

	if (err)
		return err;
	return pthread_setspecific(key - 1, arg) ? -ENOMEM : 0;
}

/* For the end of a thread that has got room; whoever asks after that gets some again. */
void shim_thread_room__free(void *room)
{
	void **mine = room;

	free(*mine);
	*mine = NULL;
}

/**
 * shim_thread_room() - memory of the calling thread's, from its first use to its end
 * @end: with shim_thread_room__free()
 * @room: the thread's own pointer to it, NULL at first
 * @size: bytes
 *
 * What threads have in variables of theirs is short: a program that loads this library late
 * has little room for them.
 *
 * Return: the memory, zeroed at first; or NULL.
 */
void *shim_thread_room(struct shim_thread_end *end, void **room, size_t size)
{
	if (*room)
		return *room;
	*room = calloc(1, size);
	if (*room && shim_thread_end__arm(end, room))
		shim_thread_room__free(room);
	return *room;
}

/*
 * Who has got a number last: the kernel gives one of ours away again only when somebody has
 * closed it.  Records are by number, a chunk at a time.
 */
#define CHUNK	256
#define CHUNKS	4096	/* fs.nr_open's usual 2^20 */

struct record {
	_Atomic uint32_t owner;
	dev_t dev;
	ino_t ino;
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
 * The first number of ours: below 1024, where programs are that use select(2), and as near to
 * the limit as leaves a hundred.
 */
static int first_number(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) || limit.rlim_cur > 1024)
		return 900;
	return (int)(limit.rlim_cur - limit.rlim_cur / 8);
}

/* Close it, and have it again at a higher number */
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
 * shim_fd__above_standard() - keep a new descriptor off those of stdin, stdout and stderr
 * @nr: just opened
 *
 * A program may close 0 to 2 and trust that the next files it opens get them.
 *
 * Return: a descriptor in the place of @nr, which is closed also if this fails; or -errno.
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
 * shim_fd__own() - make a descriptor the library's own
 * @nr: just opened; belongs to the library now, at another number
 * @out: set on success
 *
 * Return: 0, or -errno, and then @nr is closed.
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
	record->dev = st.st_dev;
	record->ino = st.st_ino;
	atomic_store(&record->owner, out->owner);
	return 0;
}

/**
 * shim_fd__is_latest() - whether the library has got a number for nothing else since
 * @fd: of shim_fd__own()
 *
 * Context: no system call; also in signal handlers.
 * Return: false if it has, so that the program must have closed it before.
 */
bool shim_fd__is_latest(struct shim_fd fd)
{
	const struct record *record = record_of(fd.nr);

	return !fd.owner || !record ||
	       atomic_load_explicit(&record->owner, memory_order_relaxed) == fd.owner;
}

/**
 * shim_fd__is_ours() - whether a descriptor still is what it was
 * @fd: of shim_fd__own()
 *
 * Files without a name have all the same inode: whoever has such a one asks it, too.
 *
 * Return: false if it was closed, if the library has got its number for something else since,
 * or if it is another file by now.
 */
bool shim_fd__is_ours(struct shim_fd fd)
{
	struct record *record = record_of(fd.nr);
	struct stat st;

	if (!shim_fd__is_latest(fd) || fstat(fd.nr, &st))
		return false;
	return !fd.owner || !record || (record->dev == st.st_dev && record->ino == st.st_ino);
}

/**
 * shim_fd__close() - close a descriptor, which is ours
 * @fd: of shim_fd__own()
 */
void shim_fd__close(struct shim_fd fd)
{
	struct record *record = record_of(fd.nr);
	uint32_t owner = fd.owner;

	if (record && owner)
		atomic_compare_exchange_strong(&record->owner, &owner, 0);
	close(fd.nr);
}

/**
 * shim_environ__get() - a variable of the environment
 * @name: its name
 *
 * Return: its value; NULL if it is not set, or if the program has more rights than whoever
 * has set it (set-user-ID, set-group-ID, file capabilities).
 */
char *shim_environ__get(const char *name)
{
	return secure_getenv(name);
}

/* Whether the environment is that of somebody with fewer rights */
bool shim_environ__is_foreign(void)
{
	return getauxval(AT_SECURE);
}
