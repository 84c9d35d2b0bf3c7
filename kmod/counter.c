// SPDX-License-Identifier: GPL-2.0
/*
 * The counters of one thread or CPU: opening and closing them, and which of them count.
 *
 * Each request is one pinned event: perf keeps it on the PMU whenever the
 * thread runs, or puts it into an error state that it does not leave by
 * itself.  counter_read.c reads them.
 *
 * Locking: none of its own; the caller sees to it that nobody closes meanwhile.
 */
#include <linux/err.h>
#include <linux/perf_event.h>
#include <linux/slab.h>

#include "arm_pmu.h"
#include "counter.h"
#include "event.h"
#include "internals.h"

static struct perf_event *open_event(const struct vcpc_counter_plan *plan, unsigned int i)
{
	struct vcpc_alarm alarm;
	u32 flags = plan->flags;

	if (plan->alarm_of && plan->alarm_of(plan->alarm_arg, i, &alarm))
		return vcpc_event_open(&plan->reqs[i], &plan->place, &alarm, flags);
	if (i < plan->begin || i >= plan->end)
		flags = VCPC_EVENT_DISABLED;
	return vcpc_event_open(&plan->reqs[i], &plan->place, NULL, flags);
}

static int open_one(struct vcpc_counters *c, const struct vcpc_counter_plan *plan, unsigned int i)
{
	struct vcpc_counter *counter = &c->counter[i];
	struct perf_event *event = open_event(plan, i);

	if (IS_ERR(event))
		return PTR_ERR(event);
	counter->event = event;
	counter->add = plan->from ? plan->from[i] : 0;
	counter->mask = vcpc_event_is_hw(event) ? vcpc_arm_pmu_mask(event) : 0;
	if (!c->ctx[0])
		c->ctx[0] = vcpc_event_context(event);
	else if (vcpc_event_context(event) != c->ctx[0])
		c->ctx[1] = vcpc_event_context(event);
	return 0;
}

/*
 * An event that cannot be off while its thread runs tells the thread's CPU time, too, and
 * a clock of its own would be one more event at each context switch.  What can be off, or
 * has to be told apart from what never ran, or has an alarm, needs one.  On a CPU there is
 * no switch.
 */
static bool needs_clock(const struct vcpc_counter_plan *plan)
{
	const u32 may_be_off = VCPC_COUNTER_ON_EXEC | VCPC_COUNTER_MIXED | VCPC_COUNTER_TURNS;

	return plan->place.cpu >= 0 || plan->flags & may_be_off;
}

/*
 * Of whose events perf ends the first one last: software's, where these have a context of
 * their own.
 */
static unsigned int find_lead(const struct vcpc_counter_plan *plan)
{
	unsigned int i;

	for (i = 0; i < plan->nr; i++)
		if (plan->reqs[i].type == PERF_TYPE_SOFTWARE)
			return i;
	return 0;
}

static int open_clock(struct vcpc_counters *c, const struct vcpc_counter_plan *plan, int *bad)
{
	struct vcpc_clock *clock = &c->clock;
	struct perf_event *event;
	int ret;

	clock->epoch = VCPC_CLOCK_NO_EPOCH;
	if (!needs_clock(plan)) {
		*bad = find_lead(plan);
		ret = open_one(c, plan, *bad);
		clock->event = c->counter[*bad].event;
		return ret;
	}
	event = vcpc_event_open_clock(&plan->place, &plan->alarm, plan->flags);
	if (IS_ERR(event))
		return PTR_ERR(event);
	clock->event = event;
	clock->own = true;
	c->ctx[0] = vcpc_event_context(event);
	return 0;
}

/* The clock first, as what is opened first is ended last. */
static int open_all(struct vcpc_counters *c, const struct vcpc_counter_plan *plan, int *bad)
{
	unsigned int i;
	int ret = open_clock(c, plan, bad);

	for (i = 0; !ret && i < plan->nr; i++) {
		if (c->counter[i].event)
			continue;
		*bad = i;
		ret = open_one(c, plan, i);
	}
	return ret;
}

/**
 * vcpc_counter_open() - count requests on a thread or a CPU
 * @plan: all about it
 * @bad: on failure set to the request that was refused, or left alone
 *
 * The counters count at once, unless VCPC_COUNTER_ON_EXEC is given.  Whether
 * all of them found room shows at the first reading.
 *
 * Context: sleeps.
 * Return: the counters, or an ERR_PTR: -ESRCH if the thread is exiting,
 * -ENODEV if the CPU is offline, -ENOMEM, or the PMU's own.
 */
struct vcpc_counters *vcpc_counter_open(const struct vcpc_counter_plan *plan, int *bad)
{
	struct vcpc_counters *c = kvzalloc(struct_size(c, counter, plan->nr), GFP_KERNEL_ACCOUNT);
	int ret, which = -1;

	if (!c)
		return ERR_PTR(-ENOMEM);
	c->place = plan->place;
	c->flags = plan->flags;
	c->nr = plan->nr;
	c->counting = (struct vcpc_sample_head) {
		.size = sizeof(struct vcpc_sample),
		.nr = plan->nr,
		.state = VCPC_STATE_COUNTING,
	};
	c->begin = plan->begin;
	c->end = plan->end;
	ret = open_all(c, plan, &which);
	if (!ret)
		return c;
	/* An exiting thread refuses any event, and so does a CPU that is offline. */
	if (which >= 0 && ret != -ESRCH && ret != -ENODEV)
		*bad = which;
	vcpc_counter_close(c);
	return ERR_PTR(ret);
}

/**
 * vcpc_counter_close() - stop counting, and give the counters back
 * @c: the counters; freed
 *
 * Context: sleeps.
 */
void vcpc_counter_close(struct vcpc_counters *c)
{
	unsigned int i;

	for (i = c->nr; i--;)
		if (c->counter[i].event)
			perf_event_release_kernel(c->counter[i].event);
	if (c->clock.own)
		perf_event_release_kernel(c->clock.event);
	kvfree(c);
}

/**
 * vcpc_counter_start() - do not wait for the thread's next exec any longer
 * @c: counters that were opened with VCPC_COUNTER_ON_EXEC
 *
 * Context: sleeps.
 */
void vcpc_counter_start(struct vcpc_counters *c)
{
	vcpc_counter_turn(c, c->begin, c->end, true);
	/* Last, because a reader takes its state for that of all. */
	perf_event_enable(c->clock.event);
}

/**
 * vcpc_counter_waits() - do the counters still wait for exec?
 * @c: the counters
 *
 * Return: true or false.
 */
bool vcpc_counter_waits(const struct vcpc_counters *c)
{
	return c->clock.own && vcpc_event_state(c->clock.event) == PERF_EVENT_STATE_OFF;
}

/**
 * vcpc_counter_ended() - have the counters come to their end?
 * @c: the counters
 *
 * With the thread, or with its gaining privileges by execve: perf ends the
 * clock last, as it was opened first.
 *
 * Return: true or false.
 */
bool vcpc_counter_ended(const struct vcpc_counters *c)
{
	return vcpc_event_state(c->clock.event) == PERF_EVENT_STATE_EXIT;
}

/**
 * vcpc_counter_turn() - put some events on the PMU, or take them off
 * @c: the counters, opened with VCPC_COUNTER_TURNS unless it is for the first time
 * @begin: the first
 * @end: behind the last
 * @on: on or off
 *
 * An event that found no room the last time tries again.
 *
 * Context: sleeps.
 */
void vcpc_counter_turn(struct vcpc_counters *c, u32 begin, u32 end, bool on)
{
	u32 i;

	for (i = begin; i < end; i++) {
		if (on)
			perf_event_enable(c->counter[i].event);
		else
			perf_event_disable(c->counter[i].event);
	}
}

/**
 * vcpc_counter_choose() - which counters are read from now on
 * @c: the counters, opened with VCPC_COUNTER_TURNS
 * @begin: the first
 * @end: behind the last; no more than @begin if none is
 *
 * Context: as the reading.
 */
void vcpc_counter_choose(struct vcpc_counters *c, u32 begin, u32 end)
{
	c->begin = begin;
	c->end = end;
	c->based = false;
}

/**
 * vcpc_counter_alarm() - when the clock's alarm shall come
 * @c: the counters, opened with an alarm
 * @period: after this time, and then again
 *
 * Context: sleeps.
 */
void vcpc_counter_alarm(struct vcpc_counters *c, u64 period)
{
	/* Refuses only what is no period at all. */
	(void)perf_event_period(c->clock.event, period);
}

/**
 * vcpc_counter_restart_period() - when a counter shall overflow
 * @c: the counters
 * @i: which; opened with an alarm
 * @period: after so many events from now on, and then again
 *
 * Context: where counters can be read.
 */
void vcpc_counter_restart_period(struct vcpc_counters *c, u32 i, u64 period)
{
	vcpc_event_restart_period(c->counter[i].event, period);
}

/**
 * vcpc_counter_lost() - which counter found no room?
 * @c: counters that could not be read
 *
 * Return: the request's index, or -1.
 */
int vcpc_counter_lost(const struct vcpc_counters *c)
{
	unsigned int i;

	for (i = c->begin; i < c->end; i++)
		if (vcpc_event_state(c->counter[i].event) == PERF_EVENT_STATE_ERROR)
			return i;
	return -1;
}

/**
 * vcpc_counter_hw() - how many counters of the CPU's PMU are taken now
 * @c: the counters
 *
 * Return: the number.
 */
unsigned int vcpc_counter_hw(const struct vcpc_counters *c)
{
	unsigned int i, hw = 0;

	for (i = c->begin; i < c->end; i++)
		hw += vcpc_event_is_hw(c->counter[i].event);
	return hw;
}
