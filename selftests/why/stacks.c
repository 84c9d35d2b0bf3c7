// SPDX-License-Identifier: GPL-2.0-or-later
/* Check the stacks of transactions, with and without the option for them. */
#include "why_test.h"

TEST_F(parts, stacks)
{
	struct shim_why_parts parts;
	size_t at = ~0ul, n = 0;
	uint64_t asleep = 0, awake = 0;

	UNLESS_MISSING();
	ASSERT_EQ(0, pmtracebegin("stacks"));
	sleep_ms(25);
	spin_ms(50, CLOCK_THREAD_CPUTIME_ID);
	ASSERT_EQ(0, pmtraceend("stacks"));
	parts = parts_of(self->why, "stacks", &at);
	EXPECT_EQ(1, parts.count);
	ASSERT_EQ(0, shim_why_stacks_get(self->why, at, &n));
	for (size_t i = 0; i < n; i++) {
		const struct shim_why_stack *s = shim_why_stack_at(self->why, i);

		EXPECT_EQ((uint32_t)getpid(), s->pid);
		EXPECT_GT(s->nuser, 0);
		if (s->reason == SHIM_WHY_SAMPLED)
			awake += s->all_ns;
		else if (s->nkernel)
			asleep += s->all_ns;
	}
	if (!(variant->flags & SHIM_WHY_F_STACKS)) {
		EXPECT_EQ(0, n);
		return;
	}
	EXPECT_GE(asleep, 20 * MS);
	EXPECT_LE(asleep, parts.ns[SHIM_WHY_BLOCKED]);
	EXPECT_GT(shim_why_sampled_cpus(self->why), 0);
	/* A CPU that a busy host stopped takes one sample for the whole time. */
	EXPECT_GE(awake, 10 * MS);
	EXPECT_LE(awake, 2 * parts.ns[SHIM_WHY_ON_CPU]);
}

#define DEPTH	10	/* 2^10 different stacks */

static __attribute__((noinline, noclone)) int call_by_bits(unsigned int bits, unsigned int left)
{
	int bad;

	if (!left) {
		sleep_ms(1);
		return 0;
	}
	if (bits & 1)
		bad = call_by_bits(bits >> 1, left - 1);
	else
		bad = -call_by_bits(bits >> 1, left - 1);
	__asm__ volatile("" : "+r"(bad));
	return bad;
}

/* Among this many stacks, some have the same hash. */
TEST_F(parts, stacks_that_collide)
{
	size_t at = ~0ul, n = 0, known = 0, unknown = 0;
	uint64_t waits = 0;

	UNLESS_MISSING();
	for (unsigned int i = 0; i < 1u << DEPTH; i++) {
		ASSERT_EQ(0, pmtracebegin("collide"));
		call_by_bits(i, DEPTH);
		ASSERT_EQ(0, pmtraceend("collide"));
	}
	parts_of(self->why, "collide", &at);
	ASSERT_EQ(0, shim_why_reasons_get(self->why, at, &n));
	for (size_t i = 0; i < n; i++)
		waits += shim_why_reason_at(self->why, i)->all_times;
	ASSERT_EQ(0, shim_why_stacks_get(self->why, at, &n));
	for (size_t i = 0; i < n; i++) {
		const struct shim_why_stack *s = shim_why_stack_at(self->why, i);

		if (s->reason == SHIM_WHY_SAMPLED)
			continue;
		known += s->nuser > 0;
		unknown += s->nuser ? 0 : s->all_times;
	}
	ASSERT_EQ(0, shim_why_drops_get(self->why, &self->drops));
	if (!(variant->flags & SHIM_WHY_F_STACKS)) {
		EXPECT_EQ(0, n + self->drops.stacks);
		EXPECT_GE(waits, (1u << DEPTH) * 9 / 10);
		return;
	}
	TH_LOG("%zu stacks, %zu waits without one, %llu waits, %llu lost", known, unknown,
	       (unsigned long long)waits, (unsigned long long)self->drops.stacks);
	EXPECT_LE(unknown, self->drops.stacks);
	/* On a busy machine, a short wait can end before the thread leaves its CPU. */
	EXPECT_GE(waits, (1u << DEPTH) * 9 / 10);
	EXPECT_GE(known + unknown, waits);
	EXPECT_LE(unknown, waits / 50);
}

TEST_HARNESS_MAIN
