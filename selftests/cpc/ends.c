// SPDX-License-Identifier: GPL-2.0-or-later
/* No resources remain after a program is replaced, a thread exits, or a handle is closed. */
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/wait.h>

#include "cpc.h"
#include "kselftest_harness.h"
#include "needs_module.h"

FIXTURE(ends) {
	cpc_t *cpc;
	cpc_set_t *set;
};

FIXTURE_SETUP(ends)
{
	self->cpc = open_with(&self->set, "page-faults", 0);
	ASSERT_NE(NULL, self->cpc);
}

FIXTURE_TEARDOWN(ends)
{
	EXPECT_EQ(0, cpc_close(self->cpc));
}

/* Check in the new program that nothing is bound and that no descriptor is left open. */
static int after_exec(const char *descriptors_before)
{
	int before = atoi(descriptors_before), now = open_files();
	cpc_t *cpc;

	if (now != before)
		return 1;
	cpc = cpc_open(CPC_VER_CURRENT);
	if (!cpc || cpc_disable(cpc) != -1 || errno != EINVAL)
		return 2;
	return cpc_enable(cpc) == -1 && errno == EINVAL ? 0 : 3;
}

TEST_F(ends, a_new_program_has_nothing_bound)
{
	char before[16];
	int status;
	pid_t pid;

	NEEDS_MODULE("inherited values");
	EXPECT_EQ(0, cpc_close(self->cpc));
	snprintf(before, sizeof(before), "%d", open_files());
	self->cpc = cpc_open(CPC_VER_CURRENT);
	self->set = set_of(self->cpc, "page-faults", 0);
	pid = fork();
	ASSERT_LE(0, pid);
	if (!pid) {
		if (cpc_bind_curlwp(self->cpc, self->set, CPC_BIND_LWP_INHERIT))
			_exit(101);
		execl("/proc/self/exe", "ends", "after-exec", before, NULL);
		_exit(102);
	}
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, WEXITSTATUS(status));
}

/* Bind a set, and exit with the set bound. */
static void *bind_and_end(void *arg)
{
	struct shared_set *job = arg;
	cpc_set_t *own = set_of(job->cpc, "minor-faults", 0);

	job->errors += cpc_bind_curlwp(job->cpc, job->set, 0) != 0;
	job->errors += cpc_bind_curlwp(job->cpc, own, CPC_BIND_LWP_INHERIT) != 0;
	if (job->errors & 1)
		return NULL;
	cpc_set_destroy(job->cpc, own);
	job->errors += cpc_bind_curlwp(job->cpc, job->set, 0) != 0;
	return NULL;
}

TEST_F(ends, threads_that_end_bound_leak_nothing)
{
	struct shared_set job = { self->cpc, self->set, 0 };
	pthread_t thread;
	int before = 0;

	NEEDS_MODULE("inherited values");
	for (int i = 0; i < 300; i++) {
		ASSERT_EQ(0, pthread_create(&thread, NULL, bind_and_end, &job));
		pthread_join(thread, NULL);
		ASSERT_EQ(0, job.errors);
		if (!i)
			before = open_files();
	}
	EXPECT_EQ(before, open_files());
	EXPECT_EQ(0, cpc_set_destroy(self->cpc, self->set));
	EXPECT_EQ(before - 1, open_files());
}

TEST_F(ends, close_with_everything_bound_leaves_affinity_and_signal_mask)
{
	cpu_set_t cpus, cpus_after;
	sigset_t mask, mask_after;
	int before = open_files();
	cpc_t *cpc = cpc_open(CPC_VER_CURRENT);
	cpc_set_t *cpu, *mine;

	/* Clear both masks, because the kernel stores only the signals that it supports. */
	memset(&mask, 0, sizeof(mask));
	memset(&mask_after, 0, sizeof(mask_after));
	sched_getaffinity(0, sizeof(cpus), &cpus);
	sigprocmask(SIG_SETMASK, NULL, &mask);
	cpu = set_of(cpc, "page-faults", 0);
	mine = set_of(cpc, "minor-faults", 0);
	ASSERT_NE(NULL, cpc_buf_create(cpc, mine));
	ASSERT_EQ(0, cpc_bind_cpu(cpc, 0, cpu, 0));
	ASSERT_EQ(0, cpc_bind_curlwp(cpc, mine, 0));
	EXPECT_EQ(0, cpc_close(cpc));
	sched_getaffinity(0, sizeof(cpus_after), &cpus_after);
	sigprocmask(SIG_SETMASK, NULL, &mask_after);
	EXPECT_TRUE(CPU_EQUAL(&cpus, &cpus_after));
	EXPECT_EQ(0, memcmp(&mask, &mask_after, sizeof(mask)));
	EXPECT_EQ(before, open_files());
	EXPECT_EQ(-1, cpc_disable(self->cpc));
	EXPECT_EQ(EINVAL, errno);
}

/* Run this before main(), because the process may be one that a test has executed. */
static void __attribute__((constructor(101))) act(int argc, char **argv)
{
	if (argc > 2 && !strcmp(argv[1], "after-exec"))
		_exit(after_exec(argv[2]));
}

TEST_HARNESS_MAIN
