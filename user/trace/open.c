// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Keep the open transactions of threads that share a tag.
 *
 * The first thread that uses a tag owns the word in the tag itself, and most programs need no other
 * word.  Each other thread has a table of words, indexed by the tags' numbers, so that its begins
 * and ends do not touch memory that other threads write.  Each thread has a cache of the addresses
 * of its words, in either place.  An end without a begin in its thread searches all tables, and
 * ends the transaction that has been open longest.
 *
 * Tables are never freed.  The table of a thread that has ended is reused by another thread, unless
 * it has open transactions, which another thread may still end.
 *
 * Threads and signal handlers: words are atomic; no function here takes a lock.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>

#include <linux/vcpc.h>

#include "base/process.h"
#include "open.h"

#define FIRST_BITS	SHIM_OPEN_FIRST_BITS
#define CHUNKS		SHIM_OPEN_CHUNKS
#define MAX_ABANDONED	1024	/* maximum number of ended threads' tables that are kept */

#define LEAST_KNOWN	510	/* a thread's first cache and its head then fill a page */

__thread struct shim_open_own shim_open__own
	__attribute__((tls_model("initial-exec"), visibility("hidden")));

/*
 * Return the calling thread's number combined with VCPC_TRACE_THREAD.  The first call assigns the
 * number.
 */
uint32_t shim_open__me(void)
{
	static _Atomic uint32_t last;

	if (!shim_open__own.me)
		shim_open__own.me = (atomic_fetch_add(&last, 1) + 1) | VCPC_TRACE_THREAD;
	return shim_open__own.me;
}

static void *memory_of(size_t size)
{
	void *room = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	return room == MAP_FAILED ? NULL : room;
}

static unsigned int chunk_of(uint32_t index, uint32_t *at)
{
	uint64_t n = (uint64_t)index + (1u << FIRST_BITS);
	unsigned int bits = 63 - __builtin_clzll(n);

	*at = n - (1ull << bits);
	return bits - FIRST_BITS;
}

static shim_open_word *word_in(struct shim_open_table *table, uint32_t index)
{
	uint32_t at;
	unsigned int i = chunk_of(index, &at);
	shim_open_word *chunk = i < CHUNKS ? atomic_load_explicit(&table->chunk[i],
								 memory_order_acquire) : NULL;

	return chunk ? &chunk[at] : NULL;
}

static bool is_idle(const struct shim_open_table *table)
{
	for (unsigned int i = 0; i < CHUNKS; i++) {
		const shim_open_word *chunk = atomic_load(&table->chunk[i]);

		for (size_t at = 0; chunk && at < 1u << (FIRST_BITS + i); at++)
			if (shim_open__is_begun(shim_open__progress(&chunk[at])))
				return false;
	}
	return true;
}

static void clear(struct shim_open_table *table)
{
	for (unsigned int i = 0; i < CHUNKS; i++) {
		shim_open_word *chunk = atomic_load(&table->chunk[i]);

		for (size_t at = 0; chunk && at < 1u << (FIRST_BITS + i); at++)
			__atomic_store_n(&chunk[at], SHIM_NOT_BEGUN, __ATOMIC_RELAXED);
	}
}

/* Take the table of a thread that has ended, or return NULL. */
static struct shim_open_table *take_abandoned(struct shim_process *p)
{
	unsigned int busy = 0;

	for (struct shim_open_table *t = atomic_load(&p->open); t; t = t->next) {
		if (atomic_load_explicit(&t->taken, memory_order_relaxed) ||
		    atomic_exchange(&t->taken, 1))
			continue;
		if (is_idle(t))
			return t;
		/* Limit the memory used by programs that never end their transactions. */
		if (++busy > MAX_ABANDONED) {
			clear(t);
			return t;
		}
		atomic_store(&t->taken, 0);
	}
	return NULL;
}

static struct shim_open_table *new_table(struct shim_process *p)
{
	struct shim_open_table *table = memory_of(sizeof(*table));

	if (!table)
		return NULL;
	atomic_init(&table->taken, 1);
	atomic_init(&table->chunk[0], table->first);
	table->next = atomic_load(&p->open);
	while (!atomic_compare_exchange_weak(&p->open, &table->next, table))
		;
	return table;
}

/*
 * Return the process's epoch.  A forked child gets an epoch of its own, because its state is
 * cleared, and its epochs continue from its parent's.
 */
static uint32_t epoch_of(struct shim_process *p)
{
	static _Atomic uint32_t last;
	uint32_t epoch = atomic_load(&p->open_epoch), none = 0;

	if (!epoch) {
		epoch = atomic_fetch_add(&last, 1) + 1;
		if (!atomic_compare_exchange_strong(&p->open_epoch, &none, epoch))
			epoch = none;
	}
	return epoch;
}

static struct shim_open_known *known_of(const struct shim_open_own *own)
{
	return own->known ? (void *)((char *)own->known - offsetof(struct shim_open_known, word)) :
	       NULL;
}

static void forget_words(struct shim_open_own *own)
{
	struct shim_open_known *known = known_of(own), *shorter;

	own->n = 0;
	own->known = NULL;
	/* In a forked child, the size of the inherited cache has been cleared. */
	for (; known && known->size; known = shorter) {
		shorter = known->shorter;
		munmap(known, known->size);
	}
}

static void thread_ends(void *arg)
{
	struct shim_open_own *own = arg;
	struct shim_process *p = atomic_load(&shim_process__inherited()->process);
	struct shim_open_table *table = own->table;
	sigset_t all, mask;

	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &mask);
	forget_words(own);
	own->table = NULL;
	if (table && p && atomic_load(&p->open_epoch) == own->epoch)
		atomic_store(&table->taken, 0);
	pthread_sigmask(SIG_SETMASK, &mask, NULL);
}

static struct shim_thread_end at_end = { .fn = thread_ends };

static struct shim_open_table *own_table(const struct shim_process *p)
{
	uint32_t epoch = atomic_load_explicit(&p->open_epoch, memory_order_relaxed);

	return epoch && epoch == shim_open__own.epoch ? shim_open__own.table : NULL;
}

static struct shim_open_table *take_table(struct shim_process *p)
{
	uint32_t epoch = epoch_of(p);
	struct shim_open_table *table = take_abandoned(p), *other;

	if (!table)
		table = new_table(p);
	if (!table || shim_thread_end__arm(&at_end, &shim_open__own)) {
		if (table)
			atomic_store(&table->taken, 0);
		return NULL;
	}
	/* A signal handler may have taken a table for this thread while this function ran. */
	other = own_table(p);
	if (other) {
		atomic_store(&table->taken, 0);
		return other;
	}
	atomic_store(&table->owner, shim_open__me());
	shim_open__own.table = table;
	atomic_signal_fence(memory_order_seq_cst);
	shim_open__own.epoch = epoch;
	return table;
}

/* Allocate memory that is all zero in a forked child.  Return NULL if out of memory. */
static void *wiped_memory_of(size_t size)
{
	void *room = memory_of(size);

	if (room && madvise(room, size, MADV_WIPEONFORK)) {
		munmap(room, size);
		room = NULL;
	}
	return room;
}

/* Replace the thread's cache with one that has an entry @index.  The caller has blocked signals. */
static void extend(struct shim_open_own *own, uint32_t index)
{
	struct shim_open_known *known;
	size_t size, n = LEAST_KNOWN;

	while (n <= index)
		n = 2 * n + 2;
	size = sizeof(*known) + n * sizeof(known->word[0]);
	known = shim_thread_end__arm(&at_end, own) ? NULL : wiped_memory_of(size);
	if (!known)
		return;
	if (own->n)
		memcpy(known->word, own->known, own->n * sizeof(known->word[0]));
	known->size = size;
	known->shorter = known_of(own);
	own->known = known->word;
	atomic_signal_fence(memory_order_release);
	own->n = n;
}

/* Remember where the thread's word of a tag is, so that the next call does not search for it. */
static void word_remember(uint32_t index, shim_open_word *word)
{
	struct shim_open_own *own = &shim_open__own;
	sigset_t all, mask;

	if (index >= own->n && shim_process__wipes(shim_process__inherited())) {
		sigfillset(&all);
		pthread_sigmask(SIG_BLOCK, &all, &mask);
		if (index >= own->n)
			extend(own, index);
		pthread_sigmask(SIG_SETMASK, &mask, NULL);
	}
	if (index < own->n)
		own->known[index] = word;
}

/**
 * shim_open__find() - find the calling thread's word of a tag, and remember where it is
 * @p: process
 * @tag: tag
 *
 * Return: the word, or NULL if the thread has none yet.
 */
shim_open_word *shim_open__find(const struct shim_process *p, const struct shim_tag *tag)
{
	struct shim_open_table *table = own_table(p);
	shim_open_word *word = NULL;

	if (tag->owner == shim_open__own.me)
		word = (shim_open_word *)&tag->state.progress;
	else if (table)
		word = word_in(table, tag->index);
	if (word)
		word_remember(tag->index, word);
	return word;
}

static shim_open_word *make_chunk(struct shim_open_table *table, unsigned int i)
{
	size_t size = sizeof(shim_open_word) << (FIRST_BITS + i);
	shim_open_word *none = NULL, *chunk = i < CHUNKS ? memory_of(size) : NULL;

	if (chunk && !atomic_compare_exchange_strong(&table->chunk[i], &none, chunk)) {
		munmap(chunk, size);
		chunk = none;
	}
	return chunk;
}

/**
 * shim_open__make() - find or create the calling thread's word of a tag that another thread owns
 * @p: process
 * @tag: tag
 *
 * Return: the word, or NULL if out of memory.
 */
shim_open_word *shim_open__make(struct shim_process *p, struct shim_tag *tag)
{
	struct shim_open_table *table = own_table(p);
	shim_open_word *word;
	uint64_t never = SHIM_NEVER_BEGUN;
	uint32_t at;
	unsigned int i;

	if (!table)
		table = take_table(p);
	if (!table)
		return NULL;
	/*
	 * Record in the tag itself that the process has begun a transaction, because this thread
	 * may end.
	 */
	shim_open__change(&tag->state.progress, &never, SHIM_NOT_BEGUN);
	word = word_in(table, tag->index);
	if (word)
		return word;
	i = chunk_of(tag->index, &at);
	word = make_chunk(table, i);
	return word ? &word[at] : NULL;
}

/* Return whether @word has been open longer than @oldest. */
static bool is_older(const shim_open_word *word, uint64_t oldest)
{
	uint64_t progress = shim_open__progress(word);

	return shim_open__is_begun(progress) &&
	       (!shim_open__is_begun(oldest) || progress < oldest);
}

/* Find the word that has been open longest in any thread, and get its thread and its progress. */
static shim_open_word *find_oldest(struct shim_process *p, struct shim_tag *tag, uint32_t *thread,
				   uint64_t *progress)
{
	shim_open_word *oldest = &tag->state.progress;

	*thread = tag->owner;
	*progress = shim_open__progress(oldest);
	for (struct shim_open_table *t = atomic_load(&p->open); t; t = t->next) {
		shim_open_word *word = word_in(t, tag->index);

		if (word && is_older(word, *progress)) {
			oldest = word;
			*thread = atomic_load(&t->owner);
			*progress = shim_open__progress(word);
		}
	}
	return oldest;
}

/**
 * shim_open__finish_any() - end a transaction that another thread has begun
 * @p: process
 * @tag: tag
 * @begun: set to the transaction's start time and thread
 *
 * Return: 0, PMTRACE_ERR_NOPROGRESS, PMTRACE_ERR_NOSUCHTAG.
 */
int shim_open__finish_any(struct shim_process *p, struct shim_tag *tag, struct shim_begun *begun)
{
	uint64_t progress;

	for (;;) {
		shim_open_word *word = find_oldest(p, tag, &begun->thread, &progress);

		if (!shim_open__is_begun(progress))
			break;
		if (shim_open__change(word, &progress, SHIM_NOT_BEGUN)) {
			begun->ns = progress >> SHIM_PROGRESS_BITS;
			return 0;
		}
	}
	return shim_open__progress(&tag->state.progress) == SHIM_NEVER_BEGUN ?
	       PMTRACE_ERR_NOSUCHTAG : PMTRACE_ERR_NOPROGRESS;
}
