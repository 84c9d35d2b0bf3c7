// SPDX-License-Identifier: GPL-2.0-or-later
/* The PMDA's callbacks: fetching of values, instances, texts and labels, and storing of values. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "agent.h"

/* A static variable, as only some of the library's callbacks get a structure of the library's */
static struct agent *the_agent;

static uint64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000 + ts.tv_nsec;
}

/*
 * Sample the groups of metrics that are asked for.  The trace statistics are costly to read, and
 * some of their values are about a window of time: until the last reading is window_ns old, all
 * clients get its values.
 */
static int refresh(struct agent *agent, unsigned int groups)
{
	uint64_t now = now_ns();

	if (groups & SHIM_GROUP_TRACE && agent->read_ns && now - agent->read_ns < agent->window_ns)
		groups &= ~SHIM_GROUP_TRACE;
	if (groups & SHIM_GROUP_TRACE) {
		if (agent->read_ns)
			shim_machine__settle(agent->machine);
		agent->read_ns = now;
	}
	shim_machine__sample(agent->machine, groups);
	return agent_grow(agent) ? -ENOMEM : 0;
}

/* A metric's number in the machine's list, or -1 */
static int find(const struct agent *agent, pmID pmid)
{
	return shim_machine__find(agent->machine, pmID_build(agent->number, pmID_cluster(pmid),
							     pmID_item(pmid)));
}

static int find_indom(const struct agent *agent, pmInDom indom)
{
	return shim_machine__find_indom(agent->machine,
					pmInDom_build(agent->number, pmInDom_serial(indom)));
}

/* Give each metric without values the error code that says why, in place of their number. */
static void tell_errors(const struct agent *agent, pmResult *result)
{
	for (int i = 0; i < result->numpmid; i++) {
		pmValueSet *set = result->vset[i];
		int metric = set->numval ? -1 : find(agent, set->pmid);
		int status = metric < 0 ? 0 : shim_machine__values(agent->machine, metric);

		if (status < 0)
			set->numval = status;
	}
}

static int agent_fetch(int n, pmID *pmids, pmResult **result, pmdaExt *pmda)
{
	unsigned int groups = 0;
	int ret;

	for (int i = 0; i < n; i++) {
		int metric = find(the_agent, pmids[i]);

		if (metric >= 0)
			groups |= shim_machine__group(the_agent->machine, metric);
	}
	ret = refresh(the_agent, groups);
	if (!ret)
		ret = pmdaFetch(n, pmids, result, pmda);
	if (ret >= 0)
		tell_errors(the_agent, *result);
	return ret;
}

static int find_instance(const struct agent *agent, size_t metric, unsigned int inst)
{
	uint32_t indom = shim_machine__metric(agent->machine, metric)->indom;

	if (indom == PM_INDOM_NULL)
		return 0;
	return shim_machine__find_instance(agent->machine,
					   shim_machine__find_indom(agent->machine, indom), inst);
}

static int agent_value(pmdaMetric *mdesc, unsigned int inst, pmAtomValue *atom)
{
	size_t metric = (size_t)mdesc->m_user - 1;
	int i = find_instance(the_agent, metric, inst);
	struct shim_value value = { 0 };

	if (i < 0)
		return PM_ERR_INST;
	if (shim_machine__values(the_agent->machine, metric) < 0 || !shim_machine__value(the_agent->machine, metric, i, &value))
		return PMDA_FETCH_NOVALUES;
	switch (value.type) {
	case PM_TYPE_U32:
		atom->ul = value.ul;
		break;
	case PM_TYPE_FLOAT:
		atom->f = value.f;
		break;
	default:	/* all other types have 64 bits */
		atom->ull = value.ull;
	}
	return PMDA_FETCH_STATIC;
}

static int agent_instance(pmInDom indom, int inst, char *name, pmInResult **result, pmdaExt *pmda)
{
	int at = find_indom(the_agent, indom);
	int ret = at < 0 ? 0 : refresh(the_agent, shim_machine__indom_group(the_agent->machine, at));

	return ret ? ret : pmdaInstance(indom, inst, name, result, pmda);
}

static int agent_text(int ident, int type, char **buffer, pmdaExt *pmda)
{
	bool one_line = type & PM_TEXT_ONELINE;
	int i;

	(void)pmda;
	if (type & PM_TEXT_PMID) {
		i = find(the_agent, ident);
		if (i < 0)
			return PM_ERR_PMID;
		*buffer = (char *)(one_line ? shim_machine__metric(the_agent->machine, i)->line :
					      shim_machine__metric(the_agent->machine, i)->help);
	} else {
		i = find_indom(the_agent, ident);
		if (i < 0)
			return PM_ERR_INDOM;
		*buffer = (char *)(one_line ? shim_machine__indom(the_agent->machine, i)->line :
					      shim_machine__indom(the_agent->machine, i)->help);
	}
	return 0;
}

static int agent_label(int ident, int type, pmLabelSet **labels, pmdaExt *pmda)
{
	if (type & PM_LABEL_DOMAIN)
		pmdaAddLabels(labels, "{\"agent\":\"vcpc\"}");
	return pmdaLabel(ident, type, labels, pmda);
}

static int agent_instance_label(pmInDom indom, unsigned int inst, pmLabelSet **labels)
{
	int at = find_indom(the_agent, indom);
	int i = at < 0 ? -1 : shim_machine__find_instance(the_agent->machine, at, inst);
	char text[SHIM_LIVE_NAME_LEN + 64];
	int n;

	if (i < 0 || !shim_machine__labels(the_agent->machine, at, i, text, sizeof(text)))
		return 0;
	/* Return the number of labels: the library passes on to clients no more than that. */
	n = pmdaAddLabels(labels, "%s", text);
	return n < 0 ? 0 : n;
}

static int store_one(const pmValueSet *set)
{
	int metric = find(the_agent, set->pmid), ret;
	struct shim_value value = { .type = PM_TYPE_U32 };

	if (metric < 0)
		return PM_ERR_PMID;
	if (shim_machine__metric(the_agent->machine, metric)->type != PM_TYPE_U32)
		return PM_ERR_PERMISSION;
	if (set->numval != 1 || set->valfmt != PM_VAL_INSITU)
		return PM_ERR_BADSTORE;
	value.ul = set->vlist[0].value.lval;
	ret = shim_machine__store(the_agent->machine, metric, &value);
	if (ret == -EROFS || ret == -EPERM || ret == -EACCES)
		return PM_ERR_PERMISSION;
	if (ret == -ENODEV || ret == -EBUSY)
		return PM_ERR_AGAIN;
	the_agent->read_ns = 0;	/* read again: it may have changed what is traced */
	return ret;
}

static int agent_store(pmResult *result, pmdaExt *pmda)
{
	int ret = 0;

	(void)pmda;
	for (int i = 0; i < result->numpmid && !ret; i++)
		ret = store_one(result->vset[i]);
	return ret;
}

/* Register the callbacks and tables with the library. */
void agent_answers(pmdaInterface *dispatch, struct agent *agent)
{
	the_agent = agent;
	dispatch->version.seven.fetch = agent_fetch;
	dispatch->version.seven.instance = agent_instance;
	dispatch->version.seven.text = agent_text;
	dispatch->version.seven.store = agent_store;
	dispatch->version.seven.label = agent_label;
	pmdaSetFetchCallBack(dispatch, agent_value);
	pmdaSetLabelCallBack(dispatch, agent_instance_label);
	pmdaInit(dispatch, agent->indoms, agent->nindoms, agent->metrics, agent->nmetrics);
}
