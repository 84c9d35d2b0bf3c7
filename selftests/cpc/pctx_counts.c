// SPDX-License-Identifier: GPL-2.0-or-later
/* Count on the threads of a process that libpctx controls. */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "paranoid.h"
#include "cpc.h"
#include "kselftest_harness.h"

#define FAULTS	500

static void *works(void *unused)
{
	touch(FAULTS);
	return unused;
}

/* Start threads that cause a known number of page faults each, in addition to their start. */
static int play(int threads)
{
	pthread_t thread;

	for (int i = 0; i < threads; i++) {
		pthread_create(&thread, NULL, works, NULL);
		pthread_join(thread, NULL);
	}
	works(NULL);
	return 0;
}

struct lwp {
	cpc_set_t *set;
	cpc_buf_t *buf;
	uint64_t faults;
	uint64_t before;
	int errors;
	int ticks;
};

struct job {
	cpc_t *cpc;
	struct lwp lwp[16];
	int unknown;
};

static int on_init(pctx_t *pctx, pid_t pid, id_t lwpid, void *arg)
{
	struct job *job = arg;
	struct lwp *lwp = &job->lwp[lwpid];

	(void)pid;
	lwp->set = cpc_set_create(job->cpc);
	if (cpc_set_add_request(job->cpc, lwp->set, "page-faults", 1000, CPC_COUNT_USER, 0, NULL))
		return -1;
	lwp->buf = cpc_buf_create(job->cpc, lwp->set);
	if (cpc_bind_pctx(job->cpc, pctx, 99, lwp->set, 0) == -1 && errno == ESRCH)
		job->unknown++;
	if (cpc_bind_pctx(job->cpc, pctx, lwpid, lwp->set, 0))
		return -1;
	return 0;
}

static uint64_t faults_of(struct job *job, struct lwp *lwp)
{
	uint64_t value = 0;

	lwp->errors += cpc_set_sample(job->cpc, lwp->set, lwp->buf) != 0;
	cpc_buf_get(job->cpc, lwp->buf, 0, &value);
	return value - 1000;
}

static int on_tick(pctx_t *pctx, pid_t pid, id_t lwpid, void *arg)
{
	struct job *job = arg;
	struct lwp *lwp = &job->lwp[lwpid];
	uint64_t now = faults_of(job, lwp);

	(void)pctx;
	(void)pid;
	lwp->errors += now < lwp->before;
	lwp->before = now;
	lwp->ticks++;
	return 0;
}

static int on_fini(pctx_t *pctx, pid_t pid, id_t lwpid, void *arg)
{
	struct job *job = arg;
	struct lwp *lwp = &job->lwp[lwpid];

	(void)pctx;
	(void)pid;
	lwp->faults = faults_of(job, lwp);
	lwp->errors += cpc_unbind(job->cpc, lwp->set) != 0;
	lwp->errors += cpc_unbind(job->cpc, lwp->set) != -1 || errno != EINVAL;
	return 0;
}

FIXTURE(pctx) {
	struct job job;
	pctx_t *pctx;
};

FIXTURE_SETUP(pctx)
{
	char *argv[] = { (char *)"pctx_counts", (char *)"3", NULL };

	self->job.cpc = cpc_open(CPC_VER_CURRENT);
	ASSERT_NE(NULL, self->job.cpc);
	self->pctx = pctx_create("/proc/self/exe", argv, &self->job, 0, NULL);
	ASSERT_NE(NULL, self->pctx);
}

FIXTURE_TEARDOWN(pctx)
{
	EXPECT_EQ(0, cpc_close(self->job.cpc));
}

TEST_F(pctx, each_thread_its_own)
{
	ASSERT_EQ(0, pctx_set_events(self->pctx, PCTX_INIT_LWP_EVENT, on_init,
				     PCTX_FINI_LWP_EVENT, on_fini, PCTX_NULL_EVENT));
	EXPECT_EQ(0, pctx_run(self->pctx, 10, 0, on_tick));
	EXPECT_EQ(4, self->job.unknown);
	for (int i = 1; i <= 4; i++) {
		struct lwp *lwp = &self->job.lwp[i];

		EXPECT_EQ(0, lwp->errors);
		EXPECT_LE(FAULTS, lwp->faults);
		EXPECT_GE(FAULTS + 1000, lwp->faults);
		EXPECT_LT(0, cpc_buf_hrtime(self->job.cpc, lwp->buf));
	}
	/* The first thread does not count the other threads' faults. */
	EXPECT_GE(FAULTS + 1000, self->job.lwp[1].faults);
	pctx_release(self->pctx);
}

TEST_F(pctx, wrong_arguments)
{
	cpc_set_t *set = cpc_set_create(self->job.cpc);
	cpc_t *other = cpc_open(CPC_VER_CURRENT);
	cpc_buf_t *buf;

	EXPECT_EQ(-1, cpc_bind_pctx(self->job.cpc, self->pctx, 1, set, 0));
	EXPECT_EQ(EINVAL, errno);
	ASSERT_EQ(0, cpc_set_add_request(self->job.cpc, set, "page-faults", 0, CPC_COUNT_USER, 0,
					 NULL));
	EXPECT_EQ(-1, cpc_bind_pctx(self->job.cpc, self->pctx, 1, set, CPC_BIND_LWP_INHERIT));
	EXPECT_EQ(EINVAL, errno);
	EXPECT_EQ(-1, cpc_bind_pctx(other, self->pctx, 1, set, 0));
	EXPECT_EQ(EINVAL, errno);
	EXPECT_EQ(-1, cpc_bind_pctx(self->job.cpc, self->pctx, 2, set, 0));
	EXPECT_EQ(ESRCH, errno);
	EXPECT_EQ(0, cpc_bind_pctx(self->job.cpc, self->pctx, 1, set, 0));
	/* No requests can be added while the set is bound. */
	EXPECT_EQ(-1, cpc_set_add_request(self->job.cpc, set, "page-faults", 0, CPC_COUNT_USER, 0,
					  NULL));
	EXPECT_EQ(0, cpc_bind_pctx(self->job.cpc, self->pctx, 1, set, 0));
	EXPECT_EQ(0, cpc_close(other));
	buf = cpc_buf_create(self->job.cpc, set);
	ASSERT_NE(NULL, buf);
	EXPECT_EQ(0, cpc_set_sample(self->job.cpc, set, buf));
	pctx_release(self->pctx);
	/* The set is no longer bound, because the process is no longer controlled. */
	EXPECT_EQ(-1, cpc_set_sample(self->job.cpc, set, buf));
	EXPECT_EQ(EINVAL, errno);
	EXPECT_EQ(0, cpc_unbind(self->job.cpc, set));
	EXPECT_EQ(0, cpc_set_destroy(self->job.cpc, set));
}

TEST_F(pctx, set_goes_first)
{
	cpc_set_t *set = cpc_set_create(self->job.cpc);

	ASSERT_EQ(0, cpc_set_add_request(self->job.cpc, set, "page-faults", 0, CPC_COUNT_USER, 0,
					 NULL));
	EXPECT_EQ(0, cpc_bind_pctx(self->job.cpc, self->pctx, 1, set, 0));
	EXPECT_EQ(0, cpc_set_destroy(self->job.cpc, set));
	pctx_release(self->pctx);
}

TEST_F(pctx, terminated_by_its_counters)
{
	cpc_set_t *set = cpc_set_create(self->job.cpc);

	ASSERT_EQ(0, cpc_set_add_request(self->job.cpc, set, "page-faults", 0, CPC_COUNT_USER, 0,
					 NULL));
	EXPECT_EQ(0, cpc_bind_pctx(self->job.cpc, self->pctx, 1, set, 0));
	cpc_terminate(self->job.cpc);
	EXPECT_EQ(0, pctx_run(self->pctx, 0, 0, NULL));
	pctx_release(self->pctx);
}

/* Permission to debug the process suffices for counting in user mode, but not in kernel mode. */
static int as_nobody(void)
{
	char *argv[] = { (char *)"pctx_counts", (char *)"1", NULL };
	struct job job = { 0 };
	cpc_set_t *system;
	pctx_t *pctx;

	/*
	 * Become an ordinary user.  This clears the dumpable flag.  Set it again, because without
	 * it the user can neither open this process's files in /proc nor trace its children.
	 */
	if (setresgid(65534, 65534, 65534) || setresuid(65534, 65534, 65534) ||
	    prctl(PR_SET_DUMPABLE, 1))
		return 1;
	job.cpc = cpc_open(CPC_VER_CURRENT);
	pctx = job.cpc ? pctx_create("/proc/self/exe", argv, &job, 0, NULL) : NULL;
	if (!pctx)
		return 2;
	cpc_seterrhndlr(job.cpc, silent);
	system = cpc_set_create(job.cpc);
	if (cpc_set_add_request(job.cpc, system, "page-faults", 0, CPC_COUNT_SYSTEM, 0, NULL) ||
	    cpc_bind_pctx(job.cpc, pctx, 1, system, 0) != -1 || errno != EACCES)
		return 3;
	if (pctx_set_events(pctx, PCTX_INIT_LWP_EVENT, on_init, PCTX_FINI_LWP_EVENT, on_fini,
			    PCTX_NULL_EVENT) || pctx_run(pctx, 0, 0, NULL))
		return 4;
	pctx_release(pctx);
	cpc_close(job.cpc);
	return job.lwp[1].errors || job.lwp[2].errors || job.lwp[1].faults < FAULTS ||
	       job.lwp[2].faults < FAULTS ? 5 : 0;
}

TEST(needs_no_privilege)
{
	int status;
	pid_t pid;

	NEEDS_PARANOID_2();
	pid = fork();
	ASSERT_LE(0, pid);
	if (!pid)
		_exit(as_nobody());
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, status);
}

/* Run this before main(), because the process may be the controlled one. */
static void __attribute__((constructor(101))) act(int argc, char **argv)
{
	if (argc > 1 && argv[1][0] != '-')
		_exit(play(atoi(argv[1])));
}

TEST_HARNESS_MAIN
