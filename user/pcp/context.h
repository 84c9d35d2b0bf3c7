/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A PMAPI context: its source of metrics, as a table of operations, its instance profile, and how
 * calls lock it.
 */
#ifndef SHIM_PCP_CONTEXT_H
#define SHIM_PCP_CONTEXT_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#include <pcp/pmapi.h>

#include "archive/interp.h"
#include "archive/pmidmap.h"
#include "archive/reader.h"
#include "archive/volume.h"
#include "base/tstamp.h"
#include "derived.h"
#include "pmns.h"
#include "plans.h"
#include "request.h"

struct shim_context;
struct shim_host;
struct shim_local;

/*
 * A domain's entry.  If @include is set, the entry includes all instances except @inst, otherwise
 * only @inst.
 */
struct shim_profile_indom {
	uint32_t indom;
	bool include;
	unsigned int n;
	size_t room;
	int32_t *inst;		/* in ascending order */
};

struct shim_profile {
	bool exclude;		/* default for a domain without an entry */
	unsigned int n;
	size_t room;
	struct shim_profile_indom *indoms;
};

void shim_profile__fini(struct shim_profile *profile);
int shim_profile__copy(struct shim_profile *to, const struct shim_profile *from);
/* Return whether the profile is empty and therefore includes all instances. */
bool shim_profile__is_all(const struct shim_profile *profile);
/* Filter function for archive/interp.h; @profile is a struct shim_profile. */
bool shim_profile__has(const void *profile, uint32_t indom, int32_t inst);

/* Label sets collected for the caller of a PMAPI function, who frees them */
struct shim_label_sets {
	pmLabelSet *all;
	int n;
};

/*
 * Allocate space for @n more sets, and zero it.  The caller adds to @sets->n.  Return NULL if out
 * of memory.
 */
pmLabelSet *shim_label_sets__grow(struct shim_label_sets *sets, size_t n);

/*
 * struct shim_source - the source of a context's metrics: an archive, a host, or this machine
 *
 * Each operation is called with the context locked.  It returns the result of its PMAPI call, in
 * PMAPI codes, and writes results only on success.  The public functions reject arguments that are
 * invalid for every source, so operations need not check them.
 *
 * @names_at: PMNS_x, the source of the names
 * @derived_last: a walk of the names binds the derived metrics first, and lists them last
 * @free: frees the source's part of a context
 * @dup: duplicates the source of @from in @to
 * @host: gets the host's name, truncated to @size - 1 bytes
 * @zone: gets the host's time zone, truncated in the same way
 * @reconnect: reconnects; returns 0 or an error
 * @set_mode: implements pmSetMode(), without the mode's unit
 * @profile_changed: called before the context's instance profile changes; NULL if not needed
 * @fetch: fetches values; returns 0 or the changes (PMCD_x); the caller copies the stamp into *@out
 * @record: fetches the next record with all its metrics
 * @store: stores values of @n metrics, each of which has at least one
 * @knows: returns whether the source has a metric's descriptor; NULL if that requires a request
 * @desc, @descs: get the descriptors of one or several metrics; an unknown metric gets the pmid
 *	PM_ID_NULL
 * @text: @about is PM_TEXT_PMID or PM_TEXT_INDOM, @level as for pmLookupText
 * @labels: adds sets; @level 0: all sets of a metric except its instances' sets, in ascending order
 *	of precedence
 * @instances, @instance_name, @instance: pmGetInDom, pmNameInDom, pmLookupInDom
 * @metrics: pmLookupName; the caller sets @pmids to PM_ID_NULL
 * @children: pmGetChildrenStatus; the caller sets *@offspring and *@status to NULL
 * @leaves: gets the names of all metrics at and below a name, in one allocation that the caller
 *	frees; returns their number
 * @names: pmNameAll
 */
struct shim_source {
	int names_at;
	bool derived_last;
	void (*free)(struct shim_context *ctx);
	int (*dup)(struct shim_context *to, struct shim_context *from);
	void (*host)(struct shim_context *ctx, char *buf, size_t size);
	int (*zone)(struct shim_context *ctx, char *buf, size_t size);
	int (*reconnect)(struct shim_context *ctx);
	int (*set_mode)(struct shim_context *ctx, int mode, const struct shim_ts *when,
			struct shim_ts delta);
	void (*profile_changed)(struct shim_context *ctx);
	int (*fetch)(struct shim_context *ctx, int n, const pmID *pmids, struct shim_ts *stamp,
		     pmResult **out);
	int (*record)(struct shim_context *ctx, struct shim_ts *stamp, pmResult **out);
	int (*store)(struct shim_context *ctx, int n, pmValueSet *const *sets);
	bool (*knows)(const struct shim_context *ctx, pmID pmid);
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

/*
 * struct shim_context - a source of metrics, and the settings for reading from it
 * @lock: guards all members below; a call holds it from enter to leave
 * @cancel: the cancellation state of the owner of @lock before it entered
 * @refs: references of the table and of calls; context.c explains when it may change
 * @source: operations of the source of metrics
 * @profile: the wanted instances
 * @derived: metrics computed from the source's metrics
 * @host: data of a host context, otherwise NULL
 * @local: data of a local context, otherwise NULL
 * @ar: archive of an archive context, otherwise NULL; most of the following members are only for
 *	archives
 * @origin: the current time
 * @cursor: for PM_MODE_FORW and BACK; positioned at @origin if @placed
 * @overlaps: the last record was the mark between two archives that overlap
 * @readbuf: @cursor's read buffer
 * @calls: number of calls that have entered the context
 * @passed: unusable volumes that were reported
 * @plans: how to build the results of requests from records
 * @whole_plans: how to build the results of whole records
 * @interp: for PM_MODE_INTERP; NULL until first use
 * @end: end of the archive, as last seen by PM_MODE_INTERP
 * @pmns: the tree of names; NULL until first use
 */
struct shim_context {
	pthread_mutex_t lock;
	_Atomic pthread_t owner;	/* the thread that holds the lock */
	int cancel;
	int handle;
	atomic_uint refs;
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
	bool overlaps;
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

/* Lock the thread's current context.  Return 0 or a PMAPI error. */
int shim_context__enter(struct shim_context **out);
/* Lock the context of a handle. */
int shim_context__enter_handle(int handle, struct shim_context **out);
/* Lock the thread's current context.  Return PM_ERR_NOTARCHIVE if it is not an archive context. */
int shim_context__enter_archive(struct shim_context **out);
/*
 * Call @fn with each context locked, without memory allocation; a context may not have the newest
 * global derived metrics yet.  Return the sum of its results.
 */
int shim_context__each(int (*fn)(struct shim_context *ctx, void *arg), void *arg);
/* Unlock the context, and return @result for the caller to return. */
int shim_context__leave(struct shim_context *ctx, int result);

#endif /* SHIM_PCP_CONTEXT_H */
