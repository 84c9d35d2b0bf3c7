// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Which way events leave the process: through the module, to an agent, or not
 * at all.
 *
 * SHIM_TRACE says which.  Without it the module is taken where there is one,
 * otherwise an agent, whichever answers first; that is the process's way from
 * then on.
 */
#include <stdlib.h>
#include <string.h>

#include <linux/vcpc.h>
#include <pcp/trace.h>

#include "agent.h"
#include "clock.h"
#include "env.h"
#include "way.h"

static enum shim_way way_of(const struct shim_process *p)
{
	return atomic_load_explicit(&p->way, memory_order_relaxed);
}

/* Whether the user wants no way at all; looked at until there is one */
int shim_way__is_none(struct shim_process *p, struct shim_inherited *inherited)
{
	if (way_of(p) != SHIM_WAY_OPEN)
		return 0;
	if (!getenv("PCP_TRACE_NOAGENT") && shim_env__way() != SHIM_ENV_NONE)
		return 0;
	atomic_fetch_or(&inherited->flags, PMTRACE_STATE_NOAGENT);
	return 1;
}

/* The first that answers. */
static int connect_any(struct shim_process *p)
{
	enum shim_env_way wanted = shim_env__way();
	int err = 0;

	if (wanted != SHIM_ENV_AGENT) {
		err = shim_kernel__connect(p);
		if (!err)
			atomic_store(&p->way, SHIM_WAY_KERNEL);
		if (!err || wanted == SHIM_ENV_KERNEL)
			return err;
	}
	err = shim_agent__connect(p);
	if (!err)
		atomic_store(&p->way, SHIM_WAY_AGENT);
	return err;
}

/**
 * shim_way__connect() - make sure that there is a way, if there can be one
 * @p: process
 *
 * Return: as shim_kernel__connect() or shim_agent__connect().
 */
int shim_way__connect(struct shim_process *p)
{
	switch (way_of(p)) {
	case SHIM_WAY_KERNEL:	return shim_kernel__connect(p);
	case SHIM_WAY_AGENT:	return shim_agent__connect(p);
	case SHIM_WAY_OPEN:	break;
	}
	return connect_any(p);
}

/**
 * shim_way__prepare() - make sure that events of a tag can go that way
 * @p: process, connected
 * @tag: tag
 *
 * Return: as shim_kernel__prepare() or shim_agent__check().
 */
int shim_way__prepare(struct shim_process *p, struct shim_tag *tag)
{
	return way_of(p) == SHIM_WAY_AGENT ? shim_agent__check(tag) : shim_kernel__prepare(p, tag);
}

/**
 * shim_way__fire() - one event
 * @p: process
 * @tag: tag
 * @op: VCPC_TRACE_*
 * @value: what was observed or counted, otherwise 0
 *
 * Return: as shim_kernel__fire() or shim_agent__send().
 */
int shim_way__fire(struct shim_process *p, struct shim_tag *tag, uint32_t op, double value)
{
	uint64_t bits;

	if (way_of(p) == SHIM_WAY_AGENT)
		return shim_agent__send(p, tag, op, value);
	memcpy(&bits, &value, sizeof(bits));
	return shim_kernel__fire(p, tag, op, bits);
}

/**
 * shim_way__end() - the event that ends a transaction
 * @p: process
 * @tag: tag
 * @ns: how long it took, where this process has measured it
 *
 * Return: as shim_way__fire().
 */
int shim_way__end(struct shim_process *p, struct shim_tag *tag, uint64_t ns)
{
	if (way_of(p) == SHIM_WAY_AGENT)
		return shim_agent__send(p, tag, VCPC_TRACE_END, ns / 1e9);
	return shim_kernel__fire(p, tag, VCPC_TRACE_END, 0);
}

/* Tell that a transaction will not be recorded, if anybody was told of its begin. */
void shim_way__abort(struct shim_process *p, struct shim_tag *tag)
{
	if ((uint32_t)shim_kernel__connection(p))
		shim_kernel__fire(p, tag, VCPC_TRACE_ABORT, 0);
}

/* The time of a begin or an end, where it is not taken in the kernel */
uint64_t shim_way__now(const struct shim_process *p)
{
	return way_of(p) == SHIM_WAY_KERNEL ? 0 : shim_clock__now();
}
