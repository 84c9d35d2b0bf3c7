// SPDX-License-Identifier: GPL-2.0
/*
 * A set: its requests, and its instances on threads.
 *
 * Locking: see struct vcpc_set.  A thread that samples itself takes no lock of
 * the set's: with interrupts off it is an RCU reader, finds its instance, and
 * takes only that one's lock.
 */
#include <linux/err.h>
#include <linux/pid.h>
#include <linux/pid_namespace.h>
#include <linux/sched.h>
#include <linux/sched/task.h>
#include <linux/slab.h>

#include "caps.h"
#include "counter.h"
#include "limits.h"
#include "probe.h"
#include "set.h"
#include "uarg.h"

static unsigned long key(const struct task_struct *task)
{
	return (unsigned long)task;
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
		if (ret) {
			*bad = set->nr;
			return ret;
		}
	}
	return 0;
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

	set = kzalloc(struct_size(set, requests, args->nr_requests), GFP_KERNEL_ACCOUNT);
	if (!set) {
		ret = -ENOMEM;
		goto err_alloc;
	}
	ret = set_fill(set, args, bad);
	if (ret)
		goto err_fill;
	set->flags = args->flags;
	set->user = vcpc_limits_share(user);
	mutex_init(&set->lock);
	hash_init(set->instances);
	return set;

err_fill:
	kfree(set);
err_alloc:
	vcpc_limits_uncharge(user, VCPC_LIMIT_SETS, 1);
	return ERR_PTR(ret);
}

static void drop(struct vcpc_set *set, struct vcpc_instance *inst)
{
	hash_del_rcu(&inst->node);
	set->bound--;
	vcpc_instance_close(inst);
	vcpc_limits_uncharge(set->user, VCPC_LIMIT_COUNTERS, set->nr + 1);
}

/**
 * vcpc_set_destroy() - undo all that the set did, and free it
 * @set: the set; nobody else uses it any more
 *
 * Context: sleeps.
 */
void vcpc_set_destroy(struct vcpc_set *set)
{
	struct vcpc_instance *inst;
	struct hlist_node *next;
	int bucket;

	mutex_lock(&set->lock);
	hash_for_each_safe(set->instances, bucket, next, inst, node)
		drop(set, inst);
	mutex_unlock(&set->lock);

	vcpc_limits_uncharge(set->user, VCPC_LIMIT_SETS, 1);
	vcpc_limits_put(set->user);
	mutex_destroy(&set->lock);
	kfree(set);
}

/* Under RCU, which interrupts off are, or the set's lock. */
static struct vcpc_instance *find_task(struct vcpc_set *set, const struct task_struct *task)
{
	struct vcpc_instance *inst;

	hash_for_each_possible_rcu(set->instances, inst, node, key(task),
				   lockdep_is_held(&set->lock))
		if (inst->task == task)
			return inst;
	return NULL;
}

/* A dead thread's id may have been given to another, which is meant then. */
static struct vcpc_instance *find_tid(struct vcpc_set *set, pid_t tid)
{
	struct pid_namespace *ns = task_active_pid_ns(current);
	struct vcpc_instance *inst, *found = NULL;
	int bucket;

	hash_for_each(set->instances, bucket, inst, node) {
		if (pid_nr_ns(inst->pid, ns) != tid)
			continue;
		if (!found || pid_has_task(inst->pid, PIDTYPE_PID))
			found = inst;
	}
	return found;
}

static struct vcpc_instance *find_only(struct vcpc_set *set)
{
	struct vcpc_instance *inst;
	int bucket;

	if (set->bound == 1)
		hash_for_each(set->instances, bucket, inst, node)
			return inst;
	return NULL;
}

static struct vcpc_instance *find(struct vcpc_set *set, pid_t tid)
{
	lockdep_assert_held(&set->lock);

	if (tid)
		return find_tid(set, tid);
	return find_task(set, current) ?: find_only(set);
}

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

static int bind_task(struct vcpc_set *set, struct task_struct *task, u32 flags, int *bad)
{
	struct vcpc_instance *inst;
	int ret = bind_allowed(set, task, bad);

	if (ret)
		return ret;
	if (find_task(set, task))
		return -EBUSY;
	ret = vcpc_limits_charge(set->user, VCPC_LIMIT_COUNTERS, set->nr + 1);
	if (ret)
		return ret;
	inst = vcpc_instance_open(set->requests, set->nr, set->flags, flags, task, bad);
	if (IS_ERR(inst)) {
		vcpc_limits_uncharge(set->user, VCPC_LIMIT_COUNTERS, set->nr + 1);
		return PTR_ERR(inst);
	}
	hash_add_rcu(set->instances, &inst->node, key(task));
	set->bound++;
	return 0;
}

/**
 * vcpc_set_bind() - put a set on a thread
 * @set: the set
 * @args: checked arguments
 * @bad: on failure set to the request that was refused, or left alone
 *
 * Context: sleeps.
 * Return: 0, -ESRCH, -EACCES, -EBUSY, -ENOSPC, -EUSERS, -ENOMEM, -EINTR, or the
 * PMU's error.
 */
int vcpc_set_bind(struct vcpc_set *set, const struct vcpc_bind_args *args, int *bad)
{
	struct task_struct *task = get_target(args->tid);
	int ret;

	if (!task)
		return -ESRCH;
	mutex_lock(&set->lock);
	ret = bind_task(set, task, args->flags, bad);
	mutex_unlock(&set->lock);
	put_task_struct(task);
	return ret;
}

/**
 * vcpc_set_unbind() - take a set off a thread
 * @set: the set
 * @tid: the instance's thread, or 0
 *
 * Context: sleeps.
 * Return: 0, or -EINVAL if it is not bound there.
 */
int vcpc_set_unbind(struct vcpc_set *set, pid_t tid)
{
	struct vcpc_instance *inst;

	mutex_lock(&set->lock);
	inst = find(set, tid);
	if (inst)
		drop(set, inst);
	mutex_unlock(&set->lock);
	return inst ? 0 : -EINVAL;
}

/**
 * vcpc_set_do() - do something with one of a set's instances
 * @set: the set
 * @tid: the instance's thread, or 0
 * @op: what to do
 * @sample: room for a sample
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
	inst = find(set, tid);
	if (inst)
		ret = vcpc_instance_do(inst, op, sample);
	mutex_unlock(&set->lock);
	return ret;
}

/**
 * vcpc_set_sample() - sample one of a set's instances
 * @set: the set
 * @tid: the instance's thread, or 0
 * @sample: room for a sample; filled on success
 *
 * The calling thread's own instance is the fast case: no lock but its own.
 *
 * Context: sleeps, but not in the fast case.
 * Return: as vcpc_set_do().
 */
int vcpc_set_sample(struct vcpc_set *set, pid_t tid, struct vcpc_sample *sample)
{
	struct vcpc_instance *inst;
	int ret;

	if (!tid) {
		local_irq_disable();
		inst = find_task(set, current);
		if (likely(inst && !inst->inherit)) {
			ret = vcpc_instance_sample_self(inst, sample);
			local_irq_enable();
			return ret;
		}
		local_irq_enable();
	}
	return vcpc_set_do(set, tid, VCPC_OP_SAMPLE, sample);
}
