/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Finding instances of a domain's state by name.
 *
 * The first search in a state goes through its names; for further ones there is
 * a table, if memory allows it.
 *
 * Locking: the lock of the metadata guards making a table, and the arena that it
 * is in; a table that was made is published through @table and never changes.
 */
#ifndef SHIM_ARCHIVE_INST_NAMES_H
#define SHIM_ARCHIVE_INST_NAMES_H

#include <stdatomic.h>

#include "base/arena.h"
#include "types.h"

struct shim_inst_table;

/* @asked: how often a name was looked up, up to some number; @table: NULL before it is made */
struct shim_inst_names {
	atomic_uint asked;
	_Atomic(struct shim_inst_table *) table;
};

/* A state as shim_domain__spell() makes it; the functions below take the state of one */
struct shim_named_indom {
	struct shim_indom indom;
	struct shim_inst_names names;
};

/* Whether it is time for a table, which was not tried yet */
bool shim_inst_names__wants_table(const struct shim_indom *state);
/* Make it with memory from @arena, at most *@bytes, which it is taken from; or do not, for good */
void shim_inst_names__make_table(const struct shim_indom *state, struct shim_arena *arena,
				 uint64_t seed, uint64_t *bytes);
/*
 * The place of the instance with that name; else, as in PCP, of the first one whose name has a
 * blank and begins like @name up to there; else -1
 */
int shim_inst_names__find(const struct shim_indom *state, const char *name);

#endif /* SHIM_ARCHIVE_INST_NAMES_H */
