// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Whether a call can return at once, as nobody listens: a word that says so, of whatever way.
 *
 * Programs that were built with <pcp/trace_inline.h> look at it without a call.
 *
 * Threads: whoever changes what the gate depends on, or finds none, sets it, and looks again
 * whether that was still right when it was done.
 */
#include <pcp/trace.h>

#include "base/api.h"
#include "gate.h"
#include "tags.h"
#include "way.h"

static const unsigned int never;
static const unsigned int always = 1;

/* With PMTRACE_STATE_API, calls say themselves that they were made, so each is wanted. */
static const unsigned int *choose(const struct shim_process *p, int flags,
				  const struct shim_way *way)
{
	const unsigned int *gate;

	if (flags & PMTRACE_STATE_API)
		return &always;
	if (flags & PMTRACE_STATE_NOAGENT)
		return &never;
	if (!way)
		return NULL;
	gate = way->gate ? way->gate(p) : NULL;
	return gate ? gate : &always;
}

/**
 * shim_gate__set() - find out what says whether anybody listens
 * @p: process
 */
void shim_gate__set(struct shim_process *p)
{
	struct shim_inherited *inherited = shim_process__inherited();
	const struct shim_way *way;
	int flags;

	do {
		flags = atomic_load(&inherited->flags);
		way = atomic_load(&p->way);
		__atomic_store_n(&p->gate, choose(p, flags, way), __ATOMIC_SEQ_CST);
	} while (flags != atomic_load(&inherited->flags) || way != atomic_load(&p->way));
}

/* Whether it is because of PMTRACE_STATE_NOAGENT that nobody listens */
int shim_gate__is_shut(const unsigned int *gate)
{
	return gate == &never;
}

static struct shim_trace_state *state_of(struct shim_process *p, const char *name)
{
	struct shim_tag_key key;
	struct shim_tag *tag;

	if (!name)
		return &p->any;
	tag = shim_tags__recent(p, name);
	if (!tag && !shim_tag_key__init(&key, name))
		tag = shim_tags__find(p, &key);
	return tag ? &tag->state : NULL;
}

/**
 * shim_trace_meet() - for <pcp/trace_inline.h>: tell a source file what tag a literal is
 * @tag: the literal; NULL: any tag will do, as only the gate is wanted
 * @site: where the file keeps that
 *
 * Nothing is kept of a tag that this process has not used yet.
 */
SHIM_API void shim_trace_meet(const char *tag, struct shim_trace_site *site)
{
	struct shim_inherited *inherited = shim_process__inherited();
	struct shim_process *p = shim_process__get(inherited);
	struct shim_trace_state *state = p ? state_of(p, tag) : NULL;
	const char *none = NULL;

	if (!state)
		return;
	if (!shim_gate__get(p))
		shim_gate__set(p);
	if (shim_process__wipes(inherited))
		__atomic_store_n(&p->any.gate, &p->gate, __ATOMIC_RELEASE);
	if (tag && !__atomic_compare_exchange_n(&site->literal, &none, tag, 0, __ATOMIC_SEQ_CST,
						__ATOMIC_SEQ_CST) && none != tag)
		return;
	__atomic_store_n(&site->state, state, __ATOMIC_RELEASE);
}
