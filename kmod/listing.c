// SPDX-License-Identifier: GPL-2.0
/*
 * What there is: a set's instances for its owner, and all sets for root in
 * debugfs (vcpc/sets).
 *
 * Locking: sets_lock guards the list of sets; a set's own lock is taken inside.
 */
#include <linux/cred.h>
#include <linux/debugfs.h>
#include <linux/err.h>
#include <linux/list.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/pid.h>
#include <linux/pid_namespace.h>
#include <linux/sched.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "binding.h"
#include "counter.h"
#include "instance.h"
#include "limits.h"
#include "listing.h"
#include "set.h"

static LIST_HEAD(sets);
static DEFINE_MUTEX(sets_lock);
static struct dentry *folder;

static u32 state_of(const struct vcpc_instance *inst)
{
	u32 state = 0;

	if (inst->state & VCPC_INSTANCE_INVALID)
		state |= VCPC_STATE_INVALID;
	if (vcpc_instance_ended(inst))
		state |= VCPC_STATE_EXITED;
	if (inst->state & VCPC_INSTANCE_STOPPED)
		return state | (READ_ONCE(inst->kept.state) & VCPC_STATE_FROZEN);
	/* What has ended while it waited for execve is not told from what has counted. */
	if (inst->state & VCPC_INSTANCE_SETTLED)
		return state | (inst->kept.state & VCPC_STATE_COUNTING);
	if (inst->state & VCPC_INSTANCE_OFFLINE)
		return state | VCPC_STATE_OFFLINE | VCPC_STATE_COUNTING;
	return vcpc_counter_waits(inst->counters) ? state : state | VCPC_STATE_COUNTING;
}

static void fill_info(struct vcpc_instance_info *info, const struct vcpc_instance *inst,
		      struct pid_namespace *ns)
{
	memset(info, 0, sizeof(*info));
	info->tid = inst->cpu >= 0 ? inst->cpu : pid_nr_ns(vcpc_instance_pid(inst), ns);
	info->tgid = pid_nr_ns(inst->tgid, ns);
	info->root = pid_nr_ns(inst->binding->pid, ns);
	info->bind_flags = inst->binding->flags;
	info->state = state_of(inst);
}

/* Under the set's lock, as long as there is room; all are counted. */
static void fill_all(struct vcpc_set *set, struct vcpc_instances_args *args,
		     struct vcpc_instance_info *info, u32 room)
{
	struct pid_namespace *ns = task_active_pid_ns(current);
	struct vcpc_instance *inst;
	struct vcpc_binding *b;
	u32 at = 0;

	args->folded = 0;
	args->pending = 0;
	args->lost = 0;
	list_for_each_entry(b, &set->bindings, node) {
		args->folded += b->folded;
		args->pending += atomic_read(&b->pending);
		args->lost |= READ_ONCE(b->lost);
		list_for_each_entry(inst, &b->instances, in_binding)
			if (at < room)
				fill_info(&info[at++], inst, ns);
	}
	args->nr = set->bound;
}

static int put_infos(const struct vcpc_instances_args *args, const struct vcpc_instance_info *info,
		     u32 nr)
{
	char __user *to = u64_to_user_ptr(args->info);
	size_t rest = args->info_size - sizeof(*info);
	u32 i;

	for (i = 0; i < nr; i++, to += args->info_size) {
		if (copy_to_user(to, &info[i], sizeof(*info)))
			return -EFAULT;
		if (rest && clear_user(to + sizeof(*info), rest))
			return -EFAULT;
	}
	return 0;
}

/**
 * vcpc_listing_instances() - do VCPC_IOC_INSTANCES
 * @set: the set
 * @args: checked arguments; filled on success
 *
 * Context: sleeps.
 * Return: 0, -ENOMEM or -EFAULT.
 */
int vcpc_listing_instances(struct vcpc_set *set, struct vcpc_instances_args *args)
{
	struct vcpc_instance_info *info;
	u32 room;
	int ret;

	/* More may come before it is locked again; they are counted, not listed. */
	room = min(args->room, READ_ONCE(set->bound));
	info = kvmalloc_array(max(room, 1U), sizeof(*info), GFP_KERNEL_ACCOUNT);
	if (!info)
		return -ENOMEM;
	mutex_lock(&set->lock);
	fill_all(set, args, info, room);
	mutex_unlock(&set->lock);
	ret = put_infos(args, info, min(room, args->nr));
	kvfree(info);
	return ret;
}

static void show_requests(struct seq_file *m, const struct vcpc_set *set)
{
	u32 i;

	for (i = 0; i < set->nr; i++) {
		const struct vcpc_request *req = &set->requests[i];

		seq_printf(m, " request %u type %u config %#llx flags %#x preset %llu\n", i,
			   req->type, req->config, req->flags, req->preset);
	}
}

static const char *activity(const struct vcpc_instance *inst, u32 state)
{
	if (state & VCPC_STATE_FROZEN)
		return "frozen";
	if (inst->state & VCPC_INSTANCE_STOPPED)
		return "stopped";
	return state & VCPC_STATE_COUNTING ? "counting" : "waiting";
}

static void show_instance(struct seq_file *m, const struct vcpc_instance *inst)
{
	u32 state = state_of(inst);

	if (inst->cpu >= 0)
		seq_printf(m, "  cpu %d", inst->cpu);
	else
		seq_printf(m, "  thread %d process %d", pid_nr(vcpc_instance_pid(inst)),
			   pid_nr(inst->tgid));
	seq_printf(m, " %s%s%s%s\n", activity(inst, state),
		   state & VCPC_STATE_EXITED ? " exited" : "",
		   state & VCPC_STATE_OFFLINE ? " offline" : "",
		   state & VCPC_STATE_INVALID ? " invalid" : "");
}

static void show_binding(struct seq_file *m, const struct vcpc_binding *b)
{
	const struct vcpc_instance *inst;

	if (b->cpu >= 0)
		seq_printf(m, " bind cpu %d", b->cpu);
	else
		seq_printf(m, " bind %d", pid_nr(b->pid));
	seq_printf(m, " flags %#x instances %u folded %u pending %d%s\n", b->flags, b->nr,
		   b->folded, atomic_read(&b->pending), READ_ONCE(b->lost) ? " lost" : "");
	list_for_each_entry(inst, &b->instances, in_binding)
		show_instance(m, inst);
}

/* The numbers are those of the first namespaces: only their root reads this. */
static int sets_show(struct seq_file *m, void *at)
{
	struct vcpc_set *set = list_entry(at, struct vcpc_set, node);
	const struct vcpc_binding *b;

	mutex_lock(&set->lock);
	seq_printf(m, "set uid %u pid %d flags %#x requests %u instances %u\n",
		   from_kuid(&init_user_ns, set->user->uid), pid_nr(set->creator), set->flags,
		   set->nr, set->bound);
	show_requests(m, set);
	list_for_each_entry(b, &set->bindings, node)
		show_binding(m, b);
	mutex_unlock(&set->lock);
	return 0;
}

static void *sets_start(struct seq_file *m, loff_t *pos)
{
	mutex_lock(&sets_lock);
	return seq_list_start(&sets, *pos);
}

static void *sets_next(struct seq_file *m, void *at, loff_t *pos)
{
	return seq_list_next(at, &sets, pos);
}

static void sets_stop(struct seq_file *m, void *at)
{
	mutex_unlock(&sets_lock);
}

static const struct seq_operations sets_sops = {
	.start = sets_start,
	.next = sets_next,
	.stop = sets_stop,
	.show = sets_show,
};

DEFINE_SEQ_ATTRIBUTE(sets);

/**
 * vcpc_listing_init() - make the file in debugfs; at load
 *
 * Nothing depends on it, so it does not matter if there is none.
 */
void vcpc_listing_init(void)
{
	folder = debugfs_create_dir("vcpc", NULL);
	debugfs_create_file("sets", 0400, folder, NULL, &sets_fops);
}

/**
 * vcpc_listing_exit() - take it away again, when nobody reads it any more
 */
void vcpc_listing_exit(void)
{
	debugfs_remove(folder);
}

/**
 * vcpc_listing_add() - list a set from now on
 * @set: the set, complete
 */
void vcpc_listing_add(struct vcpc_set *set)
{
	mutex_lock(&sets_lock);
	list_add_tail(&set->node, &sets);
	mutex_unlock(&sets_lock);
}

/**
 * vcpc_listing_del() - no longer
 * @set: the set; not locked
 */
void vcpc_listing_del(struct vcpc_set *set)
{
	mutex_lock(&sets_lock);
	list_del(&set->node);
	mutex_unlock(&sets_lock);
}

/**
 * vcpc_listing_each() - do something with every set
 * @fn: called for each, under its lock
 * @arg: for @fn
 *
 * Context: sleeps; under no set's lock.
 */
void vcpc_listing_each(void (*fn)(struct vcpc_set *set, void *arg), void *arg)
{
	struct vcpc_set *set;

	mutex_lock(&sets_lock);
	list_for_each_entry(set, &sets, node) {
		mutex_lock(&set->lock);
		fn(set, arg);
		mutex_unlock(&set->lock);
	}
	mutex_unlock(&sets_lock);
}
