// SPDX-License-Identifier: GPL-2.0
/*
 * Who may count what.
 *
 * perf does not check permissions for kernel counters, so the module does:
 *
 *  - A user who may open /dev/vcpc may count his own threads in user mode: the node's mode is
 *    the administrator's decision.
 *  - Kernel mode needs CAP_PERFMON, unless both the module's parameter paranoid and the sysctl
 *    kernel.perf_event_paranoid allow it to everybody.
 *
 * Both are checked when a set is created and again when a thread binds it, because the
 * descriptor may come from another process that was allowed more.
 *
 * Locking: none; the sysctl's file is opened at load only.
 */
#include <linux/capability.h>
#include <linux/err.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/kstrtox.h>
#include <linux/moduleparam.h>
#include <linux/mount.h>
#include <linux/printk.h>
#include <linux/string.h>
#include <linux/vcpc.h>

#include "policy.h"

/* Levels of paranoid, as in its description */
#define POLICY_ALL		3
#define POLICY_KERNEL		2

static int paranoid = POLICY_KERNEL;
module_param(paranoid, int, 0644);
MODULE_PARM_DESC(paranoid, "what needs CAP_PERFMON: 3 everything, 2 kernel mode (default), 1 or less nothing; kernel mode also needs kernel.perf_event_paranoid to be 1 or less");

/* A private mount of /proc, where nobody can put something else */
static struct vfsmount *proc;
static struct file *sysctl;

/**
 * vcpc_policy_init() - open the sysctl kernel.perf_event_paranoid; at load
 *
 * The kernel does not export its value.  Without it, kernel mode needs CAP_PERFMON.
 */
void vcpc_policy_init(void)
{
	struct file_system_type *type = get_fs_type("proc");

	proc = type ? kern_mount(type) : ERR_PTR(-ENODEV);
	sysctl = IS_ERR(proc) ? ERR_CAST(proc) :
		 file_open_root_mnt(proc, "sys/kernel/perf_event_paranoid", O_RDONLY, 0);
	if (IS_ERR(sysctl))
		pr_warn("cannot read kernel.perf_event_paranoid (%ld): counting kernel mode needs CAP_PERFMON\n",
			PTR_ERR(sysctl));
}

/**
 * vcpc_policy_exit() - close it; at unload
 */
void vcpc_policy_exit(void)
{
	/* The file's last reference is put later, and holds the mount until then. */
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

/* Whether everybody may count kernel mode */
static bool kernel_is_open(void)
{
	return READ_ONCE(paranoid) < POLICY_KERNEL && read_sysctl() < POLICY_KERNEL;
}

/**
 * vcpc_policy_request() - whether the caller may count this on its own threads
 * @req: the request
 *
 * Context: sleeps.
 * Return: 0 or -EACCES.
 */
int vcpc_policy_request(const struct vcpc_request *req)
{
	bool open = req->flags & VCPC_REQ_F_KERNEL ? kernel_is_open() :
						     READ_ONCE(paranoid) < POLICY_ALL;

	return open || perfmon_capable() ? 0 : -EACCES;
}
