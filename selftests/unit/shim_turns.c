// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Multiplex events of a set on the synthetic clock with four counters, where every count is known.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "selftests/synthetic/backend_clock.h"
#include "shim/shim.h"
#include "kselftest_harness.h"

#define MS	1000000ULL

/*
 * The part of the set that rejects the next call, and the part that was created last, whose events
 * are not multiplexed
 */
static const void *refuses;
static const void *last_made;

/* The creation of a set that fails, counted from 1; 0: none */
static int without_memory;

static int refuse_enable(union shim_backend_ref ref, pid_t tid, unsigned int flags)
{
	return ref.ptr == refuses ? -EAGAIN : shim_backend__clock.enable(ref, tid, flags);
}

static int refuse_disable(union shim_backend_ref ref, pid_t tid, unsigned int flags)
{
	return ref.ptr == refuses ? -EAGAIN : shim_backend__clock.disable(ref, tid, flags);
}

static int note_create(union shim_backend_ref dev, const struct vcpc_request *reqs, unsigned int n,
		       unsigned int flags, struct shim_terms terms, int *bad, union shim_backend_ref *set)
{
	int ret = without_memory && !--without_memory ? -ENOMEM :
		  shim_backend__clock.create(dev, reqs, n, flags, terms, bad, set);

	last_made = ret ? last_made : set->ptr;
	return ret;
}

const struct shim_backend_ops *shim_session__backend(void)
{
	static struct shim_backend_ops ops;

	ops = shim_backend__clock;
	ops.create = note_create;
	ops.enable = refuse_enable;
	ops.disable = refuse_disable;
	return &ops;
}

/* Six hardware events, and two software events between them */
static const char *const eight[] = {
	"cycles", "instructions", "page-faults", "cache-references", "cache-misses", "branches",
	"context-switches", "branch-misses",
};

#define IN_TURN		0xbbU	/* bit mask of the multiplexed events */
#define EIGHT		8

FIXTURE(turns) {
	struct shim_handle *handle;
	struct shim_set *set;
	unsigned int bad;
};

FIXTURE_SETUP(turns)
{
	self->set = NULL;
	shim_clock__begin(NULL, 0);
	ASSERT_EQ(0, shim_open(&self->handle));
	ASSERT_EQ(0, shim_set_create_turns(self->handle, eight, EIGHT, 4 * MS, &self->bad,
					   &self->set));
}

FIXTURE_TEARDOWN(turns)
{
	shim_set_destroy(self->set);
	shim_close(self->handle);
}

/*
 * Allow a difference of 2.  A slot can end within a microsecond, and the events of this microsecond
 * are then counted in the next slot.
 */
#define EXPECT_COUNT(expected, seen) do {		\
	EXPECT_LE(seen, expected);			\
	EXPECT_GE((seen) + 2, expected);		\
} while (0)

/* Event i counts i + 1 per microsecond of its own time. */
TEST_F(turns, counts_and_times_belong_together)
{
	struct shim_turns turns;
	uint64_t first, second;

	EXPECT_EQ(EIGHT, shim_set_size(self->set));
	EXPECT_STREQ("cache-misses", shim_set_event(self->set, 4));
	ASSERT_EQ(0, shim_set_bind(self->set, 0, SHIM_BIND_TREE));
	shim_clock__run(gettid(), 1000 * MS);
	ASSERT_EQ(0, shim_set_turns(self->set, 0, &turns));
	EXPECT_EQ(2, turns.groups);
	EXPECT_EQ(EIGHT, turns.nr);
	EXPECT_EQ(0xff & ~IN_TURN, turns.exact);
	EXPECT_EQ(0, turns.voids);
	EXPECT_EQ(1000 * MS, turns.tick);
	EXPECT_EQ(1000 * MS, turns.counted);
	EXPECT_TRUE(turns.state & SHIM_STATE_COUNTING);
	first = turns.ticks[0];
	second = turns.ticks[7];
	EXPECT_EQ(turns.counted, first + second);
	EXPECT_LT(400 * MS, first);
	EXPECT_LT(400 * MS, second);
	/*
	 * In the kernel's list, cycles, instructions, cache-references and cache-misses are numbers
	 * 0 to 3.
	 */
	EXPECT_COUNT(first / 1000, turns.values[0]);
	EXPECT_COUNT(first * 2 / 1000, turns.values[1]);
	EXPECT_COUNT(first * 3 / 1000, turns.values[3]);
	EXPECT_COUNT(first * 4 / 1000, turns.values[4]);
	EXPECT_COUNT(second * 5 / 1000, turns.values[5]);
	EXPECT_COUNT(second * 6 / 1000, turns.values[7]);
	/* page-faults and context-switches are numbers 2 and 3, and count all the time. */
	EXPECT_EQ(turns.tick, turns.ticks[2]);
	EXPECT_EQ(3000000, turns.values[2]);
	EXPECT_EQ(4000000, turns.values[6]);
}

TEST_F(turns, the_other_calls_refuse_it)
{
	struct shim_sample sample;

	EXPECT_EQ(-EINVAL, shim_set_bind(self->set, 0, SHIM_BIND_TREE | SHIM_BIND_TRACE));
	ASSERT_EQ(0, shim_set_bind(self->set, 0, SHIM_BIND_TREE));
	EXPECT_EQ(-EINVAL, shim_set_sample(self->set, 0, &sample));
	EXPECT_EQ(-EINVAL, shim_set_total(self->set, 0, &sample));
	EXPECT_EQ(-EINVAL, shim_set_walk(self->set, NULL, NULL));
}

TEST_F(turns, recorders_refuse_it)
{
	char folder[] = "/tmp/shim_turns.XXXXXX", path[64];
	struct shim_recorder *rec;

	ASSERT_NE(NULL, mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/a", folder);
	ASSERT_EQ(0, shim_record_open(path, NULL, &rec));
	EXPECT_EQ(-EINVAL, shim_record_add_set(rec, self->set, 0));
	EXPECT_EQ(-EINVAL, shim_record_add_named(rec, self->set, 0, "name"));
	shim_record_discard(rec);
	EXPECT_EQ(0, rmdir(folder));
}

/* If a call fails for one of a set's two parts, neither part changes. */
TEST_F(turns, both_parts_or_none)
{
	struct shim_turns turns;

	ASSERT_EQ(0, shim_set_bind(self->set, 0, 0));
	refuses = last_made;
	EXPECT_EQ(-EAGAIN, shim_set_disable(self->set, 0));
	shim_clock__run(gettid(), 20 * MS);
	ASSERT_EQ(0, shim_set_turns(self->set, 0, &turns));
	EXPECT_EQ(20 * MS, turns.counted);
	refuses = NULL;
	ASSERT_EQ(0, shim_set_disable(self->set, 0));
	refuses = last_made;
	EXPECT_EQ(-EAGAIN, shim_set_enable(self->set, 0));
	shim_clock__run(gettid(), 20 * MS);
	refuses = NULL;
	ASSERT_EQ(0, shim_set_enable(self->set, 0));
	ASSERT_EQ(0, shim_set_turns(self->set, 0, &turns));
	EXPECT_EQ(20 * MS, turns.counted);
}

TEST_F(turns, stops_goes_on_and_ends)
{
	struct shim_turns a, b;

	EXPECT_EQ(-EINVAL, shim_set_turns(self->set, 0, &a));
	ASSERT_EQ(0, shim_set_bind(self->set, 0, 0));
	EXPECT_EQ(-EBUSY, shim_set_bind(self->set, 0, 0));
	shim_clock__run(gettid(), 20 * MS);
	ASSERT_EQ(0, shim_set_disable(self->set, 0));
	ASSERT_EQ(0, shim_set_turns(self->set, 0, &a));
	shim_clock__run(gettid(), 20 * MS);
	ASSERT_EQ(0, shim_set_turns(self->set, 0, &b));
	EXPECT_EQ(0, memcmp(a.values, b.values, sizeof(a.values)));
	EXPECT_EQ(0, memcmp(a.ticks, b.ticks, sizeof(a.ticks)));
	ASSERT_EQ(0, shim_set_enable(self->set, 0));
	shim_clock__run(gettid(), 20 * MS);
	ASSERT_EQ(0, shim_set_turns(self->set, 0, &b));
	EXPECT_EQ(a.values[2] + 60000, b.values[2]);
	EXPECT_EQ(a.counted + 20 * MS, b.counted);
	EXPECT_EQ(0, shim_set_unbind(self->set, 0));
	EXPECT_EQ(-EINVAL, shim_set_unbind(self->set, 0));
}

/* If all events fit, nothing is multiplexed, and every call works as usual. */
TEST_F(turns, room_for_all)
{
	struct shim_sample sample;
	struct shim_turns turns;
	struct shim_set *set;

	ASSERT_EQ(0, shim_set_create_turns(self->handle, eight, 5, 0, NULL, &set));
	ASSERT_EQ(0, shim_set_bind(set, 0, 0));
	shim_clock__run(gettid(), 10 * MS);
	ASSERT_EQ(0, shim_set_turns(set, 0, &turns));
	ASSERT_EQ(0, shim_set_sample(set, 0, &sample));
	EXPECT_EQ(1, turns.groups);
	EXPECT_EQ(0x1f, turns.exact);
	EXPECT_EQ(turns.tick, turns.ticks[4]);
	EXPECT_EQ(0, memcmp(turns.values, sample.values, 5 * sizeof(sample.values[0])));
	shim_set_destroy(set);
}

TEST_F(turns, refused)
{
	const char *wrong[] = { "cycles", "no-such-event" };
	struct shim_set *set = NULL;
	unsigned int bad = 77;

	EXPECT_EQ(-ENOENT, shim_set_create_turns(self->handle, wrong, 2, 0, &bad, &set));
	EXPECT_EQ(1, bad);
	EXPECT_EQ(-EINVAL, shim_set_create_turns(self->handle, eight, 8, SHIM_TURN_MIN - 1, &bad, &set));
	EXPECT_EQ(-EINVAL, shim_set_create_turns(self->handle, eight, 8, SHIM_TURN_MAX + 1, &bad, &set));
	EXPECT_EQ(-EINVAL, shim_set_create_turns(self->handle, eight, 0, 0, &bad, &set));
	EXPECT_EQ(-EINVAL, shim_set_create_turns(self->handle, eight, SHIM_SET_MAX + 1, 0, NULL, &set));
	EXPECT_EQ(NULL, set);
}

/* If a set cannot be created to try whether the events fit together, this is not their result. */
TEST_F(turns, memory)
{
	struct shim_turns turns;
	struct shim_set *set;
	int n = 0, ret;

	do {
		without_memory = ++n;
		ret = shim_set_create_turns(self->handle, eight, EIGHT, 0, NULL, &set);
		EXPECT_EQ(without_memory ? 0 : -ENOMEM, ret) TH_LOG("set %d", n);
	} while (ret && n < 100);
	without_memory = 0;
	EXPECT_GT(n, 3);
	ASSERT_EQ(0, shim_set_bind(set, 0, 0));
	ASSERT_EQ(0, shim_set_turns(set, 0, &turns));
	EXPECT_EQ(2, turns.groups);
	shim_set_destroy(set);
}

TEST_HARNESS_MAIN
