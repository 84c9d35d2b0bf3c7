// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Implement PCP's trace calls: check the tag, keep its progress, and send the event.
 *
 * Threads: any thread may make any call.  A transaction belongs to the thread that began it.  If a
 * thread that has not begun a transaction ends one, it ends another thread's.
 */
#define PCP_TRACE_NO_INLINE	/* this file defines the functions */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <linux/vcpc.h>
#include <pcp/trace.h>

#include "base/api.h"
#include "env.h"
#include "open.h"
#include "tags.h"
#include "transport.h"

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

/* Common parts of the calls are inlined, so that the state of a call stays in registers. */
#define INLINED static inline __attribute__((always_inline))

/* Calling the compiler's function for an atomic exchange would require a stack frame. */
#ifdef __aarch64__
#define INLINE_ATOMICS __attribute__((target("no-outline-atomics")))
#else
#define INLINE_ATOMICS
#endif

static __attribute__((noinline, cold)) void say_call(const char *function, const char *name)
{
	fprintf(stderr, "pmtrace: %s(\"%s\")\n", function, name);
}

/**
 * struct audience - whether a call has a listener
 * @p: this process; valid with @gate
 * @gate: the gate; NULL: the call takes the slow path, a function whose name ends in _on_slow_path()
 *
 * While no listener is attached, a call nearly always takes the fast path, which calls no other
 * function.  If the listener is the module or the map of statistics, the call makes another
 * function call, and takes the slow path only if the tag is not in the cache by address or a state
 * flag changes the behavior.
 */
struct audience {
	struct shim_process *p;
	const unsigned int *gate;
};

INLINED struct audience find_audience(const char *name)
{
	struct audience a = { .p = atomic_load_explicit(&shim_process__inherited()->process,
							memory_order_acquire) };

	if (a.p && name)
		a.gate = shim_gate__get(a.p);
	return a;
}

INLINED unsigned int wanted_by(const unsigned int *gate)
{
	return __atomic_load_n(gate, __ATOMIC_RELAXED);
}

INLINED int is_quiet(struct audience a)
{
	return a.gate && !wanted_by(a.gate);
}

INLINED int begins_quietly(shim_open_word *word)
{
	if (!word || shim_open__is_begun(shim_open__progress(word)))
		return 0;
	shim_open__set(word, 0);
	return 1;
}

INLINED int ends_quietly(shim_open_word *word)
{
	uint64_t old = word ? shim_open__progress(word) : SHIM_NEVER_BEGUN;

	return shim_open__is_begun(old) && shim_open__end_quietly(word, old);
}

/*
 * Return the calling thread's word if it can be found without calling another function, otherwise
 * NULL.
 */
INLINED shim_open_word *quick_word(struct shim_process *p, const char *name)
{
	const struct shim_tag *tag = shim_tags__cached(p, name);

	return tag && shim_tags__is_aligned_name(tag, name) ? shim_open__known(tag) : NULL;
}

/*
 * If the process writes its statistics itself, return the tag, or NULL if it is not cached.  Set @d
 * to the map.
 */
INLINED struct shim_tag *direct_tag(const struct shim_process *p, const char *name,
				    struct shim_direct **d)
{
	*d = shim_trace_direct__map(p);
	return *d ? shim_tags__recent(p, name) : NULL;
}

/*
 * Return whether a listener is attached and the tag has a handle, in which case the event needs no
 * other checks.
 */
INLINED int is_heard(const struct shim_process *p, const struct shim_tag *tag, unsigned int wanted)
{
	return wanted & VCPC_TRACE_LISTENING &&
	       shim_kernel__is_ready(shim_kernel__connection(p), tag);
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
	call->silent = flags & PMTRACE_STATE_NOAGENT || shim_transport__is_none(call->p, inherited);
	return 0;
}

/* Add the tag if it is new.  Unless the call is silent, connect first, and prepare the tag. */
static int prepare_new_tag(struct call *call)
{
	int err = 0;

	/* Do not add a tag for a call that cannot connect. */
	if (!call->silent)
		err = shim_transport__connect(call->p);
	if (!err && !call->tag)
		err = shim_tags__get(call->p, &call->key, &call->tag);
	if (!err && !call->silent)
		err = shim_transport__prepare(call->p, call->tag);
	return err;
}

INLINED int prepare_tag(struct call *call)
{
	if (call->tag && (call->silent || shim_transport__is_ready(call->p, call->tag)))
		return 0;
	return prepare_new_tag(call);
}

/*
 * Begin a transaction of a tag that has a handle, and send the begin.  Undo the begin if sending
 * fails.
 */
static __attribute__((noinline)) int begin_and_send(struct shim_process *p, struct shim_tag *tag,
						    uint64_t now)
{
	int err = shim_open__begin(p, tag, now);
	struct shim_begun begun;

	if (err)
		return err;
	err = shim_kernel__send_begin(p, tag);
	if (err)
		shim_open__finish(p, tag, &begun);
	return err;
}

/* Repeat a begin that could not be sent at once. */
static __attribute__((noinline, cold)) int begin_again(struct shim_process *p, struct shim_tag *tag)
{
	int err = shim_kernel__fire(p, tag, VCPC_TRACE_BEGIN, 0, shim_open__own.me);
	struct shim_begun begun;

	if (err)
		shim_open__finish(p, tag, &begun);
	return err;
}

/*
 * Like begin_and_send(), for a thread that has a word and no counts.  It calls no other function,
 * so it has no stack frame.
 */
static __attribute__((noinline)) int begin_and_send_quickly(struct shim_process *p,
							    struct shim_tag *tag, uint64_t now)
{
	shim_open_word *word = shim_open__known(tag);

	if (!word || !shim_counted__is_quiet(now) || shim_open__is_begun(shim_open__progress(word)))
		return begin_and_send(p, tag, now);
	shim_open__set(word, now);
	if (__builtin_expect(!shim_kernel__try(p, tag, VCPC_TRACE_BEGIN, 0, shim_open__own.me), 1))
		return 0;
	return begin_again(p, tag);
}

static __attribute__((noinline)) int begin_on_slow_path(const char *tag)
{
	struct shim_begun begun;
	struct call call;
	uint64_t begin_ns = 0;
	int err = start_call(&call, "pmtracebegin", tag);

	if (!err)
		err = prepare_tag(&call);
	if (!err && !call.silent)
		begin_ns = shim_transport__begin_ns(call.p, call.tag);
	if (!err)
		err = shim_open__begin(call.p, call.tag, begin_ns);
	if (err || call.silent)
		return err;
	err = shim_transport__begin(call.p, call.tag);
	if (err)
		shim_open__finish(call.p, call.tag, &begun);
	return err;
}

/* Begin a transaction in the map. */
static __attribute__((noinline)) int begin_directly(const struct shim_process *p, const char *name)
{
	struct shim_direct *d;
	struct shim_tag *tag = direct_tag(p, name, &d);
	shim_open_word *word = tag ? shim_open__word(p, tag) : NULL;
	uint64_t now;

	if (!word || shim_open__is_begun(shim_open__progress(word)))
		return begin_on_slow_path(name);
	now = shim_trace_direct__begin(d, tag, false);
	/* A signal handler may have begun the transaction since the check above. */
	if (shim_open__is_begun(shim_open__progress(word)))
		return PMTRACE_ERR_INPROGRESS;
	shim_open__set(word, now);
	return 0;
}

/* Handle a begin that is not sent to the module. */
static __attribute__((noinline)) int begin_elsewhere(struct shim_process *p, const char *name,
						     const unsigned int *gate)
{
	struct shim_tag *tag;

	if (gate == &shim_gate__direct)
		return begin_directly(p, name);
	tag = wanted_by(gate) ? NULL : shim_tags__recent(p, name);
	if (tag && begins_quietly(shim_open__word(p, tag)))
		return 0;
	return begin_on_slow_path(name);
}

#define ALL_WANTED	(VCPC_TRACE_LISTENING | VCPC_TRACE_BEGINS | VCPC_TRACE_THREADS)

static __attribute__((noinline)) int begin_sent(struct shim_process *p, const char *name,
						 const unsigned int *gate)
{
	unsigned int wanted = wanted_by(gate);
	struct shim_tag *tag;
	uint64_t now;

	if (!wanted || !shim_gate__is_module(p, gate))
		return begin_elsewhere(p, name, gate);
	tag = shim_tags__recent(p, name);
	if (tag && (wanted & ALL_WANTED) == ALL_WANTED)
		return begin_and_send_quickly(p, tag, shim_clock__now());
	if (!tag || wanted & VCPC_TRACE_BEGINS || !is_heard(p, tag, wanted))
		return begin_on_slow_path(name);
	now = shim_clock__now();
	if (!shim_counted__is_quiet(now))
		return begin_and_send(p, tag, now);
	return shim_open__begin(p, tag, now);
}

/**
 * pmtracebegin() - begin a transaction
 * @tag: the tag's name, 1 to 254 bytes
 *
 * Return: 0; PMTRACE_ERR_TAGNAME, PMTRACE_ERR_TAGLENGTH; PMTRACE_ERR_INPROGRESS if this thread has
 *	already begun the transaction, whose start time is kept; a negated errno if the module
 *	cannot be reached or accepts no more tags, in which case no transaction has begun.
 *
 * While no listener is attached, only a process's first calls request a handle from the module.
 * Later, a tag that the module would reject begins like any other, and the error is returned when a
 * listener is attached.
 */
SHIM_API int pmtracebegin(const char *tag)
{
	struct audience a = find_audience(tag);

	if (!a.gate)
		return begin_on_slow_path(tag);
	if (is_quiet(a) && begins_quietly(quick_word(a.p, tag)))
		return 0;
	return begin_sent(a.p, tag, a.gate);
}

/* Do the common part of end and abort, neither of which adds a tag. */
INLINED int call_finish(struct call *call, struct shim_begun *begun)
{
	if (!call->tag)
		call->tag = shim_tags__find(call->p, &call->key);
	return call->tag ? shim_open__finish(call->p, call->tag, begun) : PMTRACE_ERR_NOSUCHTAG;
}

static __attribute__((noinline)) int end_on_slow_path(const char *tag)
{
	struct call call;
	struct shim_begun begun;
	uint64_t end_ns;
	int err = start_call(&call, "pmtraceend", tag);

	if (err)
		return err;
	end_ns = call.silent ? 0 : shim_transport__end_ns(call.p);
	err = call_finish(&call, &begun);
	if (err || call.silent)
		return err;
	return shim_transport__end(call.p, call.tag, &begun, end_ns);
}

/* End a transaction in the map. */
static __attribute__((noinline)) int end_directly(struct shim_process *p, const char *name)
{
	struct shim_direct *d;
	struct shim_tag *tag = direct_tag(p, name, &d);
	struct shim_begun begun;
	int err;

	if (!tag)
		return end_on_slow_path(name);
	err = shim_open__finish(p, tag, &begun);
	if (!err && begun.ns)
		shim_direct__end(d, shim_trace_direct__tag(tag), begun.ns);
	return err;
}

/* Handle an end that is not sent to the module. */
static __attribute__((noinline)) int end_elsewhere(struct shim_process *p, const char *name,
						   const unsigned int *gate)
{
	struct shim_tag *tag;

	if (gate == &shim_gate__direct)
		return end_directly(p, name);
	tag = wanted_by(gate) ? NULL : shim_tags__recent(p, name);
	if (tag && ends_quietly(shim_open__word(p, tag)))
		return 0;
	return end_on_slow_path(name);
}

/* Repeat an end that could not be sent at once. */
static __attribute__((noinline, cold)) int end_again(struct shim_process *p, struct shim_tag *tag,
						     uint64_t begin_ns, uint32_t thread)
{
	return shim_kernel__fire(p, tag, VCPC_TRACE_END | shim_counted__flag(), begin_ns, thread);
}

INLINED int fire_end(struct shim_process *p, struct shim_tag *tag, uint64_t begin_ns,
		     uint32_t thread)
{
	uint32_t op = VCPC_TRACE_END | shim_counted__flag();

	if (__builtin_expect(!shim_kernel__try(p, tag, op, begin_ns, thread), 1))
		return 0;
	return end_again(p, tag, begin_ns, thread);
}

/* Send an end to the module, for any thread's transaction. */
static __attribute__((noinline)) int end_and_tell(struct shim_process *p, const char *name,
						  unsigned int wanted)
{
	struct shim_tag *tag = shim_tags__recent(p, name);
	struct shim_begun begun;
	int err;

	if (!tag)
		return end_on_slow_path(name);
	err = shim_open__finish(p, tag, &begun);
	return err ? err : fire_end(p, tag, begun.ns, shim_kernel__thread(wanted, begun.thread));
}

/*
 * Like end_and_tell(), for a thread that has begun the transaction.  It calls no other function, so
 * it has no stack frame.
 */
static __attribute__((noinline)) INLINE_ATOMICS int end_sent(struct shim_process *p,
							      const char *name,
							      const unsigned int *gate)
{
	unsigned int wanted = wanted_by(gate);
	shim_open_word *word;
	struct shim_tag *tag;
	uint64_t old;

	if (!(wanted & VCPC_TRACE_LISTENING) || !shim_gate__is_module(p, gate))
		return end_elsewhere(p, name, gate);
	tag = shim_tags__cached(p, name);
	word = tag && shim_tags__is_aligned_name(tag, name) ? shim_open__known(tag) : NULL;
	old = word ? shim_open__progress(word) : SHIM_NEVER_BEGUN;
	if (!shim_open__is_begun(old) || !shim_open__change(word, &old, SHIM_NOT_BEGUN))
		return end_and_tell(p, name, wanted);
	return fire_end(p, tag, old >> SHIM_PROGRESS_BITS,
			shim_kernel__thread(wanted, shim_open__own.me));
}

/* This is a separate function, so pmtraceend() needs no stack frame. */
static __attribute__((noinline)) int end_in_word(shim_open_word *word, uint64_t old,
						 const char *name)
{
	return shim_open__end_quietly(word, old) ? 0 : end_on_slow_path(name);
}

/**
 * pmtraceend() - end a transaction and record its duration
 * @tag: the tag's name
 *
 * This ends the calling thread's transaction or, if it has none, the transaction in the process
 * that has been open longest.
 *
 * Return: 0; PMTRACE_ERR_TAGNAME, PMTRACE_ERR_TAGLENGTH; PMTRACE_ERR_NOSUCHTAG if this process
 *	never began the transaction, PMTRACE_ERR_NOPROGRESS if it is not open now.  After any other
 *	error the transaction has ended but was not recorded.
 */
SHIM_API int pmtraceend(const char *tag)
{
	struct audience a = find_audience(tag);
	shim_open_word *word;
	uint64_t old;

	if (!a.gate)
		return end_on_slow_path(tag);
	word = is_quiet(a) ? quick_word(a.p, tag) : NULL;
	old = word ? shim_open__progress(word) : SHIM_NEVER_BEGUN;
	return shim_open__is_begun(old) ? end_in_word(word, old, tag) :
					  end_sent(a.p, tag, a.gate);
}

/**
 * pmtraceabort() - end a transaction without recording it
 * @tag: the tag's name
 *
 * This call never connects.
 *
 * Return: as for pmtraceend().
 */
SHIM_API int pmtraceabort(const char *tag)
{
	struct audience a = find_audience(tag);
	struct call call;
	struct shim_begun begun;
	int err;

	if (is_quiet(a) && ends_quietly(quick_word(a.p, tag)))
		return 0;
	err = start_call(&call, "pmtraceabort", tag);
	if (!err)
		err = call_finish(&call, &begun);
	if (err || call.silent)
		return err;
	shim_transport__abort(call.p, call.tag, &begun);
	return 0;
}

static __attribute__((noinline)) int event_on_slow_path(const char *function, const char *tag,
							  uint32_t op, double value)
{
	struct call call;
	int err = start_call(&call, function, tag);

	if (err || call.silent)
		return err;
	err = prepare_tag(&call);
	return err ? err : shim_transport__value(call.p, call.tag, op, value);
}

INLINED int event(const char *function, const char *name, uint32_t op, double value)
{
	struct audience a = find_audience(name);
	unsigned int wanted = a.gate ? wanted_by(a.gate) : 0;
	struct shim_tag *tag = NULL;

	if (a.gate && (!wanted || shim_gate__is_module(a.p, a.gate)))
		tag = shim_tags__recent(a.p, name);
	if (tag && !wanted)
		return 0;
	if (!tag || !is_heard(a.p, tag, wanted))
		return event_on_slow_path(function, name, op, value);
	return shim_kernel__fire(a.p, tag, op, shim_transport__bits(value), 0);
}

/**
 * pmtracepoint() - record that a point of the program was passed
 * @tag: the tag's name, 1 to 254 bytes
 *
 * Return: 0, PMTRACE_ERR_TAGNAME, PMTRACE_ERR_TAGLENGTH, or a negated errno if the module cannot be
 *	reached or accepts no more tags; while no listener is attached, the latter is detected only
 *	in a process's first calls (see pmtracebegin()).
 */
SHIM_API int pmtracepoint(const char *tag)
{
	return event("pmtracepoint", tag, VCPC_TRACE_POINT, 0);
}

/**
 * pmtraceobs() - record an observed value
 * @tag: the tag's name, 1 to 254 bytes
 * @value: any double
 *
 * Return: as for pmtracepoint().
 */
SHIM_API int pmtraceobs(const char *tag, double value)
{
	return event("pmtraceobs", tag, VCPC_TRACE_OBSERVE, value);
}

/**
 * pmtracecounter() - record the value of a counter, which only increases
 * @tag: the tag's name, 1 to 254 bytes
 * @value: any double; the call does not check that it increases
 *
 * Return: as for pmtracepoint().
 */
SHIM_API int pmtracecounter(const char *tag, double value)
{
	return event("pmtracecounter", tag, VCPC_TRACE_COUNTER, value);
}

/**
 * pmtracestate() - replace the state flags
 * @flags: PMTRACE_STATE_*; unknown bits are kept and returned
 *
 * Return: the previous flags; -EINVAL, and no change, if @flags has PMTRACE_STATE_ASYNC and the
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
