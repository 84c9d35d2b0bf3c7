/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A program: its sets of events as the caller passed them, and as requests for the back end. */
#ifndef SHIM_AIX_PROGRAM_H
#define SHIM_AIX_PROGRAM_H

#include "table.h"

#define AIX_MAX_SETS	256

enum shim_aix_kind {
	AIX_PLAIN,
	AIX_MX,
	AIX_MM,
};

/*
 * struct shim_aix_program - one program
 * @slice: length of a multiplex slot in milliseconds
 * @sets: array of @nsets sets, each with its mode
 * @reqs: array of @n requests
 * @where: for each set and counter the index in @reqs, or -1
 * @group: the set of each request
 */
struct shim_aix_program {
	enum shim_aix_kind kind;
	int slice;
	int nsets;
	pm_prog_t *sets;
	struct vcpc_request *reqs;
	__u16 *group;
	unsigned int n;
	int (*where)[MAX_COUNTERS];
};

/* Copy the values of requests to a set's counters: long long[MAX_COUNTERS]. */
static inline void shim_aix_program__values(const struct shim_aix_program *p, int k,
					    const __u64 *values, long long *accu)
{
	const int *where = p->where[k];

	for (int c = 0; c < MAX_COUNTERS; c++)
		accu[c] = where[c] < 0 ? 0 : (long long)values[where[c]];
}

int shim_aix_program__plain(struct shim_aix_program *p, const pm_prog_t *prog);
int shim_aix_program__mx(struct shim_aix_program *p, const pm_prog_mx_t *prog);
int shim_aix_program__mm(struct shim_aix_program *p, const pm_prog_mm_t *prog);
int shim_aix_program__pack(struct shim_aix_program *p, const struct shim_aix_table *table,
			   int filter, enum shim_aix_scope scope);
void shim_aix_program__free(struct shim_aix_program *p);

#endif /* SHIM_AIX_PROGRAM_H */
