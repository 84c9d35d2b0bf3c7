// SPDX-License-Identifier: GPL-2.0
/*
 * An overflow that rings where nothing can be locked, and whose thread has left before
 * somebody looks: the thread is gone to, and the set is stopped and told of, without a
 * further ring or call.
 *
 * Of the machines that the tests run on, only that of "vm/run --nmi" has such interrupts, and none
 * comes when it is asked for: so the handler is called as from one.
 */
#include <kunit/test.h>
#include <linux/err.h>
#include <linux/irqflags.h>
#include <linux/perf_event.h>
#include <linux/preempt.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

#include "bind.h"
#include "counter.h"
#include "instance.h"
#include "overflow.h"
#include "set.h"
#include "user_test.h"

static struct vcpc_user_memory memory;
static struct vcpc_user *user;

/* Its end is too far away for the event to ring by itself. */
static const struct vcpc_request switches = {
	.type = PERF_TYPE_SOFTWARE,
	.config = PERF_COUNT_SW_CONTEXT_SWITCHES,
	.flags = VCPC_REQ_F_KERNEL | VCPC_REQ_F_OVERFLOW,
};

struct bell {
	struct work_struct work;
	struct perf_event *event;
};

static struct vcpc_set *counting_set(struct kunit *test)
{
	struct vcpc_set_create_args args = {
		.size = sizeof(args),
		.nr_requests = 1,
		.request_size = sizeof(switches),
		.requests = memory.page,
	};
	struct vcpc_bind_args bind = { .size = sizeof(bind) };
	struct vcpc_set *set;
	int bad;

	vcpc_user_test_enter(&memory);
	vcpc_user_test_put(test, &memory, 0, &switches, sizeof(switches));
	set = vcpc_set_create(&args, user, &bad);
	vcpc_user_test_leave(&memory);
	if (IS_ERR(set))
		return set;
	KUNIT_EXPECT_EQ(test, 0, vcpc_bind_set(set, &bind, &bad));
	return set;
}

/* In another thread, for which interrupts that are not masked are like one of its own. */
static void ring_unmasked(struct work_struct *work)
{
	struct bell *bell = container_of(work, struct bell, work);
	unsigned long flags;

	local_irq_save(flags);
	__preempt_count_add(NMI_OFFSET);
	bell->event->overflow_handler(bell->event, NULL, NULL);
	__preempt_count_sub(NMI_OFFSET);
	local_irq_restore(flags);
}

/* The instance's counter seems to have gone past its end, and rings when its thread has left. */
static void overflow(struct vcpc_instance *inst)
{
	struct bell bell = { .event = inst->counters->counter[0].event };
	const u64 from = U64_MAX;
	unsigned long flags;

	raw_spin_lock_irqsave(&inst->lock, flags);
	vcpc_overflow_from(inst->overflow, &from);
	raw_spin_unlock_irqrestore(&inst->lock, flags);

	INIT_WORK_ONSTACK(&bell.work, ring_unmasked);
	schedule_work(&bell.work);
	flush_work(&bell.work);
	destroy_work_on_stack(&bell.work);
}

static void told_though_the_thread_left(struct kunit *test)
{
	struct vcpc_set *set = counting_set(test);
	struct vcpc_instance *inst;
	u64 count = 0;

	KUNIT_ASSERT_FALSE(test, IS_ERR(set));
	inst = vcpc_set_find_task(set, current);
	KUNIT_EXPECT_NOT_NULL(test, inst);
	if (inst) {
		overflow(inst);
		KUNIT_EXPECT_GT(test, wait_event_timeout(set->wait, READ_ONCE(set->news), 20 * HZ),
				0L);
		KUNIT_EXPECT_EQ(test, 0, vcpc_set_overflows(set, 0, &count));
		KUNIT_EXPECT_EQ(test, 1ULL, count);
		KUNIT_EXPECT_TRUE(test, inst->kept.state & VCPC_STATE_FROZEN);
	}
	vcpc_set_destroy(set);
}

/* The set goes before anybody has gone there. */
static void gone_before_it_is_told(struct kunit *test)
{
	struct vcpc_instance *inst;
	struct vcpc_set *set;
	int i;

	for (i = 0; i < 50; i++) {
		set = counting_set(test);
		KUNIT_ASSERT_FALSE(test, IS_ERR(set));
		inst = vcpc_set_find_task(set, current);
		KUNIT_EXPECT_NOT_NULL(test, inst);
		if (inst)
			overflow(inst);
		vcpc_set_destroy(set);
	}
}

static int begin_suite(struct kunit_suite *suite)
{
	return vcpc_user_test_begin(&memory, &user);
}

static void end_suite(struct kunit_suite *suite)
{
	vcpc_user_test_end(&memory, user);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(told_though_the_thread_left),
	KUNIT_CASE(gone_before_it_is_told),
	{ }
};

static struct kunit_suite suite = {
	.name = "vcpc_overflow",
	.suite_init = begin_suite,
	.suite_exit = end_suite,
	.test_cases = cases,
};

kunit_test_suite(suite);
