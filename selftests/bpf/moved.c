// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * If a begin event needs a row of vc_open_row that another transaction occupies, it moves that
 * transaction to vc_open.  No transaction is lost, even if several CPUs move it at the same time.
 * Each account has its own share of the rows, so the test's processes move each other's
 * transactions only on files that root opened.
 */
#include <linux/perf_event.h>
#include <signal.h>
#include <sys/prctl.h>

#include "bpf_test.h"
#include "../../bpf/trace.h"

#define VICTIM		1001
#define OTHER		1002
#define ATTACKERS	2	/* with the victim, the test needs three CPUs to find a race */

/* @handle: a tag's handle | a thread's number << 32 */
static int fire(int fd, uint32_t op, uint64_t handle)
{
	return posix_fadvise(fd, 0, handle, VCPC_TRACE_ADVICE + op);
}

static int open_rows(void)
{
	union bpf_attr attr = { .pathname = (uintptr_t)"/sys/fs/bpf/vcpc/vc_open_row" };

	return syscall(SYS_bpf, BPF_OBJ_GET, &attr, sizeof(attr));
}

/* Copy the rows of root's share of vc_open_row. Return 0, or -1 and errno. */
static int read_rows(int map, struct vc_open_row rows[VC_OPEN_ROWS])
{
	enum { ALL = VC_SHARES * VC_OPEN_ROWS };
	static struct vc_open_row all[ALL];
	static uint32_t keys[ALL];
	uint32_t next;
	union bpf_attr attr = { .batch = {
		.out_batch = (uintptr_t)&next, .keys = (uintptr_t)keys, .values = (uintptr_t)all,
		.count = ALL, .map_fd = map,
	} };
	int ret = syscall(SYS_bpf, BPF_MAP_LOOKUP_BATCH, &attr, sizeof(attr));

	for (int i = 0; i < VC_OPEN_ROWS; i++)
		rows[i] = all[i * VC_SHARES];
	/* ENOENT: there are no further rows. */
	return (ret && errno != ENOENT) || attr.batch.count != ALL ? -1 : 0;
}

/* Return the row of the tag's open transaction, or -1. */
static int row_of(int map, uint64_t tag)
{
	static struct vc_open_row rows[VC_OPEN_ROWS];

	if (read_rows(map, rows))
		return -1;
	for (int i = 0; i < VC_OPEN_ROWS; i++)
		if (rows[i].start_ns && rows[i].tag == tag)
			return i;
	return -1;
}

/* Return whether a row of root's share holds an open transaction of the tag. */
static bool holds(int map, int row, uint64_t tag)
{
	struct vc_open_row value = { 0 };
	uint32_t key = row * VC_SHARES;
	union bpf_attr attr = {
		.map_fd = map, .key = (uintptr_t)&key, .value = (uintptr_t)&value,
	};

	return !syscall(SYS_bpf, BPF_MAP_LOOKUP_ELEM, &attr, sizeof(attr)) && value.start_ns &&
	       value.tag == tag;
}

/*
 * The same as row_of(), for the process @pid.  The rows of consecutive processes are normally
 * consecutive, and one row is read much faster than all of them.
 */
static int row_of_process(int map, uint64_t tag, pid_t pid)
{
	static pid_t last_pid;
	static int last_row;
	int row = (last_row + pid - last_pid) & (VC_OPEN_ROWS - 1);

	if (!holds(map, row, tag))
		row = row_of(map, tag);
	last_pid = pid;
	last_row = row;
	return row;
}

/*
 * Find the threads whose transactions cover all rows, and return their numbers with a tag's handle,
 * by row.
 */
static int threads_for_all_rows(int fd, int map, uint64_t handles[VC_OPEN_ROWS])
{
	static struct vc_open_row rows[VC_OPEN_ROWS];
	uint64_t id = 0, handle;
	char name[32];

	snprintf(name, sizeof(name), "of %d", getpid());
	handle = raw_tag_id(fd, name, &id);
	for (uint64_t i = 1; i <= VC_OPEN_ROWS; i++)
		if (fire(fd, VCPC_TRACE_BEGIN, (VCPC_TRACE_THREAD | i) << 32 | handle))
			return -1;
	if (read_rows(map, rows))
		return -1;
	for (int i = 0; i < VC_OPEN_ROWS; i++) {
		handles[i] = (uint64_t)rows[i].thread << 32 | handle;
		if (rows[i].tag != id || fire(fd, VCPC_TRACE_END, handles[i]))
			return -1;
	}
	return 0;
}

FIXTURE(moved) {
	const char *missing;
	struct shim_trace_options options;
	struct shim_trace_drops drops;
	int fd, map;
	uint32_t handle;
	uint64_t id;
};

FIXTURE_SETUP(moved)
{
	ASSERT_EQ(0, trace_place(SHIM_TRACE_F_MODULE, &self->missing));
	if (self->missing)
		return;
	self->options = (struct shim_trace_options) {
		.size = sizeof(self->options), .flags = SHIM_TRACE_F_MODULE, .max_open = VC_OPEN_ROWS,
	};
	TRACING_ON(&self->options);
	self->fd = raw_open();
	self->handle = raw_tag_id(self->fd, "victim's", &self->id);
	ASSERT_NE(0, self->handle);
	self->map = open_rows();
	ASSERT_LE(0, self->map);
}

FIXTURE_TEARDOWN(moved)
{
	close(self->map);
	close(self->fd);
	shim_trace_off();
}

/*
 * Perform a transaction in a new process.  While it is open, begin one in the same row from another
 * descriptor.
 */
static int short_lived(int fd, int map, uint32_t handle, uint64_t id, int attacker,
		       const uint64_t handles[VC_OPEN_ROWS])
{
	int ready[2], go[2], status = -1, row = -1, bad;
	char byte = 0;
	pid_t pid;

	if (pipe(ready) || pipe(go))
		return -1;
	pid = fork();
	if (!pid)
		_exit(setuid(VICTIM) || fire(fd, VCPC_TRACE_BEGIN, handle) ||
		      write(ready[1], &byte, 1) != 1 || read(go[0], &byte, 1) != 1 ||
		      fire(fd, VCPC_TRACE_END, handle));
	if (read(ready[0], &byte, 1) == 1)
		row = row_of_process(map, id, pid);
	bad = row < 0 || fire(attacker, VCPC_TRACE_BEGIN, handles[row]) ||
	      holds(map, row, id) || fire(attacker, VCPC_TRACE_END, handles[row]);
	bad |= write(go[1], &byte, 1) != 1 || waitpid(pid, &status, 0) != pid || status;
	close(ready[0]);
	close(ready[1]);
	close(go[0]);
	close(go[1]);
	return bad;
}

/* When a moved transaction ends, its row of vc_open is deleted and no longer charged. */
TEST_F(moved, short_lived_processes)
{
	enum { MANY = VC_OPEN_ROWS / 2 + 100 };
	uint64_t handles[VC_OPEN_ROWS];
	int attacker = raw_open();

	UNLESS_MISSING();
	ASSERT_EQ(0, threads_for_all_rows(attacker, self->map, handles));
	for (int i = 0; i < MANY; i++)
		ASSERT_EQ(0, short_lived(self->fd, self->map, self->handle, self->id, attacker,
					 handles));
	EXPECT_EQ(MANY, count_of("victim's", SHIM_TRACE_TRANSACTION));
	ASSERT_EQ(0, read_drops(&self->drops));
	EXPECT_EQ(0, self->drops.open_full);
	EXPECT_EQ(0, self->drops.not_open);
	close(attacker);
}

/*
 * Repeatedly begin transactions in the row.  Write a byte to @ready when prepared, and start when
 * @go is closed.
 */
static void attack(int map, int row, int ready, const int go[2])
{
	uint64_t handles[VC_OPEN_ROWS];
	char byte = 0;
	int fd;

	close(go[1]);
	if (prctl(PR_SET_PDEATHSIG, SIGKILL))
		_exit(1);
	fd = raw_open();
	if (threads_for_all_rows(fd, map, handles) || write(ready, &byte, 1) != 1 ||
	    read(go[0], &byte, 1))
		_exit(2);
	for (;;)
		if (fire(fd, VCPC_TRACE_BEGIN, handles[row]))
			_exit(3);
}

/* Start attackers one after the other, because each of them first occupies all rows. */
static pid_t attacker(int map, int row, const int go[2])
{
	int ready[2];
	char byte;
	pid_t pid;

	if (pipe(ready))
		return -1;
	pid = fork();
	if (!pid)
		attack(map, row, ready[1], go);
	close(ready[1]);
	if (read(ready[0], &byte, 1) != 1)
		pid = -1;
	close(ready[0]);
	return pid;
}

static long long now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000ll + ts.tv_nsec;
}

/*
 * Begin and end transactions for three seconds, while begin events of several processes move them,
 * and set @n to their number.  @counts is 0 or VCPC_TRACE_F_COUNTS.
 */
static int run_attacked(int fd, int map, uint32_t handle, uint64_t id, uint32_t counts, uint64_t *n)
{
	int status, row, go[2], bad = fire(fd, VCPC_TRACE_BEGIN, handle);
	pid_t pids[ATTACKERS];
	long long until;

	row = row_of(map, id);
	if (bad || row < 0 || fire(fd, VCPC_TRACE_ABORT, handle) || pipe(go))
		return -1;
	for (int i = 0; i < ATTACKERS; i++) {
		pids[i] = attacker(map, row, go);
		bad |= pids[i] < 0;
	}
	close(go[0]);
	close(go[1]);
	until = now_ns() + 3000000000ll;
	for (*n = 0; now_ns() < until && !bad; ++*n) {
		bad = fire(fd, VCPC_TRACE_BEGIN | counts, handle);
		if (*n % 4 == 0)
			usleep(1);
		bad |= fire(fd, VCPC_TRACE_END | counts, handle);
	}
	for (int i = 0; i < ATTACKERS; i++) {
		if (pids[i] < 0)
			continue;
		kill(pids[i], SIGKILL);
		bad |= waitpid(pids[i], &status, 0) != pids[i] || status != SIGKILL;
	}
	return bad;
}

/* Begin events of several processes move the same transaction at the same time. */
TEST_F(moved, by_several)
{
	uint64_t n;

	UNLESS_MISSING();
	ASSERT_EQ(0, run_attacked(self->fd, self->map, self->handle, self->id, 0, &n));
	TH_LOG("%llu transactions", (unsigned long long)n);
	EXPECT_EQ(n, count_of("victim's", SHIM_TRACE_TRANSACTION));
	ASSERT_EQ(0, read_drops(&self->drops));
	EXPECT_EQ(0, self->drops.not_open);
	EXPECT_EQ(0, self->drops.open_full);
}

/* Return the number of the tag's transactions that have counts. */
static uint64_t counted(const char *name)
{
	struct shim_trace *trace;
	uint64_t transactions = 0;
	size_t n = 0;

	if (shim_trace_open(&trace))
		return 0;
	shim_trace_counts_get(trace, &n);
	for (size_t i = 0; i < n; i++)
		if (!strcmp(shim_trace_count_at(trace, i)->name, name))
			transactions = shim_trace_count_at(trace, i)->transactions;
	shim_trace_close(trace);
	return transactions;
}

/*
 * A transaction with counts has two begin events.  The first one has no counts, and after it
 * another process's begin event can move the transaction.
 */
TEST_F(moved, with_counts)
{
	struct vcpc_request request = {
		.type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_PAGE_FAULTS,
		.flags = VCPC_REQ_F_USER,
	};
	struct vcpc_set_create_args create = {
		.size = sizeof(create), .nr_requests = 1, .request_size = sizeof(request),
		.requests = (uintptr_t)&request,
	};
	struct vcpc_bind_args bind = { .size = sizeof(bind), .flags = VCPC_BIND_F_TRACE };
	uint64_t n;
	int set;

	UNLESS_MISSING();
	set = ioctl(self->fd, VCPC_IOC_SET_CREATE, &create);
	ASSERT_LE(0, set);
	ASSERT_EQ(0, ioctl(set, VCPC_IOC_BIND, &bind));
	ASSERT_EQ(0, run_attacked(self->fd, self->map, self->handle, self->id, VCPC_TRACE_F_COUNTS,
				  &n));
	TH_LOG("%llu transactions", (unsigned long long)n);
	EXPECT_EQ(n, count_of("victim's", SHIM_TRACE_TRANSACTION));
	EXPECT_EQ(n, counted("victim's"));
	ASSERT_EQ(0, read_drops(&self->drops));
	EXPECT_EQ(0, self->drops.not_open);
	EXPECT_EQ(0, self->drops.count_full);
	close(set);
}

/* As another user, begin a transaction in each row of that user's share. */
static void begin_in_all_rows(void)
{
	uint32_t handle;
	int fd, bad = setuid(OTHER);

	fd = raw_open();
	handle = raw_tag(fd, "in all rows");
	for (uint64_t i = 1; i <= VC_OPEN_ROWS && !bad; i++)
		bad = fire(fd, VCPC_TRACE_BEGIN, (VCPC_TRACE_THREAD | i) << 32 | handle);
	_exit(bad);
}

/* Begin events on a file of another account do not move a transaction. */
TEST_F(moved, not_by_another_account)
{
	int status;
	pid_t pid;

	UNLESS_MISSING();
	ASSERT_EQ(0, fire(self->fd, VCPC_TRACE_BEGIN, self->handle));
	ASSERT_LE(0, row_of(self->map, self->id));
	pid = fork();
	if (!pid)
		begin_in_all_rows();
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	ASSERT_EQ(0, status);
	EXPECT_LE(0, row_of(self->map, self->id));
	EXPECT_EQ(0, fire(self->fd, VCPC_TRACE_END, self->handle));
}

TEST_HARNESS_MAIN
