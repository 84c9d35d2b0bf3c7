// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Statistics are kept per process, through the module and through probes, with counters, and with
 * many processes.
 */
#include <sys/prctl.h>

#include <shim/shim.h>

#include "bpf_test.h"

#define ROOM	64
/* More processes than the map has rows */
#define MANY	(256 * (int)sysconf(_SC_NPROCESSORS_CONF) + 100)

FIXTURE(processes) {
	const char *missing;
	struct shim_trace_options options;
	struct shim_trace *trace;
};

FIXTURE_VARIANT(processes) {
	const char *env;
	uint32_t flag;
};

FIXTURE_VARIANT_ADD(processes, module) { "kernel", SHIM_TRACE_F_MODULE };
FIXTURE_VARIANT_ADD(processes, probes) { "probe", SHIM_TRACE_F_PROBES };

FIXTURE_SETUP(processes)
{
	ASSERT_EQ(0, trace_place(variant->flag, &self->missing));
	setenv("SHIM_TRACE", variant->env, 1);
	self->options = (struct shim_trace_options) {
		.size = sizeof(self->options), .max_tags = FEW_TAGS,
		.flags = variant->flag | SHIM_TRACE_F_PROCESSES,
	};
}

FIXTURE_TEARDOWN(processes)
{
	shim_trace_close(self->trace);
	shim_trace_off();
}

static void transact(const char *tag, unsigned int n)
{
	for (unsigned int i = 0; i < n; i++) {
		pmtracebegin(tag);
		pmtraceend(tag);
	}
}

static void *transact_of_all(void *arg)
{
	(void)arg;
	for (unsigned int i = 0; i < 20000; i++) {
		pmtracebegin("of all");
		pmtraceend("of all");
	}
	return NULL;
}

/* Run four threads that use one tag.  If two shared a transaction, the second end would fail. */
static int transact_in_threads(void)
{
	pthread_t threads[4];
	int started = 0, bad = 0;

	while (started < 4 && !pthread_create(&threads[started], NULL, transact_of_all, NULL))
		started++;
	for (int i = 0; i < started; i++)
		bad |= pthread_join(threads[i], NULL);
	return bad || started < 4;
}

/*
 * Run a child called @command that performs @n transactions.  Return its PID after it has ended, or
 * -1.
 */
static pid_t child_with(const char *command, const char *tag, unsigned int n)
{
	pid_t pid = fork();
	int status;

	if (!pid) {
		prctl(PR_SET_NAME, command);
		transact(tag, n);
		_exit(0);
	}
	return pid > 0 && waitpid(pid, &status, 0) == pid && !status ? pid : -1;
}

/* Find the rows of a tag's transactions in a process.  Return their number and the last row. */
static size_t find(struct shim_trace *trace, size_t n, pid_t pid, const char *tag,
		   const struct shim_trace_process **found)
{
	size_t rows = 0;

	for (size_t i = 0; i < n; i++) {
		const struct shim_trace_process *row = shim_trace_process_at(trace, i);

		if (row->pid != (uint32_t)pid || strcmp(row->stat.name, tag))
			continue;
		*found = row;
		rows++;
	}
	return rows;
}

TEST_F(processes, each_has_its_own)
{
	const struct shim_trace_process *row = NULL;
	uint64_t in_hist = 0;
	pid_t child;
	size_t n = 0;

	UNLESS_MISSING();
	ASSERT_EQ(0, shim_trace_on(&self->options));
	transact("shared", 30);
	transact("own", 5);
	pmtracepoint("a point");
	pmtracebegin("shared");
	pmtraceabort("shared");
	child = child_with("a child", "shared", 12);
	ASSERT_LT(0, child);
	ASSERT_EQ(0, shim_trace_open(&self->trace));
	ASSERT_EQ(0, shim_trace_processes_get(self->trace, &n));
	ASSERT_EQ(3, n);
	ASSERT_EQ(1, find(self->trace, n, getpid(), "shared", &row));
	EXPECT_EQ(30, row->stat.count);
	EXPECT_EQ(SHIM_TRACE_TRANSACTION, row->stat.kind);
	EXPECT_EQ(getuid(), row->stat.user);
	EXPECT_LT(0, row->stat.min_ns);
	EXPECT_LE(30 * row->stat.min_ns, row->stat.sum_ns);
	EXPECT_GE(30 * row->stat.max_ns, row->stat.sum_ns);
	for (int i = 0; i < SHIM_TRACE_HIST_SLOTS; i++)
		in_hist += row->stat.hist[i];
	EXPECT_EQ(30, in_hist);
	EXPECT_EQ(0, row->ncounts);
	ASSERT_EQ(1, find(self->trace, n, getpid(), "own", &row));
	EXPECT_EQ(5, row->stat.count);
	/* The row still exists, although the process has exited. */
	ASSERT_EQ(1, find(self->trace, n, child, "shared", &row));
	EXPECT_EQ(12, row->stat.count);
	EXPECT_STREQ("a child", row->command);
	EXPECT_EQ(NULL, shim_trace_process_at(self->trace, n));
	/* The tag's own count includes both processes. */
	EXPECT_EQ(42, count_of("shared", SHIM_TRACE_TRANSACTION));
}

TEST_F(processes, are_not_told_apart_unless_asked_for)
{
	size_t n = 77;

	UNLESS_MISSING();
	self->options.flags &= ~SHIM_TRACE_F_PROCESSES;
	ASSERT_EQ(0, shim_trace_on(&self->options));
	transact("unseen", 3);
	EXPECT_NE(0, access("/sys/fs/bpf/vcpc/vc_process", F_OK));
	ASSERT_EQ(0, shim_trace_open(&self->trace));
	EXPECT_EQ(-ENODATA, shim_trace_processes_get(self->trace, &n));
	EXPECT_EQ(77, n);
	EXPECT_EQ(NULL, shim_trace_process_at(self->trace, 0));
	EXPECT_EQ(-EINVAL, shim_trace_processes_get(self->trace, NULL));
	EXPECT_EQ(-EINVAL, shim_trace_processes_get(NULL, &n));
	EXPECT_EQ(3, count_of("unseen", SHIM_TRACE_TRANSACTION));
}

/* If the map is full, the oldest rows are evicted, but no event of the tag is lost. */
TEST_F(processes, more_than_there_is_room_for)
{
	const struct shim_trace_process *row = NULL;
	const int many = MANY;
	struct shim_trace_drops drops;
	unsigned int alive = 0;
	uint64_t total = 0;
	size_t n = 0;

	UNLESS_MISSING();
	self->options.max_tags = ROOM;
	ASSERT_EQ(0, shim_trace_on(&self->options));
	ASSERT_EQ(0, shim_trace_open(&self->trace));
	for (int i = 0; i < many; i++) {
		pid_t child = child_with("one of many", "crowded", 2);

		ASSERT_LT(0, child);
		if (i < many - 8)
			continue;
		ASSERT_EQ(0, shim_trace_processes_get(self->trace, &n));
		alive += find(self->trace, n, child, "crowded", &row) == 1 && row->stat.count == 2;
	}
	EXPECT_EQ(8, alive);
	EXPECT_GE(many - 100, n);
	for (size_t i = 0; i < n; i++)
		total += shim_trace_process_at(self->trace, i)->stat.count;
	EXPECT_EQ(2 * n, total);
	EXPECT_EQ(2 * many, count_of("crowded", SHIM_TRACE_TRANSACTION));
	ASSERT_EQ(0, shim_trace_drops_get(self->trace, &drops));
	EXPECT_EQ(0, drops.stat_full + drops.tag_full);
}

/* One handle repeatedly reads the statistics of active, idle and new processes. */
TEST_F(processes, are_read_again)
{
	const struct shim_trace_process *row = NULL;
	pid_t children[6];
	size_t n = 0;

	UNLESS_MISSING();
	ASSERT_EQ(0, shim_trace_on(&self->options));
	ASSERT_EQ(0, shim_trace_open(&self->trace));
	for (unsigned int i = 0; i < 18; i++) {
		if (i % 3 == 0) {
			children[i / 3] = child_with("a child", "again", i + 1);
			ASSERT_LT(0, children[i / 3]);
			transact("again", 1);
		}
		ASSERT_EQ(0, shim_trace_processes_get(self->trace, &n));
		ASSERT_EQ(i / 3 + 2, n);
		ASSERT_EQ(1, find(self->trace, n, getpid(), "again", &row));
		EXPECT_EQ(i / 3 + 1, row->stat.count);
		for (unsigned int c = 0; c <= i / 3; c++) {
			ASSERT_EQ(1, find(self->trace, n, children[c], "again", &row));
			EXPECT_EQ(3 * c + 1, row->stat.count);
			EXPECT_STREQ("a child", row->command);
			EXPECT_STREQ("again", row->stat.label);
		}
	}
}

/* If half of the rows are in use on each CPU, none is evicted. */
TEST_F(processes, half_full)
{
	const struct shim_trace_process *row = NULL;
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	pid_t children[128];
	cpu_set_t old, one;
	size_t n = 0;

	UNLESS_MISSING();
	self->options.max_tags = ROOM;
	ASSERT_EQ(0, shim_trace_on(&self->options));
	ASSERT_EQ(0, sched_getaffinity(0, sizeof(old), &old));
	for (int i = 0; i < 128; i++) {
		CPU_ZERO(&one);
		CPU_SET(i % cpus, &one);
		sched_setaffinity(0, sizeof(one), &one);
		children[i] = child_with("one of a few", "half", 1);
		ASSERT_LT(0, children[i]);
	}
	sched_setaffinity(0, sizeof(old), &old);
	ASSERT_EQ(0, shim_trace_open(&self->trace));
	ASSERT_EQ(0, shim_trace_processes_get(self->trace, &n));
	EXPECT_EQ(128, n);
	for (int i = 0; i < 128; i++)
		EXPECT_EQ(1, find(self->trace, n, children[i], "half", &row));
}

/* The threads of a process share a row on all CPUs, and no event is lost. */
TEST_F(processes, with_threads)
{
	const struct shim_trace_process *row = NULL;
	uint64_t in_hist = 0, ended;
	size_t n = 0;

	UNLESS_MISSING();
	ASSERT_EQ(0, shim_trace_on(&self->options));
	ASSERT_EQ(0, traced_by_threads(4, 500));
	ASSERT_EQ(0, shim_trace_open(&self->trace));
	for (int i = 0; i < 4; i++) {
		char tag[24];

		snprintf(tag, sizeof(tag), "thread %d", i);
		ASSERT_EQ(0, shim_trace_processes_get(self->trace, &n));
		ASSERT_EQ(1, find(self->trace, n, getpid(), tag, &row));
		EXPECT_EQ(500, row->stat.count);
	}
	ASSERT_EQ(0, transact_in_threads());
	ASSERT_EQ(0, shim_trace_processes_get(self->trace, &n));
	ASSERT_EQ(1, find(self->trace, n, getpid(), "of all", &row));
	ended = count_of("of all", SHIM_TRACE_TRANSACTION);
	EXPECT_LT(0, ended);
	EXPECT_EQ(ended, row->stat.count);
	for (int i = 0; i < SHIM_TRACE_HIST_SLOTS; i++)
		in_hist += row->stat.hist[i];
	EXPECT_EQ(ended, in_hist);
	EXPECT_GE(row->stat.sum_ns, ended * row->stat.min_ns);
	EXPECT_LE(row->stat.sum_ns, ended * row->stat.max_ns);
}

/* Statistics per process can be combined with begin events and with individual events. */
TEST_F(processes, beside_what_else_is_wanted)
{
	const struct shim_trace_process *row = NULL;
	size_t n = 0;

	UNLESS_MISSING();
	self->options.flags |= SHIM_TRACE_F_BEGINS;
	self->options.ring_bytes = 65536;
	ASSERT_EQ(0, shim_trace_on(&self->options));
	transact("all of it", 9);
	ASSERT_EQ(0, shim_trace_open(&self->trace));
	ASSERT_EQ(0, shim_trace_processes_get(self->trace, &n));
	ASSERT_EQ(1, find(self->trace, n, getpid(), "all of it", &row));
	EXPECT_EQ(9, row->stat.count);
}

TEST_F(processes, off_and_on)
{
	size_t n = 0;

	UNLESS_MISSING();
	ASSERT_EQ(0, shim_trace_on(&self->options));
	transact("before", 1);
	ASSERT_EQ(0, shim_trace_open(&self->trace));
	ASSERT_EQ(0, shim_trace_processes_get(self->trace, &n));
	EXPECT_EQ(1, n);
	ASSERT_EQ(0, shim_trace_off());
	EXPECT_EQ(-ESTALE, shim_trace_processes_get(self->trace, &n));
	ASSERT_EQ(0, shim_trace_on(&self->options));
	EXPECT_EQ(-ESTALE, shim_trace_processes_get(self->trace, &n));
	shim_trace_close(self->trace);
	ASSERT_EQ(0, shim_trace_open(&self->trace));
	ASSERT_EQ(0, shim_trace_processes_get(self->trace, &n));
	EXPECT_EQ(0, n);
}

/* All processes that write statistics themselves share one row, which is the last in the list. */
TEST_F(processes, that_write_by_themselves)
{
	const struct shim_trace_process *row = NULL;
	size_t n = 0;

	UNLESS_MISSING();
	self->options.direct_slots = 16;
	ASSERT_EQ(0, shim_trace_on(&self->options));
	/* A process chooses its transport only once, so set SHIM_TRACE before the child starts. */
	setenv("SHIM_TRACE", "direct", 1);
	ASSERT_LT(0, child_with("direct", "mixed", 6));
	ASSERT_LT(0, child_with("direct", "mixed", 7));
	setenv("SHIM_TRACE", variant->env, 1);
	transact("mixed", 4);
	ASSERT_EQ(0, shim_trace_open(&self->trace));
	ASSERT_EQ(0, shim_trace_processes_get(self->trace, &n));
	ASSERT_EQ(1, find(self->trace, n, getpid(), "mixed", &row));
	EXPECT_EQ(4, row->stat.count);
	ASSERT_EQ(1, find(self->trace, n, 0, "mixed", &row));
	EXPECT_EQ(13, row->stat.count);
	EXPECT_STREQ("", row->command);
	EXPECT_EQ(2, n);
	EXPECT_EQ(17, count_of("mixed", SHIM_TRACE_TRANSACTION));
}

FIXTURE(process_counts) {
	struct shim_handle *handle;
	struct shim_set *set;
	struct shim_trace *trace;
};

FIXTURE_SETUP(process_counts)
{
	const struct shim_trace_options options = { .size = sizeof(options), .flags = SHIM_TRACE_F_PROCESSES };
	const char *const events[] = { "page-faults", "task-clock" };

	TRACING_ON(&options);
	ASSERT_EQ(0, prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0));
	ASSERT_EQ(0, shim_open(&self->handle));
	ASSERT_EQ(0, shim_set_create(self->handle, events, 2, NULL, &self->set));
}

FIXTURE_TEARDOWN(process_counts)
{
	shim_trace_close(self->trace);
	shim_set_destroy(self->set);
	shim_close(self->handle);
	shim_trace_off();
}

static void touch_in(const char *tag, size_t pages)
{
	size_t page = sysconf(_SC_PAGESIZE);
	volatile char *p = mmap(NULL, pages * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	pmtracebegin(tag);
	for (size_t i = 0; p != MAP_FAILED && i < pages; i++)
		p[i * page] = 1;
	pmtraceend(tag);
	munmap((void *)p, pages * page);
}

/* Transactions with counts and transactions without counts have separate rows. */
TEST_F(process_counts, in_each_process)
{
	const struct shim_trace_process *rows[2] = { NULL }, *row = NULL;
	size_t n = 0;
	int status;
	pid_t pid;

	transact("touches", 3);
	ASSERT_EQ(0, shim_set_bind(self->set, 0, SHIM_BIND_TRACE));
	for (int i = 0; i < 10; i++)
		touch_in("touches", 20);
	pid = fork();
	if (!pid) {
		touch_in("touches", 1);
		_exit(0);
	}
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	ASSERT_EQ(0, shim_trace_open(&self->trace));
	ASSERT_EQ(0, shim_trace_processes_get(self->trace, &n));
	ASSERT_EQ(2, find(self->trace, n, getpid(), "touches", &row));
	for (size_t i = 0; i < n; i++) {
		row = shim_trace_process_at(self->trace, i);
		if (row->pid == (uint32_t)getpid())
			rows[row->ncounts != 0] = row;
	}
	ASSERT_NE(NULL, rows[0]);
	ASSERT_NE(NULL, rows[1]);
	EXPECT_EQ(3, rows[0]->stat.count);
	EXPECT_EQ(10, rows[1]->stat.count);
	ASSERT_EQ(2, rows[1]->ncounts);
	EXPECT_STREQ("page-faults", rows[1]->counts[0].event);
	EXPECT_EQ(10, rows[1]->counts[0].transactions);
	EXPECT_LE(200, rows[1]->counts[0].sum);
	EXPECT_GT(250, rows[1]->counts[0].sum);
	EXPECT_STREQ("task-clock", rows[1]->counts[1].event);
	EXPECT_LT(0, rows[1]->counts[1].sum);
	EXPECT_LE(1, find(self->trace, n, pid, "touches", &row));
	EXPECT_EQ(1, row->stat.count);
}

TEST_HARNESS_MAIN
