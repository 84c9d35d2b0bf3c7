// SPDX-License-Identifier: GPL-2.0
/*
 * The perf events of one thread: opening, closing, and reading them together.
 *
 * Each request is one pinned event of the calling thread: perf keeps it on the PMU whenever the
 * thread runs, or puts it into an error state that it does not leave by itself.
 *
 * While an event is on, its running time grows with the clock of its perf context, so their
 * difference is what it was at the start; any other difference means that the event was off.
 *
 * Locking: none of its own, see struct vcpc_counters.
 */
#include <linux/err.h>
#include <linux/minmax.h>
#include <linux/sched.h>
#include <linux/slab.h>

#include "counter.h"
#include "spec.h"

/* A period that every PMU accepts: some of Intel's want 32, and for some events 128. */
#define SHORTEST	128

/* Whether it is a clock, which perf measures, and for which it interrupts by a timer */
bool vcpc_request_is_time(const struct vcpc_request *req)
{
	return req->type == PERF_TYPE_SOFTWARE &&
	       (req->config == PERF_COUNT_SW_CPU_CLOCK || req->config == PERF_COUNT_SW_TASK_CLOCK);
}

/**
 * vcpc_event_open() - count a request on the calling thread
 * @req: what to count; the caller has checked that it is allowed
 * @period: after how many events to call @handler; 0 for never
 * @handler: called with interrupts disabled, perhaps in an NMI
 * @context: the event's overflow_handler_context
 * @flags: VCPC_COUNTERS_ON_EXEC or 0
 *
 * Context: sleeps.
 * Return: the event, or an ERR_PTR: -ESRCH if the thread is exiting, -ENOMEM, or the PMU's.
 */
struct perf_event *vcpc_event_open(const struct vcpc_request *req, u64 period,
				   perf_overflow_handler_t handler, void *context, u32 flags)
{
	bool on_exec = flags & VCPC_COUNTERS_ON_EXEC;
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = req->type,
		.config = req->config,
		.config1 = req->config1,
		.config2 = req->config2,
		.sample_period = period,
		.pinned = 1,
		.disabled = on_exec,
		.enable_on_exec = on_exec,
		/*
		 * Time passes in all modes, whatever is excluded; but perf would not call
		 * the handler in an excluded mode.
		 */
		.exclude_user = !vcpc_request_is_time(req) && !(req->flags & VCPC_REQ_F_USER),
		.exclude_kernel = !vcpc_request_is_time(req) && !(req->flags & VCPC_REQ_F_KERNEL),
		/* A thread's own work is neither the hypervisor's nor that of its guest. */
		.exclude_hv = 1,
		.exclude_guest = 1,
	};
	struct perf_event *event;

	event = perf_event_create_kernel_counter(&attr, -1, current, handler, context);
	if (event != ERR_PTR(-EINVAL) || !period || period >= SHORTEST)
		return event;
	/* Some PMUs refuse here what they would silently lengthen later. */
	attr.sample_period = SHORTEST;
	return perf_event_create_kernel_counter(&attr, -1, current, handler, context);
}

/**
 * vcpc_event_check() - whether a set may have an event
 * @event: the event
 * @type: the type that was asked for; perf may have chosen another PMU
 *
 * An event that is not software must be the CPU core's: other PMUs count what several threads
 * do, or do more than count.
 *
 * Return: 0 or -EOPNOTSUPP.
 */
int vcpc_event_check(const struct perf_event *event, u32 type)
{
	return type == PERF_TYPE_SOFTWARE || vcpc_event_is_hw(event) ? 0 : -EOPNOTSUPP;
}

/**
 * vcpc_event_period() - the period for what is left to an overflow
 * @type: the request's type
 * @left: how many events; 0: 2^64
 *
 * Never 1 for a PMU's event: a period of 1 makes Intel's driver trace branches into memory
 * instead of counting them.  Such an overflow is noticed one event late.
 *
 * Return: the period that perf takes.
 */
u64 vcpc_event_period(u32 type, u64 left)
{
	u64 shortest = type == PERF_TYPE_SOFTWARE ? 1 : 2;

	return left ? clamp(left, shortest, VCPC_PERIOD_MAX) : VCPC_PERIOD_MAX;
}

/* Counters that do not wait for execve get their period when they are enabled. */
static u64 first_period(const struct vcpc_request *req, u64 from, u32 flags)
{
	if (!(req->flags & VCPC_REQ_F_OVERFLOW))
		return 0;
	return flags & VCPC_COUNTERS_ON_EXEC ? vcpc_event_period(req->type, -from) :
					       VCPC_PERIOD_MAX;
}

/**
 * vcpc_counters_open() - count a set's requests on the calling thread
 * @c: room for the counters; @add and @from of each say from which value they count
 * @spec: the requests
 * @handler: called when a counter with VCPC_REQ_F_OVERFLOW has counted up to 2^64; the event's
 *	overflow_handler_context is its struct vcpc_counter
 * @owner: of the counters, for @handler
 * @flags: VCPC_COUNTERS_ON_EXEC or 0
 * @bad: on failure set to the request that was refused, or left alone
 *
 * Whether all of them found room is known only after vcpc_counters_fit().
 *
 * Context: sleeps.
 * Return: 0, -ESRCH if the thread is exiting, -ENOMEM, or the PMU's.
 */
int vcpc_counters_open(struct vcpc_counters *c, const struct vcpc_spec *spec,
		       perf_overflow_handler_t handler, void *owner, u32 flags, int *bad)
{
	struct perf_event *event;
	u32 i;

	c->charge = kvmalloc_array(spec->nr + 1, sizeof(*event), GFP_KERNEL_ACCOUNT);
	if (!c->charge)
		return -ENOMEM;
	for (i = 0; i < spec->nr; i++) {
		struct vcpc_counter *counter = &c->counter[i];
		const struct vcpc_request *req = &spec->requests[i];
		u64 period = first_period(req, counter->from, flags);

		counter->owner = owner;
		event = vcpc_event_open(req, period, period ? handler : NULL, counter, flags);
		if (IS_ERR(event))
			break;
		counter->event = event;
		/* An interrupt looks at the first @nr. */
		barrier();
		WRITE_ONCE(c->nr, i + 1);
	}
	if (i == spec->nr)
		return 0;
	vcpc_counters_close(c);
	/* An exiting thread refuses any event. */
	if (event != ERR_PTR(-ESRCH))
		*bad = i;
	return PTR_ERR(event);
}

/**
 * vcpc_counters_close() - stop counting, and give the events back
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
	c->based = false;
}

/* Note when the events were started; all of them are on. */
static void note_starts(struct vcpc_counters *c)
{
	u32 i;

	for (i = 0; i < c->nr; i++)
		c->counter[i].start = vcpc_event_start(c->counter[i].event);
	c->based = true;
}

/**
 * vcpc_counters_fit() - whether all counters found room on the CPU
 * @c: the calling thread's counters, just opened
 * @bad: on failure set to the first that did not
 *
 * Context: process.
 * Return: 0 or -ENOSPC.
 */
int vcpc_counters_fit(struct vcpc_counters *c, int *bad)
{
	int ret = 0;
	u32 i;

	local_irq_disable();
	for (i = 0; i < c->nr && !ret; i++)
		if (vcpc_event_state(c->counter[i].event) != PERF_EVENT_STATE_ACTIVE)
			ret = -ENOSPC;
	if (ret)
		*bad = i - 1;
	else
		note_starts(c);
	local_irq_enable();
	return ret;
}

/* What is known before execve has started the counters: nothing was counted. */
static int read_waiting(const struct vcpc_counters *c, u64 now, struct vcpc_sample *sample)
{
	u32 i;

	for (i = 0; i < c->nr; i++)
		sample->values[i] = c->counter[i].add;
	sample->state = 0;
	sample->time = now;
	sample->tick = c->tick_add;
	return 0;
}

/**
 * vcpc_counters_read() - read all counters at one instant
 * @c: the calling thread's counters
 * @now: ktime_get_ns(), read in the same section
 * @sample: has room for all; @size and @nr are set; undefined after a failure
 *
 * Context: interrupts disabled.
 * Return: 0; -EAGAIN if a counter was ever off while the thread ran; -ESTALE if the counters
 * have ended.
 */
int vcpc_counters_read(struct vcpc_counters *c, u64 now, struct vcpc_sample *sample)
{
	struct vcpc_counter *counter = c->counter;
	u32 i;

	if (unlikely(!c->based)) {
		if (vcpc_counters_wait(c))
			return read_waiting(c, now, sample);
		if (!vcpc_counters_ended(c))
			note_starts(c);
	}
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

/* An event in error stays so until it ends; then its times are final. */
static bool was_off(const struct vcpc_counters *c, const struct vcpc_counter *counter)
{
	switch (vcpc_event_state(counter->event)) {
	case PERF_EVENT_STATE_ERROR:
		return true;
	case PERF_EVENT_STATE_EXIT:
		/* The thread set its times before the state, with the context's lock in between. */
		smp_rmb();
		return c->based && vcpc_event_start(counter->event) != counter->start;
	default:
		return false;
	}
}

/**
 * vcpc_counters_read_other() - read the counters of another thread, or of one that has ended
 * @c: the counters, which nobody closes meanwhile
 * @reference: an event that was on as long as they should have been; or NULL
 * @counts: u64[@c->nr], gets what each event has counted, without @add
 * @run: how long the first one has counted
 *
 * One after the other, while the thread runs.  perf reports for how long each event was enabled
 * and on the PMU, at one instant, but not for events in error, whose times have stopped.  If they
 * ended so, and it is not known when they were started, they are compared with the longest.
 *
 * Context: sleeps.
 * Return: 0, or -EAGAIN if a counter was off while the thread ran.
 */
int vcpc_counters_read_other(const struct vcpc_counters *c, struct perf_event *reference,
			     u64 *counts, u64 *run)
{
	u64 longest = 0, shortest = U64_MAX, enabled, running;
	bool ended = vcpc_counters_ended(c);
	u32 i;

	for (i = 0; i < c->nr; i++) {
		counts[i] = perf_event_read_value(c->counter[i].event, &enabled, &running);
		if (was_off(c, &c->counter[i]) || running + NSEC_PER_MSEC < enabled)
			return -EAGAIN;
		if (!i)
			*run = running;
		longest = max(longest, running);
		shortest = min(shortest, running);
	}
	/* It ended meanwhile: the times are final now. */
	if (!ended && vcpc_counters_ended(c))
		return vcpc_counters_read_other(c, reference, counts, run);
	if (!ended || c->based)
		return 0;
	if (reference)
		perf_event_read_value(reference, &enabled, &longest);
	/* The two contexts that a thread may have differ by the time of a switch. */
	return shortest + longest / 64 + NSEC_PER_MSEC < longest ? -EAGAIN : 0;
}

/**
 * vcpc_counters_set() - let the counters and the time continue from other values
 * @c: the calling thread's counters
 * @from: what they were just read as
 * @to: what they shall be
 *
 * Context: interrupts disabled, in one section with the reading.
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
