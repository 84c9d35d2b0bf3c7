// SPDX-License-Identifier: GPL-2.0
/*
 * A set: its requests, and what is done with all of it.
 *
 * Locking: see struct vcpc_set.  A thread that samples itself takes no lock of
 * the set's: with interrupts off it is an RCU reader, finds its instance, and
 * takes only that one's lock.
 */
#include <linux/err.h>
#include <linux/pid.h>
#include <linux/poll.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/timekeeping.h>

#include "binding.h"
#include "caps.h"
#include "find.h"
#include "heirs.h"
#include "limits.h"
#include "listing.h"
#include "overflow.h"
#include "probe.h"
#include "sample.h"
#include "set.h"
#include "setpage.h"
#include "tracecounts.h"
#include "uarg.h"

/* Groups stand one after the other, and none is empty. */
static int check_group(struct vcpc_set *set, u32 at)
{
	u32 group = set->requests[at].group;
	u32 last = at ? set->requests[at - 1].group : 0;

	if (group != last && (!at || group != last + 1))
		return -EINVAL;
	set->groups = group + 1;
	return 0;
}

static int set_fill(struct vcpc_set *set, const struct vcpc_set_create_args *args, int *bad)
{
	int ret;

	for (; set->nr < args->nr_requests; set->nr++) {
		struct vcpc_request *req = &set->requests[set->nr];

		ret = vcpc_uarg_request(req, args, set->nr);
		if (!ret)
			ret = vcpc_caps_request(req);
		if (!ret)
			ret = vcpc_probe_check(req);
		if (!ret && args->flags & VCPC_SET_F_GROUPS)
			ret = check_group(set, set->nr);
		if (ret) {
			*bad = set->nr;
			return ret;
		}
		/* Of other types, only the core's own events are let in. */
		set->hw |= req->type != PERF_TYPE_SOFTWARE;
		set->overflows |= !!(req->flags & VCPC_REQ_F_OVERFLOW);
	}
	return args->signal && !set->overflows ? -EINVAL : 0;
}

static struct vcpc_set *set_alloc(u32 nr)
{
	struct vcpc_set *set;

	set = kvzalloc(struct_size(set, requests, nr) + vcpc_sample_size(nr), GFP_KERNEL_ACCOUNT);
	if (set)
		set->scratch = (void *)&set->requests[nr];
	return set;
}

/**
 * vcpc_set_create() - make a set from the caller's requests
 * @args: checked arguments
 * @user: whom to account it to
 * @bad: on failure set to the request that was refused, or left alone
 *
 * Context: sleeps.
 * Return: the set, or an ERR_PTR: -EINVAL, -E2BIG, -ENOENT, -EOPNOTSUPP,
 * -EACCES, -EUSERS, -ENOMEM, -EFAULT.
 */
struct vcpc_set *vcpc_set_create(const struct vcpc_set_create_args *args, struct vcpc_user *user,
				 int *bad)
{
	struct vcpc_set *set;
	int ret;

	if (!args->nr_requests || args->nr_requests > vcpc_limits_requests())
		return ERR_PTR(-EINVAL);
	ret = vcpc_limits_charge(user, VCPC_LIMIT_SETS, 1);
	if (ret)
		return ERR_PTR(ret);

	set = set_alloc(args->nr_requests);
	if (!set) {
		ret = -ENOMEM;
		goto err_alloc;
	}
	ret = set_fill(set, args, bad);
	if (ret)
		goto err_fill;
	kref_init(&set->refs);
	set->sample_size = vcpc_sample_size(set->nr) +
			   set->groups * sizeof(struct vcpc_group_sample);
	set->quick_size = set->groups || set->nr > VCPC_SAMPLE_STACK ? U64_MAX : set->sample_size;
	set->flags = args->flags;
	set->slot = args->slot;
	set->signal = args->signal;
	init_waitqueue_head(&set->wait);
	set->seed = args->seed;
	set->events = vcpc_tracecounts_events(set->requests, set->nr);
	set->user = vcpc_limits_share(user);
	set->creator = get_task_pid(current, PIDTYPE_TGID);
	mutex_init(&set->lock);
	INIT_LIST_HEAD(&set->bindings);
	hash_init(set->instances);
	vcpc_listing_add(set);
	return set;

err_fill:
	kvfree(set);
err_alloc:
	vcpc_limits_uncharge(user, VCPC_LIMIT_SETS, 1);
	return ERR_PTR(ret);
}

static void set_free(struct kref *refs)
{
	struct vcpc_set *set = container_of(refs, struct vcpc_set, refs);

	vcpc_heirs_unwatch(set);
	vcpc_setpage_free(set);
	vcpc_limits_uncharge(set->user, VCPC_LIMIT_SETS, 1);
	vcpc_limits_put(set->user);
	put_pid(set->creator);
	mutex_destroy(&set->lock);
	kvfree_rcu(set, rcu);
}

/**
 * vcpc_set_put() - give back a reference
 * @set: the set; freed with the last
 *
 * Context: sleeps; not under the set's lock, unless it cannot be the last.
 */
void vcpc_set_put(struct vcpc_set *set)
{
	kref_put(&set->refs, set_free);
}

/**
 * vcpc_set_destroy() - undo all that the set did; its descriptor has gone
 * @set: the set; nobody but heirs on their way uses it any more
 *
 * Context: sleeps.
 */
void vcpc_set_destroy(struct vcpc_set *set)
{
	struct vcpc_binding *b, *next;

	vcpc_listing_del(set);
	mutex_lock(&set->lock);
	list_for_each_entry_safe(b, next, &set->bindings, node)
		vcpc_binding_close(b);
	mutex_unlock(&set->lock);
	vcpc_set_put(set);
}

/**
 * vcpc_set_publish() - let an instance be found by its thread
 * @set: the set
 * @inst: the instance
 *
 * Context: under the set's lock.
 */
void vcpc_set_publish(struct vcpc_set *set, struct vcpc_instance *inst)
{
	hash_add_rcu(set->instances, &inst->node, vcpc_set_key(inst->task));
}

/**
 * vcpc_set_unpublish() - no longer
 * @set: the set
 * @inst: the instance; freed by RCU only
 *
 * Context: under the set's lock.
 */
void vcpc_set_unpublish(struct vcpc_set *set, struct vcpc_instance *inst)
{
	hash_del_rcu(&inst->node);
}

/**
 * vcpc_set_on_cpus() - is the set bound to CPUs?
 * @set: the set
 *
 * Context: under the set's lock.
 * Return: false if it is bound to threads, or not at all.
 */
bool vcpc_set_on_cpus(struct vcpc_set *set)
{
	struct vcpc_binding *b;

	b = list_first_entry_or_null(&set->bindings, struct vcpc_binding, node);

	return b && b->cpu >= 0;
}

/* A binding without instances is kept for its sums, and for heirs that will come. */
static void unbind_one(struct vcpc_instance *inst)
{
	struct vcpc_binding *b = inst->binding;

	vcpc_binding_drop(inst);
	if (!b->nr && !b->folded && !atomic_read(&b->pending))
		vcpc_binding_close(b);
}

static int unbind_all(struct vcpc_set *set, pid_t tid)
{
	struct vcpc_binding *b, *next, *named;
	int ret = vcpc_find_bindings(set, tid, &named);

	if (ret)
		return ret;
	list_for_each_entry_safe(b, next, &set->bindings, node)
		if (vcpc_find_is_meant(b, named))
			vcpc_binding_close(b);
	return 0;
}

static int unbind(struct vcpc_set *set, pid_t tid)
{
	struct vcpc_instance *inst = vcpc_find_instance(set, tid);

	if (!inst)
		return -EINVAL;
	unbind_one(inst);
	return 0;
}

/**
 * vcpc_set_unbind() - take a set off a thread, or off all that BIND began
 * @set: the set
 * @tid: the instance's thread, or 0
 * @flags: VCPC_TARGET_F_*
 *
 * Context: sleeps.
 * Return: 0, or -EINVAL if it is not bound there.
 */
int vcpc_set_unbind(struct vcpc_set *set, pid_t tid, u32 flags)
{
	int ret;

	mutex_lock(&set->lock);
	ret = flags & VCPC_TARGET_F_ALL ? unbind_all(set, tid) : unbind(set, tid);
	mutex_unlock(&set->lock);
	return ret;
}

/**
 * vcpc_set_turn() - enable or disable all that BIND began
 * @set: the set
 * @tid: one of its threads; 0: all that all BINDs began
 * @op: VCPC_OP_ENABLE or VCPC_OP_DISABLE
 *
 * Context: sleeps.
 * Return: 0, also for those that are so already; -EINVAL if it is not bound
 * there; -EAGAIN if an instance is invalid; -EINTR.
 */
int vcpc_set_turn(struct vcpc_set *set, pid_t tid, enum vcpc_op op)
{
	struct vcpc_binding *b, *named;
	int ret;

	mutex_lock(&set->lock);
	ret = vcpc_find_bindings(set, tid, &named);
	if (!ret)
		list_for_each_entry(b, &set->bindings, node)
			if (vcpc_find_is_meant(b, named))
				vcpc_binding_turn(b, op, &ret);
	mutex_unlock(&set->lock);
	return ret;
}

/**
 * vcpc_set_do() - do something with one of a set's instances
 * @set: the set
 * @tid: the instance's thread, or 0
 * @op: what to do
 * @sample: room for a sample; NULL if nobody wants it
 *
 * Context: sleeps.
 * Return: 0; -EINVAL if it is not bound there or already is in the state asked
 * for; -EAGAIN if it is invalid; -EINTR.
 */
int vcpc_set_do(struct vcpc_set *set, pid_t tid, enum vcpc_op op, struct vcpc_sample *sample)
{
	struct vcpc_instance *inst;
	int ret = -EINVAL;

	mutex_lock(&set->lock);
	inst = vcpc_find_instance(set, tid);
	if (inst)
		ret = vcpc_operate_on(inst, op, sample);
	mutex_unlock(&set->lock);
	return ret;
}

/**
 * vcpc_set_preset() - what a request of an instance starts from
 * @set: the set
 * @args: checked arguments
 *
 * Context: sleeps.
 * Return: 0, -EINVAL, -ENOMEM.
 */
int vcpc_set_preset(struct vcpc_set *set, const struct vcpc_preset_args *args)
{
	struct vcpc_instance *inst;
	int ret = -EINVAL;

	if (args->request >= set->nr)
		return -EINVAL;
	mutex_lock(&set->lock);
	inst = vcpc_find_instance(set, args->tid);
	if (inst)
		ret = vcpc_instance_preset(inst, args->request, args->preset);
	mutex_unlock(&set->lock);
	return ret;
}

/**
 * vcpc_set_overflows() - how often an instance's requests have overflowed
 * @set: the set; its news are known from now on
 * @tid: the instance's thread, or 0
 * @counts: one for each request
 *
 * Context: sleeps.
 * Return: 0 or -EINVAL.
 */
int vcpc_set_overflows(struct vcpc_set *set, pid_t tid, u64 *counts)
{
	struct vcpc_instance *inst;
	int ret = -EINVAL;

	mutex_lock(&set->lock);
	inst = vcpc_find_instance(set, tid);
	if (inst && inst->overflow) {
		/* First: what comes meanwhile is news again. */
		WRITE_ONCE(set->news, false);
		vcpc_overflow_counts(inst->overflow, counts);
		ret = 0;
	}
	mutex_unlock(&set->lock);
	return ret;
}

/**
 * vcpc_set_wake() - tell pollers if an instance was found invalid
 * @set: the set
 * @ret: -EAGAIN if it was
 *
 * Context: not under an instance's lock.
 */
void vcpc_set_wake(struct vcpc_set *set, int ret)
{
	if (ret == -EAGAIN)
		wake_up_interruptible_poll(&set->wait, EPOLLERR);
}

/**
 * vcpc_set_invalid() - was an instance found invalid?
 * @set: the set
 *
 * Context: sleeps.
 * Return: true or false.
 */
bool vcpc_set_invalid(struct vcpc_set *set)
{
	struct vcpc_instance *inst;
	struct vcpc_binding *b;
	bool invalid = false;

	mutex_lock(&set->lock);
	list_for_each_entry(b, &set->bindings, node)
		list_for_each_entry(inst, &b->instances, in_binding)
			invalid |= !!(READ_ONCE(inst->state) & VCPC_INSTANCE_INVALID);
	mutex_unlock(&set->lock);
	return invalid;
}

/**
 * vcpc_set_sample_groups() - sample one of the instances of a set with groups
 * @set: the set
 * @tid: the instance's thread, or 0
 * @sample: room for a sample; filled on success
 * @groups: likewise; what its groups have had
 *
 * As vcpc_set_sample().
 *
 * Context: sleeps.
 * Return: as vcpc_set_do().
 */
int vcpc_set_sample_groups(struct vcpc_set *set, pid_t tid, struct vcpc_sample *sample,
			   struct vcpc_group_sample *groups)
{
	struct vcpc_instance *inst;
	int ret;

	if (!tid) {
		local_irq_disable();
		inst = vcpc_set_find_task(set, current);
		if (inst) {
			ret = vcpc_operate_sample_self(inst, sample, groups);
			local_irq_enable();
			vcpc_set_wake(set, ret);
			return ret;
		}
		local_irq_enable();
	}
	mutex_lock(&set->lock);
	inst = vcpc_find_instance(set, tid);
	ret = inst ? vcpc_operate_groups(inst, VCPC_OP_SAMPLE, sample, groups) : -EINVAL;
	mutex_unlock(&set->lock);
	return ret;
}

/* CPUs' rounds are not added up, but the least is looked for. */
static void clear_groups(struct vcpc_set *set, struct vcpc_group_sample *groups)
{
	u32 i;

	memset(groups, 0, set->groups * sizeof(*groups));
	if (vcpc_set_on_cpus(set))
		for (i = 0; i < set->groups; i++)
			groups[i].rounds = U64_MAX;
}

/**
 * vcpc_set_total() - sum up all that BIND began, also what has ended
 * @set: the set
 * @tid: one of its threads; 0: all that all BINDs began
 * @total: room for a sample; filled on success
 * @groups: for what their groups have had, with room for twice as many; NULL
 *	if the set has none
 *
 * Threads are read one after the other, while the others run.
 *
 * Context: sleeps.
 * Return: 0; -EINVAL if it is not bound there; -EAGAIN if a count was lost, or
 * a thread could not be counted; -EINTR.
 */
int vcpc_set_total(struct vcpc_set *set, pid_t tid, struct vcpc_sample *total,
		   struct vcpc_group_sample *groups)
{
	struct vcpc_binding *b, *named;
	int ret;

	memset(total, 0, sizeof(*total));
	memset(total->values, 0, set->nr * sizeof(total->values[0]));
	total->nr = set->nr;
	total->state = VCPC_STATE_EXITED;

	mutex_lock(&set->lock);
	if (groups)
		clear_groups(set, groups);
	total->time = ktime_get_ns();
	ret = vcpc_find_bindings(set, tid, &named);
	if (!ret)
		list_for_each_entry(b, &set->bindings, node)
			if (vcpc_find_is_meant(b, named))
				vcpc_binding_total(b, total, groups, &ret);
	mutex_unlock(&set->lock);
	return ret;
}

/* The first request of that group, or of one behind it; they stand in order. */
static u32 first_from(const struct vcpc_set *set, u32 group)
{
	u32 begin = 0, end = set->nr, middle;

	while (begin < end) {
		middle = (begin + end) / 2;
		if (set->requests[middle].group < group)
			begin = middle + 1;
		else
			end = middle;
	}
	return begin;
}

/**
 * vcpc_set_group() - a group's requests
 * @set: the set, with groups
 * @group: which
 *
 * Return: where they are.
 */
struct vcpc_group vcpc_set_group(const struct vcpc_set *set, u32 group)
{
	return (struct vcpc_group) {
		.begin = first_from(set, group),
		.end = first_from(set, group + 1),
	};
}

/**
 * vcpc_set_deprive() - another set counts hardware events, on a CPU
 * @set: if it counts them on threads, that is invalid from now on
 *
 * Context: under the set's lock.
 */
void vcpc_set_deprive(struct vcpc_set *set)
{
	struct vcpc_instance *inst;
	struct vcpc_binding *b;

	if (!set->hw)
		return;
	list_for_each_entry(b, &set->bindings, node)
		if (b->cpu < 0)
			list_for_each_entry(inst, &b->instances, in_binding)
				vcpc_instance_deprive(inst);
}
