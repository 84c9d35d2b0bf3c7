// SPDX-License-Identifier: GPL-2.0-or-later
/* Tracing is turned on and off atomically, and errors are reported. */
#include <sys/stat.h>

#include "bpf_test.h"

#define PINS "/sys/fs/bpf/vcpc"

FIXTURE(onoff) {
	struct shim_trace *trace;
};

FIXTURE_SETUP(onoff)
{
	self->trace = NULL;
	shim_trace_off();
}

FIXTURE_TEARDOWN(onoff)
{
	shim_trace_close(self->trace);
	shim_trace_off();
}

TEST_F(onoff, on_off_on)
{
	EXPECT_EQ(0, shim_trace_status());
	for (int i = 0; i < 3; i++) {
		ASSERT_EQ(0, shim_trace_on(NULL));
		EXPECT_EQ(SHIM_TRACE_BY_MODULE, shim_trace_status());
		EXPECT_EQ(0, access(PINS "/vc_stat", F_OK));
		ASSERT_EQ(0, pmtracepoint("on, off, on"));
		EXPECT_EQ(1, count_of("on, off, on", SHIM_TRACE_POINT));
		ASSERT_EQ(0, shim_trace_off());
		EXPECT_EQ(0, shim_trace_status());
		EXPECT_NE(0, access(PINS, F_OK));
		EXPECT_EQ(0, pmtracepoint("on, off, on"));
	}
}

TEST_F(onoff, on_twice)
{
	ASSERT_EQ(0, shim_trace_on(NULL));
	ASSERT_EQ(0, pmtracepoint("stays"));
	EXPECT_EQ(-EEXIST, shim_trace_on(NULL));
	EXPECT_EQ(1, count_of("stays", SHIM_TRACE_POINT));
}

/* Maps that do not fit are refused, because the kernel would kill processes to allocate them. */
TEST_F(onoff, too_large)
{
	struct shim_trace_options options = { .size = sizeof(options), .max_tags = 20000 };
	uint64_t needed, before, after;

	ASSERT_EQ(0, shim_trace_memory(&options, &needed, &before));
	ASSERT_EQ(0, shim_trace_on(&options));
	ASSERT_EQ(0, shim_trace_memory(NULL, NULL, &after));
	/* A kernel without memory cgroups needs less, down to a third with one CPU. */
	EXPECT_GT(before - after, needed / 10 * 2);
	EXPECT_LT(before - after, needed / 10 * 13);
	options.max_tags = 4000000000u;
	EXPECT_EQ(-EEXIST, shim_trace_on(&options));
	ASSERT_EQ(0, shim_trace_off());
	ASSERT_EQ(0, shim_trace_memory(&options, &needed, NULL));
	EXPECT_GT(needed, 4000000000u * 3024ull);
	options.max_tags = (uint32_t)(before / 3024);
	EXPECT_EQ(-ENOMEM, shim_trace_on(&options));
	EXPECT_EQ(0, shim_trace_status());
}

TEST_F(onoff, off_twice)
{
	EXPECT_EQ(-ENOENT, shim_trace_off());
	EXPECT_EQ(-ENOENT, shim_trace_open(&self->trace));
	EXPECT_EQ(NULL, self->trace);
}

TEST_F(onoff, bad_options)
{
	struct shim_trace_options options = { .size = sizeof(options) - 1 };

	EXPECT_EQ(-EINVAL, shim_trace_on(&options));
	options.size = sizeof(options);
	options.flags = 1u << 31;
	EXPECT_EQ(-EINVAL, shim_trace_on(&options));
	options.flags = SHIM_TRACE_F_MODULE | SHIM_TRACE_F_PROBES;
	EXPECT_EQ(-EINVAL, shim_trace_on(&options));
	options.flags = 0;
	options.max_tags = UINT32_MAX;
	EXPECT_LT(shim_trace_on(&options), 0);
	EXPECT_EQ(0, shim_trace_status());
}

/* Turning tracing on removes the remains of an earlier 'on' that was killed. */
TEST_F(onoff, leftovers_are_cleared)
{
	ASSERT_EQ(0, mkdir("/sys/fs/bpf/vcpc_new", 0700));
	ASSERT_EQ(0, shim_trace_on(NULL));
	EXPECT_EQ(0, shim_trace_off());
	EXPECT_NE(0, access("/sys/fs/bpf/vcpc_new", F_OK));
}

/* Maps of other programs are not read. */
TEST_F(onoff, foreign_maps)
{
	ASSERT_EQ(0, system("bpftool map create /sys/fs/bpf/foreign type percpu_hash key 8 value 4096 "
			    "entries 4 name foreign"));
	ASSERT_EQ(0, shim_trace_on(NULL));
	ASSERT_EQ(0, unlink(PINS "/vc_stat"));
	ASSERT_EQ(0, rename("/sys/fs/bpf/foreign", PINS "/vc_stat"));
	EXPECT_EQ(-EPROTO, shim_trace_open(&self->trace));
	EXPECT_EQ(NULL, self->trace);
}

/* If several processes turn tracing on at the same time, exactly one of them succeeds. */
TEST_F(onoff, one_wins)
{
	int on = 0, already = 0, status;
	pid_t pids[4];

	for (int i = 0; i < 4; i++) {
		pids[i] = fork();
		if (!pids[i])
			_exit(-shim_trace_on(NULL));
	}
	for (int i = 0; i < 4; i++) {
		ASSERT_EQ(pids[i], waitpid(pids[i], &status, 0));
		on += WEXITSTATUS(status) == 0;
		/* A process that has waited too long for the first one fails with EBUSY. */
		already += WEXITSTATUS(status) == EEXIST || WEXITSTATUS(status) == EBUSY;
	}
	EXPECT_EQ(1, on);
	EXPECT_EQ(3, already);
	ASSERT_EQ(0, pmtracepoint("once"));
	EXPECT_EQ(1, count_of("once", SHIM_TRACE_POINT));
}

TEST_F(onoff, an_old_reader_is_told)
{
	size_t n = 77;

	ASSERT_EQ(0, shim_trace_on(NULL));
	ASSERT_EQ(0, shim_trace_open(&self->trace));
	ASSERT_EQ(0, shim_trace_stats_get(self->trace, &n));
	EXPECT_EQ(0, n);
	ASSERT_EQ(0, pmtracepoint("p"));
	ASSERT_EQ(0, shim_trace_stats_get(self->trace, &n));
	EXPECT_EQ(1, n);
	ASSERT_EQ(0, shim_trace_off());
	EXPECT_EQ(-ESTALE, shim_trace_stats_get(self->trace, &n));
	ASSERT_EQ(0, shim_trace_on(NULL));
	EXPECT_EQ(-ESTALE, shim_trace_stats_get(self->trace, &n));
	EXPECT_EQ(1, n);
	ASSERT_NE(NULL, shim_trace_stat_at(self->trace, 0));
	EXPECT_STREQ("p", shim_trace_stat_at(self->trace, 0)->name);
}

/* The end of a transaction that began before tracing was turned on is only counted as unknown. */
TEST_F(onoff, begun_before)
{
	struct shim_trace_drops drops;

	ASSERT_TRUE(nobody_listens());
	ASSERT_EQ(0, pmtracebegin("begun before"));
	ASSERT_EQ(0, shim_trace_on(NULL));
	ASSERT_EQ(0, pmtraceend("begun before"));
	EXPECT_EQ(0, count_of("begun before", SHIM_TRACE_TRANSACTION));
	ASSERT_EQ(0, read_drops(&drops));
	EXPECT_EQ(1, drops.not_open);
	EXPECT_EQ(0, drops.open_full + drops.stat_full + drops.tag_full);
}

static int as_nobody(void)
{
	struct shim_trace *trace;

	if (setresgid(65534, 65534, 65534) || setresuid(65534, 65534, 65534))
		return 1;
	if (shim_trace_on(NULL) != -EPERM)
		return 2;
	if (shim_trace_off() != -EPERM)
		return 3;
	if (shim_trace_open(&trace) != -EPERM)
		return 4;
	/* If all users can search /sys/fs/bpf, they can also read the status. */
	if (shim_trace_status() != -EPERM && shim_trace_status() != 1)
		return 5;
	/* A process needs no permission to be traced. */
	return pmtracepoint("of nobody") ? 6 : 0;
}

TEST_F(onoff, needs_privilege)
{
	int status;
	pid_t pid;

	ASSERT_EQ(0, shim_trace_on(NULL));
	pid = fork();
	if (!pid)
		_exit(as_nobody());
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, WEXITSTATUS(status));
	EXPECT_EQ(1, count_of("of nobody", SHIM_TRACE_POINT));
}

TEST_HARNESS_MAIN
