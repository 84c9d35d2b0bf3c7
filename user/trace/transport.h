/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The transports of events (through the module, through probes, into a map, to an agent) and the
 * gate, a word that is 0 while no listener is attached, so a trace call can return immediately.
 */
#ifndef SHIM_TRACE_TRANSPORT_H
#define SHIM_TRACE_TRANSPORT_H

#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "core/counted.h"
#include "core/direct.h"
#include "core/traced.h"
#include "process.h"

/**
 * struct shim_transport - a transport; unneeded functions are NULL
 * @name: the transport's name in SHIM_TRACE
 * @is_automatic: whether it can be chosen now if SHIM_TRACE names no transport; NULL: never
 * @connect: connect unless connected; returns 0, possibly even if a former connection was lost (see
 *	shim_process__verdict()), or an error
 * @prepare: prepare the tag for events, after @connect; returns 0 or an error
 * @is_ready: whether the tag is connected and prepared, so an event can be sent immediately; NULL:
 *	always
 * @begin_ns: current time of the transport's own clock, for a begin of the tag; 0 or NULL: the time
 *	is not needed
 * @end_ns: like @begin_ns, for an end; NULL: the receiver of the event determines the time
 * @begin: send the begin of a transaction; on an error, the caller undoes the begin
 * @end: send the end of a transaction, with the times from @begin_ns and @end_ns
 * @abort: send the abort of a transaction
 * @value: send a point or a value: VCPC_TRACE_POINT, _OBSERVE or _COUNTER
 * @gate: a word that is 0 while no listener is attached; NULL: a listener may always be attached
 */
struct shim_transport {
	const char *name;
	bool (*is_automatic)(void);
	int (*connect)(struct shim_process *p);
	int (*prepare)(struct shim_process *p, struct shim_tag *tag);
	bool (*is_ready)(const struct shim_process *p, const struct shim_tag *tag);
	uint64_t (*begin_ns)(const struct shim_process *p, const struct shim_tag *tag);
	uint64_t (*end_ns)(const struct shim_process *p);
	int (*begin)(struct shim_process *p, struct shim_tag *tag);
	int (*end)(struct shim_process *p, struct shim_tag *tag, const struct shim_begun *begun,
		   uint64_t end_ns);
	void (*abort)(struct shim_process *p, struct shim_tag *tag, const struct shim_begun *begun);
	int (*value)(struct shim_process *p, struct shim_tag *tag, uint32_t op, double value);
	const unsigned int *(*gate)(const struct shim_process *p);
};

static inline bool shim_transport__always(void)
{
	return true;
}

/* Return the bits of a double, as sent to the kernel. */
static inline uint64_t shim_transport__bits(double value)
{
	uint64_t bits;

	memcpy(&bits, &value, sizeof(bits));
	return bits;
}

/* Return the process's transport, or NULL if none has been chosen yet. */
static inline const struct shim_transport *shim_transport__of(const struct shim_process *p)
{
	return atomic_load_explicit(&p->transport, memory_order_acquire);
}

static inline bool shim_transport__is_ready(const struct shim_process *p, const struct shim_tag *tag)
{
	const struct shim_transport *transport = shim_transport__of(p);

	return transport && (!transport->is_ready || transport->is_ready(p, tag));
}

static inline int shim_transport__prepare(struct shim_process *p, struct shim_tag *tag)
{
	const struct shim_transport *transport = shim_transport__of(p);

	return transport && transport->prepare ? transport->prepare(p, tag) : 0;
}

static inline uint64_t shim_transport__begin_ns(const struct shim_process *p, const struct shim_tag *tag)
{
	const struct shim_transport *transport = shim_transport__of(p);

	return transport && transport->begin_ns ? transport->begin_ns(p, tag) : 0;
}

static inline uint64_t shim_transport__end_ns(const struct shim_process *p)
{
	const struct shim_transport *transport = shim_transport__of(p);

	return transport && transport->end_ns ? transport->end_ns(p) : 0;
}

static inline int shim_transport__begin(struct shim_process *p, struct shim_tag *tag)
{
	const struct shim_transport *transport = shim_transport__of(p);

	return transport && transport->begin ? transport->begin(p, tag) : 0;
}

static inline int shim_transport__end(struct shim_process *p, struct shim_tag *tag,
				const struct shim_begun *begun, uint64_t end_ns)
{
	const struct shim_transport *transport = shim_transport__of(p);

	return transport && transport->end ? transport->end(p, tag, begun, end_ns) : 0;
}

static inline void shim_transport__abort(struct shim_process *p, struct shim_tag *tag,
				   const struct shim_begun *begun)
{
	const struct shim_transport *transport = shim_transport__of(p);

	if (transport && transport->abort)
		transport->abort(p, tag, begun);
}

static inline int shim_transport__value(struct shim_process *p, struct shim_tag *tag, uint32_t op,
				  double value)
{
	const struct shim_transport *transport = shim_transport__of(p);

	return transport && transport->value ? transport->value(p, tag, op, value) : 0;
}

int shim_transport__connect(struct shim_process *p);
bool shim_transport__wants_none(struct shim_inherited *inherited);

/* Return whether the environment turns tracing off; checked only until a transport is chosen. */
static inline bool shim_transport__is_none(const struct shim_process *p, struct shim_inherited *inherited)
{
	return !shim_transport__of(p) && shim_transport__wants_none(inherited);
}

/*
 * Return the gate, or NULL if it is unknown because the process has no transport yet.  A relaxed
 * load suffices, because the word itself is atomic, and nothing else is read through it.
 */
static inline const unsigned int *shim_gate__get(const struct shim_process *p)
{
	return __atomic_load_n(&p->gate, __ATOMIC_RELAXED);
}

/* Return whether the gate is the module's word (VCPC_TRACE_*), which no state flag replaces. */
static inline int shim_gate__is_module(const struct shim_process *p, const unsigned int *gate)
{
	const struct vcpc_trace_page *page = atomic_load_explicit(&p->page, memory_order_relaxed);

	return page && gate == &page->flags;
}

/* The gate of a process that writes its statistics itself; no state flag replaces it either */
extern const unsigned int shim_gate__direct __attribute__((visibility("hidden")));

void shim_gate__set(struct shim_process *p);

/* Print diagnostics on standard error, if the program's state flags request them. */
void shim_say(int flag, const char *what, int err);
void shim_say_buffer(size_t need, const void *buffer, size_t size);
void shim_say_pdu(const char *what, const unsigned char *bytes, size_t size);

extern const struct shim_transport shim_kernel__transport;
extern const struct shim_transport shim_probe__transport;
extern const struct shim_transport shim_trace_direct__transport;
extern const struct shim_transport shim_agent__transport;

/* Return whether the tag has a handle on this connection. */
static inline int shim_kernel__is_ready(uint64_t connection, const struct shim_tag *tag)
{
	uint64_t handle = atomic_load_explicit(&tag->handle, memory_order_acquire);

	return (uint32_t)connection && handle >> 32 == connection >> 32;
}

static inline uint64_t shim_kernel__connection(const struct shim_process *p)
{
	return atomic_load_explicit(&p->connection, memory_order_acquire);
}

/* Return the page's flags; if it is not mapped, return VCPC_TRACE_LISTENING and _BEGINS. */
static inline uint32_t shim_kernel__wanted(const struct shim_process *p)
{
	const struct vcpc_trace_page *page = atomic_load_explicit(&p->page, memory_order_acquire);

	return page ? *(const volatile uint32_t *)&page->flags :
	       VCPC_TRACE_LISTENING | VCPC_TRACE_BEGINS;
}

int shim_kernel__send_begin(struct shim_process *p, struct shim_tag *tag);
int shim_kernel__fire_anew(struct shim_process *p, struct shim_tag *tag, uint32_t op,
			   uint64_t value, uint32_t thread, uint64_t lost);

static inline int shim_kernel__fd(uint64_t connection)
{
	return (int)(uint32_t)connection - 1;
}

/*
 * Return whether an error means that the descriptor is no longer this library's connection, because
 * it was closed or replaced.
 */
static inline int shim_kernel__is_lost(int err)
{
	return err == -EBADF || err == -ENOTTY || err == -ENOENT;
}

/* Return the thread of an event, or 0 if the module does not accept threads. */
static inline uint32_t shim_kernel__thread(uint32_t wanted, uint32_t thread)
{
	return wanted & VCPC_TRACE_THREADS ? thread : 0;
}

/* Return the handle in the form that the module expects, with the thread in the upper half. */
static inline uint64_t shim_kernel__handle(uint64_t handle, uint32_t thread)
{
	return (uint64_t)thread << 32 | (uint32_t)handle;
}

/*
 * Send an event of a tag that has a handle.  Return 0, or an error after which shim_kernel__fire()
 * must send it.
 */
static inline long shim_kernel__try(const struct shim_process *p, const struct shim_tag *tag,
				    uint32_t op, uint64_t value, uint32_t thread)
{
	uint64_t handle = atomic_load_explicit(&tag->handle, memory_order_acquire);
	uint64_t connection = shim_kernel__connection(p);

	if (__builtin_expect(!(uint32_t)connection || handle >> 32 != connection >> 32, 0))
		return -EBADF;
	return shim_tracedev__try(shim_kernel__fd(connection), op,
				  shim_kernel__handle(handle, thread), value);
}

/**
 * shim_kernel__fire() - send one event
 * @p: process
 * @tag: tag
 * @op: VCPC_TRACE_*, with or without VCPC_TRACE_F_COUNTS
 * @value: as in struct vcpc_trace_write
 * @thread: the transaction's thread, from shim_kernel__thread(); 0: none
 *
 * Return: as for @prepare of struct shim_transport, or an errno from write(2) on the
 * device.
 */
static inline int shim_kernel__fire(struct shim_process *p, struct shim_tag *tag, uint32_t op,
				    uint64_t value, uint32_t thread)
{
	uint64_t connection = shim_kernel__connection(p);
	uint64_t handle = atomic_load_explicit(&tag->handle, memory_order_acquire);
	int err;

	/* A handle is valid only on a connection with the same generation (upper 32 bits). */
	if (!(uint32_t)connection || handle >> 32 != connection >> 32)
		return shim_kernel__fire_anew(p, tag, op, value, thread, 0);
	err = shim_tracedev__fire(shim_kernel__fd(connection), op,
				  shim_kernel__handle(handle, thread), value);
	if (__builtin_expect(!err, 1) || !shim_kernel__is_lost(err))
		return err;
	return shim_kernel__fire_anew(p, tag, op, value, thread, connection);
}

/* Return the map, or NULL if tracing is off. */
static inline struct shim_direct *shim_trace_direct__map(const struct shim_process *p)
{
	struct shim_direct *d = atomic_load_explicit(&p->direct, memory_order_acquire);

	return d && shim_direct__active(d) ? d : NULL;
}

static inline struct shim_direct_tag shim_trace_direct__tag(const struct shim_tag *tag)
{
	return (struct shim_direct_tag) { tag->index, tag->name };
}

/*
 * Return the start time of a transaction by the clock of the map, which is the CPU's own counter if
 * possible.  The thread's counters are read before the clock, so that the transaction's time does
 * not include that read.
 */
static inline uint64_t shim_trace_direct__begin(struct shim_direct *d, const struct shim_tag *tag,
					  bool is_begun)
{
	uint64_t now;

	shim_direct_wanted__begin(d);
	if (shim_traced__any() && !is_begun)
		now = shim_direct__begin_counted(d, shim_trace_direct__tag(tag));
	else
		now = shim_tick__now(d->tick);
	shim_direct_wanted__own.last = now;
	return now;
}

#endif /* SHIM_TRACE_TRANSPORT_H */
