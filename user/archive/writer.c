// SPDX-License-Identifier: LGPL-2.1-or-later
/* Build records, and check each call against the rules in writer.h. */
#include <stdlib.h>
#include <unistd.h>

#include "declare.h"
#include "output.h"
#include "record.h"
#include "writer.h"

/*
 * struct shim_writer - an archive that is being written
 * @pending: metadata to be written with the next record
 * @start_given: the caller has set the label's start
 * @earliest: earliest stamp of the instance domains and labels; it can become the start if the
 *	caller has not set one
 * @indom_changed: the next record is written with a new state of an instance domain
 * @serial: counts records and sets, to detect metrics and instances that are used twice
 * @in_record: between begin and commit
 * @metric: metric of the set under construction, or NULL
 * @first: the first metric of the last record, or NULL
 * @hint: index at which the next instance is expected
 */
struct shim_writer {
	struct shim_output out;
	struct shim_declared declared;
	struct shim_buf pending;
	bool has_metric;
	bool start_given;
	bool has_earliest;
	bool indom_changed;
	struct shim_ts earliest;

	struct shim_rec_result rec;
	struct shim_ts stamp;
	struct shim_ts last;
	uint64_t serial;
	uint64_t record_serial;
	uint64_t set_serial;
	bool in_record;
	struct shim_declared_metric *metric;
	struct shim_declared_metric *first;
	int32_t set_error;
	unsigned int hint;
};

/* Return whether a stamp is valid and the version can represent it. */
static bool stamp_ok(const struct shim_format *f, struct shim_ts ts)
{
	if ((uint32_t)ts.nsec > 999999999)
		return false;
	return f->version > 2 || ts.sec == (int32_t)ts.sec;
}

/*
 * Set the fields that the caller left empty.  Return -EINVAL if the label does not fit its version.
 */
static int complete_label(struct shim_label *label)
{
	const struct shim_format *f;

	if (!label->version)
		label->version = 3;
	f = shim_format__of(label->version);
	if (!f)
		return -EINVAL;
	if (!label->pid)
		label->pid = getpid();
	if (!label->host[0] && gethostname(label->host, f->host_len - 1))
		return -errno;
	if (!label->tz[0])
		strcpy(label->tz, "UTC");
	if (strnlen(label->host, sizeof(label->host)) >= f->host_len ||
	    strnlen(label->tz, sizeof(label->tz)) >= f->tz_len ||
	    strnlen(label->zoneinfo, sizeof(label->zoneinfo)) >= sizeof(label->zoneinfo) ||
	    label->features & ~SHIM_FEATURE_QA || !stamp_ok(f, label->start))
		return -EINVAL;
	return 0;
}

static void writer_destroy(struct shim_writer *w)
{
	shim_declared__free(&w->declared);
	shim_buf__free(&w->pending);
	shim_rec_result__free(&w->rec);
	free(w);
}

/**
 * shim_writer__open() - start an archive
 * @base: the archive's name, without suffix
 * @label: the label of its files
 * @out: the writer
 *
 * Return: 0, -EINVAL, -EEXIST, -EBUSY, or the error from creating the files.
 */
int shim_writer__open(const char *base, const struct shim_label *label, struct shim_writer **out)
{
	struct shim_label complete = *label;
	struct shim_writer *w;
	int err;

	if (!*base || base[strlen(base) - 1] == '/')
		return -EINVAL;
	err = complete_label(&complete);
	if (err)
		return err;
	w = calloc(1, sizeof(*w));
	if (!w)
		return -ENOMEM;
	shim_declared__init(&w->declared);
	w->start_given = label->start.sec || label->start.nsec;
	err = shim_output__open(&w->out, base, &complete);
	if (err)
		writer_destroy(w);
	else
		*out = w;
	return err;
}

static int append_to(struct shim_writer *w, const char *base)
{
	struct shim_archive *ar;
	int err = shim_output__append(&w->out, base, &ar, &w->last);

	if (err)
		return err;
	err = shim_declared__from(&w->declared, ar, &w->last);
	shim_archive__put(ar);
	if (err)
		shim_output__close(&w->out, &w->pending);
	return err;
}

/**
 * shim_writer__append() - continue an archive
 * @base: the archive's name, without suffix
 * @out: the writer, which knows the archive's metrics
 * @label: the archive's label
 * @last: the earliest time for the next record
 *
 * Return: 0; -EBUSY if the archive is being written; -EBADMSG if it is damaged or ends within a
 * record; -ENOENT if its metadata or index is missing or compressed; or the error from reading or
 * opening it.
 */
int shim_writer__append(const char *base, struct shim_writer **out, struct shim_label *label,
			struct shim_ts *last)
{
	struct shim_writer *w = calloc(1, sizeof(*w));
	int err;

	if (!w)
		return -ENOMEM;
	shim_declared__init(&w->declared);
	err = append_to(w, base);
	if (err) {
		writer_destroy(w);
		return err;
	}
	w->has_metric = true;
	w->start_given = true;
	*label = w->out.label;
	*last = w->last;
	*out = w;
	return 0;
}

/**
 * shim_writer__difference() - find how a metric differs from the declared one with the same
 * identifier
 * @w: the writer
 * @desc: the metric
 *
 * Return: 0 if only the names differ or there is no such metric; otherwise -SHIM_ECHANGE_*.
 */
int shim_writer__difference(const struct shim_writer *w, const struct shim_desc *desc)
{
	const struct shim_declared_metric *m = shim_declared__metric(&w->declared, desc->pmid);

	if (m && m->type != desc->type)
		return -SHIM_ECHANGE_TYPE;
	if (m && m->sem != desc->sem)
		return -SHIM_ECHANGE_SEM;
	if (m && m->indom != desc->indom)
		return -SHIM_ECHANGE_INDOM;
	return m && m->units != desc->units ? -SHIM_ECHANGE_UNITS : 0;
}

bool shim_writer__has_metric(const struct shim_writer *w, uint32_t pmid)
{
	return shim_declared__metric(&w->declared, pmid);
}

/**
 * shim_writer__desc() - declare a metric
 * @w: the writer
 * @desc: the metric
 *
 * The metric is written with the next record.
 *
 * Return: 0, including for an identical declaration; -EINVAL, -EEXIST, or -ENOMEM.
 */
int shim_writer__desc(struct shim_writer *w, const struct shim_desc *desc)
{
	int err = shim_declared__desc(&w->declared, desc, &w->pending);

	if (!err)
		w->has_metric = true;
	return err;
}

/* Return whether a time is before the archive's start, if the start is already fixed. */
static bool too_early(const struct shim_writer *w, struct shim_ts ts)
{
	return (w->start_given || w->out.meta.size) && shim_ts__cmp(ts, w->out.label.start) < 0;
}

static void note_earliest(struct shim_writer *w, struct shim_ts stamp)
{
	if (!w->has_earliest || shim_ts__cmp(stamp, w->earliest) < 0)
		w->earliest = stamp;
	w->has_earliest = true;
}

/**
 * shim_writer__indom() - declare an instance domain
 * @w: the writer
 * @indom: the whole domain, starting at a time
 *
 * If anything changed, a record of the changes is written with the next data record.
 *
 * Return: 0, -EINVAL, or -ENOMEM.
 */
int shim_writer__indom(struct shim_writer *w, const struct shim_indom *indom)
{
	size_t before = w->pending.len;
	int err;

	if (w->in_record || !stamp_ok(w->out.format, indom->stamp) || too_early(w, indom->stamp))
		return -EINVAL;
	err = shim_declared__indom(&w->declared, w->out.format, indom, &w->pending);
	if (err)
		return err;
	if (w->pending.len > before)
		w->indom_changed = true;
	note_earliest(w, indom->stamp);
	return 0;
}

/* On error, truncate the pending metadata to its first @before bytes.  Return @err. */
static int settle_pending(struct shim_writer *w, size_t before, int err)
{
	if (err) {
		w->pending.len = before;
		w->pending.err = 0;
	}
	return err;
}

/**
 * shim_writer__text() - add a help text about a metric or an instance domain
 * @w: the writer
 * @type: SHIM_TEXT_ONELINE or _HELP, with SHIM_TEXT_PMID or _INDOM
 * @ident: the metric or the domain
 * @text: the text
 *
 * The text is written with the next record.
 *
 * Return: 0, -EINVAL, -ENOMEM, or -EMSGSIZE.
 */
int shim_writer__text(struct shim_writer *w, uint32_t type, uint32_t ident, const char *text)
{
	const struct shim_rec_text rec = { type, ident, text };
	size_t before = w->pending.len;

	if (!*text || !shim_rec_text__type_ok(type))
		return -EINVAL;
	shim_rec_text__encode(&w->pending, &rec);
	return settle_pending(w, before, w->pending.err);
}

/*
 * Return whether the level is one known bit.  Only the level of instances may have several sets,
 * each with an instance ID.
 */
static bool labels_ok(const struct shim_labels *labels)
{
	bool instances = labels->level == SHIM_LEVEL_INSTANCES;
	unsigned int level = labels->level;

	if (!level || level > SHIM_LEVEL_INSTANCES || level & (level - 1) || !labels->n)
		return false;
	if (instances ? !labels->inst : labels->inst || labels->n != 1)
		return false;
	return level != SHIM_LEVEL_CONTEXT || labels->ident == SHIM_INDOM_NULL;
}

/**
 * shim_writer__labels() - annotate an object, starting at a time
 * @w: the writer
 * @labels: the labels; their JSON is written sorted and without blanks
 *
 * The labels are written with the next record.
 *
 * Return: 0, -EINVAL, -ENOMEM, or -EMSGSIZE.
 */
int shim_writer__labels(struct shim_writer *w, const struct shim_labels *labels)
{
	size_t before = w->pending.len;
	int err;

	if (w->in_record || !stamp_ok(w->out.format, labels->stamp) ||
	    too_early(w, labels->stamp) || !labels_ok(labels))
		return -EINVAL;
	err = shim_rec_labels__encode(w->out.format, &w->pending, labels);
	if (!settle_pending(w, before, err))
		note_earliest(w, labels->stamp);
	return err;
}

/**
 * shim_writer__begin() - start a record
 * @w: the writer
 * @stamp: the record's time, not earlier than the previous record's
 *
 * Return: 0 or -EINVAL.
 */
int shim_writer__begin(struct shim_writer *w, struct shim_ts stamp)
{
	if (w->in_record || !stamp_ok(w->out.format, stamp) || too_early(w, stamp) ||
	    (w->out.has_record && shim_ts__cmp(stamp, w->last) < 0))
		return -EINVAL;
	shim_rec_result__begin(w->out.format, &w->rec, stamp);
	w->stamp = stamp;
	w->record_serial = ++w->serial;
	w->in_record = true;
	w->metric = NULL;
	return 0;
}

/* Find a metric.  Most records have the same metrics in the same order. */
static struct shim_declared_metric *next_metric(struct shim_writer *w, uint32_t pmid)
{
	struct shim_declared_metric **guess = w->metric ? &w->metric->follower : &w->first;
	struct shim_declared_metric *m = *guess;

	if (m && m->pmid == pmid)
		return m;
	m = shim_declared__metric(&w->declared, pmid);
	if (m)
		*guess = m;
	return m;
}

/**
 * shim_writer__vset() - start a metric's values
 * @w: the writer
 * @pmid: the metric
 * @error_or_0: a negative PCP error code instead of values, or 0
 *
 * A set may remain empty if the agent had no value, even for a metric without an instance
 * domain.
 *
 * Return: 0 or -EINVAL.
 */
int shim_writer__vset(struct shim_writer *w, uint32_t pmid, int32_t error_or_0)
{
	struct shim_declared_metric *m;

	if (!w->in_record || error_or_0 > 0)
		return -EINVAL;
	m = next_metric(w, pmid);
	if (!m || m->used == w->record_serial)
		return -EINVAL;
	shim_rec_result__set(&w->rec, pmid, error_or_0);
	m->used = w->record_serial;
	w->metric = m;
	w->set_error = error_or_0;
	w->set_serial = ++w->serial;
	w->hint = 0;
	return 0;
}

/* Return whether a value's length is one that its type allows. */
static bool len_ok(const struct shim_value *v)
{
	switch (v->type) {
	case SHIM_TYPE_STRING:
		return v->len && v->len <= SHIM_BLOCK_MAX - SHIM_BLOCK_HEAD &&
		       strnlen(v->bytes, v->len) == v->len - 1;
	case SHIM_TYPE_AGGREGATE:
	case SHIM_TYPE_AGGREGATE_STATIC:
		return v->len <= SHIM_BLOCK_MAX - SHIM_BLOCK_HEAD;
	default:
		return true;
	}
}

/* Return whether the values have the metric's type and lengths that the type allows. */
static bool values_ok(const struct shim_declared_metric *m, const struct shim_value *values,
		      size_t n)
{
	bool number = m->type < SHIM_TYPE_STRING;

	for (size_t i = 0; i < n; i++)
		if (values[i].type != m->type || !(number || len_ok(&values[i])))
			return false;
	return true;
}

/*
 * Return whether a metric's instance domain was declared at or before the record's time.  A set
 * without values needs no instance domain.
 */
static bool has_group(struct shim_writer *w, struct shim_declared_metric *m)
{
	if (!m->group)
		m->group = shim_declared__group(&w->declared, m->indom);
	return m->group && shim_ts__cmp(m->group->now.stamp, w->stamp) <= 0;
}

/*
 * Return whether a value's instance is in the domain and not yet in the set.  If so, mark it as
 * used.
 */
static bool take_instance(struct shim_writer *w, struct shim_declared_indom *group, int32_t inst)
{
	if (!shim_declared_indom__find(group, inst, &w->hint) ||
	    group->used[w->hint] == w->set_serial)
		return false;
	group->used[w->hint++] = w->set_serial;
	return true;
}

static bool take_instances(struct shim_writer *w, const struct shim_value *values, size_t n)
{
	struct shim_declared_metric *m = w->metric;

	if (m->indom == SHIM_INDOM_NULL)
		return n == 1 && values->inst == SHIM_IN_NULL && !w->rec.numval;
	if (!has_group(w, m))
		return false;
	for (size_t i = 0; i < n; i++)
		if (!take_instance(w, m->group, values[i].inst))
			return false;
	return true;
}

/**
 * shim_writer__values() - add values of the metric
 * @w: the writer
 * @values: the values; their lengths are used only for strings and aggregates
 * @n: number of values, at least 1
 *
 * Return: 0, or -EINVAL, after which the record must be cancelled.
 */
int shim_writer__values(struct shim_writer *w, const struct shim_value *values, size_t n)
{
	if (!w->in_record || !w->metric || w->set_error || !values_ok(w->metric, values, n) ||
	    !take_instances(w, values, n))
		return -EINVAL;
	shim_rec_result__values(&w->rec, values, n);
	return 0;
}

/**
 * shim_writer__value() - add a value of the metric
 * @w: the writer
 * @value: the value; its length is used only for strings and aggregates
 *
 * Return: 0, or -EINVAL, after which the record is unchanged.
 */
int shim_writer__value(struct shim_writer *w, const struct shim_value *value)
{
	return shim_writer__values(w, value, 1);
}

void shim_writer__cancel(struct shim_writer *w)
{
	w->in_record = false;
}

/* With the first record, set the archive's start, so that no stamp in the archive is earlier. */
static void settle_start(struct shim_writer *w)
{
	bool earlier = w->has_earliest && shim_ts__cmp(w->earliest, w->stamp) < 0;

	if (!w->start_given && !w->out.meta.size)
		w->out.label.start = earlier ? w->earliest : w->stamp;
}

/**
 * shim_writer__commit() - write the record
 * @w: the writer
 *
 * Return: 0 if the complete record was written.  On error, none of it was written: -EINVAL if no
 * metric was ever declared, -EFBIG, -EMSGSIZE, -ENOMEM, or the error from a write.
 */
int shim_writer__commit(struct shim_writer *w)
{
	int err;

	if (!w->in_record)
		return -EINVAL;
	w->in_record = false;
	if (!w->has_metric)
		return -EINVAL;
	err = shim_rec_result__end(w->out.format, &w->rec);
	if (err)
		return err;
	settle_start(w);
	err = shim_output__put(&w->out, &w->pending, &w->rec.sets, w->stamp, w->indom_changed);
	if (err)
		return err;
	w->last = w->stamp;
	w->indom_changed = false;
	return 0;
}

/**
 * shim_writer__next_volume() - start a new volume
 * @w: the writer
 *
 * Return: 0, -EINVAL within a record, or the error from creating the file or finishing the old one.
 * If the file could not be created, writing continues in the old volume.
 */
int shim_writer__next_volume(struct shim_writer *w)
{
	return w->in_record ? -EINVAL : shim_output__next_volume(&w->out);
}

/**
 * shim_writer__volume() - get the volume that is being written
 * @w: the writer
 * @number: set to the volume's number
 *
 * Return: the volume's size, 0 before its first record.
 */
uint64_t shim_writer__volume(const struct shim_writer *w, int *number)
{
	*number = w->out.volume;
	return w->out.data.size;
}

/**
 * shim_writer__close() - finish the archive
 * @w: the writer, which is freed; a record under construction is dropped
 *
 * Return: 0; -ENODATA if no record was ever written, in which case no file is left; or the first
 * error, in which case committed records can still be read.
 */
int shim_writer__close(struct shim_writer *w)
{
	int err = shim_output__close(&w->out, &w->pending);

	writer_destroy(w);
	return err;
}
