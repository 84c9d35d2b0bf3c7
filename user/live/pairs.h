/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Instances that pair a transaction's tag with a bucket of its histogram or a counted event */
#ifndef SHIM_LIVE_PAIRS_H
#define SHIM_LIVE_PAIRS_H

#include "tags.h"

struct shim_live_slot {
	int32_t inst;
	uint32_t slot;
	struct shim_live_tag *tag;
};

/* A kernel row's contribution to a sum; a tag has one row for each set of events */
struct shim_live_addend {
	uint64_t id, events;	/* the row's tag, and the key of its set of events */
	unsigned int session;
	uint64_t now[2];	/* values at the last read */
};

/* The pairs of one user's tags, at most half of the maximum */
struct shim_live_share {
	struct shim_hnode node;
	uint32_t user;
	size_t nslots, nsums;
};

/* The sums of a tag and an event over all tracing sessions */
struct shim_live_sum {
	struct shim_hnode node;
	int32_t inst;
	char *name;		/* "tag/event" */
	const struct shim_live_tag *tag;
	struct shim_live_addend *addends;	/* rows of the current session and ID */
	size_t naddends, room;
	uint64_t total[2];	/* transactions and counts in all rows that have ever existed */
};

/*
 * Both lists are sorted by number, like tags.
 * @taken: versions of the reader's rows of @session that were processed, by index; 0: process the
 *	row again
 */
struct shim_live_pairs {
	struct shim_live_slot *slots;
	size_t nslots, slots_room;
	struct shim_live_numbers slot_numbers, sum_numbers;
	struct shim_live_sum **sums;
	size_t nsums, sums_room;
	struct shim_hash by_name;	/* the sums by name */
	struct shim_hash shares;	/* by user, in @arena */
	struct shim_arena arena;
	uint64_t *taken;
	size_t ntaken, taken_room;
	unsigned int session;
};

void shim_live_pairs__init(struct shim_live_pairs *pairs);
void shim_live_pairs__free(struct shim_live_pairs *pairs);
int shim_live_pairs__counted(struct shim_live_pairs *pairs, struct shim_bpf_reader *reader,
			     const struct shim_live_tags *tags, unsigned int session);
void shim_live_pairs__reap(struct shim_live_pairs *pairs);
int shim_live_pairs__slots(struct shim_live_pairs *pairs, const struct shim_live_tags *tags);

#endif /* SHIM_LIVE_PAIRS_H */
