/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The source of a context's metrics, as a table of operations: an archive, a host's pmcd, or this
 * machine.
 *
 * Each operation is called with the context locked.  It returns the result of its PMAPI call, in
 * PMAPI codes, and writes results only on success.  The public functions check arguments that are
 * invalid for every source, so operations need not.
 */
#ifndef SHIM_PCP_SOURCE_H
#define SHIM_PCP_SOURCE_H

#include <pcp/pmapi.h>

#include "base/tstamp.h"

struct shim_context;
struct shim_label_sets;

/*
 * struct shim_source - the operations
 * @names_at: PMNS_x, the source of the names
 * @free: frees the source's part of a context
 * @dup: duplicates the source of @from in @to
 * @host: the host's name, truncated to @size - 1 bytes
 * @zone: the host's time zone, truncated likewise
 * @reconnect: 0 or an error
 * @set_mode: pmSetMode(), without the mode's unit
 * @fetch: 0 or the changes (PMCD_x); the caller copies the stamp into *@out
 * @record: the next record with all its metrics
 * @store: stores values of @n metrics, each of which has at least one
 * @desc, @descs: the descriptor of a metric, or of many, with PM_ID_NULL for an unknown one
 * @text: @about is PM_TEXT_PMID or PM_TEXT_INDOM, @level as for pmLookupText
 * @labels: adds sets; @level 0: all of a metric except those of its instances, from the weakest
 *	level up
 * @instances, @instance_name, @instance: pmGetInDom, pmNameInDom, pmLookupInDom
 * @metrics: pmLookupName; the caller sets @pmids to PM_ID_NULL
 * @children: pmGetChildrenStatus; the caller sets *@offspring and *@status to NULL
 * @leaves: names of all metrics at and below a name, in one allocation for the caller to free;
 *	returns their number
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
