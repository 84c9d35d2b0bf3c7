/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The gate: a word that is 0 while there is no listener, so a trace call can return immediately. */
#ifndef SHIM_TRACE_GATE_H
#define SHIM_TRACE_GATE_H

#include "process.h"

/*
 * The gate; NULL if it is unknown, because the process has no transport yet.  Relaxed, because the
 * word itself is atomic, and nothing else is read through it.
 */
static inline const unsigned int *shim_gate__get(const struct shim_process *p)
{
	return __atomic_load_n(&p->gate, __ATOMIC_RELAXED);
}

/* Whether the gate is the module's word (VCPC_TRACE_*), so no state flag replaces it */
static inline int shim_gate__is_module(const struct shim_process *p, const unsigned int *gate)
{
	const struct vcpc_trace_page *page = atomic_load_explicit(&p->page, memory_order_relaxed);

	return page && gate == &page->flags;
}

/* The gate of a process that writes its statistics itself; no state flag replaces it either */
extern const unsigned int shim_gate__direct __attribute__((visibility("hidden")));

void shim_gate__set(struct shim_process *p);

#endif /* SHIM_TRACE_GATE_H */
