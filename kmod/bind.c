// SPDX-License-Identifier: GPL-2.0
/*
 * BIND: who is meant, may it be counted, is there room, and then put the set
 * on the thread, on all threads of the process, or on the CPU.
 *
 * Locking: the set's lock.
 */
#include <linux/capability.h>
#include <linux/cpumask.h>
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
#include "exclusion.h"
#include "find.h"
#include "heirs.h"
#include "listing.h"
#include "probe.h"
#include "set.h"
#include "uarg.h"

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
static int requests_allowed(const struct vcpc_set *set, int *bad)
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
	return 0;
}

/* Whoever may count a thread may not yet send it any signal. */
static int signal_allowed(const struct vcpc_set *set, struct task_struct *task)
{
	if (!set->signal || same_thread_group(task, current))
		return 0;
	return capable(CAP_KILL) ? 0 : -EACCES;
}

static int bind_allowed(const struct vcpc_set *set, struct task_struct *task, int *bad)
{
	return requests_allowed(set, bad) ?: vcpc_caps_target(task) ?: signal_allowed(set, task);
}

/* Threads or CPUs, not both; totals over them would mean nothing. */
static bool is_other_kind(struct vcpc_set *set, bool cpu)
{
	return !list_empty(&set->bindings) && vcpc_set_on_cpus(set) != cpu;
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
	const struct vcpc_start start = { .flags = open_flags(b) };

	if (is_bound(b->set, task))
		return -EBUSY;
	return vcpc_binding_add(b, task, &start, bad);
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

/* Each group has the counters for itself. */
static int try_groups(const struct vcpc_set *set, int *bad)
{
	int ret = 0, which;
	u32 i;

	for (i = 0; !ret && i < set->groups; i++) {
		struct vcpc_group group = vcpc_set_group(set, i);

		which = -1;
		ret = vcpc_probe_rehearse(&set->requests[group.begin], group.end - group.begin,
					  &which);
		if (ret && which >= 0)
			*bad = group.begin + which;
	}
	return ret;
}

static int try_all(const struct vcpc_set *set, int *bad)
{
	return set->groups ? try_groups(set, bad) :
			     vcpc_probe_rehearse(set->requests, set->nr, bad);
}

/* Threads that do not run, or will start later, cannot tell yet whether there is room. */
static int try_first(const struct vcpc_set *set, const struct vcpc_bind_args *args,
		     const struct task_struct *task, int *bad)
{
	u32 later = VCPC_BIND_F_ENABLE_ON_EXEC | VCPC_BIND_F_PROCESS;

	if (task == current && !(args->flags & later) && !set->groups)
		return 0;
	return try_all(set, bad);
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
	if (is_other_kind(set, false) || is_bound(set, task))
		return -EBUSY;
	ret = try_first(set, args, task, bad);
	if (ret)
		return ret;

	pid = get_task_pid(task, PIDTYPE_PID);
	b = vcpc_binding_create(set, pid, -1, args->flags);
	put_pid(pid);
	if (IS_ERR(b))
		return PTR_ERR(b);
	ret = args->flags & VCPC_BIND_F_PROCESS ? bind_process(b, task, bad) :
						  bind_thread(b, task, bad);
	if (ret)
		vcpc_binding_close(b);
	return ret;
}

static int bind_cpu_locked(struct vcpc_set *set, int cpu, u32 flags, int *bad)
{
	struct vcpc_binding *b;
	const struct vcpc_start start = {
		.flags = set->flags & VCPC_SET_F_DISABLED ? VCPC_OPEN_STOPPED : 0,
	};
	int ret;

	if (is_other_kind(set, true) || vcpc_find_cpu(set, cpu))
		return -EBUSY;
	/* Counters on a CPU go before those of threads, which would be lost for nothing. */
	ret = try_all(set, bad);
	if (ret)
		return ret;
	b = vcpc_binding_create(set, NULL, cpu, flags);
	if (IS_ERR(b))
		return PTR_ERR(b);
	ret = vcpc_binding_add(b, NULL, &start, bad);
	if (ret)
		vcpc_binding_close(b);
	return ret;
}

static void deprive(struct vcpc_set *set, void *unused)
{
	vcpc_set_deprive(set);
}

/* From when it is asked for, until sets on threads are invalid, no new one is let in. */
static int bind_cpu(struct vcpc_set *set, int cpu, u32 flags, int *bad)
{
	int ret;

	ret = requests_allowed(set, bad) ?: vcpc_caps_cpu();
	if (ret)
		return ret;
	if (cpu >= nr_cpu_ids || !cpu_online(cpu))
		return -ENODEV;
	ret = set->hw ? vcpc_exclusion_cpu(cpu, flags & VCPC_BIND_F_YIELD) : 0;
	if (ret)
		return ret;
	mutex_lock(&set->lock);
	ret = bind_cpu_locked(set, cpu, flags, bad);
	mutex_unlock(&set->lock);
	if (!set->hw)
		return ret;
	if (ret)
		vcpc_exclusion_cpu_done(cpu);
	else if (vcpc_exclusion_wanted())
		vcpc_listing_each(deprive, NULL);
	return ret;
}

/**
 * vcpc_bind_set() - put a set on a thread, on a process's threads, or on a CPU
 * @set: the set
 * @args: checked arguments
 * @bad: on failure set to the request that was refused, or left alone
 *
 * Context: sleeps.
 * Return: 0, -ESRCH, -EACCES, -EBUSY, -ENOSPC, -EUSERS, -ENOMEM, -EINTR,
 * -EOPNOTSUPP, -ENODEV, -EAGAIN, or the PMU's error.
 */
int vcpc_bind_set(struct vcpc_set *set, const struct vcpc_bind_args *args, int *bad)
{
	struct task_struct *task;
	int ret = 0;

	if (args->tid < 0)
		return bind_cpu(set, VCPC_UARG_CPU(args->tid), args->flags, bad);
	task = get_target(args->tid);
	if (!task)
		return -ESRCH;
	/* New processes may become somebody else's. */
	if (args->flags & VCPC_BIND_F_TREE && set->signal)
		ret = -EINVAL;
	else if (args->flags & (VCPC_BIND_F_INHERIT | VCPC_BIND_F_TREE))
		ret = vcpc_heirs_watch(set);
	if (!ret) {
		mutex_lock(&set->lock);
		ret = bind_task(set, task, args, bad);
		mutex_unlock(&set->lock);
	}
	put_task_struct(task);
	return ret;
}
