// SPDX-License-Identifier: GPL-2.0-or-later
/* The parts of transactions' times are correct in programs whose results are known. */
#include <linux/userfaultfd.h>
#include <poll.h>

/* Stacks do not change the parts, so a brief run omits the variants with stacks. */
#define BRIEF	getenv("BRIEF")
#include "why_test.h"

#define ROUNDS	5
#define THREADS	1000
#define IN_TURN	17000
/* tolerance for other processes of the emulated machine, and for the program itself */
#define SLACK	(5 * MS)

static uint64_t sum_of(const struct shim_why_parts *parts)
{
	return parts->ns[0] + parts->ns[1] + parts->ns[2];
}

/* Return how long a tag was blocked for @reason. */
static uint64_t blocked_in(struct shim_why *why, const char *tag, const char *reason)
{
	size_t at = ~0ul, n = 0;
	char name[64];

	parts_of(why, tag, &at);
	if (shim_why_reasons_get(why, at, &n))
		return 0;
	for (size_t i = 0; i < n; i++) {
		const struct shim_why_reason *r = shim_why_reason_at(why, i);

		if (!shim_why_reason_name(r->reason, name, sizeof(name)) && !strcmp(name, reason))
			return r->all_ns;
	}
	return 0;
}

TEST_F(parts, spins)
{
	struct shim_why_parts parts;
	uint64_t cpu = 0, inside = 0, least = 0, most = 0;

	UNLESS_MISSING();
	pmtracebegin("warm up");
	pmtraceend("warm up");
	for (int i = 0; i < ROUNDS; i++) {
		uint64_t from = clock_ns(CLOCK_MONOTONIC), began, first;
		uint64_t used = clock_ns(CLOCK_THREAD_CPUTIME_ID);

		ASSERT_EQ(0, pmtracebegin("spins"));
		began = clock_ns(CLOCK_MONOTONIC);
		first = clock_ns(CLOCK_THREAD_CPUTIME_ID);
		spin_ms(20, CLOCK_THREAD_CPUTIME_ID);
		inside += clock_ns(CLOCK_THREAD_CPUTIME_ID) - first;
		least += clock_ns(CLOCK_MONOTONIC) - began;
		ASSERT_EQ(0, pmtraceend("spins"));
		cpu += clock_ns(CLOCK_THREAD_CPUTIME_ID) - used;
		most += clock_ns(CLOCK_MONOTONIC) - from;
	}
	parts = parts_of(self->why, "spins", NULL);
	EXPECT_EQ(ROUNDS, parts.count);
	EXPECT_LE(sum_of(&parts), most);
	EXPECT_GE(sum_of(&parts), least);
	EXPECT_GE(parts.ns[SHIM_WHY_ON_CPU] + inside / 20, inside);
	EXPECT_LE(parts.ns[SHIM_WHY_ON_CPU], cpu + cpu / 10 + SLACK);
}

/*
 * If tracing was on before, 'why' sees the same transactions as tracing.  With the module, the
 * programs of 'why' use the times that tracing has read; without it, each probe reads the clock.
 */
TEST_F(parts, sees_what_tracing_sees)
{
	struct shim_trace_options begins = {
		.size = sizeof(begins), .flags = variant->way | SHIM_TRACE_F_BEGINS,
	};
	struct shim_why_options options = { .size = sizeof(options), .flags = variant->flags };
	struct shim_trace_stat stat;
	struct shim_why_parts parts;

	UNLESS_MISSING();
	shim_why_close(self->why);
	self->why = NULL;
	ASSERT_EQ(0, shim_trace_on(&begins));
	ASSERT_EQ(0, shim_why_open(&options, &self->why));
	for (int i = 0; i < 100; i++) {
		ASSERT_EQ(0, pmtracebegin("same times"));
		ASSERT_EQ(0, pmtraceend("same times"));
	}
	ASSERT_EQ(0, read_stat("same times", SHIM_TRACE_TRANSACTION, &stat));
	parts = parts_of(self->why, "same times", NULL);
	EXPECT_EQ(100, parts.count);
	EXPECT_EQ(100, stat.count);
	if (variant->way == SHIM_TRACE_F_MODULE)
		EXPECT_EQ(stat.sum_ns, sum_of(&parts));
	EXPECT_EQ(0, shim_trace_off());
}

TEST_F(parts, sleeps)
{
	struct shim_why_parts parts;

	UNLESS_MISSING();
	for (int i = 0; i < ROUNDS; i++) {
		ASSERT_EQ(0, pmtracebegin("sleeps"));
		sleep_ms(25);
		ASSERT_EQ(0, pmtraceend("sleeps"));
	}
	parts = parts_of(self->why, "sleeps", NULL);
	EXPECT_EQ(ROUNDS, parts.count);
	EXPECT_GE(parts.ns[SHIM_WHY_BLOCKED], ROUNDS * 20 * MS);
	EXPECT_EQ(parts.ns[SHIM_WHY_BLOCKED], blocked_in(self->why, "sleeps", "clock_nanosleep") +
		  blocked_in(self->why, "sleeps", "nanosleep"));
	/* Time for which an emulated CPU waits for the host counts as time on CPU. */
	EXPECT_LE(parts.ns[SHIM_WHY_ON_CPU], parts.ns[SHIM_WHY_BLOCKED] / 2);
}

static void sleep_once(void)
{
	pmtracebegin("restarted");
	sleep_ms(25);
	pmtraceend("restarted");
}

/* Return how often the first tag was blocked, computed from its stacks if there are any. */
static uint64_t times_blocked(struct shim_why *why)
{
	uint64_t times = 0;
	size_t n = 0;

	if (shim_why_stacks_get(why, 0, &n))
		return 0;
	for (size_t i = 0; i < n; i++)
		if (shim_why_stack_at(why, i)->reason != SHIM_WHY_SAMPLED)
			times += shim_why_stack_at(why, i)->all_times;
	if (n)
		return times;
	if (shim_why_reasons_get(why, 0, &n))
		return 0;
	for (size_t i = 0; i < n; i++)
		times += shim_why_reason_at(why, i)->all_times;
	return times;
}

/* A transaction that ends between the read and the restart belongs to the next read. */
TEST_F(parts, restart_excludes_what_was_read)
{
	struct shim_why_parts parts;
	size_t n = 1;

	UNLESS_MISSING();
	shim_why_restart(self->why);
	for (int i = 0; i < ROUNDS; i++)
		sleep_once();
	parts = parts_of(self->why, "restarted", NULL);
	EXPECT_EQ(ROUNDS, parts.count);
	EXPECT_LE(ROUNDS, times_blocked(self->why));
	sleep_once();
	shim_why_restart(self->why);
	EXPECT_EQ(NULL, shim_why_tag_at(self->why, 0));
	EXPECT_EQ(-EINVAL, shim_why_stacks_get(self->why, 0, &n));
	parts = parts_of(self->why, "restarted", NULL);
	EXPECT_EQ(1, parts.count);
	EXPECT_GE(sum_of(&parts), 25 * MS);
	EXPECT_LE(1, times_blocked(self->why));
	EXPECT_GE(ROUNDS - 1, times_blocked(self->why));
	shim_why_restart(self->why);
	EXPECT_EQ(0, shim_why_tags_get(self->why, 99, &n));
	EXPECT_EQ(0, n);
}

TEST_F(parts, most_time_comes_first)
{
	static const char *const names[] = { "longest", "long", "short" };
	static const unsigned int ms[] = { 80, 40, 20 };
	uint64_t least[3], most[3], before = UINT64_MAX, sum;
	size_t n = 0, seen = 0;

	UNLESS_MISSING();
	for (int i = 2; i >= 0; i--) {
		most[i] = clock_ns(CLOCK_MONOTONIC);
		ASSERT_EQ(0, pmtracebegin(names[i]));
		least[i] = clock_ns(CLOCK_MONOTONIC);
		sleep_ms(ms[i]);
		least[i] = clock_ns(CLOCK_MONOTONIC) - least[i];
		ASSERT_EQ(0, pmtraceend(names[i]));
		most[i] = clock_ns(CLOCK_MONOTONIC) - most[i];
	}
	ASSERT_EQ(0, shim_why_tags_get(self->why, 99, &n));
	/*
	 * On a busy host, a short transaction can take longer than a long one, so the order of the
	 * tags is unknown.
	 */
	for (size_t i = 0; i < n; i++)
		for (int j = 0; j < 3; j++)
			if (!strcmp(shim_why_tag_at(self->why, i)->name, names[j])) {
				sum = sum_of(&shim_why_tag_at(self->why, i)->all);
				EXPECT_GE(sum, least[j]);
				EXPECT_LE(sum, most[j]);
				EXPECT_LE(sum, before);
				before = sum;
				seen++;
			}
	EXPECT_EQ(3, seen);
}

static pthread_mutex_t contended = PTHREAD_MUTEX_INITIALIZER;

/* Hold the mutex until the other thread has been in its transaction for a while. */
static void *hold_mutex(void *arg)
{
	volatile int *step = arg;

	pthread_mutex_lock(&contended);
	*step = 1;
	while (*step == 1)
		sched_yield();
	sleep_ms(100);
	pthread_mutex_unlock(&contended);
	return NULL;
}

TEST_F(parts, waits_for_a_mutex)
{
	struct shim_why_parts parts;
	volatile int step = 0;
	pthread_t thread;

	UNLESS_MISSING();
	ASSERT_EQ(0, pthread_create(&thread, NULL, hold_mutex, (void *)&step));
	while (!step)
		sched_yield();
	ASSERT_EQ(0, pmtracebegin("contends"));
	step = 2;
	pthread_mutex_lock(&contended);
	ASSERT_EQ(0, pmtraceend("contends"));
	pthread_mutex_unlock(&contended);
	pthread_join(thread, NULL);
	parts = parts_of(self->why, "contends", NULL);
	EXPECT_EQ(1, parts.count);
	EXPECT_GE(parts.ns[SHIM_WHY_BLOCKED], 20 * MS);
	EXPECT_EQ(parts.ns[SHIM_WHY_BLOCKED], blocked_in(self->why, "contends", "futex"));
}

static uint64_t run_delay(void)
{
	unsigned long long used, delay = 0;
	FILE *f = fopen("/proc/thread-self/schedstat", "r");

	if (!f)
		return 0;
	if (fscanf(f, "%llu %llu", &used, &delay) != 2)
		delay = 0;
	fclose(f);
	return delay;
}

/* If two jobs of the same weight share a CPU, each waits half of the time. */
TEST_F(parts, waits_for_a_cpu)
{
	struct shim_why_parts parts;
	uint64_t outer, inner;
	cpu_set_t one;
	pid_t other;

	UNLESS_MISSING();
	CPU_ZERO(&one);
	CPU_SET(sched_getcpu(), &one);
	ASSERT_EQ(0, sched_setaffinity(0, sizeof(one), &one));
	other = fork();
	if (!other)
		for (;;)
			;
	sleep_ms(5);
	outer = run_delay();
	ASSERT_EQ(0, pmtracebegin("preempted"));
	inner = run_delay();
	spin_ms(300, CLOCK_MONOTONIC);
	inner = run_delay() - inner;
	ASSERT_EQ(0, pmtraceend("preempted"));
	outer = run_delay() - outer;
	kill(other, SIGKILL);
	waitpid(other, NULL, 0);
	parts = parts_of(self->why, "preempted", NULL);
	EXPECT_EQ(1, parts.count);
	EXPECT_GE(parts.ns[SHIM_WHY_RUNNABLE], 75 * MS);
	EXPECT_LE(parts.ns[SHIM_WHY_BLOCKED], SLACK);
	if (outer) {
		EXPECT_GE(parts.ns[SHIM_WHY_RUNNABLE] + inner / 50 + SLACK, inner);
		EXPECT_LE(parts.ns[SHIM_WHY_RUNNABLE], outer + outer / 50 + SLACK);
	}
}

/* Wake the reader of a pipe, and use its CPU for 50 ms more. */
static void wake_and_spin(int fd)
{
	const struct sched_param lowest = { .sched_priority = 1 };

	if (sched_setscheduler(0, SCHED_FIFO, &lowest))
		_exit(1);
	sleep_ms(20);
	if (write(fd, "", 1) != 1)
		_exit(1);
	spin_ms(50, CLOCK_MONOTONIC);
	_exit(0);
}

TEST_F(parts, waits_for_a_cpu_when_woken)
{
	struct shim_why_parts parts;
	int fds[2], status;
	uint64_t outer;
	cpu_set_t one;
	pid_t other;
	char c;

	UNLESS_MISSING();
	CPU_ZERO(&one);
	CPU_SET(sched_getcpu(), &one);
	ASSERT_EQ(0, sched_setaffinity(0, sizeof(one), &one));
	ASSERT_EQ(0, pipe(fds));
	other = fork();
	if (!other)
		wake_and_spin(fds[1]);
	outer = run_delay();
	ASSERT_EQ(0, pmtracebegin("woken"));
	ASSERT_EQ(1, read(fds[0], &c, 1));
	ASSERT_EQ(0, pmtraceend("woken"));
	outer = run_delay() - outer;
	ASSERT_EQ(other, waitpid(other, &status, 0));
	ASSERT_EQ(0, status);
	parts = parts_of(self->why, "woken", NULL);
	EXPECT_EQ(1, parts.count);
	EXPECT_GE(parts.ns[SHIM_WHY_RUNNABLE], 40 * MS);
	EXPECT_LE(parts.ns[SHIM_WHY_RUNNABLE], outer + outer / 50 + SLACK);
	EXPECT_GE(parts.ns[SHIM_WHY_BLOCKED], 10 * MS);
	EXPECT_EQ(parts.ns[SHIM_WHY_BLOCKED], blocked_in(self->why, "woken", "read"));
	close(fds[0]);
	close(fds[1]);
}

static void *resolve_fault(void *arg)
{
	struct pollfd fault = { .fd = *(int *)arg, .events = POLLIN };
	static char page[65536];
	struct uffd_msg msg;
	struct uffdio_copy copy = { .src = (uintptr_t)page, .len = sysconf(_SC_PAGESIZE) };

	if (poll(&fault, 1, 5000) != 1 || read(fault.fd, &msg, sizeof(msg)) != sizeof(msg))
		return NULL;
	sleep_ms(30);
	copy.dst = msg.arg.pagefault.address & ~(copy.len - 1);
	ioctl(fault.fd, UFFDIO_COPY, &copy);
	return NULL;
}

TEST_F(parts, faults)
{
	struct uffdio_api api = { .api = UFFD_API };
	struct uffdio_register range = { .mode = UFFDIO_REGISTER_MODE_MISSING };
	struct shim_why_parts parts;
	pthread_t thread;
	int fd;

	UNLESS_MISSING();
	fd = syscall(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		SKIP(return, "this kernel has no userfaultfd");
	range.range.len = sysconf(_SC_PAGESIZE);
	range.range.start = (uintptr_t)mmap(NULL, range.range.len, PROT_READ | PROT_WRITE,
					    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ASSERT_EQ(0, ioctl(fd, UFFDIO_API, &api));
	ASSERT_EQ(0, ioctl(fd, UFFDIO_REGISTER, &range));
	ASSERT_EQ(0, pthread_create(&thread, NULL, resolve_fault, &fd));
	ASSERT_EQ(0, pmtracebegin("faults"));
	*(volatile char *)(uintptr_t)range.range.start = 1;
	ASSERT_EQ(0, pmtraceend("faults"));
	pthread_join(thread, NULL);
	parts = parts_of(self->why, "faults", NULL);
	EXPECT_EQ(1, parts.count);
	EXPECT_GE(parts.ns[SHIM_WHY_BLOCKED], 30 * MS);
	EXPECT_GE(blocked_in(self->why, "faults", "page fault"), 30 * MS);
	close(fd);
}

TEST_F(parts, reads_a_pipe_and_nests)
{
	struct shim_why_parts outer, inner;
	int ends[2], go[2];
	pid_t pid;
	char c;

	UNLESS_MISSING();
	ASSERT_EQ(0, pipe(ends));
	ASSERT_EQ(0, pipe(go));
	pid = fork();
	if (!pid) {
		if (read(go[0], &c, 1) != 1)
			_exit(1);
		sleep_ms(100);
		_exit(write(ends[1], "x", 1) != 1);
	}
	ASSERT_EQ(0, pmtracebegin("outer"));
	sleep_ms(40);
	ASSERT_EQ(0, pmtracebegin("inner"));
	ASSERT_EQ(1, write(go[1], "x", 1));
	ASSERT_EQ(1, read(ends[0], &c, 1));
	ASSERT_EQ(0, pmtraceend("inner"));
	sleep_ms(40);
	ASSERT_EQ(0, pmtraceend("outer"));
	waitpid(pid, NULL, 0);
	outer = parts_of(self->why, "outer", NULL);
	inner = parts_of(self->why, "inner", NULL);
	EXPECT_EQ(1, inner.count);
	EXPECT_EQ(1, outer.count);
	EXPECT_GE(inner.ns[SHIM_WHY_BLOCKED], 20 * MS);
	EXPECT_EQ(inner.ns[SHIM_WHY_BLOCKED], blocked_in(self->why, "inner", "read"));
	EXPECT_EQ(inner.ns[SHIM_WHY_BLOCKED], blocked_in(self->why, "outer", "read"));
	EXPECT_GE(outer.ns[SHIM_WHY_BLOCKED], inner.ns[SHIM_WHY_BLOCKED] + 20 * MS);
}

static void *end_here(void *arg)
{
	return (void *)(intptr_t)pmtraceend(arg);
}

static void *end_and_begin_here(void *arg)
{
	return (void *)(intptr_t)(pmtraceend(arg) | pmtracebegin(arg));
}

static void *begin_and_die(void *arg)
{
	return (void *)(intptr_t)pmtracebegin(arg);
}

/*
 * If a transaction ends in another thread, its time is not counted in either thread, and its open
 * begin event is not used for a later end event.
 */
TEST_F(parts, ends_elsewhere_or_never)
{
	pthread_t thread;
	void *bad;

	UNLESS_MISSING();
	ASSERT_EQ(0, pmtracebegin("moves"));
	ASSERT_EQ(0, pthread_create(&thread, NULL, end_here, "moves"));
	pthread_join(thread, &bad);
	if (bad)
		SKIP(return, "threads cannot end each other's transactions");
	EXPECT_EQ(0, parts_of(self->why, "moves", NULL).count);
	ASSERT_EQ(0, shim_why_drops_get(self->why, &self->drops));
	EXPECT_EQ(1, self->drops.not_seen);
	ASSERT_EQ(0, pmtracebegin("moves"));
	ASSERT_EQ(0, pmtraceend("moves"));
	EXPECT_EQ(1, parts_of(self->why, "moves", NULL).count);
	ASSERT_EQ(0, shim_why_drops_get(self->why, &self->drops));
	EXPECT_EQ(1, self->drops.moved);

	/*
	 * Each of two threads ends the transaction of the other.  The older begin event must not be
	 * used for the newer transaction.
	 */
	ASSERT_EQ(0, pmtracebegin("crosses"));
	ASSERT_EQ(0, pthread_create(&thread, NULL, end_and_begin_here, "crosses"));
	pthread_join(thread, &bad);
	ASSERT_EQ(NULL, bad);
	ASSERT_EQ(0, pmtraceend("crosses"));
	EXPECT_EQ(0, parts_of(self->why, "crosses", NULL).count);
	ASSERT_EQ(0, shim_why_drops_get(self->why, &self->drops));
	EXPECT_EQ(2, self->drops.moved);
	for (int i = 0; i < 100 && !self->drops.died; i++) {
		sleep_ms(5);
		ASSERT_EQ(0, shim_why_drops_get(self->why, &self->drops));
	}
	EXPECT_EQ(1, self->drops.died);

	ASSERT_EQ(0, pthread_create(&thread, NULL, begin_and_die, "dies"));
	pthread_join(thread, &bad);
	ASSERT_EQ(NULL, bad);
	/* pthread_join() can return before the kernel has recorded the exit of the thread. */
	for (int i = 0; i < 100 && self->drops.died < 2; i++) {
		sleep_ms(5);
		ASSERT_EQ(0, shim_why_drops_get(self->why, &self->drops));
	}
	EXPECT_EQ(2, self->drops.died);
	EXPECT_EQ(0, self->drops.broken);
}

static void *sleep_inside(void *arg)
{
	intptr_t bad = pmtracebegin("many");

	(void)arg;
	sleep_ms(25);
	return (void *)(bad | pmtraceend("many"));
}

TEST_F(parts, many_threads)
{
	static pthread_t threads[THREADS];
	struct shim_why_parts parts;
	pthread_attr_t small;
	unsigned int started = 0;
	void *bad;

	UNLESS_MISSING();
	pthread_attr_init(&small);
	pthread_attr_setstacksize(&small, 65536);
	while (started < THREADS &&
	       !pthread_create(&threads[started], &small, sleep_inside, NULL))
		started++;
	for (unsigned int i = 0; i < started; i++) {
		pthread_join(threads[i], &bad);
		EXPECT_EQ(NULL, bad);
	}
	ASSERT_EQ(THREADS, started);
	parts = parts_of(self->why, "many", NULL);
	EXPECT_EQ(THREADS, parts.count);
	EXPECT_GE(parts.ns[SHIM_WHY_BLOCKED], THREADS * 20 * MS);
	ASSERT_EQ(0, shim_why_drops_get(self->why, &self->drops));
	EXPECT_EQ(0, self->drops.broken + self->drops.threads + self->drops.tags);
}

static void *begin_and_end(void *arg)
{
	return pmtracebegin("in turn") || pmtraceend("in turn") ? "cannot trace" : arg;
}

/*
 * Each thread's row is freed when the thread exits, so more threads than there are rows can run one
 * after the other.
 */
TEST_F(parts, threads_in_turn)
{
	const int n = variant->flags ? 100 : IN_TURN;
	pthread_t thread;
	void *bad = NULL;

	UNLESS_MISSING();
	for (int i = 0; i < n && !bad; i++) {
		ASSERT_EQ(0, pthread_create(&thread, NULL, begin_and_end, NULL));
		pthread_join(thread, &bad);
	}
	EXPECT_EQ(NULL, bad);
	EXPECT_EQ(n, parts_of(self->why, "in turn", NULL).count);
	ASSERT_EQ(0, shim_why_drops_get(self->why, &self->drops));
	EXPECT_EQ(0, self->drops.broken + self->drops.threads + self->drops.died);
}

TEST(arguments)
{
	struct shim_why_options options = { .size = sizeof(options) - 1 };
	struct shim_why *why = NULL;
	char name[64];

	EXPECT_EQ(-EINVAL, shim_why_open(&options, &why));
	options = (struct shim_why_options) { .size = sizeof(options), .flags = 1u << 31 };
	EXPECT_EQ(-EINVAL, shim_why_open(&options, &why));
	options = (struct shim_why_options) { .size = sizeof(options), .hertz = 1000000 };
	EXPECT_EQ(-EINVAL, shim_why_open(&options, &why));
	EXPECT_EQ(NULL, why);
	EXPECT_EQ(0, shim_why_reason_name(SYS_read + 1, name, sizeof(name)));
	EXPECT_STREQ("read", name);
	EXPECT_EQ(-ENOSPC, shim_why_reason_name(SYS_read + 1, name, 4));
	EXPECT_EQ(0, shim_why_reason_name((SYS_fsync + 1) | 1u << 16, name, sizeof(name)));
	EXPECT_STREQ("fsync, I/O", name);
	EXPECT_EQ(0, shim_why_reason_name(SHIM_WHY_SAMPLED, name, sizeof(name)));
	EXPECT_STREQ("on CPU", name);
	shim_why_close(NULL);
}

TEST_HARNESS_MAIN
