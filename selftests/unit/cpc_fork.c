// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * If a set was bound before a fork and the child uses its copy, the parent's counting is not
 * affected, although parent and child share a descriptor.
 */
#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/session.h"
#include "cpc/impl.h"
#include "cpc/pctx.h"
#include "cpc/libcpc.h"
#include "cpc/libpctx.h"
#include "selftests/synthetic/backend_sim.h"
#include "kselftest_harness.h"

/* The synthetic PMU, with a record of the calls that reach it */
static struct shim_backend_ops watched;
static int unbinds, creates, binds;

static int unbind(union shim_backend_ref set, pid_t tid, unsigned int flags)
{
	unbinds++;
	return shim_backend__sim.unbind(set, tid, flags);
}

static int create(union shim_backend_ref dev, const struct vcpc_request *reqs, unsigned int n,
		  unsigned int flags, struct shim_terms terms, int *bad,
		  union shim_backend_ref *set)
{
	creates++;
	return shim_backend__sim.create(dev, reqs, n, flags, terms, bad, set);
}

static int bind(union shim_backend_ref set, pid_t tid, unsigned int flags, int *bad)
{
	binds++;
	return shim_backend__sim.bind(set, tid, flags, bad);
}

const struct shim_backend_ops *shim_session__backend(void)
{
	watched = shim_backend__sim;
	watched.unbind = unbind;
	watched.create = create;
	watched.bind = bind;
	return &watched;
}

FIXTURE(fork) {
	cpc_t *cpc;
	cpc_set_t *set;
	cpc_buf_t *buf;
	pctx_t *pctx;
};

FIXTURE_SETUP(fork)
{
	self->cpc = cpc_open(CPC_VER_CURRENT);
	ASSERT_NE(NULL, self->cpc);
	self->set = cpc_set_create(self->cpc);
	ASSERT_EQ(0, cpc_set_add_request(self->cpc, self->set, "cycles", 0, CPC_COUNT_USER, 0,
					 NULL));
	self->buf = cpc_buf_create(self->cpc, self->set);
}

FIXTURE_TEARDOWN(fork)
{
	EXPECT_EQ(0, cpc_close(self->cpc));
	if (self->pctx)
		pctx_release(self->pctx);
}

static void bind_to_a_process(struct __test_metadata *_metadata, FIXTURE_DATA(fork) *self)
{
	static char *const argv[] = { "sleep", "60", NULL };

	self->pctx = pctx_create(argv[0], argv, NULL, 0, NULL);
	ASSERT_NE(NULL, self->pctx);
	ASSERT_EQ(0, cpc_bind_pctx(self->cpc, self->pctx, 1, self->set, 0));
	unbinds = 0;
	creates = 0;
	binds = 0;
}

/* Run @fn in a child, and return its exit status. */
static int in_child(int (*fn)(FIXTURE_DATA(fork) *self), FIXTURE_DATA(fork) *self)
{
	pid_t pid = fork();
	int status;

	if (!pid)
		_exit(fn(self));
	return waitpid(pid, &status, 0) == pid && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static int only_unbinds(FIXTURE_DATA(fork) *self)
{
	cpc_unbind(self->cpc, self->set);
	return unbinds;
}

TEST_F(fork, an_inherited_set_is_unbound_in_the_child_only)
{
	bind_to_a_process(_metadata, self);
	EXPECT_EQ(0, in_child(only_unbinds, self));
	EXPECT_EQ(0, cpc_set_sample(self->cpc, self->set, self->buf));
	EXPECT_EQ(0, cpc_unbind(self->cpc, self->set));
	EXPECT_EQ(1, unbinds);
}

static int binds_it_here(FIXTURE_DATA(fork) *self)
{
	if (cpc_set_sample(self->cpc, self->set, self->buf) != -1 || errno != EINVAL)
		return 10;
	if (cpc_bind_curlwp(self->cpc, self->set, 0))
		return 11;
	if (cpc_set_sample(self->cpc, self->set, self->buf))
		return 12;
	if (creates != 1 || binds != 1 || unbinds)
		return 13;
	return cpc_unbind(self->cpc, self->set) || unbinds != 1 ? 14 : 0;
}

TEST_F(fork, an_inherited_set_is_made_anew_when_the_child_binds_it)
{
	bind_to_a_process(_metadata, self);
	EXPECT_EQ(0, in_child(binds_it_here, self));
}

TEST_F(fork, so_is_one_that_counts_the_thread_itself)
{
	ASSERT_EQ(0, cpc_bind_curlwp(self->cpc, self->set, 0));
	unbinds = 0;
	creates = 0;
	binds = 0;
	EXPECT_EQ(0, in_child(binds_it_here, self));
	EXPECT_EQ(0, cpc_set_sample(self->cpc, self->set, self->buf));
}

static int changes_and_destroys(FIXTURE_DATA(fork) *self)
{
	if (cpc_set_add_request(self->cpc, self->set, "instructions", 0, CPC_COUNT_USER, 0,
				NULL) != 1)
		return 10;
	return cpc_set_destroy(self->cpc, self->set) ? 11 : unbinds;
}

TEST_F(fork, an_inherited_set_may_be_changed_and_destroyed)
{
	bind_to_a_process(_metadata, self);
	EXPECT_EQ(0, in_child(changes_and_destroys, self));
	EXPECT_EQ(0, cpc_set_sample(self->cpc, self->set, self->buf));
}

/*
 * Close the handle, which must also release the process to which its set was bound.  Return 0 if it
 * does.
 */
static int closes_and_releases(FIXTURE_DATA(fork) *self)
{
	cpc_unbind(self->cpc, self->set);
	cpc_close(self->cpc);
	return self->pctx->nusers ? 10 : 0;
}

TEST_F(fork, a_handle_that_the_child_closes_is_forgotten)
{
	bind_to_a_process(_metadata, self);
	EXPECT_EQ(0, in_child(closes_and_releases, self));
}

TEST_F(fork, each_handle_hears_that_a_process_is_let_go)
{
	cpc_t *other = cpc_open(CPC_VER_CURRENT);
	cpc_set_t *set = cpc_set_create(other);

	bind_to_a_process(_metadata, self);
	ASSERT_EQ(0, cpc_set_add_request(other, set, "cycles", 0, CPC_COUNT_USER, 0, NULL));
	ASSERT_EQ(0, cpc_bind_pctx(other, self->pctx, 1, set, 0));
	EXPECT_EQ(self->pctx, self->set->pctx);
	EXPECT_EQ(self->pctx, set->pctx);
	pctx_release(self->pctx);
	self->pctx = NULL;
	EXPECT_EQ(NULL, self->set->pctx);
	EXPECT_EQ(NULL, set->pctx);
	cpc_terminate(self->cpc);
	EXPECT_EQ(0, cpc_close(other));
}

static bool done;

static void *change_often(void *arg)
{
	FIXTURE_DATA(fork) *self = arg;

	while (!__atomic_load_n(&done, __ATOMIC_RELAXED))
		cpc_buf_destroy(self->cpc, cpc_buf_create(self->cpc, self->set));
	return NULL;
}

/* Return the exit status of a child, which is killed after 10 s. */
static int status_of(pid_t pid)
{
	int status = -1;

	for (int i = 0; i < 10000 && waitpid(pid, &status, WNOHANG) != pid; i++)
		usleep(1000);
	if (status < 0) {
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
	}
	return status;
}

/* A child can use the handle even if another thread was using it when the process forked. */
TEST_F(fork, while_another_thread_changes_the_handle)
{
	int status = 0;
	pthread_t other;

	self->pctx = NULL;
	ASSERT_EQ(0, pthread_create(&other, NULL, change_often, self));
	for (int i = 0; i < 300 && !status; i++) {
		pid_t pid = fork();

		if (!pid)
			_exit(cpc_buf_create(self->cpc, self->set) ? 0 : 1);
		status = status_of(pid);
	}
	EXPECT_EQ(0, status);
	__atomic_store_n(&done, true, __ATOMIC_RELAXED);
	pthread_join(other, NULL);
}

TEST_HARNESS_MAIN
