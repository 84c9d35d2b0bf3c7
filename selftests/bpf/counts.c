// SPDX-License-Identifier: GPL-2.0-or-later
/* The statistics match the traced events exactly. */
#include <math.h>

#include "bpf_test.h"

FIXTURE(counts) {
	struct shim_trace_stat stat;
};

FIXTURE_SETUP(counts)
{
	TRACING_ON(NULL);
}

FIXTURE_TEARDOWN(counts)
{
	shim_trace_off();
}

TEST_F(counts, transactions)
{
	uint64_t in_hist = 0;

	for (int i = 0; i < 1000; i++) {
		ASSERT_EQ(0, pmtracebegin("counted"));
		ASSERT_EQ(0, pmtraceend("counted"));
	}
	ASSERT_EQ(0, read_stat("counted", SHIM_TRACE_TRANSACTION, &self->stat));
	EXPECT_EQ(1000, self->stat.count);
	EXPECT_GT(self->stat.min_ns, 0);
	EXPECT_LE(self->stat.min_ns, self->stat.max_ns);
	EXPECT_GE(self->stat.sum_ns, 1000 * self->stat.min_ns);
	EXPECT_LE(self->stat.sum_ns, 1000 * self->stat.max_ns);
	for (int i = 0; i < SHIM_TRACE_HIST_SLOTS; i++)
		in_hist += self->stat.hist[i];
	EXPECT_EQ(1000, in_hist);
}

static int is_in(uint64_t ns, unsigned int slot)
{
	return ns >= shim_trace_hist_floor(slot) && ns < shim_trace_hist_floor(slot + 1);
}

/* Transactions of 30 ms and 3 ms are in the histogram buckets for these times. */
TEST_F(counts, times)
{
	ASSERT_EQ(0, pmtracebegin("slept"));
	usleep(30000);
	ASSERT_EQ(0, pmtraceend("slept"));
	ASSERT_EQ(0, pmtracebegin("slept"));
	usleep(3000);
	ASSERT_EQ(0, pmtraceend("slept"));
	ASSERT_EQ(0, read_stat("slept", SHIM_TRACE_TRANSACTION, &self->stat));
	EXPECT_EQ(2, self->stat.count);
	EXPECT_GE(self->stat.min_ns, 3000000);
	EXPECT_GE(self->stat.max_ns, 30000000);
	EXPECT_LT(self->stat.max_ns, getenv("VM_ICOUNT") ? 1000000000 : 30000000000);
	EXPECT_EQ(self->stat.sum_ns, self->stat.min_ns + self->stat.max_ns);
	/* On a busy host the second transaction can take longer. */
	if (getenv("VM_ICOUNT"))
		EXPECT_EQ(self->stat.min_ns, self->stat.last_took_ns);
	for (int i = 0; i < SHIM_TRACE_HIST_SLOTS; i++)
		EXPECT_EQ((uint64_t)is_in(self->stat.min_ns, i) + is_in(self->stat.max_ns, i),
			  self->stat.hist[i]);
	EXPECT_EQ(self->stat.min_ns, shim_trace_percentile(&self->stat, 0));
	EXPECT_GE(shim_trace_percentile(&self->stat, 50), self->stat.min_ns);
	EXPECT_LE(shim_trace_percentile(&self->stat, 50), self->stat.min_ns * 1.07);
	EXPECT_LE(shim_trace_percentile(&self->stat, 51), self->stat.max_ns);
	EXPECT_GE(shim_trace_percentile(&self->stat, 51), self->stat.max_ns * 0.93);
}

/*
 * Each histogram bucket starts where the previous one ends, and its width is at most 1/8 of its
 * lower bound.
 */
TEST_F(counts, slots)
{
	EXPECT_EQ(0, shim_trace_hist_floor(0));
	for (unsigned int i = 1; i < SHIM_TRACE_HIST_SLOTS; i++) {
		uint64_t floor = shim_trace_hist_floor(i), before = shim_trace_hist_floor(i - 1);

		ASSERT_GT(floor, before);
		ASSERT_LE(floor - before, before < 8 ? 1 : before / 8);
	}
	EXPECT_GT(shim_trace_hist_floor(SHIM_TRACE_HIST_SLOTS - 1), 3 * 86400 * 1000000000ull);
	EXPECT_EQ(shim_trace_hist_floor(SHIM_TRACE_HIST_SLOTS - 1), shim_trace_hist_floor(99999));
	EXPECT_EQ(0, shim_trace_percentile(&self->stat, 50));
}

TEST_F(counts, aborted_is_not_counted)
{
	ASSERT_EQ(0, pmtracebegin("aborted"));
	ASSERT_EQ(0, pmtraceabort("aborted"));
	ASSERT_EQ(0, read_stat("aborted", SHIM_TRACE_TRANSACTION, &self->stat));
	EXPECT_EQ(0, self->stat.count);
	EXPECT_EQ(1, self->stat.aborted);
	EXPECT_EQ(0, self->stat.sum_ns);
	EXPECT_EQ(0, self->stat.last_took_ns);
	ASSERT_EQ(0, pmtracebegin("aborted"));
	ASSERT_EQ(0, pmtraceend("aborted"));
	EXPECT_EQ(1, count_of("aborted", SHIM_TRACE_TRANSACTION));
}

TEST_F(counts, open_is_not_counted)
{
	ASSERT_EQ(0, pmtracebegin("open"));
	EXPECT_EQ(-ENOENT, read_stat("open", SHIM_TRACE_TRANSACTION, &self->stat));
}

TEST_F(counts, kinds_are_independent)
{
	ASSERT_EQ(0, pmtracepoint("all kinds"));
	ASSERT_EQ(0, pmtracepoint("all kinds"));
	ASSERT_EQ(0, pmtraceobs("all kinds", 2.5));
	ASSERT_EQ(0, pmtraceobs("all kinds", -7e300));
	ASSERT_EQ(0, pmtracecounter("all kinds", 41));
	ASSERT_EQ(0, pmtracebegin("all kinds"));
	ASSERT_EQ(0, pmtraceend("all kinds"));
	EXPECT_EQ(1, count_of("all kinds", SHIM_TRACE_TRANSACTION));
	EXPECT_EQ(2, count_of("all kinds", SHIM_TRACE_POINT));
	ASSERT_EQ(0, read_stat("all kinds", SHIM_TRACE_OBSERVATION, &self->stat));
	EXPECT_EQ(2, self->stat.count);
	EXPECT_TRUE(self->stat.value == -7e300);
	EXPECT_TRUE(self->stat.value_min == -7e300);
	EXPECT_TRUE(self->stat.value_max == 2.5);
	EXPECT_EQ(0, self->stat.sum_ns);
	ASSERT_EQ(0, read_stat("all kinds", SHIM_TRACE_COUNTER, &self->stat));
	EXPECT_EQ(1, self->stat.count);
	EXPECT_TRUE(self->stat.value == 41);
}

/* A NaN is recorded as the last value, but not as the minimum or the maximum. */
TEST_F(counts, values_that_are_no_numbers)
{
	const double values[] = { NAN, -0.5, INFINITY, -3, 0, NAN };

	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++)
		ASSERT_EQ(0, pmtraceobs("any double", values[i]));
	ASSERT_EQ(0, read_stat("any double", SHIM_TRACE_OBSERVATION, &self->stat));
	EXPECT_EQ(6, self->stat.count);
	EXPECT_TRUE(self->stat.value_min == -3);
	EXPECT_TRUE(self->stat.value_max == INFINITY);
	EXPECT_TRUE(isnan(self->stat.value));
	ASSERT_EQ(0, pmtraceobs("nothing else", NAN));
	ASSERT_EQ(0, read_stat("nothing else", SHIM_TRACE_OBSERVATION, &self->stat));
	EXPECT_TRUE(isnan(self->stat.value_min));
	EXPECT_TRUE(isnan(self->stat.value_max));
}

TEST_F(counts, longest_name)
{
	char name[255];

	memset(name, 'n', 254);
	name[254] = '\0';
	ASSERT_EQ(0, pmtracepoint(name));
	EXPECT_EQ(1, count_of(name, SHIM_TRACE_POINT));
}

static void work(int n)
{
	for (int i = 0; i < n; i++) {
		pmtracebegin("shared by processes");
		pmtraceend("shared by processes");
	}
}

TEST_F(counts, processes_add_up)
{
	pid_t a, b;

	a = fork();
	if (!a) {
		work(300);
		_exit(0);
	}
	b = fork();
	if (!b) {
		work(500);
		_exit(0);
	}
	work(7);
	ASSERT_EQ(a, waitpid(a, NULL, 0));
	ASSERT_EQ(b, waitpid(b, NULL, 0));
	EXPECT_EQ(807, count_of("shared by processes", SHIM_TRACE_TRANSACTION));
}

TEST_F(counts, threads_lose_nothing)
{
	EXPECT_EQ(0, traced_by_threads(4, 2000));
}

TEST_F(counts, threads_by_the_hundred)
{
	EXPECT_EQ(0, traced_by_threads(200, 20));
}

TEST_F(counts, many_tags)
{
	struct shim_trace *trace;
	char tag[32];
	size_t n = 0;

	for (int i = 0; i < 500; i++) {
		snprintf(tag, sizeof(tag), "one of many %d", i);
		ASSERT_EQ(0, pmtracepoint(tag));
	}
	ASSERT_EQ(0, shim_trace_open(&trace));
	ASSERT_EQ(0, shim_trace_stats_get(trace, &n));
	EXPECT_EQ(500, n);
	for (size_t i = 0; i < n; i++) {
		EXPECT_EQ(1, shim_trace_stat_at(trace, i)->count);
		EXPECT_EQ(0, strncmp(shim_trace_stat_at(trace, i)->name, "one of many ", 12));
		for (size_t j = 0; j < i; j++)
			ASSERT_NE(shim_trace_stat_at(trace, i)->id,
				  shim_trace_stat_at(trace, j)->id);
	}
	EXPECT_EQ(NULL, shim_trace_stat_at(trace, n));
	shim_trace_close(trace);
}

#define OFTEN	60

/*
 * One handle repeatedly reads tags that are idle, active, new or only aborted.  All counts match.
 */
TEST_F(counts, a_handle_reads_again_and_again)
{
	uint64_t ended[OFTEN / 5] = { 0 }, aborted[OFTEN / 5] = { 0 };
	struct shim_trace *trace;
	size_t n;

	ASSERT_EQ(0, shim_trace_open(&trace));
	for (unsigned int round = 0; round < OFTEN; round++) {
		/* In two of five rounds, the newest tag and another one are active. */
		unsigned int moves[2] = { round / 5, round * 7 % (round / 5 + 1) };

		for (int i = 0; round % 5 < 2 && i < 2; i++) {
			char tag[16];

			snprintf(tag, sizeof(tag), "again %02u", moves[i]);
			ASSERT_EQ(0, pmtracebegin(tag));
			if (round % 3) {
				ASSERT_EQ(0, pmtraceend(tag));
				ended[moves[i]]++;
			} else {
				ASSERT_EQ(0, pmtraceabort(tag));
				aborted[moves[i]]++;
			}
		}
		ASSERT_EQ(0, shim_trace_stats_get(trace, &n));
		EXPECT_EQ(round / 5 + 1, n);
		for (size_t i = 0; i < n; i++) {
			const struct shim_trace_stat *stat = shim_trace_stat_at(trace, i);
			unsigned int which = atoi(stat->name + strlen("again "));
			uint64_t in_hist = 0;

			for (int slot = 0; slot < SHIM_TRACE_HIST_SLOTS; slot++)
				in_hist += stat->hist[slot];
			ASSERT_EQ(ended[which], stat->count);
			ASSERT_EQ(ended[which], in_hist);
			ASSERT_EQ(aborted[which], stat->aborted);
		}
	}
	shim_trace_close(trace);
}

TEST_HARNESS_MAIN
