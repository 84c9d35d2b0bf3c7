// SPDX-License-Identifier: GPL-2.0-or-later
/* Trace programs in a time namespace, whose CLOCK_MONOTONIC differs from the host's. */
#include <time.h>

#include "bpf_test.h"

#ifndef CLONE_NEWTIME
#define CLONE_NEWTIME	0x00000080
#endif

#define ROUNDS	50
#define SECOND	1000000000ull

FIXTURE(time_ns) {
	const char *missing;
	struct shim_trace_drops drops;
};

FIXTURE_VARIANT(time_ns) {
	const char *env;
	uint32_t flags;
	int seconds;
};

FIXTURE_VARIANT_ADD(time_ns, module_ahead) { "kernel", SHIM_TRACE_F_MODULE, 1000 };
FIXTURE_VARIANT_ADD(time_ns, module_behind) { "kernel", SHIM_TRACE_F_MODULE, -4 };
FIXTURE_VARIANT_ADD(time_ns, module_user_ahead) {
	"kernel", SHIM_TRACE_F_MODULE | SHIM_TRACE_F_USER_BEGINS, 1000
};
FIXTURE_VARIANT_ADD(time_ns, module_user_behind) {
	"kernel", SHIM_TRACE_F_MODULE | SHIM_TRACE_F_USER_BEGINS, -4
};
FIXTURE_VARIANT_ADD(time_ns, probes_ahead) { "probe", SHIM_TRACE_F_PROBES, 1000 };
FIXTURE_VARIANT_ADD(time_ns, probes_behind) { "probe", SHIM_TRACE_F_PROBES, -4 };
FIXTURE_VARIANT_ADD(time_ns, probes_begins) {
	"probe", SHIM_TRACE_F_PROBES | SHIM_TRACE_F_BEGINS, 1000
};
FIXTURE_VARIANT_ADD(time_ns, direct_ahead) { "direct", SHIM_TRACE_F_PROBES, 1000 };
FIXTURE_VARIANT_ADD(time_ns, direct_behind) { "direct", SHIM_TRACE_F_PROBES, -4 };

FIXTURE_SETUP(time_ns)
{
	struct shim_trace_options options = {
		.size = sizeof(options), .flags = variant->flags, .direct_slots = 16,
	};

	ASSERT_EQ(0, trace_place(variant->flags & (SHIM_TRACE_F_MODULE | SHIM_TRACE_F_PROBES), &self->missing));
	if (access("/proc/self/ns/time", F_OK))
		self->missing = "this kernel has no time namespaces";
	setenv("SHIM_TRACE", variant->env, 1);
	if (!self->missing)
		ASSERT_EQ(0, shim_trace_on(&options));
}

FIXTURE_TEARDOWN(time_ns)
{
	shim_trace_off();
}

static uint64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * SECOND + ts.tv_nsec;
}

static int shift_clock(int seconds)
{
	FILE *f = unshare(CLONE_NEWTIME) ? NULL : fopen("/proc/self/timens_offsets", "w");
	int bad = !f || fprintf(f, "monotonic %d 0\n", seconds) < 0;

	return (f && fclose(f)) || bad;
}

static int run_transactions(void)
{
	for (int i = 0; i < ROUNDS; i++)
		if (pmtracebegin("shifted") || pmtraceend("shifted"))
			return 1;
	return pmtracebegin("given up") || pmtraceabort("given up");
}

/* Run the trace calls in a child, because a new time namespace applies only to children. */
static int run_shifted(int seconds)
{
	int status = -1;
	pid_t pid = fork();

	if (pid)
		return waitpid(pid, &status, 0) == pid ? status : -1;
	if (shift_clock(seconds))
		_exit(2);
	pid = fork();
	if (!pid)
		_exit(run_transactions());
	_exit(waitpid(pid, &status, 0) != pid || status);
}

TEST_F(time_ns, transactions)
{
	struct shim_trace_stat stat;
	uint64_t before = now_ns();

	UNLESS_MISSING();
	ASSERT_EQ(0, run_shifted(variant->seconds));
	ASSERT_EQ(0, read_stat("shifted", SHIM_TRACE_TRANSACTION, &stat));
	EXPECT_EQ(ROUNDS, stat.count);
	EXPECT_LT(stat.max_ns, SECOND);
	EXPECT_LT(stat.sum_ns, now_ns() - before);
	/* Direct tracing determines the host's clock with an error of a few milliseconds. */
	EXPECT_GT(stat.last_ns, before - SECOND / 10);
	EXPECT_LT(stat.last_ns, now_ns() + SECOND / 10);
	ASSERT_EQ(0, read_stat("given up", SHIM_TRACE_TRANSACTION, &stat));
	EXPECT_EQ(1, stat.aborted);
	ASSERT_EQ(0, read_drops(&self->drops));
	EXPECT_EQ(0, self->drops.not_open);
}

TEST_HARNESS_MAIN
