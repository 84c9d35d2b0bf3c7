/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A PMAPI context, and how calls lock it. */
#ifndef SHIM_PCP_CONTEXT_H
#define SHIM_PCP_CONTEXT_H

#include <pthread.h>
#include <stdbool.h>

#include <pcp/pmapi.h>

#include "archive/interp.h"
#include "archive/pmidmap.h"
#include "archive/reader.h"
#include "archive/volume.h"
#include "derived.h"
#include "plan.h"
#include "pmns.h"
#include "profile.h"
#include "request.h"
#include "source.h"

struct shim_host;
struct shim_local;

/*
 * struct shim_context - a source of metrics, and the settings for reading from it
 * @lock: guards all members below; a call holds it from enter to leave
 * @cancel: the cancellation state of the owner of @lock before it entered
 * @refs: guarded by the table's lock in context.c
 * @source: operations of the source of metrics
 * @profile: the instances that are wanted
 * @derived: metrics computed from those of the source
 * @host: data of a host context, otherwise NULL
 * @local: data of a local context, otherwise NULL
 * @ar: archive of an archive context, otherwise NULL; most members below are for archives only
 * @origin: the current time
 * @cursor: for PM_MODE_FORW and BACK; positioned at @origin if @placed
 * @readbuf: @cursor's read buffer
 * @calls: number of calls that have entered it
 * @passed: unusable volumes that were reported
 * @plans: how to build the results of requests from records
 * @whole_plans: likewise for results of whole records
 * @interp: for PM_MODE_INTERP; NULL until first use
 * @end: end of the archive, as last seen by PM_MODE_INTERP
 * @pmns: NULL until first use
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

/* Lock the thread's current context.  Returns 0 or a PMAPI error. */
int shim_context__enter(struct shim_context **out);
/* Lock the context of a handle. */
int shim_context__enter_handle(int handle, struct shim_context **out);
/* Lock the thread's current context; PM_ERR_NOTARCHIVE if it is not an archive context. */
int shim_context__enter_archive(struct shim_context **out);
/* Call @fn with each context locked.  Returns the sum of its results, or -ENOMEM. */
int shim_context__each(int (*fn)(struct shim_context *ctx, void *arg), void *arg);
/* Unlock the context, and return @result for the caller to return. */
int shim_context__leave(struct shim_context *ctx, int result);

#endif /* SHIM_PCP_CONTEXT_H */
