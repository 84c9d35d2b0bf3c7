/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Trace statistics that a program writes itself, into a BPF map that it has mapped. */
#ifndef SHIM_CORE_DIRECT_H
#define SHIM_CORE_DIRECT_H

#include <stddef.h>
#include <stdint.h>

#include "base/process.h"
#include "bpf/trace.h"
#include "tick.h"

/**
 * struct shim_direct - the map, as this process has it
 * @size: bytes of all this
 * @slots: all of them; others write theirs
 * @n: how many
 * @lock: held to look for a slot
 * @heads: the slots by name and kind: each the first of a chain, + 1 (@lock)
 * @nheads: how many, a power of two
 * @next: what follows each slot in its chain, + 1 (@lock)
 * @noted: how many slots are in the chains; further ones were free when looked at (@lock)
 * @tick: the clock
 * @epoch: of this mapping; no other process or mapping has the same
 * @pidns: our namespace of process ids
 * @user: who we are
 * @tick_anchor: some instant by the clock, and
 * @ns_anchor: by CLOCK_MONOTONIC
 * @words: @heads and @next
 */
struct shim_direct {
	size_t size;
	struct vc_direct *slots;
	size_t n;
	struct shim_siglock lock;
	uint32_t *heads;
	size_t nheads;
	uint32_t *next;
	size_t noted;
	struct vc_tick *tick;
	uint64_t epoch;
	uint64_t pidns;
	uint32_t user;
	uint64_t tick_anchor;
	uint64_t ns_anchor;
	uint32_t words[];
};

/* A tag of the process: @index is its own as long as the process lives, and as small as can be. */
struct shim_direct_tag {
	uint32_t index;
	const char *name;
};

int shim_direct__open(struct shim_direct **out);

static inline int shim_direct__active(const struct shim_direct *d)
{
	return *(volatile uint32_t *)&d->tick->active;
}

void shim_direct__end(struct shim_direct *d, struct shim_direct_tag tag, uint64_t begin);
void shim_direct__abort(struct shim_direct *d, struct shim_direct_tag tag);
void shim_direct__value(struct shim_direct *d, struct shim_direct_tag tag, uint32_t kind,
			double value);

#endif /* SHIM_CORE_DIRECT_H */
