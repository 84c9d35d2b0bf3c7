// SPDX-License-Identifier: GPL-2.0-or-later
/* A user who fills the maps fills his share of them: others, and root, still find room. */
#include <signal.h>
#include <sys/prctl.h>

#include "bpf_test.h"

#define TAGS	32
#define OPEN	8

/* What one user may have of them, all users but root, and so what is left for a second one */
#define SHARE(n)	(((n) + 1) / 2)
#define SHARED(n)	((n) - (n) / 8)
#define REST(n)		(SHARED(n) - SHARE(n))

FIXTURE(shares) {
	const char *missing;
	struct shim_trace_drops drops;
};

FIXTURE_VARIANT(shares) {
	const char *env;
	uint32_t flag;
};

FIXTURE_VARIANT_ADD(shares, module) { "kernel", SHIM_TRACE_F_MODULE };
FIXTURE_VARIANT_ADD(shares, probes) { "probe", SHIM_TRACE_F_PROBES };

FIXTURE_SETUP(shares)
{
	struct shim_trace_options options = {
		.size = sizeof(options), .max_tags = TAGS, .max_open = OPEN,
		.flags = variant->flag | SHIM_TRACE_F_BEGINS,
	};

	ASSERT_EQ(0, trace_place(variant->flag, &self->missing));
	setenv("SHIM_TRACE", variant->env, 1);
	if (!self->missing)
		ASSERT_EQ(0, shim_trace_on(&options));
}

FIXTURE_TEARDOWN(shares)
{
	shim_trace_off();
}

static void name_of(char name[32], uid_t uid, int i)
{
	snprintf(name, 32, "user %d's %d", uid, i);
}

typedef int (*use_fn)(const char *name);

static int use_all(uid_t uid, int n, use_fn use)
{
	int bad = setuid(uid) != 0;

	for (int i = 0; i < n && !bad; i++) {
		char name[32];

		name_of(name, uid, i);
		bad = use(name) != 0;
	}
	return bad;
}

/* As another user, by a process that says when it has done so and stays: its id, or -1 */
static pid_t user_with(uid_t uid, int n, use_fn use)
{
	int ends[2];
	char said = 0;
	pid_t pid;

	if (pipe(ends))
		return -1;
	pid = fork();
	if (!pid) {
		if (use_all(uid, n, use))
			_exit(1);
		if (prctl(PR_SET_PDEATHSIG, SIGKILL) || write(ends[1], "+", 1) != 1)
			_exit(1);
		pause();
		_exit(0);
	}
	close(ends[1]);
	if (read(ends[0], &said, 1) != 1)
		pid = -1;
	close(ends[0]);
	return pid;
}

static int end_user(pid_t pid)
{
	int status;

	return kill(pid, SIGKILL) || waitpid(pid, &status, 0) != pid;
}

static int known_of(uid_t uid, int n)
{
	int known = 0;

	for (int i = 0; i < n; i++) {
		char name[32];

		name_of(name, uid, i);
		known += count_of(name, SHIM_TRACE_POINT) == 1;
	}
	return known;
}

TEST_F(shares, tags)
{
	pid_t first, second;

	UNLESS_MISSING();
	first = user_with(1001, TAGS, pmtracepoint);
	second = user_with(1002, TAGS, pmtracepoint);
	ASSERT_GT(first, 0);
	ASSERT_GT(second, 0);
	EXPECT_EQ(SHARE(TAGS), known_of(1001, TAGS));
	EXPECT_EQ(REST(TAGS), known_of(1002, TAGS));
	ASSERT_EQ(0, pmtracepoint("root's"));
	EXPECT_EQ(1, count_of("root's", SHIM_TRACE_POINT));
	ASSERT_EQ(0, read_drops(&self->drops));
	EXPECT_EQ(2 * TAGS - SHARED(TAGS), self->drops.tag_full);
	EXPECT_EQ(0, end_user(first) + end_user(second));
}

TEST_F(shares, open_transactions)
{
	pid_t first, second;

	UNLESS_MISSING();
	first = user_with(1001, OPEN, pmtracebegin);
	second = user_with(1002, OPEN, pmtracebegin);
	ASSERT_GT(first, 0);
	ASSERT_GT(second, 0);
	ASSERT_EQ(0, pmtracebegin("root's"));
	ASSERT_EQ(0, read_drops(&self->drops));
	EXPECT_EQ(2 * OPEN - SHARED(OPEN), self->drops.open_full);
	EXPECT_EQ(0, pmtraceend("root's"));
	EXPECT_EQ(0, end_user(first) + end_user(second));
}

/* What is gone is no longer on its user's account. */
TEST_F(shares, the_dead_owe_nothing)
{
	UNLESS_MISSING();
	for (int round = 0; round < 4; round++) {
		pid_t pid = user_with(1001, SHARE(OPEN), pmtracebegin);

		ASSERT_GT(pid, 0);
		ASSERT_EQ(0, end_user(pid));
	}
	ASSERT_EQ(0, read_drops(&self->drops));
	EXPECT_EQ(0, self->drops.open_full);
	EXPECT_EQ(4 * SHARE(OPEN), self->drops.given_up);
}

/* More than vc_user has rows for */
#define CROWD	1100

/* Whoever comes when there is no row for another user is counted with those that came so. */
TEST_F(shares, more_users_than_there_are_rows_for)
{
	struct shim_trace_options options = {
		.size = sizeof(options), .max_tags = 4 * CROWD, .flags = variant->flag,
	};
	int status, known = 0;

	UNLESS_MISSING();
	ASSERT_EQ(0, shim_trace_off());
	ASSERT_EQ(0, shim_trace_on(&options));
	for (uid_t uid = 2000; uid < 2000 + CROWD; uid++) {
		pid_t pid = fork();

		if (!pid)
			_exit(use_all(uid, 1, pmtracepoint));
		ASSERT_EQ(pid, waitpid(pid, &status, 0));
		ASSERT_EQ(0, status);
	}
	for (uid_t uid = 2000 + CROWD - 10; uid < 2000 + CROWD; uid++)
		known += known_of(uid, 1);
	EXPECT_EQ(10, known);
	ASSERT_EQ(0, read_drops(&self->drops));
	EXPECT_EQ(0, self->drops.tag_full + self->drops.stat_full);
}

TEST_HARNESS_MAIN
