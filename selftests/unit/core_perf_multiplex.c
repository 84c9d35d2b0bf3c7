// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Multiplexed groups on perf: times, rounds, stops, and a program that handles or blocks signals,
 * forks, executes, ends threads or closes descriptors meanwhile
 */
#include <fcntl.h>
#include <sched.h>
#include <stdatomic.h>
#include <time.h>

#include "core_perf.h"

#define MS	1000000ULL
#define MOST	5	/* number of groups */
#define EACH	2	/* events per group: the thread's CPU time, page faults */
#define SHUFFLE	(1U << 31)	/* flags of make_groups(), in addition to VCPC_SET_F_* */

struct grouped {
	struct vcpc_sample head;
	__u64 values[MOST * EACH + MOST * sizeof(struct shim_group_sample) / sizeof(__u64)];
};

static const struct shim_group_sample *group_of(const struct grouped *g, int k)
{
	return (const void *)(g->values + g->head.nr + k * (sizeof(struct shim_group_sample) / 8));
}

static int make_groups(FIXTURE_DATA(perf) *self, int groups, __u64 slot, unsigned int flags,
		       struct shim_counters **set)
{
	__u16 group[MOST * EACH];
	struct shim_terms terms = { .group = group, .slot = slot, .shuffle = flags & SHUFFLE };
	struct vcpc_request reqs[MOST * EACH];

	for (int i = 0; i < groups * EACH; i++) {
		if (shim_event__parse(i % EACH ? "page-faults:u" : "task-clock", &reqs[i]))
			abort();
		reqs[i].flags = VCPC_REQ_F_USER;
		group[i] = i / EACH;
	}
	return shim_counters__create_on(self->session, reqs, groups * EACH,
					flags & ~SHUFFLE, terms, &self->bad, set);
}

static int groups_sample(struct shim_counters *set, pid_t tid, struct grouped *g)
{
	return shim_counters__sample(set, tid, &g->head, sizeof(*g));
}

static __u64 cpu_time(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
	return ts.tv_sec * 1000 * MS + ts.tv_nsec;
}

static void burn(__u64 ns)
{
	__u64 end = cpu_time() + ns;

	while (cpu_time() < end)
		spin(1000);
}

/* Burn CPU time until several rounds are complete: 0, an error of a sample, or 1 on timeout. */
static int burn_rounds(struct shim_counters *set, __u64 rounds, struct grouped *g)
{
	for (int i = 0; i < 20000; i++) {
		int ret = groups_sample(set, 0, g);

		if (ret || group_of(g, 0)->rounds >= rounds)
			return ret;
		burn(MS);
	}
	return 1;
}

static __u64 sum_of_ticks(const struct grouped *g, int groups)
{
	__u64 sum = 0;

	for (int k = 0; k < groups; k++)
		sum += group_of(g, k)->tick;
	return sum;
}

/* Whether nothing has decreased or was discarded */
static bool follows(const struct grouped *g, const struct grouped *last, int groups)
{
	bool ok = g->head.time >= last->head.time && g->head.tick >= last->head.tick;

	for (int i = 0; i < groups * EACH; i++)
		ok &= g->values[i] >= last->values[i];
	for (int k = 0; k < groups; k++)
		ok &= group_of(g, k)->tick >= group_of(last, k)->tick &&
		      group_of(g, k)->time >= group_of(last, k)->time &&
		      group_of(g, k)->rounds >= group_of(last, k)->rounds && !group_of(g, k)->voids;
	return ok;
}

static void block(bool on)
{
	sigset_t urgent;

	sigemptyset(&urgent);
	sigaddset(&urgent, SIGURG);
	pthread_sigmask(on ? SIG_BLOCK : SIG_UNBLOCK, &urgent, NULL);
}

#define BOUND_GROUPS(groups, slot, flags)					\
	do {									\
		NEED_PERF();							\
		ASSERT_EQ(0, make_groups(self, groups, slot, flags, &self->set));	\
		ASSERT_EQ(0, shim_counters__bind(self->set, 0, 0, &self->bad));	\
	} while (0)

TEST_F(perf, each_group_has_its_slots)
{
	struct grouped g;
	__u64 sum;

	BOUND_GROUPS(3, 10 * MS, 0);
	ASSERT_EQ(0, burn_rounds(self->set, 4, &g));
	sum = sum_of_ticks(&g, 3);
	EXPECT_EQ(VCPC_STATE_COUNTING, g.head.state);
	EXPECT_EQ(3 * EACH, g.head.nr);
	EXPECT_EQ(sizeof(g.head), g.head.size);
	EXPECT_GE(g.head.tick, sum);
	/* On an emulated machine, switching groups takes long. */
	EXPECT_LE(g.head.tick / 2, sum);
	for (int k = 0; k < 3; k++) {
		const struct shim_group_sample *group = group_of(&g, k);

		EXPECT_EQ(group_of(&g, 0)->rounds, group->rounds);
		EXPECT_EQ(0, group->voids);
		EXPECT_LE(4 * 98 * MS / 10, group->tick);
		EXPECT_LE(group->tick * 99 / 100, group->time);
		/* The CPU time that it counts must equal its time. */
		EXPECT_LE(group->tick * 99 / 100, g.values[k * EACH]);
		EXPECT_GE(group->tick * 101 / 100, g.values[k * EACH]);
	}
}

/* All groups together have all page faults, except those between two slots. */
TEST_F(perf, what_one_lacks_the_others_have)
{
	struct grouped g;
	__u64 sum = 0;

	BOUND_GROUPS(4, 10 * MS, 0);
	for (__u64 end = cpu_time() + 400 * MS; cpu_time() < end; )
		touch(10);
	touch(10);
	ASSERT_EQ(0, shim_counters__disable(self->set, 0));
	ASSERT_EQ(0, groups_sample(self->set, 0, &g));
	EXPECT_EQ(0, g.head.state);
	for (int k = 0; k < 4; k++) {
		sum += g.values[k * EACH + 1];
		EXPECT_LT(0, g.values[k * EACH + 1]);
	}
	/* at least 30,000 per second */
	EXPECT_LT(1000, sum);
}

TEST_F(perf, a_slot_is_cpu_time)
{
	struct grouped g;

	BOUND_GROUPS(2, 100 * MS, 0);
	usleep(200000);
	ASSERT_EQ(0, groups_sample(self->set, 0, &g));
	EXPECT_EQ(0, group_of(&g, 1)->tick);
	EXPECT_LE(200 * MS, group_of(&g, 0)->time);
	EXPECT_GT(100 * MS, group_of(&g, 0)->tick);
	burn(130 * MS);
	ASSERT_EQ(0, groups_sample(self->set, 0, &g));
	EXPECT_EQ(0, group_of(&g, 0)->rounds);
	/* The alarm can miss the end of a slot if counting the kernel is not permitted. */
	for (int i = 0; i < 100 && !group_of(&g, 1)->tick; i++) {
		burn(10 * MS);
		ASSERT_EQ(0, groups_sample(self->set, 0, &g));
	}
	EXPECT_LT(0, group_of(&g, 1)->tick);
}

TEST_F(perf, stop_and_start_keep_the_slot)
{
	struct grouped g = { 0 };

	BOUND_GROUPS(2, 100 * MS, VCPC_SET_F_DISABLED);
	ASSERT_EQ(0, groups_sample(self->set, 0, &g));
	EXPECT_EQ(0, g.head.tick);
	EXPECT_EQ(0, g.head.state);
	for (int i = 0; i < 16; i++) {
		ASSERT_EQ(0, shim_counters__enable(self->set, 0));
		EXPECT_EQ(-EINVAL, shim_counters__enable(self->set, 0));
		burn(10 * MS);
		ASSERT_EQ(0, shim_counters__disable(self->set, 0));
		EXPECT_EQ(-EINVAL, shim_counters__disable(self->set, 0));
		burn(5 * MS);
		ASSERT_EQ(0, groups_sample(self->set, 0, &g));
		if (g.head.tick < 98 * MS)
			EXPECT_EQ(0, group_of(&g, 1)->tick);
	}
	EXPECT_LE(150 * MS, g.head.tick);
	EXPECT_LE(90 * MS, group_of(&g, 0)->tick);
	EXPECT_LE(20 * MS, group_of(&g, 1)->tick);
	EXPECT_EQ(-EINVAL, shim_counters__restart(self->set, 0));
}

/* A slot that was over when the set was stopped ends at the next start. */
TEST_F(perf, over_when_it_is_stopped)
{
	struct grouped g;

	BOUND_GROUPS(2, 10 * MS, 0);
	block(true);
	burn(15 * MS);
	ASSERT_EQ(0, shim_counters__disable(self->set, 0));
	block(false);
	ASSERT_EQ(0, groups_sample(self->set, 0, &g));
	EXPECT_LE(14 * MS, group_of(&g, 0)->tick);
	EXPECT_EQ(0, group_of(&g, 1)->tick);
	ASSERT_EQ(0, shim_counters__enable(self->set, 0));
	burn(MS);
	ASSERT_EQ(0, groups_sample(self->set, 0, &g));
	EXPECT_LE(MS / 2, group_of(&g, 1)->tick);
}

TEST_F(perf, blocked_the_slot_is_longer)
{
	struct grouped g;
	__u64 tick;

	BOUND_GROUPS(3, 10 * MS, 0);
	block(true);
	burn(50 * MS);
	ASSERT_EQ(0, groups_sample(self->set, 0, &g));
	tick = group_of(&g, 0)->tick;
	/* Page faults between two slots belong to no group. */
	EXPECT_LE(49 * MS, tick);
	EXPECT_EQ(0, group_of(&g, 1)->tick);
	block(false);
	burn(2 * MS);
	ASSERT_EQ(0, groups_sample(self->set, 0, &g));
	EXPECT_LE(MS / 2, group_of(&g, 1)->tick);
	EXPECT_GE(tick + 30 * MS, group_of(&g, 0)->tick);
	EXPECT_EQ(0, group_of(&g, 0)->voids);
}

TEST_F(perf, unmeasured_is_known)
{
	static const __u16 group[2] = { 0, 1 };
	struct shim_terms terms = { .group = group, .slot = 30000 * MS };
	struct vcpc_request reqs[2];
	struct grouped g;

	NEED_PERF();
	for (int k = 0; k < 2; k++) {
		if (shim_event__parse("page-faults:u", &reqs[k]))
			abort();
		reqs[k].preset = 1000;
	}
	ASSERT_EQ(0, shim_counters__create_on(self->session, reqs, 2, 0, terms, &self->bad,
					      &self->set));
	ASSERT_EQ(0, shim_counters__bind(self->set, 0, 0, &self->bad));
	touch(50);
	ASSERT_EQ(0, groups_sample(self->set, 0, &g));
	EXPECT_LE(1050, g.values[0]);
	EXPECT_GE(1100 + SLACK, g.values[0]);
	EXPECT_EQ(1000, g.values[1]);
	EXPECT_EQ(0, group_of(&g, 1)->tick);
}

TEST_F(perf, how_groups_are_made)
{
	static const struct {
		__u16 groups[4];
		int bad;
	} rows[] = {
		{ { 0, 0, 0, 0 }, -1 }, { { 0, 1, 2, 3 }, -1 }, { { 0, 0, 1, 1 }, -1 },
		{ { 1, 1, 1, 1 }, 0 }, { { 0, 2, 2, 2 }, 1 }, { { 0, 1, 0, 1 }, 2 },
		{ { 0, 1, 1, 3 }, 3 }, { { 0, 1, 2, 0xffff }, 3 },
	};
	static const __u16 same[65];
	struct vcpc_request reqs[65] = { { 0 } };
	struct shim_terms terms = { .group = same };
	struct shim_counters *set;

	NEED_PERF();
	for (int i = 0; i < 65; i++)
		if (shim_event__parse("page-faults:u", &reqs[i]))
			abort();
#define CREATE(n) \
	shim_counters__create_on(self->session, reqs, n, 0, terms, &self->bad, &set)
	for (unsigned int r = 0; r < sizeof(rows) / sizeof(rows[0]); r++) {
		terms.group = rows[r].groups;
		EXPECT_EQ(rows[r].bad < 0 ? 0 : -EINVAL, CREATE(4));
		EXPECT_EQ(rows[r].bad, self->bad);
		if (rows[r].bad < 0)
			shim_counters__put(set);
	}
	terms.group = same;
	EXPECT_EQ(-EINVAL, CREATE(65));
	EXPECT_EQ(64, self->bad);
	terms.slot = MS - 1;
	EXPECT_EQ(-EINVAL, CREATE(2));
	terms.slot = 30000 * MS + 1;
	EXPECT_EQ(-EINVAL, CREATE(2));
	terms.slot = MS;
	terms.group = NULL;
	EXPECT_EQ(-EINVAL, CREATE(2));
	EXPECT_EQ(-1, self->bad);
	terms.slot = 0;
	terms.shuffle = true;
	EXPECT_EQ(-EINVAL, CREATE(2));
	terms = (struct shim_terms) { .group = same, .seed = 1 };
	EXPECT_EQ(-EINVAL, CREATE(2));
	terms.seed = 0;
	reqs[1].flags |= VCPC_REQ_F_OVERFLOW;
	EXPECT_EQ(-EINVAL, CREATE(2));
	EXPECT_EQ(1, self->bad);
}

/* perf can count all of these at the same time: each group counts whenever its target runs. */
static void expect_whole(struct __test_metadata *_metadata, const struct grouped *g, int groups)
{
	EXPECT_LT(0, g->head.tick);
	for (int k = 0; k < groups; k++) {
		EXPECT_LE(g->head.tick * 9 / 10, group_of(g, k)->tick);
		EXPECT_GE(g->head.tick * 11 / 10 + MS, group_of(g, k)->tick);
		EXPECT_EQ(0, group_of(g, k)->voids);
		EXPECT_LT(0, group_of(g, k)->rounds);
		EXPECT_LT(0, g->values[k * EACH]);
	}
}

/* A child that waits for a command, then works and exits; its own child does the same. */
static pid_t start_child(int go)
{
	pid_t child = fork();
	char c;

	if (child)
		return child;
	if (read(go, &c, 1) != 1)
		_exit(1);
	if (!fork()) {
		burn(20 * MS);
		touch(30);
		_exit(0);
	}
	burn(20 * MS);
	touch(30);
	wait(NULL);
	_exit(0);
}

TEST_F(perf, groups_of_a_process_tree)
{
	const unsigned int flags = SHIM_BIND_F_PROCESS | VCPC_BIND_F_TREE;
	struct grouped g;
	pid_t child;
	int go[2];

	NEED_PERF();
	ASSERT_EQ(0, pipe(go));
	child = start_child(go[0]);
	ASSERT_EQ(0, make_groups(self, 3, 0, SHUFFLE, &self->set));
	ASSERT_EQ(0, shim_counters__bind(self->set, child, flags, &self->bad));
	EXPECT_EQ(-EBUSY, shim_counters__bind(self->set, child, flags, &self->bad));
	ASSERT_EQ(1, write(go[1], "x", 1));
	waitpid(child, NULL, 0);
	ASSERT_EQ(0, shim_counters__total(self->set, 0, &g.head, sizeof(g)));
	EXPECT_LE(40 * MS, g.head.tick);
	expect_whole(_metadata, &g, 3);
	EXPECT_LE(60, g.values[1]);
	EXPECT_EQ(-EOPNOTSUPP, groups_sample(self->set, child, &g));
	EXPECT_EQ(-EINVAL, shim_counters__restart(self->set, child));
}

TEST_F(perf, groups_of_another_process_stop_and_go_on)
{
	struct grouped g, later;
	pid_t child;
	int go[2];

	NEED_PERF();
	ASSERT_EQ(0, pipe(go));
	child = start_child(go[0]);
	ASSERT_EQ(0, make_groups(self, 2, 0, 0, &self->set));
	ASSERT_EQ(0, shim_counters__bind(self->set, child, 0, &self->bad));
	ASSERT_EQ(0, shim_counters__disable(self->set, child));
	ASSERT_EQ(0, shim_counters__enable(self->set, child));
	ASSERT_EQ(1, write(go[1], "x", 1));
	usleep(10000);
	ASSERT_EQ(0, shim_counters__disable(self->set, child));
	ASSERT_EQ(0, groups_sample(self->set, child, &g));
	waitpid(child, NULL, 0);
	ASSERT_EQ(0, groups_sample(self->set, child, &later));
	EXPECT_EQ(g.head.tick, later.head.tick);
	EXPECT_EQ(group_of(&g, 1)->tick, group_of(&later, 1)->tick);
	EXPECT_EQ(g.values[0], later.values[0]);
	EXPECT_TRUE(later.head.state & VCPC_STATE_EXITED);
}

/* TURNS in the environment sets the number of slots. */
TEST_F(perf, thousands_of_slots)
{
	__u64 turns = getenv("TURNS") ? atoll(getenv("TURNS")) : 3000;
	struct grouped g, last = { 0 };

	BOUND_GROUPS(5, MS, SHUFFLE);
	do {
		burn(3 * MS);
		ASSERT_EQ(0, groups_sample(self->set, 0, &g));
		ASSERT_TRUE(follows(&g, &last, 5));
		last = g;
	} while (group_of(&g, 0)->rounds < turns / 5);
	EXPECT_LE(sum_of_ticks(&g, 5), g.head.tick);
	EXPECT_LE(g.head.tick / 2, sum_of_ticks(&g, 5));
	EXPECT_LE(turns * MS * 9 / 10, g.head.tick);
}

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

/* Alarms arrive in malloc(), in other handlers and in samples, and handlers take samples. */
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
	/* A busy host may make slots longer. */
	EXPECT_LE(1, group_of(&g, 0)->rounds);
	EXPECT_LE(2, group_of(&h, 0)->rounds);
	EXPECT_LE(300 * MS / 2, sum_of_ticks(&g, 3));
	EXPECT_LE(300 * MS / 2, sum_of_ticks(&h, 2));
	EXPECT_EQ(0, group_of(&g, 1)->voids + group_of(&h, 1)->voids);
	shim_counters__put(other);
	EXPECT_EQ(0, burn_rounds(self->set, group_of(&g, 0)->rounds + 1, &h));
}

/*
 * More sets than can be handled between two alarms: slots get longer, and the thread makes
 * progress.
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
 * The signal of a slot that was over is pending when the set is unbound; the program does not
 * receive it.
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
 * Time during which the program blocks the signal is not available for slots: the current group
 * continues.
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

/* Other threads sample, stop, start and unbind while alarms arrive. */
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
