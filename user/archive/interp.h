/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Interpolation: the values of metrics at any time, computed from the recorded values.
 *
 * Threads: only one thread at a time may use an interpolator; several interpolators may share an
 * archive.
 */
#ifndef SHIM_ARCHIVE_INTERP_H
#define SHIM_ARCHIVE_INTERP_H

#include <stdbool.h>

#include "reader.h"

struct shim_interp;

/*
 * struct shim_answer - the values of one metric
 * @numval: number of values, 0, -ENOENT if the metric is not in the archive, -EDOM if it is a
 *	counter whose type cannot be interpolated, or the PCP error code in a record
 * @valfmt: enum shim_valfmt
 * @values: owned by the function that filled in the answer, valid until the next fetch
 */
struct shim_answer {
	uint32_t pmid;
	int32_t numval;
	int32_t valfmt;
	const struct shim_value *values;
};

/*
 * struct shim_filter - the wanted instances
 * @has: called with @arg for each instance of a domain; returns true if the instance is wanted.  If
 *	NULL, all are wanted.
 */
struct shim_filter {
	bool (*has)(const void *arg, uint32_t indom, int32_t inst);
	const void *arg;
};

/* Interpolate a decreasing counter as one that has wrapped around. */
#define SHIM_INTERP_WRAP	1u

int shim_interp__new(struct shim_archive *ar, unsigned int flags, struct shim_interp **out);
void shim_interp__free(struct shim_interp *ip);
/* Ignore marks between records that are at most @gap apart. Call this before the first fetch. */
void shim_interp__ignore_marks(struct shim_interp *ip, struct shim_ts gap);
/* Start a new run: the next fetch does not continue from the previous one. */
void shim_interp__reposition(struct shim_interp *ip);
/* Discard all observations, because the archive has new records. */
void shim_interp__grown(struct shim_interp *ip);
int shim_interp__fetch(struct shim_interp *ip, struct shim_ts when, unsigned int n,
		       const uint32_t *pmids, const struct shim_filter *filter,
		       struct shim_answer *answers);
/* Forget the last fetch, whose answers were not delivered. */
void shim_interp__undo(struct shim_interp *ip);

int shim_interp__end(struct shim_interp *ip, struct shim_ts end);

#endif /* SHIM_ARCHIVE_INTERP_H */
