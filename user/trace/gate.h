/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Whether a call can return at once, as nobody listens: a word that says so, of whatever way. */
#ifndef SHIM_TRACE_GATE_H
#define SHIM_TRACE_GATE_H

#include "process.h"

/* What is passed: NULL while the way is not known; otherwise a word that is 0 if nobody listens */
static inline const unsigned int *shim_gate__get(const struct shim_process *p)
{
	return __atomic_load_n(&p->gate, __ATOMIC_ACQUIRE);
}

/* Whether it is the module's word: VCPC_TRACE_*, and no flag asks for more than that */
static inline int shim_gate__is_module(const struct shim_process *p, const unsigned int *gate)
{
	const struct vcpc_trace_page *page = atomic_load_explicit(&p->page, memory_order_relaxed);

	return page && gate == &page->flags;
}

void shim_gate__set(struct shim_process *p);
int shim_gate__is_shut(const unsigned int *gate);

#endif /* SHIM_TRACE_GATE_H */
