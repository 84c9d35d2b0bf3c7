// SPDX-License-Identifier: GPL-2.0-or-later
/* When the module evicts an idle tag, the tag's statistics are deleted. */
#include <shim/shim.h>

#include "bpf_test.h"
#include "../../bpf/trace.h"

#define LIMIT(name) "/sys/module/vcpc/parameters/" name

static int set_parameter(const char *path, const char *n)
{
	int fd = open(path, O_WRONLY);
	int failed = fd < 0 || write(fd, n, strlen(n)) < 0;

	if (fd >= 0)
		close(fd);
	return failed;
}

/* Set the maximum number of tags per user and the maximum number of idle tags. */
static int set_limits(const char *each, const char *idle)
{
	return set_parameter(LIMIT("max_user_tags"), each) || set_parameter(LIMIT("max_idle_tags"), idle);
}

FIXTURE(evicted) {
	struct shim_trace_stat before, after;
	int fd;
};

FIXTURE_SETUP(evicted)
{
	/*
	 * Keep the map small: the test reads statistics often, and each reader visits the whole
	 * map.
	 */
	struct shim_trace_options options = { .size = sizeof(options), .max_tags = 128 };

	TRACING_ON(&options);
	self->fd = raw_open();
	ASSERT_GE(self->fd, 0);
}

FIXTURE_TEARDOWN(evicted)
{
	set_limits("2048", "4096");
	close(self->fd);
	shim_trace_off();
}

/* Use a tag in a child, whose exit releases the tag. */
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

static int note_tags(void *arg, const struct shim_trace_loss *loss)
{
	if (loss->what == SHIM_TRACE_LOST_TAGS)
		*(uint64_t *)arg += loss->n;
	return 0;
}

/* Return the number of tags that were removed with their statistics. */
static uint64_t tags_lost(void)
{
	struct shim_trace *trace;
	uint64_t n = 0;

	if (shim_trace_open(&trace))
		return UINT64_MAX;
	if (shim_trace_losses(trace, note_tags, &n))
		n = UINT64_MAX;
	shim_trace_close(trace);
	return n;
}

TEST_F(evicted, statistics_go_with_the_tag)
{
	ASSERT_EQ(0, use_tag("evicted"));
	ASSERT_EQ(0, read_stat("evicted", SHIM_TRACE_POINT, &self->before));
	EXPECT_EQ(0, tags_lost());
	ASSERT_EQ(0, set_limits("1", "4096"));
	ASSERT_NE(0, raw_tag(self->fd, "takes its place"));
	EXPECT_EQ(1, tags_lost());
	EXPECT_EQ(-ENOENT, read_stat("evicted", SHIM_TRACE_TRANSACTION, &self->after));
	EXPECT_EQ(-ENOENT, read_stat("evicted", SHIM_TRACE_POINT, &self->after));
	ASSERT_EQ(0, set_limits("2048", "4096"));
	ASSERT_EQ(0, use_tag("evicted"));
	ASSERT_EQ(0, read_stat("evicted", SHIM_TRACE_POINT, &self->after));
	EXPECT_EQ(1, self->after.count);
	EXPECT_NE(self->before.id, self->after.id);
}

/* Perform one transaction with each of ten sets of events in the same process. */
static void with_ten_sets(void)
{
	static const char *const events[][2] = {
		{ "page-faults" }, { "task-clock" }, { "context-switches" },
		{ "page-faults", "task-clock" }, { "task-clock", "page-faults" },
		{ "page-faults", "context-switches" }, { "context-switches", "page-faults" },
		{ "task-clock", "context-switches" }, { "context-switches", "task-clock" },
		{ "task-clock", "task-clock" },
	};
	struct shim_handle *handle;
	struct shim_set *set;
	int bad = shim_open(&handle);

	for (size_t i = 0; i < 10 && !bad; i++) {
		bad = shim_set_create(handle, events[i], events[i][1] ? 2 : 1, NULL, &set) ||
		      shim_set_bind(set, 0, SHIM_BIND_TRACE) || pmtracebegin("of ten sets") ||
		      pmtraceend("of ten sets");
		shim_set_destroy(set);
	}
	_exit(bad);
}

/* A tag has counts of a limited number of sets of events.  They are deleted with the tag. */
TEST_F(evicted, counts_go_with_the_tag)
{
	const char *const counts = VC_PIN_DIR "/vc_count";
	struct shim_trace_drops drops;

	ASSERT_EQ(0, in_child(with_ten_sets));
	EXPECT_EQ(10, count_of("of ten sets", SHIM_TRACE_TRANSACTION));
	EXPECT_EQ(VC_TAG_EVENTS, rows_of(counts));
	ASSERT_EQ(0, read_drops(&drops));
	EXPECT_EQ(10 - VC_TAG_EVENTS, drops.count_full);
	ASSERT_EQ(0, set_limits("1", "4096"));
	ASSERT_NE(0, raw_tag(self->fd, "takes the place of ten sets"));
	EXPECT_EQ(-ENOENT, read_stat("of ten sets", SHIM_TRACE_TRANSACTION, &self->after));
	EXPECT_EQ(0, rows_of(counts));
}

/* A tag in use is never evicted. */
TEST_F(evicted, held_tags_stay)
{
	uint32_t tag = raw_tag(self->fd, "held");

	ASSERT_NE(0, tag);
	ASSERT_EQ(0, raw_fire(self->fd, VCPC_TRACE_POINT, tag));
	ASSERT_EQ(0, set_limits("1", "0"));
	EXPECT_EQ(0, raw_tag(self->fd, "no room"));
	EXPECT_EQ(EUSERS, errno);
	EXPECT_EQ(-EUSERS, pmtracepoint("no room for this one either"));
	EXPECT_EQ(1, count_of("held", SHIM_TRACE_POINT));
}

/* As another user, record a point for each of @n tags, without keeping any of them in use. */
static int use_tags_as(uid_t uid, int n)
{
	int status, bad = 0;
	pid_t pid = fork();

	if (pid)
		return waitpid(pid, &status, 0) == pid ? status : -1;
	bad = setuid(uid) != 0;
	for (int i = 0; i < n && !bad; i++) {
		int fd = raw_open();
		char name[32];

		snprintf(name, sizeof(name), "user %d's %d", uid, i);
		bad = fd < 0 || raw_fire(fd, VCPC_TRACE_POINT, raw_tag(fd, name));
		close(fd);
	}
	_exit(bad);
}

/*
 * Return how many of a user's tags @from to @to - 1 have statistics; each of these must contain
 * exactly one point.
 */
static int known_of(uid_t uid, int from, int to)
{
	int known = 0;

	for (int i = from; i < to; i++) {
		char name[32];

		snprintf(name, sizeof(name), "user %d's %d", uid, i);
		known += count_of(name, SHIM_TRACE_POINT) == 1;
	}
	return known;
}

/*
 * If a user creates many tags, the user's own tags are evicted, not the tags of a user with fewer
 * tags.
 */
TEST_F(evicted, another_user_s_stay)
{
	ASSERT_EQ(0, set_limits("2048", "0"));
	ASSERT_EQ(0, use_tag("goes, and all that was there"));
	ASSERT_EQ(0, set_limits("2048", "16"));
	ASSERT_EQ(0, use_tags_as(1001, 4));
	ASSERT_EQ(0, use_tags_as(1002, 100));
	EXPECT_EQ(4, known_of(1001, 0, 4));
	EXPECT_EQ(12, known_of(1002, 88, 100));
	EXPECT_EQ(0, known_of(1002, 0, 88));
	/* When both users create many tags, each keeps half of the idle tags. */
	ASSERT_EQ(0, use_tags_as(1001, 100));
	EXPECT_EQ(8, known_of(1001, 0, 100));
	EXPECT_EQ(8, known_of(1001, 92, 100));
	EXPECT_EQ(8, known_of(1002, 92, 100));
}

/* When a user's last tag is evicted, the user's account is closed. */
TEST_F(evicted, accounts_go_with_the_last_tag)
{
	ASSERT_EQ(0, set_limits("2048", "8"));
	for (uid_t uid = 1001; uid <= 1040; uid++)
		ASSERT_EQ(0, use_tags_as(uid, 1));
	EXPECT_EQ(1, known_of(1040, 0, 1));
	/* In addition to the users' rows, vc_user always has three rows. */
	EXPECT_GE(9 + 3, rows_of("/sys/fs/bpf/vcpc/vc_user"));
	EXPECT_LE(4, rows_of("/sys/fs/bpf/vcpc/vc_user"));
}

TEST_HARNESS_MAIN
