// SPDX-License-Identifier: GPL-2.0
/*
 * A CPU goes and comes back, as far as a set on it can see: what is kept, and what is lost
 * on the way.
 *
 * The CPU itself stays: so the old counters are still on it when new ones are opened, which
 * is how there can be too little room for these.
 */
#include <kunit/test.h>
#include <linux/delay.h>
#include <linux/err.h>
#include <linux/mutex.h>
#include <linux/perf_event.h>
#include <linux/sched.h>

#include "bind.h"
#include "binding.h"
#include "groups.h"
#include "hardware.h"
#include "target.h"
#include "uarg.h"
#include "user_test.h"

static struct vcpc_user_memory memory;
static struct vcpc_user *user;

static const struct vcpc_request cpu_clock = {
	.type = PERF_TYPE_SOFTWARE,
	.config = PERF_COUNT_SW_CPU_CLOCK,
	.flags = VCPC_REQ_F_USER | VCPC_REQ_F_KERNEL,
};

static const struct vcpc_request cycles = {
	.type = PERF_TYPE_HARDWARE,
	.config = PERF_COUNT_HW_CPU_CYCLES,
	.flags = VCPC_REQ_F_USER | VCPC_REQ_F_KERNEL,
};

static void come_back(struct vcpc_set *set, struct vcpc_instance *inst)
{
	mutex_lock(&set->guard.lock);
	vcpc_instance_online(inst);
	mutex_unlock(&set->guard.lock);
}

static int sample(struct vcpc_set *set, struct vcpc_instance *inst, struct vcpc_sample *to)
{
	int ret;

	mutex_lock(&set->guard.lock);
	ret = vcpc_instance_do(inst, VCPC_OP_SAMPLE, to, NULL);
	mutex_unlock(&set->guard.lock);
	return ret;
}

/* Its only one; NULL if it is not bound */
static struct vcpc_instance *instance_of(struct vcpc_set *set)
{
	struct vcpc_binding *b;

	b = list_first_entry_or_null(&set->bindings, struct vcpc_binding, node);
	return b ? list_first_entry_or_null(&b->instances, struct vcpc_instance, in_binding) : NULL;
}

typedef void (*do_fn)(struct kunit *test, struct vcpc_set *set, struct vcpc_instance *inst);

/* Bind a set to a CPU, and do something with it. */
static void on_a_cpu(struct kunit *test, struct vcpc_set *set, do_fn fn)
{
	struct vcpc_bind_args bind = {
		.size = sizeof(bind), .flags = VCPC_BIND_F_CPU,
		.tid = VCPC_UARG_CPU(raw_smp_processor_id()),
	};
	struct vcpc_instance *inst;
	int bad;

	if (IS_ERR(set))
		return;
	KUNIT_EXPECT_EQ(test, 0, vcpc_bind_set(set, &bind, &bad));
	inst = instance_of(set);
	if (inst)
		fn(test, set, inst);
	vcpc_target_destroy(set);
}

static void keep_and_go_on(struct kunit *test, struct vcpc_set *set, struct vcpc_instance *inst)
{
	struct vcpc_sample *now = inst->spare;
	u64 kept;

	vcpc_instance_keep(inst);
	KUNIT_EXPECT_EQ(test, 0, sample(set, inst, now));
	KUNIT_EXPECT_EQ(test, (u32)(VCPC_STATE_OFFLINE | VCPC_STATE_COUNTING), now->state);
	kept = now->values[0];
	KUNIT_EXPECT_GT(test, kept, 0ULL);
	KUNIT_EXPECT_EQ(test, 0, sample(set, inst, now));
	KUNIT_EXPECT_EQ(test, kept, now->values[0]);

	come_back(set, inst);
	KUNIT_EXPECT_EQ(test, 0, sample(set, inst, now));
	KUNIT_EXPECT_EQ(test, (u32)VCPC_STATE_COUNTING, now->state);
	KUNIT_EXPECT_GT(test, now->values[0], kept);
}

static void values_are_kept_and_go_on(struct kunit *test)
{
	on_a_cpu(test, vcpc_user_test_set(test, &memory, user, &cpu_clock, 1, 0),
		 keep_and_go_on);
}

/* The last look finds that an event was off for a while: that stays so when the CPU is back. */
static void lose_before(struct kunit *test, struct vcpc_set *set, struct vcpc_instance *inst)
{
	inst->counters->plain = false;
	inst->counters->direct = false;
	inst->counters->counter[0].start--;
	vcpc_instance_keep(inst);
	KUNIT_EXPECT_TRUE(test, inst->state & VCPC_INSTANCE_INVALID);
	come_back(set, inst);
	KUNIT_EXPECT_TRUE(test, inst->state & VCPC_INSTANCE_INVALID);
}

static void lost_before_it_went(struct kunit *test)
{
	on_a_cpu(test, vcpc_user_test_set(test, &memory, user, &cpu_clock, 1, 0),
		 lose_before);
}

static void find_no_room(struct kunit *test, struct vcpc_set *set, struct vcpc_instance *inst)
{
	vcpc_instance_keep(inst);
	KUNIT_EXPECT_FALSE(test, inst->state & VCPC_INSTANCE_INVALID);
	come_back(set, inst);
	KUNIT_EXPECT_TRUE(test, inst->state & VCPC_INSTANCE_INVALID);
	KUNIT_EXPECT_EQ(test, -EAGAIN, sample(set, inst, inst->spare));
}

static void no_room_when_it_is_back(struct kunit *test)
{
	unsigned int i, nr = vcpc_hardware_try_slots() / 2 + 1;
	struct vcpc_request many[16];

	if (nr < 2 || nr > ARRAY_SIZE(many))
		kunit_skip(test, "no hardware counters, or too many");
	for (i = 0; i < nr; i++)
		many[i] = cycles;
	on_a_cpu(test, vcpc_user_test_set(test, &memory, user, many, nr, 0),
		 find_no_room);
}

/* Its counters cannot be opened again, for want of memory, say. */
static void open_in_vain(struct kunit *test, struct vcpc_set *set, struct vcpc_instance *inst)
{
	vcpc_instance_keep(inst);
	set->spec.requests[0].type = U32_MAX;
	come_back(set, inst);
	KUNIT_EXPECT_TRUE(test, inst->state & VCPC_INSTANCE_INVALID);
}

static void not_opened_again(struct kunit *test)
{
	on_a_cpu(test, vcpc_user_test_set(test, &memory, user, &cpu_clock, 1, 0),
		 open_in_vain);
}

/* The CPU goes when a turn is over, but the next group's has not begun. */
static void end_turn_later(struct kunit *test, struct vcpc_set *set, struct vcpc_instance *inst)
{
	u32 was = inst->groups->rotation.now, now = was;
	unsigned int tries;

	vcpc_instance_keep(inst);
	inst->groups->rotation.left = 0;
	come_back(set, inst);
	for (tries = 0; tries < 2000 && now == was; tries++) {
		msleep(20);
		now = READ_ONCE(inst->groups->rotation.now);
	}
	KUNIT_EXPECT_NE(test, was, now);
}

static void a_turn_that_was_over(struct kunit *test)
{
	struct vcpc_request requests[2] = { cpu_clock, cpu_clock };

	requests[1].group = 1;
	on_a_cpu(test, vcpc_user_test_set(test, &memory, user, requests, 2, VCPC_SET_F_GROUPS),
		 end_turn_later);
}

/* It goes again before new counters are opened: the old ones, which perf took off, say nothing. */
static void go_twice(struct kunit *test, struct vcpc_set *set, struct vcpc_instance *inst)
{
	struct vcpc_sample *now = inst->spare;
	u64 kept;

	vcpc_instance_keep(inst);
	KUNIT_EXPECT_EQ(test, 0, sample(set, inst, now));
	kept = now->values[0];
	perf_event_disable(inst->counters->counter[0].event);
	vcpc_instance_keep(inst);
	KUNIT_EXPECT_FALSE(test, inst->state & VCPC_INSTANCE_INVALID);
	KUNIT_EXPECT_EQ(test, 0, sample(set, inst, now));
	KUNIT_EXPECT_EQ(test, kept, now->values[0]);
	come_back(set, inst);
	KUNIT_EXPECT_EQ(test, 0, sample(set, inst, now));
	KUNIT_EXPECT_GT(test, now->values[0], kept);
}

static void gone_twice(struct kunit *test)
{
	on_a_cpu(test, vcpc_user_test_set(test, &memory, user, &cpu_clock, 1, 0), go_twice);
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
	KUNIT_CASE(values_are_kept_and_go_on),
	KUNIT_CASE(lost_before_it_went),
	KUNIT_CASE(no_room_when_it_is_back),
	KUNIT_CASE(not_opened_again),
	KUNIT_CASE(a_turn_that_was_over),
	KUNIT_CASE(gone_twice),
	{ }
};

static struct kunit_suite suite = {
	.name = "vcpc_hotplug",
	.suite_init = begin_suite,
	.suite_exit = end_suite,
	.test_cases = cases,
};

kunit_test_suite(suite);
