// SPDX-License-Identifier: GPL-2.0
/*
 * Open, read and close the perf events of one thread.  All of them are read at the same instant.
 *
 * Each request is one pinned event of the calling thread: perf keeps it on the PMU whenever the
 * thread runs, or puts it into an error state that it never leaves by itself.
 *
 * While an event is on the PMU, its running time grows with the clock of its perf context, so the
 * difference between the two stays constant.  If the difference changes, the event was off the PMU.
 *
 * Locking: this file has no locks; see struct vcpc_counters.
 */
#include <linux/err.h>
#include <linux/minmax.h>
#include <linux/sched.h>
#include <linux/slab.h>

#include "counter.h"
#include "spec.h"

/**
 * vcpc_event_open() - count a request on the calling thread
 * @req: the event to count; the caller has checked that it is allowed
 * @period: number of events between calls to @handler; 0 to never call it
 * @handler: called with interrupts disabled, possibly in an NMI
 * @context: the event's overflow_handler_context
 * @disabled: open the event without starting it
 *
 * Context: sleeps.
 * Return: the event, or an ERR_PTR: -ESRCH if the thread is exiting, -ENOMEM, or the PMU's error.
 */
struct perf_event *vcpc_event_open(const struct vcpc_request *req, u64 period,
				   perf_overflow_handler_t handler, void *context,
				   bool disabled)
{
	bool is_clock = vcpc_is_clock(req->type, req->config);
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = req->type,
		.config = req->config,
		.config1 = req->config1,
		.config2 = req->config2,
		.sample_period = period,
		.pinned = 1,
		.disabled = disabled,
		/*
		 * A clock event counts in all modes, even excluded ones, but perf does not
		 * call the handler in an excluded mode.
		 */
		.exclude_user = !is_clock && !(req->flags & VCPC_REQ_F_USER),
		.exclude_kernel = !is_clock && !(req->flags & VCPC_REQ_F_KERNEL),
		/* Count only the thread itself, not the hypervisor or the thread's guest. */
		.exclude_hv = 1,
		.exclude_guest = 1,
	};

	return perf_event_create_kernel_counter(&attr, -1, current, handler, context);
}

/**
 * vcpc_event_period() - get the perf period that makes an event interrupt at an overflow
 * @type: the request's type
 * @left: number of events until the overflow; 0 means 2^64
 *
 * The result is never 1 for a PMU event, because a period of 1 makes Intel's driver trace branches
 * into memory instead of counting them.  An overflow after one event is therefore detected one
 * event late.
 *
 * Return: the period to pass to perf.
 */
u64 vcpc_event_period(u32 type, u64 left)
{
	u64 shortest = type == PERF_TYPE_SOFTWARE ? 1 : 2;

	return left ? clamp(left, shortest, VCPC_PERIOD_MAX) : VCPC_PERIOD_MAX;
}

/* Record the start times of all events, or fail if one of them is not on the PMU. */
static int note_starts(struct vcpc_counters *c, int *bad)
{
	int ret = 0;
	u32 i;

	local_irq_disable();
	for (i = 0; i < c->nr && !ret; i++) {
		c->counter[i].start = vcpc_event_start(c->counter[i].event);
		if (vcpc_event_state(c->counter[i].event) != PERF_EVENT_STATE_ACTIVE) {
			*bad = i;
			ret = -ENOSPC;
		}
	}
	local_irq_enable();
	return ret;
}

/**
 * vcpc_counters_open() - count a set's requests on the calling thread
 * @c: the counters to fill in
 * @spec: the requests
 * @handler: called when a counter with VCPC_REQ_F_OVERFLOW has counted its period, which is
 *	initially VCPC_PERIOD_MAX; the event's overflow_handler_context is its struct vcpc_counter
 * @owner: the counters' owner, for @handler
 * @bad: set to the request's index if a request caused the failure
 *
 * Context: sleeps.
 * Return: 0, -ENOSPC if the PMU cannot hold all events, -ESRCH if the thread is exiting, -ENOMEM,
 * or the PMU's error.
 */
int vcpc_counters_open(struct vcpc_counters *c, const struct vcpc_spec *spec,
		       perf_overflow_handler_t handler, void *owner, int *bad)
{
	struct perf_event *event;
	u64 period;
	u32 i;

	c->charge = kvmalloc_array(spec->nr + 1, sizeof(*event), GFP_KERNEL_ACCOUNT);
	if (!c->charge)
		return -ENOMEM;
	for (i = 0; i < spec->nr; i++) {
		struct vcpc_counter *counter = &c->counter[i];
		const struct vcpc_request *req = &spec->requests[i];

		counter->owner = owner;
		period = req->flags & VCPC_REQ_F_OVERFLOW ? VCPC_PERIOD_MAX : 0;
		event = vcpc_event_open(req, period, period ? handler : NULL, counter, false);
		if (IS_ERR(event))
			break;
		counter->event = event;
		/* Interrupt handlers read only the first @nr counters. */
		barrier();
		WRITE_ONCE(c->nr, i + 1);
	}
	if (i == spec->nr)
		return note_starts(c, bad);
	/* -ESRCH concerns the exiting thread, not this request. */
	if (event != ERR_PTR(-ESRCH))
		*bad = i;
	return PTR_ERR(event);
}

/**
 * vcpc_counters_close() - stop counting and release the events
 * @c: the counters
 *
 * Context: sleeps.
 */
void vcpc_counters_close(struct vcpc_counters *c)
{
	while (c->nr)
		perf_event_release_kernel(c->counter[--c->nr].event);
	kvfree(c->charge);
	c->charge = NULL;
}

/**
 * vcpc_counters_read() - read all counters at one instant
 * @c: the calling thread's counters
 * @now: ktime_get_ns(), read in the same section
 * @sample: filled in; @size and @nr are set by the caller; undefined on failure
 *
 * Context: interrupts disabled.
 * Return: 0; -EAGAIN if a counter was ever off the PMU while the thread ran; -ESTALE if the
 * counters have ended.
 */
int vcpc_counters_read(struct vcpc_counters *c, u64 now, struct vcpc_sample *sample)
{
	struct vcpc_counter *counter = c->counter;
	u32 i;

	for (i = 0; i < c->nr; i++, counter++) {
		enum perf_event_state state = vcpc_event_state(counter->event);

		if (unlikely(state != PERF_EVENT_STATE_ACTIVE))
			return state == PERF_EVENT_STATE_EXIT ? -ESTALE : -EAGAIN;
		if (unlikely(vcpc_event_start(counter->event) != counter->start))
			return -EAGAIN;
		sample->values[i] = vcpc_event_count(counter->event) + counter->add;
	}
	counter = c->counter;
	sample->state = VCPC_STATE_COUNTING;
	sample->time = now;
	sample->tick = vcpc_event_now(counter->event) - counter->start + c->tick_add;
	return 0;
}

/* An event in the error state stays in it until the event ends, and its times no longer change. */
static bool was_off(const struct vcpc_counter *counter)
{
	enum perf_event_state state = vcpc_event_state(counter->event);

	if (state != PERF_EVENT_STATE_EXIT)
		return state == PERF_EVENT_STATE_ERROR;
	/* Pairs with the context's lock, under which the thread sets times before the state. */
	smp_rmb();
	return vcpc_event_start(counter->event) != counter->start;
}

/**
 * vcpc_counters_read_other() - read the counters of another thread, or of a thread that has ended
 * @c: the counters; the caller prevents them from being closed
 * @counts: u64[@c->nr], filled with the count of each event, without @add
 * @run: set to the running time of the first event
 *
 * The counters are read one after the other while the thread runs.  For each event perf reports the
 * enabled and the running time at the same instant.  The times of events in the error state have
 * stopped.
 *
 * Context: sleeps.
 * Return: 0, or -EAGAIN if a counter was off the PMU while the thread ran.
 */
int vcpc_counters_read_other(const struct vcpc_counters *c, u64 *counts, u64 *run)
{
	u64 enabled, running;
	u32 i;

	for (i = 0; i < c->nr; i++) {
		counts[i] = perf_event_read_value(c->counter[i].event, &enabled, &running);
		if (was_off(c->counter + i) || running + NSEC_PER_MSEC < enabled)
			return -EAGAIN;
		if (!i)
			*run = running;
	}
	return 0;
}

/**
 * vcpc_counters_set() - set the values from which the counters and the time continue
 * @c: the calling thread's counters
 * @from: the values that were just read
 * @to: the values to continue from
 *
 * Context: interrupts disabled since @from was read.
 */
void vcpc_counters_set(struct vcpc_counters *c, const struct vcpc_sample *from,
		       const struct vcpc_sample *to)
{
	u32 i;

	for (i = 0; i < c->nr; i++) {
		c->counter[i].add += to->values[i] - from->values[i];
		c->counter[i].from = to->values[i];
	}
	c->tick_add += to->tick - from->tick;
}
