/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The requests of a set, as SET_CREATE received them; they never change.
 */
#ifndef VCPC_SPEC_H
#define VCPC_SPEC_H

#include <linux/types.h>
#include <linux/vcpc.h>

/**
 * struct vcpc_spec - the arguments of SET_CREATE
 * @flags: VCPC_SET_F_*
 * @nr: number of requests
 * @cost: charge per thread: one counter per request, one for context switches, and
 *	VCPC_TIMER_COST more for each timer, which is armed and canceled whenever the thread is
 *	scheduled
 * @kernel: index of the first request that counts in kernel mode; @nr if none does
 * @overflows: at least one request has VCPC_REQ_F_OVERFLOW
 * @signal: the signal sent to a thread at an overflow; 0 if none
 * @fd: the descriptor that SET_CREATE returned
 * @events: identifies the events of the first counters, see struct vcpc_trace_counts
 * @requests: the requests
 */
struct vcpc_spec {
	u32 flags;
	u32 nr;
	u32 cost;
	u32 kernel;
	bool overflows;
	int signal;
	int fd;
	u64 events;
	struct vcpc_request requests[];
};

#define VCPC_TIMER_COST	7

#define VCPC_SAMPLE_WORDS(nr)	(sizeof(struct vcpc_sample) / sizeof(u64) + (nr))

static inline size_t vcpc_sample_size(u32 nr)
{
	return VCPC_SAMPLE_WORDS(nr) * sizeof(u64);
}

/* Samples of larger sets do not fit on the stack. */
#define VCPC_SAMPLE_STACK	64

/**
 * union vcpc_sample_room - space for a sample of at most VCPC_SAMPLE_STACK requests
 * @sample: the sample
 * @words: reserves its size
 */
union vcpc_sample_room {
	struct vcpc_sample sample;
	u64 words[VCPC_SAMPLE_WORDS(VCPC_SAMPLE_STACK)];
};

int vcpc_spec_take(struct vcpc_spec *spec, const struct vcpc_set_create_args *args, int *bad);
int vcpc_spec_allowed(const struct vcpc_spec *spec, int *bad);

#endif
