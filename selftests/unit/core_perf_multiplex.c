// SPDX-License-Identifier: GPL-2.0-or-later
/* Test multiplexed groups on perf: slots, times, rounds, stops, and groups of other processes. */
#include <fcntl.h>

#include "core_perf_multiplex.h"

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
	/*
	 * Switching groups takes a long time on an emulated machine, so the groups may count for
	 * only half of the time.
	 */
	EXPECT_LE(g.head.tick / 2, sum);
	for (int k = 0; k < 3; k++) {
		const struct shim_group_sample *group = group_of(&g, k);

		EXPECT_EQ(group_of(&g, 0)->rounds, group->rounds);
		EXPECT_EQ(0, group->voids);
		EXPECT_LE(4 * 98 * MS / 10, group->tick);
		EXPECT_LE(group->tick * 99 / 100, group->time);
		/* Each group's count of CPU time equals its tick to within 1 %. */
		EXPECT_LE(group->tick * 99 / 100, g.values[k * EACH]);
		EXPECT_GE(group->tick * 101 / 100, g.values[k * EACH]);
	}
}

/* The groups' page faults add up to all page faults, except those between two slots. */
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
	/*
	 * Even a slow machine causes 30,000 page faults per second, so the limit is far below the
	 * expected sum.
	 */
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
	/* If counting in kernel mode is not permitted, the alarm can miss the end of a slot. */
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

/* A slot that had ended when the set was stopped is completed at the next start. */
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
	/* While the signal is blocked, the first slot does not end. */
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

/*
 * Expect that each group counts whenever its target runs, because perf can count all of them at the
 * same time.
 */
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

/* Start a child that waits for a command, works, and exits; its own child does the same. */
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

TEST_HARNESS_MAIN
