// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Transactions and the other trace events as metrics: PCP's own trace.*, and
 * vcpc.transact.* for what PCP's agent does not have.
 *
 * A tag's instance has its number by the order of arrival and its name from
 * the tag, and stays, also while tracing is off.  vcpc.transact.* has instance
 * domains of its own, because PCP wants a metric and its instance domain to be of
 * one domain number.
 *
 * What PCP's agent tells of a window of time is told of the time since the
 * record before; where nothing came in it, there is no value.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/bpf.h"
#include "record.h"
#include "record_tags.h"
#include "record_sums.h"

enum kind { TRANSACT, POINT, OBSERVE, COUNTER, KINDS };

static const uint32_t kind_of[KINDS] = {
	[TRANSACT] = VC_TRANSACT,
	[POINT] = VC_POINT,
	[OBSERVE] = VC_OBSERVE,
	[COUNTER] = VC_COUNTER,
};

static const struct {
	uint32_t indom;
	enum kind kind;
	const char *line;
} indoms[] = {
	{ INDOM(DOMAIN_TRACE, 0), TRANSACT, "tags of transactions" },
	{ INDOM(DOMAIN_TRACE, 1), POINT, "tags of points" },
	{ INDOM(DOMAIN_TRACE, 2), OBSERVE, "tags of observations" },
	{ INDOM(DOMAIN_TRACE, 3), COUNTER, "tags of counters" },
	{ INDOM(DOMAIN_VCPC, 1), TRANSACT, "tags of transactions" },
};

#define TAGS_HELP \
	"Each tag that programs have used since tracing was turned on, by its name; its\n" \
	"number is the order in which the recorder saw them."

#define NINDOMS	(sizeof(indoms) / sizeof(indoms[0]))

#define UNITS_PER_SEC		0x0f103000u	/* count/sec */
#define UNITS_SEC_PER		0x01f03000u	/* sec/count */

/* What a metric is computed from. */
struct sight {
	const struct shim_rec_tag *tag;
	struct vc_stat since;	/* the record before, */
	double seconds;		/* so long ago; 0: there was none */
};

static double sum_of(const struct sight *s)
{
	return s->tag->total.sum_ns / 1e9;
}

static double min_of(const struct sight *s)
{
	return s->tag->total.min_ns / 1e9;
}

static double max_of(const struct sight *s)
{
	return s->tag->total.max_ns / 1e9;
}

static double last_of(const struct sight *s)
{
	return s->tag->total.last_took_ns / 1e9;
}

static double value_of(const struct sight *s)
{
	double value;

	memcpy(&value, &s->tag->total.value, sizeof(value));
	return value;
}

static double rate_of(const struct sight *s)
{
	return s->since.count / s->seconds;
}

static double ave_since(const struct sight *s)
{
	return s->since.sum_ns / 1e9 / s->since.count;
}

static double min_since(const struct sight *s)
{
	return s->since.min_ns / 1e9;
}

static double max_since(const struct sight *s)
{
	return s->since.max_ns / 1e9;
}

static double p50_since(const struct sight *s)
{
	return shim_rec_tag__percentile(&s->since, 50) / 1e9;
}

static double p90_since(const struct sight *s)
{
	return shim_rec_tag__percentile(&s->since, 90) / 1e9;
}

static double p99_since(const struct sight *s)
{
	return shim_rec_tag__percentile(&s->since, 99) / 1e9;
}

static double count_of(const struct sight *s)
{
	return s->tag->total.count;
}

static double aborted_of(const struct sight *s)
{
	return s->tag->total.aborted;
}

/* What several rows of the table have alike: type, semantics, units, since, fn */
#define COUNTED(fn)	SHIM_TYPE_U64, SHIM_SEM_COUNTER, UNITS_COUNT, 0, fn
#define RATE		SHIM_TYPE_FLOAT, SHIM_SEM_INSTANT, UNITS_PER_SEC, 1, rate_of
#define VALUE(sem)	SHIM_TYPE_DOUBLE, sem, UNITS_NONE, 0, value_of
#define TIME_EVER(fn)	SHIM_TYPE_DOUBLE, SHIM_SEM_INSTANT, UNITS_SEC, 0, fn
#define TIME(type, fn)	type, SHIM_SEM_INSTANT, UNITS_SEC, 1, fn

#define PCP(item)	PMID(DOMAIN_TRACE, 0, item)
#define OURS(item)	PMID(DOMAIN_VCPC, 2, item)

#define BY_RECORD(what)	what " since the record before, over the\nseconds between the two."
#define BY_HIST(what) \
	"Seconds that " what " that ended since the record\n" \
	"before; from the histogram, to a sixteenth."

/* Counts are u64 in the archive; as doubles here they are exact up to 2^53. */
static const struct metric {
	const char *name;
	uint32_t pmid;
	unsigned int indom;	/* of the table above */
	int32_t type;
	int32_t sem;
	uint32_t units;
	int since;		/* only if something came since the record before */
	double (*fn)(const struct sight *s);
	const char *line;
	const char *help;
} metrics[] = {
	{ "trace.transact.count", PCP(0), 0, COUNTED(count_of), "completed transactions",
	  "How many transactions of the tag ended, those aborted not counted,\n"
	  "while it was recorded and before, since tracing was turned on." },
	{ "trace.transact.rate", PCP(1), 0, RATE, "completed transactions per second",
	  BY_RECORD("How many transactions of the tag ended") },
	{ "trace.transact.ave_time", PCP(2), 0, SHIM_TYPE_FLOAT, SHIM_SEM_INSTANT, UNITS_SEC_PER, 1,
	  ave_since, "mean time of a transaction",
	  "Seconds that a transaction took that ended since the record before, on the\n"
	  "mean." },
	{ "trace.transact.min_time", PCP(3), 0, TIME(SHIM_TYPE_FLOAT, min_since), "shortest transaction",
	  BY_HIST("the shortest transaction took") },
	{ "trace.transact.max_time", PCP(4), 0, TIME(SHIM_TYPE_FLOAT, max_since), "longest transaction",
	  BY_HIST("the longest transaction took") },
	{ "trace.transact.total_time", PCP(5), 0, SHIM_TYPE_DOUBLE, SHIM_SEM_COUNTER, UNITS_SEC, 0,
	  sum_of, "time in completed transactions",
	  "Seconds from begin to end of all transactions of the tag that ended. Over\n"
	  "trace.transact.count, the mean time of one." },
	{ "trace.point.count", PCP(6), 1, COUNTED(count_of), "times a point was passed",
	  "How often programs passed the point of that tag." },
	{ "trace.point.rate", PCP(7), 1, RATE, "times a point was passed per second",
	  BY_RECORD("How often programs passed the point") },
	{ "trace.observe.count", PCP(8), 2, COUNTED(count_of), "observations made",
	  "How often programs reported a value for the tag." },
	{ "trace.observe.rate", PCP(9), 2, RATE, "observations per second",
	  BY_RECORD("How often programs reported a value") },
	{ "trace.observe.value", PCP(10), 2, VALUE(SHIM_SEM_INSTANT), "last value observed",
	  "The value that a program reported last for the tag; its unit is the program's." },
	{ "trace.counter.count", PCP(17), 3, COUNTED(count_of), "counter reports made",
	  "How often programs reported a counter for the tag." },
	{ "trace.counter.rate", PCP(18), 3, RATE, "counter reports per second",
	  BY_RECORD("How often programs reported a counter") },
	{ "trace.counter.value", PCP(19), 3, VALUE(SHIM_SEM_COUNTER), "last value of the counter",
	  "The value of the counter that a program reported last for the tag; its unit is\n"
	  "the program's." },
	{ "vcpc.transact.min_time", OURS(0), 4, TIME_EVER(min_of), "shortest transaction so far",
	  "Seconds that the shortest transaction of the tag took, of all." },
	{ "vcpc.transact.max_time", OURS(1), 4, TIME_EVER(max_of), "longest transaction so far",
	  "Seconds that the longest transaction of the tag took, of all." },
	{ "vcpc.transact.aborted", OURS(2), 4, COUNTED(aborted_of), "aborted transactions",
	  "How many transactions of the tag were aborted." },
	{ "vcpc.transact.p50_time", OURS(3), 4, TIME(SHIM_TYPE_DOUBLE, p50_since),
	  "median time of a transaction", BY_HIST("half of the transactions took at most") },
	{ "vcpc.transact.p90_time", OURS(4), 4, TIME(SHIM_TYPE_DOUBLE, p90_since),
	  "90th percentile of transactions' times", BY_HIST("nine of ten transactions took at most") },
	{ "vcpc.transact.p99_time", OURS(5), 4, TIME(SHIM_TYPE_DOUBLE, p99_since),
	  "99th percentile of transactions' times", BY_HIST("99 of 100 transactions took at most") },
	{ "vcpc.transact.last_time", OURS(9), 4, TIME_EVER(last_of), "time of the last transaction",
	  "Seconds that the transaction of the tag took that ended last." },
};

#define NMETRICS	(sizeof(metrics) / sizeof(metrics[0]))

struct shim_rec_trace {
	struct shim_bpf_reader *reader;	/* NULL while tracing is off */
	unsigned int session;		/* counts how often it went on */
	struct shim_rec_tags of[KINDS];
	size_t written[NINDOMS];	/* how many instances the archive knows */
	struct shim_rec_sums sums;
	uint64_t when, before;		/* of this sample, and of the last that was written */
};

static int write_metrics(struct shim_writer *w)
{
	int ret = 0;

	for (size_t i = 0; i < NMETRICS && !ret; i++) {
		const struct metric *m = &metrics[i];
		const struct shim_rec_metric metric = {
			.desc = {
				.pmid = m->pmid,
				.type = m->type,
				.indom = indoms[m->indom].indom,
				.sem = m->sem,
				.units = m->units,
				.nnames = 1,
				.names = &m->name,
			},
			.line = m->line,
			.help = m->help,
		};

		ret = shim_rec_metric__write(w, &metric);
	}
	for (size_t i = 0; i < NINDOMS && !ret; i++)
		ret = shim_rec_indom__describe(w, indoms[i].indom, indoms[i].line, TAGS_HELP);
	return ret ? ret : shim_rec_sums__metrics(w);
}

static int open_reader(struct shim_rec_trace *trace)
{
	int ret = shim_bpf_reader__open(&trace->reader);

	if (!ret)
		shim_bpf_reader__keep_apart(trace->reader);
	return ret;
}

/**
 * shim_rec_trace__create() - get ready to record trace events
 * @w: for the metrics
 * @out: for shim_rec_trace__destroy()
 *
 * Return: 0, -ENOENT if tracing is off, -EPERM, -ENOMEM, or an error of the writer.
 */
int shim_rec_trace__create(struct shim_writer *w, struct shim_rec_trace **out)
{
	struct shim_rec_trace *trace = calloc(1, sizeof(*trace));
	int ret;

	if (!trace)
		return -ENOMEM;
	for (enum kind kind = 0; kind < KINDS; kind++)
		shim_rec_tags__init(&trace->of[kind]);
	shim_rec_sums__init(&trace->sums);
	ret = open_reader(trace);
	if (!ret)
		ret = write_metrics(w);
	if (ret) {
		shim_rec_trace__destroy(trace);
		return ret;
	}
	*out = trace;
	return 0;
}

void shim_rec_trace__destroy(struct shim_rec_trace *trace)
{
	if (!trace)
		return;
	shim_bpf_reader__close(trace->reader);
	for (enum kind kind = 0; kind < KINDS; kind++)
		shim_rec_tags__free(&trace->of[kind]);
	shim_rec_sums__free(&trace->sums);
	free(trace);
}

/* The maps give tags in no order; the smaller id came first. */
static int by_tag(const void *a, const void *b)
{
	const struct shim_bpf_stat *const *sa = a, *const *sb = b;

	return ((*sa)->key.tag > (*sb)->key.tag) - ((*sa)->key.tag < (*sb)->key.tag);
}

static int take(struct shim_rec_trace *trace, const struct shim_bpf_stat *stat)
{
	int ret = 0;

	for (enum kind kind = 0; kind < KINDS && !ret; kind++)
		if (kind_of[kind] == stat->key.kind)
			ret = shim_rec_tags__take(&trace->of[kind], stat, trace->session);
	return ret;
}

static int take_stats(struct shim_rec_trace *trace)
{
	const struct shim_bpf_stat *stats;
	const struct shim_bpf_stat **sorted;
	size_t n;
	int ret = shim_bpf_reader__stats(trace->reader, &stats, &n);

	if (ret)
		return ret;
	sorted = calloc(n + 1, sizeof(*sorted));
	if (!sorted)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++)
		sorted[i] = &stats[i];
	qsort(sorted, n, sizeof(*sorted), by_tag);
	for (size_t i = 0; i < n && !ret; i++)
		ret = take(trace, sorted[i]);
	free(sorted);
	return ret;
}

static int take_all(struct shim_rec_trace *trace)
{
	int ret = 0;

	if (!trace->reader) {
		ret = open_reader(trace);
		if (!ret)
			trace->session++;
	}
	if (!ret)
		ret = take_stats(trace);
	if (!ret)
		ret = shim_rec_sums__take(&trace->sums, trace->reader, &trace->of[TRANSACT], trace->session);
	if (ret == -ESTALE) {
		shim_bpf_reader__close(trace->reader);
		trace->reader = NULL;
	}
	return ret;
}

/* Whether there is any instance to write values of */
bool shim_rec_trace__any(const struct shim_rec_trace *trace)
{
	for (enum kind kind = 0; kind < KINDS; kind++)
		if (trace->of[kind].n)
			return true;
	return false;
}

static uint64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000ull + ts.tv_nsec;
}

/**
 * shim_rec_trace__sample() - read the statistics; valid until the next sample
 * @trace: where to
 *
 * While tracing is off, what was traced stays as it is; when it goes on again,
 * what is traced then is added to it.
 *
 * Return: 0, or why there is nothing new: an error of shim_bpf_reader__stats(), -ENOMEM.
 */
int shim_rec_trace__sample(struct shim_rec_trace *trace)
{
	int ret = take_all(trace);

	/* Off and on again since the last sample. */
	if (ret == -ESTALE)
		ret = take_all(trace);
	if (!ret)
		ret = shim_rec_sums__slots(&trace->sums, &trace->of[TRANSACT]);
	trace->when = now_ns();
	/* No record tells that there was nothing; what comes has come since. */
	if (!shim_rec_trace__any(trace))
		trace->before = trace->when;
	return ret == -ENOENT || ret == -ESTALE ? 0 : ret;
}

static int write_indom(struct shim_writer *w, uint32_t id, const struct shim_rec_tags *tags,
		       struct shim_ts stamp)
{
	int32_t *inst = calloc(tags->n, sizeof(*inst));
	const char **name = calloc(tags->n, sizeof(*name));
	const struct shim_indom indom = {
		.stamp = stamp,
		.indom = id,
		.n = tags->n,
		.inst = inst,
		.name = name,
	};
	int ret = -ENOMEM;

	if (inst && name) {
		for (size_t i = 0; i < tags->n; i++) {
			inst[i] = i + 1;
			name[i] = tags->at[i]->label;
		}
		ret = shim_writer__indom(w, &indom);
	}
	free(inst);
	free(name);
	return ret;
}

/**
 * shim_rec_trace__instances() - write the instance domains that have grown
 * @trace: after a sample
 * @w: to where
 * @stamp: of the record that will follow
 *
 * Return: 0, -ENOMEM, or an error of the writer.
 */
int shim_rec_trace__instances(struct shim_rec_trace *trace, struct shim_writer *w,
			      struct shim_ts stamp)
{
	int ret = 0;

	for (size_t i = 0; i < NINDOMS && !ret; i++) {
		const struct shim_rec_tags *tags = &trace->of[indoms[i].kind];

		if (tags->n == trace->written[i])
			continue;
		ret = write_indom(w, indoms[i].indom, tags, stamp);
		if (!ret)
			trace->written[i] = tags->n;
	}
	return ret ? ret : shim_rec_sums__instances(&trace->sums, w, stamp);
}

/* Its value, or 0 if it has none */
static int value_at(const struct metric *m, const struct shim_rec_tag *tag, double seconds,
		    struct shim_value *value)
{
	struct sight sight = { .tag = tag, .seconds = seconds };

	if (m->since) {
		shim_rec_tag__since(tag, &sight.since);
		if (!sight.since.count || !(seconds > 0))
			return 0;
	}
	value->type = m->type;
	if (m->type == SHIM_TYPE_U64)
		value->ull = m->fn(&sight);
	else if (m->type == SHIM_TYPE_FLOAT)
		value->f = m->fn(&sight);
	else
		value->d = m->fn(&sight);
	return 1;
}

static int write_metric(struct shim_writer *w, const struct metric *m,
			const struct shim_rec_tags *tags, double seconds)
{
	int ret = shim_writer__vset(w, m->pmid, 0);

	for (size_t i = 0; i < tags->n && !ret; i++) {
		struct shim_value value = { .inst = i + 1 };

		if (value_at(m, tags->at[i], seconds, &value))
			ret = shim_writer__value(w, &value);
	}
	return ret;
}

/**
 * shim_rec_trace__values() - write the values of the last sample
 * @trace: after a sample
 * @w: inside a record
 *
 * A metric without any instance yet is left out.
 *
 * Return: 0 or an error of the writer.
 */
int shim_rec_trace__values(struct shim_rec_trace *trace, struct shim_writer *w)
{
	double seconds = trace->before ? (trace->when - trace->before) / 1e9 : 0;
	int ret = 0;

	for (size_t i = 0; i < NMETRICS && !ret; i++) {
		const struct shim_rec_tags *tags = &trace->of[indoms[metrics[i].indom].kind];

		if (tags->n)
			ret = write_metric(w, &metrics[i], tags, seconds);
	}
	if (!ret)
		ret = shim_rec_sums__values(&trace->sums, w);
	if (ret)
		return ret;
	for (enum kind kind = 0; kind < KINDS; kind++)
		shim_rec_tags__written(&trace->of[kind]);
	trace->before = trace->when;
	return 0;
}
