// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Contexts: the table of handles, and each thread's current context.
 *
 * Threads: "contexts" is guarded by table_lock, which is never held while a context's own lock is
 * taken.  A context in the table has a reference, so another reference can be added under
 * table_lock; dropping one takes no lock.  If a thread destroys a context while another thread is
 * in a call with it, the call frees the context when it returns.  The current handle is per thread.
 * A call that reads files cannot be canceled until it has left its context.  After fork the child
 * has a copy of all contexts that no other thread was using (drop_lost()).
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <syslog.h>

#include "base/api.h"
#include "base/process.h"
#include "base/vec.h"
#include "context.h"
#include "err.h"
#include "host.h"
#include "local.h"

static void drop_lost(void);

SHIM_FORK_LOCK(table_lock, 2, .in_child = drop_lost);
static struct {
	struct shim_context **all;	/* in ascending order of handles */
	unsigned int n;
	size_t room;
	int next_handle;
} contexts;

static __thread int current = PM_CONTEXT_UNDEF;

static bool is_lost(struct shim_context *ctx)
{
	if (ctx->owner == pthread_self())
		return false;
	return shim_fork__is_lost(&ctx->lock) || (ctx->ar && shim_archive__is_lost(ctx->ar));
}

/*
 * Called in a forked child.  Threads that do not exist in the child may have been inside calls.
 * Their contexts remain locked and inconsistent, so the child drops them.
 */
static void drop_lost(void)
{
	unsigned int n = 0;

	for (unsigned int i = 0; i < contexts.n; i++)
		if (!is_lost(contexts.all[i]))
			contexts.all[n++] = contexts.all[i];
	contexts.n = n;
}

/*
 * Return the index of a handle, or the index at which to insert it.  The caller holds table_lock.
 */
static unsigned int position_of(int handle)
{
	unsigned int lo = 0, hi = contexts.n;

	while (lo < hi) {
		unsigned int mid = (lo + hi) / 2;

		if (contexts.all[mid]->handle < handle)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

static struct shim_context *lookup(int handle)
{
	unsigned int i = (unsigned int)handle;

	/* Until a context is destroyed, the index of each is its handle. */
	if (i < contexts.n && contexts.all[i]->handle == handle)
		return contexts.all[i];
	i = position_of(handle);
	return i < contexts.n && contexts.all[i]->handle == handle ? contexts.all[i] : NULL;
}

static void context_free(struct shim_context *ctx)
{
	ctx->source->free(ctx);
	shim_derived__fini(&ctx->derived);
	shim_profile__fini(&ctx->profile);
	pthread_mutex_destroy(&ctx->lock);
	free(ctx);
}

/*
 * Each call gets and drops a reference, so a process with one thread does this without a lock and
 * without atomic read-modify-write instructions.  A signal handler that interrupts this and forks
 * finds the table unchanged.
 */
static unsigned int context_count(struct shim_context *ctx, unsigned int by)
{
	unsigned int refs;

	if (!__libc_single_threaded)
		return atomic_fetch_add(&ctx->refs, by) + by;
	refs = atomic_load_explicit(&ctx->refs, memory_order_relaxed) + by;
	atomic_store_explicit(&ctx->refs, refs, memory_order_relaxed);
	return refs;
}

static void context_put(struct shim_context *ctx)
{
	if (!context_count(ctx, -1u))
		context_free(ctx);
}

static struct shim_context *context_get(int handle)
{
	bool alone = __libc_single_threaded;
	struct shim_context *ctx;

	if (!alone)
		shim_fork_lock__enter(&table_lock);
	ctx = lookup(handle);
	if (ctx)
		context_count(ctx, 1);
	if (!alone)
		shim_fork_lock__leave(&table_lock);
	return ctx;
}

/*
 * Lock a context, unless the process had a single thread when the call began.  No callback of the
 * program runs during a call, so it cannot start a thread before the call ends.
 */
static void lock_context(struct shim_context *ctx, int cancel)
{
	if (cancel != SHIM_CANCEL_ALONE)
		pthread_mutex_lock(&ctx->lock);
	ctx->owner = pthread_self();
	ctx->cancel = cancel;
	ctx->calls++;
}

int shim_context__enter_handle(int handle, struct shim_context **out)
{
	int cancel = shim_cancel__off();
	struct shim_context *ctx = context_get(handle);
	int err;

	if (!ctx) {
		shim_cancel__restore(cancel);
		return PM_ERR_NOCONTEXT;
	}
	lock_context(ctx, cancel);
	/* Add the global derived metrics that were defined since this context's last call. */
	err = ctx->derived.globals == shim_registry__count() ? 0 : shim_derived__refresh(ctx);
	if (err)
		return shim_context__leave(ctx, err);
	*out = ctx;
	return 0;
}

int shim_context__enter(struct shim_context **out)
{
	return shim_context__enter_handle(current, out);
}

int shim_context__enter_archive(struct shim_context **out)
{
	struct shim_context *ctx;
	int err = shim_context__enter(&ctx);

	if (err)
		return err;
	if (!ctx->ar)
		return shim_context__leave(ctx, PM_ERR_NOTARCHIVE);
	*out = ctx;
	return 0;
}

/* Return the context with the lowest handle that is at least @handle and below @end, or NULL. */
static struct shim_context *get_next(int handle, int end)
{
	struct shim_context *ctx = NULL;
	unsigned int i;

	shim_fork_lock__enter(&table_lock);
	i = position_of(handle);
	if (i < contexts.n && contexts.all[i]->handle < end) {
		ctx = contexts.all[i];
		ctx->refs++;
	}
	shim_fork_lock__leave(&table_lock);
	return ctx;
}

int shim_context__each(int (*fn)(struct shim_context *ctx, void *arg), void *arg)
{
	int sum = 0, handle = 0, end;

	shim_fork_lock__enter(&table_lock);
	end = contexts.next_handle;
	shim_fork_lock__leave(&table_lock);
	for (;;) {
		int cancel = shim_cancel__off();
		struct shim_context *ctx = get_next(handle, end);

		if (!ctx) {
			shim_cancel__restore(cancel);
			return sum;
		}
		handle = ctx->handle + 1;
		lock_context(ctx, cancel);
		sum += shim_context__leave(ctx, fn(ctx, arg));
	}
}

int shim_context__leave(struct shim_context *ctx, int result)
{
	int cancel = ctx->cancel;

	ctx->owner = (pthread_t)0;
	if (cancel != SHIM_CANCEL_ALONE)
		pthread_mutex_unlock(&ctx->lock);
	context_put(ctx);
	shim_cancel__restore(cancel);
	return result;
}

static int take_handle(void)
{
	int handle;

	shim_fork_lock__enter(&table_lock);
	handle = contexts.next_handle++;
	shim_fork_lock__leave(&table_lock);
	return handle;
}

/* Add a context to the table, which takes ownership of the caller's reference. */
static int context_publish(struct shim_context *ctx)
{
	struct shim_context **slot;
	int err;

	shim_fork_lock__enter(&table_lock);
	err = shim_vec__room(contexts.all, &contexts.room, contexts.n);
	if (!err) {
		slot = &contexts.all[position_of(ctx->handle)];
		memmove(slot + 1, slot, (contexts.all + contexts.n++ - slot) * sizeof(*slot));
		*slot = ctx;
	}
	shim_fork_lock__leave(&table_lock);
	return err;
}

/*
 * Create a context without its source.  The caller sets the source before it publishes the context.
 */
static struct shim_context *context_new(const struct shim_source *source)
{
	struct shim_context *ctx = calloc(1, sizeof(*ctx));

	if (!ctx)
		return NULL;
	pthread_mutex_init(&ctx->lock, NULL);
	ctx->handle = take_handle();
	ctx->refs = 1;
	ctx->source = source;
	return ctx;
}

/* Free a context whose source could not be opened. */
static void context_discard(struct shim_context *ctx)
{
	pthread_mutex_destroy(&ctx->lock);
	free(ctx);
}

/* Publish a context and make it the thread's current one.  On error, free it. */
static int install(struct shim_context *ctx)
{
	int handle = ctx->handle;
	int err = shim_registry__begin();

	if (!err)
		err = context_publish(ctx);
	if (err) {
		context_free(ctx);
		return err;
	}
	current = handle;
	return handle;
}

static bool is_known(const struct shim_archive *ar)
{
	return !(shim_archive__label(ar)->features & ~PM_LOG_FEATURES);
}

/*
 * Return the archive of the next context, starting at index @i, that was opened under this name, or
 * NULL.
 */
static struct shim_archive *next_of_name(const char *name, bool any_feature, unsigned int *i)
{
	struct shim_archive *ar = NULL;

	shim_fork_lock__enter(&table_lock);
	for (; *i < contexts.n && !ar; ++*i)
		if (contexts.all[*i]->ar && shim_archive__has_name(contexts.all[*i]->ar, name) &&
		    (any_feature || is_known(contexts.all[*i]->ar)))
			ar = shim_archive__get(contexts.all[*i]->ar);
	shim_fork_lock__leave(&table_lock);
	return ar;
}

/* Return an archive that another context has open and whose files have not changed, or NULL. */
static struct shim_archive *find_open(const char *name, bool any_feature)
{
	struct shim_archive *ar;
	unsigned int i = 0;

	/* The files are checked without the lock, because their file server may not respond. */
	while ((ar = next_of_name(name, any_feature, &i))) {
		if (shim_archive__is_current(ar))
			return ar;
		shim_archive__put(ar);
	}
	return NULL;
}

/* Report a missing or damaged archive of a list, as PCP 7.2 does. */
static void report_skipped(const char *name, int err)
{
	char text[PM_MAXERRMSGLEN];

	pmNotifyErr(LOG_WARNING, "pmNewContext: skipped archive \"%s\": %s", name,
		    pmErrStr_r(shim_pcp__error(err), text, sizeof(text)));
}

static int open_archive(const char *name, bool any_feature, struct shim_archive **out)
{
	if (!*name)
		return -ENXIO;
	*out = find_open(name, any_feature);
	return *out ? 0 : shim_archive__open_all(name, any_feature, report_skipped, out);
}

static int new_archive(const char *name, bool any_feature)
{
	struct shim_archive *ar = NULL;
	struct shim_context *ctx;
	int err;

	err = open_archive(name, any_feature, &ar);
	if (err) {
		take_handle();
		return shim_pcp__error(err);
	}
	ctx = context_new(&shim_archive_source);
	if (!ctx) {
		shim_archive__put(ar);
		return -ENOMEM;
	}
	ctx->ar = ar;
	ctx->mode = PM_MODE_FORW;
	ctx->origin = shim_archive__label(ar)->start;
	return install(ctx);
}

static int new_host(int type, const char *name)
{
	struct shim_context *ctx = context_new(&shim_host_source);
	int err;

	if (!ctx)
		return -ENOMEM;
	err = shim_host__new(name, type & ~PM_CONTEXT_TYPEMASK, &ctx->host);
	if (err) {
		context_discard(ctx);
		return err;
	}
	return install(ctx);
}

static int new_local(void)
{
	struct shim_context *ctx = context_new(&shim_local_source);
	int err;

	if (!ctx)
		return -ENOMEM;
	err = shim_local__new(ctx);
	if (err) {
		context_discard(ctx);
		return err;
	}
	return install(ctx);
}

/**
 * pmNewContext() - open a source of metrics and make it this thread's current one
 * @type: PM_CONTEXT_ARCHIVE, PM_CONTEXT_HOST or PM_CONTEXT_LOCAL; ORed with
 *	PM_CTXFLAG_NO_FEATURE_CHECK, it also accepts an archive whose label requires unknown
 *	features
 * @name: for an archive, its base name, any of its files, a directory of archives, or a
 *	comma-separated list of these; several archives must come from the same host and are read in
 *	sequence.  For a host, the address of its pmcd as host:port, local: or unix:, see pmapi.rst.
 *	Ignored for PM_CONTEXT_LOCAL
 *
 * A new archive context is in PM_MODE_FORW at the archive's start.  A host context has its own
 * connection to pmcd.  Host and local contexts are in PM_MODE_LIVE.  A local context has the
 * metrics of this machine's module and trace maps, and the CPU counters configured in the file
 * $VCPC_CONFIG or /etc/vcpc.conf.
 *
 * Return: a handle, 0 or more, which is never reused in a process; PM_ERR_NOCONTEXT if @type is
 * unknown or @name is missing; for an archive, -ENOENT, PM_ERR_LOGFILE, PM_ERR_NODATA,
 * PM_ERR_LABEL, PM_ERR_LOGREC, PM_ERR_RECTYPE, PM_ERR_FEATURE; for several archives,
 * PM_ERR_LOGHOST, PM_ERR_LOGOVERLAP, PM_ERR_LOGCHANGETYPE and similar codes; for a host,
 * PM_ERR_GENERIC for a malformed host specification (a message goes to pmprintf()), PM_ERR_NOTHOST
 * for an empty one, -EHOSTUNREACH for an unknown host, -ECONNREFUSED and similar codes,
 * PM_ERR_TIMEOUT, PM_ERR_IPC, PM_ERR_PERMISSION, PM_ERR_CONNLIMIT, PM_ERR_NEEDCLIENTCERT,
 * -EOPNOTSUPP for encryption, compression and user names; for this machine, PM_ERR_GENERIC for an
 * invalid configuration (a message goes to pmprintf()).  After an error the thread keeps its
 * current context.
 */
SHIM_API int pmNewContext(int type, const char *name)
{
	int cancel, ret;

	switch (type & PM_CONTEXT_TYPEMASK) {
	case PM_CONTEXT_ARCHIVE:
		if (!name)
			return PM_ERR_NOCONTEXT;
		cancel = shim_cancel__off();
		ret = new_archive(name, type & PM_CTXFLAG_NO_FEATURE_CHECK);
		shim_cancel__restore(cancel);
		return ret;
	case PM_CONTEXT_HOST:
		if (!name)
			return PM_ERR_NOCONTEXT;
		cancel = shim_cancel__off();
		ret = new_host(type, name);
		shim_cancel__restore(cancel);
		return ret;
	case PM_CONTEXT_LOCAL:
		cancel = shim_cancel__off();
		ret = new_local();
		shim_cancel__restore(cancel);
		return ret;
	}
	return PM_ERR_NOCONTEXT;
}

/**
 * pmDupContext() - duplicate the current context and switch to the copy
 *
 * The copy has the same archive, mode, time and instance profile.  For a host, it has its own
 * connection.
 *
 * Return: the copy's handle, PM_ERR_NOCONTEXT if there is no current context, -ENOMEM, or an
 * error from connecting, as for pmNewContext().
 */
SHIM_API int pmDupContext(void)
{
	struct shim_context *ctx, *dup;
	int err = shim_context__enter(&ctx);

	if (err)
		return err;
	dup = context_new(ctx->source);
	if (!dup)
		return shim_context__leave(ctx, -ENOMEM);
	err = ctx->source->dup(dup, ctx);
	if (err) {
		context_discard(dup);
		return shim_context__leave(ctx, err);
	}
	err = shim_profile__copy(&dup->profile, &ctx->profile);
	shim_context__leave(ctx, 0);
	if (err) {
		context_free(dup);
		return err;
	}
	return install(dup);
}

/**
 * pmUseContext() - make a context this thread's current one
 * @handle: handle from pmNewContext() or pmDupContext() in any thread
 *
 * Return: 0, or PM_ERR_NOCONTEXT, which leaves the current context unchanged.
 */
SHIM_API int pmUseContext(int handle)
{
	struct shim_context *ctx = context_get(handle);

	if (!ctx)
		return PM_ERR_NOCONTEXT;
	context_put(ctx);
	current = handle;
	return 0;
}

/**
 * pmWhichContext() - get this thread's current context
 *
 * Return: its handle, or PM_ERR_NOCONTEXT.
 */
SHIM_API int pmWhichContext(void)
{
	struct shim_context *ctx = context_get(current);

	if (!ctx)
		return PM_ERR_NOCONTEXT;
	context_put(ctx);
	return current;
}

/**
 * pmDestroyContext() - destroy a context
 * @handle: the context's handle; if it is this thread's current context, the thread has no current
 *	context afterwards
 *
 * Return: 0 or PM_ERR_NOCONTEXT.
 */
SHIM_API int pmDestroyContext(int handle)
{
	struct shim_context *ctx;
	unsigned int at;
	int cancel;

	shim_fork_lock__enter(&table_lock);
	ctx = lookup(handle);
	if (ctx) {
		at = position_of(handle);
		contexts.n--;
		memmove(&contexts.all[at], &contexts.all[at + 1],
			(contexts.n - at) * sizeof(*contexts.all));
		if (!contexts.n) {
			free(contexts.all);
			contexts.all = NULL;
			contexts.room = 0;
		}
	}
	shim_fork_lock__leave(&table_lock);
	if (!ctx)
		return PM_ERR_NOCONTEXT;
	if (current == handle)
		current = PM_CONTEXT_UNDEF;
	cancel = shim_cancel__off();
	context_put(ctx);
	shim_cancel__restore(cancel);
	return 0;
}
