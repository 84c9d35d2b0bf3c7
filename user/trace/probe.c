// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Send events without the module, through uprobes on this library.
 *
 * Another process attaches and removes the probes.  The kernel keeps the number of probes in
 * shim_probe_wanted.
 */
#include <linux/vcpc.h>
#include <pcp/trace.h>

#include "core/probe.h"
#include "env.h"
#include "open.h"
#include "transport.h"

static bool is_probed(void)
{
	return shim_probe_wanted.events;
}

static uint64_t probe_begin_ns(const struct shim_process *p, const struct shim_tag *tag)
{
	(void)p;
	(void)tag;
	return is_probed() ? shim_clock__now() : 0;
}

/*
 * Return the operation in the form that the probes expect, with the transaction's thread in the
 * upper half.
 */
static uint64_t op_of(uint32_t op, uint32_t thread)
{
	return (uint64_t)thread << 32 | op;
}

static int probe_begin(struct shim_process *p, struct shim_tag *tag)
{
	(void)p;
	if (shim_probe_wanted.begins)
		shim_probe_begin(op_of(VCPC_TRACE_BEGIN, shim_open__own.me), tag->id, 0, tag->name);
	return 0;
}

static void send_event(const struct shim_tag *tag, uint64_t op, uint64_t value)
{
	if (is_probed())
		shim_probe_event(op, tag->id, value, tag->name);
}

static int probe_end(struct shim_process *p, struct shim_tag *tag, const struct shim_begun *begun,
		    uint64_t end_ns)
{
	(void)p;
	(void)end_ns;
	send_event(tag, op_of(VCPC_TRACE_END, begun->thread), begun->ns);
	return 0;
}

static void probe_abort(struct shim_process *p, struct shim_tag *tag,
			const struct shim_begun *begun)
{
	(void)p;
	send_event(tag, op_of(VCPC_TRACE_ABORT, begun->thread), begun->ns);
}

static int probe_value(struct shim_process *p, struct shim_tag *tag, uint32_t op, double value)
{
	(void)p;
	send_event(tag, op, shim_transport__bits(value));
	return 0;
}

static const unsigned int *probe_gate(const struct shim_process *p)
{
	(void)p;
	return (const unsigned int *)&shim_probe_wanted.any;
}

const struct shim_transport shim_probe__transport = {
	.name = "probe",
	.is_automatic = is_probed,
	.begin_ns = probe_begin_ns,
	.begin = probe_begin,
	.end = probe_end,
	.abort = probe_abort,
	.value = probe_value,
	.gate = probe_gate,
};
