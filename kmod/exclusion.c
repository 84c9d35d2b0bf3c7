// SPDX-License-Identifier: GPL-2.0
/*
 * Hardware events are counted on CPUs or on threads, not on both at a time, and
 * by one set a CPU: programs from systems where the counters were not shared
 * rely on being alone, or on being told.
 *
 * Only this module's own sets are kept apart.  It is not about room on the
 * PMU, which perf sees to.
 *
 * Locking: lock guards the numbers.  A set on a thread is known here before its
 * counters are opened, and one on a CPU before sets on threads are looked for
 * to make them invalid; so none is overlooked.
 */
#include <linux/errno.h>
#include <linux/moduleparam.h>
#include <linux/percpu.h>
#include <linux/spinlock.h>

#include "exclusion.h"

static bool exclusive = true;
module_param(exclusive, bool, 0644);
MODULE_PARM_DESC(exclusive, "hardware events are counted on threads or on CPUs, by one set a CPU (default Y)");

static DEFINE_SPINLOCK(lock);
static unsigned int threads, cpus;
static DEFINE_PER_CPU(unsigned int, users);

/**
 * vcpc_exclusion_thread() - a set will count hardware events on a thread
 *
 * Return: 0, or -EAGAIN if one does so on a CPU.
 */
int vcpc_exclusion_thread(void)
{
	int ret = 0;

	spin_lock(&lock);
	if (cpus && exclusive)
		ret = -EAGAIN;
	else
		threads++;
	spin_unlock(&lock);
	return ret;
}

/**
 * vcpc_exclusion_thread_done() - it does so no longer
 */
void vcpc_exclusion_thread_done(void)
{
	spin_lock(&lock);
	threads--;
	spin_unlock(&lock);
}

/**
 * vcpc_exclusion_cpu() - a set will count hardware events on a CPU
 * @cpu: which; possible
 * @yield: not if sets do so on threads
 *
 * Return: 0, or -EAGAIN if another does so already.
 */
int vcpc_exclusion_cpu(int cpu, bool yield)
{
	unsigned int *here = per_cpu_ptr(&users, cpu);
	int ret = 0;

	spin_lock(&lock);
	if (exclusive && (*here || (yield && threads))) {
		ret = -EAGAIN;
	} else {
		(*here)++;
		cpus++;
	}
	spin_unlock(&lock);
	return ret;
}

/**
 * vcpc_exclusion_cpu_done() - it does so no longer
 * @cpu: which
 */
void vcpc_exclusion_cpu_done(int cpu)
{
	spin_lock(&lock);
	(*per_cpu_ptr(&users, cpu))--;
	cpus--;
	spin_unlock(&lock);
}

/**
 * vcpc_exclusion_cpus() - are hardware events counted on CPUs, so that threads may not?
 *
 * Return: true or false.
 */
bool vcpc_exclusion_cpus(void)
{
	bool taken;

	spin_lock(&lock);
	taken = cpus && exclusive;
	spin_unlock(&lock);
	return taken;
}

/**
 * vcpc_exclusion_wanted() - shall sets exclude each other?
 *
 * Return: the module's parameter.
 */
bool vcpc_exclusion_wanted(void)
{
	return READ_ONCE(exclusive);
}
