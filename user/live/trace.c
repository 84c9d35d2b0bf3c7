// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Metrics for transactions and other trace events: PCP's own trace.*, and vcpc.transact.* for
 * values that PCP's agent does not provide.  All trace.* metrics are also available live as vcpc.*,
 * because a PCP agent has only one domain of metrics, and pmdatrace may own trace.*.
 *
 * The instances of tags are numbered in the order of arrival and named after the tag.  Instances
 * are kept while tracing is off.  After a tag is removed, its instances are kept until many other
 * tags have been removed.  Each domain of metrics has its own instance domains, because PCP
 * requires that a metric and its instance domain have the same domain number.
 *
 * Values that PCP's agent computes over a window of time are computed here over the time since the
 * last settled sample.  There is no value if no event occurred in that time.
 */
#include <stdio.h>
#include <string.h>

#include "core/event.h"
#include "trace_state.h"

_Static_assert(SHIM_LIVE_NAME_LEN >= SHIM_LABEL_LEN + SHIM_EVENT_LEN + 1, "a pair's name must fit");

/* The instances of a domain: tags of a kind, or pairs */
enum of { OF_TAGS, OF_SLOTS, OF_SUMS };

enum { PCP_T, PCP_P, PCP_O, PCP_C, OUR_T, SLOTS, SUMS, OUR_P, OUR_O, OUR_C, NINDOMS };

#define TAGS_HELP \
	"The tags that programs have used since tracing was turned on. The name of an\n" \
	"instance is the tag's name; tags are numbered in the order in which they were\n" \
	"first seen. Deleted tags are kept until there are many of them."

#define INDOM_PCP_T	SHIM_INDOM(SHIM_DOMAIN_TRACE, 0)
#define INDOM_PCP_P	SHIM_INDOM(SHIM_DOMAIN_TRACE, 1)
#define INDOM_PCP_O	SHIM_INDOM(SHIM_DOMAIN_TRACE, 2)
#define INDOM_PCP_C	SHIM_INDOM(SHIM_DOMAIN_TRACE, 3)
#define INDOM_OUR_T	SHIM_INDOM(SHIM_DOMAIN_VCPC, 1)
#define INDOM_SLOTS	SHIM_INDOM(SHIM_DOMAIN_VCPC, 2)
#define INDOM_SUMS	SHIM_INDOM(SHIM_DOMAIN_VCPC, 3)
#define INDOM_OUR_P	SHIM_INDOM(SHIM_DOMAIN_VCPC, 4)
#define INDOM_OUR_O	SHIM_INDOM(SHIM_DOMAIN_VCPC, 5)
#define INDOM_OUR_C	SHIM_INDOM(SHIM_DOMAIN_VCPC, 6)

static const struct {
	struct shim_metric_indom indom;
	enum of of;
	enum kind kind;
} indoms[NINDOMS] = {
#define TAGS(at, kind, live, line) \
	[at] = { { INDOM_##at, live, line, TAGS_HELP }, OF_TAGS, kind }
	TAGS(PCP_T, TRANSACT, 0, "tags of transactions"),
	TAGS(PCP_P, POINT, 0, "tags of points"),
	TAGS(PCP_O, OBSERVE, 0, "tags of observations"),
	TAGS(PCP_C, COUNTER, 0, "tags of counters"),
	TAGS(OUR_T, TRANSACT, 0, "tags of transactions"),
	[SLOTS] = { { INDOM_SLOTS, 0, "histogram buckets of transactions",
		      "The nonempty buckets. The name of an instance is the tag and the lower bound." },
		    OF_SLOTS, TRANSACT },
	[SUMS] = { { INDOM_SUMS, 0, "events counted in transactions",
		     "The events that were counted in transactions. The name of an instance is the\n"
		     "tag and the event." }, OF_SUMS, TRANSACT },
	TAGS(OUR_P, POINT, 1, "tags of points"),
	TAGS(OUR_O, OBSERVE, 1, "tags of observations"),
	TAGS(OUR_C, COUNTER, 1, "tags of counters"),
#undef TAGS
};

/* The data from which a metric is computed */
struct sight {
	const struct shim_live_tag *tag;
	const struct shim_live_since *since;	/* statistics since the previous sample */
	double seconds;		/* time since that sample, or 0 if there was no sample */
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
	return s->since->count / s->seconds;
}

static double ave_since(const struct sight *s)
{
	return s->since->sum_ns / 1e9 / s->since->count;
}

static double min_since(const struct sight *s)
{
	return s->since->min_ns / 1e9;
}

static double max_since(const struct sight *s)
{
	return s->since->max_ns / 1e9;
}

static double p50_since(const struct sight *s)
{
	return shim_live_tag__percentile(s->tag, s->since, 50) / 1e9;
}

static double p90_since(const struct sight *s)
{
	return shim_live_tag__percentile(s->tag, s->since, 90) / 1e9;
}

static double p99_since(const struct sight *s)
{
	return shim_live_tag__percentile(s->tag, s->since, 99) / 1e9;
}

static double count_of(const struct sight *s)
{
	return s->tag->total.count;
}

static double aborted_of(const struct sight *s)
{
	return s->tag->total.aborted;
}

/* Columns that several rows of the table share: type, semantics, units, since, fn */
#define COUNTED(fn)	SHIM_TYPE_U64, SHIM_SEM_COUNTER, SHIM_UNITS_COUNT, 0, fn
#define RATE		SHIM_TYPE_FLOAT, SHIM_SEM_INSTANT, SHIM_UNITS_PER_SEC, 1, rate_of
#define VALUE(sem)	SHIM_TYPE_DOUBLE, sem, SHIM_UNITS_NONE, 0, value_of
#define TIME_EVER(fn)	SHIM_TYPE_DOUBLE, SHIM_SEM_INSTANT, SHIM_UNITS_SEC, 0, fn
#define TIME(type, fn)	type, SHIM_SEM_INSTANT, SHIM_UNITS_SEC, 1, fn

#define BY_SAMPLE(what)	what " since the previous sample, divided by\nthe seconds between the two samples."
#define BY_HIST(what) \
	what " of the transactions that ended since\n" \
	"the previous sample, computed from the histogram and accurate to 1/16."

/* Counts have type u64 in the metric.  They are doubles here, which are exact up to 2^53. */
struct row {
	struct shim_metric metric;
	unsigned int indom;	/* index in indoms[] */
	int since;		/* no value unless an event occurred since the previous sample */
	double (*fn)(const struct sight *s);
	int which;		/* index of a pair's sum */
	int part;		/* 1 for transactions whose time was split, 2 and above for parts */
};

#define ROW(name, cluster, item, domain, live, at, type, sem, units, since, fn, line, help) \
	{ { name, SHIM_PMID(SHIM_DOMAIN_##domain, cluster, item), INDOM_##at, type, sem, units, live, line, help }, \
	  at, since, fn, 0, 0 }

/* A metric of PCP's agent, and the same metric as vcpc.* */
#define BOTH_AS(theirs, ours, item, at, ...) \
	ROW_("trace." theirs, 0, item, TRACE, 0, PCP_##at, __VA_ARGS__), \
	ROW_("vcpc." ours, SHIM_CLUSTER_TRACE, item, VCPC, 1, OUR_##at, __VA_ARGS__)
#define BOTH(name, item, at, ...)	BOTH_AS(name, name, item, at, __VA_ARGS__)
#define OURS(name, item, ...) \
	ROW_("vcpc.transact." name, SHIM_CLUSTER_TRANSACT, item, VCPC, 0, OUR_T, __VA_ARGS__)
#define PAIRS(name, item, at, sum, line, help) \
	{ { "vcpc.transact." name, SHIM_PMID(SHIM_DOMAIN_VCPC, SHIM_CLUSTER_TRANSACT, item), \
	    INDOM_##at, SHIM_TYPE_U64, SHIM_SEM_COUNTER, SHIM_UNITS_COUNT, 0, line, help }, at, 0, NULL, sum, 0 }
#define SPLIT(name, item, units, part, line, help) \
	{ { "vcpc.transact.time." name, SHIM_PMID(SHIM_DOMAIN_VCPC, SHIM_CLUSTER_TRANSACT, item), \
	    INDOM_OUR_T, SHIM_TYPE_U64, SHIM_SEM_COUNTER, units, 0, line, help }, OUR_T, 0, NULL, 0, part }
#define ROW_(...)	ROW(__VA_ARGS__)

static const struct row rows[] = {
	BOTH("transact.count", 0, T, COUNTED(count_of), "completed transactions",
	     "Number of transactions of the tag that ended since tracing was turned on, including\n"
	     "those before the recording began. Aborted transactions are not counted."),
	BOTH("transact.rate", 1, T, RATE, "completed transactions per second",
	     BY_SAMPLE("Number of transactions of the tag that ended")),
	BOTH("transact.ave_time", 2, T, SHIM_TYPE_FLOAT, SHIM_SEM_INSTANT, SHIM_UNITS_SEC_PER, 1,
	     ave_since, "mean time of a transaction",
	     "Mean duration in seconds of the transactions that ended since the\n"
	     "previous sample."),
	BOTH_AS("transact.min_time", "transact.recent_min_time", 3, T,
		TIME(SHIM_TYPE_FLOAT, min_since), "shortest transaction",
		BY_HIST("Minimum duration in seconds")),
	BOTH_AS("transact.max_time", "transact.recent_max_time", 4, T,
		TIME(SHIM_TYPE_FLOAT, max_since), "longest transaction",
		BY_HIST("Maximum duration in seconds")),
	BOTH("transact.total_time", 5, T, SHIM_TYPE_DOUBLE, SHIM_SEM_COUNTER, SHIM_UNITS_SEC, 0,
	     sum_of, "time in completed transactions",
	     "Total duration in seconds of all transactions of the tag that ended. Divide by\n"
	     "the count of transactions to get the mean."),
	BOTH("point.count", 6, P, COUNTED(count_of), "points reached",
	     "Number of times that programs reached the tag's point."),
	BOTH("point.rate", 7, P, RATE, "points reached per second",
	     BY_SAMPLE("Number of times that programs reached the point")),
	BOTH("observe.count", 8, O, COUNTED(count_of), "observations",
	     "Number of times that programs reported a value for the tag."),
	BOTH("observe.rate", 9, O, RATE, "observations per second",
	     BY_SAMPLE("Number of times that programs reported a value")),
	BOTH("observe.value", 10, O, VALUE(SHIM_SEM_INSTANT), "last value observed",
	     "The latest value that a program reported for the tag, in the program's unit."),
	BOTH("counter.count", 17, C, COUNTED(count_of), "reports of the counter",
	     "Number of times that programs reported a counter for the tag."),
	BOTH("counter.rate", 18, C, RATE, "counter reports per second",
	     BY_SAMPLE("Number of times that programs reported a counter")),
	BOTH("counter.value", 19, C, VALUE(SHIM_SEM_COUNTER), "last value of the counter",
	     "The value of the counter that a program reported last for the tag; its unit is\n"
	     "the program's."),
	OURS("min_time", 0, TIME_EVER(min_of), "shortest transaction so far",
	     "Duration in seconds of the tag's shortest transaction so far."),
	OURS("max_time", 1, TIME_EVER(max_of), "longest transaction so far",
	     "Duration in seconds of the tag's longest transaction so far."),
	OURS("aborted", 2, COUNTED(aborted_of), "aborted transactions",
	     "Number of aborted transactions of the tag."),
	OURS("p50_time", 3, TIME(SHIM_TYPE_DOUBLE, p50_since), "median of transaction times",
	     BY_HIST("Median duration in seconds")),
	OURS("p90_time", 4, TIME(SHIM_TYPE_DOUBLE, p90_since),
	     "90th percentile of transaction times",
	     BY_HIST("90th percentile of the durations in seconds")),
	OURS("p99_time", 5, TIME(SHIM_TYPE_DOUBLE, p99_since),
	     "99th percentile of transaction times",
	     BY_HIST("99th percentile of the durations in seconds")),
	OURS("last_time", 9, TIME_EVER(last_of), "duration of the last transaction",
	     "Duration in seconds of the tag's last completed transaction."),
	PAIRS("hist", 6, SLOTS, 0, "histogram of transaction times",
	      "Number of the tag's transactions in this histogram bucket. Their durations are at\n"
	      "least the time in the instance's name and less than the time in the name of the\n"
	      "next bucket, which is at most 1/8 longer."),
	PAIRS("counted", 7, SUMS, 0, "transactions in which an event was counted",
	      "Number of transactions of the tag in which the event was counted."),
	PAIRS("sum", 8, SUMS, 1, "total count of an event in transactions",
	      "The event's count in all transactions of the tag, from begin to end. Divide\n"
	      "by vcpc.transact.counted to get the mean."),
	SPLIT("count", 10, SHIM_UNITS_COUNT, 1, "transactions included in vcpc.transact.time",
	      "Number of transactions of the tag that ended while 'vcpc record --why' or\n"
	      "'vcpc why' watched their threads. The other metrics of vcpc.transact.time\n"
	      "include only these transactions. A program that reads these metrics needs\n"
	      "CAP_SYS_ADMIN; other programs receive a permission error."),
	SPLIT("oncpu", 11, SHIM_UNITS_NSEC, 2 + VC_WHY_ON_CPU, "time of transactions on a CPU",
	      "Time in nanoseconds during which transactions of the tag ran on a CPU,\n"
	      "including interrupts. Divide by vcpc.transact.time.count to get the mean."),
	SPLIT("runqueue", 12, SHIM_UNITS_NSEC, 2 + VC_WHY_RUNNABLE,
	      "time of transactions waiting for a CPU",
	      "Time in nanoseconds during which transactions of the tag waited for a CPU that\n"
	      "ran other threads. Divide by vcpc.transact.time.count to get the mean."),
	SPLIT("blocked", 13, SHIM_UNITS_NSEC, 2 + VC_WHY_BLOCKED, "time of blocked transactions",
	      "Time in nanoseconds during which transactions of the tag were stopped, or\n"
	      "blocked in a system call or page fault. Divide by vcpc.transact.time.count to\n"
	      "get the mean."),
};

#define NMETRICS	(sizeof(rows) / sizeof(rows[0]))

/* Return the description of metric @i, or NULL past the last one. */
const struct shim_metric *shim_live_trace__metric(size_t i)
{
	return i < NMETRICS ? &rows[i].metric : NULL;
}

const struct shim_metric_indom *shim_live_trace__indom(size_t i)
{
	return i < NINDOMS ? &indoms[i].indom : NULL;
}

bool shim_live_trace__is_of_tags(size_t indom)
{
	return indoms[indom].of == OF_TAGS;
}

/* Return the part of the name that follows the tag if the instance is a pair. */
const char *shim_live_trace__pair(size_t indom)
{
	return indoms[indom].of == OF_SLOTS ? "slot" : "event";
}

/*
 * Return the number of instances of a domain.  They are in ascending order of their numbers, which
 * begin at 1.
 */
size_t shim_live_trace__instances(const struct shim_live_trace *trace, size_t indom)
{
	switch (indoms[indom].of) {
	case OF_TAGS:
		return trace->of[indoms[indom].kind].n;
	case OF_SLOTS:
		return trace->pairs.nslots;
	case OF_SUMS:
		return trace->pairs.nsums;
	}
	return 0;
}

static const struct shim_live_numbers *numbers_of(const struct shim_live_trace *trace, size_t indom)
{
	switch (indoms[indom].of) {
	case OF_SLOTS:
		return &trace->pairs.slot_numbers;
	case OF_SUMS:
		return &trace->pairs.sum_numbers;
	default:
		return &trace->of[indoms[indom].kind].numbers;
	}
}

/*
 * Return a number.  While it does not change, instances of a domain are only added, not removed or
 * renumbered.
 */
uint64_t shim_live_trace__removed(const struct shim_live_trace *trace, size_t indom)
{
	return numbers_of(trace, indom)->removed;
}

/* Return a number.  While it does not change, the instances of a domain do not change. */
uint64_t shim_live_trace__changes(const struct shim_live_trace *trace, size_t indom)
{
	return numbers_of(trace, indom)->last + numbers_of(trace, indom)->removed;
}

/*
 * Return an instance's number, which is not reused in its domain until 2^31 numbers have been used.
 */
int32_t shim_live_trace__inst(const struct shim_live_trace *trace, size_t indom, size_t i)
{
	switch (indoms[indom].of) {
	case OF_TAGS:
		return trace->of[indoms[indom].kind].at[i]->inst;
	case OF_SLOTS:
		return trace->pairs.slots[i].inst;
	case OF_SUMS:
		return trace->pairs.sums[i]->inst;
	}
	return 0;
}

/* Return the index of the instance with a number, or -1 if it does not exist or was removed. */
long shim_live_trace__find(const struct shim_live_trace *trace, size_t indom, int32_t inst)
{
	size_t n = shim_live_trace__instances(trace, indom), from = 0;

	if (inst < 1)
		return -1;
	/* Until the first instance is removed, the instances have all numbers from 1. */
	if ((size_t)inst <= n) {
		if (shim_live_trace__inst(trace, indom, inst - 1) == inst)
			return inst - 1;
		n = inst;
	}
	while (from < n) {
		size_t middle = from + (n - from) / 2;
		int32_t at = shim_live_trace__inst(trace, indom, middle);

		if (at == inst)
			return middle;
		if (at < inst)
			from = middle + 1;
		else
			n = middle;
	}
	return -1;
}

/**
 * shim_live_trace__name() - get an instance's name, which never changes
 * @trace: the statistics, with a sample
 * @indom: index of the domain in the table
 * @i: index of the instance
 * @buf: written
 * @size: size of @buf; SHIM_LIVE_NAME_LEN is sufficient
 */
void shim_live_trace__name(const struct shim_live_trace *trace, size_t indom, size_t i, char *buf,
			   size_t size)
{
	const struct shim_live_slot *slot;

	switch (indoms[indom].of) {
	case OF_TAGS:
		snprintf(buf, size, "%s", trace->of[indoms[indom].kind].at[i]->label);
		break;
	case OF_SLOTS:
		slot = &trace->pairs.slots[i];
		snprintf(buf, size, "%s/%lluns", slot->tag->label,
			 (unsigned long long)vc_hist_floor(slot->slot));
		break;
	case OF_SUMS:
		snprintf(buf, size, "%s", trace->pairs.sums[i]->name);
		break;
	}
}

/**
 * shim_live_trace__tag_len() - get the length of the tag in an instance's name
 * @trace: the statistics, with a sample
 * @indom: index of the domain in the table
 * @i: index of the instance
 *
 * Tags and event names may contain slashes, so the name cannot be split at its slash.
 *
 * Return: the length.  In the name of a pair, a slash and the bucket or event follow.
 */
size_t shim_live_trace__tag_len(const struct shim_live_trace *trace, size_t indom, size_t i)
{
	switch (indoms[indom].of) {
	case OF_TAGS:
		return strlen(trace->of[indoms[indom].kind].at[i]->label);
	case OF_SLOTS:
		return strlen(trace->pairs.slots[i].tag->label);
	case OF_SUMS:
		return strlen(trace->pairs.sums[i]->tag->label);
	}
	return 0;
}

/* Return the statistics since the previous sample.  They are computed once per sample. */
static const struct shim_live_since *since_of(const struct shim_live_trace *trace,
					      struct shim_live_tag *tag)
{
	if (tag->since_of != trace->samples)
		shim_live_tag__since(tag, &tag->since);
	tag->since_of = trace->samples;
	return &tag->since;
}

/* Return the number of transactions if @which is 0, otherwise one of their parts in ns. */
static uint64_t split_of(const struct shim_live_parts *parts, int which)
{
	if (!which)
		return parts->earlier.count + parts->now.count;
	return parts->earlier.part[which - 1] + parts->now.part[which - 1];
}

static bool tag_value(const struct shim_live_trace *trace, const struct row *row,
		      struct shim_live_tag *tag, struct shim_value *value)
{
	struct sight sight = { .tag = tag };

	if (row->since) {
		sight.since = since_of(trace, tag);
		sight.seconds = trace->before ? (trace->when - trace->before) / 1e9 : 0;
		if (!sight.since->count || !(sight.seconds > 0))
			return false;
	}
	if (row->part) {
		value->ull = split_of(&tag->parts, row->part - 1);
		return tag->parts.any;
	}
	if (row->metric.type == SHIM_TYPE_U64)
		value->ull = row->fn(&sight);
	else if (row->metric.type == SHIM_TYPE_FLOAT)
		value->f = row->fn(&sight);
	else
		value->d = row->fn(&sight);
	return true;
}

/* Return whether a row's values are only in maps that this process may not search for. */
bool shim_live_trace__is_denied(const struct shim_live_trace *trace, size_t metric)
{
	return rows[metric].part && trace->split.denied;
}

/**
 * shim_live_trace__value() - get one value of the last sample
 * @trace: the statistics, with a sample
 * @metric: index of the row
 * @i: index of the instance
 * @value: written if there is a value
 *
 * Return: true if there is a value.
 */
bool shim_live_trace__value(const struct shim_live_trace *trace, size_t metric, size_t i,
			    struct shim_value *value)
{
	const struct row *row = &rows[metric];
	const struct shim_live_slot *slot;
	const struct shim_live_sum *sum;

	value->inst = shim_live_trace__inst(trace, row->indom, i);
	value->type = row->metric.type;
	switch (indoms[row->indom].of) {
	case OF_TAGS:
		return tag_value(trace, row, trace->of[indoms[row->indom].kind].at[i], value);
	case OF_SLOTS:
		slot = &trace->pairs.slots[i];
		value->ull = slot->tag->total.hist[slot->slot];
		break;
	case OF_SUMS:
		sum = trace->pairs.sums[i];
		value->ull = sum->total[row->which];
		break;
	}
	return true;
}

/* Return whether values do not change until the next event.  Others describe the last interval. */
bool shim_live_trace__lasts(size_t metric)
{
	return !rows[metric].since;
}

/* Return the index of a metric's instance domain in the table. */
size_t shim_live_trace__domain(size_t metric)
{
	return rows[metric].indom;
}
