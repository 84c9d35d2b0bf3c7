// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Multiplexed groups on perf count correctly while the program handles or blocks signals, forks,
 * calls exec, ends threads, or closes descriptors.
 */
#include <fcntl.h>
#include <sched.h>
#include <stdatomic.h>
#include <sys/resource.h>

#include "core_perf_multiplex.h"

static struct {
	struct shim_counters *set;
	struct grouped last;
	atomic_int samples, wrong;
} in_handler;

static void on_tick(int sig)
{
	struct grouped g;

	(void)sig;
	if (groups_sample(in_handler.set, 0, &g) || !follows(&g, &in_handler.last, 4))
		in_handler.wrong++;
	in_handler.last = g;
	in_handler.samples++;
}

/* Alarms can interrupt malloc(), other handlers and samples, and handlers can sample. */
TEST_F(perf, handlers_and_allocations)
{
	struct itimerval timer = { { 0, 700 }, { 0, 700 } };
	struct grouped g, last = { 0 };

	BOUND_GROUPS(4, MS, 0);
	memset(&in_handler, 0, sizeof(in_handler));
	in_handler.set = self->set;
	signal(SIGALRM, on_tick);
	setitimer(ITIMER_REAL, &timer, NULL);
	for (__u64 end = cpu_time() + 500 * MS; cpu_time() < end; ) {
		void *volatile room[8];

		for (int i = 0; i < 8; i++)
			room[i] = malloc(100 << i);
		ASSERT_EQ(0, groups_sample(self->set, 0, &g));
		ASSERT_TRUE(follows(&g, &last, 4));
		last = g;
		for (int i = 0; i < 8; i++)
			free(room[i]);
	}
	setitimer(ITIMER_REAL, &(struct itimerval) { 0 }, NULL);
	EXPECT_LT(10, in_handler.samples);
	EXPECT_EQ(0, in_handler.wrong);
	EXPECT_LT(5, group_of(&g, 0)->rounds);
}

TEST_F(perf, two_sets_on_one_thread)
{
	struct shim_counters *other;
	struct grouped g, h;

	BOUND_GROUPS(3, 10 * MS, 0);
	ASSERT_EQ(0, make_groups(self, 2, 10 * MS, 0, &other));
	ASSERT_EQ(0, shim_counters__bind(other, 0, 0, &self->bad));
	burn(300 * MS);
	ASSERT_EQ(0, groups_sample(self->set, 0, &g));
	ASSERT_EQ(0, groups_sample(other, 0, &h));
	/* A busy host can make slots longer. */
	EXPECT_LE(1, group_of(&g, 0)->rounds);
	EXPECT_LE(2, group_of(&h, 0)->rounds);
	EXPECT_LE(300 * MS / 2, sum_of_ticks(&g, 3));
	EXPECT_LE(300 * MS / 2, sum_of_ticks(&h, 2));
	EXPECT_EQ(0, group_of(&g, 1)->voids + group_of(&h, 1)->voids);
	shim_counters__put(other);
	EXPECT_EQ(0, burn_rounds(self->set, group_of(&g, 0)->rounds + 1, &h));
}

/*
 * If more sets exist than can be switched between two alarms, slots get longer, and the thread
 * makes progress.
 */
TEST_F(perf, many_sets_on_one_thread)
{
	struct shim_counters *sets[12];
	struct grouped g;

	NEED_PERF();
	for (int i = 0; i < 12; i++) {
		ASSERT_EQ(0, make_groups(self, 3, MS, 0, &sets[i]));
		ASSERT_EQ(0, shim_counters__bind(sets[i], 0, 0, &self->bad));
	}
	burn(200 * MS);
	for (int i = 0; i < 12; i++) {
		ASSERT_EQ(0, groups_sample(sets[i], 0, &g));
		EXPECT_LT(0, group_of(&g, 0)->rounds);
		EXPECT_EQ(0, group_of(&g, 0)->voids);
		EXPECT_LE(sum_of_ticks(&g, 3), g.head.tick);
		shim_counters__put(sets[i]);
	}
}

static atomic_int urgent;

static void on_urgent(int sig)
{
	(void)sig;
	urgent++;
}

/*
 * If the signal of an ended slot is pending when the set is unbound, the program does not receive
 * it.
 */
TEST_F(perf, unbound_while_the_alarm_is_pending)
{
	NEED_PERF();
	signal(SIGURG, on_urgent);
	urgent = 0;
	for (int i = 0; i < 20; i++) {
		ASSERT_EQ(0, make_groups(self, 2, MS, 0, &self->set));
		ASSERT_EQ(0, shim_counters__bind(self->set, 0, 0, &self->bad));
		block(true);
		burn(2 * MS);
		if (i & 1)
			ASSERT_EQ(0, shim_counters__unbind(self->set, 0));
		shim_counters__put(self->set);
		self->set = NULL;
		block(false);
	}
	EXPECT_EQ(0, urgent);
	raise(SIGURG);
	EXPECT_EQ(1, urgent);
}

/*
 * While the program handles the signal itself, no new slot starts, and the current group continues
 * to count.
 */
TEST_F(perf, the_programs_own_handler)
{
	struct grouped g;
	__u64 rounds;

	NEED_PERF();
	signal(SIGURG, on_urgent);
	urgent = 0;
	BOUND_GROUPS(2, MS, 0);
	ASSERT_EQ(0, burn_rounds(self->set, 5, &g));
	EXPECT_EQ(0, urgent);
	signal(SIGURG, on_urgent);
	ASSERT_EQ(0, groups_sample(self->set, 0, &g));
	rounds = group_of(&g, 0)->rounds;
	burn(20 * MS);
	ASSERT_EQ(0, groups_sample(self->set, 0, &g));
	EXPECT_LT(5, urgent);
	EXPECT_EQ(rounds, group_of(&g, 0)->rounds);
	EXPECT_EQ(0, group_of(&g, 0)->voids + group_of(&g, 1)->voids);
	signal(SIGURG, SIG_DFL);
	burn(5 * MS);
	ASSERT_EQ(0, groups_sample(self->set, 0, &g));
	EXPECT_EQ(rounds, group_of(&g, 0)->rounds);
}

TEST_F(perf, a_forked_child)
{
	struct grouped before, g;
	int status = -1;
	pid_t pid;

	BOUND_GROUPS(3, MS, 0);
	ASSERT_EQ(0, burn_rounds(self->set, 2, &before));
	pid = fork();
	if (!pid) {
		struct shim_counters *own;

		burn(20 * MS);
		if (groups_sample(self->set, 0, &g) != -EINVAL ||
		    shim_counters__disable(self->set, 0) != -EINVAL)
			_exit(1);
		if (make_groups(self, 3, MS, 0, &own) || shim_counters__bind(own, 0, 0, &self->bad) ||
		    burn_rounds(own, 3, &g))
			_exit(2);
		shim_counters__put(own);
		shim_counters__put(self->set);
		_exit(0);
	}
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, status);
	ASSERT_EQ(0, burn_rounds(self->set, 6, &g));
	EXPECT_TRUE(follows(&g, &before, 3));
}

TEST_F(perf, over_an_exec)
{
	int status = -1;
	pid_t pid;

	NEED_PERF();
	pid = fork();
	if (!pid) {
		if (make_groups(self, 3, MS, 0, &self->set) ||
		    shim_counters__bind(self->set, 0, 0, &self->bad))
			_exit(99);
		block(true);
		burn(3 * MS);
		execl("/bin/sh", "sh", "-c", "i=0; while [ $i -lt 3000 ]; do i=$((i + 1)); done; exit 7", NULL);
		_exit(98);
	}
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	ASSERT_TRUE(WIFEXITED(status));
	EXPECT_EQ(7, WEXITSTATUS(status));
}

static void *burns(void *arg)
{
	struct worker *w = arg;

	w->tid = gettid();
	sem_post(&w->ready);
	sem_wait(&w->go);
	burn(30 * MS);
	sem_post(&w->done);
	sem_wait(&w->go);
	return NULL;
}

static void start_burning(struct worker *w)
{
	sem_init(&w->go, 0, 0);
	sem_init(&w->ready, 0, 0);
	sem_init(&w->done, 0, 0);
	if (pthread_create(&w->thread, NULL, burns, w))
		abort();
	sem_wait(&w->ready);
}

TEST_F(perf, another_thread_to_its_end)
{
	struct grouped g, total;
	struct worker w[2];

	NEED_PERF();
	ASSERT_EQ(0, make_groups(self, 2, 5 * MS, 0, &self->set));
	for (int i = 0; i < 2; i++) {
		start_burning(&w[i]);
		ASSERT_EQ(0, shim_counters__bind(self->set, w[i].tid, 0, &self->bad));
	}
	for (int i = 0; i < 2; i++) {
		let_work(&w[i]);
		end(&w[i]);
		ASSERT_EQ(0, groups_sample(self->set, w[i].tid, &g));
		EXPECT_TRUE(g.head.state & VCPC_STATE_EXITED);
		EXPECT_LE(1, group_of(&g, 0)->rounds);
		EXPECT_LE(28 * MS, sum_of_ticks(&g, 2));
		EXPECT_LE(sum_of_ticks(&g, 2), g.head.tick);
	}
	ASSERT_EQ(0, shim_counters__total(self->set, 0, &total.head, sizeof(total)));
	EXPECT_EQ(VCPC_STATE_EXITED, total.head.state);
	EXPECT_LT(group_of(&g, 0)->rounds, group_of(&total, 0)->rounds);
	EXPECT_LE(56 * MS, sum_of_ticks(&total, 2));
	EXPECT_EQ(0, shim_counters__unbind(self->set, w[0].tid));
	ASSERT_EQ(0, shim_counters__total(self->set, 0, &total.head, sizeof(total)));
	EXPECT_EQ(group_of(&g, 0)->tick, group_of(&total, 0)->tick);
}

/* Files that reuse the descriptors' numbers are not touched. */
TEST_F(perf, descriptors_closed_by_the_program)
{
	struct grouped g;
	int fd;

	BOUND_GROUPS(3, MS, 0);
	ASSERT_EQ(0, close_range(3, ~0U, 0));
	fd = open("/dev/null", O_RDWR);
	burn(10 * MS);
	EXPECT_EQ(-EBADF, groups_sample(self->set, 0, &g));
	EXPECT_EQ(-EBADF, shim_counters__disable(self->set, 0));
	shim_counters__put(self->set);
	self->set = NULL;
	EXPECT_EQ(1, write(fd, "", 1));
	close(fd);
}

/*
 * Bind with a limit of descriptors that grows by one each time.  Each bind must fail without leaving a
 * descriptor open, until all groups can be opened.
 */
static void expect_each_event(struct __test_metadata *_metadata, FIXTURE_DATA(perf) *self,
			      unsigned int flags)
{
	struct rlimit all, few;
	int ret = -EMFILE, n, free_fd;

	ASSERT_EQ(0, getrlimit(RLIMIT_NOFILE, &all));
	for (n = 0; ret && n < 64; n++) {
		ASSERT_EQ(0, make_groups(self, 3, MS, 0, &self->set));
		free_fd = dup(0);
		close(free_fd);
		few = (struct rlimit) { free_fd + n, all.rlim_max };
		ASSERT_EQ(0, setrlimit(RLIMIT_NOFILE, &few));
		ret = shim_counters__bind(self->set, 0, flags, &self->bad);
		ASSERT_EQ(0, setrlimit(RLIMIT_NOFILE, &all));
		EXPECT_TRUE(!ret || ret == -EMFILE);
		shim_counters__put(self->set);
		self->set = NULL;
		EXPECT_EQ(free_fd, dup(0));
		close(free_fd);
	}
	/* at least one descriptor per group */
	EXPECT_LT(3, n);
	EXPECT_EQ(0, ret);
}

TEST_F(perf, without_descriptors_for_all_events)
{
	NEED_PERF();
	expect_each_event(_metadata, self, 0);
	expect_each_event(_metadata, self, VCPC_BIND_F_INHERIT);
}

TEST_F(perf, no_room_for_the_groups)
{
	unsigned char bytes[sizeof(struct grouped) + 8];
	size_t size = sizeof(struct vcpc_sample) + 2 * EACH * 8 + 2 * sizeof(struct shim_group_sample);

	BOUND_GROUPS(2, 0, 0);
	memset(bytes, 0x5a, sizeof(bytes));
	EXPECT_EQ(-EINVAL, shim_counters__sample(self->set, 0, (void *)bytes, size - 1));
	EXPECT_EQ(0x5a, bytes[0]);
	ASSERT_EQ(0, shim_counters__sample(self->set, 0, (void *)bytes, size));
	EXPECT_EQ(0x5a, bytes[size]);
}

static atomic_bool stop;

static void *suffers(void *arg)
{
	atomic_int *tid = arg;

	*tid = gettid();
	while (!stop)
		spin(1000);
	return NULL;
}

/* While alarms arrive, other threads can sample, stop, start and unbind. */
TEST_F(perf, others_do_anything_meanwhile)
{
	static atomic_int tids[2];
	pthread_t threads[2];

	NEED_PERF();
	stop = false;
	for (int i = 0; i < 2; i++) {
		tids[i] = 0;
		ASSERT_EQ(0, pthread_create(&threads[i], NULL, suffers, &tids[i]));
		while (!tids[i])
			sched_yield();
	}
	for (int round = 0; round < 30; round++) {
		struct grouped g, last[2] = { 0 };
		struct shim_counters *set;

		ASSERT_EQ(0, make_groups(self, 4, MS, SHUFFLE, &set));
		for (int i = 0; i < 2; i++)
			ASSERT_EQ(0, shim_counters__bind(set, tids[i], 0, &self->bad));
		for (int k = 0; k < 60; k++) {
			int ret = k % 5 == 1 ? shim_counters__disable(set, tids[k % 2]) :
				  k % 5 == 3 ? shim_counters__enable(set, tids[k % 2]) : 0;

			ASSERT_TRUE(!ret || ret == -EINVAL);
			ASSERT_EQ(0, groups_sample(set, tids[k % 2], &g));
			ASSERT_TRUE(follows(&g, &last[k % 2], 4));
			last[k % 2] = g;
			if (k % 4 == 0)
				usleep(300);
		}
		if (round % 2)
			ASSERT_EQ(0, shim_counters__unbind(set, tids[0]));
		shim_counters__put(set);
	}
	stop = true;
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
}

TEST_HARNESS_MAIN
