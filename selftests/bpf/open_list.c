// SPDX-License-Identifier: GPL-2.0-or-later
/* The list of a file's rows in vc_open grows and shrinks with the number of rows. */
#include <sys/resource.h>

#include "bpf_test.h"
#include "../../bpf/trace.h"

#define PIN(map)	VC_PIN_DIR "/" map
#define USER		1001
#define OTHER		1002

static int fire(int fd, uint32_t op, uint32_t handle, uint32_t thread)
{
	uint64_t both = (uint64_t)(VCPC_TRACE_THREAD | thread) << 32 | handle;

	return posix_fadvise(fd, 0, both, VCPC_TRACE_ADVICE + op);
}

FIXTURE(open_list) {
	const char *missing;
	struct shim_trace_options options;
	struct shim_trace_drops drops;
};

FIXTURE_SETUP(open_list)
{
	ASSERT_EQ(0, trace_place(SHIM_TRACE_F_MODULE, &self->missing));
	self->options = (struct shim_trace_options) {
		.size = sizeof(self->options), .flags = SHIM_TRACE_F_MODULE,
	};
}

FIXTURE_TEARDOWN(open_list)
{
	shim_trace_off();
}

/* Begin and end one transaction with each of 30,000 thread numbers, one after the other. */
static void by_new_threads(void)
{
	int bad = setuid(USER), fd = raw_open();
	uint32_t handle = raw_tag(fd, "new thread"), n = 30000;

	for (uint32_t i = 0; i < n && !bad; i++)
		bad = fire(fd, VCPC_TRACE_BEGIN, handle, i) || fire(fd, VCPC_TRACE_END, handle, i);
	_exit(bad);
}

/* Rows of exited threads are reused, regardless of how many threads have exited. */
TEST_F(open_list, unused_rows_are_found)
{
	UNLESS_MISSING();
	/* With this option, all transactions are in vc_open, which keeps a row for each thread. */
	self->options.max_open = 512;
	TRACING_ON(&self->options);
	ASSERT_EQ(0, in_child(by_new_threads));
	EXPECT_EQ(30000, count_of("new thread", SHIM_TRACE_TRANSACTION));
	ASSERT_EQ(0, read_drops(&self->drops));
	EXPECT_EQ(0, self->drops.open_full);
	EXPECT_EQ(0, self->drops.not_open);
	EXPECT_EQ(0, rows_of(PIN("vc_open_list")));
}

enum { FILES = 4 * VC_OPEN_ROWS };

/*
 * Begin a transaction on each of many files.  Each begin event moves a transaction of an earlier
 * file; end the moved transaction.  Open the files without a pause, because their numbers must be
 * consecutive.  Finally, occupy all of vc_open_row.
 */
static int use_up(int fds[FILES])
{
	struct rlimit limit = { FILES + 100, FILES + 100 };
	uint32_t handle = 0;
	int bad = setrlimit(RLIMIT_NOFILE, &limit) || setuid(USER);

	for (int i = 0; i < FILES && !bad; i++) {
		fds[i] = raw_open();
		handle = raw_tag(fds[i], "moved");
		bad = !handle || fire(fds[i], VCPC_TRACE_BEGIN, handle, 0);
		if (!bad && i >= VC_OPEN_ROWS)
			bad = fire(fds[i - VC_OPEN_ROWS], VCPC_TRACE_END, handle, 0);
	}
	for (int i = FILES - VC_OPEN_ROWS; i < FILES && !bad; i++)
		bad = fire(fds[i], VCPC_TRACE_END, handle, 0);
	for (int i = 0; i < VC_OPEN_ROWS && !bad; i++)
		bad = fire(fds[0], VCPC_TRACE_BEGIN, handle, i);
	return bad;
}

#define MORE	(VC_OPEN_ROWS + VC_OPEN_ROWS / 4)	/* more than fit into vc_open_row */

static void by_other_user(void)
{
	int bad = setuid(OTHER), fd = raw_open();
	uint32_t handle = raw_tag(fd, "other's"), n = MORE;

	for (uint32_t i = 0; i < n && !bad; i++)
		bad = fire(fd, VCPC_TRACE_BEGIN, handle, i);
	for (uint32_t i = 0; i < n && !bad; i++)
		bad = fire(fd, VCPC_TRACE_END, handle, i);
	_exit(bad);
}

/* If many files are open, most of them without open transactions, other users still get rows. */
TEST_F(open_list, files_without_rows)
{
	int ready[2], go[2], status;
	static int fds[FILES];
	char byte = 0;
	pid_t pid;

	UNLESS_MISSING();
	self->options.max_open = VC_OPEN_ROWS;
	TRACING_ON(&self->options);
	ASSERT_EQ(0, pipe(ready));
	ASSERT_EQ(0, pipe(go));
	pid = fork();
	if (!pid) {
		close(go[1]);
		_exit(use_up(fds) || write(ready[1], &byte, 1) != 1 ||
		      read(go[0], &byte, 1));
	}
	close(ready[1]);
	ASSERT_EQ(1, read(ready[0], &byte, 1));
	EXPECT_EQ(FILES, count_of("moved", SHIM_TRACE_TRANSACTION));
	EXPECT_EQ(0, rows_of(PIN("vc_open")));
	EXPECT_EQ(0, rows_of(PIN("vc_open_list")));
	ASSERT_EQ(0, in_child(by_other_user));
	EXPECT_EQ(MORE, count_of("other's", SHIM_TRACE_TRANSACTION));
	ASSERT_EQ(0, read_drops(&self->drops));
	EXPECT_EQ(0, self->drops.not_open);
	/* The other user's transactions are in another share of vc_open_row. */
	EXPECT_EQ(0, self->drops.open_full);
	close(go[1]);
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, status);
}

TEST_HARNESS_MAIN
