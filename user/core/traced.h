/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The set of counters that the calling thread samples for its transactions. */
#ifndef SHIM_CORE_TRACED_H
#define SHIM_CORE_TRACED_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bpf/trace.h"

struct shim_counters;

/*
 * Maximum number of sets that a thread keeps: its current set, and previous sets that interrupted
 * calls may still use.  Nested handlers are rare.
 */
#define SHIM_HELD_MAX	4

/**
 * struct shim_traced - a thread's set
 * @counters: the set; NULL: the thread has none
 * @held: sets whose memory the thread keeps: @counters, and sets that an interrupted call may use;
 *	they are stored from the first entry on
 * @serial: number of @counters' bind, unique among all binds for transactions in the process
 * @tid: the thread
 * @uses: number of calls between enter() and leave(), by the thread and by handlers that interrupt
 *	it
 */
struct shim_traced {
	struct shim_counters *counters;
	struct shim_counters *held[SHIM_HELD_MAX];
	uint32_t serial;
	int tid;
	unsigned int uses;
};

extern __thread struct shim_traced shim_traced__own
	__attribute__((tls_model("initial-exec"), visibility("hidden")));

void shim_traced__tidy(void);
bool shim_traced__is_direct(void);
int shim_traced__set(struct shim_counters *counters);
void shim_traced__unset(const struct shim_counters *counters);
bool shim_traced__read(__u64 values[VC_MAX_COUNTERS]);

/* Return whether the calling thread has a set for its transactions; most threads have none. */
static inline bool shim_traced__any(void)
{
	return __builtin_expect(shim_traced__own.counters != NULL, 0);
}

/* Keep the thread's set until leave(), even if a signal handler changes the set. */
static inline void shim_traced__enter(void)
{
	shim_traced__own.uses++;
	atomic_signal_fence(memory_order_seq_cst);
}

static inline void shim_traced__leave(void)
{
	atomic_signal_fence(memory_order_seq_cst);
	shim_traced__own.uses--;
	if (!shim_traced__own.counters)
		shim_traced__tidy();
}

#endif /* SHIM_CORE_TRACED_H */
