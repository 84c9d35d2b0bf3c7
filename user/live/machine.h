/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * This machine as a source of metrics: what is traced, what its CPUs count, and what the module
 * says of itself, all in one list.
 *
 * Metrics and instance domains are known by their numbers in the list.  Values are those of the
 * last sample; what is told of a time since the sample before begins when it was settled.
 *
 * Threads: a machine belongs to one thread at a time.
 */
#ifndef SHIM_LIVE_MACHINE_H
#define SHIM_LIVE_MACHINE_H

#include <stddef.h>

#include "metric.h"

/* Why a metric has no values: numbers of PCP's own */
#define SHIM_LIVE_EVALUE	(-12351)	/* there are none */
#define SHIM_LIVE_EAPPVERSION	(-12350)	/* this machine cannot count that */
#define SHIM_LIVE_EPERMISSION	(-12387)	/* the caller may not know */
#define SHIM_LIVE_EAGAIN	(-12389)	/* tracing is off, or the module is not loaded: not yet */

/* What a sample is to be of: the groups that metrics are in, as a mask */
enum shim_group { SHIM_GROUP_TRACE = 1, SHIM_GROUP_CPUS = 2, SHIM_GROUP_MODULE = 4 };

struct shim_machine;

int shim_machine__new(const char *config, unsigned int *line, struct shim_machine **out);
void shim_machine__free(struct shim_machine *machine);

const struct shim_metric *shim_machine__metric(const struct shim_machine *machine, size_t i);
/* The number of a metric or domain, -1 if there is none */
int shim_machine__find(const struct shim_machine *machine, uint32_t pmid);
const struct shim_metric_indom *shim_machine__indom(const struct shim_machine *machine, size_t i);
int shim_machine__find_indom(const struct shim_machine *machine, uint32_t indom);

unsigned int shim_machine__group(const struct shim_machine *machine, size_t metric);
unsigned int shim_machine__indom_group(const struct shim_machine *machine, size_t indom);
void shim_machine__sample(struct shim_machine *machine, unsigned int groups);
void shim_machine__settle(struct shim_machine *machine);
/* Groups that have been sampled */
unsigned int shim_machine__sampled(const struct shim_machine *machine);

size_t shim_machine__instances(const struct shim_machine *machine, size_t indom);
/* The instance's number; its name is written into @buf of SHIM_LIVE_NAME_LEN */
int shim_machine__instance(const struct shim_machine *machine, size_t indom, size_t i, char *buf,
			   size_t size);
/* The other way round: -1 if there is none */
int shim_machine__find_instance(const struct shim_machine *machine, size_t indom, int inst);
/* Labels of an instance as JSON, 0 if it has none or they do not fit */
size_t shim_machine__labels(const struct shim_machine *machine, size_t indom, size_t i, char *buf,
			    size_t size);

/* How many instances to ask for values, 1 of a metric without domain; or SHIM_LIVE_E* */
int shim_machine__values(const struct shim_machine *machine, size_t metric);
bool shim_machine__value(const struct shim_machine *machine, size_t metric, size_t i,
			 struct shim_value *value);
int shim_machine__store(struct shim_machine *machine, size_t metric,
			const struct shim_value *value);

#endif /* SHIM_LIVE_MACHINE_H */
