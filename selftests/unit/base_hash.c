// SPDX-License-Identifier: GPL-2.0-or-later
/* Test hash tables that link nodes of the caller, and arenas that contain the nodes. */
#include <malloc.h>
#include <string.h>

#include "base/buf.h"
#include "base/hash.h"
#include "kselftest_harness.h"

struct item {
	struct shim_hnode node;
	uint32_t key;
};

static struct item *find(const struct shim_hash *h, uint64_t hash, uint32_t key)
{
	struct shim_hnode *node;

	for (node = shim_hash__first(h, hash); node; node = shim_hash__next(node)) {
		struct item *item = shim_hnode__entry(node, struct item, node);

		if (item->key == key)
			return item;
	}
	return NULL;
}

TEST(every_key_is_found_and_no_other)
{
	struct shim_arena arena = { 0 };
	struct shim_hash h;

	shim_hash__init(&h);
	EXPECT_EQ(NULL, find(&h, shim_hash__u32(&h, 5), 5));
	for (uint32_t i = 0; i < 20000; i++) {
		struct item *item = shim_arena__alloc(&arena, sizeof(*item));

		ASSERT_NE(NULL, item);
		item->key = 3 * i;
		ASSERT_EQ(0, shim_hash__add(&h, &item->node, shim_hash__u32(&h, item->key)));
	}
	EXPECT_EQ(20000, h.n);
	for (uint32_t i = 0; i < 60000; i++)
		ASSERT_EQ(i % 3 == 0, !!find(&h, shim_hash__u32(&h, i), i));
	shim_hash__free(&h);
	shim_arena__free(&arena);
}

/* Several nodes can have the same hash, and the table can grow before they are removed. */
TEST(what_is_taken_out_is_not_found)
{
	static struct item items[4000];
	struct shim_hash h;
	size_t n = 0;

	shim_hash__init(&h);
	srandom(1);
	for (int i = 0; i < 60000; i++) {
		uint32_t key = random() % 4000;
		uint64_t hash = shim_hash__u32(&h, key / 3);

		if (find(&h, hash, key)) {
			shim_hash__del(&h, &items[key].node);
			n--;
			ASSERT_EQ(NULL, find(&h, hash, key));
		} else {
			items[key].key = key;
			ASSERT_EQ(0, shim_hash__add(&h, &items[key].node, hash));
			n++;
			ASSERT_EQ(&items[key], find(&h, hash, key));
		}
		ASSERT_EQ(n, h.n);
	}
	shim_hash__free(&h);
}

/* Memory is freed, including tables that were replaced with larger ones. */
TEST(memory_is_given_back)
{
	static struct item items[5000];
	struct shim_hash h;
	size_t before = 0;

	for (int round = 0; round < 20; round++) {
		if (round == 1)
			before = mallinfo2().uordblks;
		shim_hash__init(&h);
		for (uint32_t i = 0; i < 5000; i++)
			ASSERT_EQ(0, shim_hash__add(&h, &items[i].node, shim_hash__u32(&h, i)));
		shim_hash__free(&h);
	}
	/* The C library keeps some small blocks. */
	EXPECT_GE(before + 65536, mallinfo2().uordblks);
}

TEST(equal_hashes_are_told_apart_by_their_keys)
{
	struct item items[100];
	struct shim_hash h;

	shim_hash__init(&h);
	for (uint32_t i = 0; i < 100; i++) {
		items[i].key = i;
		ASSERT_EQ(0, shim_hash__add(&h, &items[i].node, 42));
	}
	for (uint32_t i = 0; i < 100; i++)
		EXPECT_EQ(&items[i], find(&h, 42, i));
	EXPECT_EQ(NULL, find(&h, 43, 1));
	shim_hash__free(&h);
}

TEST(bytes_hash_by_all_their_bytes_and_their_length)
{
	char text[] = "0123456789abcdef0123456789";
	struct shim_hash h;
	uint64_t whole;

	shim_hash__init(&h);
	whole = shim_hash__bytes(&h, text, sizeof(text) - 1);
	EXPECT_EQ(whole, shim_hash__bytes(&h, text, sizeof(text) - 1));
	for (size_t i = 0; i < sizeof(text) - 1; i++) {
		text[i] ^= 1;
		EXPECT_NE(whole, shim_hash__bytes(&h, text, sizeof(text) - 1));
		text[i] ^= 1;
		EXPECT_NE(whole, shim_hash__bytes(&h, text, i));
	}
	shim_hash__free(&h);
}

TEST(two_tables_have_two_seeds)
{
	struct shim_hash a, b;

	shim_hash__init(&a);
	shim_hash__init(&b);
	EXPECT_NE(shim_hash__u32(&a, 1), shim_hash__u32(&b, 1));
}

TEST(arena_gives_zeroed_aligned_pieces_of_any_size)
{
	struct shim_arena arena = { 0 };
	char *s;

	for (size_t size = 1; size < 200000; size = size * 3 / 2 + 1) {
		unsigned char *p = shim_arena__alloc(&arena, size);

		ASSERT_NE(NULL, p);
		EXPECT_EQ(0, (uintptr_t)p % _Alignof(max_align_t));
		EXPECT_EQ(0, p[0]);
		EXPECT_EQ(0, p[size - 1]);
		memset(p, 0xff, size);
	}
	s = shim_arena__string(&arena, "hello", 4);
	ASSERT_NE(NULL, s);
	EXPECT_STREQ("hell", s);
	EXPECT_EQ(NULL, shim_arena__alloc(&arena, SIZE_MAX));
	EXPECT_EQ(NULL, shim_arena__array(&arena, SIZE_MAX / 4, 8));
	shim_arena__free(&arena);
}

TEST(arena_of_few_objects_is_small)
{
	struct shim_arena arena = { 0 };
	size_t before = mallinfo2().uordblks;

	ASSERT_NE(NULL, shim_arena__alloc(&arena, 100));
	EXPECT_GE(before + 4096, mallinfo2().uordblks);
	shim_arena__free(&arena);
}

TEST_HARNESS_MAIN
