// SPDX-License-Identifier: GPL-2.0
/*
 * Rings of perf's that come when they are called for: in vain, of another counter than the one
 * that is past its end, and where nothing can be locked.
 *
 * Of the last, whose thread has left before somebody looks: the thread is gone to, and the set
 * is stopped and told of, without a further ring or call.  Of the machines that the tests run on,
 * only that of "vm/run --nmi" has such interrupts, and none comes when it is asked for: so the
 * handler is called as from one.
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
#include "watch.h"

static struct vcpc_user_memory memory;
static struct vcpc_user *user;

/* Their ends are too far away for the events to ring by themselves. */
static const struct vcpc_request switches[] = {
	{
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_CONTEXT_SWITCHES,
		.flags = VCPC_REQ_F_KERNEL | VCPC_REQ_F_OVERFLOW,
	},
	{
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_CPU_MIGRATIONS,
		.flags = VCPC_REQ_F_KERNEL | VCPC_REQ_F_OVERFLOW,
	},
};

struct bell {
	struct work_struct work;
	struct perf_event *event;
};

static struct vcpc_set *counting_set(struct kunit *test, u32 flags)
{
	struct vcpc_bind_args bind = { .size = sizeof(bind) };
	struct vcpc_set *set;
	int bad;

	set = vcpc_user_test_set(test, &memory, user, switches, ARRAY_SIZE(switches), flags);
	if (!IS_ERR(set))
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
	const u64 from[] = { U64_MAX, 0 };
	unsigned long flags;

	raw_spin_lock_irqsave(&inst->lock, flags);
	vcpc_overflow_from(inst->overflow, from);
	raw_spin_unlock_irqrestore(&inst->lock, flags);

	INIT_WORK_ONSTACK(&bell.work, ring_unmasked);
	schedule_work(&bell.work);
	flush_work(&bell.work);
	destroy_work_on_stack(&bell.work);
}

static void told_though_the_thread_left(struct kunit *test)
{
	struct vcpc_set *set = counting_set(test, 0);
	u64 counts[ARRAY_SIZE(switches)] = { };
	struct vcpc_instance *inst;

	KUNIT_ASSERT_FALSE(test, IS_ERR(set));
	inst = vcpc_set_find_task(set, current);
	KUNIT_EXPECT_NOT_NULL(test, inst);
	if (inst) {
		overflow(inst);
		KUNIT_EXPECT_GT(test, wait_event_timeout(set->wait, READ_ONCE(set->news), 20 * HZ),
				0L);
		KUNIT_EXPECT_EQ(test, 0, vcpc_set_overflows(set, 0, counts));
		KUNIT_EXPECT_EQ(test, 1ULL, counts[0]);
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
		set = counting_set(test, 0);
		KUNIT_ASSERT_FALSE(test, IS_ERR(set));
		inst = vcpc_set_find_task(set, current);
		KUNIT_EXPECT_NOT_NULL(test, inst);
		if (inst)
			overflow(inst);
		vcpc_set_destroy(set);
	}
}

/* Counters go on from these values, and one of their events rings in the thread itself. */
static void ring_masked(struct vcpc_instance *inst, const u64 *from, u32 rings)
{
	struct perf_event *event = inst->counters->counter[rings].event;
	unsigned long flags;

	raw_spin_lock_irqsave(&inst->lock, flags);
	vcpc_overflow_from(inst->overflow, from);
	raw_spin_unlock_irqrestore(&inst->lock, flags);
	local_irq_save(flags);
	event->overflow_handler(event, NULL, NULL);
	local_irq_restore(flags);
	irq_work_sync(&inst->overflow->work);
}

/*
 * struct hint - a ring, and what comes of it
 * @from: from what the two counters, which are about 0, began: past the end, if it is more
 * @rings: which of them has rung
 * @count: how often they have overflowed then
 * @told: which the thread is told of, if one has
 */
struct hint {
	u32 flags;
	u64 from[2];
	u32 rings;
	u64 count[2];
	u32 told;
};

static const struct hint hints[] = {
	{ .from = { 0, 0 }, .rings = 0 },
	{ .from = { 0, 0 }, .rings = 1 },
	{ .from = { 0, U64_MAX }, .rings = 1, .count = { 0, 1 }, .told = 1 },
	{ .from = { 0, U64_MAX }, .rings = 0, .count = { 0, 1 }, .told = 1 },
	{ .from = { U64_MAX, 0 }, .rings = 1, .count = { 1, 0 }, .told = 0 },
	{ .from = { U64_MAX, U64_MAX }, .rings = 0, .count = { 1, 1 }, .told = 0 },
	{ .from = { U64_MAX, U64_MAX }, .rings = 1, .count = { 1, 1 }, .told = 1 },
	{ .flags = VCPC_SET_F_COUNT_OVERFLOWS, .from = { 0, 0 }, .rings = 0 },
	{ .flags = VCPC_SET_F_COUNT_OVERFLOWS, .from = { 0, 1ULL << 63 }, .rings = 1,
	  .count = { 0, 1 } },
};

/* Whether there was an overflow is a matter of values; that perf rings is only a hint. */
static void a_ring_is_only_a_hint(struct kunit *test)
{
	const struct hint *hint = test->param_value;
	bool any = hint->count[0] || hint->count[1], freezes = any && !hint->flags;
	struct vcpc_set *set = counting_set(test, hint->flags);
	struct vcpc_instance *inst;
	u64 counts[ARRAY_SIZE(switches)];

	KUNIT_ASSERT_FALSE(test, IS_ERR(set));
	inst = vcpc_set_find_task(set, current);
	KUNIT_EXPECT_NOT_NULL(test, inst);
	if (inst) {
		ring_masked(inst, hint->from, hint->rings);
		KUNIT_EXPECT_EQ(test, any, READ_ONCE(set->news));
		KUNIT_EXPECT_EQ(test, freezes, !!(inst->state & VCPC_INSTANCE_STOPPED));
		KUNIT_EXPECT_EQ(test, freezes, !!(inst->kept.state & VCPC_STATE_FROZEN));
		KUNIT_EXPECT_EQ(test, 0, vcpc_set_overflows(set, 0, counts));
		KUNIT_EXPECT_EQ(test, hint->count[0], counts[0]);
		KUNIT_EXPECT_EQ(test, hint->count[1], counts[1]);
		if (freezes)
			KUNIT_EXPECT_EQ(test, hint->told, inst->overflow->which);
	}
	vcpc_set_destroy(set);
}

static void name_hint(const struct hint *hint, char *name)
{
	scnprintf(name, KUNIT_PARAM_DESC_SIZE, "%s, from %llx and %llx, %u rings",
		  hint->flags ? "counted" : "frozen", hint->from[0], hint->from[1], hint->rings);
}

KUNIT_ARRAY_PARAM(hint, hints, name_hint);

static int begin_suite(struct kunit_suite *suite)
{
	return vcpc_user_test_begin(&memory, &user);
}

static void end_suite(struct kunit_suite *suite)
{
	vcpc_user_test_end(&memory, user);
}

static struct kunit_case cases[] = {
	KUNIT_CASE_PARAM(a_ring_is_only_a_hint, hint_gen_params),
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
