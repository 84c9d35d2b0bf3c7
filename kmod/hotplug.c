// SPDX-License-Identifier: GPL-2.0
/*
 * CPUs that go offline and come back, and the sets that are bound to them.
 *
 * perf takes its events off a CPU that goes offline, and does not put them back.
 * So the values are kept before, and new counters are opened after.
 *
 * Locking: lock guards the list of instances on CPUs.  Hotplug holds a lock of
 * the kernel's that opening and closing of events take under a set's lock; so
 * what hotplug calls takes no set's lock, and leaves the rest to a work.
 */
#include <linux/cpu.h>
#include <linux/cpuhotplug.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/workqueue.h>

#include "binding.h"
#include "hotplug.h"
#include "instance.h"
#include "operate.h"
#include "listing.h"
#include "set.h"

static LIST_HEAD(instances);
static DEFINE_MUTEX(lock);
static enum cpuhp_state hotplug_state;

/**
 * vcpc_hotplug_add() - an instance on a CPU wants to know
 * @inst: the instance; its counters are not open yet
 */
void vcpc_hotplug_add(struct vcpc_instance *inst)
{
	mutex_lock(&lock);
	list_add_tail(&inst->on_cpu, &instances);
	mutex_unlock(&lock);
}

/**
 * vcpc_hotplug_del() - no longer
 * @inst: the instance
 */
void vcpc_hotplug_del(struct vcpc_instance *inst)
{
	mutex_lock(&lock);
	list_del(&inst->on_cpu);
	mutex_unlock(&lock);
}

/* On the CPU, while perf's events are still on it. */
static int going_offline(unsigned int cpu)
{
	struct vcpc_instance *inst;

	mutex_lock(&lock);
	list_for_each_entry(inst, &instances, on_cpu)
		if (inst->cpu == cpu)
			vcpc_operate_offline(inst);
	mutex_unlock(&lock);
	return 0;
}

static void reopen_set(struct vcpc_set *set, void *unused)
{
	struct vcpc_instance *inst;
	struct vcpc_binding *b;

	list_for_each_entry(b, &set->bindings, node)
		list_for_each_entry(inst, &b->instances, in_binding)
			if (inst->cpu >= 0 && cpu_online(inst->cpu))
				vcpc_instance_online(inst);
}

static void reopen(struct work_struct *work)
{
	vcpc_listing_each(reopen_set, NULL);
}

static DECLARE_WORK(reopen_work, reopen);

static int come_online(unsigned int cpu)
{
	schedule_work(&reopen_work);
	return 0;
}

/**
 * vcpc_hotplug_init() - hear of CPUs; at load
 *
 * Return: 0 or a negative errno.
 */
int vcpc_hotplug_init(void)
{
	int ret = cpuhp_setup_state_nocalls(CPUHP_AP_ONLINE_DYN, "vcpc:online", come_online,
					    going_offline);

	if (ret < 0)
		return ret;
	hotplug_state = ret;
	return 0;
}

/**
 * vcpc_hotplug_exit() - no longer; at unload
 */
void vcpc_hotplug_exit(void)
{
	cpuhp_remove_state_nocalls(hotplug_state);
	cancel_work_sync(&reopen_work);
}
