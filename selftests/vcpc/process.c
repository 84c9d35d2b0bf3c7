// SPDX-License-Identifier: GPL-2.0-or-later
/* VCPC_BIND_F_PROCESS: all threads that a process has now. */
#include <pthread.h>

#include "heirs.h"
#include "vcpc_test.h"

#define THREADS	8
#define TOUCHED	200

struct gang {
	pthread_t threads[THREADS];
	pthread_barrier_t barrier;
	bool with_heir;
};

/* Wait to be bound, then touch, then wait to be sampled. */
static void *member(void *arg)
{
	struct gang *gang = arg;

	pthread_barrier_wait(&gang->barrier);
	pthread_barrier_wait(&gang->barrier);
	touch(TOUCHED);
	if (gang->with_heir)
		in_thread(TOUCHED);
	pthread_barrier_wait(&gang->barrier);
	pthread_barrier_wait(&gang->barrier);
	return NULL;
}

static void gang_start(struct gang *gang)
{
	pthread_barrier_init(&gang->barrier, NULL, THREADS + 1);
	for (int i = 0; i < THREADS; i++)
		if (pthread_create(&gang->threads[i], NULL, member, gang))
			abort();
	pthread_barrier_wait(&gang->barrier);
}

static void gang_touch(struct gang *gang)
{
	pthread_barrier_wait(&gang->barrier);
	pthread_barrier_wait(&gang->barrier);
}

static void gang_end(struct gang *gang)
{
	pthread_barrier_wait(&gang->barrier);
	for (int i = 0; i < THREADS; i++)
		pthread_join(gang->threads[i], NULL);
}

TEST(own_process)
{
	int set = set_of(&page_faults, 0);
	struct gang gang = { .with_heir = true };
	__u64 value;

	ASSERT_GE(set, 0);
	gang_start(&gang);
	ASSERT_EQ(0, set_bind(set, VCPC_BIND_F_PROCESS, 0));
	EXPECT_EQ(THREADS + 1, set_count(set).nr);
	gang_touch(&gang);
	value = first_total(set, 0);
	EXPECT_GE(value, THREADS * TOUCHED);
	/* Their threads do not inherit. */
	EXPECT_LT(value, 2 * THREADS * TOUCHED);
	EXPECT_EQ(THREADS + 1, set_count(set).nr);
	EXPECT_EQ(value, first_total(set, getpid()));
	gang_end(&gang);
	EXPECT_GE(first_total(set, 0), value);
}

TEST(with_heirs)
{
	int set = set_of(&page_faults, 0);
	struct gang gang = { .with_heir = true };

	ASSERT_GE(set, 0);
	gang_start(&gang);
	ASSERT_EQ(0, set_bind(set, VCPC_BIND_F_PROCESS | VCPC_BIND_F_INHERIT, 0));
	gang_touch(&gang);
	EXPECT_GE(first_total(set, 0), 2 * THREADS * TOUCHED);
	EXPECT_EQ(2 * THREADS + 1, set_count(set).nr);
	gang_end(&gang);
}

static void *samples_by_tid(void *arg)
{
	int *set = arg;

	return (void *)(long)set_sample(*set, getpid(), &(struct room) { 0 });
}

/* A thread that ends, and one that is bound already */
TEST(all_or_none)
{
	int set = set_of(&page_faults, 0);
	struct gang gang = { 0 };
	pthread_t thread;
	void *ret;

	ASSERT_GE(set, 0);
	gang_start(&gang);
	ASSERT_EQ(0, set_bind(set, 0, 0));
	EXPECT_EQ(-EBUSY, set_bind(set, VCPC_BIND_F_PROCESS, 0));
	EXPECT_EQ(1, set_count(set).nr);
	EXPECT_NE(~0ULL, first_value(set, 0));
	ASSERT_EQ(0, set_target(set, VCPC_IOC_UNBIND, 0));
	ASSERT_EQ(0, set_bind(set, VCPC_BIND_F_PROCESS, 0));
	EXPECT_EQ(-EBUSY, set_bind(set, VCPC_BIND_F_PROCESS, 0));
	EXPECT_EQ(THREADS + 1, set_count(set).nr);
	gang_touch(&gang);
	gang_end(&gang);
	ASSERT_EQ(0, pthread_create(&thread, NULL, samples_by_tid, &set));
	pthread_join(thread, &ret);
	EXPECT_EQ(NULL, ret);
}

/* Another process, which starts and ends threads as fast as it can. */
static void *spawns(void *arg)
{
	int pages = TOUCHED;
	pthread_t thread;

	(void)arg;
	for (;;)
		if (!pthread_create(&thread, NULL, touches, &pages))
			pthread_join(thread, NULL);
	return NULL;
}

static pid_t start_spawning(void)
{
	pid_t pid = fork();
	pthread_t thread;
	int i;

	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (i = 0; i < 3; i++)
		if (pthread_create(&thread, NULL, spawns, NULL))
			abort();
	for (;;)
		pause();
}

TEST(another_process_that_starts_threads)
{
	int set = set_of(&page_faults, 0);
	struct vcpc_instances_args args;
	pid_t pid = start_spawning();
	struct room room;
	__u64 value = 0;
	int i;

	ASSERT_GE(set, 0);
	usleep(50000);
	for (i = 0; i < 20; i++) {
		ASSERT_EQ(0, set_bind(set, VCPC_BIND_F_PROCESS | VCPC_BIND_F_INHERIT, pid));
		usleep(10000);
		ASSERT_EQ(0, set_total(set, pid, &room));
		EXPECT_GE(room.sample.values[0], 0);
		value += room.sample.values[0];
		args = set_count(set);
		EXPECT_EQ(0, args.lost);
		EXPECT_GE(args.nr, 2);
		ASSERT_EQ(0, set_all(set, VCPC_IOC_UNBIND, pid));
	}
	EXPECT_GT(value, 0);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	EXPECT_EQ(-ESRCH, set_bind(set, VCPC_BIND_F_PROCESS, pid));
}

TEST(a_process_whose_first_thread_has_ended)
{
	int set = set_of(&page_faults, 0);
	pthread_t thread;
	struct room room;
	pid_t pid = fork();

	ASSERT_GE(set, 0);
	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (pthread_create(&thread, NULL, spawns, NULL))
			abort();
		syscall(SYS_exit, 0);
	}
	usleep(100000);
	ASSERT_EQ(0, set_bind(set, VCPC_BIND_F_PROCESS | VCPC_BIND_F_INHERIT, pid));
	usleep(50000);
	ASSERT_EQ(0, set_total(set, pid, &room));
	EXPECT_GT(room.sample.values[0], 0);
	EXPECT_EQ(VCPC_STATE_COUNTING, room.sample.state);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	ASSERT_EQ(0, set_total(set, pid, &room));
	EXPECT_EQ(VCPC_STATE_COUNTING | VCPC_STATE_EXITED, room.sample.state);
}

TEST_HARNESS_MAIN
