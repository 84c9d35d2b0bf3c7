// SPDX-License-Identifier: GPL-2.0
/*
 * Give new threads an instance of their parent's set.
 *
 * perf can inherit events itself, but its copies end with their threads and cannot be read
 * individually.  Therefore every new thread opens its own instance, as BIND does.
 *
 * The task_newtask tracepoint fires in the parent when the new thread is complete and can no longer
 * fail, but has not run yet.  The probe must not sleep, so it queues task work, which the new
 * thread runs before its first instruction in user mode.  If no instance can be created for a
 * thread, reading a total fails, so totals are never silently too small.
 *
 * The probes stay registered until unload, because registering a probe waits for other users' grace
 * periods.
 *
 * Locking: this file has no locks.  Task work holds a reference to the set and to the module.
 */
#include <linux/atomic.h>
#include <linux/module.h>
#include <linux/pid.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/tracepoint.h>
#include <trace/events/sched.h>
#include <trace/events/task.h>

#include "compat/clone_flags.h"
#include "compat/task_flags.h"
#include "inherit.h"
#include "limits.h"
#include "set.h"
#include "thread.h"

/**
 * struct heritage - a new thread's task work that opens its instance
 * @work: in the thread's list of task works
 * @closing: the set's @closing when the thread was started
 * @start: the instance's initial state, copied from the parent; holds a reference to the set
 * @presets: the parent's presets
 */
struct heritage {
	struct callback_head work;
	u32 closing;
	struct vcpc_start start;
	u64 presets[];
};

static void lose(struct vcpc_set *set)
{
	WRITE_ONCE(set->lost, true);
	vcpc_stats_count(VCPC_STAT_UNINHERITED);
}

/* Do not open an instance in a thread that exits or is killed before it enters user mode. */
static void inherit(const struct heritage *h)
{
	struct vcpc_set *set = h->start.set;

	if (current->flags & PF_EXITING || mutex_lock_killable(&set->lock))
		return;
	if (set->closing == h->closing && vcpc_set_inherit(set, &h->start) &&
	    !fatal_signal_pending(current))
		lose(set);
	mutex_unlock(&set->lock);
}

/* Open the new thread's instance, in the new thread. */
static void accept(struct callback_head *work)
{
	struct heritage *h = container_of(work, struct heritage, work);
	struct vcpc_set *set = h->start.set;

	inherit(h);
	atomic_dec(&set->pending);
	put_pid(h->start.root);
	kfree(h);
	vcpc_set_put(set);
	/* vcpc_internals_exit() waits until this function has returned. */
	module_put(THIS_MODULE);
}

/* Copy the state of @inst.  It cannot be freed, because its lock is held and it was not closed. */
static bool fill_locked(struct heritage *h, struct vcpc_instance *inst)
{
	struct vcpc_set *set = inst->set;

	lockdep_assert_held(&inst->lock);
	if (inst->state & VCPC_INSTANCE_CLOSED || vcpc_instance_ended(inst))
		return false;
	if (!h || inst->state & VCPC_INSTANCE_INVALID) {
		lose(set);
		return false;
	}
	h->closing = READ_ONCE(set->closing);
	h->start = (struct vcpc_start) {
		.set = set,
		.spec = inst->spec,
		.root = get_pid(inst->root),
		.bind_flags = inst->bind_flags,
		.presets = h->presets,
		.state = inst->state,
	};
	memcpy(h->presets, inst->presets, inst->spec->nr * sizeof(u64));
	kref_get(&set->refs);
	atomic_inc(&set->pending);
	__module_get(THIS_MODULE);
	return true;
}

static void pass_on(struct vcpc_instance *inst, void *arg)
{
	struct task_struct *child = arg;
	u32 wanted = VCPC_BIND_F_TREE;
	unsigned long flags;
	struct heritage *h;
	bool filled;

	if (same_thread_group(child, current))
		wanted |= VCPC_BIND_F_INHERIT;
	if (!(inst->bind_flags & wanted))
		return;
	h = kzalloc(struct_size(h, presets, inst->spec->nr),
		    GFP_NOWAIT | __GFP_NOWARN | __GFP_ACCOUNT);

	raw_spin_lock_irqsave(&inst->lock, flags);
	filled = fill_locked(h, inst);
	raw_spin_unlock_irqrestore(&inst->lock, flags);

	if (!filled) {
		kfree(h);
		return;
	}
	init_task_work(&h->work, accept);
	vcpc_task_work_push(child, &h->work, TIF_NOTIFY_RESUME);
}

static void probe_newtask(void *data, struct task_struct *child,
			  VCPC_CLONE_FLAGS clone_flags)
{
	if (!(child->flags & VCPC_NEVER_IN_USER_MODE))
		vcpc_thread_walk(pass_on, child);
}

static void start(struct vcpc_instance *inst, void *arg)
{
	(void)vcpc_instance_op(inst, VCPC_OP_EXEC, NULL);
}

/*
 * Start instances that wait for execve.  By now, execve has ended the events of a thread that
 * gained privileges.
 */
static void probe_exec(void *data, struct task_struct *task, pid_t old_pid,
		       struct linux_binprm *bprm)
{
	vcpc_thread_walk(start, NULL);
}

static struct {
	const char *name;
	void *probe;
	struct tracepoint *tp;
} probes[] = {
	{ .name = "task_newtask", .probe = probe_newtask },
	{ .name = "sched_process_exec", .probe = probe_exec },
};

static void look_at(struct tracepoint *tp, void *arg)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(probes); i++)
		if (!strcmp(tp->name, probes[i].name) &&
		    !tracepoint_probe_register(tp, probes[i].probe, NULL))
			probes[i].tp = tp;
}

/**
 * vcpc_inherit_init() - find the tracepoints and register the probes at load
 *
 * If one of them is missing, inheritance and VCPC_BIND_F_ENABLE_ON_EXEC are not available.
 */
void vcpc_inherit_init(void)
{
	/* Check only the types, because the register functions are not exported to modules. */
	check_trace_callback_type_task_newtask(probe_newtask);
	check_trace_callback_type_sched_process_exec(probe_exec);
	for_each_kernel_tracepoint(look_at, NULL);
}

/**
 * vcpc_inherit_exit() - unregister the probes at unload and wait until none of them runs
 *
 * Context: sleeps; all sets have been freed.
 */
void vcpc_inherit_exit(void)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(probes); i++)
		if (probes[i].tp)
			tracepoint_probe_unregister(probes[i].tp, probes[i].probe, NULL);
	tracepoint_synchronize_unregister();
}

/**
 * vcpc_inherit_can() - check whether this kernel supports inheritance
 *
 * Return: true or false.
 */
bool vcpc_inherit_can(void)
{
	return probes[0].tp && probes[1].tp && vcpc_task_work_works();
}
