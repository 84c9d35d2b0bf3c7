/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The request of a fetch, and the values in a record that it requests */
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

#endif /* SHIM_PCP_REQUEST_H */
