/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Building the results of records that have the same layout as an earlier one.
 *
 * A plan keeps what was found out about the earlier record: the shape of its result, and where in
 * the record each value is.  For a record of the same layout, only the values are copied.
 */
#ifndef SHIM_PCP_PLAN_H
#define SHIM_PCP_PLAN_H

#include <pcp/pmapi.h>

#include "archive/record_layout.h"
#include "request.h"

#define SHIM_PLANS		8	/* a logger writes few kinds of record */
#define SHIM_PLAN_BYTES		(256u << 10)	/* limit for all plans together */

/* From a place in the record, or in the result, to a place in the result */
struct shim_moves {
	struct shim_move {
		uint32_t from;
		uint32_t to;
		uint32_t len;
	} *all;
	size_t n, cap;
};

/*
 * struct shim_plan - how to make the result of one kind of record
 * @len, @npmids: of the last record for which there was no plan
 * @failures: how many plans were made here since one was used
 * @rest: how many more records of this kind are skipped before a plan is made
 * @layout: of the records; none if there is no plan
 * @image: the @size bytes of a result to copy; NULL if the records have none of the metrics
 * @links: pointers, relative to the result
 * @words, @doubles: numbers of 4 and 8 bytes
 * @bytes: bytes that are copied as they are
 */
struct shim_plan {
	uint32_t len, npmids;
	unsigned int failures, rest;
	struct shim_record_layout layout;
	char *image;
	size_t size;
	struct shim_moves links, words, doubles, bytes;
};

/* All zeros at first */
struct shim_plans {
	struct shim_plan all[SHIM_PLANS];
	size_t used;
};

/* 1: *out is the result; 0: the record has none of the metrics; -ENOENT: no plan fits; -ENOMEM */
int shim_plans__apply(const struct shim_plans *plans, const struct shim_record *rec,
		      pmResult **out);
/*
 * Make a plan from the answer to @rec: @result of @size bytes, with the values of @req, or NULL
 * for nothing.  No plan is made if memory is short or the record is the first of its kind.
 */
void shim_plans__learn(struct shim_plans *plans, const struct shim_record *rec,
		       const struct shim_request *req, const pmResult *result, size_t size);
/* Forget all plans, as the request or the profile of instances changes */
void shim_plans__reset(struct shim_plans *plans);

#endif /* SHIM_PCP_PLAN_H */
