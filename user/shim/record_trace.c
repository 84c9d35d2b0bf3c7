// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Transactions and the other trace events as metrics: PCP's own trace.*, and
 * the extremes of the transactions' times as vcpc.transact.*.
 *
 * A tag's instance has its number by the order of arrival and its name from
 * the tag, and stays.  vcpc.transact.* has an instance domain of its own, with
 * the same instances, because PCP wants a metric and its instance domain to be
 * of one domain number.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "core/bpf.h"
#include "record.h"

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

static uint64_t count_of(const struct vc_stat *stat)
{
	return stat->count;
}

static double sum_of(const struct vc_stat *stat)
{
	return stat->sum_ns / 1e9;
}

static double min_of(const struct vc_stat *stat)
{
	return stat->min_ns / 1e9;
}

static double max_of(const struct vc_stat *stat)
{
	return stat->max_ns / 1e9;
}

static double value_of(const struct vc_stat *stat)
{
	double value;

	memcpy(&value, &stat->value, sizeof(value));
	return value;
}

/* One of the two functions gives the value, and so says its type. */
static const struct metric {
	const char *name;
	uint32_t pmid;
	unsigned int indom;	/* of the table above */
	int32_t sem;
	uint32_t units;
	uint64_t (*u64)(const struct vc_stat *stat);
	double (*dbl)(const struct vc_stat *stat);
	const char *line;
	const char *help;
} metrics[] = {
	{ "trace.transact.count", PMID(DOMAIN_TRACE, 0, 0), 0, SHIM_SEM_COUNTER, UNITS_COUNT,
	  count_of, NULL,
	  "completed transactions",
	  "How many transactions of the tag ended, those aborted not counted,\n"
	  "since tracing was turned on." },
	{ "trace.transact.total_time", PMID(DOMAIN_TRACE, 0, 5), 0, SHIM_SEM_COUNTER, UNITS_SEC,
	  NULL, sum_of,
	  "time in completed transactions",
	  "Seconds from begin to end of all transactions of the tag that ended since\n"
	  "tracing was turned on. Over trace.transact.count, the mean time of one." },
	{ "trace.point.count", PMID(DOMAIN_TRACE, 0, 6), 1, SHIM_SEM_COUNTER, UNITS_COUNT,
	  count_of, NULL,
	  "times a point was passed",
	  "How often programs passed the point of that tag since tracing was turned on." },
	{ "trace.observe.count", PMID(DOMAIN_TRACE, 0, 8), 2, SHIM_SEM_COUNTER, UNITS_COUNT,
	  count_of, NULL,
	  "observations made",
	  "How often programs reported a value for the tag since tracing was turned on." },
	{ "trace.observe.value", PMID(DOMAIN_TRACE, 0, 10), 2, SHIM_SEM_INSTANT, UNITS_NONE,
	  NULL, value_of,
	  "last value observed",
	  "The value that a program reported last for the tag; its unit is the program's." },
	{ "trace.counter.count", PMID(DOMAIN_TRACE, 0, 17), 3, SHIM_SEM_COUNTER, UNITS_COUNT,
	  count_of, NULL,
	  "counter reports made",
	  "How often programs reported a counter for the tag since tracing was turned on." },
	{ "trace.counter.value", PMID(DOMAIN_TRACE, 0, 19), 3, SHIM_SEM_COUNTER, UNITS_NONE,
	  NULL, value_of,
	  "last value of the counter",
	  "The value of the counter that a program reported last for the tag; its unit is\n"
	  "the program's." },
	{ "vcpc.transact.min_time", PMID(DOMAIN_VCPC, 2, 0), 4, SHIM_SEM_INSTANT, UNITS_SEC,
	  NULL, min_of,
	  "shortest transaction",
	  "Seconds that the shortest transaction of the tag took since tracing was turned\n"
	  "on." },
	{ "vcpc.transact.max_time", PMID(DOMAIN_VCPC, 2, 1), 4, SHIM_SEM_INSTANT, UNITS_SEC,
	  NULL, max_of,
	  "longest transaction",
	  "Seconds that the longest transaction of the tag took since tracing was turned\n"
	  "on." },
};

/* A tag that was seen; its instance number is its place, counted from 1 */
struct instance {
	struct shim_hnode node;
	uint32_t tag;
	char *name;
	const struct vc_stat *now;	/* in the last sample, or NULL */
};

struct instances {
	struct instance **at;
	size_t n, room;
	struct shim_hash by_tag;
};

struct shim_rec_trace {
	struct shim_bpf_reader *reader;
	struct instances of[KINDS];
	size_t written[NINDOMS];	/* how many instances the archive knows */
};

static int write_metrics(struct shim_writer *w)
{
	int ret = 0;

	for (size_t i = 0; i < sizeof(metrics) / sizeof(metrics[0]) && !ret; i++) {
		const struct metric *m = &metrics[i];
		const struct shim_rec_metric metric = {
			.desc = {
				.pmid = m->pmid,
				.type = m->u64 ? SHIM_TYPE_U64 : SHIM_TYPE_DOUBLE,
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
		shim_hash__init(&trace->of[kind].by_tag);
	ret = shim_bpf_reader__open(&trace->reader);
	if (!ret)
		ret = write_metrics(w);
	if (ret) {
		shim_rec_trace__destroy(trace);
		return ret;
	}
	*out = trace;
	return 0;
}

static void free_instances(struct instances *instances)
{
	for (size_t i = 0; i < instances->n; i++) {
		free(instances->at[i]->name);
		free(instances->at[i]);
	}
	free(instances->at);
	shim_hash__free(&instances->by_tag);
}

void shim_rec_trace__destroy(struct shim_rec_trace *trace)
{
	if (!trace)
		return;
	if (trace->reader)
		shim_bpf_reader__close(trace->reader);
	for (enum kind kind = 0; kind < KINDS; kind++)
		free_instances(&trace->of[kind]);
	free(trace);
}

static struct instance *find(struct instances *instances, uint32_t tag)
{
	uint64_t hash = shim_hash__u32(&instances->by_tag, tag);
	struct shim_hnode *node = shim_hash__first(&instances->by_tag, hash);

	for (; node; node = shim_hash__next(node)) {
		struct instance *instance = shim_hnode__entry(node, struct instance, node);

		if (instance->tag == tag)
			return instance;
	}
	return NULL;
}

static int make_room(struct instances *instances)
{
	size_t room = instances->room ? 2 * instances->room : 16;
	struct instance **at;

	if (instances->n < instances->room)
		return 0;
	at = reallocarray(instances->at, room, sizeof(*at));
	if (!at)
		return -ENOMEM;
	instances->at = at;
	instances->room = room;
	return 0;
}

static struct instance *add(struct instances *instances, uint32_t tag, const char *name)
{
	struct instance *instance = calloc(1, sizeof(*instance));

	if (!instance || make_room(instances))
		goto err;
	instance->tag = tag;
	instance->name = strdup(name);
	if (!instance->name || shim_hash__add(&instances->by_tag, &instance->node,
					      shim_hash__u32(&instances->by_tag, tag)))
		goto err;
	instances->at[instances->n++] = instance;
	return instance;
err:
	if (instance)
		free(instance->name);
	free(instance);
	return NULL;
}

/* The maps give tags in no order; the smaller id came first. */
static int by_tag(const void *a, const void *b)
{
	const struct shim_bpf_stat *const *sa = a, *const *sb = b;

	return ((*sa)->key.tag > (*sb)->key.tag) - ((*sa)->key.tag < (*sb)->key.tag);
}

static int take(struct shim_rec_trace *trace, const struct shim_bpf_stat *stat)
{
	for (enum kind kind = 0; kind < KINDS; kind++) {
		struct instance *instance;

		if (kind_of[kind] != stat->key.kind || !stat->total.count)
			continue;
		instance = find(&trace->of[kind], stat->key.tag);
		if (!instance)
			instance = add(&trace->of[kind], stat->key.tag, stat->name);
		if (!instance)
			return -ENOMEM;
		instance->now = &stat->total;
	}
	return 0;
}

static void forget(struct shim_rec_trace *trace)
{
	for (enum kind kind = 0; kind < KINDS; kind++)
		for (size_t i = 0; i < trace->of[kind].n; i++)
			trace->of[kind].at[i]->now = NULL;
}

/**
 * shim_rec_trace__sample() - read the statistics; valid until the next sample
 * @trace: where to
 *
 * Return: 0, or why there are none: an error of shim_bpf_reader__stats(), -ENOMEM.
 */
int shim_rec_trace__sample(struct shim_rec_trace *trace)
{
	const struct shim_bpf_stat *stats;
	const struct shim_bpf_stat **sorted;
	size_t n;
	int ret;

	forget(trace);
	ret = shim_bpf_reader__stats(trace->reader, &stats, &n);
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

static int write_indom(struct shim_writer *w, uint32_t id, const struct instances *instances,
		       struct shim_ts stamp)
{
	int32_t *inst = calloc(instances->n, sizeof(*inst));
	const char **name = calloc(instances->n, sizeof(*name));
	const struct shim_indom indom = {
		.stamp = stamp,
		.indom = id,
		.n = instances->n,
		.inst = inst,
		.name = name,
	};
	int ret = -ENOMEM;

	if (inst && name) {
		for (size_t i = 0; i < instances->n; i++) {
			inst[i] = i + 1;
			name[i] = instances->at[i]->name;
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
		const struct instances *instances = &trace->of[indoms[i].kind];

		if (instances->n == trace->written[i])
			continue;
		ret = write_indom(w, indoms[i].indom, instances, stamp);
		if (!ret)
			trace->written[i] = instances->n;
	}
	return ret;
}

static int write_metric(struct shim_writer *w, const struct metric *m,
			const struct instances *instances)
{
	int ret = shim_writer__vset(w, m->pmid, 0);

	for (size_t i = 0; i < instances->n && !ret; i++) {
		const struct vc_stat *now = instances->at[i]->now;
		struct shim_value value = { .inst = i + 1 };

		if (!now)
			continue;
		if (m->u64) {
			value.type = SHIM_TYPE_U64;
			value.ull = m->u64(now);
		} else {
			value.type = SHIM_TYPE_DOUBLE;
			value.d = m->dbl(now);
		}
		ret = shim_writer__value(w, &value);
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
	int ret = 0;

	for (size_t i = 0; i < sizeof(metrics) / sizeof(metrics[0]) && !ret; i++) {
		const struct instances *instances = &trace->of[indoms[metrics[i].indom].kind];

		if (instances->n)
			ret = write_metric(w, &metrics[i], instances);
	}
	return ret;
}
