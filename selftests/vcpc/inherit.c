// SPDX-License-Identifier: GPL-2.0-or-later
/* With VCPC_BIND_F_INHERIT, each new thread of the process has a separate instance. */
#include <sched.h>

#include "inherited.h"
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
	ASSERT_EQ(0, set_bind(set, 0));
	in_thread(pages);
	EXPECT_EQ(0, in_child(touches_in_child, &pages));
	/* Allow for the page faults of fork and pthread_create. */
	EXPECT_LT(first_total(set), 700);
	EXPECT_EQ(1, set_count(set).nr);
}

TEST(threads_but_no_processes)
{
	int set = set_of(&page_faults, 0);
	int pages = 1000;
	__u64 value;

	ASSERT_GE(set, 0);
	ASSERT_EQ(0, set_bind(set, VCPC_BIND_F_INHERIT));
	in_thread(pages);
	value = first_total(set);
	EXPECT_GE(value, 1000);
	EXPECT_LT(value, 1500);
	/* The caller's own sample does not include the thread's events. */
	EXPECT_LT(first_value(set, 0), 500);
	ASSERT_EQ(0, in_child(touches_in_child, &pages));
	EXPECT_LT(first_total(set), value + 500);
	EXPECT_EQ(2, set_count(set).nr);
}

/* Start three levels of threads. */
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

TEST(an_inherited_set_is_inherited)
{
	int set = set_of(&page_faults, 0);
	int depth = 10;

	ASSERT_GE(set, 0);
	ASSERT_EQ(0, set_bind(set, VCPC_BIND_F_INHERIT));
	deeper(&depth);
	EXPECT_GE(first_total(set), 1000);
	EXPECT_EQ(10, set_count(set).nr);
}

struct waiting {
	pthread_t thread;
	pthread_barrier_t *barrier;
	pid_t tid;
	int set, pages;
};

/* Store the thread ID, touch pages, and wait to be sampled. */
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
	ASSERT_EQ(0, set_bind(set, VCPC_BIND_F_INHERIT));
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

	/* The values remain after the threads have exited. */
	for (i = 0; i < 3; i++) {
		value = first_value(set, w[i].tid);
		EXPECT_GE(value, w[i].pages);
		EXPECT_LT(value, w[i].pages + 200);
	}
	EXPECT_GE(first_total(set), 3000);
	/* When a thread unbinds its instance, the total no longer includes its counts. */
	touch(5000);
	EXPECT_GE(first_total(set), 8000);
	ASSERT_EQ(0, set_own(set, VCPC_IOC_UNBIND));
	EXPECT_GE(first_total(set), 3000);
	EXPECT_LT(first_total(set), 4000);
}

/* A thread that samples before it has executed anything in user mode reads the request's preset. */
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
	ASSERT_EQ(0, set_bind(set, VCPC_BIND_F_INHERIT));
	ASSERT_EQ(0, pthread_create(&thread, NULL, samples_at_once, &set));
	pthread_join(thread, &ret);
	EXPECT_EQ(NULL, ret);
	EXPECT_GE(first_total(set), 2000000);
	EXPECT_LT(first_total(set), 2001000);
}

TEST(disabled_parents_have_disabled_children)
{
	int set = set_of(&page_faults, 0);
	int pages = 1000;
	__u64 value;

	ASSERT_GE(set, 0);
	ASSERT_EQ(0, set_bind(set, VCPC_BIND_F_INHERIT));
	in_thread(pages);
	ASSERT_EQ(0, set_own(set, VCPC_IOC_DISABLE));
	value = first_total(set);
	in_thread(pages);
	EXPECT_EQ(value, first_total(set));
	ASSERT_EQ(0, set_own(set, VCPC_IOC_ENABLE));
	EXPECT_LT(first_total(set), value + 100);
	in_thread(pages);
	EXPECT_GE(first_total(set), value + 1000);
}

static void *acts_and_waits(void *arg)
{
	struct waiting *w = arg;

	w->pages = set_own(w->set, VCPC_IOC_DISABLE);
	w->tid = own_tid();
	pthread_barrier_wait(w->barrier);
	pthread_barrier_wait(w->barrier);
	return NULL;
}

/* Each thread can enable and disable only its own instance. */
TEST(each_thread_acts_on_its_own)
{
	int set = set_of(&page_faults, 0);
	pthread_barrier_t barrier;
	struct waiting w = { .barrier = &barrier, .set = set };
	struct room room;
	pid_t parent = own_tid();

	ASSERT_GE(set, 0);
	ASSERT_EQ(0, set_bind(set, VCPC_BIND_F_INHERIT));
	pthread_barrier_init(&barrier, NULL, 2);
	ASSERT_EQ(0, pthread_create(&w.thread, NULL, acts_and_waits, &w));
	pthread_barrier_wait(&barrier);
	EXPECT_EQ(0, w.pages);
	ASSERT_EQ(0, set_sample(set, w.tid, &room));
	EXPECT_EQ(0, room.sample.state);
	ASSERT_EQ(0, set_sample(set, parent, &room));
	EXPECT_EQ(VCPC_STATE_COUNTING, room.sample.state);
	/* The caller's own instance is still enabled, so ENABLE fails. */
	EXPECT_EQ(-EINVAL, set_own(set, VCPC_IOC_ENABLE));
	ASSERT_EQ(0, set_total(set, &room));
	EXPECT_EQ(VCPC_STATE_COUNTING, room.sample.state);
	pthread_barrier_wait(&barrier);
	pthread_join(w.thread, NULL);

	ASSERT_EQ(0, set_unbind_all(set));
	EXPECT_EQ(-EINVAL, set_total(set, &room));
	/* No instance remains. */
	EXPECT_EQ(0, set_unbind_all(set));
	EXPECT_EQ(0, set_count(set).nr);
	EXPECT_EQ(0, set_bind(set, VCPC_BIND_F_INHERIT));
}

/*
 * After the thread that called BIND has unbound its instance, its calls that require an instance
 * fail, although threads that inherited the set still have instances.
 */
TEST(an_owner_without_an_instance)
{
	static const unsigned long calls[] = {
		VCPC_IOC_ENABLE, VCPC_IOC_DISABLE, VCPC_IOC_RESTART, VCPC_IOC_UNBIND,
	};
	int set = set_of(&page_faults, 0);
	pthread_barrier_t barrier;
	struct waiting w = { .barrier = &barrier, .set = set, .pages = 100 };
	struct room room;
	unsigned int i;

	ASSERT_GE(set, 0);
	ASSERT_EQ(0, set_bind(set, VCPC_BIND_F_INHERIT));
	pthread_barrier_init(&barrier, NULL, 2);
	ASSERT_EQ(0, pthread_create(&w.thread, NULL, touch_and_wait, &w));
	pthread_barrier_wait(&barrier);
	ASSERT_EQ(0, set_own(set, VCPC_IOC_UNBIND));
	for (i = 0; i < 4; i++)
		EXPECT_EQ(-EINVAL, set_own(set, calls[i]));
	EXPECT_EQ(-EINVAL, set_preset(set, 0, 5));
	ASSERT_EQ(0, set_sample(set, w.tid, &room));
	EXPECT_EQ(VCPC_STATE_COUNTING, room.sample.state);
	EXPECT_LE(100, first_total(set));
	pthread_barrier_wait(&barrier);
	pthread_join(w.thread, NULL);
}

static void *ends_at_once(void *arg)
{
	return arg;
}

/*
 * If a thread is started before UNBIND of all instances, and first runs afterwards, it gets no
 * instance, even if its parent has bound the set again.  Parent and thread have SCHED_FIFO and
 * share a CPU, so the thread does not run until the parent waits for it.
 */
static void new_thread_meets_unbind_all(struct __test_metadata *_metadata, bool again)
{
	const struct sched_param first = { .sched_priority = 1 };
	int set = set_of(&page_faults, 0);
	struct vcpc_instances_args before, after;
	pthread_t thread;
	cpu_set_t cpus;

	CPU_ZERO(&cpus);
	CPU_SET(sched_getcpu(), &cpus);
	ASSERT_EQ(0, sched_setaffinity(0, sizeof(cpus), &cpus));
	ASSERT_EQ(0, sched_setscheduler(0, SCHED_FIFO, &first));
	ASSERT_EQ(0, set_bind(set, VCPC_BIND_F_INHERIT));
	ASSERT_EQ(0, pthread_create(&thread, NULL, ends_at_once, NULL));
	ASSERT_EQ(0, set_unbind_all(set));
	if (again)
		ASSERT_EQ(0, set_bind(set, 0));
	before = set_count(set);
	pthread_join(thread, NULL);
	after = set_count(set);
	EXPECT_EQ(1, before.pending);
	EXPECT_EQ(0, after.pending);
	EXPECT_EQ(again, before.nr);
	EXPECT_EQ(again, after.nr);
	EXPECT_EQ(0, after.lost);
}

TEST(a_new_thread_after_unbind_all)
{
	new_thread_meets_unbind_all(_metadata, false);
}

TEST(a_new_thread_after_unbind_all_and_bind)
{
	new_thread_meets_unbind_all(_metadata, true);
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
	ASSERT_EQ(0, set_bind(set, VCPC_BIND_F_INHERIT));
	for (i = 0; i < 3; i++)
		ASSERT_EQ(0, pthread_create(&threads[i], NULL, touches, &pages));
	for (i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	spin(1000000);
	EXPECT_GE(first_total(set), 2000000);
	EXPECT_LT(first_total(set), 3000000);
}

TEST_HARNESS_MAIN
