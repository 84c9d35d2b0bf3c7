// SPDX-License-Identifier: GPL-2.0-or-later
/* The list of a file's rows in vc_open: it grows and shrinks with them, however many there were. */
#include "bpf_test.h"
#include "../../bpf/trace.h"

#define PIN(map)	VC_PIN_DIR "/" map
#define USER		1001

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

/* Of @n threads of a process that runs for a long time, one after the other */
static void by_new_threads(void)
{
	int bad = setuid(USER), fd = raw_open();
	uint32_t handle = raw_tag(fd, "new thread"), n = 30000;

	for (uint32_t i = 0; i < n && !bad; i++)
		bad = fire(fd, VCPC_TRACE_BEGIN, handle, i) || fire(fd, VCPC_TRACE_END, handle, i);
	_exit(bad);
}

/* Rows of ended threads are used again, after any number of threads. */
TEST_F(open_list, unused_rows_are_found)
{
	UNLESS_MISSING();
	/* All transactions are in vc_open, where a row is kept for each thread. */
	self->options.max_open = 512;
	TRACING_ON(&self->options);
	ASSERT_EQ(0, in_child(by_new_threads));
	EXPECT_EQ(30000, count_of("new thread", SHIM_TRACE_TRANSACTION));
	ASSERT_EQ(0, read_drops(&self->drops));
	EXPECT_EQ(0, self->drops.open_full);
	EXPECT_EQ(0, self->drops.not_open);
	EXPECT_EQ(0, rows_of(PIN("vc_open_list")));
}

TEST_HARNESS_MAIN
