// SPDX-License-Identifier: GPL-2.0-or-later
/* Rows of vcpc top are calculated correctly from two given snapshots of statistics. */
#include <errno.h>
#include <locale.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <shim/trace.h>

/* Data that the test returns instead of the trace handle's data */
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

static struct shim_trace_process processes[5];
static size_t nprocesses;

static int fake_processes(struct shim_trace *trace, size_t *n)
{
	(void)trace;
	*n = nprocesses;
	return nprocesses ? 0 : -ENODATA;
}

static const struct shim_trace_process *fake_process_at(const struct shim_trace *trace, size_t i)
{
	(void)trace;
	return &processes[i];
}

static int fake_drops(struct shim_trace *trace, struct shim_trace_drops *drops)
{
	(void)trace;
	*drops = (struct shim_trace_drops){ .tag_full = 3 };
	return 0;
}

static bool no_memory;

static char *fake_strdup(const char *s)
{
	return no_memory ? NULL : strcpy(malloc(strlen(s) + 1), s);
}

#define shim_trace_stats_get	fake_stats
#define shim_trace_counts_get	fake_counts
#define shim_trace_stat_at	fake_stat_at
#define shim_trace_count_at	fake_count_at
#define shim_trace_drops_get	fake_drops
#define shim_trace_processes_get	fake_processes
#define shim_trace_process_at	fake_process_at
#undef strdup
#define strdup			fake_strdup
#undef _GNU_SOURCE	/* the included files define it */
#include "../../tools/vcpc/text.c"
#include "../../tools/vcpc/top_lines.c"
#include "../../tools/vcpc/top_look.c"
#include "../../tools/vcpc/top_rows.c"
#include "../../tools/vcpc/value.c"

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

/* Return a row's name, which is valid until the next call. */
static const char *name_of(const struct top_view *view, size_t i)
{
	static char label[TOP_LABEL];

	top_label(view, &view->rows[i], label, sizeof(label));
	return label;
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
	EXPECT_STREQ("pay?[2J", name_of(&self->view, 0));
	EXPECT_EQ(25, self->view.rows[0].rate);
	EXPECT_EQ(shim_trace_hist_floor(SLOT), llround(self->view.rows[0].p99 * 1e9));
	EXPECT_STREQ("instructions", self->view.events[0]);
	EXPECT_EQ(2000, self->view.rows[0].each[0]);
	EXPECT_TRUE(isnan(self->view.rows[0].each[1]));
	EXPECT_EQ(0, self->view.rows[1].rate);
	EXPECT_EQ(100, self->view.rows[1].total);
	EXPECT_TRUE(isnan(self->view.rows[1].p50));
	EXPECT_EQ(3, self->view.lost);
}

TEST_F(top, a_tag_that_is_new_begins_with_nothing)
{
	nstats = 1;
	ASSERT_EQ(0, top_look(&self->view, NULL, 2000000000));
	nstats = 3;
	transact(&stats[1], 60);
	ASSERT_EQ(0, top_look(&self->view, NULL, 3000000000));
	EXPECT_STREQ("Cart", name_of(&self->view, 0));
	EXPECT_EQ(160, self->view.rows[0].rate);
}

/* An event that is no longer counted gives its column to another event. */
TEST_F(top, more_events_than_columns)
{
	static const char *const names[] = { "a", "b", "c", "d", "e", "f", "g", "h" };
	uint64_t now = 1000000000;

	ncounts = 1;
	for (size_t i = 0; i < 8; i++) {
		counts[0] = (struct shim_trace_count){ .id = 7, .event = names[i], .transactions = 1, .sum = 9 };
		for (int again = 0; again < 2; again++) {
			transact(&stats[0], 1);
			ASSERT_EQ(0, top_look(&self->view, NULL, now += 1000000000));
			counts[0].transactions++;
			counts[0].sum += 10 + i;
		}
		ASSERT_EQ(1, self->view.nevents);
		EXPECT_STREQ(names[i], self->view.events[0]);
		EXPECT_STREQ("pay?[2J", name_of(&self->view, 0));
		EXPECT_EQ(10 + i, self->view.rows[0].each[0]);
	}
}

TEST_F(top, sorted_and_filtered)
{
	transact(&stats[0], 1);
	ASSERT_EQ(0, top_look(&self->view, NULL, 2000000000));
	self->view.key = TOP_TOTAL;
	top_arrange(&self->view);
	EXPECT_STREQ("Cart", name_of(&self->view, 0));
	self->view.reverse = true;
	top_arrange(&self->view);
	EXPECT_STREQ("Cart", name_of(&self->view, 1));
	self->view.filter = "CAR";
	top_arrange(&self->view);
	EXPECT_EQ(1, self->view.nrows);
	EXPECT_EQ(2, self->view.nall);
	EXPECT_STREQ("Cart", name_of(&self->view, 0));
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

/* A count of a clock is shown as a time, and any other count as a number. */
TEST_F(top, clocks_have_units)
{
	char line[4 * 300 + 512];

	transact(&stats[0], 50);
	counts[0].transactions = 50;
	counts[0].sum = 50 * 452000;
	counts[0].event = "task-clock:u";
	ASSERT_EQ(0, top_look(&self->view, NULL, 2000000000));
	top_line(&self->view, &self->view.rows[0], 120, line);
	EXPECT_NE(NULL, strstr(line, "  452 us"));
	EXPECT_EQ(NULL, strstr(line, "452 k"));
}

static long end_of(const char *line, const char *text)
{
	const char *at = strstr(line, text);

	return at ? at + strlen(text) - line : -1;
}

/* The column of a row's first number is independent of the terminal's width. */
TEST_F(top, numbers_are_beside_the_names)
{
	char line[4 * 300 + 512];

	transact(&stats[0], 1);
	ASSERT_EQ(0, top_look(&self->view, NULL, 2000000000));
	EXPECT_EQ(strlen("pay?[2J"), self->view.widest);
	top_line(&self->view, NULL, 200, line);
	EXPECT_EQ((long)strlen("TRANSACTION") + NUMBER, end_of(line, "/s"));
	top_line(&self->view, &self->view.rows[0], 200, line);
	EXPECT_EQ((long)strlen("TRANSACTION") + NUMBER, end_of(line, " 1"));
	self->view.widest = 150;
	top_line(&self->view, NULL, 80, line);
	EXPECT_GE(80, strlen(line));
	EXPECT_LE(0, end_of(line, "total"));
}

/* Transactions can be nested, so the sum of their rates is meaningless. */
TEST_F(top, the_title_has_no_sum_of_nested_transactions)
{
	char line[256];

	transact(&stats[0], 1);
	transact(&stats[1], 1);
	ASSERT_EQ(0, top_look(&self->view, NULL, 2000000000));
	top_title(&self->view, false, line, sizeof(line));
	EXPECT_EQ(0, strncmp(line, "2 of 2 tags, by rate", 20));
}

/*
 * Names are truncated by display columns: test letters two columns wide, and more combining marks
 * than fit.
 */
TEST_F(top, names_are_cut_by_columns)
{
	char line[4 * 80 + 512], marked[600] = "e";
	struct top_entry entry = { .command = "" };
	struct top_row row = { .entry = &entry, .p50 = NAN, .p99 = NAN, .mean = NAN };
	wchar_t wide[500];

	ASSERT_NE(NULL, setlocale(LC_CTYPE, "C.UTF-8"));
	strcpy(entry.label, "\346\263\250\346\226\207\343\202\222\345\217\227\343\201\221"
	       "\344\273\230\343\201\221\343\202\213\345\207\246\347\220\206");
	for (unsigned int width = 1; width <= 80; width++) {
		top_line(&self->view, &row, width, line);
		ASSERT_NE((size_t)-1, mbstowcs(wide, line, 500));
		EXPECT_GE(width, wcswidth(wide, 500));
	}
	EXPECT_EQ(80, wcswidth(wide, 500));
	for (int i = 0; i < 125; i++)
		strcat(marked, "\314\201");
	strcpy(entry.label, marked);
	top_line(&self->view, &row, 80, line);
	mbstowcs(wide, line, 500);
	EXPECT_EQ(80, wcswidth(wide, 500));
	EXPECT_GE(4 * 80, strlen(line));
}

/*
 * Make rows of several processes.  This process has two rows of one tag, because two of its threads
 * have different counters, and one row of another tag.  Another process has exited long ago, and
 * one row belongs to all processes that write their statistics themselves.
 */
static void some_processes(void)
{
	static const struct shim_trace_count now[2] = {
		{ .event = "cycles", .transactions = 10, .sum = 500 },
		{ .event = "cycles", .transactions = 30, .sum = 700 },
	};
	static const struct {
		const char *label, *command;
		uint64_t id, n;
		uint32_t pid;
		unsigned int ncounts;
	} rows[5] = {
		{ "pay", "worker", 7, 10, 0, 1 }, { "pay", "worker", 7, 30, 0, 1 }, { "pay", "gone\033", 7, 4, 4999999, 0 },
		{ "cart", "worker", 3, 20, 0, 0 }, { "cart", "", 3, 6, 0, 0 },
	};

	for (size_t i = 0; i < 5; i++) {
		struct shim_trace_process *p = &processes[i];

		p->stat.label = rows[i].label;
		p->stat.id = rows[i].id;
		p->stat.kind = SHIM_TRACE_TRANSACTION;
		transact(&p->stat, rows[i].n);
		p->pid = rows[i].pid || i == 4 ? rows[i].pid : (uint32_t)getpid();
		strcpy(p->command, rows[i].command);
		p->counts = &now[i & 1];
		p->ncounts = rows[i].ncounts;
		p->events = rows[i].ncounts ? i + 1 : 0;
	}
}

static void look_at_processes(struct top_view *view, enum top_by by)
{
	memset(processes, 0, sizeof(processes));
	nprocesses = 5;
	view->by = by;
	some_processes();
	for (size_t i = 0; i < 5; i++)
		processes[i].ncounts = 0;
	top_forget(view);
	top_look(view, NULL, 1000000000);
	some_processes();
}

TEST_F(top, processes_with_all_their_tags)
{
	char self_label[64], line[4 * 120 + 512];
	struct top_row *rows;

	prctl(PR_SET_NAME, "topper");
	look_at_processes(&self->view, TOP_BY_PROCESS);
	ASSERT_EQ(0, top_look(&self->view, NULL, 2000000000));
	rows = self->view.rows;
	ASSERT_EQ(3, self->view.nrows);
	/* Process names are looked up only if PIDs are those of the initial namespace. */
	snprintf(self_label, sizeof(self_label), "%s[%d]", self->view.before->named ? "topper" : "worker", getpid());
	EXPECT_STREQ(self_label, name_of(&self->view, 0));
	EXPECT_EQ(60, rows[0].rate);
	EXPECT_EQ(120, rows[0].total);
	EXPECT_STREQ("cycles", self->view.events[0]);
	EXPECT_EQ(1200.0 / 40, rows[0].each[0]);
	EXPECT_STREQ("(direct)", name_of(&self->view, 1));
	EXPECT_EQ(6, rows[1].rate);
	EXPECT_STREQ("gone?[4999999]", name_of(&self->view, 2));
	EXPECT_EQ(4, rows[2].rate);
	top_line(&self->view, NULL, 120, line);
	EXPECT_EQ(0, strncmp(line, "PROCESS ", 8));
	top_title(&self->view, false, line, 256);
	EXPECT_NE(NULL, strstr(line, "3 of 3 processes"));
}

TEST_F(top, tags_of_processes)
{
	look_at_processes(&self->view, TOP_BY_BOTH);
	ASSERT_EQ(0, top_look(&self->view, NULL, 2000000000));
	ASSERT_EQ(4, self->view.nrows);
	EXPECT_EQ(40, self->view.rows[0].rate);
	EXPECT_NE(NULL, strstr(name_of(&self->view, 0), "] pay"));
	EXPECT_EQ(30, self->view.rows[0].each[0]);
	EXPECT_EQ(20, self->view.rows[1].rate);
	EXPECT_TRUE(isnan(self->view.rows[1].each[0]));
	EXPECT_STREQ("(direct) cart", name_of(&self->view, 2));
	self->view.filter = "CART";
	top_arrange(&self->view);
	EXPECT_EQ(2, self->view.nrows);
}

TEST_F(top, a_process_whose_row_gave_way_begins_again)
{
	look_at_processes(&self->view, TOP_BY_PROCESS);
	memset(&processes[4].stat.hist, 0, sizeof(processes[4].stat.hist));
	processes[4].stat.count = 0;
	transact(&processes[4].stat, 2);
	ASSERT_EQ(0, top_look(&self->view, NULL, 2000000000));
	self->view.filter = "direct";
	top_arrange(&self->view);
	EXPECT_EQ(2, self->view.rows[0].rate);
	EXPECT_EQ(2, self->view.rows[0].total);
}

/* After ten slow transactions, a new row, and twenty fast ones, only the new transactions count. */
TEST_F(top, and_also_if_there_are_more_by_now)
{
	struct shim_trace_stat *stat = &processes[4].stat;

	look_at_processes(&self->view, TOP_BY_PROCESS);
	memset(stat->hist, 0, sizeof(stat->hist));
	stat->count = stat->hist[50] = 20;
	stat->sum_ns = 20 * shim_trace_hist_floor(50);
	stat->min_ns = stat->max_ns = shim_trace_hist_floor(50);
	ASSERT_EQ(0, top_look(&self->view, NULL, 2000000000));
	self->view.filter = "direct";
	top_arrange(&self->view);
	EXPECT_EQ(20, self->view.rows[0].rate);
	EXPECT_EQ(shim_trace_hist_floor(50), llround(self->view.rows[0].mean * 1e9));
}

/*
 * If the row of one of a process's tags is removed, the others are compared with their previous
 * values.
 */
TEST_F(top, a_row_of_several_that_goes)
{
	look_at_processes(&self->view, TOP_BY_PROCESS);
	ASSERT_EQ(0, top_look(&self->view, NULL, 2000000000));
	nprocesses = 3;		/* without the rows of the other tag */
	transact(&processes[0].stat, 7);
	ASSERT_EQ(0, top_look(&self->view, NULL, 3000000000));
	EXPECT_EQ(2, self->view.nrows);
	EXPECT_EQ(7, self->view.rows[0].rate);
	EXPECT_EQ(0, self->view.rows[1].rate);
}

/* If there is no memory for the name of an event, its column is not omitted: the call fails. */
TEST_F(top, no_memory_for_the_name_of_an_event)
{
	counts[0].event = "cycles";
	no_memory = true;
	EXPECT_EQ(-ENOMEM, top_look(&self->view, NULL, 2000000000));
	no_memory = false;
	EXPECT_EQ(0, top_look(&self->view, NULL, 3000000000));
}

TEST_F(top, nothing_at_all)
{
	nstats = ncounts = 0;
	ASSERT_EQ(0, top_look(&self->view, NULL, 2000000000));
	ASSERT_EQ(0, top_look(&self->view, NULL, 3000000000));
	EXPECT_EQ(0, self->view.nrows);
}

TEST_F(top, processes_that_nobody_told_apart)
{
	nprocesses = 0;
	self->view.by = TOP_BY_PROCESS;
	EXPECT_EQ(-ENODATA, top_look(&self->view, NULL, 2000000000));
	nprocesses = 5;
}

TEST_HARNESS_MAIN
