// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * If an overflow happens before the call that binds the set returns, the overflow handler finds the
 * set, even during the first such call.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>

#include "core/session.h"
#include "cpc/libcpc.h"
#include "selftests/synthetic/backend_sim.h"
#include "kselftest_harness.h"

static struct shim_backend_ops early;
static int refuses;

/* Bind, and deliver a signal before returning to the caller, as the kernel may do. */
static int bind(union shim_backend_ref set, pid_t tid, unsigned int flags, int *bad)
{
	int ret = refuses ? -ENOSPC : shim_backend__sim.bind(set, tid, flags, bad);

	if (!ret)
		raise(SIGEMT);
	return ret;
}

const struct shim_backend_ops *shim_session__backend(void)
{
	early = shim_backend__sim;
	early.bind = bind;
	return &early;
}

static struct {
	cpc_t *cpc;
	cpc_set_t *set, *other;
	cpc_buf_t *buf;
	int times, error;
} on_emt;

static void handler(int sig)
{
	(void)sig;
	on_emt.times++;
	on_emt.error = cpc_set_sample(on_emt.cpc, on_emt.set, on_emt.buf) ? errno : 0;
	if (!on_emt.error && cpc_set_restart(on_emt.cpc, on_emt.set))
		on_emt.error = errno;
	if (on_emt.other && on_emt.times == 1)
		cpc_bind_curlwp(on_emt.cpc, on_emt.other, 0);
}

FIXTURE(first) {
	int unused;
};

FIXTURE_SETUP(first)
{
	on_emt.cpc = cpc_open(CPC_VER_CURRENT);
	ASSERT_NE(NULL, on_emt.cpc);
	on_emt.set = cpc_set_create(on_emt.cpc);
	ASSERT_EQ(0, cpc_set_add_request(on_emt.cpc, on_emt.set, "cycles", UINT64_MAX - 999,
					 CPC_COUNT_USER, 0, NULL));
	on_emt.buf = cpc_buf_create(on_emt.cpc, on_emt.set);
	signal(SIGEMT, handler);
}

FIXTURE_TEARDOWN(first)
{
	EXPECT_EQ(0, cpc_close(on_emt.cpc));
}

TEST_F(first, the_handler_finds_the_set)
{
	ASSERT_EQ(0, cpc_bind_curlwp(on_emt.cpc, on_emt.set, 0));
	EXPECT_EQ(1, on_emt.times);
	EXPECT_EQ(0, on_emt.error) TH_LOG("%s", strerror(on_emt.error));
	EXPECT_EQ(0, cpc_unbind(on_emt.cpc, on_emt.set));
}

TEST_F(first, the_handler_may_bind_another)
{
	cpc_buf_t *buf;

	on_emt.other = cpc_set_create(on_emt.cpc);
	ASSERT_EQ(0, cpc_set_add_request(on_emt.cpc, on_emt.other, "cycles", 0, CPC_COUNT_USER, 0,
					 NULL));
	buf = cpc_buf_create(on_emt.cpc, on_emt.other);
	ASSERT_EQ(0, cpc_bind_curlwp(on_emt.cpc, on_emt.set, 0));
	EXPECT_EQ(2, on_emt.times);
	EXPECT_EQ(0, cpc_set_sample(on_emt.cpc, on_emt.other, buf));
	EXPECT_EQ(-1, cpc_set_sample(on_emt.cpc, on_emt.set, on_emt.buf));
	EXPECT_EQ(EINVAL, errno);
	on_emt.other = NULL;
}

TEST_F(first, a_set_that_was_refused_is_nobodys)
{
	refuses = 1;
	EXPECT_EQ(-1, cpc_bind_curlwp(on_emt.cpc, on_emt.set, 0));
	EXPECT_EQ(-1, cpc_set_sample(on_emt.cpc, on_emt.set, on_emt.buf));
	EXPECT_EQ(EINVAL, errno);
	EXPECT_EQ(-1, cpc_disable(on_emt.cpc));
	EXPECT_EQ(-1, cpc_unbind(on_emt.cpc, on_emt.set));
	EXPECT_EQ(EINVAL, errno);
	EXPECT_EQ(1, cpc_set_add_request(on_emt.cpc, on_emt.set, "cycles", 0, CPC_COUNT_USER, 0,
					 NULL));
	refuses = 0;
}

TEST_HARNESS_MAIN
