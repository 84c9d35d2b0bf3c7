// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Percentiles are accurate to 1/10 for any distribution of durations.
 *
 * An END contains the start time of its transaction, so the test chooses the durations and knows
 * the exact percentiles.
 */
#include <math.h>
#include <time.h>

#include "bpf_test.h"

#define SAMPLES	4000

static uint64_t state;

/* Return a uniformly distributed number between 0 and 1, both exclusive. */
static double even(void)
{
	state = state * 6364136223846793005u + 1442695040888963407u;
	return ((state >> 11) + 0.5) / (double)(1ull << 53);
}

static double uniform(void)
{
	return 1e5 + even() * 9.9e6;
}

static double exponential(void)
{
	return 1e5 - 5e6 * log(even());
}

/* Return a number whose logarithm is uniformly distributed over five powers of ten. */
static double log_uniform(void)
{
	return 1e5 * pow(10, 5 * even());
}

/* Return a number from one of two ranges that are far apart; nine of ten are from the lower one. */
static double two_peaks(void)
{
	return even() < 0.9 ? 1e6 + even() * 1e5 : 1e9 + even() * 1e8;
}

static double all_the_same(void)
{
	return 777777;
}

static double heavy_tail(void)
{
	return 1e5 / pow(even(), 1 / 1.2);
}

FIXTURE(percentiles) {
	struct shim_trace_stat stat;
	uint64_t samples[SAMPLES];
};

FIXTURE_VARIANT(percentiles) {
	double (*draw)(void);
};

FIXTURE_VARIANT_ADD(percentiles, uniform) { uniform };
FIXTURE_VARIANT_ADD(percentiles, exponential) { exponential };
FIXTURE_VARIANT_ADD(percentiles, log_uniform) { log_uniform };
FIXTURE_VARIANT_ADD(percentiles, two_peaks) { two_peaks };
FIXTURE_VARIANT_ADD(percentiles, all_the_same) { all_the_same };
FIXTURE_VARIANT_ADD(percentiles, heavy_tail) { heavy_tail };

FIXTURE_SETUP(percentiles)
{
	state = 20260101;
	for (int i = 0; i < SAMPLES; i++)
		self->samples[i] = variant->draw();
}

FIXTURE_TEARDOWN(percentiles)
{
	shim_trace_off();
}

static int by_size(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

/* Return the largest relative error of percentiles 1 to 99. */
static double worst_error(struct shim_trace_stat *stat, uint64_t *samples)
{
	double worst = 0;

	qsort(samples, SAMPLES, sizeof(*samples), by_size);
	for (int percent = 1; percent < 100; percent++) {
		/*
		 * Nearest rank: the smallest sample such that @percent % of all samples do not
		 * exceed it.
		 */
		double right = samples[(SAMPLES * percent + 99) / 100 - 1];
		double error = fabs(shim_trace_percentile(stat, percent) - right) / right;

		worst = error > worst ? error : worst;
	}
	return worst;
}

/* Check percentiles of a histogram that the test fills itself. */
TEST_F(percentiles, of_a_histogram)
{
	struct shim_trace_stat *stat = &self->stat;

	stat->kind = SHIM_TRACE_TRANSACTION;
	stat->min_ns = UINT64_MAX;
	for (int i = 0; i < SAMPLES; i++) {
		unsigned int slot = 0;

		while (slot + 1 < SHIM_TRACE_HIST_SLOTS &&
		       shim_trace_hist_floor(slot + 1) <= self->samples[i])
			slot++;
		stat->hist[slot]++;
		stat->count++;
		if (self->samples[i] < stat->min_ns)
			stat->min_ns = self->samples[i];
		if (self->samples[i] > stat->max_ns)
			stat->max_ns = self->samples[i];
	}
	EXPECT_LT(worst_error(stat, self->samples), 0.07);
}

static uint64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000ull + ts.tv_nsec;
}

struct taken {
	uint64_t *samples;
	size_t n;
};

static int take(void *arg, const struct shim_trace_event *event)
{
	struct taken *taken = arg;

	if (taken->n == SAMPLES || event->op != SHIM_TRACE_OP_END)
		return -EINVAL;
	taken->samples[taken->n++] = event->ns - event->start_ns;
	return 0;
}

/* Check percentiles of events that pass through the module and the BPF programs. */
TEST_F(percentiles, of_transactions)
{
	struct shim_trace_options options = { .size = sizeof(options), .ring_bytes = 1 << 20 };
	struct vcpc_trace_write event = { .op = VCPC_TRACE_END };
	struct taken taken = { .samples = self->samples };
	struct shim_trace *trace;
	int fd, sent = 0;

	if (!HAS_MODULE)
		SKIP(return, "needs the vcpc module");
	TRACING_ON(&options);
	fd = raw_open();
	ASSERT_GE(fd, 0);
	event.handle = raw_tag(fd, "spread");
	ASSERT_NE(0, event.handle);
	for (int i = 0; i < SAMPLES; i++) {
		uint64_t now = now_ns();

		/* A transaction cannot begin before the machine booted. */
		event.value = self->samples[i] < now ? now - self->samples[i] : 1;
		sent += write(fd, &event, sizeof(event)) == sizeof(event);
	}
	close(fd);
	ASSERT_EQ(SAMPLES, sent);
	ASSERT_EQ(0, shim_trace_open(&trace));
	EXPECT_EQ(SAMPLES, shim_trace_events(trace, 0, take, &taken));
	shim_trace_close(trace);
	EXPECT_EQ(SAMPLES, taken.n);
	ASSERT_EQ(0, read_stat("spread", SHIM_TRACE_TRANSACTION, &self->stat));
	EXPECT_EQ(SAMPLES, self->stat.count);
	EXPECT_LT(worst_error(&self->stat, self->samples), 0.07);
}

TEST_HARNESS_MAIN
