// SPDX-License-Identifier: GPL-2.0
/*
 * Virtual counters over physical ones of every width from 1 to 64 bits: steps
 * up to the largest that can be told, wraps of the counter and of 64 bits.
 */
#include <kunit/test.h>
#include <linux/bits.h>
#include <linux/kernel.h>

#include "virt.h"

/* A counter as the hardware has it: what lies beyond its width is arbitrary. */
struct physical {
	unsigned int width;
	u64 bits;
};

static void count(struct physical *p, u64 events)
{
	p->bits += events;
	if (p->width < 64)
		p->bits %= 1ULL << p->width;
}

static u64 look(const struct physical *p, u64 beyond)
{
	return p->width < 64 ? p->bits | beyond << p->width : p->bits;
}

/* One reading after each step: the sum is the preset and all steps. */
static void walk(struct kunit *test, unsigned int width, u64 start, u64 preset)
{
	const u64 mask = GENMASK_ULL(width - 1, 0);
	const u64 steps[] = { 0, 1, mask, mask / 2, 1, mask / 2 + 1, mask - 1, 0, mask };
	struct physical p = { .width = width };
	u64 value = preset, expected = preset, last, now;
	unsigned int i;

	count(&p, start);
	last = look(&p, 0);
	for (i = 0; i < ARRAY_SIZE(steps); i++) {
		count(&p, steps[i]);
		now = look(&p, i * 0x9e3779b9ULL);
		value += vcpc_virt_since(last, now, mask);
		expected += steps[i];
		last = now;
		KUNIT_EXPECT_EQ_MSG(test, expected, value, "width %u start %llx step %u", width,
				    start, i);
	}
}

static void every_width(struct kunit *test)
{
	const u64 presets[] = { 0, 1, 1ULL << 31, 1ULL << 63, U64_MAX - S32_MAX, U64_MAX - 999,
				U64_MAX };
	unsigned int width, i;

	for (width = 1; width <= 64; width++) {
		const u64 mask = GENMASK_ULL(width - 1, 0);

		for (i = 0; i < ARRAY_SIZE(presets); i++) {
			walk(test, width, 0, presets[i]);
			walk(test, width, mask / 2, presets[i]);
			walk(test, width, mask, presets[i]);
			walk(test, width, presets[i], presets[i]);
		}
	}
}

/* A whole turn looks like none: that is what a width is, and no more is promised. */
static void whole_turn(struct kunit *test)
{
	unsigned int width;

	for (width = 1; width < 64; width++) {
		struct physical p = { .width = width, .bits = 1 };
		u64 from = look(&p, 0);

		count(&p, 1ULL << width);
		KUNIT_EXPECT_EQ(test, 0,
				vcpc_virt_since(from, look(&p, 0), GENMASK_ULL(width - 1, 0)));
	}
}

static struct kunit_case cases[] = {
	KUNIT_CASE(every_width),
	KUNIT_CASE(whole_turn),
	{ }
};

static struct kunit_suite suite = {
	.name = "vcpc_virt",
	.test_cases = cases,
};

kunit_test_suite(suite);
