/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What the values of metrics are at any time, given what was recorded.
 *
 * Threads: an interpolator belongs to one thread at a time; several may share
 * an archive.
 */
#ifndef SHIM_ARCHIVE_INTERP_H
#define SHIM_ARCHIVE_INTERP_H

#include <stdbool.h>

#include "reader.h"

struct shim_interp;

/*
 * struct shim_answer - the values of one metric
 * @numval: number of values, 0, -ENOENT if the archive does not know the
 *	metric, -EDOM if it counts what cannot be interpolated, or the PCP
 *	error code of a record
 * @valfmt: enum shim_valfmt
 * @values: in the memory of who gave the answer, good until asked again
 */
struct shim_answer {
	uint32_t pmid;
	int32_t numval;
	int32_t valfmt;
	const struct shim_value *values;
};

/*
 * struct shim_filter - which instances are wanted
 * @has: called with @arg for every instance of a domain; NULL: all are wanted
 */
struct shim_filter {
	bool (*has)(const void *arg, uint32_t indom, int32_t inst);
	const void *arg;
};

/* A counter that decreases has wrapped, and goes on from there. */
#define SHIM_INTERP_WRAP	1u

int shim_interp__new(struct shim_archive *ar, unsigned int flags, struct shim_interp **out);
void shim_interp__free(struct shim_interp *ip);
/* Marks between records that are no more than @gap apart do not count; before the first fetch. */
void shim_interp__ignore_marks(struct shim_interp *ip, struct shim_ts gap);
/* The next fetch does not follow on the one before. */
void shim_interp__reposition(struct shim_interp *ip);
/* The archive has more records than it had. */
void shim_interp__grown(struct shim_interp *ip);
int shim_interp__fetch(struct shim_interp *ip, struct shim_ts when, unsigned int n,
		       const uint32_t *pmids, const struct shim_filter *filter,
		       struct shim_answer *answers);

int shim_interp__end(struct shim_interp *ip, struct shim_ts end);

#endif /* SHIM_ARCHIVE_INTERP_H */
