// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Choose the transport of events.
 *
 * SHIM_TRACE selects it.  By default the module is tried, then probes on this library if any are
 * attached, then an agent.  The process uses the first one that connects from then on.
 *
 * A transaction is sent to the kernel as one event, its end with its start time, unless a listener
 * wants begins.  While there is no listener, nothing is sent.
 */
#include <errno.h>
#include <strings.h>

#include <pcp/trace.h>

#include "base/process.h"
#include "agent.h"
#include "env.h"
#include "kernel.h"
#include "mapped.h"
#include "probes.h"
#include "way.h"

/* In the order of attempts */
static const struct shim_way *const ways[] = {
	&shim_kernel__way,
	&shim_probes__way,
	&shim_mapped__way,
	&shim_agent__way,
};

#define NWAYS	(sizeof(ways) / sizeof(ways[0]))

/* Whether SHIM_TRACE is a word that does not name a transport */
static bool is_word(const char *value, const char *word)
{
	return value && !strcasecmp(value, word);
}

/* The transport that SHIM_TRACE names, or NULL if the library has to choose */
static const struct shim_way *wanted_way(void)
{
	const char *value = shim_env__way();

	for (size_t i = 0; value && i < NWAYS; i++)
		if (!strcasecmp(value, ways[i]->name))
			return ways[i];
	if (value && !is_word(value, "auto") && !is_word(value, "none"))
		shim_env__warn("SHIM_TRACE", value);
	return NULL;
}

/**
 * shim_way__wants_none() - whether the environment turns tracing off for this process
 * @inherited: if so, PMTRACE_STATE_NOAGENT is added to its flags, so no more events are sent
 *
 * Return: true if it does.
 */
bool shim_way__wants_none(struct shim_inherited *inherited)
{
	if (!shim_environ__get("PCP_TRACE_NOAGENT") && !is_word(shim_env__way(), "none"))
		return false;
	atomic_fetch_or(&inherited->flags, PMTRACE_STATE_NOAGENT);
	return true;
}

/* Choose the first transport that connects.  If none does, return the last one's error. */
static int connect_any(struct shim_process *p)
{
	const struct shim_way *wanted = wanted_way();
	int err = -ENOENT;

	for (size_t i = 0; i < NWAYS; i++) {
		const struct shim_way *way = ways[i];

		if (wanted ? way != wanted : !way->is_automatic || !way->is_automatic())
			continue;
		err = way->connect ? way->connect(p) : 0;
		if (!err) {
			atomic_store(&p->way, way);
			break;
		}
	}
	return err;
}

/**
 * shim_way__connect() - connect through the process's transport, which is chosen if necessary
 * @p: process
 *
 * Return: 0, or an error of connect in struct shim_way.
 */
int shim_way__connect(struct shim_process *p)
{
	const struct shim_way *way = shim_way__of(p);

	if (!way)
		return connect_any(p);
	return way->connect ? way->connect(p) : 0;
}
