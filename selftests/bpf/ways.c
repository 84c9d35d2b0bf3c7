// SPDX-License-Identifier: GPL-2.0-or-later
/* Statistics and errors are the same with the module and, without it, with probes on libshim. */
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>

#include "inside.h"
#include "ways.h"

TEST_F(ways, statistics)
{
	UNLESS_MISSING();
	ASSERT_EQ(0, pmtracepoint("nobody listens"));
	ASSERT_EQ(0, shim_trace_on(&self->options));
	EXPECT_EQ(variant->status, shim_trace_status());
	for (int i = 0; i < 1000; i++) {
		ASSERT_EQ(0, pmtracebegin("probed"));
		ASSERT_EQ(0, pmtraceend("probed"));
	}
	ASSERT_EQ(0, pmtracebegin("probed"));
	usleep(20000);
	ASSERT_EQ(0, pmtraceend("probed"));
	ASSERT_EQ(0, pmtracebegin("probed"));
	ASSERT_EQ(0, pmtraceabort("probed"));
	ASSERT_EQ(0, pmtraceobs("probed", -2.5));
	ASSERT_EQ(0, read_stat("probed", SHIM_TRACE_TRANSACTION, &self->stat));
	EXPECT_EQ(1001, self->stat.count);
	EXPECT_EQ(1, self->stat.aborted);
	EXPECT_GT(self->stat.min_ns, 0);
	EXPECT_GE(self->stat.sum_ns, 1000 * self->stat.min_ns);
	EXPECT_LE(self->stat.sum_ns, 1001 * self->stat.max_ns);
	EXPECT_GE(self->stat.last_took_ns, 20000000);
	ASSERT_EQ(0, read_stat("probed", SHIM_TRACE_OBSERVATION, &self->stat));
	EXPECT_TRUE(self->stat.value == -2.5);
	EXPECT_EQ(0, count_of("nobody listens", SHIM_TRACE_POINT));
}

static void as_user_likes(void)
{
	unsetenv("SHIM_TRACE");
	if (pmtracepoint("chosen"))
		_exit(1);
}

TEST_F(ways, is_chosen)
{
	UNLESS_MISSING();
	if (HAS_MODULE != (variant->status == SHIM_TRACE_BY_MODULE))
		SKIP(return, "the vcpc module is loaded");
	self->options.flags = 0;
	ASSERT_EQ(0, shim_trace_on(&self->options));
	EXPECT_EQ(variant->status, shim_trace_status());
	EXPECT_EQ(0, in_child(as_user_likes));
	EXPECT_EQ(1, count_of("chosen", SHIM_TRACE_POINT));
}

TEST_F(ways, module_is_asked_for)
{
	UNLESS_MISSING();
	if (HAS_MODULE)
		SKIP(return, "the vcpc module is loaded");
	self->options.flags = SHIM_TRACE_F_MODULE;
	EXPECT_EQ(-ENODEV, shim_trace_on(&self->options));
	EXPECT_EQ(0, shim_trace_status());
}

static void begins_inside(void)
{
	pmtracebegin("exit");
}

/* A transaction that never ends is counted as abandoned, regardless of how its process ends. */
TEST_F(ways, given_up)
{
	UNLESS_MISSING();
	self->options.flags |= SHIM_TRACE_F_BEGINS;
	ASSERT_EQ(0, shim_trace_on(&self->options));
	ASSERT_EQ(0, pmtracebegin("of the parent"));
	EXPECT_EQ(0, children_inside());
	ASSERT_EQ(0, pmtraceend("of the parent"));
	EXPECT_EQ(1, count_of("of the parent", SHIM_TRACE_TRANSACTION));
	EXPECT_EQ(0, count_of("exit", SHIM_TRACE_TRANSACTION));
	ASSERT_EQ(0, read_drops(&self->drops));
	EXPECT_EQ(3, self->drops.given_up);
	EXPECT_EQ(0, self->drops.not_open);
}

static void does_nothing(void)
{
}

static uint64_t monotonic(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000ull + ts.tv_nsec;
}

/* Return the shortest lifetime of a process that traces nothing. */
static uint64_t shortest_life(void)
{
	uint64_t least = UINT64_MAX, took;

	for (int i = 0; i < 50; i++) {
		took = monotonic();
		if (in_child(does_nothing))
			return UINT64_MAX;
		took = monotonic() - took;
		least = took < least ? took : least;
	}
	return least;
}

/* Transactions of other processes do not delay a process that traces nothing. */
TEST_F(ways, others_begins)
{
	uint64_t before;
	char name[32];

	UNLESS_MISSING();
#ifndef __aarch64__
	SKIP(return, "time counts instructions in the arm64 VM only");
#endif
	self->options.flags |= SHIM_TRACE_F_BEGINS;
	self->options.max_tags = 16384;
	ASSERT_EQ(0, shim_trace_on(&self->options));
	before = shortest_life();
	for (int i = 0; i < (variant->flag == SHIM_TRACE_F_MODULE ? 2000 : 16000); i++) {
		snprintf(name, sizeof(name), "begun %d", i);
		ASSERT_EQ(0, pmtracebegin(name));
	}
	EXPECT_LT(2 * shortest_life(), 3 * before);
}

/*
 * Turn tracing off, wait @us, begin a transaction, and turn tracing on.  The wait is necessary
 * because the kernel detaches a program or a probe some time after its link is closed.
 */
static int begin_unheard(const struct shim_trace_options *options, unsigned int us)
{
	int err = shim_trace_off();

	usleep(us);
	err = err ? err : pmtracebegin("in flight");
	err = err ? err : shim_trace_on(options);
	return err ? err : pmtraceend("in flight");
}

/* If tracing is turned off and on during a transaction, the end still contains the start time. */
TEST_F(ways, detached_in_flight)
{
	UNLESS_MISSING();
	ASSERT_EQ(0, shim_trace_on(&self->options));
	ASSERT_EQ(0, pmtracebegin("in flight"));
	ASSERT_EQ(0, shim_trace_off());
	ASSERT_EQ(0, pmtracepoint("off"));
	ASSERT_EQ(0, shim_trace_on(&self->options));
	ASSERT_EQ(0, pmtraceend("in flight"));
	EXPECT_EQ(1, count_of("in flight", SHIM_TRACE_TRANSACTION));
	EXPECT_EQ(0, count_of("off", SHIM_TRACE_POINT));
	/*
	 * A transaction that began without a listener is counted as unknown.  Increase the wait
	 * until no listener is attached.
	 */
	for (int ms = 300; ms < 30000; ms *= 2) {
		ASSERT_EQ(0, begin_unheard(&self->options, 1000 * ms));
		if (!count_of("in flight", SHIM_TRACE_TRANSACTION))
			break;
	}
	EXPECT_EQ(0, count_of("in flight", SHIM_TRACE_TRANSACTION));
	ASSERT_EQ(0, read_drops(&self->drops));
	EXPECT_EQ(1, self->drops.not_open);
}

TEST_F(ways, threads_by_the_hundred)
{
	UNLESS_MISSING();
	ASSERT_EQ(0, shim_trace_on(&self->options));
	EXPECT_EQ(0, traced_by_threads(200, 20));
}

TEST_F(ways, tags_are_full)
{
	char tag[16];
	int seen = 0;

	UNLESS_MISSING();
	self->options.max_tags = 8;
	ASSERT_EQ(0, shim_trace_on(&self->options));
	for (int i = 0; i < 12; i++) {
		snprintf(tag, sizeof(tag), "tag %d", i);
		ASSERT_EQ(0, pmtracepoint(tag));
		seen += count_of(tag, SHIM_TRACE_POINT);
	}
	EXPECT_EQ(8, seen);
	ASSERT_EQ(0, read_drops(&self->drops));
	EXPECT_EQ(4, self->drops.tag_full);
}

/* A transaction is listed as open until it ends. */
TEST_F(ways, open_ones)
{
	struct events events = { .n = 0 };

	UNLESS_MISSING();
	self->options.flags |= SHIM_TRACE_F_BEGINS;
	ASSERT_EQ(0, shim_trace_on(&self->options));
	ASSERT_EQ(0, shim_trace_open(&self->trace));
	ASSERT_EQ(0, pmtracebegin("still open"));
	ASSERT_EQ(0, shim_trace_events_open(self->trace, take, &events));
	EXPECT_EQ(1, events.n);
	EXPECT_STREQ("still open", events.last.name);
	ASSERT_EQ(0, pmtraceend("still open"));
	ASSERT_EQ(0, shim_trace_events_open(self->trace, take, &events));
	EXPECT_EQ(1, events.n);
}

/* If begin events are recorded, each thread's transaction has its own row. */
TEST_F(ways, threads_share_a_tag)
{
	struct events events = { .n = 0 };

	UNLESS_MISSING();
	self->options.flags |= SHIM_TRACE_F_BEGINS;
	ASSERT_EQ(0, shim_trace_on(&self->options));
	ASSERT_EQ(0, shim_trace_open(&self->trace));
	EXPECT_EQ(0, traced_by_threads(16, 500));
	ASSERT_EQ(0, read_drops(&self->drops));
	EXPECT_EQ(0, self->drops.not_open + self->drops.given_up);
	EXPECT_EQ(0, self->drops.open_full);
	ASSERT_EQ(0, shim_trace_events_open(self->trace, take, &events));
	EXPECT_EQ(0, events.n);
}

static void *begin_shared(void *unused)
{
	(void)unused;
	return (void *)(intptr_t)pmtracebegin("shared");
}

static int begun_by_a_thread(void)
{
	void *bad = (void *)1;
	pthread_t thread;

	return pthread_create(&thread, NULL, begin_shared, NULL) || pthread_join(thread, &bad) || bad;
}

/*
 * If a thread ends another thread's transaction, only that transaction is removed from the list of
 * open ones.
 */
TEST_F(ways, open_ones_of_threads)
{
	UNLESS_MISSING();
	self->options.flags |= SHIM_TRACE_F_BEGINS;
	ASSERT_EQ(0, shim_trace_on(&self->options));
	ASSERT_EQ(0, shim_trace_open(&self->trace));
	ASSERT_EQ(0, begun_by_a_thread());
	ASSERT_EQ(0, pmtracebegin("shared"));
	ASSERT_EQ(0, begun_by_a_thread());
	EXPECT_EQ(3, open_now(self->trace));
	for (int left = 3; left--; ) {
		ASSERT_EQ(0, pmtraceend("shared"));
		EXPECT_EQ(left, open_now(self->trace));
	}
	EXPECT_EQ(PMTRACE_ERR_NOPROGRESS, pmtraceend("shared"));
	EXPECT_EQ(3, count_of("shared", SHIM_TRACE_TRANSACTION));
	ASSERT_EQ(0, read_drops(&self->drops));
	EXPECT_EQ(0, self->drops.not_open);
	EXPECT_EQ(0, self->drops.given_up);
}

/*
 * If a thread without a transaction sends an end, this ends the oldest open transaction, even one
 * in vc_open.
 */
TEST_F(ways, oldest_is_ended)
{
	UNLESS_MISSING();
	self->options.flags |= SHIM_TRACE_F_BEGINS;
	for (int hashed = 0; hashed < 2; hashed++) {
		self->options.max_open = hashed ? 16 : 0;
		ASSERT_EQ(0, shim_trace_on(&self->options));
		ASSERT_EQ(0, shim_trace_open(&self->trace));
		ASSERT_EQ(0, begun_by_a_thread());
		usleep(50000);
		ASSERT_EQ(0, begun_by_a_thread());
		ASSERT_EQ(0, pmtraceend("shared"));
		ASSERT_EQ(0, read_stat("shared", SHIM_TRACE_TRANSACTION, &self->stat));
		EXPECT_LE(50000000, self->stat.last_took_ns);
		EXPECT_EQ(1, open_now(self->trace));
		ASSERT_EQ(0, pmtraceabort("shared"));
		ASSERT_EQ(0, read_stat("shared", SHIM_TRACE_TRANSACTION, &self->stat));
		EXPECT_EQ(1, self->stat.count);
		EXPECT_EQ(1, self->stat.aborted);
		EXPECT_EQ(0, open_now(self->trace));
		ASSERT_EQ(0, read_drops(&self->drops));
		EXPECT_EQ(0, self->drops.not_open + self->drops.given_up);
		shim_trace_close(self->trace);
		self->trace = NULL;
		ASSERT_EQ(0, shim_trace_off());
	}
}

/* Return the time at which the newest transaction in the pinned array vc_open_row began. */
static uint64_t newest_row(void)
{
	union bpf_attr attr = { .pathname = (uintptr_t)"/sys/fs/bpf/vcpc/vc_open_row" };
	uint64_t row[8], newest = 0;
	uint32_t i = 0;
	int fd = syscall(SYS_bpf, BPF_OBJ_GET, &attr, sizeof(attr));

	memset(&attr, 0, sizeof(attr));
	attr.map_fd = fd;
	attr.key = (uintptr_t)&i;
	attr.value = (uintptr_t)row;
	for (; !syscall(SYS_bpf, BPF_MAP_LOOKUP_ELEM, &attr, sizeof(attr)); i++)
		if (row[0] > newest)
			newest = row[0];
	close(fd);
	return newest;
}

/*
 * Transactions that do not fit into vc_open_row are in vc_open; readers see one table.  A new
 * transaction gets a row even if vc_open_row is full.
 */
TEST_F(ways, more_than_rows)
{
	enum { MANY = 1500 };
	uint64_t before;
	char name[32];

	UNLESS_MISSING();
	self->options.flags |= SHIM_TRACE_F_BEGINS;
	self->options.max_tags = 2 * MANY;
	ASSERT_EQ(0, shim_trace_on(&self->options));
	ASSERT_EQ(0, shim_trace_open(&self->trace));
	for (int i = 0; i < MANY; i++) {
		snprintf(name, sizeof(name), "one of many %d", i);
		before = monotonic();
		ASSERT_EQ(0, pmtracebegin(name));
		if (i % 100 == 99)
			ASSERT_LE(before, newest_row()) TH_LOG("transaction %d", i);
	}
	EXPECT_EQ(MANY, open_now(self->trace));
	EXPECT_EQ(0, children_inside());
	for (int i = MANY; i--; ) {
		snprintf(name, sizeof(name), "one of many %d", i);
		ASSERT_EQ(0, i % 2 ? pmtraceend(name) : pmtraceabort(name));
	}
	EXPECT_EQ(0, open_now(self->trace));
	EXPECT_EQ(1, count_of("one of many 1", SHIM_TRACE_TRANSACTION));
	EXPECT_EQ(1, count_of("one of many 1499", SHIM_TRACE_TRANSACTION));
	EXPECT_EQ(0, count_of("one of many 0", SHIM_TRACE_TRANSACTION));
	ASSERT_EQ(0, read_drops(&self->drops));
	EXPECT_EQ(3, self->drops.given_up);
	EXPECT_EQ(0, self->drops.not_open + self->drops.open_full);
}

/* By default, the module records begin events, but probes do not. */
TEST_F(ways, begins_by_default)
{
	int by_module = variant->flag == SHIM_TRACE_F_MODULE;

	UNLESS_MISSING();
	ASSERT_EQ(0, shim_trace_on(&self->options));
	ASSERT_EQ(0, shim_trace_open(&self->trace));
	ASSERT_EQ(0, pmtracebegin("shared"));
	EXPECT_EQ(by_module, open_now(self->trace));
	ASSERT_EQ(0, shim_trace_off());
	self->options.flags |= SHIM_TRACE_F_USER_BEGINS;
	ASSERT_EQ(0, shim_trace_on(&self->options));
	ASSERT_EQ(0, pmtraceend("shared"));
	ASSERT_EQ(0, pmtracebegin("shared"));
	EXPECT_EQ(0, open_now(self->trace));
	ASSERT_EQ(0, pmtraceend("shared"));
	ASSERT_EQ(0, shim_trace_off());
	self->options.flags |= SHIM_TRACE_F_BEGINS;
	EXPECT_EQ(-EINVAL, shim_trace_on(&self->options));
}

/*
 * Perform ten transactions in a process in which posix_fadvise(2) fails, as in a kernel without it.
 */
static void without_advice(void)
{
	static struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_fadvise64, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	const struct sock_fprog filter = { sizeof(code) / sizeof(code[0]), code };

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter))
		_exit(1);
	for (int i = 0; i < 10; i++)
		if (pmtracebegin("written") || pmtraceend("written"))
			_exit(2);
}

TEST_F(ways, without_advice)
{
	UNLESS_MISSING();
	ASSERT_EQ(0, shim_trace_on(&self->options));
	ASSERT_EQ(0, in_child(without_advice));
	EXPECT_EQ(10, count_of("written", SHIM_TRACE_TRANSACTION));
	ASSERT_EQ(0, read_drops(&self->drops));
	EXPECT_EQ(0, self->drops.not_open + self->drops.given_up);
}

static void *pair_shared(void *unused)
{
	(void)unused;
	return (void *)(intptr_t)(pmtracebegin("shared") | pmtraceend("shared"));
}

/* Rows of threads that have exited are reused. */
TEST_F(ways, threads_come_and_go)
{
	void *bad;

	UNLESS_MISSING();
	self->options.flags |= SHIM_TRACE_F_BEGINS;
	self->options.max_open = 16;
	ASSERT_EQ(0, shim_trace_on(&self->options));
	for (int i = 0; i < 100; i++) {
		pthread_t thread;

		ASSERT_EQ(0, pthread_create(&thread, NULL, pair_shared, NULL));
		ASSERT_EQ(0, pthread_join(thread, &bad));
		EXPECT_EQ(NULL, bad);
	}
	EXPECT_EQ(100, count_of("shared", SHIM_TRACE_TRANSACTION));
	ASSERT_EQ(0, read_drops(&self->drops));
	EXPECT_EQ(0, self->drops.open_full);
}

TEST_HARNESS_MAIN
