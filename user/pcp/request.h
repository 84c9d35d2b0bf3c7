/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The request of a fetch, and the values of a record that answer it. */
#ifndef SHIM_PCP_REQUEST_H
#define SHIM_PCP_REQUEST_H

#include "archive/interp.h"
#include "archive/pmidmap.h"

/*
 * struct shim_request - the metrics of a fetch; kept for the next fetch, which is often the same
 * @pmids: the @n metrics
 * @items: one per metric
 * @map: position of a metric's first item
 * @round: number of the last record; items found in it have the same number
 * @answers: array for @answers_room answers
 * @vsets: location of each answer's values in the record, if there is one
 * @types: types of the metrics of @vsets
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
		struct shim_vset vset;
	} *items;
	struct shim_pmidmap map;
	uint64_t round;
	struct shim_answer *answers;
	struct shim_vset *vsets;
	int32_t *types;
	size_t answers_room;
	struct shim_value *values;
	size_t nvalues, values_room;
};

/* Returns 1 if the metrics differ from the previous ones, 0 if they are the same, -ENOMEM. */
int shim_request__set(struct shim_request *req, const struct shim_archive *ar, unsigned int n,
		      const uint32_t *pmids);
void shim_request__fini(struct shim_request *req);

/* Find the items in a record.  Returns the number found, or -EBADMSG. */
int shim_request__match(struct shim_request *req, const struct shim_record *rec);
/*
 * After match(), fill in @vsets and @types.  Returns 0, or -ENOENT if a metric has no descriptor.
 */
int shim_request__locate(struct shim_request *req);
/* The same for all sets of a record.  Returns their number, -EBADMSG, -ENOMEM. */
int shim_request__locate_all(struct shim_request *req, const struct shim_archive *ar,
			     const struct shim_record *rec);
/* After match(), fill in @answers: 0, -EBADMSG, -ENOENT if a metric has no descriptor, -ENOMEM. */
int shim_request__answer(struct shim_request *req, const struct shim_record *rec,
			 const struct shim_filter *filter);
/* The same for all sets of a record.  Returns their number, -EBADMSG, -ENOMEM. */
int shim_request__answer_all(struct shim_request *req, const struct shim_archive *ar,
			     const struct shim_record *rec);

#endif /* SHIM_PCP_REQUEST_H */
