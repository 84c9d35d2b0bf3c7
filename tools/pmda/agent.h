/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The PMDA, which provides this machine's metrics to pmcd through PCP's agent library. */
#ifndef VCPC_PMDA_AGENT_H
#define VCPC_PMDA_AGENT_H

#include <stdint.h>

#include "live/machine.h"
#include "result.h"

/* State for one of the library's instance domains */
struct agent_domain {
	size_t at;		/* number in the machine's list */
	size_t room;		/* number of instances that fit in its it_set */
	uint64_t removed;	/* shim_machine__removed() when its it_set was built */
};

/**
 * struct agent - all state of the agent
 * @machine: source of the metrics
 * @number: PCP's number of the domain of metrics: 450, or 10 for trace.*
 * @window_ns: maximum age of the trace statistics before they are read again
 * @read_ns: CLOCK_MONOTONIC time of the last read; 0: read them at the next request
 * @metrics: the library's table of that domain's metrics; m_user is the number in the machine's
 *   list + 1
 * @nmetrics: number of @metrics
 * @indoms: the library's table of instance domains
 * @domains: the agent's state for each of @indoms, at the same index
 * @nindoms: number of @indoms
 * @result: memory of the last fetch's result
 * @result_room: size of @result in bytes
 */
struct agent {
	struct shim_machine *machine;
	unsigned int number;
	uint64_t window_ns, read_ns;
	pmdaMetric *metrics;
	int nmetrics;
	pmdaIndom *indoms;
	struct agent_domain *domains;
	int nindoms;
	agent_result *result;
	size_t result_room;
};

/* Functions in tables.c */
int agent_tables(struct agent *agent);
int agent_names(const struct agent *agent);
int agent_grow(struct agent *agent);

/* Functions in fetch.c */
int agent_fetch(int n, pmID *pmids, agent_result **result, pmdaExt *pmda);
void agent_keep(agent_result *result);
int agent_profile(pmProfile *profile, pmdaExt *pmda);

/* Functions in answers.c */
int agent_find(const struct agent *agent, pmID pmid);
void agent_refresh(struct agent *agent, unsigned int groups);
void agent_answers(pmdaInterface *dispatch, struct agent *agent);

#endif /* VCPC_PMDA_AGENT_H */
