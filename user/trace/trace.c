// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * PCP's trace calls: check the tag, keep its progress, send the event.
 *
 * Threads: any thread may make any call.  A transaction belongs to the thread that began it.  A
 * thread that has not begun one ends that of another thread.
 */
#define PCP_TRACE_NO_INLINE	/* this file defines the functions */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <linux/vcpc.h>
#include <pcp/trace.h>

#include "base/api.h"
#include "clock.h"
#include "gate.h"
#include "kernel.h"
#include "open.h"
#include "tags.h"
#include "way.h"

/**
 * struct call - one trace call in progress
 * @p: this process
 * @tag: the tag, if it is in the cache by address, otherwise NULL until it is looked up
 * @key: its name, if it was not in the cache
 * @silent: do not send events (PMTRACE_STATE_NOAGENT)
 */
struct call {
	struct shim_process *p;
	struct shim_tag *tag;
	struct shim_tag_key key;
	int silent;
};

/* Common parts of the calls are inlined, so the state of a call stays in registers. */
#define INLINED static inline __attribute__((always_inline))

static __attribute__((noinline, cold)) void say_call(const char *function, const char *name)
{
	fprintf(stderr, "pmtrace: %s(\"%s\")\n", function, name);
}

/**
 * struct shortcut - data for the fast path of a call
 * @p: this process
 * @tag: the tag; NULL: the call takes the slow path, a function whose name ends in _the_long_way()
 * @wanted: VCPC_TRACE_* that listeners want through the module; 0: no listener
 */
struct shortcut {
	struct shim_process *p;
	struct shim_tag *tag;
	unsigned int wanted;
};

/*
 * Nearly every call can take the fast path: the tag is cached by the address of its name, no state
 * flag changes the behavior, and there is either no listener or one through the module.
 */
INLINED struct shortcut find_shortcut(const char *name)
{
	struct shortcut s = { .p = atomic_load_explicit(&shim_process__inherited()->process,
							memory_order_acquire) };
	const unsigned int *gate = s.p && name ? shim_gate__get(s.p) : NULL;

	if (!gate)
		return s;
	s.wanted = __atomic_load_n(gate, __ATOMIC_RELAXED);
	if (!s.wanted || shim_gate__is_module(s.p, gate))
		s.tag = shim_tags__recent(s.p, name);
	return s;
}

/* Whether there is a listener and the tag has a handle, so the event needs no further checks */
INLINED int is_heard(const struct shortcut *s)
{
	return s->wanted & VCPC_TRACE_LISTENING &&
	       shim_kernel__is_ready(shim_kernel__connection(s->p), s->tag);
}

/* The calling thread's word, or NULL if it has none, and its progress */
INLINED shim_open_word *own_word(const struct shortcut *s, uint64_t *progress)
{
	shim_open_word *word = shim_open__word(s->p, s->tag);

	if (word)
		*progress = shim_open__progress(word);
	return word;
}

INLINED int begins_quietly(const struct shortcut *s)
{
	uint64_t old;
	shim_open_word *word = own_word(s, &old);

	if (!word || shim_open__is_begun(old))
		return 0;
	shim_open__set(word, 0);
	return 1;
}

INLINED int ends_quietly(const struct shortcut *s)
{
	uint64_t old;
	shim_open_word *word = own_word(s, &old);

	return word && shim_open__is_begun(old) && shim_open__end_quietly(word, old);
}

INLINED int start_call(struct call *call, const char *function, const char *name)
{
	struct shim_inherited *inherited = shim_process__inherited();
	int flags, err;

	if (!name)
		return PMTRACE_ERR_TAGNAME;
	call->p = shim_process__get(inherited);
	if (!call->p)
		return -ENOMEM;
	call->tag = shim_tags__recent(call->p, name);
	if (!call->tag) {
		err = shim_tag_key__init(&call->key, name);
		if (err)
			return err;
	}
	if (!shim_gate__get(call->p))
		shim_gate__set(call->p);
	flags = atomic_load_explicit(&inherited->flags, memory_order_relaxed);
	if (flags & PMTRACE_STATE_API)
		say_call(function, name);
	call->silent = flags & PMTRACE_STATE_NOAGENT || shim_way__is_none(call->p, inherited);
	return 0;
}

/* Add the tag if it is new.  Unless the call is silent, connect first, and prepare the tag. */
static int prepare_new_tag(struct call *call)
{
	int err = 0;

	/* Do not add a tag for a call that cannot connect. */
	if (!call->silent)
		err = shim_way__connect(call->p);
	if (!err && !call->tag)
		err = shim_tags__get(call->p, &call->key, &call->tag);
	if (!err && !call->silent)
		err = shim_way__prepare(call->p, call->tag);
	return err;
}

INLINED int prepare_tag(struct call *call)
{
	if (call->tag && (call->silent || shim_way__is_ready(call->p, call->tag)))
		return 0;
	return prepare_new_tag(call);
}

/* Begin a transaction of a tag that has a handle, and send it.  Undo the begin if that fails. */
static __attribute__((noinline)) int begin_and_tell(struct shim_process *p, struct shim_tag *tag,
						    uint64_t now)
{
	int err = shim_open__begin(p, tag, now);
	uint64_t begin_ns;

	if (err)
		return err;
	err = shim_kernel__tell_begin(p, tag);
	if (err)
		shim_open__finish(p, tag, &begin_ns);
	return err;
}

static __attribute__((noinline)) int begin_the_long_way(const char *tag)
{
	struct call call;
	uint64_t begin_ns = 0;
	int err = start_call(&call, "pmtracebegin", tag);

	if (!err)
		err = prepare_tag(&call);
	if (!err && !call.silent)
		begin_ns = shim_way__begin_ns(call.p, call.tag);
	if (!err)
		err = shim_open__begin(call.p, call.tag, begin_ns);
	if (err || call.silent)
		return err;
	err = shim_way__begin(call.p, call.tag);
	if (err)
		shim_open__finish(call.p, call.tag, &begin_ns);
	return err;
}

/**
 * pmtracebegin() - begin a transaction
 * @tag: its name, 1 to 254 bytes
 *
 * Return: 0; PMTRACE_ERR_TAGNAME, PMTRACE_ERR_TAGLENGTH; PMTRACE_ERR_INPROGRESS if this thread has
 *	already begun it, and its start time is kept; a negated errno if the module cannot be
 *	reached or accepts no more tags, and then nothing has begun.
 *
 * While there is no listener, only a process's first calls request a handle from the module.
 * Later, a tag that the module would refuse begins like any other, and the error is returned when
 * there is a listener.
 */
SHIM_API int pmtracebegin(const char *tag)
{
	struct shortcut s = find_shortcut(tag);
	uint64_t now;

	if (s.tag && !s.wanted && begins_quietly(&s))
		return 0;
	if (!s.tag || !is_heard(&s))
		return begin_the_long_way(tag);
	now = shim_clock__now();
	if (shim_kernel__tells_begin(s.wanted, now))
		return begin_and_tell(s.p, s.tag, now);
	return shim_open__begin(s.p, s.tag, now);
}

/* The common part of end and abort; neither adds a tag. */
INLINED int finish(struct call *call, uint64_t *begin_ns)
{
	if (!call->tag)
		call->tag = shim_tags__find(call->p, &call->key);
	return call->tag ? shim_open__finish(call->p, call->tag, begin_ns) : PMTRACE_ERR_NOSUCHTAG;
}

static __attribute__((noinline)) int end_the_long_way(const char *tag)
{
	struct call call;
	uint64_t begin_ns, end_ns;
	int err = start_call(&call, "pmtraceend", tag);

	if (err)
		return err;
	end_ns = call.silent ? 0 : shim_way__end_ns(call.p);
	err = finish(&call, &begin_ns);
	if (err || call.silent)
		return err;
	return shim_way__end(call.p, call.tag, begin_ns, end_ns);
}

/**
 * pmtraceend() - end a transaction and record its duration
 * @tag: its name
 *
 * Ends the calling thread's transaction or, if it has none, the one in the process that has been
 * open longest.
 *
 * Return: 0; PMTRACE_ERR_TAGNAME, PMTRACE_ERR_TAGLENGTH; PMTRACE_ERR_NOSUCHTAG if this process
 *	never began it, PMTRACE_ERR_NOPROGRESS if it is not open now.  After any other error it has
 *	ended but was not recorded.
 */
SHIM_API int pmtraceend(const char *tag)
{
	struct shortcut s = find_shortcut(tag);
	uint64_t begin_ns;
	int err;

	if (s.tag && !s.wanted && ends_quietly(&s))
		return 0;
	if (!s.tag || !(s.wanted & VCPC_TRACE_LISTENING))
		return end_the_long_way(tag);
	err = shim_open__finish(s.p, s.tag, &begin_ns);
	return err ? err : shim_kernel__fire(s.p, s.tag, VCPC_TRACE_END | shim_counted__flag(),
					     begin_ns);
}

/**
 * pmtraceabort() - leave a transaction without recording it
 * @tag: its name
 *
 * Never connects.
 *
 * Return: as pmtraceend().
 */
SHIM_API int pmtraceabort(const char *tag)
{
	struct shortcut s = find_shortcut(tag);
	struct call call;
	uint64_t begin_ns;
	int err;

	if (s.tag && !s.wanted && ends_quietly(&s))
		return 0;
	err = start_call(&call, "pmtraceabort", tag);
	if (!err)
		err = finish(&call, &begin_ns);
	if (err || call.silent)
		return err;
	shim_way__abort(call.p, call.tag, begin_ns);
	return 0;
}

static __attribute__((noinline)) int event_the_long_way(const char *function, const char *tag,
							  uint32_t op, double value)
{
	struct call call;
	int err = start_call(&call, function, tag);

	if (err || call.silent)
		return err;
	err = prepare_tag(&call);
	return err ? err : shim_way__value(call.p, call.tag, op, value);
}

INLINED int event(const char *function, const char *tag, uint32_t op, double value)
{
	struct shortcut s = find_shortcut(tag);
	uint64_t bits;

	if (s.tag && !s.wanted)
		return 0;
	if (!s.tag || !is_heard(&s))
		return event_the_long_way(function, tag, op, value);
	memcpy(&bits, &value, sizeof(bits));
	return shim_kernel__fire(s.p, s.tag, op, bits);
}

/**
 * pmtracepoint() - record that a point of the program was passed
 * @tag: its name, 1 to 254 bytes
 *
 * Return: 0, PMTRACE_ERR_TAGNAME, PMTRACE_ERR_TAGLENGTH, or a negated errno if the module cannot be
 *	reached or accepts no more tags; while there is no listener, the latter is detected only in
 *	a process's first calls (see pmtracebegin()).
 */
SHIM_API int pmtracepoint(const char *tag)
{
	return event("pmtracepoint", tag, VCPC_TRACE_POINT, 0);
}

/**
 * pmtraceobs() - record an observed value
 * @tag: its name, 1 to 254 bytes
 * @value: any double
 *
 * Return: as pmtracepoint().
 */
SHIM_API int pmtraceobs(const char *tag, double value)
{
	return event("pmtraceobs", tag, VCPC_TRACE_OBSERVE, value);
}

/**
 * pmtracecounter() - record the value of a counter, which only increases
 * @tag: its name, 1 to 254 bytes
 * @value: any double; it is not checked that it increases
 *
 * Return: as pmtracepoint().
 */
SHIM_API int pmtracecounter(const char *tag, double value)
{
	return event("pmtracecounter", tag, VCPC_TRACE_COUNTER, value);
}

/**
 * pmtracestate() - replace the state flags
 * @flags: PMTRACE_STATE_*; unknown bits are kept and returned
 *
 * Return: the previous flags; -EINVAL without any change if @flags has PMTRACE_STATE_ASYNC and the
 *	first connection has already used the synchronous protocol.
 */
SHIM_API int pmtracestate(int flags)
{
	struct shim_inherited *inherited = shim_process__inherited();
	struct shim_process *p = atomic_load(&inherited->process);
	int before;

	if (flags & PMTRACE_STATE_ASYNC && atomic_load(&inherited->protocol) == SHIM_SYNC)
		return -EINVAL;
	before = atomic_exchange(&inherited->flags, flags);
	if (p)
		shim_gate__set(p);
	return before;
}
