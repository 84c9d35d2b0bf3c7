/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The request of a fetch, the values in a record that it requests, and plans for the results of
 * records with the same layout as an earlier record.
 *
 * A plan stores the structure of the earlier record's result, and the location of each value in the
 * record.  For a record of the same layout, only the values are copied.
 */
#ifndef SHIM_PCP_REQUEST_H
#define SHIM_PCP_REQUEST_H

#include <stdbool.h>

#include <pcp/pmapi.h>

#include "archive/interp.h"
#include "archive/pmidmap.h"
#include "archive/record.h"

/*
 * struct shim_request - the metrics of a fetch; reused by the next fetch, which is often the same
 * @pmids: the @n metrics
 * @items: one per metric
 * @nderived: number of metrics whose identifier is that of a derived metric
 * @map: position of a metric's first item
 * @round: number of the last record; items found in it have the same number
 * @answers: array for @answers_room answers
 * @vsets: location of each answer's values in the record, if there is one; room for @vsets_room
 * @types: types of the metrics of @vsets
 * @nlocated: number of sets of the last record that locate_all() has located; the next record
 *	usually has the same metrics
 * @values: values of @answers
 */
struct shim_request {
	unsigned int n;
	size_t room;
	uint32_t *pmids;
	struct shim_request_item {
		uint32_t same;		/* the next item of the same metric */
		const struct shim_desc *desc;
		uint64_t round;
	} *items;
	unsigned int nderived;
	struct shim_pmidmap map;
	uint64_t round;
	struct shim_answer *answers;
	struct shim_vset *vsets;
	int32_t *types;
	unsigned int nlocated;
	size_t answers_room, vsets_room;
	struct shim_value *values;
	size_t nvalues, values_room;
};

/* Test the domain first: few metrics have it, and IS_DERIVED() calls functions. */
static inline bool shim_pmid__is_derived(pmID pmid)
{
	const pmID dynamic = (pmID)DYNAMIC_PMID << 22;

	return (pmid & dynamic) == dynamic && IS_DERIVED(pmid);
}

/* Return 1 if the metrics differ from the previous ones, 0 if they are the same, or -ENOMEM. */
int shim_request__set(struct shim_request *req, const struct shim_archive *ar, unsigned int n,
		      const uint32_t *pmids);
void shim_request__fini(struct shim_request *req);

/* Find the items in a record.  Return the number found, -EBADMSG or -ENOMEM. */
int shim_request__match(struct shim_request *req, const struct shim_record *rec);
/*
 * After match(), fill in @vsets and @types.  Return 0, or -ENOENT if a metric has no descriptor.
 */
int shim_request__locate(struct shim_request *req);
/* Like locate(), for all sets of a record.  Return their number, -EBADMSG or -ENOMEM. */
int shim_request__locate_all(struct shim_request *req, const struct shim_archive *ar,
			     const struct shim_record *rec);
/*
 * After match(), fill in @answers.  Return 0, -EBADMSG, -ENOENT if a metric has no descriptor, or
 * -ENOMEM.
 */
int shim_request__answer(struct shim_request *req, const struct shim_record *rec,
			 const struct shim_filter *filter);
/* Like answer(), for all sets of a record.  Return their number, -EBADMSG or -ENOMEM. */
int shim_request__answer_all(struct shim_request *req, const struct shim_archive *ar,
			     const struct shim_record *rec);

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

#endif /* SHIM_PCP_REQUEST_H */
