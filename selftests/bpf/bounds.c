// SPDX-License-Identifier: GPL-2.0-or-later
/* The maps are bounded, and events that do not fit are counted as lost. */
#include "bpf_test.h"

FIXTURE(bounds) {
	struct shim_trace_drops drops;
	int fd;
};

FIXTURE_SETUP(bounds)
{
	struct shim_trace_options options = {
		.size = sizeof(options), .max_tags = 8, .max_open = 4,
		.flags = SHIM_TRACE_F_BEGINS,
	};

	TRACING_ON(&options);
	self->fd = raw_open();
	ASSERT_GE(self->fd, 0);
}

FIXTURE_TEARDOWN(bounds)
{
	close(self->fd);
	shim_trace_off();
}

static void name_of(char name[32], int i)
{
	snprintf(name, 32, "bounded %d", i);
}

TEST_F(bounds, open_transactions)
{
	char name[32];
	int full = 0;

	for (int i = 0; i < 6; i++) {
		name_of(name, i);
		ASSERT_EQ(0, pmtracebegin(name));
	}
	ASSERT_EQ(0, read_drops(&self->drops));
	EXPECT_EQ(2, self->drops.open_full);
	for (int i = 0; i < 6; i++) {
		name_of(name, i);
		ASSERT_EQ(0, pmtraceend(name));
		full += count_of(name, SHIM_TRACE_TRANSACTION) == 1;
	}
	/* No END is lost, because each one also contains its transaction's start time. */
	EXPECT_EQ(6, full);
	ASSERT_EQ(0, read_drops(&self->drops));
	EXPECT_EQ(0, self->drops.not_open);
	EXPECT_EQ(0, self->drops.stat_full + self->drops.tag_full);
}

TEST_F(bounds, tags)
{
	char name[32];
	int seen = 0;

	for (int round = 0; round < 3; round++) {
		for (int i = 0; i < 10; i++) {
			name_of(name, i);
			ASSERT_EQ(0, pmtracepoint(name));
		}
	}
	for (int i = 0; i < 10; i++) {
		name_of(name, i);
		seen += count_of(name, SHIM_TRACE_POINT) == 3;
	}
	EXPECT_EQ(8, seen);
	ASSERT_EQ(0, read_drops(&self->drops));
	EXPECT_EQ(6, self->drops.tag_full);
	EXPECT_EQ(0, self->drops.open_full + self->drops.stat_full + self->drops.not_open);
}

TEST_F(bounds, kinds)
{
	char name[32];

	for (int i = 0; i < 5; i++) {
		name_of(name, i);
		ASSERT_EQ(0, pmtracepoint(name));
		ASSERT_EQ(0, pmtraceobs(name, i));
	}
	ASSERT_EQ(0, read_drops(&self->drops));
	EXPECT_EQ(2, self->drops.stat_full);
	EXPECT_EQ(0, self->drops.open_full + self->drops.tag_full + self->drops.not_open);
}

TEST_F(bounds, end_without_begin)
{
	uint32_t tag = raw_tag(self->fd, "never begun");

	ASSERT_NE(0, tag);
	EXPECT_EQ(0, raw_fire(self->fd, VCPC_TRACE_END, tag));
	EXPECT_EQ(0, raw_fire(self->fd, VCPC_TRACE_ABORT, tag));
	EXPECT_EQ(0, count_of("never begun", SHIM_TRACE_TRANSACTION));
	ASSERT_EQ(0, read_drops(&self->drops));
	EXPECT_EQ(2, self->drops.not_open);
}

/* When a process exits or is killed, its rows are freed. */
TEST_F(bounds, the_dead_make_room)
{
	char name[32];
	int status;

	for (int round = 0; round < 5; round++) {
		pid_t pid = fork();

		if (!pid) {
			for (int i = 0; i < 4; i++) {
				name_of(name, i);
				pmtracebegin(name);
			}
			kill(getpid(), SIGKILL);
		}
		ASSERT_EQ(pid, waitpid(pid, &status, 0));
		ASSERT_TRUE(WIFSIGNALED(status));
	}
	ASSERT_EQ(0, read_drops(&self->drops));
	EXPECT_EQ(0, self->drops.open_full);
	EXPECT_EQ(20, self->drops.given_up);
	ASSERT_EQ(0, pmtracebegin("after them"));
	ASSERT_EQ(0, pmtraceend("after them"));
	EXPECT_EQ(1, count_of("after them", SHIM_TRACE_TRANSACTION));
}

TEST_HARNESS_MAIN
