// SPDX-License-Identifier: GPL-2.0-or-later
/* VCPC_BIND_F_INHERIT: new threads of the process get an instance of their own. */
#include "heirs.h"
#include "vcpc_test.h"

static int touches_in_child(void *arg)
{
	touches(arg);
	return 0;
}

TEST(without_it_nothing_is_inherited)
{
	int set = set_of(&page_faults, 0);
	int pages = 1000;

	ASSERT_GE(set, 0);
	ASSERT_EQ(0, set_bind(set, 0, 0));
	in_thread(pages);
	EXPECT_EQ(0, in_child(touches_in_child, &pages));
	/* fork and pthread_create have faults of their own. */
	EXPECT_LT(first_total(set, 0), 700);
	EXPECT_EQ(1, set_count(set).nr);
}

TEST(threads_but_no_processes)
{
	int set = set_of(&page_faults, 0);
	int pages = 1000;
	__u64 value;

	ASSERT_GE(set, 0);
	ASSERT_EQ(0, set_bind(set, VCPC_BIND_F_INHERIT, 0));
	in_thread(pages);
	value = first_total(set, 0);
	EXPECT_GE(value, 1000);
	EXPECT_LT(value, 1500);
	/* The thread's own are not the caller's. */
	EXPECT_LT(first_value(set, 0), 500);
	ASSERT_EQ(0, in_child(touches_in_child, &pages));
	EXPECT_LT(first_total(set, 0), value + 500);
	EXPECT_EQ(2, set_count(set).nr);
}

/* Threads of threads of threads */
static void *deeper(void *arg)
{
	int depth = *(int *)arg - 1;
	pthread_t thread;

	touch(100);
	if (!depth)
		return NULL;
	if (pthread_create(&thread, NULL, deeper, &depth) || pthread_join(thread, NULL))
		abort();
	return NULL;
}

TEST(an_heir_has_heirs)
{
	int set = set_of(&page_faults, 0);
	int depth = 10;

	ASSERT_GE(set, 0);
	ASSERT_EQ(0, set_bind(set, VCPC_BIND_F_INHERIT, 0));
	deeper(&depth);
	EXPECT_GE(first_total(set, 0), 1000);
	EXPECT_EQ(10, set_count(set).nr);
}

struct waiting {
	pthread_t thread;
	pthread_barrier_t *barrier;
	pid_t tid;
	int pages;
};

/* Say who you are, touch, and wait to be sampled. */
static void *touch_and_wait(void *arg)
{
	struct waiting *w = arg;

	w->tid = own_tid();
	touch(w->pages);
	pthread_barrier_wait(w->barrier);
	pthread_barrier_wait(w->barrier);
	return NULL;
}

TEST(each_thread_has_its_own_values)
{
	int set = set_of(&page_faults, 0);
	pthread_barrier_t barrier;
	struct waiting w[3];
	__u64 value;
	int i;

	ASSERT_GE(set, 0);
	ASSERT_EQ(0, set_bind(set, VCPC_BIND_F_INHERIT, 0));
	pthread_barrier_init(&barrier, NULL, 4);
	for (i = 0; i < 3; i++) {
		w[i] = (struct waiting) { .barrier = &barrier, .pages = 500 * (i + 1) };
		ASSERT_EQ(0, pthread_create(&w[i].thread, NULL, touch_and_wait, &w[i]));
	}
	pthread_barrier_wait(&barrier);
	for (i = 0; i < 3; i++) {
		value = first_value(set, w[i].tid);
		EXPECT_GE(value, w[i].pages);
		EXPECT_LT(value, w[i].pages + 200);
	}
	EXPECT_EQ(4, set_count(set).nr);
	pthread_barrier_wait(&barrier);
	for (i = 0; i < 3; i++)
		pthread_join(w[i].thread, NULL);

	/* And after their end */
	for (i = 0; i < 3; i++) {
		value = first_value(set, w[i].tid);
		EXPECT_GE(value, w[i].pages);
		EXPECT_LT(value, w[i].pages + 200);
	}
	EXPECT_GE(first_total(set, 0), 3000);
	/* A thread that is taken off is in no total any more. */
	ASSERT_EQ(0, set_target(set, VCPC_IOC_UNBIND, w[2].tid));
	EXPECT_LT(first_total(set, 0), 2500);
	EXPECT_EQ(-EINVAL, set_target(set, VCPC_IOC_UNBIND, w[2].tid));
}

/* Before its first instruction: a value that starts at the request's preset */
static void *samples_at_once(void *arg)
{
	return (void *)(long)set_sample(*(int *)arg, 0, &(struct room) { 0 });
}

TEST(before_its_first_instruction)
{
	struct vcpc_request request = page_faults;
	pthread_t thread;
	void *ret;
	int set;

	request.preset = 1000000;
	set = set_of(&request, 0);
	ASSERT_GE(set, 0);
	ASSERT_EQ(0, set_bind(set, VCPC_BIND_F_INHERIT, 0));
	ASSERT_EQ(0, pthread_create(&thread, NULL, samples_at_once, &set));
	pthread_join(thread, &ret);
	EXPECT_EQ(NULL, ret);
	EXPECT_GE(first_total(set, 0), 2000000);
	EXPECT_LT(first_total(set, 0), 2001000);
}

TEST(disabled_parents_have_disabled_heirs)
{
	int set = set_of(&page_faults, 0);
	int pages = 1000;
	__u64 value;

	ASSERT_GE(set, 0);
	ASSERT_EQ(0, set_bind(set, VCPC_BIND_F_INHERIT, 0));
	in_thread(pages);
	ASSERT_EQ(0, set_target(set, VCPC_IOC_DISABLE, 0));
	value = first_total(set, 0);
	in_thread(pages);
	EXPECT_EQ(value, first_total(set, 0));
	ASSERT_EQ(0, set_target(set, VCPC_IOC_ENABLE, 0));
	EXPECT_LT(first_total(set, 0), value + 100);
	in_thread(pages);
	EXPECT_GE(first_total(set, 0), value + 1000);
}

static void *touch_between(void *arg)
{
	struct waiting *w = arg;

	pthread_barrier_wait(w->barrier);
	pthread_barrier_wait(w->barrier);
	touch(w->pages);
	pthread_barrier_wait(w->barrier);
	pthread_barrier_wait(w->barrier);
	touch(w->pages);
	return NULL;
}

TEST(all_are_turned_at_once)
{
	int set = set_of(&page_faults, 0);
	pthread_barrier_t barrier;
	struct waiting w = { .barrier = &barrier, .pages = 1000 };
	struct room room;
	__u64 value;

	ASSERT_GE(set, 0);
	ASSERT_EQ(0, set_bind(set, VCPC_BIND_F_INHERIT, 0));
	pthread_barrier_init(&barrier, NULL, 2);
	ASSERT_EQ(0, pthread_create(&w.thread, NULL, touch_between, &w));
	pthread_barrier_wait(&barrier);
	ASSERT_EQ(0, set_all(set, VCPC_IOC_DISABLE, 0));
	EXPECT_EQ(0, set_all(set, VCPC_IOC_DISABLE, 0));
	value = first_total(set, 0);
	pthread_barrier_wait(&barrier);
	pthread_barrier_wait(&barrier);
	ASSERT_EQ(0, set_total(set, 0, &room));
	EXPECT_EQ(value, room.sample.values[0]);
	EXPECT_EQ(0, room.sample.state);
	ASSERT_EQ(0, set_all(set, VCPC_IOC_ENABLE, getpid()));
	pthread_barrier_wait(&barrier);
	pthread_join(w.thread, NULL);
	ASSERT_EQ(0, set_total(set, 0, &room));
	EXPECT_GE(room.sample.values[0], value + 1000);
	EXPECT_EQ(VCPC_STATE_COUNTING, room.sample.state);

	ASSERT_EQ(0, set_all(set, VCPC_IOC_UNBIND, 0));
	EXPECT_EQ(-EINVAL, set_total(set, 0, &room));
	EXPECT_EQ(-EINVAL, set_all(set, VCPC_IOC_UNBIND, 0));
	EXPECT_EQ(0, set_count(set).nr);
	EXPECT_EQ(0, set_bind(set, VCPC_BIND_F_INHERIT, 0));
}

TEST(hardware_totals)
{
	struct vcpc_request request = instructions;
	pthread_t threads[3];
	unsigned int i;
	int set, pages = 10;

	if (!hw_slots())
		SKIP(return, "no hardware counters");
	set = set_of(&request, 0);
	if (set == -ENOENT || set == -EOPNOTSUPP)
		SKIP(return, "the PMU does not count instructions");
	ASSERT_GE(set, 0);
	ASSERT_EQ(0, set_bind(set, VCPC_BIND_F_INHERIT, 0));
	for (i = 0; i < 3; i++)
		ASSERT_EQ(0, pthread_create(&threads[i], NULL, touches, &pages));
	for (i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	spin(1000000);
	EXPECT_GE(first_total(set, 0), 2000000);
	EXPECT_LT(first_total(set, 0), 3000000);
}

TEST_HARNESS_MAIN
