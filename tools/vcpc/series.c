// SPDX-License-Identifier: GPL-2.0-or-later
/* Read values of an archive's metrics over time through the PMAPI. */
#define _GNU_SOURCE
#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "vcpc.h"
#include "series.h"
#include "text.h"
#include "window.h"

static const double per_second[] = {
	[PM_TIME_NSEC] = 1e-9, [PM_TIME_USEC] = 1e-6, [PM_TIME_MSEC] = 1e-3,
	[PM_TIME_SEC] = 1, [PM_TIME_MIN] = 60, [PM_TIME_HOUR] = 3600,
};

static bool is_numeric(const pmDesc *desc)
{
	return desc->type >= PM_TYPE_32 && desc->type <= PM_TYPE_DOUBLE;
}

/*
 * Return whether a metric's values are stored as texts: strings, and integers that must be exact.
 */
static bool has_texts(const struct vcpc_series *s, int type)
{
	return type == PM_TYPE_STRING || type == PM_TYPE_AGGREGATE ||
	       (s->raw && type >= PM_TYPE_32 && type <= PM_TYPE_U64);
}

static double seconds_with(const pmDesc *desc, int counts)
{
	pmUnits units = desc->units;

	if (units.dimTime != 1 || units.dimSpace || units.dimCount != counts || units.extraUnit || units.scaleTime > PM_TIME_HOUR)
		return 0;
	return per_second[units.scaleTime];
}

/* Return a metric's unit in seconds, or 0 if it is not a time. */
static double seconds_of(const pmDesc *desc)
{
	return seconds_with(desc, 0);
}

/* Return the same also for a mean duration, such as trace.transact.ave_time in seconds per count. */
static double duration_of(const pmDesc *desc)
{
	double mean = seconds_with(desc, -1);

	return mean > 0 && !desc->units.scaleCount ? mean : seconds_of(desc);
}

/*
 * A rate has the metric's unit with "/s".  The rate of a counter of time is in "s/s", regardless of
 * the counter's unit; 1 means all of the time.
 */
double vcpc_series_unit(const pmDesc *desc, bool rate, char *unit, size_t size)
{
	pmUnits units = desc->units;
	double seconds = seconds_of(desc);

	if (rate && seconds > 0) {
		snprintf(unit, size, "s/s");
		return seconds;
	}
	pmUnitsStr_r(&units, unit, size - 2);
	if (rate)
		strcat(unit, "/s");
	return 1;
}

static int add_column(struct vcpc_series *s, const struct vcpc_metric *m, int inst,
		      const char *instance)
{
	struct vcpc_column *columns = realloc(s->columns, (s->ncolumns + 1) * sizeof(*columns));
	struct vcpc_column *c;

	if (!columns)
		return -ENOMEM;
	s->columns = columns;
	c = &columns[s->ncolumns];
	*c = (struct vcpc_column){
		.metric = strdup(m->name),
		.instance = instance ? strdup(instance) : NULL,
		.inst = inst,
		.rate = m->desc.sem == PM_SEM_COUNTER && is_numeric(&m->desc) && !s->raw,
		.empty = true,
		.has_texts = has_texts(s, m->desc.type),
	};
	s->ncolumns++;
	c->seconds = c->rate || s->raw ? 0 : duration_of(&m->desc);
	c->scale = vcpc_series_unit(&m->desc, c->rate, c->unit, sizeof(c->unit));
	return c->metric && (!instance || c->instance) ? 0 : -ENOMEM;
}

static int by_inst(const void *a, const void *b)
{
	const struct vcpc_column *x = a, *y = b;

	return (x->inst > y->inst) - (x->inst < y->inst);
}

static int add_instances(struct vcpc_series *s, struct vcpc_metric *m, const char *wanted)
{
	char **names;
	int *ids;
	int err = 0;
	int n = pmGetInDomArchive(m->desc.indom, &ids, &names);
	bool *chosen;

	if (n <= 0)
		return n == PM_ERR_INDOM_LOG ? 0 : n;
	chosen = calloc((size_t)n, sizeof(*chosen));
	if (chosen)
		vcpc_picks_choose(&s->picks, names, (size_t)n, chosen);
	else
		err = -ENOMEM;
	for (int i = 0; i < n && !err; i++)
		if (wanted ? !strcmp(wanted, names[i]) : chosen[i])
			err = add_column(s, m, ids[i], names[i]);
	free(chosen);
	free(ids);
	free(names);
	if (!err && wanted && m->first == s->ncolumns)
		err = PM_ERR_INST_LOG;
	if (!err)
		qsort(&s->columns[m->first], s->ncolumns - m->first, sizeof(*s->columns), by_inst);
	return err;
}

static int add_metric(struct vcpc_series *s, const char *name, const char *instance)
{
	struct vcpc_metric *metrics = realloc(s->metrics, (s->nmetrics + 1) * sizeof(*metrics));
	struct vcpc_metric *m;
	int err;

	if (!metrics)
		return -ENOMEM;
	s->metrics = metrics;
	m = &metrics[s->nmetrics];
	*m = (struct vcpc_metric){ .name = strdup(name), .first = s->ncolumns };
	if (!m->name)
		return -ENOMEM;
	s->nmetrics++;
	err = pmLookupName(1, &name, &m->pmid);
	if (err > 0)
		err = pmLookupDesc(m->pmid, &m->desc);
	if (!err && m->desc.indom != PM_INDOM_NULL)
		err = add_instances(s, m, instance);
	else if (!err)
		err = instance ? PM_ERR_INST_LOG : add_column(s, m, PM_IN_NULL, NULL);
	m->n = s->ncolumns - m->first;
	return err;
}

/* The metrics below a name, collected by pmTraversePMNS_r */
struct group {
	struct vcpc_series *series;
	bool numeric;		/* add only numeric metrics that are not in the series */
	bool histograms;	/* include histograms */
	int err;
};

static bool recorded(const char *name)
{
	return strncmp(name, "event.", 6) != 0;
}

/*
 * Return whether a metric is a histogram of the recorder.  It has an instance for each bucket, and
 * would add hundreds of columns.
 */
static bool is_histogram(const char *name)
{
	return !strcmp(name, "vcpc.transact.hist");
}

static bool has_metric(const struct vcpc_series *s, pmID pmid)
{
	for (size_t i = 0; i < s->nmetrics; i++)
		if (s->metrics[i].pmid == pmid)
			return true;
	return false;
}

static void add_from_group(const char *name, void *closure)
{
	struct group *g = closure;
	pmDesc desc;
	pmID pmid;

	if (g->err || pmLookupName(1, &name, &pmid) < 0 || pmLookupDesc(pmid, &desc) < 0)
		return;
	if (g->numeric && (!is_numeric(&desc) || !recorded(name)))
		return;
	if (g->numeric && has_metric(g->series, pmid))
		return;		/* the metric was already added under another name */
	if (g->numeric && !g->histograms && is_histogram(name))
		return;
	g->err = add_metric(g->series, name, NULL);
}

int vcpc_series_add(struct vcpc_series *s, const char *name)
{
	size_t len = strcspn(name, "[");
	size_t end = strlen(name);
	struct group g = { .series = s };
	char *metric, *instance = NULL;
	int err;

	if (name[len] && name[end - 1] != ']')
		return PM_ERR_NAME;
	metric = strndup(name, len);
	if (name[len])
		instance = strndup(name + len + 1, end - len - 2);
	if (!metric || (name[len] && !instance))
		g.err = -ENOMEM;
	err = g.err ? g.err : add_metric(s, metric, instance);
	if (err == PM_ERR_NONLEAF && !instance) {
		err = pmTraversePMNS_r(metric, add_from_group, &g);
		err = err < 0 ? err : g.err;
	}
	free(metric);
	free(instance);
	return err;
}

/*
 * Reverse the metrics, starting with @first.  The PMAPI returns the newest children first, but they
 * are shown in the order in which they were recorded.
 */
static int reverse(struct vcpc_series *s, size_t first)
{
	size_t n = s->nmetrics - first, at = 0, skip;
	struct vcpc_column *columns;

	if (n < 2)
		return 0;
	skip = s->metrics[first].first;
	columns = malloc((s->ncolumns - skip + 1) * sizeof(*columns));
	if (!columns)
		return -ENOMEM;
	for (size_t i = 0; i < n / 2; i++) {
		struct vcpc_metric m = s->metrics[first + i];

		s->metrics[first + i] = s->metrics[s->nmetrics - 1 - i];
		s->metrics[s->nmetrics - 1 - i] = m;
	}
	for (size_t i = first; i < s->nmetrics; i++) {
		struct vcpc_metric *m = &s->metrics[i];

		memcpy(&columns[at], &s->columns[m->first], m->n * sizeof(*columns));
		m->first = skip + at;
		at += m->n;
	}
	memcpy(&s->columns[skip], columns, at * sizeof(*columns));
	free(columns);
	return 0;
}

int vcpc_series_add_below(struct vcpc_series *s, const char *name, bool histograms)
{
	struct group g = { .series = s, .numeric = true, .histograms = histograms };
	size_t first = s->nmetrics;
	int n = vcpc_traverse(name, add_from_group, &g);

	if (n == PM_ERR_NAME)
		return 0;
	if (n < 0 || g.err)
		return n < 0 ? n : g.err;
	return reverse(s, first);
}

static int grow(struct vcpc_series *s)
{
	size_t room = s->room ? s->room * 2 : 16;
	struct timespec *times = realloc(s->times, room * sizeof(*times));

	if (!times)
		return -ENOMEM;
	s->times = times;
	for (size_t i = 0; i < s->ncolumns; i++) {
		struct vcpc_column *c = &s->columns[i];
		double *values = realloc(c->values, room * sizeof(*values));
		char **texts = c->has_texts ? realloc(c->texts, room * sizeof(*texts)) : NULL;

		if (values)
			c->values = values;
		if (texts)
			c->texts = texts;
		if (!values || (c->has_texts && !texts))
			return -ENOMEM;
	}
	s->room = room;
	return 0;
}

static int add_row(struct vcpc_series *s, struct timespec when)
{
	if (s->nrows == s->room && grow(s))
		return -ENOMEM;
	s->times[s->nrows] = when;
	for (size_t i = 0; i < s->ncolumns; i++) {
		s->columns[i].values[s->nrows] = NAN;
		if (s->columns[i].texts)
			s->columns[i].texts[s->nrows] = NULL;
	}
	s->nrows++;
	s->nread++;
	return 0;
}

static double seconds_between(struct timespec a, struct timespec b)
{
	return (double)(b.tv_sec - a.tv_sec) + (b.tv_nsec - a.tv_nsec) / 1e9;
}

static void series_number(struct vcpc_series *s, struct vcpc_column *c, long double v)
{
	size_t row = s->nrows - 1;
	double seconds;

	if (!c->rate) {
		c->values[row] = (double)v;
		c->empty = false;
		return;
	}
	if (c->has_last) {
		seconds = seconds_between(c->last_time, s->times[row]);
		if (seconds != 0) {
			/*
			 * Adding 0 turns -0, which is the result of no change when reading
			 * backwards, into 0.
			 */
			c->values[row] = (double)((v - c->last) / seconds) * c->scale + 0.0;
			c->empty = false;
		}
	}
	c->last = v;
	c->last_time = s->times[row];
	c->has_last = true;
}

static void put_text(struct vcpc_series *s, struct vcpc_column *c, const pmAtomValue *v, int type)
{
	c->texts[s->nrows - 1] = type == PM_TYPE_STRING ? strdup(v->cp) :
				 strdup(pmAtomStr(v, type));
	if (!c->texts[s->nrows - 1])
		vcpc_no_memory();
	c->empty = false;
}

static void value_put(struct vcpc_series *s, const struct vcpc_metric *m, struct vcpc_column *c,
		      int valfmt, const pmValue *value)
{
	int type = m->desc.type;
	pmAtomValue v;
	int err = pmExtractValue(valfmt, value, type, &v, type);

	if (err == -ENOMEM)
		vcpc_no_memory();
	/* A value that does not fit its type is treated as missing. */
	if (err < 0)
		return;
	if (c->has_texts)
		put_text(s, c, &v, type);
	if (type == PM_TYPE_STRING)
		free(v.cp);
	else if (type == PM_TYPE_AGGREGATE)
		free(v.vbp);
	if (!is_numeric(&m->desc))
		return;
	series_number(s, c, type == PM_TYPE_32 ? v.l : type == PM_TYPE_U32 ? v.ul :
		      type == PM_TYPE_64 ? v.ll : type == PM_TYPE_U64 ? v.ull :
		      type == PM_TYPE_FLOAT ? v.f : (long double)v.d);
}

/*
 * Store values in the row.  An interpolated set without values is a gap, across which no rate is
 * computed.
 */
static void take_set(struct vcpc_series *s, const struct vcpc_metric *m, const pmValueSet *set,
		     bool interpolated)
{
	struct vcpc_column key = { 0 };

	for (size_t i = 0; interpolated && set->numval <= 0 && i < m->n; i++)
		s->columns[m->first + i].has_last = false;
	for (int i = 0; i < set->numval; i++) {
		struct vcpc_column *c;

		key.inst = m->desc.indom == PM_INDOM_NULL ? (int)PM_IN_NULL : set->vlist[i].inst;
		c = bsearch(&key, &s->columns[m->first], m->n, sizeof(key), by_inst);
		if (c)
			value_put(s, m, c, set->valfmt, &set->vlist[i]);
	}
}

static bool is_over(const struct vcpc_walk *walk, struct timespec when)
{
	int64_t beyond = vcpc_ns_of(when) - vcpc_ns_of(walk->to);

	return walk->backwards ? beyond < 0 : beyond > 0;
}

/* Pass the row to the callback, and drop it. */
static void put_row(struct vcpc_series *s, const struct vcpc_walk *walk)
{
	walk->put(walk->arg, s);
	for (size_t i = 0; i < s->ncolumns; i++)
		if (s->columns[i].texts)
			free(s->columns[i].texts[0]);
	s->nrows = 0;
}

static int take_result(struct vcpc_series *s, const struct vcpc_walk *walk,
		       const pmHighResResult *r)
{
	bool full = walk->samples && s->nread == walk->samples;
	int err = full || is_over(walk, r->timestamp) ? PM_ERR_EOL : add_row(s, r->timestamp);

	for (size_t i = 0; !err && i < s->nmetrics; i++)
		take_set(s, &s->metrics[i], r->vset[i], walk->mode == PM_MODE_INTERP);
	if (!err && walk->put)
		put_row(s, walk);
	return err;
}

int vcpc_series_read(struct vcpc_series *s, const struct vcpc_walk *walk)
{
	pmID *pmids = malloc((s->nmetrics + 1) * sizeof(*pmids));
	struct vcpc_progress progress;
	pmHighResResult *r;
	int err = pmids ? 0 : -ENOMEM;

	vcpc_progress_start(&progress, vcpc_seconds(walk->from),
			    vcpc_seconds(walk->to) - vcpc_seconds(walk->from));
	for (size_t i = 0; !err && i < s->nmetrics; i++)
		pmids[i] = s->metrics[i].pmid;
	if (!err)
		err = pmSetModeHighRes(walk->mode, &walk->from, &walk->delta);
	while (!err) {
		err = pmFetchHighRes((int)s->nmetrics, pmids, &r);
		/*
		 * Damage is returned once, and the next fetch continues; vcpc_damage() reports it.
		 */
		if (err == PM_ERR_LOGREC) {
			s->damaged = true;
			err = pmFetchHighRes((int)s->nmetrics, pmids, &r);
		}
		if (err < 0)
			break;
		err = take_result(s, walk, r);
		vcpc_progress_at(&progress, vcpc_seconds(r->timestamp));
		pmFreeHighResResult(r);
	}
	vcpc_progress_end(&progress);
	free(pmids);
	return err == PM_ERR_EOL ? 0 : err;
}

void vcpc_series_printable(struct vcpc_series *s)
{
	for (size_t i = 0; i < s->ncolumns; i++) {
		struct vcpc_column *c = &s->columns[i];

		vcpc_printable(c->metric, "");
		if (c->instance)
			vcpc_printable(c->instance, "");
		for (size_t j = 0; c->texts && j < s->nrows; j++)
			if (c->texts[j])
				vcpc_printable(c->texts[j], "");
	}
}

void vcpc_series_free(struct vcpc_series *s)
{
	for (size_t i = 0; i < s->ncolumns; i++) {
		struct vcpc_column *c = &s->columns[i];

		for (size_t j = 0; c->texts && j < s->nrows; j++)
			free(c->texts[j]);
		free(c->texts);
		free(c->values);
		free(c->metric);
		free(c->instance);
	}
	for (size_t i = 0; i < s->nmetrics; i++)
		free(s->metrics[i].name);
	free(s->columns);
	free(s->metrics);
	free(s->times);
}
