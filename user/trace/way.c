// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Which way events leave the process: through the module, to an agent, or not
 * at all.
 *
 * SHIM_TRACE says which.  Without it the module is taken where there is one,
 * otherwise probes on this library if there are any, otherwise an agent:
 * whichever answers first is the process's way from then on.
 *
 * SHIM_TRACE=direct is a way of its own: statistics are written by this process,
 * and no call is made.
 *
 * To the kernel a transaction goes as one event, its end with the time of its
 * begin, unless somebody there wants to see begins.  While nobody listens,
 * nothing goes.
 */
#include <stdlib.h>
#include <string.h>

#include <linux/vcpc.h>
#include <pcp/trace.h>

#include "base/process.h"
#include "core/probe.h"
#include "agent.h"
#include "clock.h"
#include "env.h"
#include "mapped.h"
#include "way.h"

static enum shim_way way_of(const struct shim_process *p)
{
	return atomic_load_explicit(&p->way, memory_order_relaxed);
}

/* By the environment: and then no call of this process goes anywhere */
int shim_way__wants_none(struct shim_inherited *inherited)
{
	if (!shim_environ__get("PCP_TRACE_NOAGENT") && shim_env__way() != SHIM_ENV_NONE)
		return 0;
	atomic_fetch_or(&inherited->flags, PMTRACE_STATE_NOAGENT);
	return 1;
}

/* The first that answers. */
static int connect_any(struct shim_process *p)
{
	enum shim_env_way wanted = shim_env__way();
	int err = 0;

	if (wanted == SHIM_ENV_AUTO || wanted == SHIM_ENV_KERNEL) {
		err = shim_kernel__connect(p);
		if (!err)
			atomic_store(&p->way, SHIM_WAY_KERNEL);
		if (!err || wanted == SHIM_ENV_KERNEL)
			return err;
	}
	if (wanted == SHIM_ENV_DIRECT) {
		atomic_store(&p->way, SHIM_WAY_DIRECT);
		return shim_mapped__connect(p);
	}
	if (wanted == SHIM_ENV_PROBE || (wanted == SHIM_ENV_AUTO && shim_probe_wanted.events)) {
		atomic_store(&p->way, SHIM_WAY_PROBE);
		return 0;
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
	case SHIM_WAY_PROBE:	return 0;
	case SHIM_WAY_DIRECT:	return shim_mapped__connect(p);
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
	switch (way_of(p)) {
	case SHIM_WAY_AGENT:	return shim_agent__check(tag);
	case SHIM_WAY_PROBE:
	case SHIM_WAY_DIRECT:	return 0;
	default:		return shim_kernel__prepare(p, tag);
	}
}

/* Does anybody in the kernel want such an event? */
static int is_wanted(const struct shim_process *p, uint32_t op)
{
	if (way_of(p) == SHIM_WAY_PROBE)
		return op == VCPC_TRACE_BEGIN ? shim_probe_wanted.begins : shim_probe_wanted.events;
	return shim_kernel__wanted(p) &
	       (op == VCPC_TRACE_BEGIN ? VCPC_TRACE_BEGINS : VCPC_TRACE_LISTENING);
}

static int tell_kernel(struct shim_process *p, struct shim_tag *tag, uint32_t op, uint64_t value)
{
	if (!is_wanted(p, op))
		return 0;
	if (way_of(p) == SHIM_WAY_KERNEL)
		return shim_kernel__fire(p, tag, op, value);
	if (op == VCPC_TRACE_BEGIN)
		shim_probe_begin(op, tag->id, value, tag->name);
	else
		shim_probe_event(op, tag->id, value, tag->name);
	return 0;
}

/**
 * shim_way__begin() - a transaction has begun
 * @p: process
 * @tag: tag
 *
 * Return: as shim_kernel__fire(), or 0.
 */
int shim_way__begin(struct shim_process *p, struct shim_tag *tag)
{
	enum shim_way way = way_of(p);

	return way == SHIM_WAY_AGENT || way == SHIM_WAY_DIRECT ? 0 :
	       tell_kernel(p, tag, VCPC_TRACE_BEGIN, 0);
}

/**
 * shim_way__value() - a point was passed, or a value seen
 * @p: process
 * @tag: tag
 * @op: VCPC_TRACE_POINT, _OBSERVE or _COUNTER
 * @value: what was observed or counted, otherwise 0
 *
 * Return: as shim_kernel__fire() or shim_agent__send().
 */
int shim_way__value(struct shim_process *p, struct shim_tag *tag, uint32_t op, double value)
{
	uint64_t bits;

	if (way_of(p) == SHIM_WAY_AGENT)
		return shim_agent__send(p, tag, op, value);
	if (way_of(p) == SHIM_WAY_DIRECT) {
		/* PCP's kinds are in the order of the module's operations. */
		if (shim_mapped__get(p))
			shim_direct__value(shim_mapped__get(p), shim_mapped__tag(tag),
					   op - VCPC_TRACE_POINT + VC_POINT, value);
		return 0;
	}
	memcpy(&bits, &value, sizeof(bits));
	return tell_kernel(p, tag, op, bits);
}

/**
 * shim_way__end() - a transaction has ended
 * @p: process
 * @tag: tag
 * @begin_ns: when it began, 0 if nobody wanted to know then
 * @end_ns: from shim_way__end_ns()
 *
 * Return: as shim_way__value().
 */
int shim_way__end(struct shim_process *p, struct shim_tag *tag, uint64_t begin_ns, uint64_t end_ns)
{
	if (way_of(p) == SHIM_WAY_AGENT)
		return shim_agent__send(p, tag, VCPC_TRACE_END, (end_ns - begin_ns) / 1e9);
	if (way_of(p) == SHIM_WAY_DIRECT) {
		struct shim_direct *d = shim_mapped__get(p);

		if (d && begin_ns)
			shim_direct__end(d, shim_mapped__tag(tag), begin_ns);
		return 0;
	}
	return tell_kernel(p, tag, VCPC_TRACE_END, begin_ns);
}

/* It was aborted; if that does not get through, there is nothing to forget. */
void shim_way__abort(struct shim_process *p, struct shim_tag *tag, uint64_t begin_ns)
{
	if (way_of(p) == SHIM_WAY_DIRECT) {
		struct shim_direct *d = shim_mapped__get(p);

		if (d && begin_ns)
			shim_direct__abort(d, shim_mapped__tag(tag));
	} else if (way_of(p) == SHIM_WAY_PROBE || (uint32_t)shim_kernel__connection(p))
		tell_kernel(p, tag, VCPC_TRACE_ABORT, begin_ns);
}

/* When a transaction begins, if anybody wants to know; by the clock of its way */
uint64_t shim_way__begin_ns(const struct shim_process *p)
{
	if (way_of(p) == SHIM_WAY_DIRECT) {
		const struct shim_direct *d = shim_mapped__get(p);

		return d ? shim_tick__now(d->tick) : 0;
	}
	if (way_of(p) != SHIM_WAY_AGENT && !is_wanted(p, VCPC_TRACE_END))
		return 0;
	return shim_clock__now();
}

/* When it ends, unless the kernel looks for itself */
uint64_t shim_way__end_ns(const struct shim_process *p)
{
	return way_of(p) == SHIM_WAY_AGENT ? shim_clock__now() : 0;
}
