// SPDX-License-Identifier: LGPL-2.1-or-later
/* Write transactions and other trace events, which live/trace.h reads, to an archive. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "live/trace.h"
#include "record.h"
#include "record_changes.h"

#define MAX_INDOMS	16

/* Trace statistics and the numbers of instances, shared by @users consecutive archives */
struct shared {
	struct shim_live_trace *live;
	unsigned int users;
};

struct shim_rec_trace {
	struct shared *shared;
	struct shim_live_trace *live;	/* @live of @shared */
	uint64_t written[MAX_INDOMS];	/* the last changes of instances written to the archive */
	struct shim_rec_changes *changes;	/* NULL if each record has all values */
};

static int write_metrics(struct shim_writer *w)
{
	const struct shim_metric_indom *indom;
	const struct shim_metric *m;
	int ret = 0;

	for (size_t i = 0; (m = shim_live_trace__metric(i)) && !ret; i++)
		if (!m->live_only)
			ret = shim_rec_metric__write(w, m);
	for (size_t i = 0; (indom = shim_live_trace__indom(i)) && !ret; i++)
		if (!indom->live_only)
			ret = shim_rec_indom__describe(w, indom);
	return ret;
}

static void unshare(struct shared *shared)
{
	if (!shared || --shared->users)
		return;
	shim_live_trace__destroy(shared->live);
	free(shared);
}

/* Start reading trace statistics.  *@out has one user. */
static int share(struct shared **out)
{
	struct shared *shared = calloc(1, sizeof(*shared));
	int ret = shared ? shim_live_trace__create(&shared->live) : -ENOMEM;

	if (shared)
		shared->users = 1;
	if (!ret)
		ret = shim_live_trace__open(shared->live);
	if (ret)
		unshare(shared);
	else
		*out = shared;
	return ret;
}

/**
 * shim_rec_trace__create() - open the trace statistics for recording
 * @w: the writer of the archive, in which the metrics are declared
 * @before: the trace of the archive that this one continues, whose instances keep their numbers; or
 *	NULL
 * @changes: write only values that have changed
 * @out: set on success
 *
 * Context: one thread owns the traces of consecutive archives.
 * Return: 0, -ENOMEM, or an error from shim_bpf_reader__open() or the writer.
 */
int shim_rec_trace__create(struct shim_writer *w, struct shim_rec_trace *before,
			   bool changes, struct shim_rec_trace **out)
{
	struct shim_rec_trace *trace = calloc(1, sizeof(*trace));
	int ret = trace ? 0 : -ENOMEM;

	if (!ret && changes) {
		trace->changes = shim_rec_changes__new();
		ret = trace->changes ? 0 : -ENOMEM;
	}
	if (!ret && before) {
		trace->shared = before->shared;
		trace->shared->users++;
	} else if (!ret) {
		ret = share(&trace->shared);
	}
	if (!ret) {
		trace->live = trace->shared->live;
		ret = write_metrics(w);
	}
	if (ret)
		shim_rec_trace__destroy(trace);
	else
		*out = trace;
	return ret;
}

void shim_rec_trace__destroy(struct shim_rec_trace *trace)
{
	if (trace) {
		unshare(trace->shared);
		shim_rec_changes__free(trace->changes);
	}
	free(trace);
}

/* Return whether there are any instances. */
bool shim_rec_trace__any(const struct shim_rec_trace *trace)
{
	return shim_live_trace__any(trace->live);
}

/* Like shim_live_trace__sample(), but it is not an error if tracing is off now. */
int shim_rec_trace__sample(struct shim_rec_trace *trace)
{
	int ret = shim_live_trace__sample(trace->live);

	return ret == -ENOENT ? 0 : ret;
}

static int list_names(const struct shim_live_trace *live, size_t i, size_t n,
		      struct shim_arena *arena, int32_t *inst, const char **name)
{
	char buf[SHIM_LIVE_NAME_LEN];

	for (size_t k = 0; k < n; k++) {
		shim_live_trace__name(live, i, k, buf, sizeof(buf));
		inst[k] = shim_live_trace__inst(live, i, k);
		name[k] = shim_arena__string(arena, buf, strlen(buf));
		if (!name[k])
			return -ENOMEM;
	}
	return 0;
}

static int write_names(const struct shim_live_trace *live, size_t i, struct shim_writer *w,
		       struct shim_indom *indom)
{
	struct shim_arena arena = { 0 };
	int32_t *inst = shim_arena__array(&arena, indom->n + 1, sizeof(*inst));
	const char **name = shim_arena__array(&arena, indom->n + 1, sizeof(*name));
	int ret = -ENOMEM;

	if (inst && name)
		ret = list_names(live, i, indom->n, &arena, inst, name);
	indom->inst = inst;
	indom->name = name;
	if (!ret)
		ret = shim_writer__indom(w, indom);
	shim_arena__free(&arena);
	return ret;
}

/*
 * Complete the last record, if only changes are written.  Call this before the sample's instances
 * are written.
 */
int shim_rec_trace__begin(struct shim_rec_trace *trace, struct shim_writer *w)
{
	return trace->changes ? shim_rec_changes__take(trace->changes, trace->live, w) : 0;
}

/**
 * shim_rec_trace__instances() - write the instance domains that have changed
 * @trace: the trace, which has been sampled
 * @w: the archive's writer
 * @stamp: timestamp of the next record
 *
 * Return: 0, -ENOMEM, or an error from the writer.
 */
int shim_rec_trace__instances(struct shim_rec_trace *trace, struct shim_writer *w,
			      struct shim_ts stamp)
{
	const struct shim_metric_indom *about;
	int ret = 0;

	for (size_t i = 0; (about = shim_live_trace__indom(i)) && !ret; i++) {
		struct shim_indom indom = { .stamp = stamp, .indom = about->indom };
		uint64_t changes = shim_live_trace__changes(trace->live, i);

		indom.n = shim_live_trace__instances(trace->live, i);
		if (about->live_only || i >= MAX_INDOMS || changes == trace->written[i])
			continue;
		ret = write_names(trace->live, i, w, &indom);
		if (!ret)
			trace->written[i] = changes;
	}
	return ret;
}

static int write_metric(const struct shim_rec_trace *trace, size_t i, size_t n,
			struct shim_writer *w)
{
	const struct shim_live_trace *live = trace->live;
	int ret = shim_writer__vset(w, shim_live_trace__metric(i)->pmid, 0);

	if (!ret && trace->changes)
		return shim_rec_changes__values(trace->changes, i, w);
	for (size_t k = 0; k < n && !ret; k++) {
		struct shim_value value = { 0 };

		if (shim_live_trace__value(live, i, k, &value))
			ret = shim_writer__value(w, &value);
	}
	return ret;
}

/**
 * shim_rec_trace__values() - write the values of the last sample
 * @trace: the trace, which has been sampled
 * @w: the writer, which has begun a record
 *
 * Metrics without instances are omitted.
 *
 * Return: 0 or an error from the writer.
 */
int shim_rec_trace__values(struct shim_rec_trace *trace, struct shim_writer *w)
{
	const struct shim_metric *m;
	int ret = 0;

	for (size_t i = 0; (m = shim_live_trace__metric(i)) && !ret; i++) {
		size_t n = shim_live_trace__instances(trace->live, shim_live_trace__domain(i));

		if (n && !m->live_only)
			ret = write_metric(trace, i, n, w);
	}
	return ret;
}

/* The record of the sample has been written with this stamp. */
void shim_rec_trace__settle(struct shim_rec_trace *trace, struct shim_ts stamp)
{
	shim_live_trace__settle(trace->live);
	if (trace->changes)
		shim_rec_changes__settle(trace->changes, stamp);
}

/* Complete the last record of the archive.  Return 0 or an error from the writer. */
int shim_rec_trace__finish(struct shim_rec_trace *trace, struct shim_writer *w)
{
	return trace->changes ? shim_rec_changes__finish(trace->changes, w) : 0;
}
