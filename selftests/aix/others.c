// SPDX-License-Identifier: GPL-2.0-or-later
/* Count other processes, which a debugger traces, and process trees.  Check who owns counters. */
#include <signal.h>
#include <sys/ptrace.h>

#include "paranoid.h"
#include "work.h"

#define PAGES	300

INITIALIZE_ONCE()

FIXTURE(others) {
	pm_prog_t prog;
};

FIXTURE_SETUP(others)
{
	ASSERT_EQ(0, initialize());
	self->prog = program("PM_PAGE_FAULTS");
}

FIXTURE_TEARDOWN(others)
{
}

/* Start a child that touches a page each time it is continued, and then stops. */
static pid_t start_target(void)
{
	pid_t pid = fork();

	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		ptrace(PTRACE_TRACEME, 0, 0, 0);
		for (;;) {
			raise(SIGSTOP);
			touch(PAGES);
		}
	}
	return pid;
}

/* Continue the child until it stops again. */
static void go_on(pid_t pid)
{
	int status;

	if (ptrace(PTRACE_CONT, pid, 0, 0) || waitpid(pid, &status, 0) != pid ||
	    !WIFSTOPPED(status))
		abort();
}

TEST_F(others, debugger)
{
	pid_t pid = start_target();
	pm_data_t data;
	pm_prog_t got;
	int status;

	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	ASSERT_EQ(0, pm_set_program_thread(pid, pid, &self->prog));
	EXPECT_EQ(Pmapi_ContextExists, pm_set_program_pthread(pid, pid, pid, &self->prog));
	EXPECT_EQ(0, pm_start_pthread(pid, 0, pid));
	go_on(pid);
	ASSERT_EQ(0, pm_get_data_thread(pid, pid, &data));
	EXPECT_LE(PAGES, data.accu[0]);
	EXPECT_GE(PAGES + 60, data.accu[0]);
	EXPECT_EQ(0, pm_get_program_thread(pid, pid, &got));
	EXPECT_TRUE(!!got.mode.b.count);
	EXPECT_EQ(0, pm_stop_thread(pid, pid));
	EXPECT_EQ(Pmapi_NotCounting, pm_stop_thread(pid, pid));
	go_on(pid);
	ASSERT_EQ(0, pm_get_data_pthread(pid, pid, 0, &data));
	EXPECT_GE(PAGES + 60, data.accu[0]);
	EXPECT_EQ(0, pm_reset_data_thread(pid, pid));
	ASSERT_EQ(0, pm_get_data_thread(pid, pid, &data));
	EXPECT_EQ(0, data.accu[0]);
	EXPECT_EQ(Pmapi_NoSetProg, pm_get_data_group(pid, pid, &data));
	/* The calling thread has no program; only the child has one. */
	EXPECT_EQ(Pmapi_NoSetProg, pm_get_data_mythread(&data));
	EXPECT_EQ(0, pm_delete_program_thread(pid, pid));
	EXPECT_EQ(Pmapi_NoSetProg, pm_delete_program_thread(pid, pid));
	ASSERT_EQ(0, pm_set_program_pgroup(pid, pid, pid, &self->prog));
	EXPECT_EQ(0, pm_start_group(pid, pid));
	go_on(pid);
	ASSERT_EQ(0, pm_get_data_pgroup(pid, pid, pid, &data));
	EXPECT_LE(PAGES, data.accu[0]);
	EXPECT_EQ(1, data.ginfo.members);
	EXPECT_EQ(0, pm_delete_program_group(pid, pid));
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

/* A process that is permitted to trace another can count it in user mode. */
static int debug_as_nobody(const pm_prog_t *user)
{
	pm_prog_t prog = *user;
	pm_data_t data;
	int status;
	pid_t pid;

	/*
	 * Become an ordinary user.  This clears the dumpable flag.  Set it again, because without
	 * it the user can neither open this process's files in /proc nor trace its children.
	 */
	if (setgid(65534) || setuid(65534) || prctl(PR_SET_DUMPABLE, 1))
		return 1;
	pid = start_target();
	if (waitpid(pid, &status, 0) != pid)
		return 2;
	prog.mode.w |= PM_KERNEL;
	if (pm_set_program_thread(pid, pid, &prog) != EACCES)
		return 3;
	prog.mode.w = PM_USER | PM_COUNT;
	if (pm_set_program_thread(pid, pid, &prog))
		return 4;
	go_on(pid);
	if (pm_get_data_thread(pid, pid, &data) || pm_delete_program_thread(pid, pid))
		return 5;
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	return data.accu[0] >= PAGES && data.accu[0] <= PAGES + 60 ? 0 : 6;
}

TEST_F(others, debugger_without_privilege)
{
	int status;
	pid_t pid;

	NEEDS_PARANOID_2();
	pid = fork();

	if (!pid)
		_exit(debug_as_nobody(&self->prog));
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, status);
}

TEST_F(others, a_target_that_runs_or_is_not_ours)
{
	pid_t pid = fork();

	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		for (;;)
			pause();
	}
	EXPECT_EQ(Pmapi_NotDebugger, pm_set_program_thread(pid, pid, &self->prog));
	kill(pid, SIGSTOP);
	waitpid(pid, NULL, WUNTRACED);
	EXPECT_EQ(Pmapi_NotDebugger, pm_set_program_thread(pid, pid, &self->prog));
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

/* Start a chain of processes: each touches pages and starts the next without waiting for it. */
static void chain(int left)
{
	do {
		touch(PAGES);
	} while (left-- && !fork());
	_exit(0);
}

static bool all_have_ended(void)
{
	pm_data_t data;
	long long last = -1;

	for (int i = 0; i < 100; i++) {
		if (pm_get_data(&data))
			return false;
		if (data.accu[0] >= 4 * PAGES && data.accu[0] == last)
			return true;
		last = data.accu[0];
		usleep(50000);
	}
	return false;
}

TEST_F(others, tree)
{
	pm_data_t data;
	pid_t pid;

	self->prog.mode.w |= PM_PROCTREE;
	ASSERT_EQ(0, pm_set_program(&self->prog));
	ASSERT_EQ(0, pm_start());
	pid = fork();
	if (!pid)
		chain(3);
	ASSERT_EQ(pid, waitpid(pid, NULL, 0));
	EXPECT_TRUE(all_have_ended());
	ASSERT_EQ(0, pm_stop());
	ASSERT_EQ(0, pm_get_data(&data));
	EXPECT_LE(4 * PAGES, data.accu[0]);
	EXPECT_EQ(0, pm_reset_data());
	ASSERT_EQ(0, pm_get_data(&data));
	EXPECT_EQ(0, data.accu[0]);
	ASSERT_EQ(0, pm_start());
	pid = fork();
	if (!pid) {
		execl("/bin/true", "true", NULL);
		execl("/bin/busybox", "true", NULL);
		_exit(1);
	}
	ASSERT_EQ(pid, waitpid(pid, NULL, 0));
	ASSERT_EQ(0, pm_get_data(&data));
	EXPECT_LE(10, data.accu[0]);
	EXPECT_GT(PAGES * 10, data.accu[0]);
	EXPECT_EQ(0, pm_delete_program());
}

/* The root of the tree sets a program, starts a process, and exits before that process does. */
static void leave_an_orphan(pm_prog_t *tree)
{
	if (pm_set_program(tree) || pm_start())
		_exit(1);
	if (!fork()) {
		sleep(3);
		touch(PAGES);
		_exit(0);
	}
	_exit(0);
}

/*
 * A tree's program ends when its root process ends, even if other processes of the tree continue.
 * The next owner can then use the counters.
 */
TEST_F(others, root_that_exits)
{
	pm_prog_t tree = self->prog;
	pm_data_t data;
	int status;
	pid_t pid;

	tree.mode.w |= PM_PROCTREE;
	pid = fork();
	if (!pid)
		leave_an_orphan(&tree);
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, status);
	EXPECT_EQ(Pmapi_NoSetProg, pm_get_data(&data));
	ASSERT_EQ(0, pm_set_program(&tree));
	ASSERT_EQ(0, pm_start());
	/* This process does not belong to the tree. */
	sleep(4);
	ASSERT_EQ(0, pm_get_data(&data));
	EXPECT_GT(PAGES, data.accu[0]);
	EXPECT_EQ(0, pm_delete_program());
}

/*
 * Return the error that another process receives when it requests the context of a tree or a
 * thread.
 */
static int elsewhere(const pm_prog_t *prog, int mode, int (*set)(pm_prog_t *prog))
{
	pid_t pid = fork();
	int status;

	if (!pid) {
		pm_prog_t own = *prog;

		own.mode.w = PM_USER | mode;
		_exit(set(&own));
	}
	return waitpid(pid, &status, 0) == pid && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/*
 * A process can have a program for its tree or for threads, not both.  Other processes are not
 * affected, because perf shares the PMU between processes.
 */
TEST_F(others, one_owner_a_process)
{
	pm_prog_t tree = self->prog;

	tree.mode.w |= PM_PROCTREE;
	ASSERT_EQ(0, pm_set_program(&tree));
	EXPECT_EQ(Pmapi_Locked, pm_set_program_mythread(&self->prog));
	EXPECT_EQ(0, elsewhere(&tree, PM_PROCTREE, pm_set_program));
	EXPECT_EQ(0, elsewhere(&tree, 0, pm_set_program_mythread));
	EXPECT_EQ(0, pm_delete_program());
	ASSERT_EQ(0, pm_set_program_mythread(&self->prog));
	EXPECT_EQ(Pmapi_Locked, pm_set_program(&tree));
	EXPECT_EQ(0, elsewhere(&tree, 0, pm_set_program));
	EXPECT_EQ(0, pm_delete_program_mythread());
}

/* Counting another process requires a privilege; counting one's own tree does not. */
TEST_F(others, without_privilege)
{
	int status;
	pid_t pid;

	NEEDS_PARANOID_2();
	pid = fork();
	if (!pid) {
		pm_prog_t tree = self->prog, kernel = self->prog;

		if (setgid(65534) || setuid(65534))
			_exit(1);
		kernel.mode.w |= PM_KERNEL;
		tree.mode.w |= PM_PROCTREE;
		if (pm_set_program(&self->prog) != EACCES)
			_exit(2);
		if (pm_set_program_mythread(&kernel) != EACCES)
			_exit(3);
		if (pm_set_program(&tree) || pm_delete_program())
			_exit(4);
		if (pm_set_program_mythread(&self->prog))
			_exit(5);
		_exit(0);
	}
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, status);
}

TEST_HARNESS_MAIN
