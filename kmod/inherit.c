// SPDX-License-Identifier: GPL-2.0
/*
 * Threads that inherit a set when they are started.
 *
 * perf could inherit events by itself, but its copies end with their threads,
 * cannot be read one by one, and are given to other threads when it likes.
 * So every new thread gets an instance of its own, opened as BIND does it.
 *
 * The task_newtask tracepoint fires in the parent when the new thread is
 * complete and cannot fail any more, and has not run yet.  There one may not
 * sleep; so the new thread gets a note as task work, which it reads itself before its first
 * instruction in user mode.  A thread that could not be given an instance makes
 * the totals an error: they are never too small without a word.
 *
 * When no set has inherited for a second, the tracepoint is off and costs nobody
 * anything.  Not at once: turning it on again waits for a grace period of the
 * turning off, which who makes a set for each piece of work would wait for each time.
 *
 * Locking: watch_lock guards who watches, and whether the tracepoint is on; its holders wait
 * for the kernel only.  The note holds its binding, hence the set, and the module.
 */
#include <linux/err.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/task_work.h>
#include <linux/tracepoint.h>
#include <linux/workqueue.h>
#include <trace/events/task.h>

#include "binding.h"
#include "compat/task_flags.h"
#include "inherit.h"
#include "internals.h"
#include "stats.h"
#include "threads.h"

/**
 * struct note - what a new thread is to do
 * @work: in its list of such things
 * @binding: where it will belong; holds a reference
 * @flags: VCPC_OPEN_*, as its parent is
 * @turns: the binding's, when its parent was so
 * @own: the parent has presets of its own
 * @presets: which
 */
struct note {
	struct callback_head work;
	struct vcpc_binding *binding;
	u32 flags;
	u32 turns;
	bool own;
	u64 presets[];
};

struct birth {
	struct task_struct *child;
	bool same_process;
};

static DEFINE_MUTEX(watch_lock);
static unsigned int watchers;
static bool watching;
static struct tracepoint *newtask;

static u32 flags_now(const struct note *note)
{
	const struct vcpc_binding *b = note->binding;

	if (b->turns == note->turns)
		return note->flags;
	return b->stopped ? note->flags | VCPC_OPEN_STOPPED : note->flags & ~VCPC_OPEN_STOPPED;
}

static int add_instance(struct vcpc_binding *b, const struct note *note)
{
	const struct vcpc_begin begin = {
		.flags = flags_now(note) | VCPC_OPEN_INHERITED,
		.presets = note->own ? note->presets : NULL,
	};
	int bad, ret;

	vcpc_binding_retire(b, false);
	ret = vcpc_binding_add(b, current, &begin, &bad);
	if (ret != -EUSERS && ret != -ENOMEM)
		return ret;
	vcpc_binding_retire_all(b->set);
	return vcpc_binding_add(b, current, &begin, &bad);
}

static void lose(struct vcpc_binding *b)
{
	WRITE_ONCE(b->lost, true);
	vcpc_stats_count(VCPC_STAT_UNINHERITED);
}

/* It may be bound already, by a BIND of its whole process. */
static void inherit(struct vcpc_binding *b, const struct note *note)
{
	struct vcpc_set *set = b->set;

	/* Who exits without having been in user mode has nothing to count. */
	if (current->flags & PF_EXITING)
		return;
	/* A thread that is killed before it has an instance has nothing to count, either. */
	if (vcpc_set_lock(set))
		return;
	if (!b->closed && !vcpc_set_find_task(set, current) && add_instance(b, note) &&
	    !fatal_signal_pending(current))
		lose(b);
	vcpc_set_unlock(set);
}

/* In the new thread */
static void read_note(struct callback_head *work)
{
	struct note *note = container_of(work, struct note, work);
	struct vcpc_binding *b = note->binding;

	inherit(b, note);
	atomic_dec(&b->pending);
	vcpc_binding_put(b);
	kfree(note);
	/* What is left of this function is waited for by vcpc_internals_exit(). */
	module_put(THIS_MODULE);
}

/* @inst cannot go away: its lock is held, and it was not closed. */
static bool fill_note(struct note *note, struct vcpc_instance *inst)
{
	struct vcpc_binding *b = inst->binding;

	lockdep_assert_held(&inst->lock);
	if (inst->state & VCPC_INSTANCE_CLOSED || vcpc_instance_ended(inst))
		return false;
	if (!note || inst->state & VCPC_INSTANCE_INVALID) {
		lose(b);
		return false;
	}
	vcpc_binding_get(b);
	__module_get(THIS_MODULE);
	atomic_inc(&b->pending);
	note->binding = b;
	/* Before the state: what is new here was written after all states were. */
	note->turns = smp_load_acquire(&b->turns);
	if (inst->state & VCPC_INSTANCE_STOPPED)
		note->flags |= VCPC_OPEN_STOPPED;
	if (vcpc_counter_waits(inst->counters))
		note->flags |= VCPC_OPEN_ON_EXEC;
	note->own = inst->presets;
	if (note->own)
		memcpy(note->presets, inst->presets, b->set->spec.nr * sizeof(note->presets[0]));
	return true;
}

static void pass_on(struct vcpc_instance *inst, void *arg)
{
	const struct birth *birth = arg;
	unsigned long flags;
	struct note *note;
	bool filled;

	if (!(inst->binding->flags & (VCPC_BIND_F_INHERIT | VCPC_BIND_F_TREE)))
		return;
	if (!birth->same_process && !(inst->binding->flags & VCPC_BIND_F_TREE))
		return;
	note = kzalloc(struct_size(note, presets, inst->spec->nr),
		       GFP_NOWAIT | __GFP_NOWARN | __GFP_ACCOUNT);

	raw_spin_lock_irqsave(&inst->lock, flags);
	filled = fill_note(note, inst);
	raw_spin_unlock_irqrestore(&inst->lock, flags);

	if (!filled) {
		kfree(note);
		return;
	}
	init_task_work(&note->work, read_note);
	vcpc_task_work_push(birth->child, &note->work);
}

static void probe_newtask(void *data, struct task_struct *child, unsigned long clone_flags)
{
	struct birth birth = { .child = child, .same_process = clone_flags & CLONE_THREAD };

	if (!(child->flags & VCPC_NEVER_IN_USER_MODE))
		vcpc_threads_walk(current, pass_on, &birth);
}

static void look_for(struct tracepoint *tp, void *arg)
{
	if (!strcmp(tp->name, "task_newtask"))
		newtask = tp;
}

static void stop_watching(struct work_struct *work)
{
	mutex_lock(&watch_lock);
	if (watching && !watchers) {
		tracepoint_probe_unregister(newtask, probe_newtask, NULL);
		watching = false;
	}
	mutex_unlock(&watch_lock);
}

static DECLARE_DELAYED_WORK(idle, stop_watching);

/**
 * vcpc_inherit_init() - find the tracepoint; at load
 */
void vcpc_inherit_init(void)
{
	/* Only its type is looked at: the function that registers is not for modules. */
	check_trace_callback_type_task_newtask(probe_newtask);
	for_each_kernel_tracepoint(look_for, NULL);
}

/**
 * vcpc_inherit_exit() - wait until nobody is in this file any more; at unload
 *
 * Context: sleeps; there are no sets left.
 */
void vcpc_inherit_exit(void)
{
	cancel_delayed_work_sync(&idle);
	stop_watching(NULL);
	tracepoint_synchronize_unregister();
}

/**
 * vcpc_inherit_can() - can sets be inherited on this kernel?
 *
 * Return: true or false.
 */
bool vcpc_inherit_can(void)
{
	return newtask && vcpc_task_work_works();
}

/**
 * vcpc_inherit_watch() - hear of new threads, for a set
 * @set: until vcpc_inherit_unwatch(); may watch already
 *
 * Context: sleeps; not under the set's lock, as the kernel patches its text.
 * Return: 0, -EOPNOTSUPP, -ENOMEM, -EINTR.
 */
int vcpc_inherit_watch(struct vcpc_set *set)
{
	int ret = 0;

	if (!vcpc_inherit_can())
		return -EOPNOTSUPP;
	ret = mutex_lock_killable(&watch_lock);
	if (ret)
		return ret;
	if (!watching)
		ret = tracepoint_probe_register(newtask, probe_newtask, NULL);
	watching = !ret;
	if (!set->watched && !ret) {
		set->watched = true;
		watchers++;
	}
	mutex_unlock(&watch_lock);
	return ret;
}

/**
 * vcpc_inherit_unwatch() - no longer
 * @set: the set; need not have watched
 *
 * Context: as vcpc_inherit_watch().
 */
void vcpc_inherit_unwatch(struct vcpc_set *set)
{
	mutex_lock(&watch_lock);
	if (set->watched && !--watchers)
		mod_delayed_work(system_wq, &idle, HZ);
	set->watched = false;
	mutex_unlock(&watch_lock);
}
