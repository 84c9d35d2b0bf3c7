// SPDX-License-Identifier: GPL-2.0
/*
 * Overflows of hardware counters while their thread is leaving its CPU.
 *
 * Interrupts are off then, and what a counter would interrupt for is dropped by perf, which
 * takes it off the PMU and lets its next period begin: the overflow would be noticed that
 * much later, if the thread comes back at all.  So perf also tells of each switch of such a
 * thread, before it takes the counters off.  If one is near its end by then, an interrupt
 * work looks at it when the thread has left.
 *
 * Locking: the instance's lock.
 */
#include <linux/err.h>
#include <linux/irq_work.h>
#include <linux/perf_event.h>

#include "counter.h"
#include "event.h"
#include "watch.h"

/* More than a counter counts between the switch's being told and its own stop */
#define NEAR	16384

static bool is_hardware(const struct vcpc_overflow *o, u32 i)
{
	return vcpc_overflow_watches(o, i) && o->set->requests[i].type != PERF_TYPE_SOFTWARE;
}

/* Has it come to its end again, or does it in so many events? */
static bool ends_within(const struct vcpc_watch *watch, u64 value, u64 events)
{
	u64 left;

	return vcpc_overflow_periods(watch, value, &left) > watch->periods || left <= events;
}

static bool is_near(struct vcpc_overflow *o)
{
	u32 i;

	if (!vcpc_overflow_look(o))
		return false;
	for (i = 0; i < o->set->nr; i++)
		if (is_hardware(o, i) &&
		    ends_within(&o->watch[i], o->inst->kept.values[i], NEAR))
			return true;
	return false;
}

/* In the thread itself */
static void leaves(struct perf_event *event, struct perf_sample_data *data, struct pt_regs *regs)
{
	struct vcpc_overflow *o = event->overflow_handler_context;
	struct vcpc_instance *inst = o->inst;
	unsigned long flags;
	bool news = false;

	raw_spin_lock_irqsave(&inst->lock, flags);
	if (!(inst->state & (VCPC_CANNOT_FREEZE | VCPC_INSTANCE_LATE))) {
		o->left = is_near(o);
		news = o->left || o->wake;
	}
	raw_spin_unlock_irqrestore(&inst->lock, flags);
	if (news)
		irq_work_queue(&o->work);
}

/*
 * Which request has overflowed on the way, as far as can be seen from here.  A thread that
 * is on a CPU again has to be gone to, and any request will do.
 */
static bool has_overflowed(const struct vcpc_overflow *o, u32 *which)
{
	u64 value;
	u32 i;

	for (i = 0; i < o->set->nr; i++) {
		if (!is_hardware(o, i))
			continue;
		*which = i;
		if (!vcpc_counter_peek(o->inst->counters, i, &value) ||
		    ends_within(&o->watch[i], value, 0))
			return true;
	}
	return false;
}

/**
 * vcpc_leaving_look() - see what came of a counter that was near its end
 * @o: the instance's overflows
 *
 * Context: under the instance's lock.
 */
void vcpc_leaving_look(struct vcpc_overflow *o)
{
	struct vcpc_instance *inst = o->inst;
	u32 which;

	lockdep_assert_held(&inst->lock);
	if (!o->left)
		return;
	o->left = false;
	if (inst->state & (VCPC_CANNOT_FREEZE | VCPC_INSTANCE_LATE) || !has_overflowed(o, &which))
		return;
	inst->state |= VCPC_INSTANCE_LATE;
	o->late = which;
}

/**
 * vcpc_leaving_open() - be told when an instance's thread leaves its CPU
 * @o: the instance's overflows
 *
 * If it has hardware counters that overflow; what the kernel itself counts always rings.
 *
 * Context: sleeps; under the set's lock.
 * Return: 0, -ENOMEM, or -ESRCH if the thread is exiting.
 */
int vcpc_leaving_open(struct vcpc_overflow *o)
{
	struct perf_event *event;
	u32 i;

	for (i = 0; i < o->set->nr && !is_hardware(o, i); i++)
		;
	if (i == o->set->nr)
		return 0;
	event = vcpc_event_open_switches(o->task, leaves, o);
	if (IS_ERR(event))
		return PTR_ERR(event);
	o->leaving = event;
	return 0;
}

/**
 * vcpc_leaving_close() - not any longer
 * @o: the instance's overflows, whose work may still be on its way
 *
 * Context: sleeps; under the set's lock.
 */
void vcpc_leaving_close(struct vcpc_overflow *o)
{
	if (o->leaving)
		perf_event_release_kernel(o->leaving);
}
