// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The machine's metrics, domains and names, in the form required by PCP's agent library and name
 * space
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent.h"

static bool is_ours(const struct agent *agent, uint32_t ident)
{
	return ident >> 22 == agent->number;
}

static int add_indoms(struct agent *agent)
{
	const struct shim_metric_indom *indom;
	size_t n = 0;

	while (shim_machine__indom(agent->machine, n))
		n++;
	agent->indoms = calloc(n + 1, sizeof(*agent->indoms));
	agent->domains = calloc(n + 1, sizeof(*agent->domains));
	if (!agent->indoms || !agent->domains)
		return -1;
	for (size_t i = 0; i < n; i++) {
		indom = shim_machine__indom(agent->machine, i);
		if (!is_ours(agent, indom->indom))
			continue;
		agent->indoms[agent->nindoms].it_indom = pmInDom_serial(indom->indom);
		agent->domains[agent->nindoms++].at = i;
	}
	return 0;
}

static void add_metric(struct agent *agent, const struct shim_metric *m, size_t i)
{
	pmdaMetric *metric = &agent->metrics[agent->nmetrics++];

	metric->m_user = (void *)(i + 1);
	metric->m_desc.pmid = PMDA_PMID(pmID_cluster(m->pmid), pmID_item(m->pmid));
	metric->m_desc.type = m->type;
	metric->m_desc.indom = m->indom == PM_INDOM_NULL ? PM_INDOM_NULL :
							   pmInDom_serial(m->indom);
	metric->m_desc.sem = m->sem;
	memcpy(&metric->m_desc.units, &m->units, sizeof(m->units));
}

/**
 * agent_tables() - build the library's tables
 * @agent: the agent, which has a machine and the number of PCP's domain
 *
 * Return: 0, or -1 if out of memory.
 */
int agent_tables(struct agent *agent)
{
	const struct shim_metric *m;
	size_t n = 0;

	while (shim_machine__metric(agent->machine, n))
		n++;
	agent->metrics = calloc(n + 1, sizeof(*agent->metrics));
	if (!agent->metrics || add_indoms(agent))
		return -1;
	for (size_t i = 0; i < n; i++) {
		m = shim_machine__metric(agent->machine, i);
		if (is_ours(agent, m->pmid))
			add_metric(agent, m, i);
	}
	return 0;
}

static int grow_one(struct agent *agent, int i)
{
	pmdaIndom *indom = &agent->indoms[i];
	struct agent_domain *domain = &agent->domains[i];
	size_t n = shim_machine__instances(agent->machine, domain->at);
	uint64_t removed = shim_machine__removed(agent->machine, domain->at);
	char name[SHIM_LIVE_NAME_LEN];

	if (domain->removed != removed)
		while (indom->it_numinst)
			free(indom->it_set[--indom->it_numinst].i_name);
	domain->removed = removed;
	if (n > domain->room) {
		size_t room = 2 * n + 16;
		pmdaInstid *set = reallocarray(indom->it_set, room, sizeof(*set));

		if (!set)
			return -1;
		indom->it_set = set;
		domain->room = room;
	}
	for (; (size_t)indom->it_numinst < n; indom->it_numinst++) {
		pmdaInstid *one = &indom->it_set[indom->it_numinst];

		one->i_inst = shim_machine__instance(agent->machine, domain->at, indom->it_numinst,
						     name, sizeof(name));
		one->i_name = strdup(name);
		if (!one->i_name)
			return -1;
	}
	return 0;
}

/**
 * agent_grow() - update the instances in the library's tables
 * @agent: the agent, just sampled; new instances are appended.  If instances were removed, the
 *	whole domain is rebuilt.
 *
 * Return: 0 or -ENOMEM.
 */
int agent_grow(struct agent *agent)
{
	for (int i = 0; i < agent->nindoms; i++)
		if (grow_one(agent, i))
			return -ENOMEM;
	return 0;
}

/*
 * Return whether no earlier metric has the first @len characters of @name as its name or as a
 * parent node.
 */
static bool is_new(const struct agent *agent, int metric, size_t len, const char *name)
{
	for (int i = 0; i < metric; i++) {
		const char *other =
			shim_machine__metric(agent->machine, (size_t)agent->metrics[i].m_user - 1)->name;

		if (!strncmp(other, name, len) && (other[len] == '.' || !other[len]))
			return false;
	}
	return true;
}

static const char *name_of(const struct agent *agent, int metric)
{
	return shim_machine__metric(agent->machine, (size_t)agent->metrics[metric].m_user - 1)->name;
}

/* Print one node of the name space, with each of its children once. */
static void print_node(const struct agent *agent, size_t len, const char *name)
{
	printf("%.*s {\n", (int)len, name);
	for (int i = 0; i < agent->nmetrics; i++) {
		const char *full = name_of(agent, i), *rest;
		size_t part;

		if (strncmp(full, name, len) || full[len] != '.')
			continue;
		rest = full + len + 1;
		part = strcspn(rest, ".");
		if (!is_new(agent, i, len + 1 + part, full))
			continue;
		if (rest[part])
			printf("\t%.*s\n", (int)part, rest);
		else
			printf("\t%s\t%u:%u:%u\n", rest, agent->number,
			       pmID_cluster(agent->metrics[i].m_desc.pmid),
			       pmID_item(agent->metrics[i].m_desc.pmid));
	}
	printf("}\n");
}

/**
 * agent_names() - print the name space in the format of a file "pmns"
 * @agent: the agent, which has its tables
 *
 * Return: 0, or -1 if writing failed.
 */
int agent_names(const struct agent *agent)
{
	for (int i = 0; i < agent->nmetrics; i++) {
		const char *name = name_of(agent, i);

		for (size_t len = strcspn(name, "."); name[len];
		     len += 1 + strcspn(name + len + 1, "."))
			if (is_new(agent, i, len, name))
				print_node(agent, len, name);
	}
	return fflush(stdout) || ferror(stdout) ? -1 : 0;
}
