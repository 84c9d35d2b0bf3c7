// SPDX-License-Identifier: GPL-2.0
/*
 * Reading the counters of one thread or CPU together, as one sample.
 *
 * While an event is on, the time that it ran grows with the clock of its perf context,
 * so that their difference stays what it was at the start; any other difference tells
 * that the event was off, whenever that was.
 *
 * Locking: none of its own.  vcpc_counter_read() needs the counts to hold
 * still, which vcpc_remote_call() arranges, or the thread itself by turning
 * interrupts off; the caller sees to it that nobody closes meanwhile.
 */
#include <linux/minmax.h>
#include <linux/perf_event.h>
#include <linux/string.h>

#include "arm_pmu.h"
#include "counter.h"
#include "event.h"
#include "internals.h"

static void counter_base(struct vcpc_counters *c)
{
	unsigned int i;

	for (i = c->begin; i < c->end; i++) {
		struct vcpc_counter *counter = &c->counter[i];

		counter->start = vcpc_event_start(counter->event);
		if (counter->mask && vcpc_event_state(counter->event) == PERF_EVENT_STATE_ACTIVE)
			counter->direct = vcpc_arm_pmu_direct(counter->event, counter->mask);
	}
	c->based = true;
}

static noinline u64 count_by_driver(const struct vcpc_counter *counter)
{
	struct perf_event *event = counter->event;

	if (counter->mask)
		return vcpc_arm_pmu_count(event, counter->mask);
	return vcpc_event_count_now(event);
}

/* The event is on the PMU of this CPU. */
static __always_inline u64 count_active(const struct vcpc_counter *counter)
{
	u64 count;

	if (likely(counter->direct && vcpc_arm_pmu_count_direct(counter->event, &count)))
		return count;
	return count_by_driver(counter);
}

/* Read one counter, wherever its event is, and see whether it is whole. */
static int read_one(const struct vcpc_counter *counter, u64 *value)
{
	struct perf_event *event = counter->event;
	bool whole = vcpc_event_start(event) == counter->start;

	*value = vcpc_event_count(event) + counter->add;
	switch (vcpc_event_state(event)) {
	case PERF_EVENT_STATE_ACTIVE:
		*value = count_active(counter) + counter->add;
		break;
	case PERF_EVENT_STATE_INACTIVE:
		/* Off while its thread runs.  A dying one runs on when its context is detached. */
		whole &= !vcpc_event_is_mine(event);
		break;
	case PERF_EVENT_STATE_EXIT:
		break;
	default:
		whole = false;
	}
	return whole ? 0 : -EAGAIN;
}

/*
 * Did all counters count for as long as the clock?  A clock of its own cannot lose its
 * place; a request's event that is the clock has run, or all are lost.  A thread's end
 * hides what happened to its events, and where it is not known when they started, only
 * their times tell.  Those are taken in different contexts, one after the other; hence
 * the tolerance.
 */
static bool counter_whole(const struct vcpc_counters *c)
{
	u64 clock = vcpc_event_run(c->clock.event);
	u64 tolerance = clock / 8 + NSEC_PER_MSEC;
	unsigned int i;

	if (!c->clock.own && !clock)
		return false;
	for (i = 0; i < c->nr; i++)
		if (vcpc_event_run(c->counter[i].event) + tolerance < clock)
			return false;
	return true;
}

/* perf's clock and the monotonic one may drift apart: never go back. */
static u64 clock_anchor(struct vcpc_clock *clock, u64 now)
{
	struct perf_event *event = clock->event;
	u64 tick;

	if (vcpc_event_state(event) == PERF_EVENT_STATE_ACTIVE) {
		tick = clock->own ? vcpc_event_count_now(event) : vcpc_event_run_now(event);
		clock->epoch = vcpc_event_epoch(event);
	} else {
		tick = clock->own ? vcpc_event_count(event) : vcpc_event_run(event);
		clock->epoch = VCPC_CLOCK_NO_EPOCH;
	}
	clock->tick = max(tick, clock->last);
	clock->time = now;
	return clock->tick;
}

/*
 * While the thread stays on the CPU, its CPU time passes as the monotonic clock
 * does, which is read anyway.  perf notes the time when it comes and goes.
 */
static __always_inline bool stays(const struct vcpc_clock *clock)
{
	return vcpc_event_epoch(clock->event) == clock->epoch;
}

static __always_inline u64 clock_passed(struct vcpc_clock *clock, u64 now)
{
	clock->last = clock->tick + (now - clock->time);
	return clock->last + clock->add;
}

static u64 clock_read(struct vcpc_clock *clock, u64 now)
{
	if (stays(clock))
		return clock_passed(clock, now);
	clock->last = clock_anchor(clock, now);
	return clock->last + clock->add;
}

static __always_inline void fill(struct vcpc_sample *sample, u64 time, u64 tick, u32 nr, u32 state)
{
	sample->size = sizeof(*sample);
	sample->nr = nr;
	sample->state = state;
	sample->time = time;
	sample->tick = tick;
}

/* Waiting for exec: nothing has been counted yet. */
static void read_waiting(const struct vcpc_counters *c, u64 now, struct vcpc_sample *sample)
{
	unsigned int i;

	for (i = 0; i < c->nr; i++)
		sample->values[i] = c->counter[i].add;
	fill(sample, now, c->clock.add, c->nr, 0);
}

static bool all_direct(const struct vcpc_counters *c)
{
	unsigned int i;

	for (i = 0; i < c->nr; i++)
		if (!c->counter[i].direct)
			return false;
	return true;
}

/* The first look at events that have been started. */
static int read_first(struct vcpc_counters *c)
{
	counter_base(c);
	c->plain = !(c->flags & (VCPC_COUNTER_MIXED | VCPC_COUNTER_TURNS));
	c->direct = c->plain && all_direct(c);
	if (vcpc_counter_ended(c) && !(c->flags & VCPC_COUNTER_TURNS) && !counter_whole(c))
		return -EAGAIN;
	return 0;
}

/* Read all counters, with all that may be the matter with them. */
static int read_careful(struct vcpc_counters *c, u64 now, struct vcpc_sample *sample)
{
	u32 state = VCPC_STATE_COUNTING;
	unsigned int i;
	int ret = 0;

	if (!c->based) {
		if (vcpc_counter_waits(c)) {
			read_waiting(c, now, sample);
			return 0;
		}
		ret = read_first(c);
	}
	for (i = c->begin; i < c->end; i++)
		ret |= read_one(&c->counter[i], &sample->values[i]);
	if (vcpc_counter_ended(c))
		state |= VCPC_STATE_EXITED;
	fill(sample, now, clock_read(&c->clock, now), c->nr, state);
	return ret;
}

/* All events are on the PMU of this CPU, or it gives up. */
static __always_inline bool read_plain(const struct vcpc_counters *c, struct vcpc_sample *sample,
				       bool direct)
{
	const struct vcpc_counter *counter = c->counter, *end = counter + c->nr;
	u64 *value = sample->values;

	do {
		struct perf_event *event = counter->event;
		u64 count;

		if (unlikely(vcpc_event_state(event) != PERF_EVENT_STATE_ACTIVE))
			return false;
		if (!direct)
			count = count_active(counter);
		else if (unlikely(!vcpc_arm_pmu_count_direct(event, &count)))
			return false;
		*value++ = count + counter->add;
	} while (++counter < end);
	return true;
}

/* The thread has come back to a CPU, or some counter needs its driver, or more is the matter. */
static noinline int read_slow(struct vcpc_counters *c, u64 now, struct vcpc_sample *sample)
{
	if (!c->plain || !read_plain(c, sample, false))
		return read_careful(c, now, sample);
	fill(sample, now, clock_read(&c->clock, now), c->nr, VCPC_STATE_COUNTING);
	return 0;
}

/**
 * vcpc_counter_read() - read all counters at one instant
 * @c: the counters
 * @now: ktime_get_ns(), read in the same section
 * @sample: has room for all; holds nothing useful after a failure
 *
 * What is mostly the case is in no need of a stack frame, as it calls nobody.
 *
 * Context: interrupts off; either the thread itself, or in vcpc_remote_call().
 * Return: 0, or -EAGAIN if a counter was ever off while the thread ran.
 */
int vcpc_counter_read(struct vcpc_counters *c, u64 now, struct vcpc_sample *sample)
{
	struct vcpc_clock *clock = &c->clock;

	if (unlikely(!c->direct || !stays(clock) || !read_plain(c, sample, true)))
		return read_slow(c, now, sample);
	memcpy(sample, &c->counting, sizeof(c->counting));
	sample->time = now;
	sample->tick = clock_passed(clock, now);
	return 0;
}

/**
 * vcpc_counter_go_on() - let the counters that count go on from other values
 * @c: the counters
 * @from: what they were just read as
 * @to: what they shall be
 *
 * Context: as the reading, and in one section with it.
 */
void vcpc_counter_go_on(struct vcpc_counters *c, const struct vcpc_sample *from,
			const struct vcpc_sample *to)
{
	unsigned int i;

	for (i = c->begin; i < c->end; i++)
		c->counter[i].add += to->values[i] - from->values[i];
}

/**
 * vcpc_counter_set() - let the counters and the clock go on from other values
 * @c: the counters
 * @from: what they were just read as
 * @to: what they shall be
 *
 * Context: as the reading, and in one section with it.
 */
void vcpc_counter_set(struct vcpc_counters *c, const struct vcpc_sample *from,
		      const struct vcpc_sample *to)
{
	vcpc_counter_go_on(c, from, to);
	c->clock.add += to->tick - from->tick;
}
