// SPDX-License-Identifier: GPL-2.0
/*
 * What this CPU offers, and who may count what.
 *
 * perf does not ask who is behind a kernel counter, so it is asked here:
 *
 *  - A thread of the caller's own process, or of one that it traces, user mode:
 *    whoever may open /dev/vcpc.  Kernel mode, or another process: CAP_PERFMON.
 *    The parameter paranoid asks for more, or for less.
 *  - Events of the CPU's core and of software, nothing else.  Other PMUs
 *    (tracepoints, probes, breakpoints, tracing hardware, memory controllers)
 *    see more than one thread's user-mode work, or do more than count.
 *
 * This is checked when a set is made and again when it is bound.  After that
 * the set's descriptor is the authority, as a perf event's is.  A target that
 * gains privileges by exec does not take its counters along: the kernel's exec
 * detaches all perf events before the new program's first instruction, and the
 * counts stay what they were.
 *
 * Another process is opened up to its own user at most, and not if it has other
 * rights than its user or does not let itself be dumped: who may count a
 * thread learns something of what it does.
 *
 * Locking: the table of PMUs is written at load only; slots is atomic.
 */
#include <linux/atomic.h>
#include <linux/bitmap.h>
#include <linux/capability.h>
#include <linux/cpumask.h>
#include <linux/cred.h>
#include <linux/moduleparam.h>
#include <linux/perf_event.h>
#include <linux/ptrace.h>
#include <linux/sched.h>
#include <linux/sched/coredump.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/uidgid.h>
#include <linux/vcpc.h>

#include "caps.h"
#include "probe.h"

/* Kinds of core in one machine */
#define CAPS_MAX_CORES	8

static int paranoid = 2;
module_param(paranoid, int, 0644);
MODULE_PARM_DESC(paranoid, "what needs CAP_PERFMON: 3 all, 2 kernel mode, CPUs and other processes (default), 1 CPUs and other processes, 0 other processes, -1 other users' processes");

static u32 cores[CAPS_MAX_CORES];
static unsigned int nr_cores;
static atomic_t slots = ATOMIC_INIT(0);

static bool is_core(u32 type)
{
	unsigned int i;

	for (i = 0; i < nr_cores; i++)
		if (cores[i] == type)
			return true;
	return false;
}

/**
 * vcpc_caps_init() - find the PMUs of the CPUs' cores, and how much they count
 *
 * Context: sleeps; at load.
 */
void vcpc_caps_init(void)
{
	int cpu, type;

	for_each_online_cpu(cpu) {
		type = vcpc_probe_core_type(cpu);
		if (type >= 0 && !is_core(type) && nr_cores < CAPS_MAX_CORES)
			cores[nr_cores++] = type;
	}
	vcpc_caps_saw(vcpc_probe_slots());
}

/* Generic events say in the upper half which kind of core is meant. */
static bool generic_allowed(const struct vcpc_request *req)
{
	u32 core = req->config >> PERF_PMU_TYPE_SHIFT;

	return !core || is_core(core);
}

static bool software_allowed(const struct vcpc_request *req)
{
	return req->config < PERF_COUNT_SW_MAX && req->config != PERF_COUNT_SW_BPF_OUTPUT;
}

static bool event_allowed(const struct vcpc_request *req)
{
	switch (req->type) {
	case PERF_TYPE_HARDWARE:
	case PERF_TYPE_HW_CACHE:
		return generic_allowed(req);
	case PERF_TYPE_SOFTWARE:
		return software_allowed(req);
	case PERF_TYPE_RAW:
		return true;
	default:
		return is_core(req->type);
	}
}

/* Does the caller need no more than @level allows to everybody? */
static bool allowed_at(int level)
{
	return READ_ONCE(paranoid) <= level || perfmon_capable();
}

/**
 * vcpc_caps_request() - may the caller count this?
 * @req: the request
 *
 * Return: 0, -EOPNOTSUPP for events that are not offered, -EACCES.
 */
int vcpc_caps_request(const struct vcpc_request *req)
{
	if (!event_allowed(req))
		return -EOPNOTSUPP;
	return allowed_at(req->flags & VCPC_REQ_F_KERNEL ? 1 : 2) ? 0 : -EACCES;
}

static bool has_only(const struct cred *cred, kuid_t uid)
{
	return uid_eq(cred->uid, uid) && uid_eq(cred->euid, uid) && uid_eq(cred->suid, uid);
}

static bool has_users_rights(const struct cred *cred, const struct cred *own)
{
	return has_only(cred, own->euid) && has_only(own, own->euid) &&
	       gid_eq(cred->gid, own->egid) && gid_eq(cred->egid, own->egid) &&
	       gid_eq(cred->sgid, own->egid) &&
	       cap_issubset(cred->cap_permitted, own->cap_permitted);
}

static bool lets_itself_be_seen(struct task_struct *task)
{
	bool seen;

	task_lock(task);
	seen = task->mm && get_dumpable(task->mm) == SUID_DUMP_USER;
	task_unlock(task);
	return seen;
}

static bool is_same_user(struct task_struct *task)
{
	bool same;

	rcu_read_lock();
	same = has_users_rights(__task_cred(task), current_cred());
	rcu_read_unlock();
	return same && lets_itself_be_seen(task);
}

/* Who traces a thread was asked for more than that when it began to, and sees all it does. */
static bool is_traced_by_caller(struct task_struct *task)
{
	struct task_struct *tracer;
	bool traced;

	rcu_read_lock();
	tracer = ptrace_parent(task);
	traced = tracer && same_thread_group(tracer, current);
	rcu_read_unlock();
	return traced;
}

/**
 * vcpc_caps_target() - may the caller count this thread?
 * @task: the thread; the caller holds a reference
 *
 * Return: 0 or -EACCES.
 */
int vcpc_caps_target(struct task_struct *task)
{
	if (same_thread_group(task, current) || is_traced_by_caller(task) || perfmon_capable())
		return 0;
	return allowed_at(-1) && is_same_user(task) ? 0 : -EACCES;
}

/**
 * vcpc_caps_cpu() - may the caller count what a CPU does?
 *
 * Return: 0 or -EACCES.
 */
int vcpc_caps_cpu(void)
{
	return allowed_at(0) ? 0 : -EACCES;
}

/**
 * vcpc_caps_mixed() - are there different kinds of core?
 *
 * Return: true if a thread may come to a CPU that does not have its events.
 */
bool vcpc_caps_mixed(void)
{
	return nr_cores > 1;
}

/**
 * vcpc_caps_slots() - hardware counters found so far
 *
 * Return: the number; 0 if there is no PMU.
 */
unsigned int vcpc_caps_slots(void)
{
	return atomic_read(&slots);
}

/**
 * vcpc_caps_saw() - so many hardware counters were in use together
 * @hw: the number
 */
void vcpc_caps_saw(unsigned int hw)
{
	int old = atomic_read(&slots);

	while (old < (int)hw && !atomic_try_cmpxchg(&slots, &old, hw))
		;
}
