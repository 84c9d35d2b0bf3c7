// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * State that a library shares with its process.
 *
 * Threads: entries are added to the lists without a lock, and never removed.  fork() acquires all
 * registered locks, lowest rank first, so that the child's data is consistent.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "nap.h"
#include "process.h"

#define WATCHED	(-1)

/* @watched: WATCHED, 0, or the ID of the process in which a thread is installing the handlers */
static struct {
	atomic_int watched;
	_Atomic(struct shim_fork_lock *) locks;
	_Atomic(struct shim_fork_hook *) hooks;
	atomic_uint generation;
} forks = { .generation = 1 };

void shim_siglock__init(struct shim_siglock *lock)
{
	shim_lock__init(&lock->fork.lock);
}

void shim_siglock__fini(struct shim_siglock *lock)
{
	shim_lock__fini(&lock->fork.lock);
}

void shim_siglock__enter(struct shim_siglock *lock)
{
	sigset_t all, mask;

	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &mask);
	shim_lock__enter(&lock->fork.lock);
	lock->mask = mask;
}

void shim_siglock__leave(struct shim_siglock *lock)
{
	sigset_t mask = lock->mask;

	shim_lock__leave(&lock->fork.lock);
	pthread_sigmask(SIG_SETMASK, &mask, NULL);
}

/* Number of locks that the thread holds, or is about to acquire or release */
static __thread unsigned int inside __attribute__((tls_model("initial-exec")));

void shim_fork_lock__init(struct shim_fork_lock *lock)
{
	shim_lock__init(&lock->lock);
}

void shim_fork_lock__fini(struct shim_fork_lock *lock)
{
	shim_lock__fini(&lock->lock);
}

void shim_fork_lock__enter(struct shim_fork_lock *lock)
{
	/* If there is no memory for the handlers, the next call tries to install them again. */
	shim_fork__watch();
	inside++;
	atomic_signal_fence(memory_order_seq_cst);
	shim_lock__enter(&lock->lock);
	atomic_store_explicit(&lock->owner, pthread_self(), memory_order_relaxed);
}

void shim_fork_lock__leave(struct shim_fork_lock *lock)
{
	atomic_store_explicit(&lock->owner, (pthread_t)0, memory_order_relaxed);
	shim_lock__leave(&lock->lock);
	atomic_signal_fence(memory_order_seq_cst);
	inside--;
}

#define HANDLER_TRIES	100	/* one attempt per ms */

static bool mutex_wait(pthread_mutex_t *mutex, const struct timespec *until)
{
	return !(until ? pthread_mutex_timedlock(mutex, until) : pthread_mutex_lock(mutex));
}

/*
 * Take a lock in order to fork.  A signal handler can fork while its thread holds the lock, or has
 * taken the lock but has not recorded that yet.  The handler must not wait for its own thread.
 */
static bool lock_take(struct shim_fork_lock *lock, const struct timespec *until)
{
	int tries = lock->owner == pthread_self() ? 0 : HANDLER_TRIES;
	int cancel = shim_cancel__off();
	bool taken = false;

	if (!inside)
		taken = mutex_wait(&lock->lock.mutex, until);
	for (; !taken && tries; tries--) {
		taken = !pthread_mutex_trylock(&lock->lock.mutex);
		if (!taken)
			shim_nap(1000000);	/* cancellation is disabled */
	}
	if (taken)
		lock->lock.cancel = cancel;
	else
		shim_cancel__restore(cancel);
	return taken;
}

/**
 * shim_fork_lock__before() - take a lock that is not in the list in order to fork
 * @lock: the lock; call this only in @before of a listed lock with a lower or the same rank
 * @until: when to stop waiting for the lock, by CLOCK_REALTIME
 */
void shim_fork_lock__before(struct shim_fork_lock *lock, const struct timespec *until)
{
	lock->forking = lock_take(lock, until);
}

/* Release a lock after fork(), if shim_fork_lock__before() has taken it. */
void shim_fork_lock__after(struct shim_fork_lock *lock)
{
	if (!lock->forking)
		return;
	lock->forking = false;
	shim_lock__leave(&lock->lock);
}

/**
 * shim_fork_lock__is_lost() - check whether a thread that does not exist here holds a lock
 * @lock: a lock that shim_fork_lock__before() tried to take
 *
 * Context: in a forked child, before shim_fork_lock__after().
 */
bool shim_fork_lock__is_lost(struct shim_fork_lock *lock)
{
	return !lock->forking && lock->owner != pthread_self() &&
	       shim_fork__is_lost(&lock->lock.mutex);
}

/*
 * The signals that the forking thread had blocked.  All signals are blocked until all locks are
 * released.  This stores only signals 1 to 64, the first word of a sigset_t, because the C
 * library's type is 16 times as large as the kernel's.
 */
static __thread uint64_t mask_before __attribute__((tls_model("initial-exec")));

static void before_fork(void)
{
	sigset_t all, mask;

	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &mask);
	memcpy(&mask_before, &mask, sizeof(mask_before));
	for (int rank = 0; rank < SHIM_RANKS; rank++)
		for (struct shim_fork_lock *l = atomic_load(&forks.locks); l; l = l->next) {
			if (l->rank != rank || !lock_take(l, NULL))
				continue;
			l->forking = true;
			if (l->before)
				l->before();
		}
}

static void leave_rank(struct shim_fork_lock *lock, int rank)
{
	if (!lock)
		return;
	leave_rank(lock->next, rank);
	if (lock->rank != rank || !lock->forking)
		return;
	if (lock->after)
		lock->after();
	shim_fork_lock__after(lock);
}

static void after_fork(void)
{
	sigset_t mask;

	for (int rank = SHIM_RANKS; rank--; )
		leave_rank(atomic_load(&forks.locks), rank);
	sigemptyset(&mask);
	memcpy(&mask, &mask_before, sizeof(mask_before));
	pthread_sigmask(SIG_SETMASK, &mask, NULL);
}

/* Release inner locks first, because the child's handlers of outer locks may take inner locks. */
static void in_child(void)
{
	atomic_fetch_add(&forks.generation, 1);
	for (int rank = SHIM_RANKS; rank--; ) {
		for (struct shim_fork_lock *l = atomic_load(&forks.locks); l; l = l->next)
			if (l->rank == rank && l->forking && l->in_child)
				l->in_child();
		if (rank)
			leave_rank(atomic_load(&forks.locks), rank);
	}
	for (struct shim_fork_hook *h = atomic_load(&forks.hooks); h; h = h->next)
		h->in_child();
	after_fork();
}

/*
 * Return whether the caller must install the handlers.  A child that was forked while another
 * thread of its parent was installing the handlers must also install them.
 */
static bool claim_watch(void)
{
	int by = atomic_load(&forks.watched), me;

	if (by == WATCHED)
		return false;
	me = getpid();
	while (by == me || !atomic_compare_exchange_weak(&forks.watched, &by, me)) {
		sched_yield();
		by = atomic_load(&forks.watched);
		if (by == WATCHED)
			return false;
	}
	return true;
}

/**
 * shim_fork__watch() - install handlers that fork() calls
 *
 * After an error, the next call tries again.
 *
 * Return: 0 or -ENOMEM.
 */
int shim_fork__watch(void)
{
	bool failed;

	if (!claim_watch())
		return 0;
	failed = pthread_atfork(before_fork, after_fork, in_child);
	atomic_store(&forks.watched, failed ? 0 : WATCHED);
	return failed ? -ENOMEM : 0;
}

/**
 * shim_fork__list() - register a lock that fork() acquires after shim_fork__watch()
 * @lock: the lock; it must exist until the process ends, and may be added more than once
 */
void shim_fork__list(struct shim_fork_lock *lock)
{
	if (atomic_exchange(&lock->listed, true))
		return;
	lock->next = atomic_load(&forks.locks);
	while (!atomic_compare_exchange_weak(&forks.locks, &lock->next, lock))
		;
}

/**
 * shim_fork__wait_for() - make fork() acquire a lock; must be called before the lock is first
 * acquired
 * @lock: must exist until the process ends; may be registered more than once
 *
 * Return: 0 or -ENOMEM.
 */
int shim_fork__wait_for(struct shim_siglock *lock)
{
	int err = shim_fork__watch();

	if (!err)
		shim_fork__list(&lock->fork);
	return err;
}

/**
 * shim_fork__hook() - call a function in each forked child
 * @hook: must exist until the process ends; may be registered more than once
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
 * shim_fork__generation() - distinguish a process from its parent
 *
 * Return: a number that differs between a forked child and its parent, if shim_fork__watch() was
 * called before the fork.
 */
unsigned int shim_fork__generation(void)
{
	return atomic_load_explicit(&forks.generation, memory_order_relaxed);
}

/**
 * shim_process__has_ended() - wait for the end of a process that need not be a child
 * @pid: its ID
 * @wait_ms: maximum time to wait, in milliseconds
 *
 * Return: true if it has ended, even if its parent has not waited for it; false if not, or if that
 * cannot be determined.
 */
bool shim_process__has_ended(pid_t pid, int wait_ms)
{
	struct pollfd process = { .fd = (int)syscall(SYS_pidfd_open, pid, 0), .events = POLLIN };
	bool ended;

	if (process.fd < 0)
		return errno == ESRCH;
	ended = poll(&process, 1, wait_ms) > 0;
	close(process.fd);
	return ended;
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
 * shim_thread_end__arm() - register a function to be called when the calling thread ends
 * @end: the function; must exist until the process ends, like the library (-z nodelete)
 * @arg: its argument, not NULL; replaces the argument that the thread registered before
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

/*
 * Called when a thread that has memory from shim_thread_room() ends.  If the thread requests memory
 * again afterwards, it gets a new allocation.
 */
void shim_thread_room__free(void *room)
{
	void **mine = room;

	free(*mine);
	*mine = NULL;
}

/**
 * shim_thread_room() - get memory that belongs to the calling thread until its end
 * @end: its function must be shim_thread_room__free()
 * @room: the thread's pointer to the memory, NULL at first
 * @size: size in bytes
 *
 * Thread-local variables should be small, because a program that loads this library with dlopen(3)
 * has little space for them.
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

/**
 * shim_environ__get() - get an environment variable
 * @name: its name
 *
 * Return: its value; NULL if it is not set, or if the program is more privileged than the user that
 * has set it (set-user-ID, set-group-ID, file capabilities).
 */
char *shim_environ__get(const char *name)
{
	return secure_getenv(name);
}

/*
 * Return whether the environment was set by a user with fewer privileges than the program
 * (AT_SECURE).
 */
bool shim_environ__is_foreign(void)
{
	return getauxval(AT_SECURE);
}

/*
 * Return whether a user with fewer privileges has set a variable whose name begins with @prefix and
 * that another library reads.
 */
bool shim_environ__has_foreign(const char *prefix)
{
	for (char **entry = environ; entry && *entry && getauxval(AT_SECURE); entry++)
		if (!strncmp(*entry, prefix, strlen(prefix)))
			return true;
	return false;
}
