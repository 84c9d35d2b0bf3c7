// SPDX-License-Identifier: GPL-2.0
/*
 * Copy in the structs of tags and events, with valid and invalid sizes, flags and values, and from
 * memory that ends within the struct.  Names are escaped.
 */
#include <kunit/test.h>
#include <linux/string.h>

#include "trace/events.h"
#include "uarg.h"
#include "user_test.h"

static struct vcpc_user_memory memory;

static int take_tag(struct kunit *test, const struct vcpc_trace_tag_args *args, size_t at)
{
	struct vcpc_trace_tag_args taken;
	size_t there = min(sizeof(*args), PAGE_SIZE - at);
	char name[VCPC_TAG_LEN];
	void __user *from;
	int ret;

	vcpc_user_test_enter(&memory);
	from = vcpc_user_test_put(test, &memory, at, args, there);
	ret = vcpc_uarg_tag(&taken, name, from);
	vcpc_user_test_leave(&memory);
	return ret;
}

static void tag(struct kunit *test)
{
	struct vcpc_trace_tag_args args = { .size = sizeof(args), .name_len = 1 };
	char text[VCPC_TAG_LEN];
	int bit;

	/* Put the name into the middle of the page. */
	memset(text, 'x', sizeof(text));
	args.name = memory.page + PAGE_SIZE / 2;
	vcpc_user_test_enter(&memory);
	vcpc_user_test_put(test, &memory, PAGE_SIZE / 2, text, sizeof(text));
	vcpc_user_test_leave(&memory);

	KUNIT_EXPECT_EQ(test, 0, take_tag(test, &args, 0));
	KUNIT_EXPECT_EQ(test, 0, take_tag(test, &args, PAGE_SIZE - sizeof(args)));
	KUNIT_EXPECT_EQ(test, -EFAULT, take_tag(test, &args, PAGE_SIZE - sizeof(args) + 1));
	KUNIT_EXPECT_EQ(test, -EFAULT, take_tag(test, &args, PAGE_SIZE - 4));
	for (bit = 0; bit < 32; bit++) {
		args.flags = BIT(bit);
		KUNIT_EXPECT_EQ(test, -EINVAL, take_tag(test, &args, 0));
	}
	args.flags = 0;
	args.size = sizeof(args) - 1;
	KUNIT_EXPECT_EQ(test, -EINVAL, take_tag(test, &args, 0));
	args.size = PAGE_SIZE + 1;
	KUNIT_EXPECT_EQ(test, -E2BIG, take_tag(test, &args, 0));
	args.size = sizeof(args);
	args.name_len = 0;
	KUNIT_EXPECT_EQ(test, -EINVAL, take_tag(test, &args, 0));
	args.name_len = VCPC_TAG_LEN - 1;
	KUNIT_EXPECT_EQ(test, 0, take_tag(test, &args, 0));
	args.name_len = VCPC_TAG_LEN;
	KUNIT_EXPECT_EQ(test, -ENAMETOOLONG, take_tag(test, &args, 0));
}

static void tag_name(struct kunit *test)
{
	struct vcpc_trace_tag_args args = { .size = sizeof(args), .name_len = 5 }, taken;
	char name[VCPC_TAG_LEN];
	void __user *from;

	args.name = memory.page + 100;
	vcpc_user_test_enter(&memory);
	from = vcpc_user_test_put(test, &memory, 0, &args, sizeof(args));
	vcpc_user_test_put(test, &memory, 100, "check", 5);
	KUNIT_EXPECT_EQ(test, 0, vcpc_uarg_tag(&taken, name, from));
	KUNIT_EXPECT_STREQ(test, "check", name);
	vcpc_user_test_put(test, &memory, 100, "ch\0ck", 5);
	KUNIT_EXPECT_EQ(test, -EINVAL, vcpc_uarg_tag(&taken, name, from));
	args.name = memory.page + PAGE_SIZE - 4;
	vcpc_user_test_put(test, &memory, 0, &args, sizeof(args));
	KUNIT_EXPECT_EQ(test, -EFAULT, vcpc_uarg_tag(&taken, name, from));
	vcpc_user_test_leave(&memory);
}

static void event(struct kunit *test)
{
	const struct vcpc_trace_write from = { .op = 2, .handle = 3, .value = ~4ULL };
	struct vcpc_trace_write taken = { .op = 0 };
	char __user *at;
	size_t there;

	vcpc_user_test_enter(&memory);
	at = vcpc_user_test_put(test, &memory, PAGE_SIZE - sizeof(from), &from, sizeof(from));
	KUNIT_EXPECT_EQ(test, 0, vcpc_uarg_event(&taken, at, sizeof(from)));
	KUNIT_EXPECT_EQ(test, 0, memcmp(&taken, &from, sizeof(from)));
	for (there = 0; there < sizeof(from); there++)
		KUNIT_EXPECT_EQ(test, -EFAULT,
				vcpc_uarg_event(&taken, at + sizeof(from) - there, sizeof(from)));
	KUNIT_EXPECT_EQ(test, -EINVAL, vcpc_uarg_event(&taken, at, sizeof(from) - 1));
	KUNIT_EXPECT_EQ(test, -EFAULT, vcpc_uarg_event(&taken, at, sizeof(from) + 1));
	KUNIT_EXPECT_EQ(test, -E2BIG, vcpc_uarg_event(&taken, at, PAGE_SIZE + 1));
	vcpc_user_test_leave(&memory);
}

static int check(struct kunit *test, u32 op, u64 value)
{
	const struct vcpc_trace_write event = { .op = op, .value = value };
	struct vcpc_trace_write taken;
	void __user *from = vcpc_user_test_put(test, &memory, 0, &event, sizeof(event));

	return vcpc_uarg_event(&taken, from, sizeof(event));
}

/* Try each operation with each other bit, with and without a value. */
static void operations(struct kunit *test)
{
	u32 op;
	int bit;

	vcpc_user_test_enter(&memory);
	for (op = 0; op < 20; op++) {
		bool known = op >= VCPC_TRACE_BEGIN && op <= VCPC_TRACE_COUNTER;
		bool value = known && op != VCPC_TRACE_BEGIN && op != VCPC_TRACE_POINT;

		KUNIT_EXPECT_EQ(test, known ? 0 : -EINVAL, check(test, op, 0));
		KUNIT_EXPECT_EQ(test, value ? 0 : -EINVAL, check(test, op, 1ULL << 63));
		for (bit = 5; bit < 32; bit++) {
			bool counts = BIT(bit) == VCPC_TRACE_F_COUNTS &&
				      (op == VCPC_TRACE_BEGIN || op == VCPC_TRACE_END);

			KUNIT_EXPECT_EQ(test, counts ? 0 : -EINVAL,
					check(test, op | BIT(bit), 0));
		}
	}
	vcpc_user_test_leave(&memory);
}

static void escapes(struct kunit *test)
{
	static const struct {
		const char *name, *text;
	} names[] = {
		{ "plain text, {all} of 'it'", "plain text, {all} of 'it'" },
		{ "a\nb\t\r\v\f", "a\\nb\\t\\r\\v\\f" },
		{ "\x1b[2J\a", "\\e[2J\\a" },
		{ "\"\\n", "\\\"\\\\n" },
		{ "\x01\x7f\x80\x9b\xff", "\\x01\\x7f\\x80\\x9b\\xff" },
		{ "", "" },
	};
	char text[64];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(names); i++) {
		size_t size = vcpc_events_escape(NULL, 0, names[i].name);

		KUNIT_EXPECT_EQ(test, strlen(names[i].text) + 1, size);
		memset(text, '#', sizeof(text));
		vcpc_events_escape(text, size, names[i].name);
		KUNIT_EXPECT_STREQ(test, names[i].text, text);
		KUNIT_EXPECT_EQ(test, '#', text[size]);
	}
}

static int begin_suite(struct kunit_suite *suite)
{
	return vcpc_user_test_open(&memory);
}

static void end_suite(struct kunit_suite *suite)
{
	vcpc_user_test_close(&memory);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(tag),
	KUNIT_CASE(tag_name),
	KUNIT_CASE(event),
	KUNIT_CASE(operations),
	KUNIT_CASE(escapes),
	{ }
};

static struct kunit_suite suite = {
	.name = "vcpc_traceargs",
	.suite_init = begin_suite,
	.suite_exit = end_suite,
	.test_cases = cases,
};

kunit_test_suite(suite);
