/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Results of records that are laid out like one before.
 *
 * What a record's result is made of, and where in the record each value is, was
 * found out for the one before; of this one only the values are new.
 */
#ifndef SHIM_PCP_PLAN_H
#define SHIM_PCP_PLAN_H

#include <pcp/pmapi.h>

#include "archive/record_layout.h"
#include "request.h"

#define SHIM_PLANS		8	/* loggers have a few groups of metrics */
#define SHIM_PLAN_BYTES		(256u << 10)	/* of all plans together */

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
 * @len, @npmids: of the last record that was not known
 * @failures: how many plans were made here since one was of use
 * @rest: so many of the next records of this kind have none made of them
 * @layout: of the records; none if there is no plan
 * @image: the @size bytes of a result; none if records of this kind have nothing
 * @links: pointers, relative to the result
 * @words, @doubles: numbers of 4 and 8 bytes
 * @bytes: what stays as it is
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

/* 1: *out is the result; 0: the record has nothing; -ENOENT: it is of no known kind; -ENOMEM */
int shim_plans__apply(const struct shim_plans *plans, const struct shim_record *rec,
		      pmResult **out);
/*
 * What the answer to @rec was: @result of @size bytes, made of @req's answers, or NULL for nothing.
 * If memory is short, or the record is one of a kind, there is no plan.
 */
void shim_plans__learn(struct shim_plans *plans, const struct shim_record *rec,
		       const struct shim_request *req, const pmResult *result, size_t size);
/* Another request, or other instances */
void shim_plans__reset(struct shim_plans *plans);

#endif /* SHIM_PCP_PLAN_H */
