// SPDX-License-Identifier: GPL-2.0
/*
 * Overflows of hardware counters while their thread is leaving its CPU.
 *
 * Interrupts are off then, and what a counter would interrupt for is dropped by perf, which
 * takes it off the PMU and lets its next period begin: the overflow would be noticed that
 * much later, if the thread comes back at all.  So such a thread has an event of a PMU of
 * ours, too, which counts nothing, but is taken off as all its events are, and after those
 * of the CPU's PMU: first comes what is hardware's, in newer kernels what was registered
 * first.  Then their values are final.  It costs threads nothing that have no such event.
 *
 * Locking: the instance's lock, within those of perf.
 */
#include <linux/err.h>
#include <linux/irq_work.h>
#include <linux/module.h>
#include <linux/perf_event.h>

#include "counter.h"
#include "event.h"
#include "leaving.h"
#include "watch.h"

static bool is_hardware(const struct vcpc_overflow *o, u32 i)
{
	return vcpc_overflow_watches(o, i) && o->set->requests[i].type != PERF_TYPE_SOFTWARE;
}

/*
 * Which request has overflowed unnoticed, as far as can be seen from here.  Counters that
 * are on a CPU have to be gone to, and any request will do.
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
		    vcpc_overflow_periods(&o->watch[i], value) > o->watch[i].periods)
			return true;
	}
	return false;
}

static bool nobody_knows(const struct vcpc_instance *inst)
{
	return !(inst->state & (VCPC_CANNOT_FREEZE | VCPC_INSTANCE_LATE));
}

/* In the thread itself, under the scheduler's locks */
static void leaves(struct vcpc_overflow *o)
{
	unsigned long flags;
	bool news;
	u32 which;

	raw_spin_lock_irqsave(&o->inst->lock, flags);
	news = nobody_knows(o->inst) && has_overflowed(o, &which);
	o->left |= news;
	raw_spin_unlock_irqrestore(&o->inst->lock, flags);
	if (news)
		irq_work_queue(&o->work);
}

/**
 * vcpc_leaving_look() - let an overflow of a thread that has left be told
 * @o: the instance's overflows
 *
 * Context: under the instance's lock.
 */
void vcpc_leaving_look(struct vcpc_overflow *o)
{
	u32 which;

	lockdep_assert_held(&o->inst->lock);
	if (!o->left)
		return;
	o->left = false;
	if (!nobody_knows(o->inst) || !has_overflowed(o, &which))
		return;
	o->inst->state |= VCPC_INSTANCE_LATE;
	o->late = which;
}

/* What our PMU's events call; also tells them from those that others try to open. */
static void ring_never(struct perf_event *event, struct perf_sample_data *data,
		       struct pt_regs *regs)
{
}

static int leaving_init(struct perf_event *event)
{
	return event->overflow_handler == ring_never ? 0 : -ENOENT;
}

static int leaving_add(struct perf_event *event, int flags)
{
	return 0;
}

static void leaving_del(struct perf_event *event, int flags)
{
	leaves(event->overflow_handler_context);
}

static void leaving_start(struct perf_event *event, int flags)
{
}

static void leaving_stop(struct perf_event *event, int flags)
{
}

static void leaving_read(struct perf_event *event)
{
}

static struct pmu leaving_pmu = {
	.module = THIS_MODULE,
	.task_ctx_nr = perf_sw_context,
	.event_init = leaving_init,
	.add = leaving_add,
	.del = leaving_del,
	.start = leaving_start,
	.stop = leaving_stop,
	.read = leaving_read,
};

/**
 * vcpc_leaving_init() - at load
 *
 * Context: sleeps.
 * Return: 0 or a negative errno.
 */
int vcpc_leaving_init(void)
{
	return perf_pmu_register(&leaving_pmu, "vcpc", -1);
}

/**
 * vcpc_leaving_exit() - at unload
 *
 * Context: sleeps.
 */
void vcpc_leaving_exit(void)
{
	perf_pmu_unregister(&leaving_pmu);
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
	const struct vcpc_request req = { .type = leaving_pmu.type };
	const struct vcpc_place place = { .task = o->task, .cpu = -1 };
	const struct vcpc_alarm alarm = { .ring = ring_never, .context = o };
	struct perf_event *event;
	u32 i;

	for (i = 0; i < o->set->nr && !is_hardware(o, i); i++)
		;
	if (i == o->set->nr)
		return 0;
	event = vcpc_event_open(&req, &place, &alarm, 0);
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
