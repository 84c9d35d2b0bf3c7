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
 * struct shim_direct - this process's mapping of vc_direct
 * @size: size of this struct with @words in bytes
 * @slots: all slots, including those of other programs
 * @n: number of slots
 * @lock: held while searching for a slot
 * @heads: hash table by name and kind: index of the first slot of a chain + 1, or 0 (@lock)
 * @nheads: number of @heads, a power of two
 * @next: for each slot, index of the next one in its chain + 1, or 0 (@lock)
 * @noted: index of the first slot that was free at the last search; all below it are in their
 *	chains (@lock)
 * @tick: the clock
 * @epoch: identifies this mapping; differs between all processes and mappings
 * @pidns: inode of our PID namespace
 * @user: our user ID
 * @tick_anchor: a time in ticks of the clock
 * @ns_anchor: the same time by the host's CLOCK_MONOTONIC
 * @words: memory of @heads and @next
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

/* A tag of the process.  @index counts from 0 and is unique during the process's life. */
struct shim_direct_tag {
	uint32_t index;
	const char *name;
};

int shim_direct__open(struct shim_direct **out);

static inline int shim_direct__active(const struct shim_direct *d)
{
	return *(volatile uint32_t *)&d->tick->active;
}

uint64_t shim_direct__begin_counted(struct shim_direct *d, struct shim_direct_tag tag);
void shim_direct__end(struct shim_direct *d, struct shim_direct_tag tag, uint64_t begin);
void shim_direct__abort(struct shim_direct *d, struct shim_direct_tag tag);
void shim_direct__value(struct shim_direct *d, struct shim_direct_tag tag, uint32_t kind,
			double value);

#endif /* SHIM_CORE_DIRECT_H */
