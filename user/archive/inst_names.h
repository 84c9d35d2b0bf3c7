/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Find instances of a domain's state by name.
 *
 * The first search in a state is linear.  Later ones use a table, if there is memory for it.
 *
 * Locking: the lock of the metadata guards the construction of a table, and the arena that contains
 * it.  A complete table is published through @table and never changes.
 */
#ifndef SHIM_ARCHIVE_INST_NAMES_H
#define SHIM_ARCHIVE_INST_NAMES_H

#include <stdatomic.h>

#include "base/buf.h"
#include "types.h"

struct shim_inst_table;

/* @asked: number of lookups so far, up to a limit; @table: NULL until it is built */
struct shim_inst_names {
	atomic_uint asked;
	_Atomic(struct shim_inst_table *) table;
};

/* A state as built by shim_domain__spell(); the functions below accept only such states. */
struct shim_named_indom {
	struct shim_indom indom;
	struct shim_inst_names names;
};

/* Whether a table should be built now; true at most once per state */
bool shim_inst_names__wants_table(const struct shim_indom *state);
/* Build it from @arena, with at most *@bytes, which it reduces; a failure is not repeated. */
void shim_inst_names__make_table(const struct shim_indom *state, struct shim_arena *arena,
				 uint64_t seed, uint64_t *bytes);
/*
 * The index of the instance with that name.  Otherwise, as in PCP, the index of the first one whose
 * name has a blank and matches @name up to there.  Otherwise -1.
 */
int shim_inst_names__find(const struct shim_indom *state, const char *name);

#endif /* SHIM_ARCHIVE_INST_NAMES_H */
