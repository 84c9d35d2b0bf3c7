// SPDX-License-Identifier: GPL-2.0-or-later
/* A user that fills the maps can only fill one share, and other users and root still get rows. */
#include <signal.h>
#include <sys/prctl.h>

#include "../../bpf/trace.h"
#include "bpf_test.h"

#define TAGS	32
#define OPEN	8

/*
 * SHARE is the limit for one user, and SHARED the limit for all users except root.  If one user has
 * reached SHARE, REST is left for a second user.
 */
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

/*
 * Run @use in a process of another user, and wait until it is done.  The process then waits. Return
 * its PID, or -1.
 */
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

/* Rows of exited processes are no longer charged to their user. */
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

/* Start a process that keeps beginning transactions, although all rows of its user are in use. */
static pid_t user_at_the_limit(uid_t uid)
{
	pid_t pid = fork();

	if (!pid) {
		if (setuid(uid) || prctl(PR_SET_PDEATHSIG, SIGKILL))
			_exit(1);
		for (;;)
			if (pmtracebegin("one too many") || pmtraceend("one too many"))
				_exit(1);
	}
	return pid;
}

/* Wait until a row has been denied to a user. */
static int wait_for_refusal(void)
{
	struct shim_trace_drops drops;

	for (int i = 0; i < 500; i++) {
		if (read_drops(&drops))
			return -1;
		if (drops.open_full)
			return 0;
		usleep(10000);
	}
	return -1;
}

/* Begin a transaction and, except for the last row that another user has freed, end it. */
static int use_again(const char *name)
{
	static int used;

	return pmtracebegin(name) || (used++ < REST(OPEN) && pmtraceend(name));
}

/* If a user cannot reclaim rows, other users can still reclaim theirs. */
TEST_F(shares, rows_of_no_use)
{
	pid_t holder, busy, other;

	UNLESS_MISSING();
	holder = user_with(1001, SHARE(OPEN), pmtracebegin);
	ASSERT_GT(holder, 0);
	busy = user_at_the_limit(1001);
	ASSERT_GT(busy, 0);
	ASSERT_EQ(0, wait_for_refusal());
	other = user_with(1002, REST(OPEN) + 1, use_again);
	ASSERT_GT(other, 0);
	EXPECT_EQ(0, end_user(other));
	ASSERT_EQ(0, read_drops(&self->drops));
	EXPECT_EQ(1, self->drops.given_up);
	EXPECT_EQ(0, end_user(busy) + end_user(holder));
}

/* The exit of a process that was denied a row does not need a row of vc_began. */
TEST_F(shares, processes_without_a_row)
{
	pid_t pids[SHARE(OPEN) + 2];

	UNLESS_MISSING();
	if (variant->flag != SHIM_TRACE_F_PROBES)
		SKIP(return, "the module knows which files are closed");
	for (int i = 0; i < SHARE(OPEN) + 2; i++) {
		pids[i] = user_with(1001, 1, pmtracebegin);
		ASSERT_GT(pids[i], 0);
	}
	EXPECT_EQ(SHARE(OPEN), rows_of("/sys/fs/bpf/vcpc/vc_began"));
	for (int i = 0; i < SHARE(OPEN) + 2; i++)
		EXPECT_EQ(0, end_user(pids[i]));
	EXPECT_EQ(0, rows_of("/sys/fs/bpf/vcpc/vc_began"));
}

/*
 * A user's processes use only the user's share of vc_began, even if their transactions are in
 * vc_open_row, whose rows are not charged.
 */
TEST_F(shares, processes_with_uncharged_rows)
{
	enum { MANY = 256 };
	struct shim_trace_options options = {
		.size = sizeof(options), .max_open = MANY, .flags = variant->flag | SHIM_TRACE_F_BEGINS,
	};
	pid_t pids[SHARE(MANY) + 8];

	UNLESS_MISSING();
	if (variant->flag != SHIM_TRACE_F_PROBES)
		SKIP(return, "the module knows which files are closed");
	ASSERT_EQ(0, shim_trace_off());
	ASSERT_EQ(0, shim_trace_on(&options));
	for (int i = 0; i < SHARE(MANY) + 8; i++) {
		pids[i] = user_with(1001, 1, pmtracebegin);
		ASSERT_GT(pids[i], 0);
	}
	EXPECT_EQ(SHARE(MANY), rows_of("/sys/fs/bpf/vcpc/vc_began"));
	ASSERT_EQ(0, read_drops(&self->drops));
	EXPECT_EQ(8, self->drops.open_full);
	for (int i = 0; i < SHARE(MANY) + 8; i++)
		EXPECT_EQ(0, end_user(pids[i]));
	EXPECT_EQ(0, rows_of("/sys/fs/bpf/vcpc/vc_began"));
	ASSERT_EQ(0, pmtracebegin("root's") | pmtraceend("root's"));
	EXPECT_EQ(1, count_of("root's", SHIM_TRACE_TRANSACTION));
}

/*
 * With probes, the rows of a process are deleted at its exit with preemption disabled.  Therefore
 * the number of these rows is limited, even for root.
 */
TEST_F(shares, rows_of_a_process)
{
	enum { MORE = 88 };
	struct shim_trace_options options = {
		.size = sizeof(options), .max_open = VC_OPEN_ROWS - 1,
		.flags = variant->flag | SHIM_TRACE_F_BEGINS,
	};
	const int lost = variant->flag == SHIM_TRACE_F_PROBES ? MORE : 0;

	UNLESS_MISSING();
	ASSERT_EQ(0, shim_trace_off());
	ASSERT_EQ(0, shim_trace_on(&options));
	ASSERT_EQ(0, use_all(0, VC_PROCESS_ROWS + MORE, pmtracebegin));
	EXPECT_EQ(VC_PROCESS_ROWS + MORE - lost, rows_of("/sys/fs/bpf/vcpc/vc_open"));
	ASSERT_EQ(0, read_drops(&self->drops));
	EXPECT_EQ(lost, self->drops.open_full);
}

/* User ID 0 of the namespace, as seen by root */
#define SUBORDINATE	100000
#define MAP		"0 100000 4096"

/* In the namespace, record a point for each of @n tags, as each of the first @users users. */
static int use_as_each(int users, int n)
{
	int status, bad = 0;

	for (int i = 1; i <= users && !bad; i++) {
		pid_t pid = fork();
		char name[32];

		if (!pid) {
			bad = setuid(i) != 0;
			for (int k = 0; k < n && !bad; k++) {
				name_of(name, SUBORDINATE + i, k);
				bad = pmtracepoint(name) != 0;
			}
			_exit(bad);
		}
		bad = waitpid(pid, &status, 0) != pid || status;
	}
	return bad;
}

static int map_users(pid_t pid)
{
	char path[64];
	int fd, bad;

	snprintf(path, sizeof(path), "/proc/%d/uid_map", pid);
	fd = open(path, O_WRONLY);
	bad = fd < 0 || write(fd, MAP, strlen(MAP)) < 0;
	close(fd);
	return bad;
}

/*
 * Keep a descriptor of the namespace open, so that the namespace's number is not reused during the
 * test.  Return whether this fails.
 */
static int hold_namespace(pid_t pid)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/ns/user", pid);
	return open(path, O_RDONLY | O_CLOEXEC) < 0;
}

/* Run in a user namespace that @maker has created.  Return 0 on success. */
static int use_in_namespace(uid_t maker, int users, int n)
{
	int made[2], mapped[2], status, bad;
	char c;
	pid_t pid;

	if (pipe(made) || pipe(mapped))
		return -1;
	pid = fork();
	if (!pid) {
		bad = setuid(maker) || unshare(CLONE_NEWUSER) || write(made[1], "+", 1) != 1 ||
		      read(mapped[0], &c, 1) != 1;
		_exit(bad || use_as_each(users, n));
	}
	close(made[1]);
	bad = read(made[0], &c, 1) != 1 || map_users(pid) || hold_namespace(pid) ||
	      write(mapped[1], "+", 1) != 1;
	close(mapped[1]);
	close(mapped[0]);
	close(made[0]);
	return waitpid(pid, &status, 0) != pid || status || bad;
}

/* A user with many user IDs, through user namespaces, has only one share. */
TEST_F(shares, subordinate_users)
{
	UNLESS_MISSING();
	ASSERT_EQ(0, use_in_namespace(1001, 2, TAGS));
	EXPECT_EQ(SHARE(TAGS), known_of(SUBORDINATE + 1, TAGS) + known_of(SUBORDINATE + 2, TAGS));
	ASSERT_EQ(0, use_in_namespace(1001, 3, 1));
	EXPECT_EQ(0, known_of(SUBORDINATE + 3, 1));
	ASSERT_EQ(0, read_drops(&self->drops));
	/*
	 * In the second run, the first user's tag exists, and the tags of the two others are lost.
	 */
	EXPECT_EQ(2 * TAGS - SHARE(TAGS) + 2, self->drops.tag_full);
}

/* A container that root has created has its own account, separate from root's. */
TEST_F(shares, container_of_root)
{
	UNLESS_MISSING();
	ASSERT_EQ(0, use_in_namespace(0, 2, TAGS));
	EXPECT_EQ(SHARE(TAGS), known_of(SUBORDINATE + 1, TAGS) + known_of(SUBORDINATE + 2, TAGS));
	/* Each container has its own account. */
	ASSERT_EQ(0, use_in_namespace(0, 3, 1));
	EXPECT_EQ(1, known_of(SUBORDINATE + 3, 1));
}

/* Number of events read from the ring, per user */
struct taken {
	int root, first, second;
};

static int note_user(void *arg, const struct shim_trace_event *event)
{
	struct taken *taken = arg;

	taken->root += event->user == 0;
	taken->first += event->user == 1001;
	taken->second += event->user == 1002;
	return 0;
}

/* Number of events lost by user 1001, and by all other users together */
struct lost {
	uint64_t first, others;
};

static int note_loss(void *arg, const struct shim_trace_loss *loss)
{
	struct lost *lost = arg;

	*(loss->account == 1001 ? &lost->first : &lost->others) += loss->n;
	return loss->what != SHIM_TRACE_LOST_EVENTS;
}

static int same_points_as(uid_t uid, int n)
{
	int status;
	pid_t pid = fork();

	if (!pid) {
		status = setuid(uid) != 0;
		for (int i = 0; i < n && !status; i++)
			status = pmtracepoint("the same again") != 0;
		_exit(status);
	}
	return waitpid(pid, &status, 0) == pid ? status : -1;
}

/* The ring has two pages, and each event takes 56 bytes.  A user's share is two batches. */
#define RECORDS	(8192 / 56)
#define LOT	(RECORDS / 8)

/*
 * A user that floods the ring loses only that user's own events.  Users other than root together
 * leave 1/8 of the ring to root.
 */
TEST_F(shares, ring)
{
	struct shim_trace_options options = {
		.size = sizeof(options), .ring_bytes = 8192, .flags = variant->flag,
	};
	struct shim_trace *trace;
	struct taken taken = { 0 };
	struct lost lost = { 0 };

	UNLESS_MISSING();
	ASSERT_EQ(0, shim_trace_off());
	ASSERT_EQ(0, shim_trace_on(&options));
	ASSERT_EQ(0, same_points_as(1001, 1000));
	ASSERT_EQ(0, same_points_as(1002, 20));
	ASSERT_EQ(0, same_points_as(0, RECORDS / 8));
	ASSERT_EQ(0, shim_trace_open(&trace));
	EXPECT_GT(shim_trace_events(trace, 0, note_user, &taken), 0);
	EXPECT_EQ(2 * LOT, taken.first);
	EXPECT_EQ(20, taken.second);
	EXPECT_EQ(RECORDS / 8, taken.root);
	/* After these events have been read, the ring has space again. */
	for (int i = 0; i < 10; i++) {
		ASSERT_EQ(0, same_points_as(1001, LOT));
		EXPECT_EQ(LOT, shim_trace_events(trace, 0, note_user, &taken));
	}
	EXPECT_EQ(0, shim_trace_losses(trace, note_loss, &lost));
	EXPECT_EQ(1000 - 2 * LOT, lost.first);
	EXPECT_EQ(0, lost.others);
	shim_trace_close(trace);
	ASSERT_EQ(0, read_drops(&self->drops));
	EXPECT_EQ(1000 - 2 * LOT, self->drops.ring_full);
}

/* More users than vc_user has rows */
#define CROWD	1100

/* Users for which vc_user has no row share one account. */
TEST_F(shares, more_users_than_there_are_rows_for)
{
	struct shim_trace_options options = {
		.size = sizeof(options), .max_tags = 4 * CROWD, .flags = variant->flag,
	};
	int status, known = 0;

	UNLESS_MISSING();
	if (variant->flag != SHIM_TRACE_F_PROBES)
		SKIP(return, "the same code adds users in both variants");
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
