// SPDX-License-Identifier: GPL-2.0-or-later
/* Rows of vcpc top: from two looks at statistics that are given. */
#include <locale.h>
#include <math.h>
#include <stdlib.h>

#include <shim/trace.h>

/* What the trace handle stands for here */
static struct shim_trace_stat stats[3];
static struct shim_trace_count counts[2];
static size_t nstats, ncounts;

static int fake_stats(struct shim_trace *trace, size_t *n)
{
	(void)trace;
	*n = nstats;
	return 0;
}

static int fake_counts(struct shim_trace *trace, size_t *n)
{
	(void)trace;
	*n = ncounts;
	return 0;
}

static const struct shim_trace_stat *fake_stat_at(const struct shim_trace *trace, size_t i)
{
	(void)trace;
	return &stats[i];
}

static const struct shim_trace_count *fake_count_at(const struct shim_trace *trace, size_t i)
{
	(void)trace;
	return &counts[i];
}

static int fake_drops(struct shim_trace *trace, struct shim_trace_drops *drops)
{
	(void)trace;
	*drops = (struct shim_trace_drops){ .tag_full = 3 };
	return 0;
}

#define shim_trace_stats_get	fake_stats
#define shim_trace_counts_get	fake_counts
#define shim_trace_stat_at	fake_stat_at
#define shim_trace_count_at	fake_count_at
#define shim_trace_drops_get	fake_drops
#undef _GNU_SOURCE	/* the files define it */
#include "../../tools/vcpc/plot.c"
#include "../../tools/vcpc/text.c"
#include "../../tools/vcpc/top_rows.c"

#include "kselftest_harness.h"

#define SLOT	100

static void transact(struct shim_trace_stat *stat, uint64_t n)
{
	uint64_t ns = shim_trace_hist_floor(SLOT);

	stat->count += n;
	stat->sum_ns += n * ns;
	stat->hist[SLOT] += n;
	stat->min_ns = ns;
	stat->max_ns = ns;
}

FIXTURE(top)
{
	struct top_view view;
};

FIXTURE_SETUP(top)
{
	memset(stats, 0, sizeof(stats));
	memset(counts, 0, sizeof(counts));
	stats[0] = (struct shim_trace_stat){ .label = "pay\033[2J", .id = 7, .kind = SHIM_TRACE_TRANSACTION };
	stats[1] = (struct shim_trace_stat){ .label = "Cart", .id = 3, .kind = SHIM_TRACE_TRANSACTION };
	stats[2] = (struct shim_trace_stat){ .label = "a point", .id = 4, .kind = SHIM_TRACE_POINT, .count = 9 };
	counts[0] = (struct shim_trace_count){ .id = 7, .event = "instructions" };
	counts[1] = (struct shim_trace_count){ .id = 3, .event = "page-faults", .transactions = 5, .sum = 5 };
	nstats = 3;
	ncounts = 2;
	transact(&stats[1], 100);
	EXPECT_EQ(-EAGAIN, top_look(&self->view, NULL, 1000000000));
}

FIXTURE_TEARDOWN(top)
{
	top_free(&self->view);
}

TEST_F(top, rates_and_times_are_since_the_look_before)
{
	transact(&stats[0], 50);
	counts[0].transactions = 50;
	counts[0].sum = 100000;
	ASSERT_EQ(0, top_look(&self->view, NULL, 3000000000));
	ASSERT_EQ(2, self->view.nrows);
	EXPECT_STREQ("pay?[2J", self->view.rows[0].label);
	EXPECT_EQ(25, self->view.rows[0].rate);
	EXPECT_EQ(shim_trace_hist_floor(SLOT), llround(self->view.rows[0].p99 * 1e9));
	EXPECT_STREQ("page-faults", self->view.events[0]);
	EXPECT_EQ(2000, self->view.rows[0].each[1]);
	EXPECT_TRUE(isnan(self->view.rows[0].each[0]));
	EXPECT_EQ(0, self->view.rows[1].rate);
	EXPECT_EQ(100, self->view.rows[1].total);
	EXPECT_TRUE(isnan(self->view.rows[1].p50));
	EXPECT_EQ(25, self->view.rate);
	EXPECT_EQ(3, self->view.lost);
}

TEST_F(top, a_tag_that_is_new_begins_with_nothing)
{
	nstats = 1;
	ASSERT_EQ(0, top_look(&self->view, NULL, 2000000000));
	nstats = 3;
	transact(&stats[1], 60);
	ASSERT_EQ(0, top_look(&self->view, NULL, 3000000000));
	EXPECT_STREQ("Cart", self->view.rows[0].label);
	EXPECT_EQ(160, self->view.rows[0].rate);
}

TEST_F(top, sorted_and_filtered)
{
	transact(&stats[0], 1);
	ASSERT_EQ(0, top_look(&self->view, NULL, 2000000000));
	self->view.key = TOP_TOTAL;
	top_arrange(&self->view);
	EXPECT_STREQ("Cart", self->view.rows[0].label);
	self->view.reverse = true;
	top_arrange(&self->view);
	EXPECT_STREQ("Cart", self->view.rows[1].label);
	self->view.filter = "CAR";
	top_arrange(&self->view);
	EXPECT_EQ(1, self->view.nrows);
	EXPECT_EQ(2, self->view.ntags);
	EXPECT_STREQ("Cart", self->view.rows[0].label);
	self->view.filter = NULL;
	top_arrange(&self->view);
	EXPECT_EQ(2, self->view.nrows);
}

TEST_F(top, lines_of_any_width)
{
	char line[4 * 300 + 512];

	transact(&stats[0], 1);
	ASSERT_EQ(0, top_look(&self->view, NULL, 2000000000));
	for (unsigned int width = 1; width <= 300; width++) {
		top_line(&self->view, NULL, width, line);
		EXPECT_GE(width, strlen(line));
		top_line(&self->view, &self->view.rows[0], width, line);
		EXPECT_GE(width, strlen(line));
	}
	top_line(&self->view, NULL, 80, line);
	EXPECT_NE(NULL, strstr(line, "p99"));
	top_line(&self->view, NULL, 120, line);
	EXPECT_NE(NULL, strstr(line, " page-fau"));
}

/* Ten letters of two columns each, and more marks of none than there is room for */
TEST_F(top, names_are_cut_by_columns)
{
	char line[4 * 80 + 512], marked[600] = "e";
	struct top_row row = { .p50 = NAN, .p99 = NAN, .mean = NAN };
	wchar_t wide[500];

	ASSERT_NE(NULL, setlocale(LC_CTYPE, "C.UTF-8"));
	row.label = "\346\263\250\346\226\207\343\202\222\345\217\227\343\201\221"
		    "\344\273\230\343\201\221\343\202\213\345\207\246\347\220\206";
	for (unsigned int width = 1; width <= 80; width++) {
		top_line(&self->view, &row, width, line);
		ASSERT_NE((size_t)-1, mbstowcs(wide, line, 500));
		EXPECT_GE(width, wcswidth(wide, 500));
	}
	EXPECT_EQ(80, wcswidth(wide, 500));
	for (int i = 0; i < 250; i++)
		strcat(marked, "\314\201");
	row.label = marked;
	top_line(&self->view, &row, 80, line);
	mbstowcs(wide, line, 500);
	EXPECT_EQ(80, wcswidth(wide, 500));
	EXPECT_GE(4 * 80, strlen(line));
}

TEST_HARNESS_MAIN
