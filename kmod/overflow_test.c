// SPDX-License-Identifier: GPL-2.0
/*
 * Test interrupts without an overflow, from a counter other than the one that overflowed, in an
 * NMI, and in a thread other than the counted one.
 *
 * Only VMs started by "vm/run --nmi" have NMIs, and tests cannot trigger them, so the tests call
 * the handler in NMI context.
 */
#include <kunit/test.h>
#include <linux/err.h>
#include <linux/irqflags.h>
#include <linux/perf_event.h>
#include <linux/preempt.h>
#include <linux/workqueue.h>

#include "overflow.h"
#include "set.h"
#include "thread.h"
#include "user_test.h"

static struct vcpc_user_memory memory;
static struct vcpc_user *user;

/* These counters are too far from 2^64 to interrupt by themselves. */
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

static struct vcpc_set *counting_set(struct kunit *test)
{
	struct vcpc_set *set;
	int bad;

	set = vcpc_user_test_set(test, &memory, user, switches, ARRAY_SIZE(switches), 0);
	if (!IS_ERR(set))
		KUNIT_EXPECT_EQ(test, 0, vcpc_set_bind(set, 0, &bad));
	return set;
}

/* Return the thread's instance, which stays valid because only the test uses the set. */
static struct vcpc_instance *find_own(struct vcpc_set *set)
{
	struct vcpc_instance *inst;

	rcu_read_lock();
	inst = vcpc_thread_find(set);
	rcu_read_unlock();
	return inst;
}

static void begin_from(struct vcpc_instance *inst, const u64 *from)
{
	unsigned long flags;
	u32 i;

	raw_spin_lock_irqsave(&inst->lock, flags);
	for (i = 0; i < inst->counters.nr; i++)
		inst->counters.counter[i].from = from[i];
	raw_spin_unlock_irqrestore(&inst->lock, flags);
}

static void interrupt(struct vcpc_instance *inst, u32 which, unsigned int context)
{
	struct perf_event *event = inst->counters.counter[which].event;
	unsigned long flags;

	local_irq_save(flags);
	__preempt_count_add(context);
	event->overflow_handler(event, NULL, NULL);
	__preempt_count_sub(context);
	local_irq_restore(flags);
	irq_work_sync(&inst->look_work);
}

/* An NMI only records the interrupt; the counters are read when interrupts are enabled again. */
static void unmasked(struct kunit *test)
{
	struct vcpc_set *set = counting_set(test);
	const u64 from[] = { U64_MAX, 0 };
	struct vcpc_instance *inst;

	KUNIT_ASSERT_FALSE(test, IS_ERR(set));
	inst = find_own(set);
	KUNIT_EXPECT_NOT_NULL(test, inst);
	if (inst) {
		begin_from(inst, from);
		interrupt(inst, 0, NMI_OFFSET);
		KUNIT_EXPECT_FALSE(test, READ_ONCE(inst->unlooked));
		KUNIT_EXPECT_TRUE(test, inst->kept->state & VCPC_STATE_FROZEN);
	}
	vcpc_user_test_destroy(set);
}

/* A set can be closed before its interrupt is processed. */
static void gone_before_it_is_told(struct kunit *test)
{
	const u64 from[] = { U64_MAX, 0 };
	struct vcpc_instance *inst;
	struct vcpc_set *set;
	int i;

	for (i = 0; i < 50; i++) {
		set = counting_set(test);
		KUNIT_ASSERT_FALSE(test, IS_ERR(set));
		inst = find_own(set);
		KUNIT_EXPECT_NOT_NULL(test, inst);
		if (inst) {
			begin_from(inst, from);
			local_irq_disable();
			WRITE_ONCE(inst->unlooked, true);
			irq_work_queue(&inst->look_work);
			local_irq_enable();
		}
		vcpc_user_test_destroy(set);
	}
}

struct elsewhere {
	struct work_struct work;
	struct vcpc_instance *inst;
	u32 state;
};

static void interrupt_elsewhere(struct work_struct *work)
{
	struct elsewhere *e = container_of(work, struct elsewhere, work);
	const u64 past[] = { U64_MAX, 0 }, none[] = { 0, 0 };

	/* The counted thread is not running, so it does not read its counters now. */
	begin_from(e->inst, past);
	interrupt(e->inst, 0, 0);
	interrupt(e->inst, 0, NMI_OFFSET);
	e->state = READ_ONCE(e->inst->state);
	begin_from(e->inst, none);
}

/* An interrupt in another thread does not change the instance. */
static void another_threads(struct kunit *test)
{
	struct vcpc_set *set = counting_set(test);
	struct elsewhere e;

	KUNIT_ASSERT_FALSE(test, IS_ERR(set));
	e.inst = find_own(set);
	KUNIT_EXPECT_NOT_NULL(test, e.inst);
	if (e.inst) {
		INIT_WORK_ONSTACK(&e.work, interrupt_elsewhere);
		/*
		 * Stay on this CPU, because on another one this thread could read its counters at a
		 * context switch.
		 */
		migrate_disable();
		schedule_work_on(smp_processor_id(), &e.work);
		flush_work(&e.work);
		migrate_enable();
		destroy_work_on_stack(&e.work);
		KUNIT_EXPECT_EQ(test, 0U, e.state);
	}
	vcpc_user_test_destroy(set);
}

/*
 * struct hint - an interrupt and its effect
 * @from: start values of the two counters; both now read near 0, so a larger start value means an
 *	overflow
 * @which: index of the counter that interrupts
 * @freezes: the instance is stopped because a counter has overflowed
 * @told: index of the counter that is reported
 */
struct hint {
	u64 from[2];
	u32 which;
	bool freezes;
	u32 told;
};

static const struct hint hints[] = {
	{ .from = { 0, 0 }, .which = 0 },
	{ .from = { 0, 0 }, .which = 1 },
	{ .from = { 0, U64_MAX }, .which = 1, .freezes = true, .told = 1 },
	{ .from = { 0, U64_MAX }, .which = 0, .freezes = true, .told = 1 },
	{ .from = { U64_MAX, 0 }, .which = 1, .freezes = true, .told = 0 },
	{ .from = { U64_MAX, U64_MAX }, .which = 0, .freezes = true, .told = 0 },
	{ .from = { U64_MAX, U64_MAX }, .which = 1, .freezes = true, .told = 1 },
};

/* The values decide whether a counter has overflowed; perf's interrupt is only a hint. */
static void an_interrupt_is_only_a_hint(struct kunit *test)
{
	const struct hint *hint = test->param_value;
	struct vcpc_set *set = counting_set(test);
	struct vcpc_instance *inst;

	KUNIT_ASSERT_FALSE(test, IS_ERR(set));
	inst = find_own(set);
	KUNIT_EXPECT_NOT_NULL(test, inst);
	if (inst) {
		begin_from(inst, hint->from);
		interrupt(inst, hint->which, 0);
		KUNIT_EXPECT_EQ(test, hint->freezes, !!(inst->state & VCPC_INSTANCE_STOPPED));
		KUNIT_EXPECT_EQ(test, hint->freezes, !!(inst->kept->state & VCPC_STATE_FROZEN));
		if (hint->freezes)
			KUNIT_EXPECT_EQ(test, hint->told, inst->which);
	}
	vcpc_user_test_destroy(set);
}

static void name_hint(const struct hint *hint, char *name)
{
	scnprintf(name, KUNIT_PARAM_DESC_SIZE, "from %llx and %llx, %u interrupts",
		  hint->from[0], hint->from[1], hint->which);
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
	KUNIT_CASE_PARAM(an_interrupt_is_only_a_hint, hint_gen_params),
	KUNIT_CASE(unmasked),
	KUNIT_CASE(gone_before_it_is_told),
	KUNIT_CASE(another_threads),
	{ }
};

static struct kunit_suite suite = {
	.name = "vcpc_overflow",
	.suite_init = begin_suite,
	.suite_exit = end_suite,
	.test_cases = cases,
};

kunit_test_suite(suite);
