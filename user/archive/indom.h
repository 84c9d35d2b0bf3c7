/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * An instance domain's states over time.
 *
 * A state is stored as its record until it is needed.  Then it and the states that it depends on
 * are expanded (deltas applied) and stored.
 *
 * Locking: the caller of shim_domain__spell() holds the lock of its metadata, which also guards the
 * arena.  An expanded state is published through @whole and never changes.
 */
#ifndef SHIM_ARCHIVE_INDOM_H
#define SHIM_ARCHIVE_INDOM_H

#include <stdatomic.h>

#include "base/buf.h"
#include "base/hash.h"
#include "record.h"

struct shim_state {
	struct shim_rec_indom rec;
	size_t seq;			/* position in the file */
	_Atomic(struct shim_indom *) whole;
};

/*
 * struct shim_domain - an instance domain
 * @states: by stamp; states with equal stamps in file order
 * @last: the record that was added last, @last_len bytes
 */
struct shim_domain {
	struct shim_hnode node;
	uint32_t indom;
	const uint8_t *last;
	uint32_t last_len;
	struct shim_state *states;
	size_t n;
	size_t cap;
};

int shim_domain__add(struct shim_domain *d, const struct shim_rec_indom *rec);
/* Sort the states by stamp; called once, after all were added. */
void shim_domain__sort(struct shim_domain *d);
/* Find the last state at or before @when; false if there is none */
bool shim_domain__at(const struct shim_domain *d, struct shim_ts when, size_t *out);
/* Expand the @i-th state, and subtract its entries from *@budget.  Returns 0 or -ENOMEM. */
int shim_domain__spell(struct shim_domain *d, size_t i, struct shim_arena *arena, uint64_t *budget);

#endif /* SHIM_ARCHIVE_INDOM_H */
