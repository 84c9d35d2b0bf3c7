// SPDX-License-Identifier: GPL-2.0-or-later
/* When the module forgets a tag that nobody holds, its statistics go, too. */
#include "bpf_test.h"

#define LIMIT "/sys/module/vcpc/parameters/max_tags"

static int set_limit(const char *n)
{
	int fd = open(LIMIT, O_WRONLY);
	int failed = fd < 0 || write(fd, n, strlen(n)) < 0;

	if (fd >= 0)
		close(fd);
	return failed;
}

FIXTURE(evicted) {
	struct shim_trace_stat before, after;
	int fd;
};

FIXTURE_SETUP(evicted)
{
	TRACING_ON(NULL);
	self->fd = raw_open();
	ASSERT_GE(self->fd, 0);
}

FIXTURE_TEARDOWN(evicted)
{
	set_limit("4096");
	close(self->fd);
	shim_trace_off();
}

/* All of it in a child, which then holds the tag no more */
static int use_tag(const char *name)
{
	int status;
	pid_t pid = fork();

	if (!pid)
		_exit(pmtracebegin(name) || pmtraceend(name) || pmtracepoint(name));
	return waitpid(pid, &status, 0) == pid ? status : -1;
}

TEST_F(evicted, statistics_outlive_the_process)
{
	ASSERT_EQ(0, use_tag("kept"));
	ASSERT_EQ(0, use_tag("kept"));
	EXPECT_EQ(2, count_of("kept", SHIM_TRACE_TRANSACTION));
	EXPECT_EQ(2, count_of("kept", SHIM_TRACE_POINT));
}

TEST_F(evicted, statistics_go_with_the_tag)
{
	ASSERT_EQ(0, use_tag("evicted"));
	ASSERT_EQ(0, read_stat("evicted", SHIM_TRACE_POINT, &self->before));
	ASSERT_EQ(0, set_limit("1"));
	ASSERT_NE(0, raw_tag(self->fd, "takes its place"));
	EXPECT_EQ(-ENOENT, read_stat("evicted", SHIM_TRACE_TRANSACTION, &self->after));
	EXPECT_EQ(-ENOENT, read_stat("evicted", SHIM_TRACE_POINT, &self->after));
	ASSERT_EQ(0, set_limit("4096"));
	ASSERT_EQ(0, use_tag("evicted"));
	ASSERT_EQ(0, read_stat("evicted", SHIM_TRACE_POINT, &self->after));
	EXPECT_EQ(1, self->after.count);
	EXPECT_NE(self->before.id, self->after.id);
}

/* A tag that is held stays, whatever is asked for. */
TEST_F(evicted, held_tags_stay)
{
	uint32_t tag = raw_tag(self->fd, "held");

	ASSERT_NE(0, tag);
	ASSERT_EQ(0, raw_fire(self->fd, VCPC_TRACE_POINT, tag, 0));
	ASSERT_EQ(0, set_limit("1"));
	EXPECT_EQ(0, raw_tag(self->fd, "no room"));
	EXPECT_EQ(ENOSPC, errno);
	EXPECT_EQ(-ENOSPC, pmtracepoint("no room for this one either"));
	EXPECT_EQ(1, count_of("held", SHIM_TRACE_POINT));
}

TEST_HARNESS_MAIN
