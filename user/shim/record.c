// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The recorder, which writes one record of all its sources at each tick.
 *
 * Samples and transactions have CLOCK_MONOTONIC times.  The archive's timestamps are these times
 * plus the offset of the wall clock at the start.  Therefore they never go backwards, even if the
 * wall clock is changed.  A recorder that continues another one also keeps its offset if the wall
 * clock was set back by at most MOST_BACK, so that the archives do not overlap.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "archive/files.h"
#include "archive/format.h"
#include "base/api.h"
#include "record.h"
#include "recorder.h"

#define MOST_BACK	60000000000	/* ns */

static uint64_t clock_ns(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return (uint64_t)ts.tv_sec * 1000000000 + ts.tv_nsec;
}

/*
 * Read the wall clock between two reads of the monotonic clock, and use the closest of a few tries.
 */
static int64_t wall_offset(void)
{
	uint64_t best = UINT64_MAX;
	int64_t offset = 0;

	for (int i = 0; i < 5; i++) {
		uint64_t before = clock_ns(CLOCK_MONOTONIC);
		uint64_t wall = clock_ns(CLOCK_REALTIME);
		uint64_t width = clock_ns(CLOCK_MONOTONIC) - before;

		if (width >= best)
			continue;
		best = width;
		offset = wall - (before + width / 2);
	}
	return offset;
}

/* Return the offset of the recorder before, or of the wall clock. */
static int64_t offset_after(const struct shim_recorder *after)
{
	int64_t offset = wall_offset();

	if (after && offset < after->offset && offset + MOST_BACK >= after->offset)
		return after->offset;
	return offset;
}

static int open_archive(struct shim_recorder *rec, const char *archive, int version)
{
	rec->offset = offset_after(rec->after);
	rec->label.version = version;
	/*
	 * The label has no start time: like archives of PCP, this one starts at its first record.
	 */
	shim_rec_label__fill(&rec->label);
	return shim_writer__open(archive, &rec->label, &rec->w);
}

static void free_recorder(struct shim_recorder *rec)
{
	shim_rec_trace__destroy(rec->trace);
	shim_rec_sets__destroy(rec->sets);
	free(rec->archive);
	free(rec->labels);
	free(rec);
}

/**
 * shim_record_open() - create an archive
 * @archive: the archive's name, without .meta, .index or .0
 * @options: options, or NULL for the defaults
 * @out: the recorder, to be closed with shim_record_close()
 *
 * Return: 0, -EEXIST (an archive with that name exists), -EINVAL (options), -ENOMEM, or an error
 * from creating its files.
 */
SHIM_API int shim_record_open(const char *archive, const struct shim_record_options *options,
			      struct shim_recorder **out)
{
	const bool continues = options && options->size == sizeof(*options) && options->after;
	int version = options ? options->version : 0;
	struct shim_recorder *rec;
	int ret;

	/* The first version of the struct had no @after. */
	if (options && ((options->size != sizeof(*options) &&
			 options->size != offsetof(struct shim_record_options, after)) ||
			(version && version != 2 && version != 3)))
		return -EINVAL;
	if (!archive || !out)
		return -EINVAL;
	rec = calloc(1, sizeof(*rec));
	if (!rec)
		return -ENOMEM;
	rec->after = continues ? options->after : NULL;
	rec->archive = strdup(archive);
	if (rec->after && rec->after->labels)
		rec->labels = strdup(rec->after->labels);
	ret = rec->archive && (!rec->after || !rec->after->labels || rec->labels) ?
		shim_rec_sets__create(&rec->sets) : -ENOMEM;
	if (!ret)
		ret = open_archive(rec, archive, version);
	if (ret) {
		free_recorder(rec);
		return ret;
	}
	*out = rec;
	return 0;
}

/**
 * shim_record_add_set() - record a set's counts from now on
 * @rec: the recorder
 * @set: the set, bound to one target; it must exist until shim_record_close()
 * @pid: the counted process, which determines the instance of the metrics vcpc.count.* and
 *	vcpc.time.*; 0 for the caller
 *
 * A process may have several sets with different events; vcpc.time.* belong to the set that was
 * added first.
 *
 * Return: 0, -EEXIST (one of the events is already recorded for that process), -EINVAL (two events
 * of the set, or an event of another set, would have the same metric; or events are multiplexed),
 * -ENOSPC (too many metrics), -ENOMEM, or an error from writing.
 */
SHIM_API int shim_record_add_set(struct shim_recorder *rec, struct shim_set *set, pid_t pid)
{
	const char *name = NULL;

	if (!rec || !set)
		return -EINVAL;
	pid = pid ? pid : getpid();
	if (rec->after)
		name = shim_rec_sets__name(rec->after->sets, pid);
	return shim_rec_sets__add(rec->sets, rec->w, set, pid, name);
}

/**
 * shim_record_add_named() - record a set's counts under a name chosen by the caller
 * @rec: the recorder
 * @set: the set, bound to one or more targets; it must exist until shim_record_close()
 * @id: number of the instance, at least 0; it must differ from those of other sets with the same
 *	events
 * @name: name of the instance
 *
 * Return: as for shim_record_add_set(), and -EINVAL for an invalid number or name.
 */
SHIM_API int shim_record_add_named(struct shim_recorder *rec, struct shim_set *set, int id,
				   const char *name)
{
	if (!rec || !set || id < 0 || !name || !*name)
		return -EINVAL;
	return shim_rec_sets__add(rec->sets, rec->w, set, id, name);
}

/**
 * shim_record_add_trace() - record the machine's transactions from now on
 * @rec: the recorder
 *
 * Tracing may be off if the recorder continues an archive that records transactions.
 *
 * Return: 0, -EEXIST (transactions are already recorded), -ENOENT (tracing is off), -EPERM (root
 * is required), -ENOMEM, or an error from writing.
 */
SHIM_API int shim_record_add_trace(struct shim_recorder *rec)
{
	struct shim_rec_trace *before;

	if (!rec)
		return -EINVAL;
	before = rec->after ? rec->after->trace : NULL;
	return rec->trace ? -EEXIST : shim_rec_trace__create(rec->w, before, rec->changes, &rec->trace);
}

/**
 * shim_record_changes() - omit transactions' values that have not changed
 * @rec: the recorder, before its first record
 *
 * A value is written when it changes, in the last record before it changes, in each 60th record and
 * in the last record, so that interpolated values are the same.  The archive has the label
 * unchanged="omitted".
 *
 * Return: 0, -EINVAL (no recorder, or transactions have already been added), or as for
 * shim_record_label().
 */
SHIM_API int shim_record_changes(struct shim_recorder *rec)
{
	int ret = rec && !rec->trace ? shim_record_label(rec, "unchanged", "omitted") : -EINVAL;

	/* An archive that continues another one has its labels. */
	if (ret && ret != -EEXIST)
		return ret;
	rec->changes = true;
	return 0;
}

/*
 * Write the instances.  @other is the number of metrics of the program's own source; if it is 0,
 *	the source is not called.
 */
static int write_instances(struct shim_recorder *rec, struct shim_ts stamp, int other)
{
	int ret = shim_rec_sets__instances(rec->sets, rec->w, stamp);

	if (!ret && rec->trace)
		ret = shim_rec_trace__instances(rec->trace, rec->w, stamp);
	rec->stamp = stamp;
	return ret || other <= 0 ? ret : rec->source.instances(rec->source_arg, rec);
}

static const struct shim_metric missed_metric = {
	"vcpc.record.missed", SHIM_PMID(SHIM_DOMAIN_VCPC, SHIM_CLUSTER_RECORD, 0),
	SHIM_INDOM_NULL, SHIM_TYPE_U64, SHIM_SEM_INSTANT, SHIM_UNITS_COUNT, 0,
	"intervals without a record",
	"Number of intervals since the start of the archive in which no record was written,\n"
	"because the recorder did not run in time. Recorded only if it is not 0."
};

/* Declare the metric when the first interval was missed. */
static int declare_missed(struct shim_recorder *rec)
{
	int ret = rec->missed && !rec->missed_known ?
		shim_rec_metric__write(rec->w, &missed_metric) : 0;

	rec->missed_known |= rec->missed && !ret;
	return ret;
}

static int write_missed(struct shim_recorder *rec)
{
	const struct shim_value value = { .inst = -1, .type = SHIM_TYPE_U64, .ull = rec->missed };
	int ret;

	if (!rec->missed_known)
		return 0;
	ret = shim_writer__vset(rec->w, missed_metric.pmid, 0);
	return ret ? ret : shim_writer__value(rec->w, &value);
}

static int write_values(struct shim_recorder *rec, int other)
{
	int ret = shim_rec_sets__values(rec->sets, rec->w);

	if (!ret)
		ret = write_missed(rec);
	if (!ret && other > 0)
		ret = rec->source.values(rec->source_arg, rec);
	return ret || !rec->trace ? ret : shim_rec_trace__values(rec->trace, rec->w);
}

/*
 * Write a record.  @other is the number of metrics for which the program's own source has values,
 *	or a negative error.
 */
static int write_record(struct shim_recorder *rec, struct shim_ts stamp, int other)
{
	int ret;

	/* Do not write a record without values, because PCP interprets it as a gap. */
	if (!shim_rec_sets__any(rec->sets) && !(rec->trace && shim_rec_trace__any(rec->trace)) &&
	    other <= 0)
		return 0;
	ret = rec->trace ? shim_rec_trace__begin(rec->trace, rec->w) : 0;
	if (!ret && !rec->records)
		ret = shim_rec_label__context(rec->w, rec->label.host, rec->labels, stamp);
	if (!ret)
		ret = write_instances(rec, stamp, other);
	if (!ret)
		ret = declare_missed(rec);
	if (!ret)
		ret = shim_writer__begin(rec->w, stamp);
	if (ret)
		return ret;
	ret = write_values(rec, other);
	if (ret) {
		shim_writer__cancel(rec->w);
		return ret;
	}
	ret = shim_writer__commit(rec->w);
	rec->records += !ret;
	if (!ret && rec->trace)
		shim_rec_trace__settle(rec->trace, stamp);
	return ret;
}

static int sample_all(struct shim_recorder *rec, uint64_t *when)
{
	int sets = shim_rec_sets__sample(rec->sets, when);
	int trace = rec->trace ? shim_rec_trace__sample(rec->trace) : 0;

	return sets ? sets : trace;
}

/**
 * shim_record_tick() - record the current values
 * @rec: the recorder
 *
 * Sources that cannot be sampled are omitted from the record; shim_record_missing() returns the
 * reason.
 *
 * Return: 0, even if there was nothing to record yet, or an error from writing.
 */
SHIM_API int shim_record_tick(struct shim_recorder *rec)
{
	uint64_t when = clock_ns(CLOCK_MONOTONIC);
	struct shim_ts stamp;
	int other, ret;

	if (!rec)
		return -EINVAL;
	rec->after = NULL;
	rec->missing = sample_all(rec, &when);
	other = rec->source.sample ? rec->source.sample(rec->source_arg) : 0;
	if (other < 0 && !rec->missing)
		rec->missing = other;
	stamp = shim_ts__from_ns(when + rec->offset);
	if (shim_ts__cmp(stamp, rec->last) < 0)
		stamp = rec->last;
	ret = write_record(rec, stamp, other);
	if (!ret)
		rec->last = stamp;
	return ret;
}

/**
 * shim_record_missed() - note that a program has not called shim_record_tick() in time
 * @rec: the recorder
 * @intervals: number of intervals in which a record should have been written; may be 0
 *
 * From the next record on, the archive has the sum as the metric vcpc.record.missed.
 *
 * Return: 0 or -EINVAL.
 */
SHIM_API int shim_record_missed(struct shim_recorder *rec, uint64_t intervals)
{
	if (!rec)
		return -EINVAL;
	rec->missed += intervals;
	return 0;
}

/**
 * shim_record_missing() - get the reason why values are missing from the last record
 * @rec: the recorder
 *
 * Return: 0 if none are missing, or the first reason: -EAGAIN (a set's counters were removed from
 * the CPU), -EINVAL (a set is no longer bound), -ENOMEM.  If only tracing is off, the result is 0,
 * because no events are missed.
 */
SHIM_API int shim_record_missing(const struct shim_recorder *rec)
{
	return rec ? rec->missing : -EINVAL;
}

/**
 * shim_record_count() - get the number of records written so far
 * @rec: the recorder
 *
 * A tick writes no record if there is nothing to record.
 *
 * Return: the number.
 */
SHIM_API uint64_t shim_record_count(const struct shim_recorder *rec)
{
	return rec ? rec->records : 0;
}

/**
 * shim_record_close() - complete the archive
 * @rec: freed, even on errors
 *
 * Return: 0, or an error from writing.
 */
SHIM_API int shim_record_close(struct shim_recorder *rec)
{
	int ret, err;

	if (!rec)
		return -EINVAL;
	err = rec->trace ? shim_rec_trace__finish(rec->trace, rec->w) : 0;
	ret = shim_writer__close(rec->w);
	free_recorder(rec);
	return err ? err : ret;
}

static bool remove_file(const struct shim_recorder *rec, int volume)
{
	char *path = shim_files__path(rec->archive, volume);
	bool removed = path && !unlink(path);

	free(path);
	return removed;
}

/**
 * shim_record_discard() - close an archive and remove its files
 * @rec: freed
 */
SHIM_API void shim_record_discard(struct shim_recorder *rec)
{
	if (!rec)
		return;
	shim_writer__close(rec->w);
	/* An archive of version 2 starts another volume after 2 GiB. */
	for (int volume = SHIM_VOLUME_INDEX; remove_file(rec, volume) || volume < 1; volume++)
		;
	free_recorder(rec);
}
