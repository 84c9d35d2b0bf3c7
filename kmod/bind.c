// SPDX-License-Identifier: GPL-2.0
/*
 * BIND: who is meant, may it be counted, is there room, and then put the set
 * on the thread, on all threads of the process, or on the CPU.
 *
 * Locking: the set's lock, and within it the target's exec_update_lock.
 */
#include <linux/cpumask.h>
#include <linux/err.h>
#include <linux/pid.h>
#include <linux/rwsem.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/ktime.h>
#include <linux/timekeeping.h>

#include "bind.h"
#include "binding.h"
#include "compat/task_flags.h"
#include "exclusion.h"
#include "hardware.h"
#include "inherit.h"
#include "internals.h"
#include "limits.h"
#include "policy.h"
#include "target.h"
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
static int requests_allowed(const struct vcpc_spec *spec, int *bad)
{
	unsigned int i;
	int ret;

	for (i = 0; i < spec->nr; i++) {
		ret = vcpc_policy_request(&spec->requests[i]);
		if (ret) {
			*bad = i;
			return ret;
		}
	}
	return 0;
}

static int target_allowed(const struct vcpc_spec *spec, struct task_struct *task)
{
	return vcpc_policy_target(task) ?: (spec->signal ? vcpc_policy_signal(task) : 0);
}

/* Threads or CPUs, not both; totals over them would mean nothing. */
static bool is_other_kind(struct vcpc_set *set, bool cpu)
{
	return !list_empty(&set->bindings) && set->on_cpus != cpu;
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

	if (b->set->spec.flags & VCPC_SET_F_DISABLED)
		flags |= VCPC_OPEN_STOPPED;
	if (b->flags & VCPC_BIND_F_ENABLE_ON_EXEC)
		flags |= VCPC_OPEN_ON_EXEC;
	return flags;
}

static int bind_thread(struct vcpc_binding *b, struct task_struct *task, int *bad)
{
	const struct vcpc_begin begin = { .flags = open_flags(b) };
	int ret;

	if (is_bound(b->set, task))
		return -EBUSY;
	ret = vcpc_binding_add(b, task, &begin, bad);
	if (ret != -EUSERS)
		return ret;
	/* What has ended may have left too little of what the user may have. */
	vcpc_binding_retire_all(b->set);
	return vcpc_binding_add(b, task, &begin, bad);
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
static int rehearse_groups(const struct vcpc_spec *spec, int *bad)
{
	int ret = 0, which;
	u32 i;

	for (i = 0; !ret && i < spec->groups; i++) {
		struct vcpc_range range = vcpc_spec_range(spec, i);

		which = -1;
		ret = vcpc_hardware_rehearse(&spec->requests[range.begin],
					     range.end - range.begin, &which);
		if (ret && which >= 0)
			*bad = range.begin + which;
		if (!ret && fatal_signal_pending(current))
			ret = -EINTR;
	}
	return ret;
}

/* Workers do it, so a user may have one at it at a time. */
static int rehearse(const struct vcpc_set *set, int *bad)
{
	const struct vcpc_spec *spec = &set->spec;
	int ret;

	if (mutex_lock_killable(&set->user->rehearsal))
		return -EINTR;
	ret = spec->groups ? rehearse_groups(spec, bad) :
			     vcpc_hardware_rehearse(spec->requests, spec->nr, bad);
	mutex_unlock(&set->user->rehearsal);
	return ret;
}

/* Whoever is refused for this anyway has nothing rehearsed. */
static int may_be_bound(struct vcpc_set *set, struct task_struct *task)
{
	int ret = vcpc_set_lock(set);

	if (ret)
		return ret;
	ret = is_other_kind(set, false) || is_bound(set, task) ? -EBUSY : 0;
	vcpc_set_unlock(set);
	return ret;
}

/* Threads that do not run, or will start later, cannot tell yet whether there is room. */
static int rehearse_for(struct vcpc_set *set, const struct vcpc_bind_args *args,
			struct task_struct *task, int *bad)
{
	u32 later = VCPC_BIND_F_ENABLE_ON_EXEC | VCPC_BIND_F_PROCESS;

	if (task == current && !(args->flags & later) && !set->spec.groups)
		return 0;
	return may_be_bound(set, task) ?: rehearse(set, bad);
}

static int open_binding(struct vcpc_set *set, struct task_struct *task,
			const struct vcpc_bind_args *args, int *bad)
{
	struct vcpc_binding *b;
	struct pid *pid;
	int ret;

	if (is_other_kind(set, false) || is_bound(set, task))
		return -EBUSY;
	pid = get_task_pid(task, PIDTYPE_PID);
	b = vcpc_binding_create(set, pid, -1, args->flags);
	put_pid(pid);
	if (IS_ERR(b))
		return PTR_ERR(b);
	set->on_cpus = false;
	ret = args->flags & VCPC_BIND_F_PROCESS ? bind_process(b, task, bad) :
						  bind_thread(b, task, bad);
	if (ret)
		vcpc_binding_close(b);
	return ret;
}

/*
 * Asking and opening are one step for the target: until the lock is given back, it cannot
 * execute a program that gives it other rights.  execve ends the events if it does so later.
 */
static int bind_allowed(struct vcpc_set *set, struct task_struct *task,
			const struct vcpc_bind_args *args, int *bad)
{
	struct rw_semaphore *lock = vcpc_task_exec_lock(task);
	int ret = down_read_killable(lock);

	if (ret)
		return ret;
	ret = target_allowed(&set->spec, task) ?: open_binding(set, task, args, bad);
	up_read(lock);
	return ret;
}

static int bind_task(struct vcpc_set *set, struct task_struct *task,
		     const struct vcpc_bind_args *args, int *bad)
{
	int ret;

	/* Asked once more below; but whoever may not count it learns nothing else of it. */
	ret = requests_allowed(&set->spec, bad) ?: target_allowed(&set->spec, task);
	if (ret)
		return ret;
	if (args->flags & (VCPC_BIND_F_INHERIT | VCPC_BIND_F_TREE)) {
		ret = vcpc_inherit_watch(set);
		if (ret)
			return ret;
	}
	ret = rehearse_for(set, args, task, bad) ?: vcpc_set_lock(set);
	if (ret)
		return ret;
	ret = bind_allowed(set, task, args, bad);
	vcpc_set_unlock(set);
	return ret;
}

static int open_cpu(struct vcpc_set *set, int cpu, u32 flags, int *bad)
{
	const struct vcpc_begin begin = {
		.flags = set->spec.flags & VCPC_SET_F_DISABLED ? VCPC_OPEN_STOPPED : 0,
	};
	struct vcpc_binding *b;
	int ret;

	if (is_other_kind(set, true) || vcpc_target_cpu(set, cpu))
		return -EBUSY;
	b = vcpc_binding_create(set, NULL, cpu, flags);
	if (IS_ERR(b))
		return PTR_ERR(b);
	set->on_cpus = true;
	ret = vcpc_binding_add(b, NULL, &begin, bad);
	if (ret)
		vcpc_binding_close(b);
	return ret;
}

/* Counters on a CPU go before those of threads, which would be lost for nothing. */
static int bind_cpu_alone(struct vcpc_set *set, int cpu, u32 flags, int *bad)
{
	int ret = rehearse(set, bad) ?: vcpc_set_lock(set);

	if (ret)
		return ret;
	ret = open_cpu(set, cpu, flags, bad);
	vcpc_set_unlock(set);
	return ret;
}

static void deprive(struct vcpc_set *set)
{
	struct vcpc_instance *inst;
	unsigned int bucket;

	if (!set->spec.hw)
		return;
	rcu_read_lock();
	hash_for_each_rcu(set->instances, bucket, inst, node)
		vcpc_instance_deprive(inst);
	rcu_read_unlock();
}

/* No set's lock is taken: whoever is just doing something with one holds up nobody. */
static void deprive_threads(void)
{
	struct vcpc_set *set = NULL;

	while ((set = vcpc_set_next(set))) {
		deprive(set);
		cond_resched();
	}
}

/* From when it is asked for, until sets on threads are invalid, no new one is let in. */
static int bind_cpu(struct vcpc_set *set, int cpu, u32 flags, int *bad)
{
	int ret;

	ret = requests_allowed(&set->spec, bad) ?: vcpc_policy_cpu();
	if (ret)
		return ret;
	if (cpu >= nr_cpu_ids || !cpu_online(cpu))
		return -ENODEV;
	ret = set->spec.hw ? vcpc_exclusion_cpu(cpu, flags & VCPC_BIND_F_YIELD) : 0;
	if (ret)
		return ret;
	ret = bind_cpu_alone(set, cpu, flags, bad);
	if (!set->spec.hw)
		return ret;
	if (ret)
		vcpc_exclusion_cpu_done(cpu);
	else if (vcpc_exclusion_wanted())
		deprive_threads();
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
	int ret;

	/* A CPU cannot be told of overflows. */
	if (args->tid < 0)
		return set->spec.overflows ? -EINVAL :
		       bind_cpu(set, VCPC_UARG_CPU(args->tid), args->flags, bad);
	/* New processes may become somebody else's. */
	if (args->flags & VCPC_BIND_F_TREE && set->spec.signal)
		return -EINVAL;
	task = get_target(args->tid);
	if (!task)
		return -ESRCH;
	ret = bind_task(set, task, args, bad);
	put_task_struct(task);
	return ret;
}
