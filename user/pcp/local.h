/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The operations of this machine as a source of metrics, without pmcd, grouped by file */
#ifndef SHIM_PCP_LOCAL_H
#define SHIM_PCP_LOCAL_H

#include "context.h"
#include "live/machine.h"

/*
 * struct shim_local - the data of a local context
 * @entries: metric names, used by the tree
 */
struct shim_local {
	struct shim_machine *machine;
	struct shim_pmns_entry *entries;
};

/* Open this machine. Return 0 or a PMAPI code. */
int shim_local__new(struct shim_context *ctx);

/* Operations in local_fetch.c */
int shim_local_source__fetch(struct shim_context *ctx, int n, const pmID *pmids,
			     struct shim_ts *stamp, pmResult **out);
int shim_local_source__store(struct shim_context *ctx, int n, pmValueSet *const *sets);

#endif /* SHIM_PCP_LOCAL_H */
