// SPDX-License-Identifier: GPL-2.0
/*
 * CPUs that go offline and come back, and the sets that are bound to them.
 *
 * perf takes its events off a CPU that goes offline, and does not put them back.
 * So the values are kept before, and new counters are opened after.
 *
 * Locking: Hotplug holds a lock of the kernel's that opening and closing of events take under
 * a set's lock; so what hotplug calls takes no set's lock, and leaves the rest to a work.
 * That waits for one set at a time, and holds nothing meanwhile.
 */
#include <linux/cpu.h>
#include <linux/cpuhotplug.h>
#include <linux/list.h>
#include <linux/workqueue.h>

#include "binding.h"
#include "hotplug.h"
#include "set.h"

static enum cpuhp_state hotplug_state;

/* On the CPU, while perf's events are still on it. */
static int going_offline(unsigned int cpu)
{
	vcpc_instance_offline(cpu);
	return 0;
}

static void reopen_set(struct vcpc_set *set)
{
	struct vcpc_instance *inst;
	struct vcpc_binding *b;

	mutex_lock(&set->guard.lock);
	list_for_each_entry(b, &set->bindings, node)
		list_for_each_entry(inst, &b->instances, in_binding)
			if (inst->cpu >= 0 && cpu_online(inst->cpu))
				vcpc_instance_online(inst);
	vcpc_set_unlock(set);
}

/* Sets on threads, which everybody may have, are not waited for. */
static void reopen(struct work_struct *work)
{
	struct vcpc_set *set = NULL;

	while ((set = vcpc_set_next(set)))
		if (READ_ONCE(set->on_cpus))
			reopen_set(set);
}

static DECLARE_WORK(reopen_work, reopen);

static int come_online(unsigned int cpu)
{
	vcpc_instance_back(cpu);
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
