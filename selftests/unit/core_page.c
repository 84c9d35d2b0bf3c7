// SPDX-License-Identifier: GPL-2.0-or-later
/* Reading a set's mapping: whole samples while a writer is at it, and no way out of it. */
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>

#include "core/page.h"
#include "kselftest_harness.h"

#define SLOTS		3
#define VALUES		5
#define WRITES		200000

struct slot {
	struct vcpc_page_slot head;
	uint64_t values[VALUES];
};

struct mapping {
	struct vcpc_page head;
	struct slot slots[SLOTS];
};

static struct mapping mapping(void)
{
	return (struct mapping) {
		.head = { .size = sizeof(struct vcpc_page), .slot_size = sizeof(struct slot),
			  .slots = SLOTS, .nr = VALUES },
	};
}

static void fill(struct slot *slot, uint64_t number)
{
	slot->head.used = 1;
	slot->head.sample.time = number + 1;
	slot->head.sample.nr = VALUES;
	for (unsigned int i = 0; i < VALUES; i++)
		__atomic_store_n(&slot->values[i], number, __ATOMIC_RELAXED);
}

/* As the module does */
static void write_slot(struct slot *slot, uint64_t number)
{
	__atomic_store_n(&slot->head.seq, slot->head.seq + 1, __ATOMIC_RELAXED);
	__atomic_thread_fence(__ATOMIC_RELEASE);
	fill(slot, number);
	__atomic_store_n(&slot->head.seq, slot->head.seq + 1, __ATOMIC_RELEASE);
}

TEST(slots_are_free_unsampled_or_read)
{
	struct mapping m = mapping();
	struct shim_page page;
	struct slot copy;

	ASSERT_EQ(0, shim_page__init(&page, &m, sizeof(m)));
	EXPECT_EQ(SLOTS, page.slots);
	EXPECT_EQ(-ENOENT, shim_page__read(&page, 0, &copy.head, sizeof(copy)));
	m.slots[1].head.used = 1;
	EXPECT_EQ(-ENODATA, shim_page__read(&page, 1, &copy.head, sizeof(copy)));
	m.slots[2].head.tid = 42;
	write_slot(&m.slots[2], 7);
	ASSERT_EQ(0, shim_page__read(&page, 2, &copy.head, sizeof(copy)));
	EXPECT_EQ(42, copy.head.tid);
	EXPECT_EQ(8, copy.head.sample.time);
	EXPECT_EQ(7, copy.values[VALUES - 1]);
	m.head.missing = 9;
	EXPECT_EQ(9, shim_page__missing(&page));
}

TEST(only_what_there_is_room_for_is_copied)
{
	struct mapping m = mapping();
	struct shim_page page;
	struct slot copy = { .values = { 11, 12, 13, 14, 15 } };
	struct slot more[2];

	ASSERT_EQ(0, shim_page__init(&page, &m, sizeof(m)));
	write_slot(&m.slots[0], 7);
	ASSERT_EQ(0, shim_page__read(&page, 0, &copy.head, sizeof(copy.head) + 8));
	EXPECT_EQ(7, copy.values[0]);
	EXPECT_EQ(12, copy.values[1]);
	memset(more, 0x55, sizeof(more));
	ASSERT_EQ(0, shim_page__read(&page, 0, &more[0].head, sizeof(more)));
	EXPECT_EQ(7, more[0].values[VALUES - 1]);
	EXPECT_EQ(0x5555555555555555, more[1].values[0]);
}

TEST(a_slot_that_stays_odd_is_given_up)
{
	struct mapping m = mapping();
	struct shim_page page;
	struct slot copy;

	ASSERT_EQ(0, shim_page__init(&page, &m, sizeof(m)));
	write_slot(&m.slots[0], 7);
	m.slots[0].head.seq++;
	EXPECT_EQ(-EAGAIN, shim_page__read(&page, 0, &copy.head, sizeof(copy)));
}

TEST(heads_that_are_none)
{
	struct mapping m = mapping();
	struct shim_page page = { .slots = 77 };

	EXPECT_EQ(-EPROTO, shim_page__init(&page, &m, sizeof(m.head) - 1));
	m.head.size = sizeof(m.head) - 8;
	EXPECT_EQ(-EPROTO, shim_page__init(&page, &m, sizeof(m)));
	m.head.size = sizeof(m) + 8;
	EXPECT_EQ(-EPROTO, shim_page__init(&page, &m, sizeof(m)));
	m.head.size = sizeof(m.head) + 4;
	EXPECT_EQ(-EPROTO, shim_page__init(&page, &m, sizeof(m)));
	m = mapping();
	m.head.slot_size = 0;
	EXPECT_EQ(-EPROTO, shim_page__init(&page, &m, sizeof(m)));
	m.head.slot_size = sizeof(struct vcpc_page_slot) - 8;
	EXPECT_EQ(-EPROTO, shim_page__init(&page, &m, sizeof(m)));
	m.head.slot_size = sizeof(struct slot) + 4;
	EXPECT_EQ(-EPROTO, shim_page__init(&page, &m, sizeof(m)));
	EXPECT_EQ(77, page.slots);
}

/* A later module's head is longer, and another process may have mapped more. */
TEST(only_slots_that_are_mapped_whole_are_read)
{
	struct mapping m = mapping();
	struct shim_page page;

	ASSERT_EQ(0, shim_page__init(&page, &m, sizeof(m) - 8));
	EXPECT_EQ(SLOTS - 1, page.slots);
	ASSERT_EQ(0, shim_page__init(&page, &m, sizeof(m.head)));
	EXPECT_EQ(0, page.slots);
	m.head.slots = UINT32_MAX;
	ASSERT_EQ(0, shim_page__init(&page, &m, sizeof(m)));
	EXPECT_EQ(SLOTS, page.slots);
	m = mapping();
	m.head.size += sizeof(struct slot);
	ASSERT_EQ(0, shim_page__init(&page, &m, sizeof(m)));
	EXPECT_EQ(SLOTS - 1, page.slots);
}

static void *writer(void *arg)
{
	struct slot *slot = arg;

	for (uint64_t i = 1; i <= WRITES; i++)
		write_slot(slot, i);
	return NULL;
}

TEST(what_is_read_while_it_is_written_is_one_sample)
{
	struct mapping m = mapping();
	struct shim_page page;
	uint64_t last = 0;
	pthread_t thread;
	struct slot copy;
	int ret;

	ASSERT_EQ(0, shim_page__init(&page, &m, sizeof(m)));
	write_slot(&m.slots[1], 0);
	ASSERT_EQ(0, pthread_create(&thread, NULL, writer, &m.slots[1]));
	do {
		ret = shim_page__read(&page, 1, &copy.head, sizeof(copy));
		if (ret == -EAGAIN)
			continue;
		ASSERT_EQ(0, ret);
		ASSERT_LE(last, copy.values[0]);
		for (unsigned int i = 0; i < VALUES; i++)
			ASSERT_EQ(copy.head.sample.time, copy.values[i] + 1);
		last = copy.values[0];
	} while (last < WRITES);
	pthread_join(thread, NULL);
}

TEST_HARNESS_MAIN
