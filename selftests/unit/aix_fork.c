// SPDX-License-Identifier: GPL-2.0-or-later
/* A signal handler that uses the library can run at any instruction of fork(). */
#include <signal.h>
#include <sys/wait.h>

#include "selftests/synthetic/backend_clock.h"
#include "../aix/work.h"

const struct shim_backend_ops *shim_session__backend(void)
{
	return &shim_backend__clock;
}

static volatile sig_atomic_t handled;
static int failed;

static void uses_the_library(int sig)
{
	pm_data_t data;

	(void)sig;
	failed |= pm_get_data_mythread(&data);
	handled++;
}

static void raise_now(void)
{
	raise(SIGUSR1);
}

/*
 * The prepare handlers of fork() run in reverse order of registration.  A handler that was
 * registered before the library's own therefore runs while the library holds its lock.
 */
TEST(a_handler_during_fork)
{
	pm_prog_t prog;
	int status;
	pid_t pid;

	ASSERT_EQ(0, pthread_atfork(raise_now, NULL, NULL));
	ASSERT_EQ(0, initialize());
	prog = program("PM_INST_CMPL");
	ASSERT_EQ(0, pm_set_program_mythread(&prog));
	signal(SIGUSR1, uses_the_library);
	alarm(20);
	pid = fork();
	if (!pid) {
		/* A program is not inherited, so the child has none. */
		pm_data_t data;

		_exit(handled != 0 || !pm_get_data_mythread(&data));
	}
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, status);
	EXPECT_EQ(1, handled);
	EXPECT_EQ(0, failed);
	EXPECT_EQ(0, pm_delete_program_mythread());
}

TEST_HARNESS_MAIN
