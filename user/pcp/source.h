/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What a context's metrics come from, as a table of operations: an archive, a host's pmcd, or
 * this machine.
 *
 * Each operation is called with the context locked, and returns what its PMAPI call returns,
 * in PMAPI codes; results are written on success only.  The public functions check arguments
 * that are wrong for every source, so an operation need not.
 */
#ifndef SHIM_PCP_SOURCE_H
#define SHIM_PCP_SOURCE_H

#include <pcp/pmapi.h>

#include "base/tstamp.h"

struct shim_context;
struct shim_label_sets;

/*
 * struct shim_source - the operations
 * @names_at: PMNS_x, where the names come from
 * @free: frees the source's part of a context
 * @dup: makes a source like @from's in @to
 * @host: the host's name, cut to @size - 1 bytes
 * @zone: the host's time zone, cut likewise
 * @reconnect: 0 or an error
 * @set_mode: of pmSetMode, with the mode's unit taken off
 * @fetch: 0 or what changed (PMCD_x); the caller copies the stamp into *@out
 * @record: the next record with all its metrics
 * @store: stores values of @n metrics, each of which has at least one
 * @desc, @descs: the descriptor of a metric, or of many, with PM_ID_NULL for an unknown one
 * @text: @about is PM_TEXT_PMID or PM_TEXT_INDOM, @level as for pmLookupText
 * @labels: adds sets; @level 0: all of a metric but its instances', from the weakest level up
 * @instances, @instance_name, @instance: pmGetInDom, pmNameInDom, pmLookupInDom
 * @metrics: pmLookupName; @pmids are PM_ID_NULL before
 * @children: pmGetChildrenStatus; *@offspring and *@status are NULL before
 * @leaves: names of all metrics at and below a name, in a block to free; how many
 * @names: pmNameAll
 */
struct shim_source {
	int names_at;
	void (*free)(struct shim_context *ctx);
	int (*dup)(struct shim_context *to, struct shim_context *from);
	void (*host)(struct shim_context *ctx, char *buf, size_t size);
	int (*zone)(struct shim_context *ctx, char *buf, size_t size);
	int (*reconnect)(struct shim_context *ctx);
	int (*set_mode)(struct shim_context *ctx, int mode, const struct shim_ts *when,
			struct shim_ts delta);
	int (*fetch)(struct shim_context *ctx, int n, const pmID *pmids, struct shim_ts *stamp,
		     pmResult **out);
	int (*record)(struct shim_context *ctx, struct shim_ts *stamp, pmResult **out);
	int (*store)(struct shim_context *ctx, int n, pmValueSet *const *sets);
	int (*desc)(struct shim_context *ctx, pmID pmid, pmDesc *out);
	int (*descs)(struct shim_context *ctx, int n, const pmID *pmids, pmDesc *out);
	int (*text)(struct shim_context *ctx, unsigned int about, unsigned int ident, int level,
		    char **out);
	int (*labels)(struct shim_context *ctx, unsigned int level, unsigned int ident,
		      struct shim_label_sets *sets);
	int (*instances)(struct shim_context *ctx, pmInDom indom, int **instlist, char ***namelist);
	int (*instance_name)(struct shim_context *ctx, pmInDom indom, int inst, char **name);
	int (*instance)(struct shim_context *ctx, pmInDom indom, const char *name);
	int (*metrics)(struct shim_context *ctx, int n, const char *const *names, pmID *pmids);
	int (*children)(struct shim_context *ctx, const char *name, char ***offspring,
			int **status);
	int (*leaves)(struct shim_context *ctx, const char *name, char ***names);
	int (*names)(struct shim_context *ctx, pmID pmid, char ***nameset);
};

extern const struct shim_source shim_archive_source;
extern const struct shim_source shim_host_source;
extern const struct shim_source shim_local_source;

/* The public descriptor of a metric that every context has, or PM_ERR_PMID */
int shim_desc__builtin(pmID pmid, pmDesc *out);

#endif /* SHIM_PCP_SOURCE_H */
