// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Close a descriptor with open transactions in vc_open_row and in vc_open.  Each transaction is
 * counted as abandoned once, and its row is freed.
 */
#include <signal.h>
#include <sys/prctl.h>

#include "bpf_test.h"
#include "../../bpf/trace.h"

#define PIN(map)	VC_PIN_DIR "/" map
#define USER		1001
#define OPEN		2048	/* rows of vc_open; a user can have half of them */
#define MANY		(VC_OPEN_ROWS + OPEN / 2)

static int fire(int fd, uint32_t op, uint32_t handle, uint32_t thread)
{
	uint64_t both = (uint64_t)(VCPC_TRACE_THREAD | thread) << 32 | handle;

	return posix_fadvise(fd, 0, both, VCPC_TRACE_ADVICE + op);
}

/* Begin transactions as @n threads on a new descriptor. Return the descriptor, or -1. */
static int begin(const char *name, uint32_t n, uint32_t *handle)
{
	int fd = raw_open(), bad = fd < 0;

	*handle = bad ? 0 : raw_tag_id(fd, name, NULL);
	bad |= !*handle;
	for (uint32_t i = 0; i < n && !bad; i++)
		bad = fire(fd, VCPC_TRACE_BEGIN, *handle, i);
	return bad ? -1 : fd;
}

FIXTURE(closed) {
	const char *missing;
	struct shim_trace_options options;
	struct shim_trace_drops drops;
};

FIXTURE_SETUP(closed)
{
	ASSERT_EQ(0, trace_place(SHIM_TRACE_F_MODULE, &self->missing));
	if (self->missing)
		return;
	self->options = (struct shim_trace_options) {
		.size = sizeof(self->options), .flags = SHIM_TRACE_F_MODULE, .max_open = OPEN,
	};
	TRACING_ON(&self->options);
}

FIXTURE_TEARDOWN(closed)
{
	shim_trace_off();
}

/*
 * A user can repeatedly use the user's whole share of rows, while an open file with the same tag
 * keeps its rows.
 */
TEST_F(closed, rows_are_free)
{
	enum { TIMES = 5, KEPT = 100 };
	uint32_t handle;
	int status;
	pid_t pid;

	UNLESS_MISSING();
	pid = fork();
	if (!pid) {
		int bad = setuid(USER), kept = begin("closed", KEPT, &handle);

		bad |= kept < 0;
		for (int i = 0; i < TIMES && !bad; i++)
			bad = close(begin("closed", MANY - KEPT, &handle));
		for (int i = 0; i < KEPT && !bad; i++)
			bad = fire(kept, VCPC_TRACE_END, handle, i);
		_exit(bad != 0);
	}
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	ASSERT_EQ(0, status);
	ASSERT_EQ(0, read_drops(&self->drops));
	EXPECT_EQ(TIMES * (MANY - KEPT), self->drops.given_up);
	EXPECT_EQ(0, self->drops.open_full);
	EXPECT_EQ(0, self->drops.not_open);
	EXPECT_EQ(KEPT, count_of("closed", SHIM_TRACE_TRANSACTION));
	EXPECT_EQ(0, rows_of(PIN("vc_open")));
	EXPECT_EQ(0, rows_of(PIN("vc_open_list")));
}

/*
 * Transactions stay open as long as a child has a copy of the descriptor, and the child can end
 * them.
 */
TEST_F(closed, by_the_child)
{
	uint32_t handle;
	int fd, ready[2], status;
	char byte;
	pid_t pid;

	UNLESS_MISSING();
	ASSERT_EQ(0, pipe(ready));
	fd = begin("inherited", MANY, &handle);
	ASSERT_LE(0, fd);
	pid = fork();
	if (!pid) {
		close(ready[1]);
		_exit(read(ready[0], &byte, 1) || close(fd));
	}
	for (int i = 0; i < 10; i++)
		ASSERT_EQ(0, fire(fd, VCPC_TRACE_END, handle, MANY / 10 * i));
	ASSERT_EQ(0, close(fd));
	ASSERT_EQ(0, read_drops(&self->drops));
	EXPECT_EQ(0, self->drops.given_up);
	close(ready[1]);
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, status);
	ASSERT_EQ(0, read_drops(&self->drops));
	EXPECT_EQ(MANY - 10, self->drops.given_up);
	EXPECT_EQ(10, count_of("inherited", SHIM_TRACE_TRANSACTION));
	EXPECT_EQ(0, rows_of(PIN("vc_open_list")));
}

/* Keep all rows of the account in vc_open_row in use by beginning transactions in a loop. */
static pid_t attacker(int which)
{
	char name[16];
	uint32_t handle;
	pid_t pid = fork();
	int fd, bad;

	if (pid)
		return pid;
	bad = prctl(PR_SET_PDEATHSIG, SIGKILL);
	snprintf(name, sizeof(name), "of %d", which);
	fd = bad ? -1 : begin(name, VC_OPEN_ROWS, &handle);
	while (fd >= 0)
		for (uint32_t i = 0; i < VC_OPEN_ROWS && fd >= 0; i++)
			if (fire(fd, VCPC_TRACE_BEGIN, handle, i))
				fd = -1;
	_exit(1);
}

/*
 * While a file is being closed, begin events of other processes move its transactions to vc_open.
 */
TEST_F(closed, while_others_move_them)
{
	enum { ATTACKERS = 2, FILES = 500, EACH = 20 };
	pid_t pids[ATTACKERS];
	uint32_t handle;
	int status;

	UNLESS_MISSING();
	for (int i = 0; i < ATTACKERS; i++)
		pids[i] = attacker(i);
	for (int i = 0; i < FILES; i++) {
		int fd = begin("closed", EACH, &handle);

		ASSERT_LE(0, fd);
		ASSERT_EQ(0, close(fd));
	}
	for (int i = 0; i < ATTACKERS; i++) {
		ASSERT_LT(0, pids[i]);
		kill(pids[i], SIGKILL);
		ASSERT_EQ(pids[i], waitpid(pids[i], &status, 0));
		EXPECT_EQ(SIGKILL, status);
	}
	ASSERT_EQ(0, read_drops(&self->drops));
	EXPECT_LE(FILES * EACH, self->drops.given_up);
	EXPECT_EQ(0, self->drops.not_open);
	EXPECT_EQ(0, rows_of(PIN("vc_open")));
	EXPECT_EQ(0, rows_of(PIN("vc_open_list")));
}

/* Return the row of vc_open_row, in root's share, that holds the tag's transaction, or -1. */
static int row_of(uint64_t tag)
{
	union bpf_attr pin = { .pathname = (uintptr_t)PIN("vc_open_row") };
	int map = syscall(SYS_bpf, BPF_OBJ_GET, &pin, sizeof(pin)), found = -1;
	struct vc_open_row row;

	for (int i = 0; i < VC_OPEN_ROWS && found < 0; i++) {
		uint32_t key = i * VC_SHARES;
		union bpf_attr attr = {
			.map_fd = map, .key = (uintptr_t)&key, .value = (uintptr_t)&row,
		};

		if (syscall(SYS_bpf, BPF_MAP_LOOKUP_ELEM, &attr, sizeof(attr)))
			break;
		if (row.start_ns && row.tag == tag)
			found = i;
	}
	close(map);
	return found;
}

/*
 * Begin a transaction in each of the last @n rows of root's share.  @first is the row of thread 0
 * of the same tag, @files the number of files that were opened since it was found.
 */
static int begin_last(int fd, uint32_t handle, uint32_t n, int first, unsigned int files)
{
	const uint32_t between = VC_OPEN_ROWS - first - (37 * VC_SHARES + 1) * files;
	int bad = 0;

	for (uint32_t i = VC_OPEN_ROWS - n; i < VC_OPEN_ROWS && !bad; i++)
		bad = fire(fd, VCPC_TRACE_BEGIN, handle, (between + i) % VC_OPEN_ROWS);
	return bad;
}

/* Open a file and return its descriptor; set @first to the row of its tag's thread 0. */
static int open_first(const char *name, uint32_t *handle, int *first)
{
	int fd = raw_open();
	uint64_t tag = 0;

	*handle = raw_tag_id(fd, name, &tag);
	if (fire(fd, VCPC_TRACE_BEGIN, *handle, 0))
		return -1;
	*first = row_of(tag);
	return *first < 0 || fire(fd, VCPC_TRACE_END, *handle, 0) ? -1 : fd;
}

enum { OWN = 8, MOVED = 64 };

/* Repeatedly begin transactions in the last rows. */
static pid_t mover(void)
{
	int ready[2], first, fd, bad;
	uint32_t handle;
	char byte = 0;
	pid_t pid;

	if (pipe(ready))
		return -1;
	pid = fork();
	if (!pid) {
		bad = prctl(PR_SET_PDEATHSIG, SIGKILL);
		fd = open_first("mover", &handle, &first);
		bad |= fd < 0 || write(ready[1], &byte, 1) != 1;
		while (!bad)
			bad = begin_last(fd, handle, MOVED, first, 0);
		_exit(1);
	}
	close(ready[1]);
	if (read(ready[0], &byte, 1) != 1)
		pid = -1;
	close(ready[0]);
	return pid;
}

/*
 * Close a file while another process moves a transaction in one of the last rows that the search
 * for the file's transactions examines.  The move can then end after the search.
 */
TEST_F(closed, before_a_move_ends)
{
	unsigned int files = strtoul(getenv("CLOSES") ?: "3000", NULL, 10);
	int status, first, fd;
	uint32_t handle;
	pid_t pid;

	UNLESS_MISSING();
	fd = open_first("closed", &handle, &first);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, close(fd));
	pid = mover();
	ASSERT_LT(0, pid);
	for (unsigned int i = 0; i < files; i++) {
		fd = raw_open();
		handle = raw_tag(fd, "closed");
		/* The mover's file is the first one. */
		ASSERT_EQ(0, begin_last(fd, handle, OWN, first, i + 2));
		ASSERT_EQ(0, close(fd));
	}
	kill(pid, SIGKILL);
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(SIGKILL, status);
	EXPECT_EQ(0, rows_of(PIN("vc_open")));
	EXPECT_EQ(0, rows_of(PIN("vc_open_list")));
}

enum { OPENERS = 4 };

/* Repeatedly open a descriptor, begin a transaction, and close a copy and the descriptor. */
static void *open_and_close(void *times)
{
	uint32_t handle;

	for (long i = (long)times; i; i--) {
		int fd = begin("again", 1, &handle), copy = dup(fd);

		if (fd < 0 || copy < 0 || close(fd) || close(copy))
			return (void *)1;
	}
	return NULL;
}

/* If threads repeatedly open and close descriptors, no row remains in use. */
TEST_F(closed, again_and_again)
{
	long times = strtol(getenv("CLOSES") ?: "2000", NULL, 10);
	pthread_t threads[OPENERS];
	void *bad;

	UNLESS_MISSING();
	for (int i = 0; i < OPENERS; i++)
		ASSERT_EQ(0, pthread_create(&threads[i], NULL, open_and_close, (void *)times));
	for (int i = 0; i < OPENERS; i++) {
		ASSERT_EQ(0, pthread_join(threads[i], &bad));
		EXPECT_EQ(NULL, bad);
	}
	ASSERT_EQ(0, read_drops(&self->drops));
	EXPECT_EQ(OPENERS * times, self->drops.given_up);
	EXPECT_EQ(0, self->drops.open_full);
	EXPECT_EQ(0, rows_of(PIN("vc_open")));
	EXPECT_EQ(0, rows_of(PIN("vc_open_list")));
}

/*
 * Start an ordinary user that opens a descriptor, begins a transaction and closes the descriptor,
 * until killed.
 */
static pid_t closer(void)
{
	uint32_t handle;
	pid_t pid = fork();
	int bad;

	if (pid)
		return pid;
	bad = prctl(PR_SET_PDEATHSIG, SIGKILL) || setuid(USER);
	while (!bad)
		bad = close(begin("closed early", 1, &handle));
	_exit(1);
}

/* If descriptors are closed while tracing is being turned on, no transaction stays open. */
TEST_F(closed, while_tracing_is_turned_on)
{
	struct shim_trace *trace;
	int status;
	pid_t pid;

	UNLESS_MISSING();
	for (int i = 0; i < 5; i++) {
		ASSERT_EQ(0, shim_trace_off());
		pid = closer();
		ASSERT_LT(0, pid);
		ASSERT_EQ(0, shim_trace_on(&self->options));
		kill(pid, SIGKILL);
		ASSERT_EQ(pid, waitpid(pid, &status, 0));
		EXPECT_EQ(SIGKILL, status);
		ASSERT_EQ(0, shim_trace_open(&trace));
		EXPECT_EQ(0, open_now(trace));
		shim_trace_close(trace);
	}
}

TEST_HARNESS_MAIN
