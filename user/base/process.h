/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * State that a library shares with its process: forks, threads that are canceled or end, signal
 * handlers, and an environment that may be set by a less privileged user.
 *
 * Nothing else in user/ calls pthread_atfork(), pthread_key_create(), pthread_setcancelstate() or
 * getenv(); scripts/check-layers.sh enforces this.
 */
#ifndef SHIM_BASE_PROCESS_H
#define SHIM_BASE_PROCESS_H

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/single_threaded.h>
#include <time.h>

#define SHIM_CANCEL_ALONE	(-1)

/*
 * Disable cancellation.  Return the previous state for shim_cancel__restore().  A single-threaded
 * process skips the call, because no other thread can cancel it or wait for its locks.
 */
static inline int shim_cancel__off(void)
{
	int before;

	if (__libc_single_threaded)
		return SHIM_CANCEL_ALONE;
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before);
	return before;
}

static inline void shim_cancel__restore(int before)
{
	if (before != SHIM_CANCEL_ALONE)
		pthread_setcancelstate(before, NULL);
}

/**
 * struct shim_lock - a mutex that the library may hold while it opens, reads, writes or waits
 * @mutex: the mutex; unlocked if zeroed
 * @cancel: the owner's previous cancellation state
 *
 * Such calls are cancellation points, and a thread that was canceled in one of them would hold the
 * mutex forever.  Therefore cancellation is disabled until the thread has released the lock.  Locks
 * must be released in the reverse order of their acquisition.
 */
struct shim_lock {
	pthread_mutex_t mutex;
	int cancel;
};

#define SHIM_LOCK_INITIALIZER	{ .mutex = PTHREAD_MUTEX_INITIALIZER }

static inline void shim_lock__init(struct shim_lock *lock)
{
	pthread_mutex_init(&lock->mutex, NULL);
}

static inline void shim_lock__fini(struct shim_lock *lock)
{
	pthread_mutex_destroy(&lock->mutex);
}

static inline void shim_lock__enter(struct shim_lock *lock)
{
	int cancel = shim_cancel__off();

	pthread_mutex_lock(&lock->mutex);
	lock->cancel = cancel;
}

static inline void shim_lock__leave(struct shim_lock *lock)
{
	int cancel = lock->cancel;

	pthread_mutex_unlock(&lock->mutex);
	shim_cancel__restore(cancel);
}

/**
 * struct shim_fork_lock - a lock that fork() acquires, and releases in both processes
 * @lock: the lock
 * @owner: the thread that holds it.  If a signal handler forks in this thread, fork() must not wait
 *	for the lock, and the child also holds it.
 * @rank: a thread that takes two locks takes the one with the lower rank first; fork() does the
 *	same
 * @before: called by fork() with the lock held, to take locks that are not in the list; or NULL
 * @after: called by fork() in both processes, before it releases the lock; or NULL
 * @in_child: called in a forked child with the lock held, before @after; or NULL
 * @next: next lock in the list of locks that fork() takes
 * @listed: true while it is in that list
 * @forking: true while fork() holds it
 */
struct shim_fork_lock {
	struct shim_lock lock;
	_Atomic pthread_t owner;
	int rank;
	void (*before)(void);
	void (*after)(void);
	void (*in_child)(void);
	struct shim_fork_lock *next;
	atomic_bool listed;
	bool forking;
};

#define SHIM_RANKS	3

/* Define a static lock, which fork() always acquires; functions may follow, as .in_child = f. */
#define SHIM_FORK_LOCK(name, order, ...)					\
	static struct shim_fork_lock name = {					\
		.lock = SHIM_LOCK_INITIALIZER, .rank = (order), ##__VA_ARGS__	\
	};									\
	static void __attribute__((constructor)) name##_list(void)		\
	{									\
		shim_fork__list(&name);						\
	}									\
	static struct shim_fork_lock name	/* requires a semicolon after the macro */

/*
 * Return whether this is a forked child and the mutex is held by a thread that does not exist here.
 */
static inline bool shim_fork__is_lost(pthread_mutex_t *mutex)
{
	bool lost = pthread_mutex_trylock(mutex);

	if (!lost)
		pthread_mutex_unlock(mutex);
	return lost;
}

void shim_fork__list(struct shim_fork_lock *lock);
void shim_fork_lock__init(struct shim_fork_lock *lock);
void shim_fork_lock__fini(struct shim_fork_lock *lock);
void shim_fork_lock__enter(struct shim_fork_lock *lock);
void shim_fork_lock__leave(struct shim_fork_lock *lock);
void shim_fork_lock__before(struct shim_fork_lock *lock, const struct timespec *until);
void shim_fork_lock__after(struct shim_fork_lock *lock);
bool shim_fork_lock__is_lost(struct shim_fork_lock *lock);

/**
 * struct shim_siglock - a lock that may also be taken in signal handlers of the program
 * @fork: the lock, which fork() takes after shim_fork__wait_for()
 * @mask: signals that the owner had blocked before taking it
 *
 * All signals are blocked while it is held, and cancellation is disabled.
 */
struct shim_siglock {
	struct shim_fork_lock fork;
	sigset_t mask;
};

#define SHIM_SIGLOCK_INITIALIZER(order, child) \
	{ .fork = { .lock = SHIM_LOCK_INITIALIZER, .rank = (order), .in_child = (child) } }

void shim_siglock__init(struct shim_siglock *lock);
void shim_siglock__fini(struct shim_siglock *lock);
void shim_siglock__enter(struct shim_siglock *lock);
void shim_siglock__leave(struct shim_siglock *lock);

/**
 * struct shim_fork_hook - a function to call in each forked child
 * @in_child: called in the child
 * @next: next hook in the list
 * @listed: true while it is in the list
 */
struct shim_fork_hook {
	void (*in_child)(void);
	struct shim_fork_hook *next;
	atomic_bool listed;
};

bool shim_process__has_ended(pid_t pid, int wait_ms);
int shim_fork__watch(void);
int shim_fork__wait_for(struct shim_siglock *lock);
int shim_fork__hook(struct shim_fork_hook *hook);
unsigned int shim_fork__generation(void);

/**
 * struct shim_thread_end - a function to call at the end of each thread that has registered it
 * @fn: called in that thread, with the registered argument
 * @key: pthread key + 1, 0 until it is created
 */
struct shim_thread_end {
	void (*fn)(void *arg);
	_Atomic unsigned int key;
};

int shim_thread_end__arm(struct shim_thread_end *end, void *arg);
void shim_thread_room__free(void *room);
void *shim_thread_room(struct shim_thread_end *end, void **room, size_t size);

char *shim_environ__get(const char *name);
bool shim_environ__is_foreign(void);
bool shim_environ__has_foreign(const char *prefix);

#endif /* SHIM_BASE_PROCESS_H */
