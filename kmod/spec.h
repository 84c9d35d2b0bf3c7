/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What a set counts and how: what SET_CREATE said, which never changes.
 */
#ifndef VCPC_SPEC_H
#define VCPC_SPEC_H

#include <linux/compiler.h>
#include <linux/string.h>
#include <linux/types.h>
#include <linux/vcpc.h>

/**
 * struct vcpc_spec - what SET_CREATE said
 * @flags: VCPC_SET_F_*
 * @nr: number of requests
 * @groups: number of groups; 0: they are not in groups
 * @sample_size: bytes of a sample, with groups
 * @quick_size: the same, if that much can be on the stack; otherwise U64_MAX, which no
 *	buffer has
 * @hw: it counts hardware events
 * @overflows: a request has VCPC_REQ_F_OVERFLOW
 * @signal: for the thread at an overflow; 0: none
 * @fd: what SET_CREATE gave
 * @slot: how long a group's turn is
 * @seed: of the groups' orders, with VCPC_SET_F_SHUFFLE
 * @events: stands for what the requests count, see struct vcpc_trace_counts
 * @busiest: how many requests count at a time at most
 * @cost: how many counters it takes on each thread: its requests', the clock, and, if hardware's
 *	may overflow, one that hears of context switches
 * @requests: what it counts
 */
struct vcpc_spec {
	u32 flags;
	u32 nr;
	u32 groups;
	u32 sample_size;
	u64 quick_size;
	bool hw;
	bool overflows;
	int signal;
	int fd;
	u64 slot;
	u32 seed;
	u64 events;
	u32 busiest;
	u32 cost;
	struct vcpc_request requests[];
};

/**
 * struct vcpc_range - the requests of a group
 * @begin: the first
 * @end: behind the last
 */
struct vcpc_range {
	u32 begin;
	u32 end;
};

/* The first request of that group, or of one behind it; they stand in order. */
static inline u32 vcpc_spec_first(const struct vcpc_spec *spec, u32 group)
{
	u32 begin = 0, end = spec->nr, middle;

	while (begin < end) {
		middle = (begin + end) / 2;
		if (spec->requests[middle].group < group)
			begin = middle + 1;
		else
			end = middle;
	}
	return begin;
}

static inline struct vcpc_range vcpc_spec_range(const struct vcpc_spec *spec, u32 group)
{
	return (struct vcpc_range) {
		.begin = vcpc_spec_first(spec, group),
		.end = vcpc_spec_first(spec, group + 1),
	};
}

#define VCPC_SAMPLE_WORDS(nr)	(sizeof(struct vcpc_sample) / sizeof(u64) + (nr))

/* What samples of larger sets need is too much for the stack. */
#define VCPC_SAMPLE_STACK	128

/**
 * union vcpc_sample_room - a sample of a set of VCPC_SAMPLE_STACK requests at most
 * @sample: as the caller gets it
 * @words: the same, for copying
 */
union vcpc_sample_room {
	struct vcpc_sample sample;
	u64 words[VCPC_SAMPLE_WORDS(VCPC_SAMPLE_STACK)];
};

static inline size_t vcpc_sample_size(u32 nr)
{
	return VCPC_SAMPLE_WORDS(nr) * sizeof(u64);
}

/* The values apart: fortified memcpy() knows nothing of them behind a struct in a struct. */
static inline void vcpc_sample_copy(struct vcpc_sample *to, const struct vcpc_sample *from)
{
	*to = *from;
	memcpy(to->values, from->values, from->nr * sizeof(from->values[0]));
}

#endif
