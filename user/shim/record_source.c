// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Write the archive's label, the descriptions of metrics, and the metrics of the program's own
 * source.
 */
#define _GNU_SOURCE
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "archive/record.h"
#include "base/api.h"
#include "record.h"
#include "recorder.h"

/* The label of an archive, which describes this host and its time zone */

#define VALUE_MAX	4096	/* bytes; PCP limits all labels of an archive to 64 kB in total */
#define LABELS_MAX	32768

/**
 * shim_rec_label__fill() - fill in the host and the time zone
 * @label: the label; its start is not set, so that it becomes the time of the first record
 */
void shim_rec_label__fill(struct shim_label *label)
{
	shim_local_zone__fill(label);
}

/*
 * Return whether PCP accepts a label with this name.  Reject the name of the host's label, which
 * each archive has.
 */
static bool is_name(const char *name)
{
	size_t len = strlen(name);

	if (!len || len > 250 || isdigit((unsigned char)*name) || !strcmp(name, "hostname"))
		return false;
	for (; *name; name++)
		if (!isalnum((unsigned char)*name) && *name != '_')
			return false;
	return true;
}

/* Return whether a text can be a JSON string: it has no control characters and is not too long. */
static bool is_value(const char *value)
{
	if (strlen(value) > VALUE_MAX)
		return false;
	for (; *value; value++)
		if (iscntrl((unsigned char)*value))
			return false;
	return true;
}

static bool is_used(const char *labels, const char *name)
{
	char member[260];

	snprintf(member, sizeof(member), ",\"%s\":", name);
	return labels && strstr(labels, member);
}

/* Write @value to @out with the escapes of a JSON string. */
static void escape(char *out, const char *value)
{
	for (; *value; value++) {
		if (*value == '"' || *value == '\\')
			*out++ = '\\';
		*out++ = *value;
	}
	*out = '\0';
}

/**
 * shim_record_label() - add a label to the archive, such as the command's name
 * @rec: the recorder, before its first record
 * @name: letters, digits and underscores; not "hostname", which every archive has
 * @value: up to 4096 bytes of UTF-8 without control characters
 *
 * PCP's tools show these labels with each metric.  Archives that continue this one have the same
 * labels.
 *
 * Return: 0, -EINVAL (invalid name or value), -EEXIST (the label exists), -EBUSY (a record was
 * already written), -ENOSPC (too many labels), or -ENOMEM.
 */
SHIM_API int shim_record_label(struct shim_recorder *rec, const char *name, const char *value)
{
	char escaped[2 * VALUE_MAX + 1];
	char *labels;

	if (!rec || !name || !value || !is_name(name) || !is_value(value))
		return -EINVAL;
	if (rec->records)
		return -EBUSY;
	if (is_used(rec->labels, name))
		return -EEXIST;
	escape(escaped, value);
	if ((rec->labels ? strlen(rec->labels) : 0) + strlen(name) + strlen(escaped) > LABELS_MAX)
		return -ENOSPC;
	if (asprintf(&labels, "%s,\"%s\":\"%s\"", rec->labels ? rec->labels : "", name, escaped) <
	    0)
		return -ENOMEM;
	free(rec->labels);
	rec->labels = labels;
	return 0;
}

/**
 * shim_rec_label__context() - write the labels that PCP's tools show with values
 * @w: the archive's writer
 * @host: name of the host
 * @more: the program's labels as members of a JSON object, each preceded by a comma; or
 *	NULL
 * @stamp: time from which the labels apply
 *
 * Return: 0, or an error from the writer.
 */
int shim_rec_label__context(struct shim_writer *w, const char *host, const char *more,
			    struct shim_ts stamp)
{
	char *text;
	struct shim_labels labels = {
		.stamp = stamp,
		.level = SHIM_LEVEL_CONTEXT,
		.ident = SHIM_INDOM_NULL,
		.n = 1,
	};
	int ret;

	/*
	 * Write no label if the host name would need escapes in JSON, because it is then invalid.
	 */
	for (const char *p = host; *p; p++)
		if (*p == '"' || *p == '\\' || iscntrl((unsigned char)*p))
			return 0;
	if (asprintf(&text, "{\"hostname\":\"%s\"%s}", host, more ? more : "") < 0)
		return -ENOMEM;
	labels.json = (const char *const *)&text;
	ret = shim_writer__labels(w, &labels);
	free(text);
	return ret;
}

/* Descriptions and texts of recorded metrics and instance domains */

/* Write the one-line text and the help text of a metric or a domain. */
static int write_texts(struct shim_writer *w, uint32_t about, uint32_t ident, const char *line,
		       const char *help)
{
	int ret = shim_writer__text(w, about | SHIM_TEXT_ONELINE, ident, line);

	return ret ? ret : shim_writer__text(w, about | SHIM_TEXT_HELP, ident, help);
}

/**
 * shim_rec_metric__write() - declare a metric and write its texts
 * @w: the archive
 * @metric: the metric
 *
 * Return: 0 or an error from the writer.
 */
int shim_rec_metric__write(struct shim_writer *w, const struct shim_metric *metric)
{
	const struct shim_desc desc = {
		.pmid = metric->pmid,
		.type = metric->type,
		.indom = metric->indom,
		.sem = metric->sem,
		.units = metric->units,
		.nnames = 1,
		.names = &metric->name,
	};
	int ret = shim_writer__desc(w, &desc);

	return ret ? ret : write_texts(w, SHIM_TEXT_PMID, metric->pmid, metric->line, metric->help);
}

/**
 * shim_rec_indom__describe() - write the texts of an instance domain
 * @w: the archive
 * @indom: the domain
 *
 * Return: 0 or an error from the writer.
 */
int shim_rec_indom__describe(struct shim_writer *w, const struct shim_metric_indom *indom)
{
	return write_texts(w, SHIM_TEXT_INDOM, indom->indom, indom->line, indom->help);
}

static bool is_own(uint32_t ident)
{
	uint32_t domain = ident >> 22;

	return domain == SHIM_DOMAIN_VCPC || domain == SHIM_DOMAIN_TRACE;
}

/**
 * shim_record_add_source() - record metrics that the program supplies
 * @rec: the recorder
 * @source: the functions that supply them; the struct is copied
 * @arg: passed to its functions
 *
 * Return: 0, -EEXIST (there already is a source), -EINVAL (a function is missing).
 */
SHIM_API int shim_record_add_source(struct shim_recorder *rec,
				    const struct shim_record_source *source, void *arg)
{
	if (!rec || !source || !source->sample || !source->instances || !source->values)
		return -EINVAL;
	if (rec->source.sample)
		return -EEXIST;
	rec->source = *source;
	rec->source_arg = arg;
	return 0;
}

/**
 * shim_record_metric() - declare a metric of the program, before its first values
 * @rec: the recorder
 * @metric: the metric; its domain and its instance domain's number must not be 10 or 450, which the
 *	recorder uses
 *
 * Return: 0, -EINVAL, -EEXIST (another metric has this name or number), or an error from writing.
 */
SHIM_API int shim_record_metric(struct shim_recorder *rec, const struct shim_record_metric *metric)
{
	struct shim_desc desc;
	int ret;

	if (!rec || !metric || !metric->name || is_own(metric->pmid) || is_own(metric->indom))
		return -EINVAL;
	desc = (struct shim_desc) {
		.pmid = metric->pmid,
		.type = metric->type,
		.indom = metric->indom,
		.sem = metric->sem,
		.units = metric->units,
		.nnames = 1,
		.names = &metric->name,
	};
	ret = shim_writer__desc(rec->w, &desc);
	if (!ret && metric->line && *metric->line)
		ret = shim_writer__text(rec->w, SHIM_TEXT_PMID | SHIM_TEXT_ONELINE, metric->pmid,
					metric->line);
	if (!ret && metric->help && *metric->help)
		ret = shim_writer__text(rec->w, SHIM_TEXT_PMID | SHIM_TEXT_HELP, metric->pmid,
					metric->help);
	return ret;
}

/**
 * shim_record_instances() - set the instances of a domain, starting with this record
 * @rec: the recorder, which is calling the source's @instances
 * @indom: the domain
 * @n: number of instances
 * @inst: their numbers in ascending order
 * @name: their names
 *
 * Return: 0, -EINVAL, or an error from writing.
 */
SHIM_API int shim_record_instances(struct shim_recorder *rec, uint32_t indom, unsigned int n,
				   const int32_t *inst, const char *const *name)
{
	struct shim_indom all;

	if (!rec || (n && (!inst || !name)) || is_own(indom))
		return -EINVAL;
	all = (struct shim_indom) {
		.stamp = rec->stamp, .indom = indom, .n = n, .inst = inst, .name = name,
	};
	return shim_writer__indom(rec->w, &all);
}

/* Check that @values is not NULL if there are values, and that no string is NULL. */
static bool all_there(int32_t type, int n, const struct shim_record_value *values)
{
	if (n > 0 && !values)
		return false;
	for (int i = 0; type == SHIM_TYPE_STRING && i < n; i++)
		if (!values[i].string)
			return false;
	return true;
}

static void translate(const struct shim_record_value *from, int32_t type, struct shim_value *to)
{
	*to = (struct shim_value) { .inst = from->inst, .type = type };
	switch (type) {
	case SHIM_TYPE_STRING:
		to->bytes = from->string;
		to->len = strlen(from->string) + 1;
		break;
	case SHIM_TYPE_32:
	case SHIM_TYPE_U32:
	case SHIM_TYPE_FLOAT:
		memcpy(&to->ul, &from->number, sizeof(to->ul));
		break;
	default:
		memcpy(&to->ull, &from->number, sizeof(to->ull));
	}
}

/**
 * shim_record_values() - add the values of a metric to this record
 * @rec: the recorder, which is calling the source's @values
 * @pmid: the metric, at most once per record
 * @type: type of the metric
 * @n: number of values, 0, or a negative PCP error code that explains why there are none
 * @values: the values, each for a different instance; at most one if the metric has no instances
 *
 * Return: 0, or -EINVAL if the metric is not declared or already in this record, or a value is
 * invalid; the values before it are recorded.  The source may then continue with its next metric.
 */
SHIM_API int shim_record_values(struct shim_recorder *rec, uint32_t pmid, int32_t type, int n,
				const struct shim_record_value *values)
{
	int ret = !rec || is_own(pmid) || (n > 0 && !values) || !all_there(type, n, values)
			  ? -EINVAL
			  : shim_writer__vset(rec->w, pmid, n < 0 ? n : 0);

	for (int i = 0; i < n && !ret; i++) {
		struct shim_value value;

		translate(&values[i], type, &value);
		ret = shim_writer__value(rec->w, &value);
	}
	return ret;
}
