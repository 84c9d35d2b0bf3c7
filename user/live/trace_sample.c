// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Read trace statistics from the maps, and keep them when tracing is turned off and on.
 *
 * A session's statistics in the maps are added to the statistics of earlier sessions.  When a
 * session has ended, its reader is read one last time.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

#include "base/vec.h"
#include "core/bpf.h"
#include "trace_state.h"

static const uint32_t kind_of[KINDS] = {
	[TRANSACT] = VC_TRANSACT,
	[POINT] = VC_POINT,
	[OBSERVE] = VC_OBSERVE,
	[COUNTER] = VC_COUNTER,
};

/**
 * shim_live_trace__create() - create the metrics of tracing, without instances
 * @out: written on success
 *
 * Return: 0 or -ENOMEM.
 */
int shim_live_trace__create(struct shim_live_trace **out)
{
	struct shim_live_trace *trace = calloc(1, sizeof(*trace));

	if (!trace)
		return -ENOMEM;
	for (enum kind kind = 0; kind < KINDS; kind++)
		shim_live_tags__init(&trace->of[kind]);
	shim_live_pairs__init(&trace->pairs);
	*out = trace;
	return 0;
}

void shim_live_trace__destroy(struct shim_live_trace *trace)
{
	if (!trace)
		return;
	shim_bpf_reader__close(trace->reader);
	shim_bpf_reader__close(trace->ended);
	for (enum kind kind = 0; kind < KINDS; kind++)
		shim_live_tags__free(&trace->of[kind]);
	shim_live_pairs__free(&trace->pairs);
	shim_live_split__close(&trace->split);
	free(trace->taken);
	free(trace);
}

/**
 * shim_live_trace__open() - open the maps of tracing, unless they are open
 * @trace: receives the reader of the maps
 *
 * Return: 0, or an error from shim_bpf_reader__open(); -ENOENT while tracing is off.
 */
int shim_live_trace__open(struct shim_live_trace *trace)
{
	int ret;

	if (trace->reader)
		return 0;
	ret = shim_bpf_reader__open(true, &trace->reader);
	if (ret)
		return ret;
	trace->session++;
	return 0;
}

/* A row that has changed */
struct changed {
	uint64_t id;	/* ID of the row's tag */
	size_t at;	/* the row's index */
};

/* The maps have no order.  Sort tags by ID, because smaller IDs were assigned earlier. */
static int by_id(const void *a, const void *b)
{
	const struct changed *x = a, *y = b;

	return (x->id > y->id) - (x->id < y->id);
}

static int stat_take(struct shim_live_trace *trace, const struct shim_bpf_stat *stat,
		     unsigned int session, struct shim_live_tag **known)
{
	int ret = 0;

	for (enum kind kind = 0; kind < KINDS && !ret; kind++)
		if (kind_of[kind] == stat->key.kind)
			ret = shim_live_tags__take(&trace->of[kind], stat, session, known);
	return ret;
}

/*
 * Return the tag to which the row with this index belonged last time, or NULL if it may belong to
 * another tag now.  The kernel never reuses a tag's ID for another tag, but the IDs of rows that
 * programs write themselves may change.
 */
static struct shim_live_tag *known_tag(const struct shim_live_trace *trace, size_t i,
				       const struct vc_stat_key *key)
{
	const struct shim_live_taken *taken = &trace->taken[i];

	if (i >= trace->ntaken || key->tag & SHIM_DIRECT_ID || taken->key.tag != key->tag ||
	    taken->key.kind != key->kind)
		return NULL;
	return taken->tag;
}

/*
 * List the rows that have changed since they were last processed, and return their number.  If
 * there are new tags among them, sort by ID; otherwise rows stay in the order of memory, which is
 * faster.
 */
static size_t changed_rows(const struct shim_live_trace *trace, const struct shim_bpf_stat *stats,
			   size_t n, struct changed *changed)
{
	size_t nchanged = 0;
	bool any_new = false;

	for (size_t i = 0; i < n; i++) {
		if (i < trace->ntaken && trace->taken[i].version == stats[i].version)
			continue;
		changed[nchanged++] = (struct changed) { stats[i].key.tag, i };
		any_new |= !known_tag(trace, i, &stats[i].key);
	}
	if (any_new)
		qsort(changed, nchanged, sizeof(*changed), by_id);
	return nchanged;
}

/*
 * Process the rows that have changed.  After a failure, the next call processes all rows again,
 * which is harmless.
 */
static int take_changed(struct shim_live_trace *trace, const struct shim_bpf_stat *stats, size_t n,
			struct changed *changed, unsigned int session)
{
	size_t nchanged = changed_rows(trace, stats, n, changed);
	int ret = 0;

	for (size_t i = 0; i < nchanged && !ret; i++) {
		const struct shim_bpf_stat *stat = &stats[changed[i].at];
		struct shim_live_tag *tag = known_tag(trace, changed[i].at, &stat->key);

		ret = stat_take(trace, stat, session, &tag);
		trace->taken[changed[i].at] = (struct shim_live_taken) {
			.key = stat->key, .version = stat->version, .tag = tag,
		};
	}
	trace->ntaken = ret ? 0 : n;
	return ret;
}

static int remove_gone(struct shim_live_trace *trace, enum kind kind, const struct shim_bpf_stat *stats,
		       size_t n)
{
	struct shim_live_tags *tags = &trace->of[kind];
	const uint64_t sample = trace->samples + 1;	/* number of the current sample */

	for (size_t i = 0; i < n; i++)
		if (stats[i].key.kind == kind_of[kind])
			shim_live_tags__see(tags, stats[i].tag, sample);
	if (shim_live_tags__mark(tags, sample))
		return -ENOMEM;
	if (kind == TRANSACT)
		shim_live_pairs__reap(&trace->pairs);
	trace->ntaken = 0;	/* taken[] may point to tags that are freed below */
	shim_live_tags__sweep(tags);
	return 0;
}

/*
 * If there are too many removed tags, drop the tags that have been idle longest.  Return 0 or
 * -ENOMEM.
 */
static int remove_idle(struct shim_live_trace *trace, const struct shim_bpf_stat *stats, size_t n)
{
	size_t present[KINDS] = { 0 };
	int ret = 0;

	/* taken[] has the same keys as @stats, which uses much more memory. */
	for (size_t i = 0; i < n; i++)
		for (enum kind kind = 0; kind < KINDS; kind++)
			present[kind] += kind_of[kind] == trace->taken[i].key.kind;
	for (enum kind kind = 0; kind < KINDS && !ret; kind++)
		if (shim_live_tags__are_too_many(&trace->of[kind], present[kind]))
			ret = remove_gone(trace, kind, stats, n);
	return ret;
}

static int take_stats(struct shim_live_trace *trace, struct shim_bpf_reader *reader,
		      unsigned int session)
{
	const struct shim_bpf_stat *stats;
	struct changed *changed;
	size_t n;
	int ret = shim_bpf_reader__stats(reader, &stats, &n);

	if (ret)
		return ret;
	if (shim_vec__reserve(trace->taken, &trace->taken_room, n))
		return -ENOMEM;
	changed = malloc((n + 1) * sizeof(*changed));
	if (!changed)
		return -ENOMEM;
	ret = take_changed(trace, stats, n, changed, session);
	free(changed);
	return ret ? ret : remove_idle(trace, stats, n);
}

static int take_from(struct shim_live_trace *trace, struct shim_bpf_reader *reader,
		     unsigned int session)
{
	int ret = take_stats(trace, reader, session);

	return ret ? ret : shim_live_pairs__counted(&trace->pairs, reader, &trace->of[TRANSACT],
						    session);
}

/*
 * Keep the reader after tracing has been turned off.  It still has the maps, which contain the
 * events after the last sample.
 */
static void keep_ended_reader(struct shim_live_trace *trace)
{
	shim_bpf_reader__close(trace->ended);
	trace->ended = trace->reader;
	trace->ended_session = trace->session;
	trace->reader = NULL;
	trace->ntaken = 0;
}

/*
 * Read the ended session's statistics.  After -ENOMEM, the next sample tries again, because only
 * this reader still has the maps.
 */
static int take_ended(struct shim_live_trace *trace)
{
	int ret;

	if (!trace->ended)
		return 0;
	shim_bpf_reader__has_ended(trace->ended);
	ret = take_from(trace, trace->ended, trace->ended_session);
	if (ret == -ENOMEM)
		return ret;
	shim_bpf_reader__close(trace->ended);
	trace->ended = NULL;
	trace->ntaken = 0;
	return ret == -ESTALE ? 0 : ret;
}

static int take_all(struct shim_live_trace *trace)
{
	int ret = take_ended(trace);

	if (!ret)
		ret = shim_live_trace__open(trace);
	if (!ret)
		ret = take_from(trace, trace->reader, trace->session);
	if (ret == -ESTALE)
		keep_ended_reader(trace);
	return ret;
}

/* Return whether there are any instances. */
bool shim_live_trace__any(const struct shim_live_trace *trace)
{
	for (enum kind kind = 0; kind < KINDS; kind++)
		if (trace->of[kind].n)
			return true;
	return false;
}

/**
 * shim_live_trace__sample() - read the statistics; valid until the next sample
 * @trace: receives the statistics
 *
 * While tracing is off, totals do not change.  After it is turned on again, new statistics are
 * added to them.
 *
 * Return: 0, or the reason why there are no new values: -ENOENT while tracing is off, -ENOMEM, or
 * another error from shim_bpf_reader__open() or __stats().
 */
int shim_live_trace__sample(struct shim_live_trace *trace)
{
	int ret = take_all(trace);

	/* Tracing was turned off since the last sample, and may be on again with new maps. */
	if (ret == -ESTALE)
		ret = take_all(trace);
	if (!ret)
		ret = shim_live_pairs__slots(&trace->pairs, &trace->of[TRANSACT]);
	if (!ret)
		ret = shim_live_split__sample(&trace->split, &trace->of[TRANSACT]);
	trace->when = shim_live__now_ns();
	trace->samples++;
	/* Without instances nothing can be settled, so intervals of the first events start here. */
	if (!shim_live_trace__any(trace))
		trace->before = trace->when;
	return ret == -ESTALE ? -ENOENT : ret;
}

/*
 * Call this when the sample has been passed on.  Intervals of later values then start at this
 * sample.
 */
void shim_live_trace__settle(struct shim_live_trace *trace)
{
	if (!trace->samples)
		return;
	for (enum kind kind = 0; kind < KINDS; kind++)
		shim_live_tags__written(&trace->of[kind]);
	trace->before = trace->when;
	trace->samples++;
}

static int take_drops(struct shim_live_trace *trace, uint64_t drops[VC_DROP_NR])
{
	int ret = shim_live_trace__open(trace);

	if (!ret)
		ret = shim_bpf_reader__check(trace->reader);
	if (!ret)
		ret = shim_bpf_reader__drops(trace->reader, drops);
	if (ret == -ESTALE)
		keep_ended_reader(trace);
	return ret;
}

/**
 * shim_live_trace__drops() - get the number of events missing from the statistics, by reason
 * @trace: need not have been sampled
 * @drops: one count for each reason
 *
 * Return: 0, -ENOENT while tracing is off, or an error from shim_bpf_reader__open() or __drops().
 */
int shim_live_trace__drops(struct shim_live_trace *trace, uint64_t drops[VC_DROP_NR])
{
	int ret = take_drops(trace, drops);

	/* Tracing was turned off since the reader was opened, and may be on again with new maps. */
	if (ret == -ESTALE)
		ret = take_drops(trace, drops);
	return ret == -ESTALE ? -ENOENT : ret;
}
