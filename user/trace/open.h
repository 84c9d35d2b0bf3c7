/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Open transactions: of each tag, each thread has one of its own. */
#ifndef SHIM_TRACE_OPEN_H
#define SHIM_TRACE_OPEN_H

#include <errno.h>

#include <pcp/trace.h>
#include <sys/single_threaded.h>

#include "process.h"

/* A tag's progress in one thread: when the transaction began, in ns << 2 | enum shim_progress */
typedef unsigned long long shim_open_word;

#define SHIM_PROGRESS_BITS	2
#define SHIM_PROGRESS_MASK	3

#define SHIM_OPEN_FIRST_BITS	8	/* of the words of the first chunk; each next one has twice as many */
#define SHIM_OPEN_CHUNKS	(32 - SHIM_OPEN_FIRST_BITS)

/**
 * struct shim_open_table - a thread's words
 * @next: in the list of all, which only grows
 * @taken: a thread has it
 * @chunk: words of the tags in order: 2^SHIM_OPEN_FIRST_BITS, then twice as many, and so on
 * @first: the first chunk
 */
struct shim_open_table {
	struct shim_open_table *next;
	_Atomic int taken;
	shim_open_word *_Atomic chunk[SHIM_OPEN_CHUNKS];
	shim_open_word first[1 << SHIM_OPEN_FIRST_BITS];
};

/**
 * struct shim_open_own - what a thread knows of its transactions
 * @me: its number, which no other thread of the process or of its ancestors has or had; 0 until it
 *	is needed
 * @epoch: struct shim_process's when @table was taken; another one: @table is a parent's
 * @table: its words for tags that other threads own; NULL until it begins one of these
 */
struct shim_open_own {
	uint32_t me;
	uint32_t epoch;
	struct shim_open_table *table;
};

extern __thread struct shim_open_own shim_open__own
	__attribute__((tls_model("initial-exec"), visibility("hidden")));

uint32_t shim_open__me(void);
const shim_open_word *shim_open__find(const struct shim_process *p, const struct shim_tag *tag);
shim_open_word *shim_open__make(struct shim_process *p, struct shim_tag *tag);
int shim_open__finish_any(struct shim_process *p, struct shim_tag *tag, uint64_t *ns);

static inline uint64_t shim_open__progress(const shim_open_word *word)
{
	return __atomic_load_n(word, __ATOMIC_RELAXED);
}

static inline bool shim_open__is_begun(uint64_t progress)
{
	return (progress & SHIM_PROGRESS_MASK) == SHIM_BEGUN;
}

/* The calling thread's word of the tag, or NULL if it has none yet */
static inline shim_open_word *shim_open__word(const struct shim_process *p,
					      const struct shim_tag *tag)
{
	struct shim_open_own *own = &shim_open__own;

	if (tag->owner == own->me)
		return (shim_open_word *)&tag->state.progress;
	if (__builtin_expect(own->table && !(tag->index >> SHIM_OPEN_FIRST_BITS) &&
			     own->epoch == atomic_load_explicit(&p->open_epoch, memory_order_relaxed), 1))
		return &own->table->first[tag->index];
	return (shim_open_word *)shim_open__find(p, tag);
}

/* Replaces the progress @old: 1, or 0 if it has changed, and then @old is what it is now */
static inline int shim_open__change(shim_open_word *word, uint64_t *old, uint64_t progress)
{
	shim_open_word was = *old;
	int done = __atomic_compare_exchange_n(word, &was, progress, 0, __ATOMIC_SEQ_CST,
					       __ATOMIC_RELAXED);

	*old = was;
	return done;
}

/*
 * Begins in a word that is not begun.  Nobody else does that in a thread's word.  If a signal handler
 * has just done it, its begin is replaced: of the two begins there is one transaction in any case.
 */
static inline void shim_open__set(shim_open_word *word, uint64_t ns)
{
	__atomic_store_n(word, ns << SHIM_PROGRESS_BITS | SHIM_BEGUN, __ATOMIC_RELAXED);
}

/* Ends in silence: 1, or 0 if it has changed.  Nobody else ends if there is no other thread. */
static inline int shim_open__end_quietly(shim_open_word *word, uint64_t old)
{
	if (!__libc_single_threaded)
		return shim_open__change(word, &old, SHIM_NOT_BEGUN);
	__atomic_store_n(word, SHIM_NOT_BEGUN, __ATOMIC_RELAXED);
	return 1;
}

/*
 * Begins the thread's transaction: 0, -ENOMEM, or PMTRACE_ERR_INPROGRESS, and then it keeps its
 * first begin.
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
 * Ends the thread's transaction, or if it has begun none, one that another thread has begun: 0 and
 * in @ns when it began; PMTRACE_ERR_NOPROGRESS; _NOSUCHTAG if the process has never begun one.
 */
static inline int shim_open__finish(struct shim_process *p, struct shim_tag *tag, uint64_t *ns)
{
	shim_open_word *word = shim_open__word(p, tag);
	uint64_t old = word ? shim_open__progress(word) : SHIM_NEVER_BEGUN;

	while (shim_open__is_begun(old)) {
		if (shim_open__change(word, &old, SHIM_NOT_BEGUN)) {
			*ns = old >> SHIM_PROGRESS_BITS;
			return 0;
		}
	}
	return shim_open__finish_any(p, tag, ns);
}

#endif /* SHIM_TRACE_OPEN_H */
