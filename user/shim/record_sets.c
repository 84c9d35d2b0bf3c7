// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Counts as metrics: vcpc.count.<event> and vcpc.time.*, an instance a process,
 * which may have several sets of different events.
 *
 * Samples are taken first, all of them, and then written; a set that could
 * not be sampled has no value in the record.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/event.h"
#include "record.h"

#define INDOM_SETS	INDOM(DOMAIN_VCPC, 0)
#define MAX_METRICS	1023	/* items of a cluster */

enum { TIME_TICK, TIME_ENABLED, TIME_RUNNING, TIMES };

static const struct {
	const char *name;
	size_t offset;		/* in struct shim_sample */
	const char *line;
	const char *help;
} times[TIMES] = {
	[TIME_TICK] = { "vcpc.time.tick", offsetof(struct shim_sample, tick),
			"CPU time of the process while its counters counted",
			"CPU time in nanoseconds that the threads under the counters took while these\n"
			"counted. Counts per second of CPU time are the rates of vcpc.count.* over the\n"
			"rate of this." },
	[TIME_ENABLED] = { "vcpc.time.enabled", offsetof(struct shim_sample, enabled),
			   "time the counters were wanted",
			   "Time in nanoseconds that the counters were enabled on running threads of the\n"
			   "process." },
	[TIME_RUNNING] = { "vcpc.time.running", offsetof(struct shim_sample, running),
			   "time the counters counted",
			   "Time in nanoseconds that the counters were on the CPU. It is that of\n"
			   "vcpc.time.enabled: counts are never estimated from a part of the time." },
};

/* One set; those of a process are its instance together */
struct source {
	struct shim_set *set;
	pid_t pid;
	char *name;
	bool valid;			/* the last sample was taken */
	struct shim_sample sample;
	unsigned int metric[SHIM_SET_MAX];	/* which of the metrics each value is */
};

struct shim_rec_sets {
	struct source **sources;	/* by pid, and as they came */
	unsigned int n;
	char **metrics;			/* names */
	unsigned int nmetrics;
	bool times_known;
	bool instances_known;
};

int shim_rec_sets__create(struct shim_rec_sets **out)
{
	struct shim_rec_sets *sets = calloc(1, sizeof(*sets));

	if (!sets)
		return -ENOMEM;
	*out = sets;
	return 0;
}

static void free_source(struct source *source)
{
	if (!source)
		return;
	free(source->name);
	free(source);
}

void shim_rec_sets__destroy(struct shim_rec_sets *sets)
{
	if (!sets)
		return;
	for (unsigned int i = 0; i < sets->n; i++)
		free_source(sets->sources[i]);
	for (unsigned int i = 0; i < sets->nmetrics; i++)
		free(sets->metrics[i]);
	free(sets->sources);
	free(sets->metrics);
	free(sets);
}

/* As PCP names processes: the number in six digits, and the command. */
static char *instance_name(pid_t pid)
{
	char path[64], comm[64] = "";
	char *name = NULL;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/comm", pid);
	f = fopen(path, "re");
	if (f) {
		if (!fgets(comm, sizeof(comm), f))
			comm[0] = '\0';
		fclose(f);
	}
	comm[strcspn(comm, "\n")] = '\0';
	if (asprintf(&name, "%06d%s%s", pid, comm[0] ? " " : "", comm) < 0)
		return NULL;
	return name;
}

static int write_metric(struct shim_writer *w, uint32_t pmid, uint32_t units, const char *name,
			const char *line, const char *help)
{
	const struct shim_rec_metric metric = {
		.desc = {
			.pmid = pmid,
			.type = SHIM_TYPE_U64,
			.indom = INDOM_SETS,
			.sem = SHIM_SEM_COUNTER,
			.units = units,
			.nnames = 1,
			.names = &name,
		},
		.line = line,
		.help = help,
	};

	return shim_rec_metric__write(w, &metric);
}

static int write_times(struct shim_rec_sets *sets, struct shim_writer *w)
{
	int ret = 0;

	for (unsigned int i = 0; i < TIMES && !sets->times_known && !ret; i++)
		ret = write_metric(w, PMID(DOMAIN_VCPC, 0, i), UNITS_NSEC, times[i].name,
				   times[i].line, times[i].help);
	if (!ret && !sets->times_known)
		ret = shim_rec_indom__describe(w, INDOM_SETS, "processes that are counted",
					       "Each process of which a set was recorded, by its "
					       "number and name. What its\nchildren counted is "
					       "in it, if the set was bound to be inherited.");
	if (!ret)
		sets->times_known = true;
	return ret;
}

/* The clocks among perf's software events count nanoseconds. */
static bool counts_time(const char *event)
{
	struct vcpc_request req;

	return !shim_event__parse(event, &req) && req.type == PERF_TYPE_SOFTWARE &&
	       (req.config == PERF_COUNT_SW_TASK_CLOCK || req.config == PERF_COUNT_SW_CPU_CLOCK);
}

/* @event: as the set's creator wrote it, which the metric's name does not always tell */
static int write_event(struct shim_writer *w, unsigned int item, const char *name,
		       const char *event)
{
	bool time = counts_time(event);
	char line[SHIM_EVENT_LEN + 32];
	char help[SHIM_EVENT_LEN + 160];

	snprintf(line, sizeof(line), "%s \"%s\"", time ? "nanoseconds of" : "events", event);
	snprintf(help, sizeof(help),
		 "%s \"%s\" %s in the threads of the process that are counted, as\n"
		 "64-bit counters of each thread, since the set was bound to it.",
		 time ? "How many nanoseconds" : "How often", event, time ? "counted" : "occurred");
	return write_metric(w, PMID(DOMAIN_VCPC, 1, item), time ? UNITS_NSEC : UNITS_COUNT, name,
			    line, help);
}

static int new_metric(struct shim_rec_sets *sets, struct shim_writer *w, const char *name,
		      const char *event)
{
	char **metrics = reallocarray(sets->metrics, sets->nmetrics + 1, sizeof(*metrics));
	char *copy = strdup(name);
	int ret;

	if (metrics)
		sets->metrics = metrics;
	if (!metrics || !copy) {
		free(copy);
		return -ENOMEM;
	}
	ret = write_event(w, sets->nmetrics, name, event);
	if (ret) {
		free(copy);
		return ret;
	}
	metrics[sets->nmetrics++] = copy;
	return 0;
}

/* An event's metric: its name, and its number or -ENOENT if it is new; another negative error. */
static int known_metric(const struct shim_rec_sets *sets, const char *event, char *name,
			size_t size)
{
	size_t front = snprintf(name, size, "vcpc.count.");
	int ret = shim_event__metric(event, name + front, size - front);

	if (ret)
		return ret;
	for (unsigned int i = 0; i < sets->nmetrics; i++)
		if (!strcmp(sets->metrics[i], name))
			return i;
	return -ENOENT;
}

/* The number of an event's metric, written if it is new; a negative error. */
static int metric_of(struct shim_rec_sets *sets, struct shim_writer *w, const char *event)
{
	char name[SHIM_EVENT_LEN + 16];
	int ret = known_metric(sets, event, name, sizeof(name));

	if (ret != -ENOENT)
		return ret;
	if (sets->nmetrics > MAX_METRICS)
		return -ENOSPC;
	ret = new_metric(sets, w, name, event);
	return ret ? ret : (int)sets->nmetrics - 1;
}

static bool has_metric(const struct source *source, int metric)
{
	for (unsigned int i = 0; i < shim_set_size(source->set); i++)
		if (source->metric[i] == (unsigned int)metric)
			return true;
	return false;
}

/* What a process counts already has one value for it, not two: 0, -EEXIST, or another error */
static int check_new(const struct shim_rec_sets *sets, const struct source *source)
{
	char name[SHIM_EVENT_LEN + 16];

	for (unsigned int i = 0; i < shim_set_size(source->set); i++) {
		int metric = known_metric(sets, shim_set_event(source->set, i), name, sizeof(name));

		if (metric < 0 && metric != -ENOENT)
			return metric;
		for (unsigned int j = 0; j < sets->n && metric >= 0; j++)
			if (sets->sources[j]->pid == source->pid &&
			    has_metric(sets->sources[j], metric))
				return -EEXIST;
	}
	return 0;
}

static int find_metrics(struct shim_rec_sets *sets, struct shim_writer *w, struct source *source)
{
	for (unsigned int i = 0; i < shim_set_size(source->set); i++) {
		int metric = metric_of(sets, w, shim_set_event(source->set, i));

		if (metric < 0)
			return metric;
		for (unsigned int j = 0; j < i; j++)
			if (source->metric[j] == (unsigned int)metric)
				return -EINVAL;
		source->metric[i] = metric;
	}
	return 0;
}

static int insert(struct shim_rec_sets *sets, struct source *source)
{
	struct source **sources = reallocarray(sets->sources, sets->n + 1, sizeof(*sources));
	unsigned int at = sets->n;

	if (!sources)
		return -ENOMEM;
	sets->sources = sources;
	for (; at && sources[at - 1]->pid > source->pid; at--)
		sources[at] = sources[at - 1];
	sources[at] = source;
	sets->n++;
	sets->instances_known = false;
	return 0;
}

/**
 * shim_rec_sets__add() - one more set
 * @sets: where
 * @w: for the metrics that are new
 * @set: bound to one target
 * @pid: its process, or the number of its instance if that has a name of its own
 * @name: that, or NULL
 *
 * Return: as shim_record_add_set().
 */
int shim_rec_sets__add(struct shim_rec_sets *sets, struct shim_writer *w, struct shim_set *set,
		       pid_t pid, const char *name)
{
	struct source *source;
	int ret;

	source = calloc(1, sizeof(*source));
	if (!source)
		return -ENOMEM;
	source->set = set;
	source->pid = pid;
	source->name = name ? strdup(name) : instance_name(pid);
	ret = source->name ? check_new(sets, source) : -ENOMEM;
	if (!ret)
		ret = write_times(sets, w);
	if (!ret)
		ret = find_metrics(sets, w, source);
	if (!ret)
		ret = insert(sets, source);
	if (ret)
		free_source(source);
	return ret;
}

int shim_rec_sets__sample(struct shim_rec_sets *sets, uint64_t *when)
{
	bool first = true;
	int missing = 0;

	for (unsigned int i = 0; i < sets->n; i++) {
		struct source *source = sets->sources[i];
		int ret = shim_set_total(source->set, 0, &source->sample);

		source->valid = !ret;
		if (source->valid && first) {
			*when = source->sample.time;
			first = false;
		}
		if (ret && !missing)
			missing = ret;
	}
	return missing;
}

/* Whether a set is the first one of its process */
static bool is_first(const struct shim_rec_sets *sets, unsigned int i)
{
	return !i || sets->sources[i - 1]->pid != sets->sources[i]->pid;
}

int shim_rec_sets__instances(struct shim_rec_sets *sets, struct shim_writer *w,
			     struct shim_ts stamp)
{
	int32_t inst[sets->n + 1];
	const char *name[sets->n + 1];
	struct shim_indom indom = {
		.stamp = stamp,
		.indom = INDOM_SETS,
		.inst = inst,
		.name = name,
	};
	int ret;

	if (sets->instances_known || !sets->n)
		return 0;
	for (unsigned int i = 0; i < sets->n; i++) {
		if (!is_first(sets, i))
			continue;
		inst[indom.n] = sets->sources[i]->pid;
		name[indom.n] = sets->sources[i]->name;
		indom.n++;
	}
	ret = shim_writer__indom(w, &indom);
	if (!ret)
		sets->instances_known = true;
	return ret;
}

static bool any_valid(const struct shim_rec_sets *sets)
{
	for (unsigned int i = 0; i < sets->n; i++)
		if (sets->sources[i]->valid)
			return true;
	return false;
}

static int write_value(struct shim_writer *w, const struct source *source, uint64_t ull)
{
	const struct shim_value value = {
		.inst = source->pid,
		.type = SHIM_TYPE_U64,
		.ull = ull,
	};

	return shim_writer__value(w, &value);
}

static int write_time(struct shim_rec_sets *sets, struct shim_writer *w, unsigned int which)
{
	int ret = shim_writer__vset(w, PMID(DOMAIN_VCPC, 0, which),
				    any_valid(sets) ? 0 : ERR_VALUE);

	for (unsigned int i = 0; i < sets->n && !ret; i++) {
		const struct source *source = sets->sources[i];
		uint64_t ull;

		memcpy(&ull, (const char *)&source->sample + times[which].offset, sizeof(ull));
		if (source->valid && is_first(sets, i))
			ret = write_value(w, source, ull);
	}
	return ret;
}

static int write_count(struct shim_rec_sets *sets, struct shim_writer *w, unsigned int metric)
{
	int ret = shim_writer__vset(w, PMID(DOMAIN_VCPC, 1, metric),
				    any_valid(sets) ? 0 : ERR_VALUE);

	for (unsigned int i = 0; i < sets->n; i++) {
		const struct source *source = sets->sources[i];

		for (unsigned int j = 0; j < source->sample.nr && source->valid && !ret; j++)
			if (source->metric[j] == metric)
				ret = write_value(w, source, source->sample.values[j]);
	}
	return ret;
}

/* Whether there is any instance to write values of */
bool shim_rec_sets__any(const struct shim_rec_sets *sets)
{
	return sets->n;
}

int shim_rec_sets__values(struct shim_rec_sets *sets, struct shim_writer *w)
{
	int ret = 0;

	for (unsigned int i = 0; i < TIMES && sets->n && !ret; i++)
		ret = write_time(sets, w, i);
	for (unsigned int i = 0; i < sets->nmetrics && !ret; i++)
		ret = write_count(sets, w, i);
	return ret;
}
