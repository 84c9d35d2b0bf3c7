// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Threads inherit programs, a group's counts are the sums over its members, and calls by one member
 * affect the others as documented.
 */
#include "work.h"
#include "needs_module.h"

#define PAGES	300

/*
 * The count includes a few page faults of the library and the stack, in addition to the touched
 * pages.
 */
#define EXPECT_PAGES(pages, value) do {			\
	EXPECT_LE((long long)(pages), (long long)(value));	\
	EXPECT_GE((long long)(pages) + 60, (long long)(value));	\
} while (0)

INITIALIZE_ONCE()

FIXTURE(threads) {
	pm_prog_t prog;
};

FIXTURE_SETUP(threads)
{
	ASSERT_EQ(0, initialize());
	self->prog = program("PM_PAGE_FAULTS");
}

FIXTURE_TEARDOWN(threads)
{
}

static int run(void *(*fn)(void *arg), void *arg)
{
	pthread_t thread;
	void *ret;

	if (pthread_create(&thread, NULL, fn, arg) || pthread_join(thread, &ret))
		abort();
	return (int)(long)ret;
}

static void *counts_by_itself(void *arg)
{
	long long *value = arg;
	pm_data_t data;
	int ret = pm_start_mythread();

	touch(PAGES);
	if (!ret)
		ret = pm_stop_mythread();
	touch(PAGES);
	if (!ret)
		ret = pm_get_data_mythread(&data);
	*value = data.accu[0];
	if (!ret)
		ret = pm_delete_program_mythread();
	return (void *)(long)ret;
}

TEST_F(threads, program_and_state_are_inherited)
{
	long long value = -1;
	pm_data_t data;

	NEEDS_MODULE("inherited programs");
	ASSERT_EQ(0, pm_set_program_mythread(&self->prog));
	EXPECT_EQ(0, run(counts_by_itself, &value));
	EXPECT_PAGES(PAGES, value);
	ASSERT_EQ(0, pm_get_data_mythread(&data));
	EXPECT_EQ(0, data.accu[0]);
	ASSERT_EQ(0, pm_start_mythread());
	touch(PAGES);
	ASSERT_EQ(0, pm_get_data_mythread(&data));
	EXPECT_PAGES(PAGES, data.accu[0]);
	EXPECT_EQ(1, data.ginfo.members);
	EXPECT_EQ(0, pm_delete_program_mythread());
}

static void *sees_what_it_counts(void *arg)
{
	long long *value = arg;
	pm_prog_t prog;
	pm_data_t data;
	int ret;

	touch(2 * PAGES);
	ret = pm_get_data_mythread(&data);
	*value = ret ? -1 : data.accu[0];
	if (!ret)
		ret = pm_get_program_mythread(&prog);
	if (!ret && !prog.mode.b.count)
		ret = -1;
	if (!ret && pm_set_program_mythread(&prog) != Pmapi_ContextExists)
		ret = -2;
	return (void *)(long)ret;
}

TEST_F(threads, a_running_program_is_inherited)
{
	long long value = -1;
	pm_data_t data;

	NEEDS_MODULE("inherited programs");
	self->prog.mode.b.count = 1;
	ASSERT_EQ(0, pm_set_program_mythread(&self->prog));
	EXPECT_EQ(0, run(sees_what_it_counts, &value));
	EXPECT_PAGES(2 * PAGES, value);
	ASSERT_EQ(0, pm_get_data_mythread(&data));
	EXPECT_GT(PAGES, data.accu[0]);
	EXPECT_EQ(0, pm_delete_program_mythread());
}

TEST_F(threads, no_inherit)
{
	long long value;

	self->prog.mode.b.count = 1;
	self->prog.mode.b.no_inherit = 1;
	ASSERT_EQ(0, pm_set_program_mythread(&self->prog));
	EXPECT_EQ(Pmapi_NoSetProg, run(sees_what_it_counts, &value));
	EXPECT_EQ(0, pm_delete_program_mythread());
}

static void *sets_its_own(void *arg)
{
	pm_prog_t *prog = arg;
	pm_data_t data;
	int ret = pm_set_program_mythread(prog);

	touch(PAGES);
	if (!ret)
		ret = pm_get_data_mythread(&data);
	if (!ret && (data.accu[0] < PAGES || data.accu[0] > PAGES + 60))
		ret = -(int)data.accu[0];
	/* The thread exits without deleting its program. */
	return (void *)(long)ret;
}

/* A debug kernel takes a long time to create hundreds of sets. */
TEST_F_TIMEOUT(threads, hundreds, 1200)
{
	pthread_t thread[200];
	void *ret;

	self->prog.mode.b.count = 1;
	for (int round = 0; round < 2; round++) {
		for (int i = 0; i < 200; i++)
			ASSERT_EQ(0, pthread_create(&thread[i], NULL, sets_its_own, &self->prog));
		for (int i = 0; i < 200; i++) {
			ASSERT_EQ(0, pthread_join(thread[i], &ret));
			EXPECT_EQ(NULL, ret);
		}
	}
	/* Threads that have exited no longer occupy the counters. */
	EXPECT_EQ(0, pm_set_program(&self->prog));
	EXPECT_EQ(0, pm_delete_program());
}

/* A thread that executes commands, one step at a time */
struct member {
	pthread_t thread;
	pthread_barrier_t barrier;
	int (*call)(struct member *m);
	int ret;
	pm_data_t data;
	bool stop;
};

static void *obeys(void *arg)
{
	struct member *m = arg;

	for (;;) {
		pthread_barrier_wait(&m->barrier);
		if (m->stop)
			return NULL;
		m->ret = m->call(m);
		pthread_barrier_wait(&m->barrier);
	}
}

static void hire(struct member *m)
{
	*m = (struct member) { .stop = false };
	pthread_barrier_init(&m->barrier, NULL, 2);
	if (pthread_create(&m->thread, NULL, obeys, m))
		abort();
}

static int tell(struct member *m, int (*call)(struct member *m))
{
	m->call = call;
	pthread_barrier_wait(&m->barrier);
	pthread_barrier_wait(&m->barrier);
	return m->ret;
}

static void dismiss(struct member *m)
{
	m->stop = true;
	pthread_barrier_wait(&m->barrier);
	pthread_join(m->thread, NULL);
}

#define DOES(name, what)					\
static int name(struct member *m)				\
{								\
	(void)m;						\
	return what;						\
}

DOES(touches, (touch(PAGES), 0))
DOES(stops, pm_stop_mythread())
DOES(stops_group, pm_stop_mygroup())
DOES(deletes, pm_delete_program_mythread())
DOES(reads, pm_get_data_mythread(&m->data))
DOES(reads_group, pm_get_data_mygroup(&m->data))

static long long total(struct __test_metadata *_metadata, int members)
{
	pm_data_t data = { .reserved = 0 };

	EXPECT_EQ(0, pm_get_data_mygroup(&data));
	EXPECT_EQ(members, data.ginfo.members);
	EXPECT_TRUE(!!data.ginfo.flags.b.consistent);
	return data.accu[0];
}

TEST_F(threads, a_group_is_its_members_sum)
{
	struct member a, b;
	pm_data_t data;

	self->prog.mode.b.count = 1;
	ASSERT_EQ(0, pm_set_program_mygroup(&self->prog));
	hire(&a);
	hire(&b);
	tell(&a, touches);
	tell(&b, touches);
	touch(PAGES);
	EXPECT_PAGES(3 * PAGES, total(_metadata, 1));
	/* The counts include members that have exited. */
	dismiss(&a);
	EXPECT_PAGES(3 * PAGES, total(_metadata, 1));
	/*
	 * The counts of an individual member are unknown, and threads that inherit have no program
	 * of their own.
	 */
	EXPECT_EQ(Pmapi_Unsupported, pm_get_data_mythread(&data));
	EXPECT_EQ(Pmapi_NoSetProg, tell(&b, reads));
	EXPECT_EQ(Pmapi_NoSetProg, tell(&b, reads_group));
	EXPECT_EQ(Pmapi_NoSetProg, tell(&b, deletes));
	EXPECT_EQ(0, pm_delete_program_mygroup());
	dismiss(&b);
}

TEST_F(threads, a_group_starts_and_stops_as_a_whole)
{
	struct member a;

	ASSERT_EQ(0, pm_set_program_mygroup(&self->prog));
	hire(&a);
	tell(&a, touches);
	EXPECT_EQ(Pmapi_NotCounting, pm_stop_mygroup());
	EXPECT_EQ(0, total(_metadata, 1));
	EXPECT_EQ(0, pm_start_mygroup());
	EXPECT_EQ(0, pm_start_mygroup());
	touch(PAGES);
	tell(&a, touches);
	EXPECT_PAGES(2 * PAGES, total(_metadata, 1));
	EXPECT_EQ(0, pm_stop_mygroup());
	touch(PAGES);
	tell(&a, touches);
	EXPECT_PAGES(2 * PAGES, total(_metadata, 1));
	EXPECT_EQ(0, pm_start_mygroup());
	tell(&a, touches);
	EXPECT_PAGES(3 * PAGES, total(_metadata, 1));
	/* One member cannot be stopped, reset or deleted alone. */
	EXPECT_EQ(Pmapi_Unsupported, pm_stop_mythread());
	EXPECT_EQ(Pmapi_Unsupported, pm_start_mythread());
	EXPECT_EQ(Pmapi_Unsupported, pm_reset_data_mythread());
	EXPECT_EQ(Pmapi_Unsupported, pm_delete_program_mythread());
	EXPECT_EQ(Pmapi_NoSetProg, tell(&a, stops));
	EXPECT_EQ(Pmapi_NoSetProg, tell(&a, stops_group));
	EXPECT_EQ(0, pm_reset_data_mygroup());
	EXPECT_PAGES(0, total(_metadata, 1));
	tell(&a, touches);
	EXPECT_PAGES(PAGES, total(_metadata, 1));
	EXPECT_EQ(0, pm_delete_program_mygroup());
	dismiss(&a);
}

TEST_F(threads, a_group_of_all_threads)
{
	struct member a, b;

	self->prog.mode.w |= PM_PROCESS | PM_COUNT;
	hire(&a);
	ASSERT_EQ(0, pm_set_program_mygroup(&self->prog));
	hire(&b);
	tell(&a, touches);
	tell(&b, touches);
	EXPECT_EQ(0, tell(&a, reads_group));
	EXPECT_EQ(2, a.data.ginfo.members);
	EXPECT_TRUE(!!a.data.ginfo.flags.b.process);
	EXPECT_PAGES(2 * PAGES, a.data.accu[0]);
	EXPECT_EQ(0, tell(&b, reads_group));
	EXPECT_EQ(Pmapi_Unsupported, tell(&b, stops));
	EXPECT_EQ(0, tell(&b, stops_group));
	tell(&a, touches);
	EXPECT_PAGES(2 * PAGES, total(_metadata, 2));
	EXPECT_EQ(0, pm_delete_program_mygroup());
	EXPECT_EQ(Pmapi_NoSetProg, tell(&b, reads));
	dismiss(&a);
	dismiss(&b);
}

static int sets(struct member *m)
{
	pm_prog_t prog = program("PM_PAGE_FAULTS");

	(void)m;
	return pm_set_program_mythread(&prog);
}

TEST_F(threads, none_of_all_may_have_a_context)
{
	struct member a;

	hire(&a);
	ASSERT_EQ(0, tell(&a, sets));
	self->prog.mode.w |= PM_PROCESS;
	EXPECT_EQ(Pmapi_ContextExists, pm_set_program_mygroup(&self->prog));
	EXPECT_EQ(Pmapi_NoSetProg, pm_get_data_mygroup(&a.data));
	ASSERT_EQ(0, tell(&a, deletes));
	EXPECT_EQ(0, pm_set_program_mygroup(&self->prog));
	EXPECT_EQ(Pmapi_ContextExists, tell(&a, sets));
	EXPECT_EQ(0, pm_delete_program_mygroup());
	dismiss(&a);
}

static void *burns(void *arg UNUSED)
{
	burn(5 * MS);
	return NULL;
}

/*
 * All sets measure even short threads, because software events need no hardware counters and perf
 * can count all sets at the same time.
 */
TEST_F(threads, short_threads_measure_all_sets)
{
	pm_prog_mx_t mx = program_mx("PM_PAGE_FAULTS", 3, 100);
	pthread_t thread[64];
	pm_data_mx_t data;

	mx.mode.b.count = 1;
	ASSERT_EQ(0, pm_set_program_mygroup_mx(&mx));
	for (int i = 0; i < 64; i++)
		ASSERT_EQ(0, pthread_create(&thread[i], NULL, burns, NULL));
	for (int i = 0; i < 64; i++)
		ASSERT_EQ(0, pthread_join(thread[i], NULL));
	ASSERT_EQ(0, pm_get_data_mygroup_mx(&data));
	EXPECT_EQ(1, data.ginfo.members);
	for (int k = 0; k < 3; k++)
		EXPECT_LE(20 * 5 * MS, raw(data.accu_set[k].accu_time));
	free(data.accu_set);
	EXPECT_EQ(0, pm_delete_program_mygroup());
}

TEST_HARNESS_MAIN
