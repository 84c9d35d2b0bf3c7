// SPDX-License-Identifier: GPL-2.0-or-later
/* Turns, gaps, seeds and anchors, on the synthetic clock; and what is refused. */
#include "aix/pmx.h"
#include "selftests/synthetic/backend_clock.h"
#include "../aix/work.h"

const struct shim_backend_ops *shim_session__backend(void)
{
	return &shim_backend__clock;
}

static void run(unsigned long long ms)
{
	shim_clock__run(syscall(SYS_gettid), ms * MS);
}

FIXTURE(pmx) {
	pm_prog_mx_t prog;
	pmx_options_t options;
	pmx_stats_t *stats;
};

FIXTURE_SETUP(pmx)
{
	shim_clock__begin(NULL, 0);
	ASSERT_EQ(0, initialize());
	self->prog = program_mx("PM_INST_CMPL", 3, 10);
	self->prog.mode.b.count = 1;
	self->options.anchor = COUNT_NOTHING;
}

FIXTURE_TEARDOWN(pmx)
{
	pmx_stats_close(self->stats);
	pm_delete_program_mythread();
}

TEST_F(pmx, each_turn_is_seen)
{
	pmx_turn_t turn;
	pmx_whole_t whole;

	ASSERT_EQ(0, pmx_set_program_mx(PMX_MYTHREAD, &self->prog, &self->options));
	ASSERT_EQ(0, pmx_stats_open(PMX_MYTHREAD, &self->stats));
	for (int i = 0; i < 35; i++) {
		run(2);
		ASSERT_EQ(0, pmx_stats_mark(self->stats));
	}
	ASSERT_EQ(0, pmx_stats_whole(self->stats, &whole));
	EXPECT_EQ(70 * MS, whole.counted);
	EXPECT_EQ(0, whole.gap);
	EXPECT_EQ(2, whole.rounds);
	ASSERT_EQ(6, whole.turns);
	for (int i = 0; i < 6; i++) {
		ASSERT_EQ(0, pmx_stats_turn(self->stats, i, &turn));
		EXPECT_EQ(i % 3, turn.set);
		EXPECT_EQ(10 * MS, turn.length);
		EXPECT_EQ(20000, turn.counts[0]);
		EXPECT_EQ(0, turn.counts[1]);
	}
	EXPECT_EQ(ENOENT, pmx_stats_turn(self->stats, 6, &turn));
	EXPECT_EQ(ENOENT, pmx_stats_turn(self->stats, ~0ull, &turn));
}

TEST_F(pmx, gaps_and_voids)
{
	pmx_whole_t whole;

	shim_clock__begin(NULL, MS);
	ASSERT_EQ(0, pmx_set_program_mx(PMX_MYTHREAD, &self->prog, &self->options));
	ASSERT_EQ(0, pmx_stats_open(PMX_MYTHREAD, &self->stats));
	run(22);
	shim_clock__steal(true);
	run(5);
	shim_clock__steal(false);
	ASSERT_EQ(0, pmx_stats_mark(self->stats));
	ASSERT_EQ(0, pmx_stats_whole(self->stats, &whole));
	EXPECT_EQ(20 * MS, whole.counted);
	EXPECT_EQ(7 * MS, whole.gap);
	EXPECT_EQ(1, whole.voids);
}

/* Turns that are shorter than a program can say, and what is too short or too long. */
TEST_F(pmx, short_turns)
{
	static const unsigned int refused[] = { 1, 999, 30000001, ~0u };
	pm_prog_mx_t got;
	pmx_turn_t turn;

	for (int i = 0; i < 4; i++) {
		self->options.slice_us = refused[i];
		EXPECT_EQ(Pmapi_InvalidSlice,
			  pmx_set_program_mx(PMX_MYTHREAD, &self->prog, &self->options));
	}
	self->options.slice_us = 1000;
	ASSERT_EQ(0, pmx_set_program_mx(PMX_MYTHREAD, &self->prog, &self->options));
	ASSERT_EQ(0, pm_get_program_mythread_mx(&got));
	EXPECT_EQ(1, got.slice_duration);
	free(got.events_set);
	ASSERT_EQ(0, pmx_stats_open(PMX_MYTHREAD, &self->stats));
	for (int i = 0; i < 8; i++) {
		run(1);
		ASSERT_EQ(0, pmx_stats_mark(self->stats));
	}
	ASSERT_EQ(0, pmx_stats_turn(self->stats, 5, &turn));
	EXPECT_EQ(2, turn.set);
	EXPECT_EQ(MS, turn.length);
	EXPECT_EQ(2000, turn.counts[0]);
}

static void orders(FIXTURE_DATA(pmx) *self, unsigned int seed, int sets[60],
		   unsigned long long lengths[60])
{
	pmx_turn_t turn;

	self->options.shuffle = 1;
	self->options.seed = seed;
	if (pmx_set_program_mx(PMX_MYTHREAD, &self->prog, &self->options) ||
	    pmx_stats_open(PMX_MYTHREAD, &self->stats))
		abort();
	for (int i = 0; i < 700; i++) {
		run(1);
		if (pmx_stats_mark(self->stats))
			abort();
	}
	for (int i = 0; i < 60; i++) {
		if (pmx_stats_turn(self->stats, i, &turn))
			abort();
		sets[i] = turn.set;
		lengths[i] = turn.length;
	}
	pmx_stats_close(self->stats);
	self->stats = NULL;
	pm_delete_program_mythread();
}

/* Two turns of one set in a row look like one, so sums are compared. */
TEST_F(pmx, seeds)
{
	unsigned long long lengths[3][60];
	int sets[3][60];

	orders(self, 5, sets[0], lengths[0]);
	orders(self, 5, sets[1], lengths[1]);
	orders(self, 6, sets[2], lengths[2]);
	EXPECT_EQ(0, memcmp(sets[0], sets[1], sizeof(sets[0])));
	EXPECT_EQ(0, memcmp(lengths[0], lengths[1], sizeof(lengths[0])));
	EXPECT_NE(0, memcmp(sets[0], sets[2], sizeof(sets[0])));
	for (int i = 0; i < 60; i++) {
		EXPECT_LE(9 * MS, lengths[0][i]);
		EXPECT_GE(22 * MS, lengths[0][i]);
	}
}

TEST_F(pmx, anchor)
{
	pmx_whole_t whole;
	pmx_turn_t turn;
	pmx_estimate_t e;

	self->options.anchor = event_on(0, "PM_CYC");
	ASSERT_EQ(0, pmx_set_program_mx(PMX_MYTHREAD, &self->prog, &self->options));
	ASSERT_EQ(0, pmx_stats_open(PMX_MYTHREAD, &self->stats));
	for (int i = 0; i < 60; i++) {
		run(5);
		ASSERT_EQ(0, pmx_stats_mark(self->stats));
	}
	ASSERT_EQ(0, pmx_stats_whole(self->stats, &whole));
	EXPECT_EQ(300000, whole.anchor);
	ASSERT_EQ(0, pmx_stats_turn(self->stats, 0, &turn));
	EXPECT_EQ(10000, turn.anchor);
	ASSERT_EQ(0, pmx_stats_estimate(self->stats, 1, 0, &e));
	EXPECT_EQ(10, e.turns);
	EXPECT_EQ(600000, e.value);
	EXPECT_EQ(600000, e.plain);
	EXPECT_EQ(600000, e.ratio);
	EXPECT_EQ(0, e.plain_error);
	/* Where the anchor is like time, there is nothing to be told apart. */
	EXPECT_EQ(-1, e.regression_error);
	EXPECT_LE(e.low, 600000);
	EXPECT_GE(e.high, 600000);
	/* It stops and starts with the sets. */
	ASSERT_EQ(0, pm_stop_mythread());
	run(100);
	ASSERT_EQ(0, pm_start_mythread());
	ASSERT_EQ(0, pmx_stats_mark(self->stats));
	ASSERT_EQ(0, pmx_stats_whole(self->stats, &whole));
	EXPECT_EQ(300000, whole.anchor);
}

/* Reset takes the program off the thread and puts it on again, its anchor, too. */
TEST_F(pmx, anchor_after_reset)
{
	pmx_whole_t whole;

	self->options.anchor = event_on(0, "PM_CYC");
	ASSERT_EQ(0, pmx_set_program_mx(PMX_MYTHREAD, &self->prog, &self->options));
	run(100);
	ASSERT_EQ(0, pm_reset_data_mythread());
	ASSERT_EQ(0, pmx_stats_open(PMX_MYTHREAD, &self->stats));
	run(30);
	ASSERT_EQ(0, pmx_stats_mark(self->stats));
	ASSERT_EQ(0, pmx_stats_whole(self->stats, &whole));
	EXPECT_EQ(30000, whole.anchor);
}

/* What one program has counted is not subtracted from what another one has, however alike they are. */
TEST_F(pmx, another_program)
{
	pmx_whole_t whole;

	ASSERT_EQ(0, pmx_set_program_mx(PMX_MYTHREAD, &self->prog, &self->options));
	ASSERT_EQ(0, pmx_stats_open(PMX_MYTHREAD, &self->stats));
	run(30);
	ASSERT_EQ(0, pmx_stats_mark(self->stats));
	ASSERT_EQ(0, pm_delete_program_mythread());
	EXPECT_EQ(Pmapi_NoSetProg, pmx_stats_mark(self->stats));
	self->options.anchor = event_on(0, "PM_CYC");	/* has more requests */
	ASSERT_EQ(0, pmx_set_program_mx(PMX_MYTHREAD, &self->prog, &self->options));
	run(30);
	EXPECT_EQ(Pmapi_WrongKind, pmx_stats_mark(self->stats));
	ASSERT_EQ(0, pm_delete_program_mythread());
	self->options.anchor = COUNT_NOTHING;
	ASSERT_EQ(0, pmx_set_program_mx(PMX_MYTHREAD, &self->prog, &self->options));
	EXPECT_EQ(Pmapi_WrongKind, pmx_stats_mark(self->stats));
	ASSERT_EQ(0, pmx_stats_whole(self->stats, &whole));
	EXPECT_EQ(30 * MS, whole.counted);
}

TEST_F(pmx, unmeasured_and_few)
{
	pmx_estimate_t e;

	ASSERT_EQ(0, pmx_set_program_mx(PMX_MYTHREAD, &self->prog, &self->options));
	ASSERT_EQ(0, pmx_stats_open(PMX_MYTHREAD, &self->stats));
	run(12);
	ASSERT_EQ(0, pmx_stats_mark(self->stats));
	ASSERT_EQ(0, pmx_stats_estimate(self->stats, 0, 0, &e));
	EXPECT_EQ(24000, e.value);
	EXPECT_EQ(-1, e.plain_error);
	EXPECT_EQ(-1, e.low);
	ASSERT_EQ(0, pmx_stats_estimate(self->stats, 2, 0, &e));
	EXPECT_EQ(0, e.turns);
	EXPECT_EQ(-1, e.value);
}

/* Memory is bounded however long it takes, and nothing is lost. */
TEST_F(pmx, many_turns)
{
	pmx_estimate_t e;
	pmx_turn_t turn;

	ASSERT_EQ(0, pmx_set_program_mx(PMX_MYTHREAD, &self->prog, &self->options));
	ASSERT_EQ(0, pmx_stats_open(PMX_MYTHREAD, &self->stats));
	for (int i = 0; i < 30000; i++) {
		run(10);
		ASSERT_EQ(0, pmx_stats_mark(self->stats));
	}
	ASSERT_EQ(0, pmx_stats_estimate(self->stats, 0, 0, &e));
	EXPECT_EQ(600000000, e.value);
	EXPECT_GE(4097, e.turns);
	EXPECT_EQ(ENOENT, pmx_stats_turn(self->stats, 0, &turn));
	EXPECT_EQ(0, pmx_stats_turn(self->stats, 29990, &turn));
}

TEST_F(pmx, refused)
{
	pmx_estimate_t e;
	pmx_stats_t *none = NULL;
	pm_prog_t plain = program("PM_INST_CMPL");

	EXPECT_EQ(EINVAL, pmx_set_program_mx(3, &self->prog, &self->options));
	EXPECT_EQ(EINVAL, pmx_set_program_mx(-1, &self->prog, &self->options));
	EXPECT_EQ(EINVAL, pmx_set_program_mx(PMX_MYTHREAD, &self->prog, NULL));
	EXPECT_EQ(EINVAL, pmx_set_program_mx(PMX_MYTHREAD, NULL, &self->options));
	self->options.anchor = 100000;
	EXPECT_EQ(Pmapi_InvalidEvent, pmx_set_program_mx(PMX_MYTHREAD, &self->prog, &self->options));
	EXPECT_EQ(Pmapi_NoSetProg, pmx_stats_open(PMX_MYTHREAD, &none));
	EXPECT_EQ(EINVAL, pmx_stats_open(7, &none));
	EXPECT_EQ(EINVAL, pmx_stats_open(PMX_MYTHREAD, NULL));
	EXPECT_EQ(EINVAL, pmx_stats_mark(NULL));
	ASSERT_EQ(0, pm_set_program_mythread(&plain));
	EXPECT_EQ(Pmapi_WrongKind, pmx_stats_open(PMX_MYTHREAD, &none));
	ASSERT_EQ(0, pm_delete_program_mythread());
	self->options.anchor = COUNT_NOTHING;
	ASSERT_EQ(0, pmx_set_program_mx(PMX_MYTHREAD, &self->prog, &self->options));
	ASSERT_EQ(0, pmx_stats_open(PMX_MYTHREAD, &self->stats));
	EXPECT_EQ(EINVAL, pmx_stats_estimate(self->stats, 3, 0, &e));
	EXPECT_EQ(EINVAL, pmx_stats_estimate(self->stats, 0, 8, &e));
	EXPECT_EQ(EINVAL, pmx_stats_estimate(self->stats, -1, 0, &e));
	EXPECT_EQ(EINVAL, pmx_stats_estimate(self->stats, 0, 0, NULL));
	ASSERT_EQ(0, pm_delete_program_mythread());
	EXPECT_EQ(Pmapi_NoSetProg, pmx_stats_mark(self->stats));
}

TEST_HARNESS_MAIN
