// SPDX-License-Identifier: GPL-2.0
/*
 * What there is: a set's instances for its owner, and for root in debugfs all sets (vcpc/sets)
 * and what the module counts of itself (vcpc/stats).
 *
 * Locking: a set's lock, waited for killably.  Who reads the list of sets holds a reference to
 * the set that is shown, and nothing else.
 */
#include <linux/cred.h>
#include <linux/debugfs.h>
#include <linux/err.h>
#include <linux/list.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/pid.h>
#include <linux/pid_namespace.h>
#include <linux/sched.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "binding.h"
#include "limits.h"
#include "listing.h"
#include "set.h"
#include "stats.h"

static struct dentry *folder;

static void fill_info(struct vcpc_instance_info *info, const struct vcpc_instance *inst,
		      struct pid_namespace *ns)
{
	memset(info, 0, sizeof(*info));
	info->tid = inst->cpu >= 0 ? inst->cpu : pid_nr_ns(vcpc_instance_pid(inst), ns);
	info->tgid = pid_nr_ns(inst->tgid, ns);
	info->root = pid_nr_ns(inst->binding->pid, ns);
	info->bind_flags = inst->binding->flags;
	info->state = vcpc_instance_state(inst);
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
 * Return: 0, -ENOMEM, -EINTR or -EFAULT.
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
	ret = vcpc_set_lock(set);
	if (ret)
		goto out;
	fill_all(set, args, info, room);
	vcpc_set_unlock(set);
	ret = put_infos(args, info, min(room, args->nr));
out:
	kvfree(info);
	return ret;
}

static void show_requests(struct seq_file *m, const struct vcpc_spec *spec)
{
	u32 i;

	for (i = 0; i < spec->nr; i++) {
		const struct vcpc_request *req = &spec->requests[i];

		seq_printf(m, " request %u type %u config %#llx flags %#x preset %llu\n", i,
			   req->type, req->config, req->flags, req->preset);
	}
}

static const char *activity(const struct vcpc_instance *inst, u32 state)
{
	if (state & VCPC_STATE_FROZEN)
		return "frozen";
	if (vcpc_instance_is(inst, VCPC_INSTANCE_STOPPED))
		return "stopped";
	return state & VCPC_STATE_COUNTING ? "counting" : "waiting";
}

static void show_instance(struct seq_file *m, const struct vcpc_instance *inst)
{
	u32 state = vcpc_instance_state(inst);

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
	struct vcpc_set *set = at;
	const struct vcpc_binding *b;
	int ret = vcpc_set_lock(set);

	if (ret)
		return ret;
	seq_printf(m, "set uid %u pid %d flags %#x requests %u instances %u\n",
		   from_kuid(&init_user_ns, set->user->uid), pid_nr(set->creator),
		   set->spec.flags, set->spec.nr, set->bound);
	show_requests(m, &set->spec);
	list_for_each_entry(b, &set->bindings, node)
		show_binding(m, b);
	vcpc_set_unlock(set);
	return 0;
}

/* Where reading goes on is the number of a set that may have gone meanwhile. */
static void *sets_start(struct seq_file *m, loff_t *pos)
{
	return vcpc_set_from(*pos);
}

static void *sets_next(struct seq_file *m, void *at, loff_t *pos)
{
	struct vcpc_set *next = vcpc_set_next(at);

	*pos = next ? next->id : VCPC_SET_ID_END;
	return next;
}

static void sets_stop(struct seq_file *m, void *at)
{
	if (at)
		vcpc_guard_put(&((struct vcpc_set *)at)->guard);
}

static const struct seq_operations sets_sops = {
	.start = sets_start,
	.next = sets_next,
	.stop = sets_stop,
	.show = sets_show,
};

DEFINE_SEQ_ATTRIBUTE(sets);

static int stats_show(struct seq_file *m, void *unused)
{
	vcpc_stats_show(m);
	return 0;
}

DEFINE_SHOW_ATTRIBUTE(stats);

static int users_show(struct seq_file *m, void *unused)
{
	vcpc_limits_show(m);
	return 0;
}

DEFINE_SHOW_ATTRIBUTE(users);

/**
 * vcpc_listing_init() - make the files in debugfs; at load
 *
 * Nothing depends on them, so it does not matter if there are none.
 */
void vcpc_listing_init(void)
{
	folder = debugfs_create_dir("vcpc", NULL);
	debugfs_create_file("sets", 0400, folder, NULL, &sets_fops);
	debugfs_create_file("stats", 0400, folder, NULL, &stats_fops);
	debugfs_create_file("users", 0400, folder, NULL, &users_fops);
}

/**
 * vcpc_listing_exit() - take them away again, when nobody reads them any more
 */
void vcpc_listing_exit(void)
{
	debugfs_remove(folder);
}
