// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Choose the transport of events.
 *
 * SHIM_TRACE selects it.  By default the module is tried, then probes on this library if any are
 * attached, then an agent.  From then on the process uses the first transport that connects.
 *
 * Unless a listener wants begins, a transaction is sent to the kernel as one event: its end, with
 * its start time.  While no listener is attached, nothing is sent.
 *
 * The gate is a word that is 0 while no listener is attached, regardless of the transport.  A trace
 * call can then return immediately.  Programs that were built with <pcp/trace_inline.h> read it
 * without calling the library.
 *
 * Threads: a thread that changes the state flags or the transport, or finds no gate, sets the gate.
 * It repeats this if the flags or the transport have changed since it read them.
 */
#include <errno.h>
#include <strings.h>

#include <pcp/trace.h>

#include "base/api.h"
#include "base/process.h"
#include "env.h"
#include "tags.h"
#include "transport.h"

#define NTRANSPORTS	(sizeof(transports) / sizeof(transports[0]))

static const unsigned int never;
static const unsigned int always = 1;
const unsigned int shim_gate__direct = 1;

/* With PMTRACE_STATE_API each call prints a diagnostic, so no call may return early. */
static const unsigned int *choose(const struct shim_process *p, int flags,
				  const struct shim_transport *transport)
{
	const unsigned int *gate;

	if (flags & PMTRACE_STATE_API)
		return &always;
	if (flags & PMTRACE_STATE_NOAGENT)
		return &never;
	if (!transport)
		return NULL;
	gate = transport->gate ? transport->gate(p) : NULL;
	return gate ? gate : &always;
}

/**
 * shim_gate__set() - choose the gate according to the state flags and the process's transport
 * @p: process
 */
void shim_gate__set(struct shim_process *p)
{
	struct shim_inherited *inherited = shim_process__inherited();
	const struct shim_transport *transport;
	int flags;

	do {
		flags = atomic_load(&inherited->flags);
		transport = atomic_load(&p->transport);
		__atomic_store_n(&p->gate, choose(p, flags, transport), __ATOMIC_SEQ_CST);
	} while (flags != atomic_load(&inherited->flags) || transport != atomic_load(&p->transport));
}

static struct shim_trace_state *state_of(struct shim_process *p, const char *name)
{
	struct shim_tag_key key;
	struct shim_tag *tag;

	if (!name)
		return &p->any;
	tag = shim_tags__recent(p, name);
	if (!tag && !shim_tag_key__init(&key, name))
		tag = shim_tags__find(p, &key);
	return tag ? &tag->state : NULL;
}

/**
 * shim_trace_meet() - look up the tag of a literal, for <pcp/trace_inline.h>
 * @tag: the literal; NULL if only the gate is needed
 * @site: the source file's cache of the tag
 *
 * A tag that this process has not used yet is not cached.
 */
SHIM_API void shim_trace_meet(const char *tag, struct shim_trace_site *site)
{
	struct shim_inherited *inherited = shim_process__inherited();
	struct shim_process *p = shim_process__get(inherited);
	struct shim_trace_state *state = p ? state_of(p, tag) : NULL;
	const char *none = NULL;

	if (!state)
		return;
	if (!shim_gate__get(p))
		shim_gate__set(p);
	if (shim_process__wipes(inherited))
		__atomic_store_n(&p->any.gate, &p->gate, __ATOMIC_RELEASE);
	if (tag && !__atomic_compare_exchange_n(&site->literal, &none, tag, 0, __ATOMIC_SEQ_CST,
						__ATOMIC_SEQ_CST) && none != tag)
		return;
	__atomic_store_n(&site->state, state, __ATOMIC_RELEASE);
}

/* The transports in the order of attempts */
static const struct shim_transport *const transports[] = {
	&shim_kernel__transport,
	&shim_probe__transport,
	&shim_trace_direct__transport,
	&shim_agent__transport,
};

/* Compare the value of SHIM_TRACE with a word other than the name of a transport. */
static bool is_word(const char *value, const char *word)
{
	return value && !strcasecmp(value, word);
}

/* Return the transport that SHIM_TRACE names, or NULL if the library must choose. */
static const struct shim_transport *wanted_transport(void)
{
	const char *value = shim_env__transport();

	for (size_t i = 0; value && i < NTRANSPORTS; i++)
		if (!strcasecmp(value, transports[i]->name))
			return transports[i];
	if (value && !is_word(value, "auto") && !is_word(value, "none"))
		shim_env__warn("SHIM_TRACE", value);
	return NULL;
}

/**
 * shim_transport__wants_none() - check whether the environment turns tracing off for this process
 * @inherited: the process's state; if tracing is turned off, PMTRACE_STATE_NOAGENT is added to its
 *   flags, so that no more events are sent
 *
 * Return: true if tracing is turned off.
 */
bool shim_transport__wants_none(struct shim_inherited *inherited)
{
	if (!shim_environ__get("PCP_TRACE_NOAGENT") && !is_word(shim_env__transport(), "none"))
		return false;
	atomic_fetch_or(&inherited->flags, PMTRACE_STATE_NOAGENT);
	return true;
}

/* Choose the first transport that connects.  If none does, return the error of the last one. */
static int connect_any(struct shim_process *p)
{
	const struct shim_transport *wanted = wanted_transport();
	int err = -ENOENT;

	for (size_t i = 0; i < NTRANSPORTS; i++) {
		const struct shim_transport *transport = transports[i];

		if (wanted ? transport != wanted : !transport->is_automatic || !transport->is_automatic())
			continue;
		err = transport->connect ? transport->connect(p) : 0;
		if (!err) {
			atomic_store(&p->transport, transport);
			break;
		}
	}
	return err;
}

/**
 * shim_transport__connect() - connect through the process's transport, which is chosen if necessary
 * @p: process
 *
 * Return: 0, or an error from @connect of struct shim_transport.
 */
int shim_transport__connect(struct shim_process *p)
{
	const struct shim_transport *transport = shim_transport__of(p);

	if (!transport)
		return connect_any(p);
	return transport->connect ? transport->connect(p) : 0;
}
