// SPDX-License-Identifier: GPL-2.0
/*
 * What has to be done with an instance under its set's lock, and is found out where
 * nobody can sleep: a work, which may outlive the instance, but not the set.
 *
 * Locking: that the instance is there is under the set's lock.
 */
#include <linux/kref.h>
#include <linux/mutex.h>
#include <linux/slab.h>
#include <linux/workqueue.h>

#include "binding.h"
#include "errand.h"
#include "instance.h"
#include "set.h"

/**
 * struct vcpc_errand - something that may have to be done at any time
 * @refs: the instance's, and that of a work that is queued
 * @work: does it
 * @set: whose; holds a reference
 * @inst: with which instance; NULL when it was closed; under the set's lock
 * @fn: what to do
 */
struct vcpc_errand {
	struct kref refs;
	struct work_struct work;
	struct vcpc_set *set;
	struct vcpc_instance *inst;
	vcpc_errand_fn fn;
};

static struct workqueue_struct *queue;
static unsigned int users;

/**
 * vcpc_errand_init() - at load; by KUnit's suites, too, before or after that
 *
 * Return: 0 or -ENOMEM.
 */
int vcpc_errand_init(void)
{
	if (!users) {
		queue = alloc_workqueue("vcpc", WQ_HIGHPRI, 0);
		if (!queue)
			return -ENOMEM;
	}
	users++;
	return 0;
}

/**
 * vcpc_errand_exit() - wait until nothing is being done any more; at unload
 */
void vcpc_errand_exit(void)
{
	if (!--users)
		destroy_workqueue(queue);
}

static void errand_free(struct kref *refs)
{
	struct vcpc_errand *e = container_of(refs, struct vcpc_errand, refs);

	vcpc_set_put(e->set);
	kfree(e);
}

static void errand_work(struct work_struct *work)
{
	struct vcpc_errand *e = container_of(work, struct vcpc_errand, work);

	mutex_lock(&e->set->lock);
	if (e->inst)
		e->fn(e->inst);
	mutex_unlock(&e->set->lock);
	kref_put(&e->refs, errand_free);
}

/**
 * vcpc_errand_create() - be ready to do something with an instance
 * @inst: the instance
 * @fn: what; sleeps, under the set's lock
 *
 * Context: sleeps; under the set's lock.
 * Return: for vcpc_errand_close(), or NULL.
 */
struct vcpc_errand *vcpc_errand_create(struct vcpc_instance *inst, vcpc_errand_fn fn)
{
	struct vcpc_errand *e = kzalloc(sizeof(*e), GFP_KERNEL_ACCOUNT);

	if (!e)
		return NULL;
	kref_init(&e->refs);
	INIT_WORK(&e->work, errand_work);
	e->set = inst->binding->set;
	vcpc_set_get(e->set);
	e->inst = inst;
	e->fn = fn;
	return e;
}

/**
 * vcpc_errand_close() - the instance is being closed
 * @e: the errand; nobody calls vcpc_errand_go() any more
 *
 * Context: under the set's lock.
 */
void vcpc_errand_close(struct vcpc_errand *e)
{
	e->inst = NULL;
	if (cancel_work(&e->work))
		kref_put(&e->refs, errand_free);
	kref_put(&e->refs, errand_free);
}

/**
 * vcpc_errand_go() - do it, on this CPU, and soon
 * @e: the errand, which the instance still holds; may be under way already
 *
 * Context: interrupts off; not under an instance's lock, as who waits is woken.
 */
void vcpc_errand_go(struct vcpc_errand *e)
{
	kref_get(&e->refs);
	if (!queue_work(queue, &e->work))
		kref_put(&e->refs, errand_free);
}
