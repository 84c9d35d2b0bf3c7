// SPDX-License-Identifier: GPL-2.0
/*
 * A PMU by whose events threads are seen to leave their CPU, and to come to one.
 *
 * Such an event counts nothing, but is taken off with all events of its thread, and after those
 * of the CPU's PMU, whose values are final then: what is hardware's comes first, in newer
 * kernels what was registered first.  Threads that have no such event pay nothing.
 *
 * The PMU is registered when the first event is opened, and stays until the module is unloaded.
 * perf_pmu_unregister() can hang in kernels before 6.12.19: it waits, under a lock, for those
 * who are opening events, and a software event that is being opened waits for that lock.
 * Nothing that a module can do keeps others from that.  So there the module holds a reference to
 * itself once the PMU is registered, and rmmod says that it is in use, unless the administrator
 * takes it away by the parameter "pinned".
 *
 * Locking: pmu_lock guards whether the PMU is registered and the reference is held.
 */
#include <linux/err.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/mutex.h>
#include <linux/perf_event.h>
#include <linux/printk.h>

#include "compat/pmu_unregister.h"
#include "event.h"
#include "internals.h"
#include "sched_pmu.h"

static DEFINE_MUTEX(pmu_lock);
static bool registered;
static bool held;
static bool pinned = VCPC_PMU_UNREGISTER_HANGS;

/* Under pmu_lock */
static void hold_or_put(void)
{
	bool hold = registered && pinned;

	if (hold == held)
		return;
	held = hold;
	if (!hold) {
		module_put(THIS_MODULE);
		return;
	}
	/* Somebody's file, or sysfs, holds it already. */
	__module_get(THIS_MODULE);
	pr_info_once("in use until the next boot: unloading can hang perf on this kernel\n");
}

static int set_pinned(const char *text, const struct kernel_param *param)
{
	int ret;

	mutex_lock(&pmu_lock);
	ret = param_set_bool(text, param);
	if (!ret)
		hold_or_put();
	mutex_unlock(&pmu_lock);
	return ret;
}

static const struct kernel_param_ops pinned_ops = {
	.flags = KERNEL_PARAM_OPS_FL_NOARG,
	.set = set_pinned,
	.get = param_get_bool,
};

module_param_cb(pinned, &pinned_ops, &pinned, 0644);
MODULE_PARM_DESC(pinned,
		 "stay loaded once a thread's hardware counters were to overflow; default: before Linux 6.12.19, where unloading can hang perf");

/* The handler tells our events from those that others try to open. */
static void ours(struct perf_event *event, struct perf_sample_data *data, struct pt_regs *regs)
{
}

static int event_init(struct perf_event *event)
{
	return vcpc_event_is_ours(event, ours) ? 0 : -ENOENT;
}

static int add(struct perf_event *event, int flags)
{
	struct vcpc_sched *sched = event->overflow_handler_context;

	sched->ops->arrives(sched);
	return 0;
}

static void del(struct perf_event *event, int flags)
{
	struct vcpc_sched *sched = event->overflow_handler_context;

	sched->ops->leaves(sched);
}

static void start(struct perf_event *event, int flags)
{
}

static void stop(struct perf_event *event, int flags)
{
}

static void read(struct perf_event *event)
{
}

static struct pmu sched_pmu = {
	.module = THIS_MODULE,
	.task_ctx_nr = perf_sw_context,
	.event_init = event_init,
	.add = add,
	.del = del,
	.start = start,
	.stop = stop,
	.read = read,
};

static int register_once(void)
{
	int ret = 0;

	mutex_lock(&pmu_lock);
	if (!registered)
		ret = perf_pmu_register(&sched_pmu, "vcpc", -1);
	if (!ret) {
		registered = true;
		hold_or_put();
	}
	mutex_unlock(&pmu_lock);
	return ret;
}

/**
 * vcpc_sched_open() - hear when a thread comes and leaves
 * @sched: whose operations are called from now on; zeroed but for these
 * @task: the thread
 *
 * Context: sleeps.
 * Return: 0, -ENOMEM, or -ESRCH if the thread is exiting.
 */
int vcpc_sched_open(struct vcpc_sched *sched, struct task_struct *task)
{
	const struct vcpc_place place = { .task = task, .cpu = -1 };
	const struct vcpc_alarm alarm = { .handler = ours, .context = sched };
	struct vcpc_request req = { };
	struct perf_event *event;
	int ret;

	ret = register_once();
	if (ret)
		return ret;
	req.type = sched_pmu.type;
	event = vcpc_event_open(&req, &place, &alarm, 0);
	if (IS_ERR(event))
		return PTR_ERR(event);
	sched->event = event;
	return 0;
}

/**
 * vcpc_sched_close() - hear no longer
 * @sched: of vcpc_sched_open(), whether it failed or was never called
 *
 * Context: sleeps.
 */
void vcpc_sched_close(struct vcpc_sched *sched)
{
	if (sched->event)
		perf_event_release_kernel(sched->event);
}

/**
 * vcpc_sched_exit() - at unload
 *
 * Context: sleeps.
 */
void vcpc_sched_exit(void)
{
	if (registered)
		perf_pmu_unregister(&sched_pmu);
}
