// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * If a program forks while another thread releases a process, the child can also release the
 * process.
 */
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cpc/impl.h"
#include "cpc/pctx.h"
#include "kselftest_harness.h"

#define PATIENCE	300	/* in units of 10 ms */
#define HELD_US		50000

static struct __pctx pctx;
static atomic_bool held;
static _Thread_local bool dawdles;

int __real_pthread_mutex_unlock(pthread_mutex_t *mutex);
int __wrap_pthread_mutex_unlock(pthread_mutex_t *mutex);

/* Delay the release of the lock, so that the other thread forks while it is held. */
int __wrap_pthread_mutex_unlock(pthread_mutex_t *mutex)
{
	if (dawdles) {
		held = true;
		usleep(HELD_US);
	}
	return __real_pthread_mutex_unlock(mutex);
}

static void *lets_go(void *unused)
{
	dawdles = true;
	shim_cpc__forget_pctx(&pctx);
	return unused;
}

/* Release the process, as a child that inherits a set does. */
static int leaves(void)
{
	cpc_set_t set = { .pctx = &pctx };
	cpc_t cpc = { .sets = &set };

	return shim_cpc__leave_pctx(&cpc, &set) ? 0 : 1;
}

/* Return the exit status; a child that hangs with all signals blocked is killed. */
static int status_of(pid_t pid)
{
	int status = -1;

	for (int i = 0; i < PATIENCE && waitpid(pid, &status, WNOHANG) != pid; i++)
		usleep(10000);
	if (status == -1) {
		kill(pid, SIGKILL);
		waitpid(pid, &status, 0);
	}
	return status;
}

TEST(child_leaves)
{
	pthread_t thread;
	pid_t pid;

	ASSERT_EQ(0, shim_cpc__watch_forks());
	ASSERT_EQ(0, pthread_create(&thread, NULL, lets_go, NULL));
	while (!held)
		;
	pid = fork();
	if (!pid)
		_exit(leaves());
	ASSERT_LT(0, pid);
	EXPECT_EQ(0, status_of(pid));
	EXPECT_EQ(0, pthread_join(thread, NULL));
}

TEST_HARNESS_MAIN
