/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Build the results of records that have the same layout as an earlier record.
 *
 * A plan stores what was found out about the earlier record: the structure of its result, and the
 * location of each value in the record.  For a record of the same layout, only the values are
 * copied.
 */
#ifndef SHIM_PCP_PLAN_H
#define SHIM_PCP_PLAN_H

#include <pcp/pmapi.h>

#include "archive/record.h"
#include "request.h"

#define SHIM_PLANS		8	/* a logger writes few kinds of records */
#define SHIM_PLAN_BYTES		(256u << 10)	/* limit for all plans together */

/* Moves from an offset in the record, or in the result, to an offset in the result */
struct shim_moves {
	struct shim_move {
		uint32_t from;
		uint32_t to;
		uint32_t len;
	} *all;
	size_t n, cap;
};

/*
 * struct shim_plan - how to build the result of one kind of record
 * @signature: of the last record for which one was computed
 * @fresh: @signature was not compared yet with that of another record
 * @failures: number of attempts to make a plan here since one was used
 * @rest: number of records of this kind to skip before the next attempt
 * @layout: layout of the records; empty if there is no plan
 * @image: the @size bytes of a result to copy; NULL if the records have none of the metrics
 * @links: pointers, relative to the result
 * @words, @doubles: numbers of 4 and 8 bytes
 * @bytes: bytes that are copied unchanged
 */
struct shim_plan {
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
 * Returns 1 with the result in *out, 0 if the record has none of the metrics, -ENOENT if no plan
 * fits, -ENOMEM.
 */
int shim_plans__apply(const struct shim_plans *plans, const struct shim_record *rec,
		      pmResult **out);
/*
 * Make a plan from the answer to @rec: @result of @size bytes, with the values of @req, or NULL for
 * no result.  No plan is made if memory is short or the record is the first of its kind.
 */
void shim_plans__learn(struct shim_plans *plans, const struct shim_record *rec,
		       const struct shim_request *req, const pmResult *result, size_t size);
/* Discard all plans, because the request or the profile of instances changes. */
void shim_plans__reset(struct shim_plans *plans);

#endif /* SHIM_PCP_PLAN_H */
