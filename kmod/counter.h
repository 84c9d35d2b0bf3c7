/* SPDX-License-Identifier: GPL-2.0 */
#ifndef VCPC_COUNTER_H
#define VCPC_COUNTER_H

#include <linux/bits.h>
#include <linux/types.h>
#include <linux/vcpc.h>

#include "event.h"

struct perf_event_context;
struct task_struct;

/* How the counters of a thread are opened */
#define VCPC_COUNTER_ON_EXEC	VCPC_EVENT_ON_EXEC
#define VCPC_COUNTER_MIXED	BIT(8)	/* not every CPU has these events */
#define VCPC_COUNTER_TURNS	BIT(9)	/* only some of them count at a time */

/**
 * struct vcpc_counter_plan - what to open
 * @reqs: what to count; the caller has checked that it is allowed
 * @from: from which values; NULL: from 0
 * @nr: how many
 * @place: where; the caller holds a reference to a thread
 * @flags: VCPC_COUNTER_*
 * @begin: the first that counts at once
 * @end: behind the last one of these
 * @alarm: of the clock
 * @alarm_of: says of a request which alarm its event has, false if none; or NULL
 * @alarm_arg: for @alarm_of
 */
struct vcpc_counter_plan {
	const struct vcpc_request *reqs;
	const u64 *from;
	unsigned int nr;
	struct vcpc_place place;
	u32 flags;
	u32 begin;
	u32 end;
	struct vcpc_alarm alarm;
	bool (*alarm_of)(void *arg, u32 i, struct vcpc_alarm *alarm);
	void *alarm_arg;
};

/**
 * struct vcpc_counter - one request's virtual counter
 * @event: its perf event
 * @add: what to add to the event's count
 * @mask: of the PMU's counter, if it can be read without bringing @event up to
 *	date; otherwise 0
 * @direct: and without its driver
 * @start: when the event was started, by its context's clock
 */
struct vcpc_counter {
	struct perf_event *event;
	u64 add;
	u64 mask;
	bool direct;
	u64 start;
};

/* Not a time that perf's clock will ever show */
#define VCPC_CLOCK_NO_EPOCH	U64_MAX

/**
 * struct vcpc_clock - the thread's CPU time while the set counted, or the CPU's time
 * @event: perf's clock of it; or a request's event, which runs for just that time
 * @own: it is a clock, which no request has asked for
 * @add: what to add to the clock
 * @last: what it gave last
 * @epoch: by perf's clock, when the thread came onto the CPU where @tick and
 *	@time were read; VCPC_CLOCK_NO_EPOCH if they were not
 * @tick: what the clock gave at some instant of that stay
 * @time: CLOCK_MONOTONIC at that instant
 */
struct vcpc_clock {
	struct perf_event *event;
	bool own;
	u64 add;
	u64 last;
	u64 epoch;
	u64 tick;
	u64 time;
};

/**
 * struct vcpc_sample_head - a struct vcpc_sample up to its time, which is copied as one word
 * @size: of struct vcpc_sample
 * @nr: of values
 * @state: VCPC_STATE_*
 */
struct vcpc_sample_head {
	u16 size;
	u16 nr;
	u32 state;
};

static_assert(offsetof(struct vcpc_sample, time) == sizeof(struct vcpc_sample_head));

/**
 * struct vcpc_counters - the counters of a set's requests on one thread or CPU
 * @place: the thread, to which each event holds a reference, or the CPU
 * @ctx: the perf contexts that the events are in, the second may be NULL
 * @flags: VCPC_COUNTER_*
 * @nr: number of requests
 * @begin: the first that counts now
 * @end: behind the last one of these
 * @based: the counters' @start is known
 * @plain: an event that is on the PMU has always been there
 * @direct: and all can be read without their driver
 * @counting: how a sample begins while all count
 * @clock: the thread's CPU time
 * @counter: one for each request
 *
 * What changes after opening is changed by the functions that read.
 */
struct vcpc_counters {
	struct vcpc_place place;
	struct perf_event_context *ctx[2];
	u32 flags;
	u32 nr;
	u32 begin;
	u32 end;
	bool based;
	bool plain;
	bool direct;
	struct vcpc_sample_head counting;
	struct vcpc_clock clock;
	struct vcpc_counter counter[];
};

struct vcpc_counters *vcpc_counter_open(const struct vcpc_counter_plan *plan, int *bad);
void vcpc_counter_close(struct vcpc_counters *c);
void vcpc_counter_start(struct vcpc_counters *c);
void vcpc_counter_turn(struct vcpc_counters *c, u32 begin, u32 end, bool on);
void vcpc_counter_choose(struct vcpc_counters *c, u32 begin, u32 end);
void vcpc_counter_alarm(struct vcpc_counters *c, u64 period);
void vcpc_counter_restart_period(struct vcpc_counters *c, u32 i, u64 period);
void vcpc_counter_go_on(struct vcpc_counters *c, const struct vcpc_sample *from,
			const struct vcpc_sample *to);
void vcpc_counter_set(struct vcpc_counters *c, const struct vcpc_sample *from,
		      const struct vcpc_sample *to);
int vcpc_counter_read(struct vcpc_counters *c, u64 now, struct vcpc_sample *sample);

bool vcpc_counter_ended(const struct vcpc_counters *c);
bool vcpc_counter_waits(const struct vcpc_counters *c);
int vcpc_counter_lost(const struct vcpc_counters *c);
unsigned int vcpc_counter_hw(const struct vcpc_counters *c);

#endif
