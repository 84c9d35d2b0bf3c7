// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Two users' tags with the same name are different tags, and a user cannot end another user's
 * transaction.
 */
#include <linux/capability.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include "bpf_test.h"

#define PID_MAX "/proc/sys/kernel/pid_max"
#define LAST_PID "/proc/sys/kernel/ns_last_pid"

FIXTURE(users) {
	const char *missing;
	struct shim_trace_drops drops;
	struct shim_trace *trace;
};

FIXTURE_VARIANT(users) {
	const char *env;
	uint32_t flag;
};

FIXTURE_VARIANT_ADD(users, module) { "kernel", SHIM_TRACE_F_MODULE };
FIXTURE_VARIANT_ADD(users, probes) { "probe", SHIM_TRACE_F_PROBES };

FIXTURE_SETUP(users)
{
	struct shim_trace_options options = {
		.size = sizeof(options), .flags = variant->flag | SHIM_TRACE_F_BEGINS,
	};

	ASSERT_EQ(0, trace_place(variant->flag, &self->missing));
	setenv("SHIM_TRACE", variant->env, 1);
	if (!self->missing)
		ASSERT_EQ(0, shim_trace_on(&options));
}

FIXTURE_TEARDOWN(users)
{
	shim_trace_close(self->trace);
	shim_trace_off();
}

/* As another user, record @n points of a tag.  Return 0 on success. */
static int points_as(uid_t uid, const char *name, int n)
{
	int status, bad;
	pid_t pid = fork();

	if (!pid) {
		bad = setuid(uid) != 0;
		for (int i = 0; i < n && !bad; i++)
			bad = pmtracepoint(name) != 0;
		_exit(bad);
	}
	return waitpid(pid, &status, 0) == pid ? status : -1;
}

/* Find the statistics of a user's tag by name.  Return NULL if there are none. */
static const struct shim_trace_stat *find(struct shim_trace *trace, size_t n, const char *name,
					  uid_t user)
{
	for (size_t i = 0; i < n; i++) {
		const struct shim_trace_stat *stat = shim_trace_stat_at(trace, i);

		if (!strcmp(stat->name, name) && stat->user == user)
			return stat;
	}
	return NULL;
}

TEST_F(users, equal_names)
{
	const struct shim_trace_stat *a, *b, *alone, *like;
	size_t n;

	UNLESS_MISSING();
	ASSERT_EQ(0, points_as(1001, "of two", 3));
	ASSERT_EQ(0, points_as(1002, "of two", 5));
	ASSERT_EQ(0, points_as(1002, "of one", 2));
	/* This name looks like a tag of user 1001. */
	ASSERT_EQ(0, points_as(1002, "of two@1001", 7));
	ASSERT_EQ(0, shim_trace_open(&self->trace));
	ASSERT_EQ(0, shim_trace_stats_get(self->trace, &n));
	a = find(self->trace, n, "of two", 1001);
	b = find(self->trace, n, "of two", 1002);
	alone = find(self->trace, n, "of one", 1002);
	like = find(self->trace, n, "of two@1001", 1002);
	ASSERT_TRUE(a && b && alone && like);
	EXPECT_EQ(3, a->count);
	EXPECT_EQ(5, b->count);
	EXPECT_NE(a->id, b->id);
	EXPECT_STREQ("of two@1001", a->label);
	EXPECT_STREQ("of two@1002", b->label);
	EXPECT_STREQ("of one", alone->label);
	EXPECT_STREQ("of two@1001@1002", like->label);
}

/* As another user, begin @n transactions, write a byte to @ready, and wait to be killed. */
static pid_t begin_as(uid_t uid, int n, int ready)
{
	char name[32], byte = 0;
	pid_t pid = fork();

	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (setuid(uid))
		_exit(1);
	for (int i = 0; i < n; i++) {
		snprintf(name, sizeof(name), "never ended %d", i);
		if (pmtracebegin(name))
			_exit(1);
	}
	if (write(ready, &byte, 1) != 1)
		_exit(1);
	pause();
	_exit(0);
}

/*
 * If a user occupies all rows of vc_open_row and of vc_open that the user can get, other users still
 * get rows.  With probes, both users may use the same share of vc_open_row; then other users get rows
 * at this user's expense.
 */
TEST_F(users, no_row_left)
{
	struct shim_trace_options options = {
		.size = sizeof(options), .flags = variant->flag | SHIM_TRACE_F_BEGINS,
		.max_open = 1024,
	};
	enum { MANY = 2000, OWN = 40 };
	uint64_t before;
	char name[32], byte;
	int ready[2];
	pid_t pid;

	UNLESS_MISSING();
	ASSERT_EQ(0, shim_trace_off());
	ASSERT_EQ(0, shim_trace_on(&options));
	ASSERT_EQ(0, pipe(ready));
	pid = begin_as(1001, MANY, ready[1]);
	close(ready[1]);
	ASSERT_EQ(1, read(ready[0], &byte, 1));
	ASSERT_EQ(0, read_drops(&self->drops));
	before = self->drops.open_full;
	EXPECT_EQ(MANY - 1024 - 512, before);
	for (int i = 0; i < OWN; i++) {
		snprintf(name, sizeof(name), "own %d", i);
		ASSERT_EQ(0, pmtracebegin(name));
	}
	for (int i = 0; i < OWN; i++) {
		snprintf(name, sizeof(name), "own %d", i);
		ASSERT_EQ(0, pmtraceend(name));
		EXPECT_EQ(1, count_of(name, SHIM_TRACE_TRANSACTION));
	}
	ASSERT_EQ(0, read_drops(&self->drops));
	EXPECT_LE(before, self->drops.open_full);
	EXPECT_GE(before + (variant->flag == SHIM_TRACE_F_PROBES ? OWN : 0), self->drops.open_full);
	EXPECT_EQ(0, self->drops.not_open);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

/* As user 0 without capabilities, create @n tags.  Return 0 on success. */
static int tags_without_capabilities(int n)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct none[2] = { 0 };
	int status, bad = 0;
	pid_t pid = fork();
	char name[32];

	if (!pid) {
		if (syscall(SYS_capset, &header, none))
			_exit(2);
		for (int i = 0; i < n && !bad; i++) {
			snprintf(name, sizeof(name), "powerless %d", i);
			bad = pmtracepoint(name) != 0;
		}
		_exit(bad);
	}
	return waitpid(pid, &status, 0) == pid ? status : -1;
}

/* User 0 without capabilities gets an ordinary user's share, not root's. */
TEST_F(users, user_0_without_capabilities)
{
	struct shim_trace_options options = {
		.size = sizeof(options), .flags = variant->flag, .max_tags = 100,
	};
	char name[32];
	size_t n;

	UNLESS_MISSING();
	if (access("/sys/kernel/btf/vmlinux", F_OK))
		SKIP(return, "accounts are user IDs, because this kernel has no BTF");
	ASSERT_EQ(0, shim_trace_off());
	ASSERT_EQ(0, shim_trace_on(&options));
	ASSERT_EQ(0, tags_without_capabilities(100));
	ASSERT_EQ(0, shim_trace_open(&self->trace));
	ASSERT_EQ(0, shim_trace_stats_get(self->trace, &n));
	EXPECT_EQ(50, n);
	for (int i = 0; i < 40; i++) {
		snprintf(name, sizeof(name), "powerful %d", i);
		ASSERT_EQ(0, pmtracepoint(name));
	}
	ASSERT_EQ(0, shim_trace_stats_get(self->trace, &n));
	EXPECT_EQ(90, n);
}

static int read_number(const char *path)
{
	FILE *f = fopen(path, "r");
	int n = -1;

	if (f && fscanf(f, "%d", &n) != 1)
		n = -1;
	if (f)
		fclose(f);
	return n;
}

static void write_number(const char *path, int n)
{
	FILE *f = fopen(path, "w");

	if (!f)
		return;
	fprintf(f, "%d\n", n);
	fclose(f);
}

/*
 * Start a process that begins a transaction and exits while its child still has the descriptor
 * open. Return the child's PID.
 */
static pid_t begin_and_die(uid_t uid, pid_t *dead)
{
	pid_t child = -1;
	int child_pipe[2];

	if (pipe(child_pipe))
		return -1;
	*dead = fork();
	if (!*dead) {
		if (setuid(uid) || pmtracebegin("of the dead"))
			_exit(1);
		child = fork();
		if (!child) {
			pause();
			_exit(0);
		}
		_exit(write(child_pipe[1], &child, sizeof(child)) != sizeof(child));
	}
	if (read(child_pipe[0], &child, sizeof(child)) != sizeof(child))
		child = -1;
	close(child_pipe[0]);
	close(child_pipe[1]);
	waitpid(*dead, NULL, 0);
	return child;
}

/* Begin a transaction once @go is readable, and end it when @go is closed. */
static int transaction_of_victim(uid_t uid, int go, int begun)
{
	char c;

	if (setuid(uid) || pmtracebegin("of the living"))
		return 1;
	if (write(begun, "b", 1) != 1 || read(go, &c, 1) < 0)
		return 2;
	return pmtraceend("of the living") ? 3 : 0;
}

/* Fork until a child has the PID @wanted.  Return the PID, or -1 if this takes too long. */
static pid_t child_with_pid(pid_t wanted, uid_t uid, int go[2], int begun)
{
	for (int i = 0; i < 20000; i++) {
		pid_t pid;

		/* If the kernel permits it, choose the PID of the next child. */
		write_number(LAST_PID, wanted - 1);
		pid = fork();
		if (!pid) {
			prctl(PR_SET_PDEATHSIG, SIGKILL);
			if (getpid() != wanted)
				_exit(0);
			close(go[1]);
			_exit(transaction_of_victim(uid, go[0], begun));
		}
		if (pid == wanted)
			return pid;
		if (pid < 0 || waitpid(pid, NULL, 0) != pid)
			break;
	}
	return -1;
}

/*
 * A descriptor outlives the process that began a transaction on it.  When the descriptor is closed,
 * another user's process may have the same PID.  The transaction of that process is not affected.
 */
TEST_F(users, reused_process_number)
{
	int before = read_number(PID_MAX), go[2], begun[2], status = -1;
	pid_t dead, holder, victim;
	char c;

	UNLESS_MISSING();
	ASSERT_EQ(0, pipe(go));
	ASSERT_EQ(0, pipe(begun));
	/* Make PIDs wrap around soon. */
	write_number(PID_MAX, getpid() < 700 ? 1000 : getpid() + 300);
	holder = begin_and_die(1001, &dead);
	ASSERT_GT(holder, 0);
	victim = child_with_pid(dead, 1002, go, begun[1]);
	write_number(PID_MAX, before);
	ASSERT_EQ(dead, victim);
	close(go[0]);
	ASSERT_EQ(1, read(begun[0], &c, 1));
	kill(holder, SIGKILL);
	/* The kernel closes the descriptor some time after the process receives the signal. */
	for (int i = 0; i < 500; i++) {
		ASSERT_EQ(0, read_drops(&self->drops));
		if (self->drops.given_up)
			break;
		usleep(10000);
	}
	usleep(100000);
	close(go[1]);
	ASSERT_EQ(victim, waitpid(victim, &status, 0));
	EXPECT_EQ(0, status);
	EXPECT_EQ(1, count_of("of the living", SHIM_TRACE_TRANSACTION));
	ASSERT_EQ(0, read_drops(&self->drops));
	/*
	 * Only the transaction of the exited process is counted as abandoned; the other one has
	 * ended normally.
	 */
	EXPECT_EQ(1, self->drops.given_up);
	EXPECT_EQ(0, self->drops.not_open);
}

TEST_HARNESS_MAIN
