// SPDX-License-Identifier: GPL-2.0
/*
 * Who may count what.
 *
 * perf does not ask who is behind a kernel counter, so it is asked here:
 *
 *  - Whoever may open /dev/vcpc may count user mode of its own process's threads, and of
 *    threads that it traces: the node's mode is the administrator's word on that.  A tracer
 *    was asked for more when it attached, and sees all that the thread does.
 *  - Kernel mode, CPUs, and other processes need CAP_PERFMON, unless both the module's
 *    parameter paranoid and the sysctl kernel.perf_event_paranoid allow them to everybody:
 *    whichever is stricter decides.
 *
 * Another process is opened up to its own user at most, and not if it has other rights than
 * its user or does not let itself be dumped: who may count a thread learns something of what
 * it does.
 *
 * This is asked when a set is made, and again when it is bound, then under the target's
 * exec_update_lock together with opening the events: a target cannot gain privileges by
 * execve in between.  After that the set's descriptor is the authority, as a perf event's is.
 * If the target gains privileges by execve later, the kernel's exec ends all its perf events
 * before the new program's first instruction, and the counts stay what they were.
 *
 * Locking: none; the sysctl's file is opened at load only.
 */
#include <linux/capability.h>
#include <linux/cred.h>
#include <linux/err.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/kstrtox.h>
#include <linux/minmax.h>
#include <linux/moduleparam.h>
#include <linux/mount.h>
#include <linux/printk.h>
#include <linux/ptrace.h>
#include <linux/sched.h>
#include <linux/sched/coredump.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/string.h>
#include <linux/uidgid.h>
#include <linux/vcpc.h>

#include "policy.h"

/* Levels, as in the parameter's description */
#define POLICY_ALL		3
#define POLICY_KERNEL		2
#define POLICY_CPU		1
#define POLICY_OTHERS		0

static int paranoid = POLICY_KERNEL;
module_param(paranoid, int, 0644);
MODULE_PARM_DESC(paranoid, "what needs CAP_PERFMON: 3 all, 2 kernel mode, CPUs and other processes (default), 1 CPUs and other processes, 0 other processes, -1 other users' processes; what goes beyond one's own threads needs kernel.perf_event_paranoid to allow it, too");

/* A mount of /proc that only the module has, so that nobody can put something else there */
static struct vfsmount *proc;
static struct file *sysctl;

/**
 * vcpc_policy_init() - find the sysctl kernel.perf_event_paranoid; at load
 *
 * The kernel does not export its value to modules.  Without it, what goes beyond one's own
 * threads needs CAP_PERFMON.
 */
void vcpc_policy_init(void)
{
	struct file_system_type *type = get_fs_type("proc");

	proc = type ? kern_mount(type) : ERR_PTR(-ENODEV);
	sysctl = IS_ERR(proc) ? ERR_CAST(proc) :
		 file_open_root_mnt(proc, "sys/kernel/perf_event_paranoid", O_RDONLY, 0);
	if (IS_ERR(sysctl))
		pr_warn("kernel.perf_event_paranoid cannot be read (%ld): only CAP_PERFMON may count more than own threads\n",
			PTR_ERR(sysctl));
}

/**
 * vcpc_policy_exit() - at unload
 */
void vcpc_policy_exit(void)
{
	/* The file is put for good later, and holds the mount until then. */
	if (!IS_ERR_OR_NULL(sysctl))
		fput(sysctl);
	if (!IS_ERR_OR_NULL(proc))
		kern_unmount(proc);
}

static int read_sysctl(void)
{
	char text[16] = "";
	loff_t pos = 0;
	int value;

	if (IS_ERR_OR_NULL(sysctl))
		return POLICY_ALL;
	if (kernel_read(sysctl, text, sizeof(text) - 1, &pos) <= 0 ||
	    kstrtoint(strim(text), 10, &value))
		return POLICY_ALL;
	return value;
}

/* May everybody count what goes beyond own threads and needs @level or less? */
static bool allowed_beyond(int level)
{
	if (READ_ONCE(paranoid) < level && read_sysctl() < level)
		return true;
	return perfmon_capable();
}

static bool allowed_own(void)
{
	return READ_ONCE(paranoid) < POLICY_ALL || perfmon_capable();
}

/**
 * vcpc_policy_request() - may the caller count this, on any thread?
 * @req: the request
 *
 * Context: sleeps.
 * Return: 0 or -EACCES.
 */
int vcpc_policy_request(const struct vcpc_request *req)
{
	if (req->flags & VCPC_REQ_F_KERNEL)
		return allowed_beyond(POLICY_KERNEL) ? 0 : -EACCES;
	return allowed_own() ? 0 : -EACCES;
}

static bool has_only(const struct cred *cred, kuid_t uid)
{
	return uid_eq(cred->uid, uid) && uid_eq(cred->euid, uid) && uid_eq(cred->suid, uid);
}

static bool has_users_rights(const struct cred *cred, const struct cred *own)
{
	/* What one may do in another namespace compares with nothing here. */
	return cred->user_ns == own->user_ns &&
	       has_only(cred, own->euid) && has_only(own, own->euid) &&
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
 * vcpc_policy_target() - may the caller count this thread?
 * @task: the thread; the caller holds a reference, and its exec_update_lock
 *
 * Context: sleeps.
 * Return: 0 or -EACCES.
 */
int vcpc_policy_target(struct task_struct *task)
{
	if (same_thread_group(task, current) || is_traced_by_caller(task))
		return 0;
	if (perfmon_capable())
		return 0;
	return is_same_user(task) && allowed_beyond(POLICY_OTHERS) ? 0 : -EACCES;
}

/**
 * vcpc_policy_signal() - may the caller let this thread be sent a signal?
 * @task: the thread, which the caller may count
 *
 * Whoever may count a thread may not yet send it any signal.
 *
 * Return: 0 or -EACCES.
 */
int vcpc_policy_signal(struct task_struct *task)
{
	return same_thread_group(task, current) || capable(CAP_KILL) ? 0 : -EACCES;
}

/**
 * vcpc_policy_cpu() - may the caller count what a CPU does?
 *
 * Context: sleeps.
 * Return: 0 or -EACCES.
 */
int vcpc_policy_cpu(void)
{
	return allowed_beyond(POLICY_CPU) ? 0 : -EACCES;
}
