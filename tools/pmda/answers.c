// SPDX-License-Identifier: GPL-2.0-or-later
/* The PMDA's callbacks except fetch: instances, texts, labels, and storing values. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "agent.h"

/*
 * This variable is static because only some of the library's callbacks receive a pointer to its
 * state.
 */
static struct agent *the_agent;

static uint64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000 + ts.tv_nsec;
}

/**
 * agent_refresh() - sample the requested groups of metrics
 * @agent: the agent
 * @groups: mask of SHIM_GROUP_*
 *
 * Reading the trace statistics is slow, and some of their values describe a window of time.
 * Therefore all clients receive the values of the last read until they are window_ns old.
 */
void agent_refresh(struct agent *agent, unsigned int groups)
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
}

/* Return a metric's number in the machine's list, or -1. */
int agent_find(const struct agent *agent, pmID pmid)
{
	return shim_machine__find(agent->machine, pmID_build(agent->number, pmID_cluster(pmid),
							     pmID_item(pmid)));
}

static int find_indom(const struct agent *agent, pmInDom indom)
{
	return shim_machine__find_indom(agent->machine,
					pmInDom_build(agent->number, pmInDom_serial(indom)));
}

static int agent_instance(pmInDom indom, int inst, char *name, pmInResult **result, pmdaExt *pmda)
{
	int at = find_indom(the_agent, indom);
	int ret;

	if (at >= 0)
		agent_refresh(the_agent, shim_machine__indom_group(the_agent->machine, at));
	ret = agent_grow(the_agent);
	return ret ? ret : pmdaInstance(indom, inst, name, result, pmda);
}

static int agent_text(int ident, int type, char **buffer, pmdaExt *pmda)
{
	bool one_line = type & PM_TEXT_ONELINE;
	int i;

	(void)pmda;
	if (type & PM_TEXT_PMID) {
		i = agent_find(the_agent, ident);
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
	int ret = type & PM_LABEL_INSTANCES ? agent_grow(the_agent) : 0;

	return ret ? ret : pmdaLabel(ident, type, labels, pmda);
}

static int agent_instance_label(pmInDom indom, unsigned int inst, pmLabelSet **labels)
{
	int at = find_indom(the_agent, indom);
	int i = at < 0 ? -1 : shim_machine__find_instance(the_agent->machine, at, inst);
	char text[SHIM_LIVE_NAME_LEN + 64];

	if (i < 0 || !shim_machine__labels(the_agent->machine, at, i, text, sizeof(text)))
		return 0;
	/* The library sends this number of labels, or this error, to clients. */
	return pmdaAddLabels(labels, "%s", text);
}

static int store_one(const pmValueSet *set)
{
	int metric = agent_find(the_agent, set->pmid), ret;
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
	the_agent->read_ns = 0;	/* read again, because the store may have changed tracing */
	return ret;
}

static int agent_store(agent_result *result, pmdaExt *pmda)
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
	dispatch->version.seven.profile = agent_profile;
	dispatch->version.seven.instance = agent_instance;
	dispatch->version.seven.text = agent_text;
	dispatch->version.seven.store = agent_store;
	dispatch->version.seven.label = agent_label;
	pmdaSetResultCallBack(dispatch, agent_keep);
	pmdaSetLabelCallBack(dispatch, agent_instance_label);
	pmdaSetData(dispatch, agent);
	pmdaInit(dispatch, agent->indoms, agent->nindoms, agent->metrics, agent->nmetrics);
}
