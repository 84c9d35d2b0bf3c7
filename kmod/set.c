// SPDX-License-Identifier: GPL-2.0
/*
 * A set: its requests, and where its instances are found.
 *
 * Locking: see struct vcpc_set.  A thread that samples itself takes no lock of
 * the set's: with interrupts off it is an RCU reader, finds its instance, and
 * takes only that one's lock.  All sets are in an array by number; who looks at them one by
 * one holds a reference to one set at a time, and no lock of the module's.
 */
#include <linux/err.h>
#include <linux/pid.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/xarray.h>

#include "hardware.h"
#include "limits.h"
#include "policy.h"
#include "set.h"
#include "tracecounts.h"
#include "uarg.h"

static DEFINE_XARRAY_ALLOC1(sets);
static u32 last_id;

/* Groups stand one after the other, and none is empty. */
static int check_group(struct vcpc_spec *spec, u32 at)
{
	u32 group = spec->requests[at].group;
	u32 last = at ? spec->requests[at - 1].group : 0;

	if (group != last && (!at || group != last + 1))
		return -EINVAL;
	spec->groups = group + 1;
	return 0;
}

static int take_request(struct vcpc_spec *spec, const struct vcpc_set_create_args *args)
{
	struct vcpc_request *req = &spec->requests[spec->nr];
	int ret;

	ret = vcpc_uarg_request(req, args, spec->nr);
	if (!ret)
		ret = vcpc_policy_request(req);
	if (!ret)
		ret = vcpc_hardware_check(req);
	if (!ret && args->flags & VCPC_SET_F_GROUPS)
		ret = check_group(spec, spec->nr);
	if (ret)
		return ret;
	/* Of other types, only the core's own events are let in. */
	spec->hw |= req->type != PERF_TYPE_SOFTWARE;
	spec->overflows |= !!(req->flags & VCPC_REQ_F_OVERFLOW);
	return 0;
}

static int take_requests(struct vcpc_spec *spec, const struct vcpc_set_create_args *args, int *bad)
{
	int ret;

	for (; spec->nr < args->nr_requests; spec->nr++) {
		ret = take_request(spec, args);
		if (!ret && fatal_signal_pending(current))
			return -EINTR;
		if (ret) {
			*bad = spec->nr;
			return ret;
		}
	}
	return args->signal && !spec->overflows ? -EINVAL : 0;
}

static u32 busiest(const struct vcpc_spec *spec)
{
	u32 i, most = spec->groups ? 0 : spec->nr;

	for (i = 0; i < spec->groups; i++) {
		struct vcpc_range range = vcpc_spec_range(spec, i);

		most = max(most, range.end - range.begin);
	}
	return most;
}

static void finish_spec(struct vcpc_spec *spec, const struct vcpc_set_create_args *args)
{
	spec->sample_size = vcpc_sample_size(spec->nr) +
			    spec->groups * sizeof(struct vcpc_group_sample);
	spec->quick_size = spec->groups || spec->nr > VCPC_SAMPLE_STACK ? U64_MAX :
									   spec->sample_size;
	spec->flags = args->flags;
	spec->slot = args->slot;
	spec->signal = args->signal;
	spec->seed = args->seed;
	spec->events = vcpc_tracecounts_events(spec->requests, spec->nr);
	spec->busiest = busiest(spec);
	spec->cost = spec->nr + 1 + (spec->hw && spec->overflows);
}

static void set_free(struct vcpc_guard *guard)
{
	struct vcpc_set *set = container_of(guard, struct vcpc_set, guard);

	vcpc_limits_uncharge(set->user, VCPC_LIMIT_SETS, 1);
	vcpc_limits_put(set->user);
	put_pid(set->creator);
	kvfree_rcu(set, rcu);
}

static struct vcpc_set *set_alloc(u32 nr)
{
	struct vcpc_set *set;

	set = kvzalloc(struct_size(set, spec.requests, nr) + vcpc_sample_size(nr),
		       GFP_KERNEL_ACCOUNT);
	if (!set)
		return NULL;
	set->scratch = (void *)&set->spec.requests[nr];
	vcpc_guard_init(&set->guard, set_free);
	INIT_LIST_HEAD(&set->bindings);
	hash_init(set->instances);
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
 * -EACCES, -EUSERS, -ENOMEM, -EFAULT, -EINTR.
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
	ret = take_requests(&set->spec, args, bad);
	if (ret)
		goto err_fill;
	finish_spec(&set->spec, args);
	/* Who looks at all sets finds it from now on. */
	set->user = vcpc_limits_share(user);
	set->creator = get_task_pid(current, PIDTYPE_TGID);
	ret = xa_alloc_cyclic(&sets, &set->id, set, xa_limit_32b, &last_id, GFP_KERNEL_ACCOUNT);
	if (ret < 0)
		goto err_list;
	return set;

err_list:
	vcpc_guard_put(&set->guard);
	return ERR_PTR(ret);
err_fill:
	kvfree(set);
err_alloc:
	vcpc_limits_uncharge(user, VCPC_LIMIT_SETS, 1);
	return ERR_PTR(ret);
}

/**
 * vcpc_set_unlist() - who looks at all sets finds it no longer
 * @set: the set
 *
 * Context: sleeps.
 */
void vcpc_set_unlist(struct vcpc_set *set)
{
	xa_erase(&sets, set->id);
}

/**
 * vcpc_set_from() - a set, for who looks at all of them
 * @id: with this number, or the next one that there is
 *
 * A set that is closed meanwhile has no bindings.
 *
 * Context: under no set's lock.
 * Return: the set, with a reference for vcpc_set_next() or vcpc_guard_put(); NULL if there
 * is none.
 */
struct vcpc_set *vcpc_set_from(unsigned long id)
{
	struct vcpc_set *set;

	rcu_read_lock();
	for (set = xa_find(&sets, &id, ULONG_MAX, XA_PRESENT);
	     set && !kref_get_unless_zero(&set->guard.refs);
	     set = xa_find_after(&sets, &id, ULONG_MAX, XA_PRESENT))
		;
	rcu_read_unlock();
	return set;
}

/**
 * vcpc_set_next() - look at all sets, one by one
 * @prev: the last one, whose reference is given back; NULL for the first
 *
 * Context: sleeps; under no set's lock.
 * Return: as vcpc_set_from().
 */
struct vcpc_set *vcpc_set_next(struct vcpc_set *prev)
{
	unsigned long id = prev ? (unsigned long)prev->id + 1 : 0;

	if (prev)
		vcpc_guard_put(&prev->guard);
	return vcpc_set_from(id);
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
