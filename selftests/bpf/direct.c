// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Programs write statistics themselves.  The values are the same as with other transports, and are
 * read in the same way.
 */
#include <math.h>
#include <semaphore.h>

#include "inside.h"

FIXTURE(direct) {
	const char *missing;
	struct shim_trace_options options;
	struct shim_trace_drops drops;
	struct shim_trace_stat stat;
};

FIXTURE_SETUP(direct)
{
	ASSERT_EQ(0, trace_place(0, &self->missing));
	setenv("SHIM_TRACE", "direct", 1);
	self->options = (struct shim_trace_options) {
		.size = sizeof(self->options), .max_tags = FEW_TAGS, .direct_slots = 256,
	};
}

FIXTURE_TEARDOWN(direct)
{
	shim_trace_off();
}

TEST_F(direct, statistics)
{
	uint64_t in_hist = 0;

	UNLESS_MISSING();
	ASSERT_EQ(0, shim_trace_on(&self->options));
	for (int i = 0; i < 1000; i++) {
		ASSERT_EQ(0, pmtracebegin("own"));
		ASSERT_EQ(0, pmtraceend("own"));
	}
	ASSERT_EQ(0, pmtracebegin("own"));
	usleep(20000);
	ASSERT_EQ(0, pmtraceend("own"));
	ASSERT_EQ(0, pmtracebegin("own"));
	ASSERT_EQ(0, pmtraceabort("own"));
	ASSERT_EQ(0, read_stat("own", SHIM_TRACE_TRANSACTION, &self->stat));
	EXPECT_EQ(1001, self->stat.count);
	EXPECT_EQ(1, self->stat.aborted);
	/* The last transaction to end is this one, because an abort is not an end. */
	EXPECT_GE(self->stat.last_took_ns, 19990000);
	EXPECT_GE(self->stat.max_ns, self->stat.last_took_ns);
	/* On a busy host any other transaction can have taken longer. */
	if (getenv("VM_ICOUNT")) {
		EXPECT_EQ(self->stat.max_ns, self->stat.last_took_ns);
		EXPECT_LT(self->stat.max_ns, 5000000000);
	}
	for (int i = 0; i < SHIM_TRACE_HIST_SLOTS; i++)
		in_hist += self->stat.hist[i];
	EXPECT_EQ(1001, in_hist);
	EXPECT_LT(shim_trace_percentile(&self->stat, 50), 19990000);
}

TEST_F(direct, values)
{
	UNLESS_MISSING();
	ASSERT_EQ(0, shim_trace_on(&self->options));
	ASSERT_EQ(0, pmtracepoint("value"));
	ASSERT_EQ(0, pmtraceobs("value", NAN));
	ASSERT_EQ(0, pmtraceobs("value", 3));
	ASSERT_EQ(0, pmtraceobs("value", -4));
	ASSERT_EQ(0, pmtracecounter("value", 5));
	EXPECT_EQ(1, count_of("value", SHIM_TRACE_POINT));
	ASSERT_EQ(0, read_stat("value", SHIM_TRACE_OBSERVATION, &self->stat));
	EXPECT_EQ(3, self->stat.count);
	EXPECT_TRUE(self->stat.value == -4);
	EXPECT_TRUE(self->stat.value_min == -4);
	EXPECT_TRUE(self->stat.value_max == 3);
	EXPECT_EQ(1, count_of("value", SHIM_TRACE_COUNTER));
}

/* If threads use the same tag, no event is lost. */
TEST_F(direct, threads)
{
	UNLESS_MISSING();
	ASSERT_EQ(0, shim_trace_on(&self->options));
	EXPECT_EQ(0, traced_by_threads(8, 5000));
}

TEST_F(direct, threads_by_the_hundred)
{
	UNLESS_MISSING();
	self->options.direct_slots = 1024;
	ASSERT_EQ(0, shim_trace_on(&self->options));
	EXPECT_EQ(0, traced_by_threads(200, 20));
}

static void one_point(void)
{
	if (pmtracepoint("of many"))
		_exit(1);
}

/* A child has its own rows; rows of exited processes are reused. */
TEST_F(direct, processes)
{
	UNLESS_MISSING();
	self->options.direct_slots = 4;
	ASSERT_EQ(0, shim_trace_on(&self->options));
	one_point();
	for (int i = 0; i < 50; i++)
		ASSERT_EQ(0, in_child(one_point));
	one_point();
	EXPECT_EQ(52, count_of("of many", SHIM_TRACE_POINT));
	ASSERT_EQ(0, read_drops(&self->drops));
	EXPECT_EQ(0, self->drops.direct_full);
}

TEST_F(direct, full)
{
	uint64_t seen = 0;
	char tag[16];

	UNLESS_MISSING();
	self->options.direct_slots = 5;
	ASSERT_EQ(0, shim_trace_on(&self->options));
	for (int i = 0; i < 30; i++) {
		snprintf(tag, sizeof(tag), "tag %d", i % 10);
		ASSERT_EQ(0, pmtracepoint(tag));
	}
	for (int i = 0; i < 10; i++) {
		snprintf(tag, sizeof(tag), "tag %d", i);
		seen += count_of(tag, SHIM_TRACE_POINT);
	}
	ASSERT_EQ(0, read_drops(&self->drops));
	EXPECT_EQ(15, seen);
	EXPECT_EQ(15, self->drops.direct_full);
}

#define MANY	600	/* more tags than fit into a thread's first list */

static void *points_of_many(void *unused)
{
	intptr_t bad = 0;
	char tag[16];

	(void)unused;
	for (int i = 0; i < 3 * MANY; i++) {
		snprintf(tag, sizeof(tag), "many %d", i % MANY);
		bad |= pmtracepoint(tag);
	}
	return (void *)bad;
}

/* When threads exit, later threads reuse their rows for each of their tags. */
TEST_F(direct, many_tags)
{
	uint64_t wrong = 0;
	pthread_t thread;
	char tag[24];
	void *bad;

	UNLESS_MISSING();
	self->options.direct_slots = MANY + 1;
	ASSERT_EQ(0, shim_trace_on(&self->options));
	for (int i = 0; i < 4; i++) {
		ASSERT_EQ(0, pthread_create(&thread, NULL, points_of_many, NULL));
		ASSERT_EQ(0, pthread_join(thread, &bad));
		EXPECT_EQ(NULL, bad);
	}
	for (int i = 0; i < MANY; i += 50) {
		snprintf(tag, sizeof(tag), "many %d", i);
		wrong += count_of(tag, SHIM_TRACE_POINT) != 4 * 3;
	}
	EXPECT_EQ(0, wrong);
	ASSERT_EQ(0, read_drops(&self->drops));
	EXPECT_EQ(0, self->drops.direct_full);
}

/* A child forked by a thread has its own rows from its first event on. */
TEST_F(direct, forked_by_a_thread_with_slots)
{
	UNLESS_MISSING();
	ASSERT_EQ(0, shim_trace_on(&self->options));
	one_point();
	EXPECT_EQ(0, in_child(one_point));
	for (int i = 0; i < 2; i++)
		one_point();
	EXPECT_EQ(4, count_of("of many", SHIM_TRACE_POINT));
}

static void *holds_a_slot(void *told_to_end)
{
	one_point();
	sem_wait(told_to_end);
	return NULL;
}

/*
 * A thread without a row searches for one at increasing intervals, and finds one after a thread
 * with the same tag has exited.
 */
TEST_F(direct, a_slot_becomes_free)
{
	pthread_t thread;
	sem_t may_end;

	UNLESS_MISSING();
	self->options.direct_slots = 2;
	ASSERT_EQ(0, shim_trace_on(&self->options));
	ASSERT_EQ(0, pmtracepoint("another"));
	ASSERT_EQ(0, sem_init(&may_end, 0, 0));
	ASSERT_EQ(0, pthread_create(&thread, NULL, holds_a_slot, &may_end));
	while (!count_of("of many", SHIM_TRACE_POINT))
		usleep(1000);
	for (int i = 0; i < 5; i++)
		one_point();
	sem_post(&may_end);
	ASSERT_EQ(0, pthread_join(thread, NULL));
	for (int i = 0; i < 1000; i++)
		one_point();
	ASSERT_EQ(0, read_drops(&self->drops));
	EXPECT_EQ(8, self->drops.direct_full);
	EXPECT_EQ(1 + 1005 - 8, count_of("of many", SHIM_TRACE_POINT));
	sem_destroy(&may_end);
}

static pthread_key_t late_key;

static void late_point(void *unused)
{
	(void)unused;
	one_point();
}

static void *ends_late(void *unused)
{
	(void)unused;
	one_point();
	pthread_setspecific(late_key, &late_key);
	return NULL;
}

/* Events from destructors that run after the thread has released its rows are counted once. */
TEST_F(direct, destructors)
{
	pthread_t thread;

	UNLESS_MISSING();
	self->options.direct_slots = 2;
	ASSERT_EQ(0, shim_trace_on(&self->options));
	ASSERT_EQ(0, pmtracepoint("of many"));
	ASSERT_EQ(0, pthread_key_create(&late_key, late_point));
	for (int i = 0; i < 100; i++) {
		ASSERT_EQ(0, pthread_create(&thread, NULL, ends_late, NULL));
		ASSERT_EQ(0, pthread_join(thread, NULL));
	}
	pthread_key_delete(late_key);
	ASSERT_EQ(0, read_drops(&self->drops));
	EXPECT_EQ(0, self->drops.direct_full);
	EXPECT_EQ(1 + 200, count_of("of many", SHIM_TRACE_POINT));
}

static void *forks_and_ends(void *bad)
{
	int status;
	pid_t child;

	one_point();
	child = fork();
	if (!child)
		return NULL;
	*(bool *)bad = waitpid(child, &status, 0) != child || status;
	one_point();
	return NULL;
}

/* When a thread exits in a child, it does not release rows of the parent. */
TEST_F(direct, a_child_ends_as_a_thread)
{
	pthread_t thread;
	bool bad = true;

	UNLESS_MISSING();
	ASSERT_EQ(0, shim_trace_on(&self->options));
	ASSERT_EQ(0, pthread_create(&thread, NULL, forks_and_ends, &bad));
	ASSERT_EQ(0, pthread_join(thread, NULL));
	EXPECT_FALSE(bad);
	EXPECT_EQ(2, count_of("of many", SHIM_TRACE_POINT));
}

static void begins_inside(void)
{
	if (pmtracepoint("before") || pmtracebegin("inside"))
		_exit(1);
}

/*
 * A transaction in which a process ends is not recorded.  The process's earlier transactions and
 * the parent's events are not lost.
 */
TEST_F(direct, ends_inside)
{
	UNLESS_MISSING();
	ASSERT_EQ(0, shim_trace_on(&self->options));
	ASSERT_EQ(0, pmtracebegin("of the parent"));
	EXPECT_EQ(0, children_inside());
	ASSERT_EQ(0, pmtraceend("of the parent"));
	EXPECT_EQ(1, count_of("of the parent", SHIM_TRACE_TRANSACTION));
	EXPECT_EQ(0, count_of("inside", SHIM_TRACE_TRANSACTION));
	EXPECT_EQ(3, count_of("before", SHIM_TRACE_POINT));
	ASSERT_EQ(0, read_drops(&self->drops));
	EXPECT_EQ(0, self->drops.direct_full);
}

static void by_the_kernel(void)
{
	setenv("SHIM_TRACE", HAS_MODULE ? "kernel" : "probe", 1);
	if (pmtracepoint("both ways"))
		_exit(1);
}

TEST_F(direct, beside_the_kernel_s)
{
	UNLESS_MISSING();
	ASSERT_EQ(0, shim_trace_on(&self->options));
	EXPECT_EQ(0, in_child(by_the_kernel));
	ASSERT_EQ(0, pmtracepoint("both ways"));
	EXPECT_EQ(2, count_of("both ways", SHIM_TRACE_POINT));
}

TEST_F(direct, off_and_on)
{
	UNLESS_MISSING();
	ASSERT_EQ(0, shim_trace_on(&self->options));
	ASSERT_EQ(0, pmtracepoint("on"));
	ASSERT_EQ(0, pmtracebegin("over it"));
	ASSERT_EQ(0, shim_trace_off());
	ASSERT_EQ(0, shim_trace_on(&self->options));
	ASSERT_EQ(0, pmtracepoint("on"));
	ASSERT_EQ(0, pmtraceend("over it"));
	EXPECT_EQ(1, count_of("on", SHIM_TRACE_POINT));
	EXPECT_EQ(1, count_of("over it", SHIM_TRACE_TRANSACTION));
	ASSERT_EQ(0, shim_trace_off());
	EXPECT_EQ(0, pmtracepoint("off"));
	EXPECT_EQ(0, pmtracebegin("off"));
	EXPECT_EQ(0, pmtraceend("off"));
}

static void is_not_offered(void)
{
	if (pmtracepoint("p") != -EOPNOTSUPP)
		_exit(1);
}

static void is_off(void)
{
	if (pmtracepoint("p") != -ENOENT)
		_exit(1);
}

TEST_F(direct, not_offered)
{
	UNLESS_MISSING();
	EXPECT_EQ(0, in_child(is_off));
	self->options.direct_slots = 0;
	ASSERT_EQ(0, shim_trace_on(&self->options));
	EXPECT_EQ(0, in_child(is_not_offered));
}

TEST_HARNESS_MAIN
