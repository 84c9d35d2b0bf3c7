// SPDX-License-Identifier: LGPL-2.1-or-later
/* This machine as a source of metrics: one list for tracing, CPUs, processes, module and users. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cpus.h"
#include "machine.h"
#include "module.h"
#include "processes.h"
#include "users.h"

struct entry {
	const struct shim_metric *metric;
	enum shim_group group;
	size_t at;		/* index in the table of its group */
	int indom;		/* index in the list of domains, or -1 */
};

struct domain {
	const struct shim_metric_indom *indom;
	enum shim_group group;
	size_t at;
};

struct shim_machine {
	struct shim_live_trace *trace;
	struct shim_live_cpus *cpus;
	struct shim_live_processes *processes;
	struct shim_live_module module;
	struct shim_live_users users;
	int trace_status;
	uint64_t samples;
	struct entry *entries;
	size_t n;
	struct domain *domains;
	size_t ndomains;
};

static size_t count(const struct shim_machine *machine)
{
	size_t n = 0, i;

	for (i = 0; shim_live_trace__metric(i); i++)
		n++;
	for (i = 0; shim_live_cpus__metric(machine->cpus, i); i++)
		n++;
	for (i = 0; shim_live_processes__metric(machine->processes, i); i++)
		n++;
	for (i = 0; shim_live_module__metric(i); i++)
		n++;
	for (i = 0; shim_live_users__metric(i); i++)
		n++;
	return n;
}

static void add_domain(struct shim_machine *machine, const struct shim_metric_indom *indom,
		       enum shim_group group, size_t at)
{
	machine->domains[machine->ndomains++] = (struct domain) { indom, group, at };
}

static void metric_add(struct shim_machine *machine, const struct shim_metric *metric,
		       enum shim_group group, size_t at)
{
	machine->entries[machine->n++] = (struct entry) {
		metric, group, at, shim_machine__find_indom(machine, metric->indom)
	};
}

static int list(struct shim_machine *machine)
{
	const struct shim_metric_indom *indom;
	const struct shim_metric *m;
	size_t i;

	for (i = 0; shim_live_trace__indom(i); i++)
		;
	machine->domains = calloc(i + 4, sizeof(*machine->domains));
	machine->entries = calloc(count(machine), sizeof(*machine->entries));
	if (!machine->domains || !machine->entries)
		return -ENOMEM;
	for (i = 0; (indom = shim_live_trace__indom(i)); i++)
		add_domain(machine, indom, SHIM_GROUP_TRACE, i);
	add_domain(machine, &shim_live_targets, SHIM_GROUP_CPUS, 0);
	add_domain(machine, &shim_live_drops, SHIM_GROUP_MODULE, 0);
	add_domain(machine, &shim_live_user_indom, SHIM_GROUP_USERS, 0);
	if (shim_live_processes__metric(machine->processes, 0))
		add_domain(machine, &shim_live_process_indom, SHIM_GROUP_PROCESSES, 0);
	for (i = 0; (m = shim_live_trace__metric(i)); i++)
		metric_add(machine, m, SHIM_GROUP_TRACE, i);
	for (i = 0; (m = shim_live_cpus__metric(machine->cpus, i)); i++)
		metric_add(machine, m, SHIM_GROUP_CPUS, i);
	for (i = 0; (m = shim_live_processes__metric(machine->processes, i)); i++)
		metric_add(machine, m, SHIM_GROUP_PROCESSES, i);
	for (i = 0; (m = shim_live_module__metric(i)); i++)
		metric_add(machine, m, SHIM_GROUP_MODULE, i);
	for (i = 0; (m = shim_live_users__metric(i)); i++)
		metric_add(machine, m, SHIM_GROUP_USERS, i);
	return 0;
}

/*
 * Read the configuration.  A missing file is an error only if the caller named it; otherwise,
 * nothing is counted on CPUs.
 */
static int read_config(struct shim_config *config, const char *path, unsigned int *line)
{
	int ret = shim_config__read(config, path ? path : SHIM_CONFIG_FILE, line);

	if (ret && ret != -EINVAL && ret != -E2BIG)
		*line = 0;
	return ret == -ENOENT && !path ? 0 : ret;
}

/**
 * shim_machine__new() - open this machine without taking a sample
 * @config: file with the events to count; if NULL, SHIM_CONFIG_FILE, which may be missing
 * @line: the number of the invalid line in the file, or 0
 * @out: written on success
 *
 * Return: 0, or an error from shim_config__read(), shim_live_cpus__create() or
 * shim_live_processes__create().
 */
int shim_machine__new(const char *config, unsigned int *line, struct shim_machine **out)
{
	struct shim_machine *machine = calloc(1, sizeof(*machine));
	struct shim_config read;
	int ret;

	if (!machine)
		return -ENOMEM;
	ret = read_config(&read, config, line);
	if (!ret) {
		*line = 0;
		ret = shim_live_cpus__create(&read, &machine->cpus);
	}
	if (!ret)
		ret = shim_live_processes__create(&read, &machine->processes);
	shim_config__fini(&read);
	if (!ret)
		ret = shim_live_trace__create(&machine->trace);
	if (!ret)
		ret = list(machine);
	if (ret)
		shim_machine__free(machine);
	else
		*out = machine;
	return ret;
}

void shim_machine__free(struct shim_machine *machine)
{
	shim_live_cpus__destroy(machine->cpus);
	shim_live_processes__destroy(machine->processes);
	shim_live_trace__destroy(machine->trace);
	shim_live_users__fini(&machine->users);
	free(machine->domains);
	free(machine->entries);
	free(machine);
}

const struct shim_metric *shim_machine__metric(const struct shim_machine *machine, size_t i)
{
	return i < machine->n ? machine->entries[i].metric : NULL;
}

int shim_machine__find(const struct shim_machine *machine, uint32_t pmid)
{
	for (size_t i = 0; i < machine->n; i++)
		if (machine->entries[i].metric->pmid == pmid)
			return i;
	return -1;
}

const struct shim_metric_indom *shim_machine__indom(const struct shim_machine *machine, size_t i)
{
	return i < machine->ndomains ? machine->domains[i].indom : NULL;
}

int shim_machine__find_indom(const struct shim_machine *machine, uint32_t indom)
{
	for (size_t i = 0; i < machine->ndomains; i++)
		if (machine->domains[i].indom->indom == indom)
			return i;
	return -1;
}

unsigned int shim_machine__group(const struct shim_machine *machine, size_t metric)
{
	return machine->entries[metric].group;
}

unsigned int shim_machine__indom_group(const struct shim_machine *machine, size_t indom)
{
	return machine->domains[indom].group;
}

/**
 * shim_machine__sample() - take a sample of some groups
 * @machine: this machine
 * @groups: mask of the groups to read
 *
 * Errors are not returned here, but by shim_machine__values() for each affected metric.
 */
void shim_machine__sample(struct shim_machine *machine, unsigned int groups)
{
	if (groups & SHIM_GROUP_TRACE)
		machine->trace_status = shim_live_trace__sample(machine->trace);
	if (groups & SHIM_GROUP_CPUS)
		shim_live_cpus__sample(machine->cpus);
	if (groups & SHIM_GROUP_PROCESSES)
		shim_live_processes__sample(machine->processes);
	if (groups & SHIM_GROUP_MODULE)
		shim_live_module__sample(&machine->module, machine->trace);
	if (groups & SHIM_GROUP_USERS)
		shim_live_users__sample(&machine->users);
	machine->samples++;
}

/* Start the interval of rates and similar values at the last sample. */
void shim_machine__settle(struct shim_machine *machine)
{
	shim_live_trace__settle(machine->trace);
}

static size_t instances_of(const struct shim_machine *machine, const struct domain *domain)
{
	size_t n = 0;

	if (domain->group == SHIM_GROUP_TRACE)
		return shim_live_trace__instances(machine->trace, domain->at);
	if (domain->group == SHIM_GROUP_CPUS)
		return shim_live_cpus__n(machine->cpus);
	if (domain->group == SHIM_GROUP_PROCESSES)
		return shim_live_processes__n(machine->processes);
	if (domain->group == SHIM_GROUP_USERS)
		return machine->users.n;
	while (shim_live_drops__name(n))
		n++;
	return n;
}

uint64_t shim_machine__removed(const struct shim_machine *machine, size_t indom)
{
	const struct domain *domain = &machine->domains[indom];

	if (domain->group == SHIM_GROUP_TRACE)
		return shim_live_trace__removed(machine->trace, domain->at);
	/* Processes and users may change with each sample. */
	return domain->group & (SHIM_GROUP_PROCESSES | SHIM_GROUP_USERS) ? machine->samples : 0;
}

size_t shim_machine__instances(const struct shim_machine *machine, size_t indom)
{
	return instances_of(machine, &machine->domains[indom]);
}

int shim_machine__instance(const struct shim_machine *machine, size_t indom, size_t i, char *buf,
			   size_t size)
{
	const struct domain *domain = &machine->domains[indom];
	char command[128];
	int inst = i;

	switch (domain->group) {
	case SHIM_GROUP_TRACE:
		shim_live_trace__name(machine->trace, domain->at, i, buf, size);
		inst = shim_live_trace__inst(machine->trace, domain->at, i);
		break;
	case SHIM_GROUP_CPUS:
		inst = shim_live_cpus__number(machine->cpus, i);
		snprintf(buf, size, "cpu%d", inst);
		break;
	case SHIM_GROUP_MODULE:
		snprintf(buf, size, "%s", shim_live_drops__name(i));
		break;
	case SHIM_GROUP_PROCESSES:
		inst = shim_live_processes__name(machine->processes, i, command, sizeof(command));
		snprintf(buf, size, "%06d %s", inst, command);
		break;
	case SHIM_GROUP_USERS:
		inst = shim_live_users__name(&machine->users, i, buf, size);
		break;
	}
	return inst;
}

/**
 * shim_machine__find_instance() - find the index of an instance in its domain
 * @machine: this machine
 * @indom: index of the domain in the list
 * @inst: number of the instance
 *
 * Return: the index, or -1 if the last sample has no such instance.
 */
int shim_machine__find_instance(const struct shim_machine *machine, size_t indom, int inst)
{
	const struct domain *domain = &machine->domains[indom];

	if (domain->group == SHIM_GROUP_TRACE)
		return shim_live_trace__find(machine->trace, domain->at, inst);
	if (domain->group == SHIM_GROUP_PROCESSES)
		return shim_live_processes__find(machine->processes, inst);
	if (domain->group == SHIM_GROUP_USERS)
		return shim_live_users__find(&machine->users, inst);
	return inst >= 0 && (size_t)inst < shim_machine__instances(machine, indom) ? inst : -1;
}

/*
 * Return whether a name needs no escapes in JSON.  An instance with any other name gets no labels.
 */
static bool is_plain(const char *name)
{
	for (; *name; name++)
		if (*name == '"' || *name == '\\' || (unsigned char)*name < ' ' || *name == 127)
			return false;
	return true;
}

/* Write the labels of the tag and, if the instance is a pair, of the bucket or the event. */
static size_t tag_labels(const struct shim_machine *machine, const struct domain *domain, size_t i,
			 const char *name, char *buf, size_t size)
{
	int tag = shim_live_trace__tag_len(machine->trace, domain->at, i);

	if (shim_live_trace__is_of_tags(domain->at))
		return snprintf(buf, size, "{\"tag\":\"%s\"}", name);
	return snprintf(buf, size, "{\"%s\":\"%s\",\"tag\":\"%.*s\"}",
			shim_live_trace__pair(domain->at), name + tag + 1, tag, name);
}

size_t shim_machine__labels(const struct shim_machine *machine, size_t indom, size_t i, char *buf,
			    size_t size)
{
	const struct domain *domain = &machine->domains[indom];
	char name[SHIM_LIVE_NAME_LEN];
	int inst = shim_machine__instance(machine, indom, i, name, sizeof(name));
	size_t len;

	if (!is_plain(name) || domain->group == SHIM_GROUP_MODULE)
		return 0;
	if (domain->group == SHIM_GROUP_USERS && inst == SHIM_LIVE_OTHER_USERS)
		return 0;
	if (domain->group == SHIM_GROUP_CPUS)
		len = snprintf(buf, size, "{\"cpu\":%d}", inst);
	else if (domain->group == SHIM_GROUP_USERS)
		len = snprintf(buf, size, "{\"uid\":%d}", inst);
	else if (domain->group == SHIM_GROUP_PROCESSES)
		len = snprintf(buf, size, "{\"command\":\"%s\",\"pid\":%d}",
			       name + strcspn(name, " ") + 1, inst);
	else
		len = tag_labels(machine, domain, i, name, buf, size);
	return len < size ? len : 0;
}

/* Translate the errno of reading a metric to the PMAPI code that replaces its values. */
static int error_of(int err)
{
	switch (err) {
	case -ENOENT:
	case -ENODEV:
	case -EAGAIN:
	case -EBUSY:
		return SHIM_LIVE_EAGAIN;
	case -EPERM:
	case -EACCES:
		return SHIM_LIVE_EPERMISSION;
	case -EOPNOTSUPP:
	case -ELIBACC:
	case -EINVAL:
	case -EPROTO:
	case -EPROTONOSUPPORT:
		return SHIM_LIVE_EAPPVERSION;
	case -ENOMEM:
		return err;
	}
	return SHIM_LIVE_EVALUE;
}

static int status_of(const struct shim_machine *machine, const struct entry *entry)
{
	switch (entry->group) {
	case SHIM_GROUP_TRACE:
		/*
		 * Tags that were traced before keep their values, even if reading fails now.  After
		 * -ENOMEM, only some of the tags may have been read.
		 */
		if (machine->trace_status == -ENOMEM ||
		    !instances_of(machine, &machine->domains[entry->indom]))
			return machine->trace_status;
		return shim_live_trace__is_denied(machine->trace, entry->at) ? -EPERM : 0;
	case SHIM_GROUP_CPUS:
		return shim_live_cpus__status(machine->cpus, entry->at);
	case SHIM_GROUP_PROCESSES:
		return shim_live_processes__status(machine->processes, entry->at);
	case SHIM_GROUP_MODULE:
		return shim_live_module__status(&machine->module, entry->at);
	case SHIM_GROUP_USERS:
		return shim_live_users__status(&machine->users, entry->at);
	}
	return 0;
}

int shim_machine__values(const struct shim_machine *machine, size_t metric)
{
	const struct entry *entry = &machine->entries[metric];
	int err = status_of(machine, entry);

	if (err)
		return error_of(err);
	return entry->indom < 0 ? 1 : (int)instances_of(machine, &machine->domains[entry->indom]);
}

bool shim_machine__value(const struct shim_machine *machine, size_t metric, size_t i,
			 struct shim_value *value)
{
	const struct entry *entry = &machine->entries[metric];

	switch (entry->group) {
	case SHIM_GROUP_TRACE:
		return shim_live_trace__value(machine->trace, entry->at, i, value);
	case SHIM_GROUP_CPUS:
		return shim_live_cpus__value(machine->cpus, entry->at, i, value);
	case SHIM_GROUP_PROCESSES:
		return shim_live_processes__value(machine->processes, entry->at, i, value);
	case SHIM_GROUP_MODULE:
		return shim_live_module__value(&machine->module, entry->at, i, value);
	case SHIM_GROUP_USERS:
		return shim_live_users__value(&machine->users, entry->at, i, value);
	}
	return false;
}

/**
 * shim_machine__store() - set a metric's value
 * @machine: this machine
 * @metric: the metric's index
 * @value: a value of the metric's type
 *
 * Return: 0, -EROFS (it cannot be stored), or an error from shim_live_module__store().
 */
int shim_machine__store(struct shim_machine *machine, size_t metric, const struct shim_value *value)
{
	const struct entry *entry = &machine->entries[metric];

	return entry->group == SHIM_GROUP_MODULE ? shim_live_module__store(entry->at, value) : -EROFS;
}
