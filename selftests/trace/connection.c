// SPDX-License-Identifier: GPL-2.0-or-later
/* A process has one connection and its child has another.  A lost connection is reestablished. */
#include <fcntl.h>

#include <shim/trace.h>

#include "trace_test.h"

FIXTURE(connection) {
	int fd;
};

FIXTURE_SETUP(connection)
{
	NEEDS_MODULE();
	/* Turn tracing on, because without a listener nothing is sent or lost. */
	shim_trace_off();
	ASSERT_EQ(0, shim_trace_on(NULL));
	ASSERT_EQ(0, pmtracepoint("p"));
	ASSERT_EQ(1, open_devices(&self->fd));
}

FIXTURE_TEARDOWN(connection)
{
	shim_trace_off();
}

TEST_F(connection, is_one)
{
	NEEDS_MODULE();
	EXPECT_EQ(0, pmtracebegin("t"));
	EXPECT_EQ(0, pmtraceend("t"));
	EXPECT_EQ(0, pmtraceobs("o", 1));
	EXPECT_EQ(1, open_devices(NULL));
	EXPECT_EQ(FD_CLOEXEC, fcntl(self->fd, F_GETFD));
	EXPECT_GT(self->fd, 2);
}

TEST_F(connection, is_made_again)
{
	NEEDS_MODULE();
	ASSERT_EQ(0, pmtracebegin("t"));
	close(self->fd);
	EXPECT_EQ(0, pmtraceend("t"));
	EXPECT_EQ(1, open_devices(&self->fd));
	close(self->fd);
	EXPECT_EQ(0, pmtracepoint("p"));
	EXPECT_EQ(1, open_devices(NULL));
}

/*
 * If the number of the connection's descriptor is reused for another file, the library does not
 * touch that file.
 */
TEST_F(connection, number_is_taken)
{
	int null = open("/dev/null", O_RDWR);

	NEEDS_MODULE();
	ASSERT_EQ(self->fd, dup2(null, self->fd));
	EXPECT_EQ(0, pmtracepoint("p"));
	EXPECT_EQ(1, open_devices(NULL));
	EXPECT_EQ(1, write(self->fd, "x", 1));
}

static int child_connects(void *unused)
{
	int fd;

	(void)unused;
	if (open_devices(NULL) != 1)
		return 1;
	if (pmtracepoint("p"))
		return 2;
	return open_devices(&fd) == 1 ? 0 : 3;
}

TEST_F(connection, child_has_its_own)
{
	NEEDS_MODULE();
	EXPECT_EQ(0, in_child(child_connects, NULL));
	EXPECT_EQ(0, pmtracepoint("p"));
	EXPECT_EQ(1, open_devices(NULL));
}

static int lose_for_good(void *async)
{
	int fd, err;

	if (shim_trace_status() != SHIM_TRACE_BY_MODULE)
		return 5;
	pmtracestate(async ? PMTRACE_STATE_ASYNC : PMTRACE_STATE_NONE);
	if (pmtracebegin("t") || open_devices(&fd) != 1)
		return 1;
	close(fd);
	if (chroot("/proc") || chdir("/"))
		return 2;
	err = async ? PMTRACE_ERR_IPC : 0;
	if (pmtraceend("t") != err || pmtracepoint("p") != err || pmtracebegin("u") != err)
		return 3;
	/* The last begin call failed in asynchronous mode, and succeeded in synchronous mode. */
	return pmtraceend("u") == (async ? PMTRACE_ERR_NOSUCHTAG : 0) ? 0 : 4;
}

TEST_F(connection, loss_is_silent_when_synchronous)
{
	NEEDS_MODULE();
	EXPECT_EQ(0, in_child(lose_for_good, NULL));
}

/* This test does not use the fixture, because it sets the protocol. */
TEST(loss_is_an_error_when_asynchronous)
{
	NEEDS_MODULE();
	shim_trace_off();
	ASSERT_EQ(0, shim_trace_on(NULL));
	EXPECT_EQ(0, in_child(lose_for_good, ""));
	shim_trace_off();
}

TEST_HARNESS_MAIN
