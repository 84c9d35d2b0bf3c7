/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Plans for the results of records with the same layout as an earlier record.
 *
 * A plan stores the structure of the earlier record's result, and the location of each value in the
 * record.  For a record of the same layout, only the values are copied.
 */
#ifndef SHIM_PCP_PLANS_H
#define SHIM_PCP_PLANS_H

#include <stdbool.h>

#include <pcp/pmapi.h>

#include "archive/record.h"

struct shim_request;

#define SHIM_PLANS		16	/* a logger writes few kinds of records */
#define SHIM_PLAN_BYTES		(256u << 10)	/* limit for all plans together */

/* Copies from an offset in the record, or in the result, to an offset in the result */
struct shim_moves {
	struct shim_move {
		uint32_t from;
		uint32_t to;
		uint32_t len;
	} *all;
	size_t n, cap;
};

/*
 * struct shim_plan - how to build the result of one kind of record: those with equal length and
 * number of sets
 * @len, @npmids: the kind; 0 at first
 * @seen: number of records of this kind without a plan, up to a limit
 * @others: number of records of other kinds since the last one of this kind
 * @signature: signature of the last record for which one was computed
 * @fresh: @signature has not yet been compared with another record's signature
 * @failures: number of attempts to make a plan here since a plan was last used
 * @rest: number of records of this kind to skip before the next attempt
 * @layout: layout of the records; empty if there is no plan
 * @image: the @size bytes of a result to copy; NULL if the records have none of the metrics
 * @links: pointers, relative to the result
 * @words, @doubles: numbers of 4 and 8 bytes
 * @bytes: bytes that are copied unchanged
 */
struct shim_plan {
	uint32_t len, npmids;
	unsigned int seen, others;
	uint64_t signature;
	bool fresh;
	unsigned int failures, rest;
	struct shim_record_layout layout;
	char *image;
	size_t size;
	struct shim_moves links, words, doubles, bytes;
};

/* Zero-initialized */
struct shim_plans {
	struct shim_plan all[SHIM_PLANS];
	size_t used;
};

/*
 * Return 1 with the result in *out, 0 if the record has none of the metrics, -ENOENT if no plan
 * fits, or -ENOMEM.
 */
int shim_plans__apply(const struct shim_plans *plans, const struct shim_record *rec,
		      pmResult **out);
/*
 * Make a plan from @result, the result of @rec, which has @size bytes and the values of @req.
 * @result is NULL if the record has none of the metrics.  No plan is made if memory is short or the
 * record is the first of its kind.
 */
void shim_plans__learn(struct shim_plans *plans, const struct shim_record *rec,
		       const struct shim_request *req, const pmResult *result, size_t size);
/* Discard all plans, because the request or the profile of instances has changed. */
void shim_plans__reset(struct shim_plans *plans);

#endif /* SHIM_PCP_PLANS_H */
