// SPDX-License-Identifier: GPL-2.0
/*
 * Copy in each struct of the interface with every size, every flag and every
 * reserved byte, and from memory that ends within the struct.
 */
#include <kunit/test.h>
#include <linux/string.h>

#include "uarg.h"
#include "user_test.h"

/* Sizes in version 2 of the interface; structs can only grow. */
static_assert(sizeof(struct vcpc_info_args) == 40);
static_assert(sizeof(struct vcpc_request) == 64);
static_assert(sizeof(struct vcpc_set_create_args) == 48);
static_assert(sizeof(struct vcpc_bind_args) == 16);
static_assert(sizeof(struct vcpc_own_args) == 8);
static_assert(sizeof(struct vcpc_preset_args) == 16);
static_assert(sizeof(struct vcpc_sample_args) == 24);
static_assert(sizeof(struct vcpc_sample) == 24);
static_assert(sizeof(struct vcpc_instance_info) == 32);
static_assert(sizeof(struct vcpc_instances_args) == 40);
static_assert(sizeof(struct vcpc_trace_tag_args) == 32);
static_assert(sizeof(struct vcpc_trace_write) == 16);

#define ROOM	512

/* The layout and the valid flags of a struct */
struct taken {
	const char *name;
	unsigned int cmd;
	size_t known;
	size_t flags_at;	/* 0 if there are no flags */
	u32 flags;
	size_t reserved_at;	/* 0 if there is no reserved field */
	size_t reserved_end;	/* 0 for the end of the struct */
};

static const struct taken all[] = {
	{ .name = "INFO", .cmd = VCPC_IOC_INFO, .known = sizeof(struct vcpc_info_args) },
	{ .name = "SET_CREATE", .cmd = VCPC_IOC_SET_CREATE,
	  .known = sizeof(struct vcpc_set_create_args),
	  .flags_at = offsetof(struct vcpc_set_create_args, flags),
	  .flags = VCPC_SET_F_DISABLED,
	  .reserved_at = offsetof(struct vcpc_set_create_args, reserved) },
	{ .name = "BIND", .cmd = VCPC_IOC_BIND, .known = sizeof(struct vcpc_bind_args),
	  .flags_at = offsetof(struct vcpc_bind_args, flags),
	  .flags = VCPC_BIND_F_ENABLE_ON_EXEC | VCPC_BIND_F_INHERIT | VCPC_BIND_F_TREE |
		   VCPC_BIND_F_TRACE,
	  .reserved_at = offsetof(struct vcpc_bind_args, reserved),
	  .reserved_end = offsetofend(struct vcpc_bind_args, reserved) },
	{ .name = "UNBIND", .cmd = VCPC_IOC_UNBIND, .known = sizeof(struct vcpc_own_args),
	  .flags_at = offsetof(struct vcpc_own_args, flags), .flags = VCPC_OWN_F_ALL },
	{ .name = "ENABLE", .cmd = VCPC_IOC_ENABLE, .known = sizeof(struct vcpc_own_args),
	  .flags_at = offsetof(struct vcpc_own_args, flags) },
	{ .name = "DISABLE", .cmd = VCPC_IOC_DISABLE, .known = sizeof(struct vcpc_own_args),
	  .flags_at = offsetof(struct vcpc_own_args, flags) },
	{ .name = "RESTART", .cmd = VCPC_IOC_RESTART, .known = sizeof(struct vcpc_own_args),
	  .flags_at = offsetof(struct vcpc_own_args, flags) },
	{ .name = "PRESET", .cmd = VCPC_IOC_PRESET, .known = sizeof(struct vcpc_preset_args) },
	{ .name = "SAMPLE", .cmd = VCPC_IOC_SAMPLE, .known = sizeof(struct vcpc_sample_args),
	  .flags_at = offsetof(struct vcpc_sample_args, flags),
	  .flags = VCPC_SAMPLE_F_TOTAL },
	{ .name = "INSTANCES", .cmd = VCPC_IOC_INSTANCES,
	  .known = sizeof(struct vcpc_instances_args),
	  .flags_at = offsetof(struct vcpc_instances_args, flags) },
};

static void describe(const struct taken *t, char *name)
{
	strscpy(name, t->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(all, all, describe);

static struct vcpc_user_memory memory;

/* Write a valid struct into @image, with zeros after it. */
static void good_image(const struct taken *t, u8 *image)
{
	memset(image, 0, ROOM);
	*(u32 *)image = t->known;
}

static int take_at(struct kunit *test, const u8 *image, size_t len, size_t at)
{
	const struct taken *t = test->param_value;
	union vcpc_uargs args;
	int ret;

	vcpc_user_test_enter(&memory);
	ret = vcpc_uarg_take(&args, t->cmd, vcpc_user_test_put(test, &memory, at, image, len));
	vcpc_user_test_leave(&memory);
	return ret;
}

static int take(struct kunit *test, const u8 *image)
{
	return take_at(test, image, ROOM, 0);
}

static void sizes(struct kunit *test)
{
	const struct taken *t = test->param_value;
	u8 image[ROOM];
	u32 *size = (u32 *)image;

	good_image(t, image);
	KUNIT_EXPECT_EQ(test, 0, take(test, image));
	for (*size = 0; *size < t->known; ++*size)
		KUNIT_EXPECT_EQ(test, -EINVAL, take(test, image));
	for (*size = t->known + 1; *size <= ROOM; *size += 7)
		KUNIT_EXPECT_EQ(test, 0, take(test, image));
	*size = PAGE_SIZE + 1;
	KUNIT_EXPECT_EQ(test, -E2BIG, take(test, image));
	*size = U32_MAX;
	KUNIT_EXPECT_EQ(test, -E2BIG, take(test, image));
}

/* A newer caller can pass a longer struct, but nonzero extra bytes are rejected. */
static void longer_and_not_zero(struct kunit *test)
{
	const struct taken *t = test->param_value;
	u8 image[ROOM];
	size_t i;

	for (i = t->known; i < t->known + 32; i++) {
		good_image(t, image);
		image[i] = 1;
		*(u32 *)image = t->known + 32;
		KUNIT_EXPECT_EQ(test, -E2BIG, take(test, image));
		/* Bytes after the caller's struct are not read. */
		*(u32 *)image = i;
		KUNIT_EXPECT_EQ(test, 0, take(test, image));
	}
}

static void each_flag(struct kunit *test)
{
	const struct taken *t = test->param_value;
	u8 image[ROOM];
	int bit;

	if (!t->flags_at)
		kunit_skip(test, "it has no flags");
	for (bit = 0; bit < 32; bit++) {
		good_image(t, image);
		*(u32 *)(image + t->flags_at) = BIT(bit);
		KUNIT_EXPECT_EQ_MSG(test, t->flags & BIT(bit) ? 0 : -EINVAL, take(test, image),
				    "bit %d", bit);
	}
}

static void reserved_bytes(struct kunit *test)
{
	const struct taken *t = test->param_value;
	u8 image[ROOM];
	size_t i;

	if (!t->reserved_at)
		kunit_skip(test, "nothing of it is reserved");
	for (i = t->reserved_at; i < (t->reserved_end ?: t->known); i++) {
		good_image(t, image);
		image[i] = 0x80;
		KUNIT_EXPECT_EQ_MSG(test, -EINVAL, take(test, image), "byte %zu", i);
	}
}

/* The caller's memory ends at each byte of the struct, and right after it. */
static void edge_of_memory(struct kunit *test)
{
	const struct taken *t = test->param_value;
	u8 image[ROOM];
	size_t there;

	good_image(t, image);
	for (there = 1; there < t->known; there++)
		KUNIT_EXPECT_EQ(test, -EFAULT, take_at(test, image, there, PAGE_SIZE - there));
	KUNIT_EXPECT_EQ(test, 0, take_at(test, image, t->known, PAGE_SIZE - t->known));
	*(u32 *)image = t->known + 1;
	KUNIT_EXPECT_EQ(test, -EFAULT, take_at(test, image, t->known, PAGE_SIZE - t->known));
}

static const struct vcpc_set_create_args requests_at_start = {
	.size = sizeof(requests_at_start),
	.nr_requests = 1,
	.request_size = sizeof(struct vcpc_request),
};

static int take_request(struct kunit *test, const struct vcpc_request *req, u32 size)
{
	struct vcpc_set_create_args args = requests_at_start;
	struct vcpc_request taken;
	int ret;

	args.request_size = size;
	args.requests = memory.page;
	vcpc_user_test_enter(&memory);
	vcpc_user_test_put(test, &memory, 0, req, sizeof(*req));
	ret = vcpc_uarg_request(&taken, &args, 0);
	vcpc_user_test_leave(&memory);
	return ret;
}

static void request(struct kunit *test)
{
	const u32 known = VCPC_REQ_F_USER | VCPC_REQ_F_KERNEL | VCPC_REQ_F_OVERFLOW;
	struct vcpc_request req = { .flags = VCPC_REQ_F_USER };
	size_t i;
	int bit;

	KUNIT_EXPECT_EQ(test, 0, take_request(test, &req, sizeof(req)));
	KUNIT_EXPECT_EQ(test, -EINVAL, take_request(test, &req, sizeof(req) - 1));
	KUNIT_EXPECT_EQ(test, -EINVAL, take_request(test, &req, 0));
	KUNIT_EXPECT_EQ(test, -E2BIG, take_request(test, &req, PAGE_SIZE + 1));
	req.flags = 0;
	KUNIT_EXPECT_EQ(test, -EINVAL, take_request(test, &req, sizeof(req)));
	for (bit = 0; bit < 32; bit++) {
		req.flags = VCPC_REQ_F_USER | BIT(bit);
		KUNIT_EXPECT_EQ_MSG(test, BIT(bit) & known ? 0 : -EINVAL,
				    take_request(test, &req, sizeof(req)), "bit %d", bit);
	}
	req.flags = VCPC_REQ_F_USER;
	for (i = 0; i < sizeof(req.reserved); i++) {
		((u8 *)req.reserved)[i] = 1;
		KUNIT_EXPECT_EQ(test, -EINVAL, take_request(test, &req, sizeof(req)));
		((u8 *)req.reserved)[i] = 0;
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
	KUNIT_CASE_PARAM(sizes, all_gen_params),
	KUNIT_CASE_PARAM(longer_and_not_zero, all_gen_params),
	KUNIT_CASE_PARAM(each_flag, all_gen_params),
	KUNIT_CASE_PARAM(reserved_bytes, all_gen_params),
	KUNIT_CASE_PARAM(edge_of_memory, all_gen_params),
	KUNIT_CASE(request),
	{ }
};

static struct kunit_suite suite = {
	.name = "vcpc_uarg",
	.suite_init = begin_suite,
	.suite_exit = end_suite,
	.test_cases = cases,
};

kunit_test_suite(suite);
