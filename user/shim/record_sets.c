// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Record counts of sets: vcpc.count.<event> and vcpc.time.*, with one instance per process.  A
 * process may have several sets with different events.
 *
 * All samples are taken before any is written.  A set that could not be sampled has no values in
 * the record.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/vec.h"
#include "live/counts.h"
#include "record.h"
#include "set.h"

#define MAX_METRICS	1023	/* the maximum item number; item numbers distinguish metrics */

/* Offset in a sample of each time in shim_live_times[] */
static const size_t time_at[SHIM_TIMES] = {
	[SHIM_TIME_TICK] = offsetof(struct shim_sample, tick),
	[SHIM_TIME_ENABLED] = offsetof(struct shim_sample, enabled),
	[SHIM_TIME_RUNNING] = offsetof(struct shim_sample, running),
};

/* A set; all sets of a process form one instance */
struct source {
	struct shim_set *set;
	pid_t pid;
	char *name;
	bool valid;			/* the last sample succeeded */
	struct shim_sample sample;
	unsigned int metric[SHIM_SET_MAX];	/* index of each value's metric */
};

/* The metric of an event */
struct metric {
	char *name;
	unsigned int item;
};

struct shim_rec_sets {
	struct source **sources;	/* sorted by pid, then in the order of addition */
	unsigned int n;
	size_t room;
	struct metric *metrics;
	unsigned int nmetrics;
	size_t metrics_room;
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
		free(sets->metrics[i].name);
	free(sets->sources);
	free(sets->metrics);
	free(sets);
}

/*
 * Name an instance as PCP names processes: the number with six digits, followed by the command
 * unless the process has ended.  Return NULL and set errno on failure.
 */
static char *instance_name(pid_t pid)
{
	char path[64], comm[64] = "";
	char *name = NULL;
	int err = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/comm", pid);
	f = fopen(path, "re");
	if (!f || !fgets(comm, sizeof(comm), f))
		err = errno;
	if (f)
		fclose(f);
	if (err && err != ENOENT && err != ESRCH && err != EACCES) {
		errno = err;
		return NULL;
	}
	comm[strcspn(comm, "\n")] = '\0';
	if (asprintf(&name, "%06d%s%s", pid, comm[0] ? " " : "", comm) < 0)
		return NULL;
	return name;
}

static int write_times(struct shim_rec_sets *sets, struct shim_writer *w)
{
	int ret = 0;

	for (unsigned int i = 0; i < SHIM_TIMES && !sets->times_known && !ret; i++)
		ret = shim_rec_metric__write(w, &shim_live_times[i]);
	if (!ret && !sets->times_known)
		ret = shim_rec_indom__describe(w, &shim_live_targets);
	if (!ret)
		sets->times_known = true;
	return ret;
}

static bool is_taken(const struct shim_rec_sets *sets, unsigned int item)
{
	for (unsigned int i = 0; i < sets->nmetrics; i++)
		if (sets->metrics[i].item == item)
			return true;
	return false;
}

static unsigned int item_of(const struct shim_rec_sets *sets, const char *name)
{
	unsigned int item = shim_count_metric__item(name);

	while (is_taken(sets, item))
		item = (item + 1) % SHIM_COUNT_ITEMS;
	return item;
}

/* Declare an event's metric.  @event is the event as the set's creator wrote it. */
static int new_metric(struct shim_rec_sets *sets, struct shim_writer *w, const char *name,
		      const char *event)
{
	struct shim_count_metric metric;
	char *copy = strdup(name);
	unsigned int item;
	int ret;

	if (!copy || shim_vec__room(sets->metrics, &sets->metrics_room, sets->nmetrics)) {
		free(copy);
		return -ENOMEM;
	}
	item = item_of(sets, name);
	shim_count_metric__fill(&metric, item, name, event);
	ret = shim_rec_metric__write(w, &metric.metric);
	if (ret) {
		free(copy);
		return ret;
	}
	sets->metrics[sets->nmetrics++] = (struct metric) { copy, item };
	return 0;
}

/*
 * Get an event's metric name.  Return the metric's index, -ENOENT if the metric is new, or another
 * error.
 */
static int known_metric(const struct shim_rec_sets *sets, const char *event, char *name,
			size_t size)
{
	int ret = shim_count_metric__name(event, name, size);

	if (ret)
		return ret;
	for (unsigned int i = 0; i < sets->nmetrics; i++)
		if (!strcmp(sets->metrics[i].name, name))
			return i;
	return -ENOENT;
}

/* Return the index of an event's metric, or a negative error.  Write the metric if it is new. */
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

/* Reject an event that another set of the process counts.  Return 0 or -EEXIST. */
static int check_new(const struct shim_rec_sets *sets, const struct source *source)
{
	char name[SHIM_EVENT_LEN + 16];

	for (unsigned int i = 0; i < shim_set_size(source->set); i++) {
		int metric = known_metric(sets, shim_set_event(source->set, i), name, sizeof(name));

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
	struct source **sources;
	unsigned int at = sets->n;

	if (shim_vec__room(sets->sources, &sets->room, sets->n))
		return -ENOMEM;
	sources = sets->sources;
	for (; at && sources[at - 1]->pid > source->pid; at--)
		sources[at] = sources[at - 1];
	sources[at] = source;
	sets->n++;
	sets->instances_known = false;
	return 0;
}

/**
 * shim_rec_sets__add() - add a set
 * @sets: the sets
 * @w: the writer of the archive, in which new metrics are declared
 * @set: the set, bound to one target
 * @pid: the set's process, or the number of its instance if the instance has its own
 *   name
 * @name: the instance's own name, or NULL to name it after the process
 *
 * Return: as for shim_record_add_set().
 */
int shim_rec_sets__add(struct shim_rec_sets *sets, struct shim_writer *w, struct shim_set *set,
		       pid_t pid, const char *name)
{
	struct source *source;
	int ret;

	if (set->groups > 1)
		return -EINVAL;
	source = calloc(1, sizeof(*source));
	if (!source)
		return -ENOMEM;
	source->set = set;
	source->pid = pid;
	source->name = name ? strdup(name) : instance_name(pid);
	ret = source->name ? check_new(sets, source) : -errno;
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

const char *shim_rec_sets__name(const struct shim_rec_sets *sets, pid_t pid)
{
	for (unsigned int i = 0; i < sets->n; i++)
		if (sets->sources[i]->pid == pid)
			return sets->sources[i]->name;
	return NULL;
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

/* Return whether a set is the first set of its process. */
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
		.indom = shim_live_targets.indom,
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
	int ret = shim_writer__vset(w, shim_live_times[which].pmid,
				    any_valid(sets) ? 0 : ERR_VALUE);

	for (unsigned int i = 0; i < sets->n && !ret; i++) {
		const struct source *source = sets->sources[i];
		uint64_t ull;

		memcpy(&ull, (const char *)&source->sample + time_at[which], sizeof(ull));
		if (source->valid && is_first(sets, i))
			ret = write_value(w, source, ull);
	}
	return ret;
}

static int write_count(struct shim_rec_sets *sets, struct shim_writer *w, unsigned int metric)
{
	uint32_t pmid = SHIM_PMID(SHIM_DOMAIN_VCPC, SHIM_CLUSTER_COUNT, sets->metrics[metric].item);
	int ret = shim_writer__vset(w, pmid,
				    any_valid(sets) ? 0 : ERR_VALUE);

	for (unsigned int i = 0; i < sets->n; i++) {
		const struct source *source = sets->sources[i];

		for (unsigned int j = 0; j < source->sample.nr && source->valid && !ret; j++)
			if (source->metric[j] == metric)
				ret = write_value(w, source, source->sample.values[j]);
	}
	return ret;
}

/* Return whether there are any instances. */
bool shim_rec_sets__any(const struct shim_rec_sets *sets)
{
	return sets->n;
}

int shim_rec_sets__values(struct shim_rec_sets *sets, struct shim_writer *w)
{
	int ret = 0;

	for (unsigned int i = 0; i < SHIM_TIMES && sets->n && !ret; i++)
		ret = write_time(sets, w, i);
	for (unsigned int i = 0; i < sets->nmetrics && !ret; i++)
		ret = write_count(sets, w, i);
	return ret;
}
