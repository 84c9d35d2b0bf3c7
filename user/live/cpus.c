// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Metrics for counters of CPUs.
 *
 * Each line of the configuration becomes one set, whose events count together.  A set that fails
 * does not affect the others.  If a set cannot be created or bound, for example because the module
 * is not loaded or the caller lacks permission, each sample tries again.  The same applies to a CPU
 * that was offline or whose counters another program used.  Counters are never taken from other
 * programs.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/counters.h"
#include "cpus.h"

union room {
	struct vcpc_sample sample;
	uint64_t words[sizeof(struct vcpc_sample) / sizeof(uint64_t) + SHIM_CONFIG_EVENTS];
};

/* One line of the configuration: its set, and the last sample of each CPU */
struct set {
	struct shim_counters *counters;	/* NULL until created and bound */
	unsigned int first, n;		/* index of its first metric, and number of its metrics */
	const struct shim_config_line *line;
	int status;
	union room *samples;		/* one per CPU; size 0 means no values */
};

struct shim_live_cpus {
	struct shim_config config;	/* a copy to which the sets point */
	struct shim_session *session;
	struct set sets[SHIM_CONFIG_LINES];
	unsigned int nsets;
	struct shim_count_table metrics;
	int *number;			/* number of each CPU */
	unsigned int n;
};

/* List all configured CPUs, online or offline. */
static int list_cpus(struct shim_live_cpus *cpus)
{
	long n = sysconf(_SC_NPROCESSORS_CONF);

	cpus->number = calloc(n > 0 ? n : 1, sizeof(*cpus->number));
	if (!cpus->number)
		return -ENOMEM;
	for (long i = 0; i < n; i++)
		cpus->number[cpus->n++] = i;
	return 0;
}

static int add_set(struct shim_live_cpus *cpus, const struct shim_config_line *line)
{
	struct set *set = &cpus->sets[cpus->nsets++];
	unsigned int at[SHIM_CONFIG_EVENTS];	/* the indexes from set->first on */

	set->line = line;
	set->n = line->n;
	set->first = cpus->metrics.n;
	set->status = -EAGAIN;
	set->samples = calloc(cpus->n + 1, sizeof(*set->samples));
	if (!set->samples)
		return -ENOMEM;
	return shim_count_table__add(&cpus->metrics, line, at);
}

/**
 * shim_live_cpus__create() - create the metrics of a configuration, without counting anything yet
 * @config: the configuration, which is copied
 * @out: written on success
 *
 * Return: 0, -EEXIST (two events have the same metric name), -EINVAL, -ENAMETOOLONG (a name),
 * -ENOMEM.
 */
int shim_live_cpus__create(const struct shim_config *config, struct shim_live_cpus **out)
{
	struct shim_live_cpus *cpus = calloc(1, sizeof(*cpus));
	int ret = cpus ? shim_config__copy(&cpus->config, config, false) : -ENOMEM;

	if (!ret)
		ret = shim_count_table__init(&cpus->metrics, &cpus->config, false);
	if (!ret)
		ret = list_cpus(cpus);
	for (unsigned int i = 0; !ret && i < cpus->config.n; i++)
		ret = add_set(cpus, &cpus->config.lines[i]);
	if (ret)
		shim_live_cpus__destroy(cpus);
	else
		*out = cpus;
	return ret;
}

void shim_live_cpus__destroy(struct shim_live_cpus *cpus)
{
	if (!cpus)
		return;
	for (unsigned int i = 0; i < cpus->nsets; i++) {
		if (cpus->sets[i].counters)
			shim_counters__put(cpus->sets[i].counters);
		free(cpus->sets[i].samples);
	}
	if (cpus->session)
		shim_session__close(cpus->session);
	shim_config__fini(&cpus->config);
	free(cpus->metrics.all);
	free(cpus->number);
	free(cpus);
}

static int create(struct shim_live_cpus *cpus, struct set *set)
{
	struct vcpc_request reqs[SHIM_CONFIG_EVENTS];
	int ret = shim_count_requests__of(set->line, reqs), bad;

	return ret ? ret : shim_counters__create(cpus->session, reqs, set->n, 0, &bad, &set->counters);
}

static int bind_one(struct set *set, int cpu)
{
	int bad;

	return shim_counters__bind(set->counters, cpu, SHIM_BIND_F_CPU, &bad);
}

/*
 * Return whether an error is a failure of this process.  If it is, the set has no values until the
 * next sample tries again, because a sum over the other CPUs would be too small.  Otherwise the CPU
 * is offline or has no free counters, and only this CPU has no values.
 */
static bool is_failure(int err)
{
	return err == -ENOMEM || err == -EMFILE || err == -ENFILE || err == -EINTR ||
	       err == -EIO || err == -EBADF;
}

/*
 * Bind the set to all online CPUs.  Return the failure if one occurred, otherwise 0 if any bind has
 * succeeded, otherwise the first error.
 */
static int bind_all(const struct shim_live_cpus *cpus, struct set *set)
{
	int bound = 0, first = 0;

	for (unsigned int i = 0; i < cpus->n; i++) {
		int ret = bind_one(set, cpus->number[i]);

		if (is_failure(ret))
			return ret;
		bound += !ret;
		first = first ? first : ret;
	}
	return bound ? 0 : first;
}

static int cpu_begin(struct shim_live_cpus *cpus, struct set *set)
{
	int ret = cpus->session ? 0 : shim_session__open(&cpus->session);

	if (!ret)
		ret = create(cpus, set);
	if (ret)
		return ret;
	ret = bind_all(cpus, set);
	if (ret) {
		shim_counters__put(set->counters);
		set->counters = NULL;
	}
	return ret;
}

/*
 * Sample all CPUs.  A CPU that is not or no longer counted has no values.  If the set can be bound
 * to it now, it counts from 0.  Return the last failure if one occurred, otherwise 0 if any sample
 * has succeeded, otherwise the first error.
 */
static int sample(const struct shim_live_cpus *cpus, struct set *set)
{
	int taken = 0, first = 0, failure = 0;

	for (unsigned int i = 0; i < cpus->n; i++) {
		union room *room = &set->samples[i];
		int ret = shim_counters__sample_at(set->counters, cpus->number[i], SHIM_TARGET_F_CPU,
						   &room->sample, sizeof(*room));
		int again;

		if (ret) {
			room->sample.size = 0;
			failure = is_failure(ret) ? ret : failure;
			shim_counters__unbind_at(set->counters, cpus->number[i], SHIM_TARGET_F_CPU);
			again = bind_one(set, cpus->number[i]);
			failure = is_failure(again) ? again : failure;
		}
		taken += !ret;
		first = first ? first : ret;
	}
	if (failure)
		return failure;
	return taken ? 0 : first;
}

/* In a forked child, drop the parent's sets without affecting their counting. */
static void begin_anew(struct shim_live_cpus *cpus)
{
	for (unsigned int i = 0; i < cpus->nsets; i++) {
		if (cpus->sets[i].counters)
			shim_counters__put(cpus->sets[i].counters);
		cpus->sets[i].counters = NULL;
	}
	shim_session__close(cpus->session);
	cpus->session = NULL;
}

static bool is_of_parent(const struct shim_live_cpus *cpus)
{
	for (unsigned int i = 0; i < cpus->nsets; i++)
		if (cpus->sets[i].counters && !shim_counters__is_own(cpus->sets[i].counters))
			return true;
	return false;
}

/* Sample all sets.  Errors are not returned but stored as the status of the set's metrics. */
void shim_live_cpus__sample(struct shim_live_cpus *cpus)
{
	if (is_of_parent(cpus))
		begin_anew(cpus);
	for (unsigned int i = 0; i < cpus->nsets; i++) {
		struct set *set = &cpus->sets[i];

		set->status = set->counters ? 0 : cpu_begin(cpus, set);
		if (!set->status)
			set->status = sample(cpus, set);
	}
}

const struct shim_metric *shim_live_cpus__metric(const struct shim_live_cpus *cpus, size_t i)
{
	if (i < SHIM_TIMES)
		return &shim_live_times[i];
	return i - SHIM_TIMES < cpus->metrics.n ? &cpus->metrics.all[i - SHIM_TIMES].metric : NULL;
}

/*
 * Return the set of a metric, or NULL if nothing is configured.  vcpc.time.* belong to the first
 * set.
 */
static const struct set *set_of(const struct shim_live_cpus *cpus, size_t metric)
{
	const struct set *set = cpus->sets;

	if (metric < SHIM_TIMES)
		return cpus->nsets ? set : NULL;
	while (set->first + set->n <= metric - SHIM_TIMES)
		set++;
	return set;
}

int shim_live_cpus__status(const struct shim_live_cpus *cpus, size_t metric)
{
	const struct set *set = set_of(cpus, metric);

	return set ? set->status : 0;
}

unsigned int shim_live_cpus__n(const struct shim_live_cpus *cpus)
{
	return cpus->nsets ? cpus->n : 0;
}

int shim_live_cpus__number(const struct shim_live_cpus *cpus, unsigned int i)
{
	return cpus->number[i];
}

bool shim_live_cpus__value(const struct shim_live_cpus *cpus, size_t metric, unsigned int i,
			   struct shim_value *value)
{
	const struct set *set = set_of(cpus, metric);
	const struct vcpc_sample *sample;

	if (!set || set->status || !set->samples[i].sample.size)
		return false;
	sample = &set->samples[i].sample;
	value->inst = cpus->number[i];
	value->type = SHIM_TYPE_U64;
	/*
	 * The three times are equal, because an enabled set counts all the time or has no sample.
	 */
	value->ull = metric < SHIM_TIMES ? sample->tick :
					   sample->values[metric - SHIM_TIMES - set->first];
	return true;
}
