// SPDX-License-Identifier: GPL-2.0-or-later
/* Transactions contain correct counts if the thread writes its statistics itself. */
#include <dlfcn.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/time.h>

#include <shim/shim.h>

#include "faults.h"

#define SLOTS	64

FIXTURE(direct_counts) {
	const char *missing;
	struct shim_handle *handle;
	struct shim_set *set;
	struct shim_trace *trace;
};

static const char *const faults[] = { "page-faults" };
static const char *const two[] = { "page-faults", "context-switches" };

FIXTURE_SETUP(direct_counts)
{
	struct shim_trace_options options = { .size = sizeof(options), .direct_slots = SLOTS };

	ASSERT_EQ(0, trace_place(0, &self->missing));
	ASSERT_EQ(0, prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0));
	setenv("SHIM_TRACE", "direct", 1);
	if (shim_open(&self->handle))
		self->missing = "nothing counts here";
	else if (shim_set_create(self->handle, faults, 1, NULL, &self->set))
		self->missing = "page-faults cannot be counted here";
	if (self->missing)
		return;
	TRACING_ON(&options);
	ASSERT_EQ(0, shim_set_bind(self->set, 0, SHIM_BIND_TRACE));
	ASSERT_EQ(0, shim_trace_open(&self->trace));
}

FIXTURE_TEARDOWN(direct_counts)
{
	shim_trace_close(self->trace);
	shim_set_destroy(self->set);
	shim_close(self->handle);
	shim_trace_off();
}

/* Add up the counts of an event over all rows of a tag, and return the number of rows. */
static unsigned int counted(struct shim_trace *trace, const char *tag, const char *event,
			    uint64_t *transactions, uint64_t *sum)
{
	unsigned int rows = 0;
	size_t n = 0;

	*transactions = *sum = 0;
	if (shim_trace_counts_get(trace, &n))
		return 99;
	for (size_t i = 0; i < n; i++) {
		const struct shim_trace_count *count = shim_trace_count_at(trace, i);

		if (strcmp(count->name, tag) || strncmp(count->event, event, strlen(event)))
			continue;
		rows++;
		*transactions += count->transactions;
		*sum += count->sum;
	}
	return rows;
}

#define EXPECT_COUNTED(tag, event, rows, n, least, most) do {				\
	uint64_t n_, sum_;								\
	EXPECT_EQ(rows, counted(self->trace, tag, event, &n_, &sum_));			\
	EXPECT_EQ(n, n_);								\
	EXPECT_GE(sum_, (uint64_t)(least));						\
	EXPECT_LE(sum_, (uint64_t)(most));						\
} while (0)

TEST_F(direct_counts, in_each)
{
	UNLESS_MISSING();
	ASSERT_EQ(0, transaction("warm", 1));
	for (int i = 0; i < 10; i++) {
		ASSERT_EQ(0, transaction("touches", 20));
		ASSERT_EQ(0, touch(50));
	}
	EXPECT_COUNTED("touches", "page-faults", 1, 10, 200, 220);
	EXPECT_EQ(10, count_of("touches", SHIM_TRACE_TRANSACTION));
	EXPECT_COUNTED("nothing of it", "page-faults", 0, 0, 0, 0);
}

/* Nested transactions with different tags have separate counts. */
TEST_F(direct_counts, nested)
{
	UNLESS_MISSING();
	ASSERT_EQ(0, transaction("warm", 1));
	for (int i = 0; i < 5; i++) {
		ASSERT_EQ(0, pmtracebegin("outer"));
		ASSERT_EQ(0, touch(30));
		ASSERT_EQ(0, transaction("inner", 10));
		ASSERT_EQ(0, pmtraceend("outer"));
	}
	EXPECT_COUNTED("outer", "page-faults", 1, 5, 200, 220);
	EXPECT_COUNTED("inner", "page-faults", 1, 5, 50, 60);
}

/* A rejected begin and an abort do not change the counts. */
TEST_F(direct_counts, refused_and_aborted)
{
	UNLESS_MISSING();
	ASSERT_EQ(0, transaction("twice", 1));
	ASSERT_EQ(0, pmtracebegin("twice"));
	ASSERT_EQ(0, touch(20));
	EXPECT_EQ(PMTRACE_ERR_INPROGRESS, pmtracebegin("twice"));
	ASSERT_EQ(0, touch(20));
	ASSERT_EQ(0, pmtraceend("twice"));
	EXPECT_COUNTED("twice", "page-faults", 1, 2, 41, 60);
	ASSERT_EQ(0, pmtracebegin("twice"));
	ASSERT_EQ(0, touch(500));
	ASSERT_EQ(0, pmtraceabort("twice"));
	EXPECT_EQ(PMTRACE_ERR_NOPROGRESS, pmtraceend("twice"));
	EXPECT_COUNTED("twice", "page-faults", 1, 2, 41, 60);
}

static void *ends_it(void *tag)
{
	return (void *)(intptr_t)pmtraceend(tag);
}

static void *begins_it(void *tag)
{
	return (void *)(intptr_t)pmtracebegin(tag);
}

static intptr_t in_thread(void *(*fn)(void *), void *arg)
{
	pthread_t thread;
	void *ret;

	if (pthread_create(&thread, NULL, fn, arg) || pthread_join(thread, &ret))
		return -1;
	return (intptr_t)ret;
}

/*
 * Counters belong to a thread: if another thread ends a transaction, it is timed, but not counted.
 */
TEST_F(direct_counts, begun_or_ended_by_another)
{
	UNLESS_MISSING();
	ASSERT_EQ(0, transaction("shared", 1));
	ASSERT_EQ(0, pmtracebegin("shared"));
	ASSERT_EQ(0, in_thread(ends_it, "shared"));
	ASSERT_EQ(0, in_thread(begins_it, "shared"));
	ASSERT_EQ(0, pmtraceend("shared"));
	ASSERT_EQ(0, transaction("shared", 5));
	EXPECT_COUNTED("shared", "page-faults", 1, 2, 6, 20);
	EXPECT_EQ(4, count_of("shared", SHIM_TRACE_TRANSACTION));
}

/* A thread that traces while the main thread destroys its set */
struct victim {
	struct shim_handle *handle;
	struct shim_set *_Atomic set;
	atomic_int stop, bad;
};

static void *traces_on(void *arg)
{
	struct victim *v = arg;
	struct shim_set *set;

	if (shim_set_create(v->handle, two, 2, NULL, &set) || shim_set_bind(set, 0, SHIM_BIND_TRACE))
		v->bad = 1;
	v->set = set;
	while (!v->stop)
		v->bad |= transaction("destroyed", 0) != 0;
	for (int i = 0; i < 20; i++)
		v->bad |= transaction("destroyed", 0) != 0;
	return NULL;
}

TEST_F(direct_counts, destroyed_by_another)
{
	struct victim v = { .handle = self->handle };
	pthread_t thread;
	uint64_t n, sum;

	UNLESS_MISSING();
	for (int i = 0; i < 100; i++) {
		v.set = NULL;
		v.stop = 0;
		ASSERT_EQ(0, pthread_create(&thread, NULL, traces_on, &v));
		while (!v.set)
			sched_yield();
		usleep(i % 10 * 50);
		shim_set_destroy(v.set);
		usleep(i % 3 * 50);
		v.stop = 1;
		ASSERT_EQ(0, pthread_join(thread, NULL));
		ASSERT_EQ(0, v.bad);
	}
	/* Each new set has other events, so the set has a separate row. */
	EXPECT_LE(counted(self->trace, "destroyed", "context-switches", &n, &sum), 1);
	EXPECT_LE(sum, 1000000);
	EXPECT_GE(count_of("destroyed", SHIM_TRACE_TRANSACTION), 2000);
}

/* Each set has its own row, even if a thread alternates between two sets. */
TEST_F(direct_counts, two_sets)
{
	struct shim_set *other;

	UNLESS_MISSING();
	ASSERT_EQ(0, shim_set_create(self->handle, two, 2, NULL, &other));
	for (int i = 0; i < 6; i++) {
		if (i) {
			ASSERT_EQ(0, shim_set_unbind(i % 2 ? self->set : other, 0));
			ASSERT_EQ(0, shim_set_bind(i % 2 ? other : self->set, 0, SHIM_BIND_TRACE));
		}
		ASSERT_EQ(0, transaction("of two", 10));
	}
	EXPECT_COUNTED("of two", "page-faults", 2, 6, 60, 80);
	EXPECT_COUNTED("of two", "context-switches", 1, 3, 0, 100);
	EXPECT_EQ(6, count_of("of two", SHIM_TRACE_TRANSACTION));
	shim_set_destroy(other);
}

/* If a set is bound again, stopped or unbound inside a transaction, there are no counts. */
TEST_F(direct_counts, changed_inside)
{
	UNLESS_MISSING();
	ASSERT_EQ(0, pmtracebegin("changed"));
	ASSERT_EQ(0, shim_set_unbind(self->set, 0));
	ASSERT_EQ(0, shim_set_bind(self->set, 0, SHIM_BIND_TRACE));
	ASSERT_EQ(0, pmtraceend("changed"));
	EXPECT_COUNTED("changed", "page-faults", 0, 0, 0, 0);
	ASSERT_EQ(0, pmtracebegin("changed"));
	ASSERT_EQ(0, shim_set_disable(self->set, 0));
	ASSERT_EQ(0, pmtraceend("changed"));
	ASSERT_EQ(0, transaction("changed", 1));
	EXPECT_COUNTED("changed", "page-faults", 0, 0, 0, 0);
	ASSERT_EQ(0, shim_set_enable(self->set, 0));
	ASSERT_EQ(0, transaction("changed", 10));
	EXPECT_COUNTED("changed", "page-faults", 1, 1, 10, 15);
	ASSERT_EQ(0, shim_set_unbind(self->set, 0));
	ASSERT_EQ(0, transaction("changed", 10));
	EXPECT_COUNTED("changed", "page-faults", 1, 1, 10, 15);
	EXPECT_EQ(5, count_of("changed", SHIM_TRACE_TRANSACTION));
}

struct rebinder {
	struct shim_set *set;
	pid_t tid;
};

static void *rebinds(void *arg)
{
	struct rebinder *r = arg;

	return (void *)(intptr_t)(shim_set_unbind(r->set, r->tid) || shim_set_bind(r->set, r->tid, 0));
}

/*
 * This also applies if another thread binds the set again, or stops and starts it.  Sets of the
 * module cannot be bound or unbound by another thread.
 */
TEST_F(direct_counts, changed_by_another)
{
	struct rebinder r = { .set = self->set, .tid = gettid() };

	UNLESS_MISSING();
	ASSERT_EQ(0, transaction("rebound", 5));
	if (strcmp(shim_set_backend(self->set), "vcpc")) {
		ASSERT_EQ(0, pmtracebegin("rebound"));
		ASSERT_EQ(0, in_thread(rebinds, &r));
		ASSERT_EQ(0, touch(100));
		ASSERT_EQ(0, pmtraceend("rebound"));
	}
	ASSERT_EQ(0, pmtracebegin("rebound"));
	ASSERT_EQ(0, shim_set_disable(self->set, 0));
	ASSERT_EQ(0, touch(100));
	ASSERT_EQ(0, shim_set_enable(self->set, 0));
	ASSERT_EQ(0, pmtraceend("rebound"));
	EXPECT_COUNTED("rebound", "page-faults", 1, 1, 5, 15);
	ASSERT_EQ(0, transaction("rebound", 5));
	EXPECT_COUNTED("rebound", "page-faults", 1, 2, 10, 25);
}

static void *cancels_itself(void *handle)
{
	struct shim_set *set;
	int bad = shim_set_create(handle, faults, 1, NULL, &set) ||
		  shim_set_bind(set, 0, SHIM_BIND_TRACE);

	pthread_cancel(pthread_self());
	for (int i = 0; i < 2 && !bad; i++)
		bad = pmtracebegin("cancelled") || pmtraceend("cancelled");
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL);
	shim_set_destroy(set);
	return (void *)(intptr_t)bad;
}

/* Begin and end are not cancellation points, even if they read the counters with a system call. */
TEST_F(direct_counts, cancelled)
{
	uint64_t n, sum;

	UNLESS_MISSING();
	/* The C library needs libgcc_s to cancel a thread, and the VMs do not have it. */
	if (!dlopen("libgcc_s.so.1", RTLD_NOW))
		SKIP(return, "no libgcc_s.so.1");
	for (int i = 0; i < 50; i++)
		ASSERT_EQ(0, in_thread(cancels_itself, self->handle));
	EXPECT_EQ(1, counted(self->trace, "cancelled", "page-faults", &n, &sum));
	EXPECT_EQ(100, n);
	EXPECT_EQ(100, count_of("cancelled", SHIM_TRACE_TRANSACTION));
}

static void traces_in_child(void)
{
	for (int i = 0; i < 10; i++)
		if (transaction("of both", 10))
			_exit(1);
}

/* A child inherits neither the parent's set nor its counters. */
TEST_F(direct_counts, forked)
{
	UNLESS_MISSING();
	ASSERT_EQ(0, transaction("of both", 10));
	ASSERT_EQ(0, in_child(traces_in_child));
	ASSERT_EQ(0, transaction("of both", 10));
	EXPECT_COUNTED("of both", "page-faults", 1, 2, 20, 30);
	EXPECT_EQ(12, count_of("of both", SHIM_TRACE_TRANSACTION));
}

static void *has_its_own(void *handle)
{
	struct shim_set *set;
	intptr_t bad = shim_set_create(handle, faults, 1, NULL, &set) ||
		       shim_set_bind(set, 0, SHIM_BIND_TRACE);

	for (int i = 0; i < 50 && !bad; i++)
		bad = transaction("of all", 2);
	if (!bad)
		shim_set_destroy(set);
	return (void *)bad;
}

/*
 * Return the number of page faults of this process so far, which is an upper limit for the counts
 * of its transactions. AddressSanitizer causes page faults in mmap(2) and munmap(2).
 */
static uint64_t all_faults(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return usage.ru_minflt + usage.ru_majflt;
}

/* Threads that run one after the other share a row, which holds the sum of their counts. */
TEST_F(direct_counts, threads)
{
	struct shim_trace_drops drops;
	uint64_t before = all_faults();

	UNLESS_MISSING();
	for (int i = 0; i < 100; i++)
		ASSERT_EQ(0, in_thread(has_its_own, self->handle));
	EXPECT_COUNTED("of all", "page-faults", 1, 5000, 10000, all_faults() - before);
	ASSERT_EQ(0, shim_trace_drops_get(self->trace, &drops));
	EXPECT_EQ(0, drops.direct_full + drops.count_full);
}

/* If no row is free for its events, a transaction is still recorded, but its counts are lost. */
TEST_F(direct_counts, full)
{
	struct shim_trace_drops drops;
	struct shim_set *other;
	char tag[16];

	UNLESS_MISSING();
	for (int i = 0; i < SLOTS; i++) {
		snprintf(tag, sizeof(tag), "tag %d", i);
		ASSERT_EQ(0, transaction(tag, 1));
	}
	ASSERT_EQ(0, shim_set_create(self->handle, two, 2, NULL, &other));
	ASSERT_EQ(0, shim_set_unbind(self->set, 0));
	ASSERT_EQ(0, shim_set_bind(other, 0, SHIM_BIND_TRACE));
	for (int i = 0; i < 3; i++)
		ASSERT_EQ(0, transaction("tag 7", 1));
	EXPECT_COUNTED("tag 7", "page-faults", 1, 1, 1, 10);
	ASSERT_EQ(0, shim_trace_drops_get(self->trace, &drops));
	EXPECT_EQ(3, drops.count_full);
	EXPECT_EQ(0, drops.direct_full);
	EXPECT_EQ(4, count_of("tag 7", SHIM_TRACE_TRANSACTION));
	for (int i = 0; i < 10; i++)
		ASSERT_EQ(0, transaction("no slot", 0));
	ASSERT_EQ(0, shim_trace_drops_get(self->trace, &drops));
	EXPECT_EQ(10, drops.direct_full);
	shim_set_destroy(other);
}

static atomic_int handled;

static void on_alarm(int sig)
{
	int saved = errno;

	(void)sig;
	handled++;
	/* A call can fail, because the interrupted call may be inside the library. */
	if (!pmtracebegin("of both"))
		pmtraceend("of both");
	pmtracebegin("handler's");
	pmtraceend("handler's");
	errno = saved;
}

/* A signal handler whose trace calls interrupt another trace call does not corrupt counts. */
TEST_F(direct_counts, handlers)
{
	struct itimerval every = { { 0, 300 }, { 0, 300 } }, never = { { 0, 0 }, { 0, 0 } };
	struct sigaction sa = { .sa_handler = on_alarm };
	uint64_t n, sum, before = all_faults();
	int rounds = 0;

	UNLESS_MISSING();
	ASSERT_EQ(0, transaction("of both", 1));
	ASSERT_EQ(0, transaction("handler's", 1));
	ASSERT_EQ(0, sigaction(SIGALRM, &sa, NULL));
	ASSERT_EQ(0, setitimer(ITIMER_REAL, &every, NULL));
	while (handled < 300 && rounds < 10000000) {
		int err = pmtracebegin("of both");

		if (!err)
			pmtraceend("of both");
		rounds++;
	}
	setitimer(ITIMER_REAL, &never, NULL);
	signal(SIGALRM, SIG_DFL);
	before = all_faults() - before;
	EXPECT_GE(handled, 300);
	EXPECT_EQ(1, counted(self->trace, "of both", "page-faults", &n, &sum));
	EXPECT_GT(n, 0);
	EXPECT_LE(sum, before);
	EXPECT_EQ(1, counted(self->trace, "handler's", "page-faults", &n, &sum));
	EXPECT_LE(sum, before);
}

/* Only the first eight events of a large set are counted. */
TEST_F(direct_counts, many_events)
{
	const char *events[12];
	struct shim_set *many;

	UNLESS_MISSING();
	for (int i = 0; i < 12; i++)
		events[i] = i == 1 ? "context-switches" : i % 2 ? "minor-faults" : "page-faults";
	ASSERT_EQ(0, shim_set_create(self->handle, events, 12, NULL, &many));
	ASSERT_EQ(0, shim_set_unbind(self->set, 0));
	ASSERT_EQ(0, shim_set_bind(many, 0, SHIM_BIND_TRACE));
	for (int i = 0; i < 3; i++)
		ASSERT_EQ(0, transaction("many", 10));
	EXPECT_COUNTED("many", "page-faults", 4, 12, 120, 160);
	EXPECT_COUNTED("many", "minor-faults", 3, 9, 90, 120);
	EXPECT_COUNTED("many", "context-switches", 1, 3, 0, 100);
	shim_set_destroy(many);
}

static void __attribute__((noinline)) loop(long n)
{
	for (volatile long i = 0; i < n; i++)
		;
}

/*
 * Count the instructions of a loop.  If the number of additional rounds doubles, so does the number
 * of additional instructions, regardless of those that the trace calls add.
 */
TEST_F(direct_counts, instructions)
{
	static const char *const tags[] = { "empty", "short", "long", "longer" };
	const char *const events[] = { "instructions:u", "cpu-cycles:u" };
	uint64_t n, sum[4], least;
	struct shim_set *set;

	UNLESS_MISSING();
	if (shim_set_create(self->handle, events, 2, NULL, &set))
		SKIP(return, "no PMU counts instructions");
	ASSERT_EQ(0, shim_set_unbind(self->set, 0));
	ASSERT_EQ(0, shim_set_bind(set, 0, SHIM_BIND_TRACE));
	for (int i = 0; i < 4; i++)
		for (int round = 0; round < 10; round++) {
			ASSERT_EQ(0, pmtracebegin(tags[i]));
			loop(i * 1000);
			ASSERT_EQ(0, pmtraceend(tags[i]));
		}
	for (int i = 0; i < 4; i++) {
		ASSERT_EQ(1, counted(self->trace, tags[i], "instructions", &n, &sum[i]));
		ASSERT_EQ(10, n);
	}
	TH_LOG("an empty transaction counts %llu, 1000 rounds %llu, through %s",
	       (unsigned long long)sum[0] / 10, (unsigned long long)sum[1] / 10,
	       shim_set_backend(set));
	least = sum[2] - sum[1];
	EXPECT_GE(least, 10 * 1000);
	EXPECT_LT(sum[0], 10 * 3000);
	/*
	 * Allow for a context switch, after which reading the counters takes several hundred more
	 * instructions.
	 */
	EXPECT_GE(sum[3] - sum[2], least - least / 50);
	EXPECT_LE(sum[3] - sum[2], least + least / 50);
	shim_set_destroy(set);
}

/*
 * A thread's own counters do not count other threads' transactions, but the module's counters count
 * for threads that inherit.
 */
TEST_F(direct_counts, for_others)
{
	bool module;
	int ret;

	UNLESS_MISSING();
	module = !strcmp(shim_set_backend(self->set), "vcpc");
	ret = shim_set_bind(self->set, getppid(), SHIM_BIND_TRACE);
	EXPECT_EQ(-EOPNOTSUPP, ret);
	ret = shim_set_bind(self->set, 0, SHIM_BIND_TRACE | SHIM_BIND_THREADS);
	EXPECT_EQ(module ? -EBUSY : -EOPNOTSUPP, ret);
	EXPECT_EQ(-EBUSY, shim_set_bind(self->set, 0, SHIM_BIND_TRACE));
	ASSERT_EQ(0, transaction("still", 10));
	EXPECT_COUNTED("still", "page-faults", 1, 1, 10, 15);
}

TEST_HARNESS_MAIN
