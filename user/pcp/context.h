/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A PMAPI context and how a call gets hold of it. */
#ifndef SHIM_PCP_CONTEXT_H
#define SHIM_PCP_CONTEXT_H

#include <pthread.h>
#include <stdbool.h>

#include <pcp/pmapi.h>

#include "archive/interp.h"
#include "archive/reader.h"
#include "archive/pmidmap.h"
#include "archive/readbuf.h"
#include "derived.h"
#include "plan.h"
#include "pmns_tree.h"
#include "profile.h"
#include "request.h"
#include "source.h"

struct shim_host;
struct shim_local;

/*
 * struct shim_context - a source of metrics, and what a program has set up to read from it
 * @lock: guards all below; a call holds it from enter to leave
 * @cancel: the cancellation state that the owner of @lock had before it entered
 * @refs: guarded by the table's lock in context.c
 * @source: what the metrics come from
 * @profile: the instances that are wanted
 * @derived: metrics that are computed from those of the source
 * @host: of a host context, else NULL
 * @local: of a local context, else NULL
 * @ar: of an archive context, else NULL; most members below are for archives only
 * @origin: the current time
 * @cursor: for PM_MODE_FORW and BACK; positioned at @origin if @placed
 * @readbuf: @cursor's read buffer
 * @calls: number of calls that have entered it
 * @passed: volumes that cannot be used and were reported
 * @plans: how to make the request's results from records
 * @whole_plans: likewise for results of whole records
 * @interp: for PM_MODE_INTERP; NULL until it is first needed
 * @end: of the archive, as last seen by PM_MODE_INTERP
 * @pmns: NULL until it is first needed
 */
struct shim_context {
	pthread_mutex_t lock;
	int cancel;
	int handle;
	unsigned int refs;
	const struct shim_source *source;
	struct shim_profile profile;
	struct shim_derived derived;
	struct shim_host *host;
	struct shim_local *local;
	struct shim_archive *ar;
	int mode;
	struct shim_ts origin;
	struct shim_ts delta;
	bool placed;
	struct shim_cursor cursor;
	struct shim_readbuf readbuf;
	struct shim_pmidmap passed;
	uint64_t calls;
	struct shim_interp *interp;
	bool end_known;
	struct shim_ts end;
	struct shim_request request;
	struct shim_plans plans, whole_plans;
	struct shim_pmns_tree *pmns;
};

/* The thread's current context, locked; 0 or a PMAPI error. */
int shim_context__enter(struct shim_context **out);
/* The context of a handle, locked */
int shim_context__enter_handle(int handle, struct shim_context **out);
/* The thread's current context, locked; PM_ERR_NOTARCHIVE if it is not an archive's */
int shim_context__enter_archive(struct shim_context **out);
/* Calls @fn with each context, locked: the sum of what it returns, or -ENOMEM */
int shim_context__each(int (*fn)(struct shim_context *ctx, void *arg), void *arg);
/* Unlocks, and returns @result for the caller to return. */
int shim_context__leave(struct shim_context *ctx, int result);

#endif /* SHIM_PCP_CONTEXT_H */
