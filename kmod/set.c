// SPDX-License-Identifier: GPL-2.0
/*
 * Create sets, manage their instances, and implement the operations on them.
 *
 * A thread that samples its own instance (up to VCPC_SAMPLE_STACK requests), or starts or stops it,
 * takes no lock of the set: as an RCU reader it finds the instance and takes the instance's lock.
 * Everything else runs under the set's mutex.  Waiting for the mutex is killable, and only holders
 * of the set's descriptor and threads that inherit the set can wait for it.
 *
 * Locking: see struct vcpc_set.
 */
#include <linux/cred.h>
#include <linux/err.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/pid.h>
#include <linux/pid_namespace.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/timekeeping.h>

#include "limits.h"
#include "set.h"
#include "thread.h"

/* Minimum number of new instances between two searches for ended instances */
#define REAP_STEP	64
/* Approximate number of ended instances that can still be sampled individually */
#define KEPT		256

static struct vcpc_set *set_alloc(u32 nr)
{
	size_t head = struct_size_t(struct vcpc_set, spec.requests, nr);
	struct vcpc_set *set;

	set = kvzalloc(head + 2 * vcpc_sample_size(nr) + nr * sizeof(u64), GFP_KERNEL_ACCOUNT);
	if (!set)
		return NULL;
	set->ended = (void *)set + head;
	set->scratch = (void *)set->ended + vcpc_sample_size(nr);
	set->counts = set->scratch->values + nr;
	vcpc_sample_init(set->scratch, nr);
	kref_init(&set->refs);
	mutex_init(&set->lock);
	INIT_LIST_HEAD(&set->instances);
	return set;
}

/**
 * vcpc_set_create() - create a set from the caller's requests
 * @args: validated arguments
 * @user: the account to charge
 * @bad: set to the request's index if a request caused the failure
 *
 * Context: sleeps.
 * Return: the set, or an ERR_PTR: -EINVAL, -E2BIG, -ENOENT, -EOPNOTSUPP, -EACCES, -EUSERS,
 * -ENOMEM, -EFAULT, -EINTR.
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
	ret = set ? vcpc_spec_take(&set->spec, args, bad) : -ENOMEM;
	if (ret)
		goto err;
	refcount_inc(&user->refs);
	set->user = user;
	set->creator = current_uid();
	return set;

err:
	kvfree(set);
	vcpc_limits_uncharge(user, VCPC_LIMIT_SETS, 1);
	return ERR_PTR(ret);
}

static void set_free(struct kref *refs)
{
	struct vcpc_set *set = container_of(refs, struct vcpc_set, refs);

	vcpc_limits_uncharge(set->user, VCPC_LIMIT_SETS, 1);
	vcpc_limits_put(set->user);
	mutex_destroy(&set->lock);
	/* A thread can be searching for its instance as an RCU reader. */
	kvfree_rcu(set, rcu);
}

/**
 * vcpc_set_put() - drop a reference
 * @set: the set
 *
 * Context: sleeps.
 */
void vcpc_set_put(struct vcpc_set *set)
{
	kref_put(&set->refs, set_free);
}

static bool is_settled(const struct vcpc_instance *inst)
{
	return READ_ONCE(inst->state) & VCPC_INSTANCE_SETTLED;
}

static void drop(struct vcpc_set *set, struct vcpc_instance *inst)
{
	if (!is_settled(inst))
		vcpc_limits_uncharge(set->user, VCPC_LIMIT_COUNTERS, set->spec.cost);
	list_del(&inst->in_set);
	set->nr--;
	vcpc_instance_close(inst);
}

static void settle(struct vcpc_set *set, struct vcpc_instance *inst)
{
	if (is_settled(inst) || !vcpc_instance_ended(inst))
		return;
	vcpc_limits_uncharge(set->user, VCPC_LIMIT_COUNTERS, set->spec.cost);
	vcpc_instance_settle(inst, set->counts);
}

static void add_up(struct vcpc_sample *sum, const struct vcpc_sample *sample, u32 nr)
{
	u32 i;

	sum->tick += sample->tick;
	for (i = 0; i < nr; i++)
		sum->values[i] += sample->values[i];
}

/* Add an ended instance to the total and free it. */
static void fold(struct vcpc_set *set, struct vcpc_instance *inst)
{
	if (READ_ONCE(inst->state) & VCPC_INSTANCE_INVALID)
		WRITE_ONCE(set->lost, true);
	else
		add_up(set->ended, inst->kept, set->spec.nr);
	set->folded++;
	drop(set, inst);
}

/*
 * Save the final counts of instances that have ended, and fold the oldest of them into the set's
 * sum until @keep of them are left.  The set's first instance is never folded.
 */
static void reap(struct vcpc_set *set, unsigned int keep)
{
	struct vcpc_instance *inst, *next;
	unsigned int ended = 0;

	list_for_each_entry(inst, &set->instances, in_set) {
		settle(set, inst);
		ended += is_settled(inst);
		cond_resched();
	}
	list_for_each_entry_safe(inst, next, &set->instances, in_set) {
		if (ended <= keep)
			break;
		if (!is_settled(inst) || list_is_first(&inst->in_set, &set->instances))
			continue;
		fold(set, inst);
		ended--;
		cond_resched();
	}
	set->reap_at = set->nr + max(set->nr / 4, (unsigned int)REAP_STEP);
}

/* If a limit is reached, free the resources of ended instances and try once more. */
static int add(struct vcpc_set *set, const struct vcpc_start *start, int *bad)
{
	struct vcpc_instance *inst;
	int ret, tries;

	if (set->nr >= set->reap_at)
		reap(set, KEPT);
	for (tries = 0; tries < 2; tries++) {
		if (tries)
			reap(set, 0);
		ret = vcpc_limits_charge(set->user, VCPC_LIMIT_COUNTERS, set->spec.cost);
		if (ret)
			continue;
		inst = vcpc_instance_open(start, bad);
		if (!IS_ERR(inst)) {
			list_add_tail(&inst->in_set, &set->instances);
			set->nr++;
			return 0;
		}
		vcpc_limits_uncharge(set->user, VCPC_LIMIT_COUNTERS, set->spec.cost);
		ret = PTR_ERR(inst);
		/* After -ENOMEM the caller of BIND can retry, but a new thread cannot. */
		if (ret != -EUSERS && !(ret == -ENOMEM && start->presets))
			break;
	}
	return ret;
}

/* Find the calling thread's last instance, even if it is settled. */
static struct vcpc_instance *find_own(struct vcpc_set *set)
{
	struct vcpc_instance *inst, *found = vcpc_thread_find(set);

	if (!found)
		list_for_each_entry(inst, &set->instances, in_set)
			if (inst->pid == task_pid(current))
				found = inst;
	return found;
}

/* Find the calling thread's instance if it has not ended. */
static struct vcpc_instance *find_live(struct vcpc_set *set)
{
	struct vcpc_instance *inst = vcpc_thread_find(set);

	if (inst)
		settle(set, inst);
	return inst && !is_settled(inst) ? inst : NULL;
}

/*
 * Return whether the set may send signals to the calling thread, which is the case only if the
 * thread's user or root created the set.
 */
static bool signal_allowed(const struct vcpc_set *set)
{
	return !set->spec.signal || uid_eq(set->creator, current_uid()) ||
	       uid_eq(set->creator, GLOBAL_ROOT_UID);
}

/**
 * vcpc_set_bind() - bind a set to the calling thread
 * @set: the set
 * @flags: VCPC_BIND_F_*
 * @bad: set to the request's index if a request caused the failure
 *
 * Context: sleeps.
 * Return: 0, -EACCES, -EBUSY, -ENOSPC, -EUSERS, -ENOMEM, -EINTR, -EINVAL, or the PMU's error.
 */
int vcpc_set_bind(struct vcpc_set *set, u32 flags, int *bad)
{
	struct vcpc_start start = {
		.set = set,
		.spec = &set->spec,
		.root = task_pid(current),
		.bind_flags = flags,
	};
	int ret;

	if (set->spec.flags & VCPC_SET_F_DISABLED)
		start.state |= VCPC_INSTANCE_STOPPED;
	if (flags & VCPC_BIND_F_ENABLE_ON_EXEC)
		start.state |= VCPC_INSTANCE_WAITING;
	/* A new process can change its user ID, so it must not receive signals. */
	if (flags & VCPC_BIND_F_TREE && set->spec.signal)
		return -EINVAL;
	ret = signal_allowed(set) ? vcpc_spec_allowed(&set->spec, bad) : -EACCES;
	if (ret)
		return ret;
	if (mutex_lock_killable(&set->lock))
		return -EINTR;
	ret = find_live(set) ? -EBUSY : add(set, &start, bad);
	mutex_unlock(&set->lock);
	return ret;
}

/**
 * vcpc_set_inherit() - open an instance of the parent's set on the calling thread
 * @set: the set; the caller holds its mutex
 * @start: the instance's initial state
 *
 * Return: 0 or a negative errno.
 */
int vcpc_set_inherit(struct vcpc_set *set, const struct vcpc_start *start)
{
	int bad;

	lockdep_assert_held(&set->lock);
	return vcpc_thread_find(set) ? 0 : add(set, start, &bad);
}

static void close_locked(struct vcpc_set *set)
{
	struct vcpc_instance *inst, *next;

	list_for_each_entry_safe(inst, next, &set->instances, in_set) {
		drop(set, inst);
		cond_resched();
	}
	/* A new thread can still inherit an instance until it is dropped. */
	WRITE_ONCE(set->closing, set->closing + 1);
	set->folded = 0;
	set->reap_at = REAP_STEP;
	memset(set->ended, 0, vcpc_sample_size(set->spec.nr));
	WRITE_ONCE(set->lost, false);
}

/**
 * vcpc_set_unbind() - unbind a set from the calling thread, or from all threads
 * @set: the set
 * @all: unbind all threads and clear the totals
 *
 * Context: sleeps.
 * Return: 0, -EINVAL or -EINTR.
 */
int vcpc_set_unbind(struct vcpc_set *set, bool all)
{
	struct vcpc_instance *inst;

	if (mutex_lock_killable(&set->lock))
		return -EINTR;
	inst = all ? NULL : find_own(set);
	if (inst)
		drop(set, inst);
	else if (all)
		close_locked(set);
	mutex_unlock(&set->lock);
	return inst || all ? 0 : -EINVAL;
}

static void release(struct vcpc_release *release)
{
	struct vcpc_set *set = container_of(release, struct vcpc_set, release);

	mutex_lock(&set->lock);
	close_locked(set);
	mutex_unlock(&set->lock);
	vcpc_set_put(set);
}

/**
 * vcpc_set_release() - close all instances after the last copy of the descriptor has been closed
 * @set: the set
 *
 * This waits for threads that inherit the set and for perf's locks of all counted threads.
 *
 * Context: sleeps.
 */
void vcpc_set_release(struct vcpc_set *set)
{
	vcpc_limits_release(set->user, set->creator, &set->release, release);
}

static int own_op(struct vcpc_set *set, enum vcpc_op op, const struct vcpc_preset_args *preset)
{
	struct vcpc_instance *inst;
	int ret = -EINVAL;

	rcu_read_lock();
	inst = vcpc_thread_find(set);
	if (inst)
		ret = vcpc_instance_op(inst, op, preset);
	rcu_read_unlock();
	return ret;
}

/**
 * vcpc_set_op() - start, stop or restart the calling thread's instance, or set a preset
 * @set: the set
 * @op: the operation
 * @preset: validated arguments of VCPC_OP_PRESET
 *
 * Context: sleeps.
 * Return: 0, -EINVAL, -EAGAIN or -EINTR.
 */
int vcpc_set_op(struct vcpc_set *set, enum vcpc_op op, const struct vcpc_preset_args *preset)
{
	int ret;

	if (op == VCPC_OP_PRESET && preset->request >= set->spec.nr)
		return -EINVAL;
	/* If a counter interrupts too often, perf throttles it until its thread is rescheduled. */
	while ((ret = own_op(set, op, preset)) == -ERESTART) {
		schedule_timeout_killable(1);
		if (fatal_signal_pending(current))
			return -EINTR;
	}
	return ret;
}

/**
 * vcpc_set_sample_own() - sample the calling thread's instance at one instant
 * @set: the set
 * @sample: filled in
 *
 * Context: does not sleep and takes no lock of the set.
 * Return: 0; -EAGAIN; -EINVAL or -ESTALE if the caller must try vcpc_set_sample().
 */
int vcpc_set_sample_own(struct vcpc_set *set, struct vcpc_sample *sample)
{
	struct vcpc_instance *inst;
	int ret = -EINVAL;

	vcpc_sample_init(sample, set->spec.nr);
	rcu_read_lock();
	inst = vcpc_thread_find(set);
	if (likely(inst))
		ret = vcpc_instance_sample_own(inst, sample);
	rcu_read_unlock();
	return ret;
}

/* Find the last match, because a thread ID can be reused. */
static struct vcpc_instance *find_named(struct vcpc_set *set, pid_t tid)
{
	struct vcpc_instance *inst, *found = NULL;

	list_for_each_entry(inst, &set->instances, in_set)
		if (pid_nr_ns(vcpc_instance_pid(inst), task_active_pid_ns(current)) == tid &&
		    (!found || !vcpc_instance_ended(inst) || vcpc_instance_ended(found)))
			found = inst;
	return found;
}

static struct vcpc_instance *find_default(struct vcpc_set *set)
{
	struct vcpc_instance *inst = find_own(set);

	if (!inst && set->nr == 1)
		inst = list_first_entry(&set->instances, struct vcpc_instance, in_set);
	return inst;
}

/* Sample the caller's own instance at one instant, and other instances counter by counter. */
static int sample_one(struct vcpc_set *set, struct vcpc_instance *inst, struct vcpc_sample *sample)
{
	int ret;

	if (inst->task == current) {
		ret = vcpc_instance_sample_own(inst, sample);
		if (ret != -ESTALE)
			return ret;
	}
	settle(set, inst);
	return vcpc_instance_sample_other(inst, sample, set->counts);
}

static int sample_total(struct vcpc_set *set, struct vcpc_sample *total)
{
	struct vcpc_instance *inst;
	int ret;

	if (!set->nr && !set->folded && !atomic_read(&set->pending))
		return -EINVAL;
	total->state = atomic_read(&set->pending) ? 0 : VCPC_STATE_EXITED;
	total->time = ktime_get_ns();
	total->tick = 0;
	memset(total->values, 0, set->spec.nr * sizeof(u64));
	add_up(total, set->ended, set->spec.nr);
	list_for_each_entry(inst, &set->instances, in_set) {
		ret = sample_one(set, inst, set->scratch);
		if (!ret && fatal_signal_pending(current))
			ret = -EINTR;
		if (ret)
			return ret;
		add_up(total, set->scratch, set->spec.nr);
		if (!(set->scratch->state & VCPC_STATE_EXITED))
			total->state &= ~VCPC_STATE_EXITED;
		total->state |= set->scratch->state & VCPC_STATE_COUNTING;
		cond_resched();
	}
	return READ_ONCE(set->lost) ? -EAGAIN : 0;
}

/**
 * vcpc_set_sample() - sample any instance, or the total
 * @set: the set
 * @flags: VCPC_SAMPLE_F_*
 * @tid: a thread of the set; 0 for the caller's instance or for the set's only instance
 * @sample: filled in
 *
 * Context: sleeps.
 * Return: 0, -EINVAL, -EAGAIN, -EBUSY or -EINTR.
 */
int vcpc_set_sample(struct vcpc_set *set, u32 flags, pid_t tid, struct vcpc_sample *sample)
{
	struct vcpc_instance *inst;
	int ret;

	vcpc_sample_init(sample, set->spec.nr);
	if (mutex_lock_killable(&set->lock))
		return -EINTR;
	if (flags & VCPC_SAMPLE_F_TOTAL) {
		ret = sample_total(set, sample);
	} else {
		inst = tid ? find_named(set, tid) : find_default(set);
		ret = inst ? sample_one(set, inst, sample) : -EINVAL;
	}
	mutex_unlock(&set->lock);
	return ret;
}

static void fill_info(struct vcpc_instance_info *info, struct vcpc_instance *inst,
		      struct pid_namespace *ns)
{
	*info = (struct vcpc_instance_info) {
		.tid = pid_nr_ns(vcpc_instance_pid(inst), ns),
		.tgid = pid_nr_ns(inst->tgid, ns),
		.root = pid_nr_ns(inst->root, ns),
		.bind_flags = inst->bind_flags,
		.state = vcpc_instance_state(inst),
	};
}

/**
 * vcpc_set_list() - list a set's instances
 * @set: the set
 * @args: its output fields are written on success
 * @info: filled with the first instances
 * @room: maximum number of instances at @info
 *
 * Context: sleeps.
 * Return: the number of instances listed, or -EINTR.
 */
int vcpc_set_list(struct vcpc_set *set, struct vcpc_instances_args *args,
		  struct vcpc_instance_info *info, u32 room)
{
	struct pid_namespace *ns = task_active_pid_ns(current);
	struct vcpc_instance *inst;
	u32 at = 0;

	if (mutex_lock_killable(&set->lock))
		return -EINTR;
	args->nr = set->nr;
	args->folded = set->folded;
	args->pending = atomic_read(&set->pending);
	args->lost = READ_ONCE(set->lost);
	list_for_each_entry(inst, &set->instances, in_set)
		if (at < room)
			fill_info(&info[at++], inst, ns);
	mutex_unlock(&set->lock);
	return at;
}
