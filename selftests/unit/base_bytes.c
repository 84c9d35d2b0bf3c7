// SPDX-License-Identifier: GPL-2.0-or-later
/* Test bounded reads of big-endian numbers, and growing buffers and arrays. */
#include <errno.h>
#include <stdlib.h>

#include "base/buf.h"
#include "base/bytes.h"
#include "base/vec.h"
#include "kselftest_harness.h"

TEST(numbers_are_big_endian)
{
	static const uint8_t bytes[] = { 1, 2, 3, 4, 5, 6, 7, 8 };
	uint8_t out[8];

	EXPECT_EQ(0x01020304u, shim_be32__get(bytes));
	EXPECT_EQ(0x0102030405060708u, shim_be64__get(bytes));
	shim_be32__put(out, 0x01020304u);
	EXPECT_EQ(0, memcmp(out, bytes, 4));
	shim_be64__put(out, 0x0102030405060708u);
	EXPECT_EQ(0, memcmp(out, bytes, 8));
}

TEST(input_turns_bad_at_its_end_and_stays_bad)
{
	/* Allocate exactly this size, so that ASan detects a read of one more byte. */
	uint8_t *bytes = calloc(1, 7);
	struct shim_in in;

	ASSERT_NE(NULL, bytes);
	bytes[3] = 9;
	in = shim_in__of(bytes, 7);
	EXPECT_EQ(9, shim_in__u32(&in));
	EXPECT_FALSE(in.bad);
	EXPECT_EQ(3, shim_in__left(&in));
	EXPECT_EQ(0, shim_in__u32(&in));
	EXPECT_TRUE(in.bad);
	EXPECT_EQ(NULL, shim_in__bytes(&in, 1));
	EXPECT_EQ(NULL, shim_in__bytes(&in, 0));

	in = shim_in__of(bytes, 7);
	EXPECT_EQ(0, shim_in__u64(&in));
	EXPECT_TRUE(in.bad);
	in = shim_in__of(bytes, 7);
	EXPECT_EQ(NULL, shim_in__bytes(&in, SIZE_MAX));
	EXPECT_TRUE(in.bad);
	in = shim_in__of(bytes, 7);
	EXPECT_EQ(bytes, shim_in__bytes(&in, 7));
	EXPECT_EQ(0, shim_in__left(&in));
	free(bytes);
}

TEST(buffer_grows_and_keeps_what_it_has)
{
	struct shim_buf buf = { 0 };

	for (uint32_t i = 0; i < 100000; i++)
		shim_buf__put32(&buf, i);
	shim_buf__put64(&buf, 1);
	shim_buf__put(&buf, NULL, 0);
	shim_buf__put(&buf, "xy", 2);
	shim_buf__fill(&buf, '~', 2);
	ASSERT_EQ(0, buf.err);
	ASSERT_EQ(400012, buf.len);
	for (uint32_t i = 0; i < 100000; i++)
		ASSERT_EQ(i, shim_be32__get(buf.data + 4 * (size_t)i));
	EXPECT_EQ(1, shim_be64__get(buf.data + 400000));
	EXPECT_EQ(0, memcmp(buf.data + 400008, "xy~~", 4));
	shim_buf__reset(&buf);
	EXPECT_EQ(0, buf.len);
	shim_buf__free(&buf);
	EXPECT_EQ(NULL, buf.data);
}

TEST(buffer_refuses_what_no_record_can_be)
{
	struct shim_buf buf = { 0 };

	shim_buf__put32(&buf, 7);
	EXPECT_EQ(NULL, shim_buf__add(&buf, SHIM_BUF_MAX - 3));
	EXPECT_EQ(-EMSGSIZE, buf.err);
	EXPECT_EQ(4, buf.len);
	shim_buf__put32(&buf, 8);
	EXPECT_EQ(4, buf.len);
	EXPECT_EQ(-EMSGSIZE, buf.err);
	shim_buf__free(&buf);
}

TEST(array_grows_and_keeps_what_it_has)
{
	uint64_t *numbers = NULL;
	size_t cap = 0;

	for (unsigned int n = 0; n < 1000; n++) {
		ASSERT_EQ(0, shim_vec__room(numbers, &cap, n));
		ASSERT_LT(n, cap);
		numbers[n] = n;
	}
	EXPECT_EQ(1024, cap);
	ASSERT_EQ(0, shim_vec__reserve(numbers, &cap, 1024));
	EXPECT_EQ(1024, cap);
	ASSERT_EQ(0, shim_vec__reserve(numbers, &cap, 5000));
	EXPECT_EQ(5000, cap);
	for (unsigned int n = 0; n < 1000; n++)
		EXPECT_EQ(n, numbers[n]);
	free(numbers);
}

TEST(array_that_cannot_grow_is_as_it_was)
{
	uint64_t *numbers = NULL, *before;
	size_t cap = 0;

	ASSERT_EQ(0, shim_vec__room(numbers, &cap, 0));
	numbers[0] = 7;
	before = numbers;
	/* The size in bytes would be 8 if the multiplication wrapped. */
	EXPECT_EQ(-ENOMEM, shim_vec__reserve(numbers, &cap, SIZE_MAX / 8 + 2));
	EXPECT_EQ(before, numbers);
	EXPECT_EQ(8, cap);
	EXPECT_EQ(7, numbers[0]);
	free(numbers);
}

TEST_HARNESS_MAIN
