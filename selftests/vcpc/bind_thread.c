// SPDX-License-Identifier: GPL-2.0-or-later
/* VCPC_IOC_BIND on another thread: of the own process, of another, of none. */
#include <pthread.h>
#include <semaphore.h>

#include "vcpc_test.h"

/* A thread that touches pages when it is told to. */
struct worker {
	pthread_t thread;
	pid_t tid;
	sem_t ready, go, done;
	bool stop;
};

static void *work(void *arg)
{
	struct worker *w = arg;

	w->tid = own_tid();
	sem_post(&w->ready);
	for (;;) {
		sem_wait(&w->go);
		if (w->stop)
			return NULL;
		touch(50);
		sem_post(&w->done);
	}
}

static void worker_start(struct worker *w)
{
	memset(w, 0, sizeof(*w));
	sem_init(&w->ready, 0, 0);
	sem_init(&w->go, 0, 0);
	sem_init(&w->done, 0, 0);
	if (pthread_create(&w->thread, NULL, work, w))
		abort();
	sem_wait(&w->ready);
}

static void worker_step(struct worker *w)
{
	sem_post(&w->go);
	sem_wait(&w->done);
}

static void worker_stop(struct worker *w)
{
	w->stop = true;
	sem_post(&w->go);
	pthread_join(w->thread, NULL);
}

TEST(counts_only_that_thread)
{
	int set = set_of(&page_faults, 0);
	struct worker w;
	__u64 before;

	ASSERT_GE(set, 0);
	worker_start(&w);
	worker_step(&w);
	ASSERT_EQ(0, set_bind(set, 0, w.tid));
	touch(300);
	before = first_value(set, w.tid);
	EXPECT_LT(before, 20);
	worker_step(&w);
	EXPECT_GE(first_value(set, w.tid) - before, 50);
	EXPECT_LT(first_value(set, w.tid) - before, 70);
	/* The caller has no instance: the only one is meant. */
	EXPECT_EQ(first_value(set, w.tid), first_value(set, 0));
	worker_stop(&w);
}

TEST(each_thread_its_own_instance)
{
	int set = set_of(&page_faults, 0);
	struct worker w[2];
	struct room room;

	ASSERT_GE(set, 0);
	worker_start(&w[0]);
	worker_start(&w[1]);
	ASSERT_EQ(0, set_bind(set, 0, w[0].tid));
	ASSERT_EQ(0, set_bind(set, 0, w[1].tid));
	/* Not the caller's own, and not the only one */
	EXPECT_EQ(-EINVAL, set_sample(set, 0, &room));
	ASSERT_EQ(0, set_bind(set, 0, 0));
	EXPECT_EQ(0, set_sample(set, 0, &room));
	worker_step(&w[1]);
	EXPECT_LT(first_value(set, w[0].tid), 50);
	EXPECT_GE(first_value(set, w[1].tid), 50);
	EXPECT_EQ(-EBUSY, set_bind(set, 0, w[1].tid));
	worker_stop(&w[0]);
	worker_stop(&w[1]);
}

static void *spinner(void *arg)
{
	struct worker *w = arg;

	w->tid = own_tid();
	sem_post(&w->ready);
	while (!__atomic_load_n(&w->stop, __ATOMIC_RELAXED))
		spin(1000);
	return NULL;
}

/* Its values come from wherever it runs. */
TEST(sampled_while_it_runs)
{
	struct vcpc_request requests[2] = { task_clock, task_clock };
	struct worker w = { 0 };
	__u64 last = 0, last_tick = 0;
	struct room room;
	int device, set, i;

	sem_init(&w.ready, 0, 0);
	ASSERT_EQ(0, pthread_create(&w.thread, NULL, spinner, &w));
	sem_wait(&w.ready);
	device = device_open();
	set = set_create(device, requests, 2, 0);
	ASSERT_GE(set, 0);
	ASSERT_EQ(0, set_bind(set, 0, w.tid));
	for (i = 0; i < 50; i++) {
		ASSERT_EQ(0, set_sample(set, w.tid, &room));
		ASSERT_GE(room.sample.values[0], last);
		ASSERT_GE(room.sample.tick, last_tick);
		last = room.sample.values[0];
		last_tick = room.sample.tick;
		usleep(1000);
	}
	/* It had a CPU, if not one of its own. */
	EXPECT_GT(last, 1000000);
	EXPECT_GT(last_tick, 1000000);
	__atomic_store_n(&w.stop, true, __ATOMIC_RELAXED);
	pthread_join(w.thread, NULL);
}

TEST(after_its_end)
{
	int set = set_of(&page_faults, 0);
	struct worker w;
	struct room room;
	__u64 value;
	pid_t tid;

	ASSERT_GE(set, 0);
	worker_start(&w);
	tid = w.tid;
	ASSERT_EQ(0, set_bind(set, 0, tid));
	worker_step(&w);
	value = first_value(set, tid);
	worker_stop(&w);
	ASSERT_EQ(0, set_sample(set, tid, &room));
	EXPECT_TRUE(room.sample.state & VCPC_STATE_EXITED);
	EXPECT_GE(room.sample.values[0], value);
	value = room.sample.values[0];
	touch(100);
	EXPECT_EQ(value, first_value(set, tid));
	EXPECT_EQ(0, set_target(set, VCPC_IOC_UNBIND, tid));
	EXPECT_EQ(-EINVAL, set_sample(set, tid, &room));
}

TEST(no_such_thread)
{
	int set = set_of(&page_faults, 0);
	struct worker w;
	pid_t pid;

	ASSERT_GE(set, 0);
	worker_start(&w);
	worker_stop(&w);
	EXPECT_EQ(-ESRCH, set_bind(set, 0, w.tid));
	EXPECT_EQ(-ESRCH, set_bind(set, 0, -1));
	EXPECT_EQ(-ESRCH, set_bind(set, 0, 0x7fffffff));
	/* A zombie still has its id, but nothing to count. */
	pid = fork();
	if (!pid)
		_exit(0);
	ASSERT_EQ(0, waitid(P_PID, pid, NULL, WEXITED | WNOWAIT));
	EXPECT_EQ(-ESRCH, set_bind(set, 0, pid));
	waitpid(pid, NULL, 0);
}

static int nobody_binds_others(void *arg)
{
	pid_t root = getppid(), other;
	int set, ret;

	(void)arg;
	if (become_nobody())
		return 1;
	set = set_of(&page_faults, 0);
	if (set < 0)
		return 2;
	if (set_bind(set, 0, root) != -EACCES)
		return 3;
	/* Not even one of the same user, yet */
	other = fork();
	if (!other) {
		pause();
		_exit(0);
	}
	ret = set_bind(set, 0, other);
	kill(other, SIGKILL);
	waitpid(other, NULL, 0);
	return ret == -EACCES ? 0 : 4;
}

TEST(another_process)
{
	int set = set_of(&page_faults, 0);
	struct room room;
	pid_t pid;

	EXPECT_EQ(0, in_child(nobody_binds_others, NULL));
	ASSERT_GE(set, 0);
	pid = fork();
	if (!pid) {
		pause();
		_exit(0);
	}
	EXPECT_EQ(0, set_bind(set, 0, pid));
	EXPECT_EQ(0, set_sample(set, pid, &room));
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	EXPECT_EQ(0, set_sample(set, pid, &room));
	EXPECT_TRUE(room.sample.state & VCPC_STATE_EXITED);
}

TEST(no_room_for_a_sleeper)
{
	unsigned int slots = hw_slots(), i;
	struct vcpc_request requests[MAX_VALUES];
	struct worker w;
	int device, set;

	if (!slots || slots >= 32)
		SKIP(return, "no hardware counters, or too many");
	for (i = 0; i <= slots; i++)
		requests[i] = cycles;
	device = device_open();
	set = set_create(device, requests, slots + 1, 0);
	ASSERT_GE(set, 0);
	worker_start(&w);
	usleep(10000);
	EXPECT_EQ(-ENOSPC, set_bind(set, 0, w.tid));
	worker_stop(&w);
}

TEST_HARNESS_MAIN
