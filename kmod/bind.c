// SPDX-License-Identifier: GPL-2.0
/*
 * BIND: who is meant, may it be counted, is there room, and then put the set
 * on the thread, or on all threads of the process.
 *
 * Locking: the set's lock.
 */
#include <linux/err.h>
#include <linux/pid.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/timekeeping.h>

#include "bind.h"
#include "binding.h"
#include "caps.h"
#include "compat/task_flags.h"
#include "heirs.h"
#include "probe.h"
#include "set.h"

static struct task_struct *get_target(pid_t tid)
{
	struct task_struct *task;

	rcu_read_lock();
	task = tid ? pid_task(find_vpid(tid), PIDTYPE_PID) : current;
	if (task)
		get_task_struct(task);
	rcu_read_unlock();
	return task;
}

/* The set may have come from somebody who was allowed more. */
static int bind_allowed(const struct vcpc_set *set, struct task_struct *task, int *bad)
{
	unsigned int i;
	int ret;

	for (i = 0; i < set->nr; i++) {
		ret = vcpc_caps_request(&set->requests[i]);
		if (ret) {
			*bad = i;
			return ret;
		}
	}
	return vcpc_caps_target(task);
}

/* An instance that has ended is not in the way of a new one. */
static bool is_bound(struct vcpc_set *set, struct task_struct *task)
{
	struct vcpc_instance *inst = vcpc_set_find_task(set, task);

	if (inst && vcpc_instance_ended(inst))
		vcpc_binding_settle(inst);
	return vcpc_set_find_task(set, task);
}

static u32 open_flags(const struct vcpc_binding *b)
{
	u32 flags = 0;

	if (b->set->flags & VCPC_SET_F_DISABLED)
		flags |= VCPC_OPEN_STOPPED;
	if (b->flags & VCPC_BIND_F_ENABLE_ON_EXEC)
		flags |= VCPC_OPEN_ON_EXEC;
	return flags;
}

static int bind_thread(struct vcpc_binding *b, struct task_struct *task, int *bad)
{
	if (is_bound(b->set, task))
		return -EBUSY;
	return vcpc_binding_add(b, task, open_flags(b), bad);
}

/*
 * A thread of the process that has no instance yet.  One that ends is left
 * out, and so is one that started after BIND, unless it may be the child of a
 * thread that was not bound in time.
 */
static struct task_struct *get_unbound(struct vcpc_binding *b, struct task_struct *member,
				       u64 since)
{
	bool all = b->flags & (VCPC_BIND_F_INHERIT | VCPC_BIND_F_TREE);
	struct task_struct *task, *found = NULL;
	struct vcpc_instance *inst;

	rcu_read_lock();
	for_each_thread(member, task) {
		if (task->flags & (PF_EXITING | VCPC_NEVER_IN_USER_MODE))
			continue;
		if (!all && task->start_time > since)
			continue;
		inst = vcpc_set_find_task(b->set, task);
		if (inst && inst->binding == b)
			continue;
		found = task;
		get_task_struct(found);
		break;
	}
	rcu_read_unlock();
	return found;
}

/*
 * While the threads run and start others.  A thread that is already bound when
 * it starts another passes its instance on; so when none is found without, all
 * have one or will get it.
 */
static int bind_process(struct vcpc_binding *b, struct task_struct *member, int *bad)
{
	u64 since = ktime_get_ns();
	struct task_struct *task;
	int ret = 0;

	while ((!ret || ret == -ESRCH) && (task = get_unbound(b, member, since))) {
		ret = bind_thread(b, task, bad);
		put_task_struct(task);
		if (fatal_signal_pending(current))
			return -EINTR;
		cond_resched();
	}
	if (ret && ret != -ESRCH)
		return ret;
	return b->nr ? 0 : -ESRCH;
}

/* Threads that do not run, or will start later, cannot tell yet whether there is room. */
static int try_first(const struct vcpc_set *set, const struct vcpc_bind_args *args,
		     const struct task_struct *task, int *bad)
{
	u32 later = VCPC_BIND_F_ENABLE_ON_EXEC | VCPC_BIND_F_PROCESS;

	if (task == current && !(args->flags & later))
		return 0;
	return vcpc_probe_rehearse(set->requests, set->nr, bad);
}

static int bind_task(struct vcpc_set *set, struct task_struct *task,
		     const struct vcpc_bind_args *args, int *bad)
{
	struct vcpc_binding *b;
	struct pid *pid;
	int ret;

	ret = bind_allowed(set, task, bad);
	if (ret)
		return ret;
	if (is_bound(set, task))
		return -EBUSY;
	ret = try_first(set, args, task, bad);
	if (ret)
		return ret;

	pid = get_task_pid(task, PIDTYPE_PID);
	b = vcpc_binding_create(set, pid, args->flags);
	put_pid(pid);
	if (IS_ERR(b))
		return PTR_ERR(b);
	ret = args->flags & VCPC_BIND_F_PROCESS ? bind_process(b, task, bad) :
						  bind_thread(b, task, bad);
	if (ret)
		vcpc_binding_close(b);
	return ret;
}

/**
 * vcpc_bind_set() - put a set on a thread, or on a process's threads
 * @set: the set
 * @args: checked arguments
 * @bad: on failure set to the request that was refused, or left alone
 *
 * Context: sleeps.
 * Return: 0, -ESRCH, -EACCES, -EBUSY, -ENOSPC, -EUSERS, -ENOMEM, -EINTR,
 * -EOPNOTSUPP, or the PMU's error.
 */
int vcpc_bind_set(struct vcpc_set *set, const struct vcpc_bind_args *args, int *bad)
{
	struct task_struct *task = get_target(args->tid);
	int ret = 0;

	if (!task)
		return -ESRCH;
	if (args->flags & (VCPC_BIND_F_INHERIT | VCPC_BIND_F_TREE))
		ret = vcpc_heirs_watch(set);
	if (!ret) {
		mutex_lock(&set->lock);
		ret = bind_task(set, task, args, bad);
		mutex_unlock(&set->lock);
	}
	put_task_struct(task);
	return ret;
}
