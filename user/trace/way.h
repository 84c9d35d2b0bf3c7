/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The transports of events: through the module, through probes, into a map, to an agent. */
#ifndef SHIM_TRACE_WAY_H
#define SHIM_TRACE_WAY_H

#include <string.h>

#include "process.h"

/**
 * struct shim_way - a transport; unneeded functions are NULL
 * @name: its name in SHIM_TRACE
 * @is_automatic: whether it can be chosen now if SHIM_TRACE names no transport; NULL: never
 * @connect: connect unless connected; 0, possibly even if a former connection is lost (see
 *	shim_process__verdict()), or an error
 * @prepare: prepare the tag for events, after @connect; 0 or an error
 * @is_ready: whether both have been done, so an event can be sent immediately; NULL: always
 * @begin_ns: current time of the transport's own clock, for a begin of the tag; 0 or NULL: the time
 *	is not needed
 * @end_ns: the same for an end; NULL: the receiver of the event determines the time
 * @begin: send the begin of a transaction; on an error, the caller undoes the begin
 * @end: send its end, with the times from @begin_ns and @end_ns
 * @abort: send its abort
 * @value: send a point or a value: VCPC_TRACE_POINT, _OBSERVE or _COUNTER
 * @gate: a word that is 0 while there is no listener; NULL: there may always be a listener
 */
struct shim_way {
	const char *name;
	bool (*is_automatic)(void);
	int (*connect)(struct shim_process *p);
	int (*prepare)(struct shim_process *p, struct shim_tag *tag);
	bool (*is_ready)(const struct shim_process *p, const struct shim_tag *tag);
	uint64_t (*begin_ns)(const struct shim_process *p, const struct shim_tag *tag);
	uint64_t (*end_ns)(const struct shim_process *p);
	int (*begin)(struct shim_process *p, struct shim_tag *tag);
	int (*end)(struct shim_process *p, struct shim_tag *tag, uint64_t begin_ns,
		   uint64_t end_ns);
	void (*abort)(struct shim_process *p, struct shim_tag *tag, uint64_t begin_ns);
	int (*value)(struct shim_process *p, struct shim_tag *tag, uint32_t op, double value);
	const unsigned int *(*gate)(const struct shim_process *p);
};

static inline bool shim_way__always(void)
{
	return true;
}

/* The bits of a double, as sent to the kernel */
static inline uint64_t shim_way__bits(double value)
{
	uint64_t bits;

	memcpy(&bits, &value, sizeof(bits));
	return bits;
}

/* The process's transport; NULL if none has been chosen yet */
static inline const struct shim_way *shim_way__of(const struct shim_process *p)
{
	return atomic_load_explicit(&p->way, memory_order_acquire);
}

static inline bool shim_way__is_ready(const struct shim_process *p, const struct shim_tag *tag)
{
	const struct shim_way *way = shim_way__of(p);

	return way && (!way->is_ready || way->is_ready(p, tag));
}

static inline int shim_way__prepare(struct shim_process *p, struct shim_tag *tag)
{
	const struct shim_way *way = shim_way__of(p);

	return way && way->prepare ? way->prepare(p, tag) : 0;
}

static inline uint64_t shim_way__begin_ns(const struct shim_process *p, const struct shim_tag *tag)
{
	const struct shim_way *way = shim_way__of(p);

	return way && way->begin_ns ? way->begin_ns(p, tag) : 0;
}

static inline uint64_t shim_way__end_ns(const struct shim_process *p)
{
	const struct shim_way *way = shim_way__of(p);

	return way && way->end_ns ? way->end_ns(p) : 0;
}

static inline int shim_way__begin(struct shim_process *p, struct shim_tag *tag)
{
	const struct shim_way *way = shim_way__of(p);

	return way && way->begin ? way->begin(p, tag) : 0;
}

static inline int shim_way__end(struct shim_process *p, struct shim_tag *tag, uint64_t begin_ns,
				uint64_t end_ns)
{
	const struct shim_way *way = shim_way__of(p);

	return way && way->end ? way->end(p, tag, begin_ns, end_ns) : 0;
}

static inline void shim_way__abort(struct shim_process *p, struct shim_tag *tag, uint64_t begin_ns)
{
	const struct shim_way *way = shim_way__of(p);

	if (way && way->abort)
		way->abort(p, tag, begin_ns);
}

static inline int shim_way__value(struct shim_process *p, struct shim_tag *tag, uint32_t op,
				  double value)
{
	const struct shim_way *way = shim_way__of(p);

	return way && way->value ? way->value(p, tag, op, value) : 0;
}

int shim_way__connect(struct shim_process *p);
bool shim_way__wants_none(struct shim_inherited *inherited);

/* Whether the environment turns tracing off; checked only until a transport is chosen */
static inline bool shim_way__is_none(const struct shim_process *p, struct shim_inherited *inherited)
{
	return !shim_way__of(p) && shim_way__wants_none(inherited);
}

#endif /* SHIM_TRACE_WAY_H */
