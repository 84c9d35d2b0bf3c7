/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * An instance domain's states over time.
 *
 * A state is stored as its record until it is needed.  Then it and the states on which it depends
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
#include "reader.h"
#include "record.h"
#include "types.h"

struct shim_state {
	struct shim_rec_indom rec;
	size_t seq;			/* position in the file */
	_Atomic(struct shim_indom *) whole;
};

struct shim_instances;

/*
 * struct shim_domain - an instance domain
 * @states: ordered by stamp; states with equal stamps are in file order
 * @last: the last record added, of @last_len bytes
 * @ever: the set of all instances; NULL until it is needed
 */
struct shim_domain {
	struct shim_hnode node;
	uint32_t indom;
	const uint8_t *last;
	uint32_t last_len;
	struct shim_state *states;
	size_t n;
	size_t cap;
	_Atomic(struct shim_instances *) ever;
};

int shim_domain__add(struct shim_domain *d, const struct shim_rec_indom *rec);
/* Sort the states by stamp.  Call this once, after all states have been added. */
void shim_domain__sort(struct shim_domain *d);
/* Find the last state at or before @when.  Return false if there is none. */
bool shim_domain__at(const struct shim_domain *d, struct shim_ts when, size_t *out);
/* Expand the @i-th state, and subtract its entries from *@budget.  Return 0 or -ENOMEM. */
int shim_domain__spell(struct shim_domain *d, size_t i, struct shim_arena *arena, uint64_t *budget);

/*
 * Find instances of a domain's state by name.
 *
 * The first search in a state is linear.  Later searches use a table, if there is memory for it.
 *
 * Locking: the lock of the metadata guards the construction of a table, and the arena that contains
 * it.  A complete table is published through @table and never changes.
 */

struct shim_inst_table;

/*
 * @asked: number of lookups so far, up to a limit; @table: NULL until it is built; @after: the index
 * after the instance that a search by ID found last, because programs search for all in order
 */
struct shim_inst_names {
	atomic_uint asked;
	atomic_uint after;
	_Atomic(struct shim_inst_table *) table;
};

/* A state built by shim_domain__spell(); the functions below accept only states of this type. */
struct shim_named_indom {
	struct shim_indom indom;
	struct shim_inst_names names;
};

/* Return whether a table should be built now; the result is true at most once per state. */
bool shim_inst_names__wants_table(const struct shim_indom *state);
/*
 * Build the table in @arena.  It may use at most *@bytes, from which its size is subtracted.  A
 * failed build is not repeated.
 */
void shim_inst_names__make_table(const struct shim_indom *state, struct shim_arena *arena,
				 uint64_t seed, uint64_t *bytes);
/*
 * Return the index of the instance with that name.  If there is none, return the index of the first
 * instance whose name has a blank and matches @name up to that blank, as PCP does, or -1.
 */
int shim_inst_names__find(const struct shim_indom *state, const char *name);

/* An entry of a record to merge into a state; @name is NULL if the instance is deleted */
struct shim_indom_entry {
	int32_t id;
	uint32_t seq;
	const char *name;
};

/*
 * Return the record's entries in ascending order of IDs, or NULL if out of memory.  If an ID occurs
 * several times, only the last entry is included.  The caller frees them.
 */
struct shim_indom_entry *shim_indom__entries(const struct shim_rec_indom *rec, size_t *n);

/* The set of all instances that an instance domain ever had */

/*
 * struct shim_instances - instances of one domain, each once
 * @ids, @names: the instances of the newest state, then additional ones of each older state,
 *	ascending within a state; the archive owns the names, which are the newest ones
 * @first, @last: the oldest and the newest state that contain each instance
 * @states, @nstates: the domain's states, oldest first
 * @largest: number of instances of the largest state
 * @slots: hash table of ids; contains positions in @ids
 */
struct shim_instances {
	unsigned int n;
	int32_t *ids;
	const char **names;
	uint32_t *first, *last;
	const struct shim_state *states;
	size_t nstates;
	unsigned int largest;
	uint32_t *slots;
	uint32_t mask;
};

/*
 * Get a domain's instances.  They are found once, without expanding any state, and belong to the
 * domain.  Return NULL if memory runs out.  The caller holds the lock of the domain's metadata.
 */
const struct shim_instances *shim_domain__instances(struct shim_domain *d);
/* Return the position of an ID in the set, or -1. */
int shim_instances__find(const struct shim_instances *set, int32_t inst);
void shim_instances__free(struct shim_instances *set);

/* Return the index of an ID in a state, or -1. */
int shim_instances__search(const struct shim_indom *state, int32_t inst);

#endif /* SHIM_ARCHIVE_INDOM_H */
