// SPDX-License-Identifier: GPL-2.0-or-later
/* The back end on perf counts processes and process trees while their threads start and exit. */
#include "core_perf.h"

static int instances(FIXTURE_DATA(perf) *self)
{
	struct vcpc_instances_args args;
	struct vcpc_instance_info *list;

	if (shim_counters__list(self->set, 0, &list, &args))
		return -1;
	free(list);
	return args.nr;
}

TEST_F(perf, a_process_with_its_threads_and_those_to_come)
{
	struct worker old, new;

	NEED_PERF();
	start(&old, 100);
	ASSERT_EQ(0, make(self, 0, 0));
	ASSERT_EQ(0, shim_counters__bind(self->set, getpid(),
					 SHIM_BIND_F_PROCESS | VCPC_BIND_F_INHERIT, &self->bad));
	EXPECT_EQ(2, instances(self));
	let_work(&old);
	start(&new, 200);
	let_work(&new);
	ASSERT_EQ(0, total(self, 0));
	EXPECT_LE(301, VALUES[0]);
	EXPECT_GE(350 + SLACK, VALUES[0]);
	EXPECT_EQ(VCPC_STATE_COUNTING, STATE);
	/*
	 * Counts of individual threads are unknown; a sum is never returned as the count of a
	 * thread.
	 */
	EXPECT_EQ(-EOPNOTSUPP, sample(self, old.tid));
	EXPECT_EQ(-EINVAL, sample(self, new.tid));
	end(&new);
	end(&old);
	ASSERT_EQ(0, total(self, getpid()));
	EXPECT_LE(301, VALUES[0]);
}

TEST_F(perf, a_process_as_it_is)
{
	struct worker a, b;

	NEED_PERF();
	start(&a, 100);
	start(&b, 200);
	ASSERT_EQ(0, make(self, VCPC_SET_F_DISABLED, 0));
	ASSERT_EQ(0, shim_counters__bind(self->set, a.tid, SHIM_BIND_F_PROCESS, &self->bad));
	EXPECT_EQ(3, instances(self));
	ASSERT_EQ(0, shim_counters__enable_at(self->set, 0, SHIM_TARGET_F_ALL));
	let_work(&a);
	ASSERT_EQ(0, shim_counters__disable_at(self->set, a.tid, SHIM_TARGET_F_ALL));
	let_work(&b);
	ASSERT_EQ(0, sample(self, a.tid));
	EXPECT_LE(100, VALUES[0]);
	ASSERT_EQ(0, sample(self, b.tid));
	EXPECT_EQ(0, VALUES[0]);
	ASSERT_EQ(0, shim_counters__unbind_at(self->set, b.tid, SHIM_TARGET_F_ALL));
	EXPECT_EQ(0, instances(self));
	end(&a);
	end(&b);
}

/* A search begins at the instance found last, which may have been unbound since then. */
TEST_F(perf, threads_are_found_in_any_order)
{
	static const unsigned int order[] = { 0, 1, 2, 2, 1, 0, 2, 0, 1 };
	struct worker workers[3];

	NEED_PERF();
	ASSERT_EQ(0, make(self, 0, 0));
	for (unsigned int i = 0; i < 3; i++) {
		start(&workers[i], 100 * (i + 1));
		ASSERT_EQ(0, shim_counters__bind(self->set, workers[i].tid, 0, &self->bad));
		let_work(&workers[i]);
	}
	for (unsigned int i = 0; i < sizeof(order) / sizeof(order[0]); i++) {
		ASSERT_EQ(0, sample(self, workers[order[i]].tid));
		EXPECT_LE(100 * (order[i] + 1), VALUES[0]);
		EXPECT_GT(100 * (order[i] + 2), VALUES[0]);
	}
	ASSERT_EQ(0, shim_counters__unbind(self->set, workers[1].tid));
	EXPECT_EQ(-EINVAL, sample(self, workers[1].tid));
	EXPECT_EQ(0, sample(self, workers[0].tid));
	ASSERT_EQ(0, shim_counters__unbind_at(self->set, workers[0].tid, SHIM_TARGET_F_ALL));
	EXPECT_EQ(-EINVAL, sample(self, workers[0].tid));
	EXPECT_EQ(0, sample(self, workers[2].tid));
	EXPECT_EQ(1, instances(self));
	for (unsigned int i = 0; i < 3; i++)
		end(&workers[i]);
}

TEST_F(perf, a_tree_from_execve_on)
{
	int go[2], status;
	pid_t pid;

	NEED_PERF();
	ASSERT_EQ(0, pipe(go));
	pid = fork();
	if (!pid) {
		char c;

		touch(1000);
		if (read(go[0], &c, 1) != 1)
			_exit(1);
		touch(1000);
		execl("/bin/sh", "sh", "-c", "(exec sleep 0.01); exit 0", NULL);
		_exit(1);
	}
	ASSERT_EQ(0, make(self, 0, 0));
	ASSERT_EQ(0, shim_counters__bind(self->set, pid,
					 VCPC_BIND_F_TREE | VCPC_BIND_F_ENABLE_ON_EXEC, &self->bad));
	ASSERT_EQ(0, total(self, 0));
	EXPECT_EQ(0, VALUES[0]);
	EXPECT_EQ(0, STATE & VCPC_STATE_COUNTING);
	ASSERT_EQ(1, write(go[1], "x", 1));
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	ASSERT_EQ(0, status);
	ASSERT_EQ(0, total(self, 0));
	EXPECT_LT(30, VALUES[0]);
	EXPECT_GT(1000, VALUES[0]);
	EXPECT_LT(0, self->room.sample.tick);
}

/* Wait in a second thread, so that the process continues after its first thread has exited. */
static void *waits(void *arg)
{
	pause();
	return arg;
}

static void first_thread_ends(void)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, waits, NULL))
		_exit(1);
	syscall(SYS_exit, 0);
}

static bool is_zombie(pid_t pid)
{
	char path[64], line[256], state = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	f = fopen(path, "re");
	if (f && fgets(line, sizeof(line), f))
		sscanf(strrchr(line, ')') + 1, " %c", &state);
	if (f)
		fclose(f);
	return state == 'Z';
}

TEST_F(perf, a_process_whose_first_thread_has_ended)
{
	pid_t pid;

	NEED_PERF();
	pid = fork();
	if (!pid)
		first_thread_ends();
	ASSERT_EQ(0, make(self, 0, 0));
	for (int i = 0; i < 3000 && !is_zombie(pid); i++)
		usleep(10000);
	EXPECT_EQ(0, shim_counters__bind(self->set, pid, SHIM_BIND_F_PROCESS | VCPC_BIND_F_INHERIT,
					 &self->bad));
	EXPECT_EQ(0, total(self, pid));
	EXPECT_EQ(0, shim_counters__unbind_at(self->set, pid, SHIM_TARGET_F_ALL));
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

#define IDLE	300

static void *idles(void *arg)
{
	sem_wait(arg);
	return NULL;
}

/* A thread that starts the thread @late on command, after a delay, until @late is NULL */
struct starter {
	struct worker *late;
	sem_t go, started;
	int after_us;
};

static void *starts(void *arg)
{
	struct starter *s = arg;

	for (sem_wait(&s->go); s->late; sem_wait(&s->go)) {
		usleep(s->after_us);
		start(s->late, 500);
		sem_post(&s->started);
	}
	return NULL;
}

/*
 * While the list of threads is walked, the first thread, which is already bound, creates another
 * one.  The new thread is counted either by inheritance or from the list, but not twice.
 */
TEST_F(perf, a_thread_that_comes_meanwhile_counts_once)
{
	pthread_t idlers[IDLE], starting;
	struct worker late;
	struct starter s = { .late = &late };
	__u64 before;
	sem_t over;

	NEED_PERF();
	sem_init(&over, 0, 0);
	sem_init(&s.go, 0, 0);
	sem_init(&s.started, 0, 0);
	ASSERT_EQ(0, pthread_create(&starting, NULL, starts, &s));
	for (int i = 0; i < IDLE; i++)
		ASSERT_EQ(0, pthread_create(&idlers[i], NULL, idles, &over));
	for (s.after_us = 200; s.after_us < 6200; s.after_us += 100) {
		ASSERT_EQ(0, make(self, 0, 0));
		sem_post(&s.go);
		ASSERT_EQ(0, shim_counters__bind(self->set, getpid(),
						 SHIM_BIND_F_PROCESS | VCPC_BIND_F_INHERIT,
						 &self->bad));
		sem_wait(&s.started);
		ASSERT_EQ(0, total(self, 0));
		before = VALUES[0];
		let_work(&late);
		ASSERT_EQ(0, total(self, 0));
		EXPECT_LE(before + 500, VALUES[0]);
		EXPECT_GE(before + 700 + SLACK, VALUES[0]);
		end(&late);
		shim_counters__put(self->set);
		self->set = NULL;
	}
	s.late = NULL;
	sem_post(&s.go);
	pthread_join(starting, NULL);
	for (int i = 0; i < IDLE; i++)
		sem_post(&over);
	for (int i = 0; i < IDLE; i++)
		pthread_join(idlers[i], NULL);
}

/* A thread that continuously starts threads, which exit at once */
struct breeder {
	atomic_int tid;
	atomic_bool over;
};

static void *ends(void *arg)
{
	return arg;
}

static void *breeds(void *arg)
{
	struct breeder *b = arg;
	pthread_t child;

	b->tid = gettid();
	while (!b->over)
		if (!pthread_create(&child, NULL, ends, NULL))
			pthread_join(child, NULL);
	return NULL;
}

/*
 * Between binding two of the set's events, the kernel can assign the first event's counter to the
 * new thread.
 */
TEST_F(perf, a_thread_that_starts_threads_is_bound)
{
	struct breeder b = { .tid = 0 };
	pthread_t thread;

	NEED_PERF();
	ASSERT_EQ(0, pthread_create(&thread, NULL, breeds, &b));
	while (!b.tid)
		sched_yield();
	ASSERT_EQ(0, make(self, 0, 0));
	for (int i = 0; i < 200; i++) {
		ASSERT_EQ(0, shim_counters__bind(self->set, b.tid, VCPC_BIND_F_TREE, &self->bad));
		ASSERT_EQ(0, total(self, b.tid));
		ASSERT_EQ(0, shim_counters__unbind(self->set, b.tid));
	}
	b.over = true;
	pthread_join(thread, NULL);
}

TEST_HARNESS_MAIN
