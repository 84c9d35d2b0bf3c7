// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Write an importer's record: first the metadata that is not in the archive yet, then the values.
 * If volumes have a maximum size, the record after the one that reaches it starts a new volume.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/api.h"
#include "archive/files.h"
#include "archive/record.h"
#include "base/vec.h"
#include "importer.h"
#include "stamp.h"

/* Nanoseconds from the last record to a mark after it */
#define MARK_AFTER	1000000
#define VOLUME_SIZE_MIN 1000

static void text_cut(char *text, size_t room)
{
	text[strnlen(text, room - 1)] = '\0';
}

/*
 * Create the archive.  Truncate host and zone to the length that its version allows, as PCP's
 * library does.
 */
static int create_archive(struct shim_importer *imp)
{
	struct shim_label label = { .version = imp->label.version };
	const struct shim_format *f = shim_format__of(label.version);

	shim_local_zone__fill(&label);
	if (imp->host_given)
		memcpy(label.host, imp->label.host, sizeof(label.host));
	if (imp->tz_given) {
		memcpy(label.tz, imp->label.tz, sizeof(label.tz));
		memcpy(label.zoneinfo, imp->label.zoneinfo, sizeof(label.zoneinfo));
	}
	text_cut(label.host, f->host_len);
	text_cut(label.tz, f->tz_len);
	if (!f->zoneinfo_len)
		label.zoneinfo[0] = '\0';
	return shim_writer__open(imp->base, &label, &imp->writer);
}

/* Return 1 if any file of the archive exists, 0 if none does, or an error. */
static int archive_exists(const char *base)
{
	struct shim_files files;
	int err = shim_files__scan(base, &files);
	bool any;

	if (err)
		return err;
	any = files.meta || files.index || files.nvolumes;
	shim_files__free(&files);
	return any;
}

static int append_to_archive(struct shim_importer *imp)
{
	int err = shim_writer__append(imp->base, &imp->writer, &imp->label, &imp->last);

	if (err)
		return err;
	imp->last_put = imp->last;
	imp->has_last = true;
	return 0;
}

static int open_writer(struct shim_importer *imp)
{
	int exists;

	if (imp->writer)
		return 0;
	if (!imp->base)
		return -EINVAL;
	exists = imp->flags & SHIM_IMPORT_APPEND ? archive_exists(imp->base) : 0;
	if (exists < 0)
		imp->failed = exists;
	else
		imp->failed = exists ? append_to_archive(imp) : create_archive(imp);
	return imp->failed;
}

/*
 * Return the difference between a metric and the metric in the archive to which records are
 * appended.
 */
static int difference(const struct shim_importer *imp, const struct shim_imp_metric *m)
{
	int err = shim_writer__difference(imp->writer, &m->desc);

	if (err)
		return err;
	return shim_writer__has_metric(imp->writer, m->desc.pmid) ? PMI_ERR_DUPMETRICID :
								     PMI_ERR_DUPMETRICNAME;
}

/* With PMI_APPEND, open an existing archive to find its last record. */
static int find_last(struct shim_importer *imp)
{
	int exists = imp->flags & SHIM_IMPORT_APPEND && imp->base && !imp->writer ? archive_exists(imp->base) : 0;

	return exists > 0 ? open_writer(imp) : exists;
}

int shim_importer__declare(struct shim_importer *imp, struct shim_imp_metric *m)
{
	int err;

	if (m->declared)
		return 0;
	err = shim_writer__desc(imp->writer, &m->desc);
	if (err == -EEXIST)
		err = difference(imp, m);
	m->declared = !err;
	return err;
}

/* Write a domain's current state, if it has changed since the last write. */
static int declare_domain(struct shim_importer *imp, struct shim_imp_domain *d,
			  struct shim_ts stamp)
{
	struct shim_indom indom = { .stamp = stamp, .indom = d->indom, .n = (unsigned int)d->n };
	const char **names;
	int32_t *ids;
	int err = -ENOMEM;

	if (!d->changed)
		return 0;
	ids = malloc((d->n + 1) * sizeof(*ids));
	names = malloc((d->n + 1) * sizeof(*names));
	for (size_t i = 0; ids && names && i < d->n; i++) {
		ids[i] = d->instances[i]->inst;
		names[i] = d->instances[i]->name;
	}
	indom.inst = ids;
	indom.name = names;
	if (ids && names)
		err = shim_writer__indom(imp->writer, &indom);
	free(ids);
	free(names);
	if (!err)
		d->changed = false;
	d->known = true;
	return err;
}

static int declare_all(struct shim_importer *imp, struct shim_ts stamp)
{
	int err = 0;

	for (struct shim_imp_metric *m = imp->waiting; m && !err; m = m->waiting) {
		err = shim_importer__declare(imp, m);
		if (!err && m->domain) {
			m->domain->sorted = m->domain->added;
			err = declare_domain(imp, m->domain, stamp);
		}
	}
	for (struct shim_imp_domain *d = imp->domain_list; d && !err; d = d->next)
		if (d->known)
			err = declare_domain(imp, d, stamp);
	return err ? err : shim_imp_notes__write(imp, stamp);
}

static int by_inst(const void *a, const void *b)
{
	const struct shim_value *x = a, *y = b;

	return (x->inst > y->inst) - (x->inst < y->inst);
}

/* Sort values by instance.  Return PMI_ERR_DUPVALUE if two have the same instance. */
static int values_sort(struct shim_value *values, size_t n)
{
	size_t i = 1;

	while (i < n && values[i - 1].inst < values[i].inst)
		i++;
	if (i >= n)
		return 0;
	qsort(values, n, sizeof(*values), by_inst);
	for (i = 1; i < n; i++)
		if (values[i - 1].inst == values[i].inst)
			return PMI_ERR_DUPVALUE;
	return 0;
}

/* Copy the values of the metric's slots to the end of @imp->values, ordered by instance. */
static int slots_collect(struct shim_importer *imp, const struct shim_imp_metric *m)
{
	size_t n = imp->nvalues;

	if (shim_vec__reserve(imp->values, &imp->values_cap, n + m->nvalues))
		return -ENOMEM;
	for (const struct shim_imp_slot *slot = m->first; slot; slot = slot->next)
		imp->values[n++] = slot->value;
	return values_sort(imp->values + imp->nvalues, m->nvalues);
}

static int put_metric(struct shim_importer *imp, const struct shim_imp_metric *m)
{
	size_t first = m->first ? imp->nvalues : m->taken;
	int err;

	if (!m->nvalues && !m->bare)
		return 0;
	err = shim_writer__vset(imp->writer, m->desc.pmid, m->error);
	if (err || !m->nvalues)
		return err;
	if (m->first)
		err = slots_collect(imp, m);
	return err ? err : shim_writer__values(imp->writer, imp->values + first, m->nvalues);
}

static int put_record(struct shim_importer *imp, struct shim_ts stamp)
{
	int err = shim_writer__begin(imp->writer, stamp);

	if (err)
		return err == -EINVAL ? PMI_ERR_BADTIMESTAMP : err;
	for (const struct shim_imp_metric *m = imp->waiting; m && !err; m = m->waiting)
		err = put_metric(imp, m);
	if (err)
		shim_writer__cancel(imp->writer);
	else
		err = shim_writer__commit(imp->writer);
	if (err)
		return err;
	imp->last = stamp;
	imp->has_last = true;
	return 0;
}

static bool any_values(const struct shim_importer *imp)
{
	for (const struct shim_imp_metric *m = imp->waiting; m; m = m->waiting)
		if (m->nvalues || m->bare)
			return true;
	return false;
}

/*
 * Return whether the archive's version can represent the stamp, and the stamp is not before the
 * last record.
 */
static bool stamp_ok(const struct shim_importer *imp, struct shim_ts stamp)
{
	if (stamp.nsec < 0 || stamp.nsec > 999999999)
		return false;
	if (imp->label.version == 2 && stamp.sec != (int32_t)stamp.sec)
		return false;
	return !imp->has_last || shim_ts__cmp(stamp, imp->last) >= 0;
}

/**
 * shim_importer__write() - write a record of all values
 * @imp: the importer; its values are discarded on success, and kept on error
 * @stamp: the record's time
 *
 * Without values, nothing is written, and texts and labels are kept until the next record with
 * values.  Only the first such call after a text or label succeeds, as in PCP.
 *
 * Return: 0, PMI_ERR_NODATA, PMI_ERR_BADTIMESTAMP, or the error from writing.
 */
int shim_importer__write(struct shim_importer *imp, struct shim_ts stamp)
{
	int err;

	if (!any_values(imp))
		return shim_imp_notes__take_added(imp->notes) ? 0 : PMI_ERR_NODATA;
	err = find_last(imp);
	if (err)
		return err;
	if (!stamp_ok(imp, stamp))
		return PMI_ERR_BADTIMESTAMP;
	err = open_writer(imp);
	if (!err)
		err = declare_all(imp, stamp);
	if (!err)
		err = put_record(imp, stamp);
	if (err)
		return err;
	imp->last_put = stamp;
	shim_importer__drop_values(imp);
	return 0;
}

static int put_mark(struct shim_importer *imp, struct shim_ts stamp)
{
	struct shim_imp_metric *waiting = imp->waiting;
	int err;

	imp->waiting = NULL;
	err = put_record(imp, stamp);
	imp->waiting = waiting;
	return err;
}

/**
 * shim_importer__mark() - mark a gap: values are not continuous from the last record to the next
 * @imp: the importer
 *
 * With PMI_APPEND, the last record may be in the existing archive.  The mark is one millisecond
 * later than the last record.  Before the first record, nothing is written.
 *
 * Return: 0, or the error from creating the archive or writing to it.
 */
int shim_importer__mark(struct shim_importer *imp)
{
	struct shim_ts stamp;
	int err = find_last(imp);

	if (err)
		return err;
	if (!imp->has_last)
		return imp->failed;
	stamp = shim_stamp__make(imp->last_put.sec, (int64_t)imp->last_put.nsec + MARK_AFTER);
	if (shim_ts__cmp(stamp, imp->last) < 0)
		stamp = imp->last;
	return put_mark(imp, stamp);
}

/* Get a value of a result.  It must have the type of its metric and a format for that type. */
static int take_value(const pmValueSet *vset, const pmValue *value, struct shim_value *out)
{
	const pmValueBlock *block = value->value.pval;
	int type = out->type;
	uint32_t len;

	if (vset->valfmt == PM_VAL_INSITU) {
		if (type != PM_TYPE_32 && type != PM_TYPE_U32 && type != PM_TYPE_FLOAT)
			return PM_ERR_CONV;
		out->ull = (uint32_t)value->value.lval;
		return 0;
	}
	if (vset->valfmt != PM_VAL_DPTR && vset->valfmt != PM_VAL_SPTR)
		return PM_ERR_CONV;
	if (!block || (int)block->vtype != type || block->vlen < PM_VAL_HDR_SIZE)
		return PM_ERR_CONV;
	len = block->vlen - PM_VAL_HDR_SIZE;
	if (type == PM_TYPE_STRING) {
		if (!len || strnlen(block->vbuf, len) != len - 1)
			return PM_ERR_CONV;
		out->bytes = block->vbuf;
		out->len = len;
		return 0;
	}
	if (len != (type == PM_TYPE_FLOAT ? 4 : 8) || type == PM_TYPE_32 || type == PM_TYPE_U32)
		return PM_ERR_CONV;
	out->ull = 0;
	memcpy(&out->ull, block->vbuf, len);
	return 0;
}

/*
 * Append the values of a set to @imp->values, ordered by instance.  Return the error of the first
 * value that has one.
 */
static int take_values(struct shim_importer *imp, const struct shim_imp_metric *m,
		       const pmValueSet *vset)
{
	struct shim_value *first, *v;
	size_t place = 0, n;
	int err = 0, twice;

	if (shim_vec__reserve(imp->values, &imp->values_cap, imp->nvalues + (size_t)vset->numval))
		return -ENOMEM;
	first = v = imp->values + imp->nvalues;
	for (int i = 0; i < vset->numval; i++, v++) {
		const pmValue *value = &vset->vlist[i];

		v->inst = m->domain ? value->inst : SHIM_IN_NULL;
		v->type = m->desc.type;
		v->len = 0;
		if (m->domain && !shim_imp_domain__has(m->domain, value->inst, &place))
			err = PM_ERR_INST;
		else
			err = take_value(vset, value, v);
		if (err)
			break;
	}
	n = (size_t)(v - first);
	imp->nvalues += n;
	twice = values_sort(first, n);
	return twice ? twice : err;
}

static int take_set(struct shim_importer *imp, const pmValueSet *vset)
{
	struct shim_imp_metric *m = shim_importer__by_pmid(imp, vset->pmid);
	int err;

	if (!m)
		return PM_ERR_PMID;
	if (m->bare || m->nvalues)
		return PMI_ERR_DUPVALUE;
	if (vset->numval > 0) {
		err = take_values(imp, m, vset);
		if (!err)
			shim_imp_metric__taken(imp, m, (size_t)vset->numval);
		return err;
	}
	/* An empty set is written only if the metric has an instance domain. */
	if (vset->numval < 0 || m->domain)
		shim_imp_metric__bare(imp, m, vset->numval);
	return 0;
}

/**
 * shim_importer__result() - write a record from a result
 * @imp: the importer; values that were put earlier are discarded
 * @stamp: the record's time
 * @numpmid: number of value sets; 0 writes a mark, unless there is no record yet
 * @vsets: the sets
 *
 * Return: 0; PM_ERR_PMID, PM_ERR_INST, PM_ERR_CONV for a value that is not of the metric's type,
 * PMI_ERR_DUPVALUE, or as for shim_importer__write().  On error, no part of the record is
 * written.
 */
int shim_importer__result(struct shim_importer *imp, struct shim_ts stamp, int numpmid,
			  pmValueSet *const *vsets)
{
	int err;

	shim_importer__drop_values(imp);
	err = find_last(imp);
	if (err)
		return err;
	if (!numpmid && imp->has_last)
		return stamp_ok(imp, stamp) ? put_mark(imp, stamp) : PMI_ERR_BADTIMESTAMP;
	for (int i = 0; i < numpmid && !err; i++)
		err = take_set(imp, vsets[i]);
	if (!err)
		err = any_values(imp) ? shim_importer__write(imp, stamp) : PMI_ERR_NODATA;
	shim_importer__drop_values(imp);
	return err;
}

/**
 * shim_importer__end() - finish the archive
 * @imp: the importer; other importers can still inherit from it
 *
 * Return: 0, or the error from writing or creating the archive, which is always closed.
 */
int shim_importer__end(struct shim_importer *imp)
{
	int err = 0, close_err;

	shim_importer__drop_values(imp);
	imp->ended = true;
	shim_importer__forget_program(imp);
	if (!imp->writer)
		return imp->failed;
	if (imp->has_last)
		err = shim_imp_notes__write(imp, imp->last);
	close_err = shim_writer__close(imp->writer);
	imp->writer = NULL;
	if (close_err == -ENODATA)
		close_err = 0;
	err = err ? err : close_err;
	return err ? err : imp->lost;
}

/*
 * Finish a volume that is full.  Return its path, or NULL if the volume remains in use or is not
 * durable, which pmiEnd() reports.
 */
static char *finish_volume(struct shim_importer *imp)
{
	int number, next, err;
	char *path;

	if (!imp->volume_size || !imp->writer ||
	    shim_writer__volume(imp->writer, &number) < imp->volume_size)
		return NULL;
	if (asprintf(&path, "%s.%d", imp->base, number) < 0)
		return NULL;
	err = shim_writer__next_volume(imp->writer);
	if (!err)
		return path;
	shim_writer__volume(imp->writer, &next);
	if (next != number && !imp->lost)
		imp->lost = err;
	free(path);
	return NULL;
}

/* Call the callback without the lock, so that it may call LOGIMPORT. */
int shim_import__leave_record(struct shim_importer *imp, int result)
{
	char *path = result ? NULL : finish_volume(imp);
	void (*done)(const char *path) = imp->volume_done;

	result = shim_import__leave(imp, result);
	if (path && done)
		done(path);
	free(path);
	return result;
}

/**
 * pmiSetVolumeSize() - limit the size of the current archive's volumes
 * @size: a volume is finished if it has at least this number of bytes after a record; 0 for no
 *   limit
 * @done: called with the path of each volume finished in this way; NULL for none
 *
 * If the new volume cannot be created, writing continues in the old one, and another attempt
 * is made after the next record.  If the old one cannot be made durable, pmiEnd() returns the error.
 *
 * Return: 0, PM_ERR_NOCONTEXT, PM_ERR_CONV for a size below 1000.
 */
SHIM_API int pmiSetVolumeSize(size_t size, void (*done)(const char *path))
{
	SHIM_IMPORT_ENTER(imp);
	if (size && size < VOLUME_SIZE_MIN)
		return shim_import__leave(imp, PM_ERR_CONV);
	imp->volume_size = size;
	imp->volume_done = done;
	return shim_import__leave(imp, 0);
}
