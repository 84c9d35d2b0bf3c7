// SPDX-License-Identifier: LGPL-2.1-or-later
/* Metrics from the caller, in the same records as all others. */
#include <errno.h>
#include <string.h>

#include "base/api.h"
#include "record.h"
#include "recorder.h"

static bool is_own(uint32_t ident)
{
	uint32_t domain = ident >> 22;

	return domain == SHIM_DOMAIN_VCPC || domain == SHIM_DOMAIN_TRACE;
}

/**
 * shim_record_add_source() - record metrics that the program supplies
 * @rec: the recorder
 * @source: the functions that supply them; copied
 * @arg: for its functions
 *
 * Return: 0, -EEXIST (there is already a source), -EINVAL (a function is missing).
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
 * @metric: the metric; its domain and that of its instances must not be 10 or 450, which the
 *	recorder uses
 *
 * Return: 0, -EINVAL, -EEXIST (another metric has this name or number), or an error of writing.
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
 * shim_record_instances() - set the instances of a domain from this record on
 * @rec: the recorder, which is calling the source's @instances
 * @indom: the domain
 * @n: number of instances
 * @inst: their numbers in ascending order
 * @name: their names
 *
 * Return: 0, -EINVAL, or an error of writing.
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

/* Check that @values is not NULL if there are any, and that no string is NULL. */
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
 * @n: number of values; 0 without values, or a negative PCP error code as the reason
 * @values: the values, each for a different instance; at most one if the metric has no instances
 *
 * Return: 0, or -EINVAL if the metric is not declared or already in this record, or a value is
 * invalid; the values before it are recorded.  The source may then continue with its next metric.
 */
SHIM_API int shim_record_values(struct shim_recorder *rec, uint32_t pmid, int32_t type, int n,
				const struct shim_record_value *values)
{
	int ret = !rec || is_own(pmid) || (n > 0 && !values) || !all_there(type, n, values) ? -EINVAL :
			shim_writer__vset(rec->w, pmid, n < 0 ? n : 0);

	for (int i = 0; i < n && !ret; i++) {
		struct shim_value value;

		translate(&values[i], type, &value);
		ret = shim_writer__value(rec->w, &value);
	}
	return ret;
}
