/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The agent: this machine's metrics, told to PCP's collector by PCP's agent library. */
#ifndef VCPC_PMDA_AGENT_H
#define VCPC_PMDA_AGENT_H

#include <stdint.h>

#include <pcp/pmapi.h>
#include <pcp/pmda.h>

#include "live/machine.h"

/* Names of an instance domain that the library points to */
struct domain {
	size_t at;		/* number in the machine's list */
	size_t room;
};

/**
 * struct agent - all there is
 * @machine: what is told
 * @number: of the domain of metrics: 450, or 10 for trace.*
 * @window_ns: traced events are read again when the last reading is that old
 * @read_ns: when that was
 * @metrics: of that domain, as the library wants them; m_user: number in the machine's list + 1
 * @nmetrics: how many
 * @indoms: as the library wants them
 * @domains: the same by number
 * @nindoms: how many
 */
struct agent {
	struct shim_machine *machine;
	unsigned int number;
	uint64_t window_ns, read_ns;
	pmdaMetric *metrics;
	int nmetrics;
	pmdaIndom *indoms;
	struct domain *domains;
	int nindoms;
};

/* tables.c */
int agent_tables(struct agent *agent);
int agent_names(const struct agent *agent);
int agent_grow(struct agent *agent);

/* answers.c */
void agent_answers(pmdaInterface *dispatch, struct agent *agent);

#endif /* VCPC_PMDA_AGENT_H */
