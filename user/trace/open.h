/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Open transactions: each thread can have one per tag. */
#ifndef SHIM_TRACE_OPEN_H
#define SHIM_TRACE_OPEN_H

#include <errno.h>

#include <pcp/trace.h>
#include <sys/single_threaded.h>

#include "process.h"

/* A tag's progress in one thread: start time of the transaction in ns << 2 | enum shim_progress */
typedef unsigned long long shim_open_word;

#define SHIM_PROGRESS_BITS	2
#define SHIM_PROGRESS_MASK	3

#define SHIM_OPEN_FIRST_BITS	8	/* log2 of the first chunk; sizes double */
#define SHIM_OPEN_CHUNKS	(32 - SHIM_OPEN_FIRST_BITS)

/**
 * struct shim_open_table - a thread's words
 * @next: next table in the list of all tables, which only grows
 * @taken: in use by a thread
 * @owner: number of the thread that has taken it, or that had it last
 * @chunk: words of the tags in order: 2^SHIM_OPEN_FIRST_BITS, then twice as many, and so on
 * @first: the first chunk
 */
struct shim_open_table {
	struct shim_open_table *next;
	_Atomic int taken;
	_Atomic uint32_t owner;
	shim_open_word *_Atomic chunk[SHIM_OPEN_CHUNKS];
	shim_open_word first[1 << SHIM_OPEN_FIRST_BITS];
};

/**
 * struct shim_open_known - a cache that contains the addresses of a thread's words; all zero in a
 * forked child
 * @shorter: the cache that this one replaced; it is kept until the thread ends, because a signal
 *	handler may replace the cache that its thread is reading
 * @size: size of this struct in bytes
 * @word: the words, indexed by tag number; NULL if not known
 */
struct shim_open_known {
	struct shim_open_known *shorter;
	size_t size;
	shim_open_word *word[];
};

/**
 * struct shim_open_own - a thread's state of its transactions
 * @n: number of entries in @known
 * @me: the thread's number with VCPC_TRACE_THREAD, unique among all threads that this process and
 *	its ancestors have ever had; 0 until the thread uses a tag
 * @known: member @word of the thread's struct shim_open_known; valid if @n is not 0
 * @table: the thread's words for tags that other threads own; NULL until it begins a
 *	transaction of one of these tags
 * @epoch: the process's open_epoch when @table was taken; if it differs, @table belongs to a parent
 *	process
 */
struct shim_open_own {
	uint32_t n;
	uint32_t me;
	shim_open_word **known;
	struct shim_open_table *table;
	uint32_t epoch;
};

extern __thread struct shim_open_own shim_open__own
	__attribute__((tls_model("initial-exec"), visibility("hidden")));

uint32_t shim_open__me(void);
shim_open_word *shim_open__find(const struct shim_process *p, const struct shim_tag *tag);
shim_open_word *shim_open__make(struct shim_process *p, struct shim_tag *tag);
int shim_open__finish_any(struct shim_process *p, struct shim_tag *tag, struct shim_begun *begun);

static inline uint64_t shim_open__progress(const shim_open_word *word)
{
	return __atomic_load_n(word, __ATOMIC_RELAXED);
}

static inline bool shim_open__is_begun(uint64_t progress)
{
	return (progress & SHIM_PROGRESS_MASK) == SHIM_BEGUN;
}

/* Return the calling thread's word of the tag if the cache has its address, otherwise NULL. */
static inline shim_open_word *shim_open__known(const struct shim_tag *tag)
{
	const struct shim_open_own *own = &shim_open__own;
	uint32_t index = tag->index;

	if (__builtin_expect(index >= own->n, 0))
		return NULL;
	/* A signal handler may extend @known and then increase @n. */
	atomic_signal_fence(memory_order_acquire);
	return own->known[index];
}

/* Return the calling thread's word of the tag, or NULL if it has none yet. */
static inline shim_open_word *shim_open__word(const struct shim_process *p,
					      const struct shim_tag *tag)
{
	shim_open_word *word = shim_open__known(tag);

	return __builtin_expect(word != NULL, 1) ? word : shim_open__find(p, tag);
}

/*
 * Replace the progress @old.  Return 1, or 0 if the progress has changed; @old is then the current
 * progress.
 */
static inline int shim_open__change(shim_open_word *word, uint64_t *old, uint64_t progress)
{
	shim_open_word was = *old;
	int done = __atomic_compare_exchange_n(word, &was, progress, 0, __ATOMIC_SEQ_CST,
					       __ATOMIC_RELAXED);

	*old = was;
	return done;
}

/*
 * Begin a transaction in a word that has none.  Only the thread that owns the word begins a
 * transaction in it.  If a signal handler has just begun a transaction in it, that begin is
 * replaced; two begins are one transaction in any case.
 */
static inline void shim_open__set(shim_open_word *word, uint64_t ns)
{
	__atomic_store_n(word, ns << SHIM_PROGRESS_BITS | SHIM_BEGUN, __ATOMIC_RELAXED);
}

/*
 * End a transaction without an event.  Return 1, or 0 if the word has changed.  A single thread
 * needs no atomic exchange.
 */
static inline int shim_open__end_quietly(shim_open_word *word, uint64_t old)
{
	if (!__libc_single_threaded)
		return shim_open__change(word, &old, SHIM_NOT_BEGUN);
	__atomic_store_n(word, SHIM_NOT_BEGUN, __ATOMIC_RELAXED);
	return 1;
}

/*
 * Begin the thread's transaction.  Return 0, -ENOMEM, or PMTRACE_ERR_INPROGRESS; in the last case
 * the first begin is kept.
 */
static inline int shim_open__begin(struct shim_process *p, struct shim_tag *tag, uint64_t ns)
{
	shim_open_word *word = shim_open__word(p, tag);

	if (__builtin_expect(!word, 0)) {
		word = shim_open__make(p, tag);
		if (!word)
			return -ENOMEM;
	}
	if (shim_open__is_begun(shim_open__progress(word)))
		return PMTRACE_ERR_INPROGRESS;
	shim_open__set(word, ns);
	return 0;
}

/*
 * End the thread's transaction or, if it has none, one that another thread has begun.  Return 0 and
 * store its start time and thread in @begun; return PMTRACE_ERR_NOPROGRESS if none is open, or
 * PMTRACE_ERR_NOSUCHTAG if the process has never begun one.
 */
static inline int shim_open__finish(struct shim_process *p, struct shim_tag *tag,
				    struct shim_begun *begun)
{
	shim_open_word *word = shim_open__word(p, tag);
	uint64_t old = word ? shim_open__progress(word) : SHIM_NEVER_BEGUN;

	while (shim_open__is_begun(old)) {
		if (shim_open__change(word, &old, SHIM_NOT_BEGUN)) {
			begun->ns = old >> SHIM_PROGRESS_BITS;
			begun->thread = shim_open__own.me;
			return 0;
		}
	}
	return shim_open__finish_any(p, tag, begun);
}

#endif /* SHIM_TRACE_OPEN_H */
