/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* This machine as a source of metrics, without pmcd: its operations, grouped by file. */
#ifndef SHIM_PCP_LOCAL_H
#define SHIM_PCP_LOCAL_H

#include "context.h"
#include "live/machine.h"

/*
 * struct shim_local - the data of a local context
 * @entries: names of the metrics, used by the tree
 */
struct shim_local {
	struct shim_machine *machine;
	struct shim_pmns_entry *entries;
};

/* Open this machine; returns 0 or a PMAPI code. */
int shim_local__new(struct shim_context *ctx);

/* local_fetch.c */
int shim_local_source__fetch(struct shim_context *ctx, int n, const pmID *pmids,
			     struct shim_ts *stamp, pmResult **out);
int shim_local_source__store(struct shim_context *ctx, int n, pmValueSet *const *sets);

/* local_indom.c */
int shim_local_source__instances(struct shim_context *ctx, pmInDom indom, int **instlist,
				 char ***namelist);
int shim_local_source__instance_name(struct shim_context *ctx, pmInDom indom, int inst,
				     char **name);
int shim_local_source__instance(struct shim_context *ctx, pmInDom indom, const char *name);
int shim_local_source__labels(struct shim_context *ctx, unsigned int level, unsigned int ident,
			      struct shim_label_sets *sets);

#endif /* SHIM_PCP_LOCAL_H */
