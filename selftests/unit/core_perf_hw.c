// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Test the back end on perf with a PMU.  Known results are read through the mmap pages and through
 * the kernel, while the thread is switched, migrates, and loses its counters.  If the module is
 * loaded, both back ends must agree.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>

#include "core/counters.h"
#include "core/event.h"
#include "kselftest_harness.h"
#include "known_work.h"

#define NR	4

static const struct shim_backend_ops *back_end = &shim_backend__perf;

const struct shim_backend_ops *shim_session__backend(void)
{
	return back_end;
}

union room {
	struct vcpc_sample sample;
	__u64 words[sizeof(struct vcpc_sample) / sizeof(__u64) + NR];
};

FIXTURE(perf_hw) {
	struct shim_session *session;
	struct shim_counters *set;
	union room room;
	int bad;
	bool no_pmu;
};

static int make(FIXTURE_DATA(perf_hw) *self, unsigned int nr)
{
	struct vcpc_request reqs[NR];

	for (unsigned int i = 0; i < nr; i++) {
		if (shim_event__parse(i % 2 ? "cycles:u" : "instructions:u", &reqs[i]))
			abort();
		reqs[i].preset = i << 20;
	}
	return shim_counters__create(self->session, reqs, nr, 0, &self->bad, &self->set);
}

static int sample(FIXTURE_DATA(perf_hw) *self)
{
	return shim_counters__sample(self->set, 0, &self->room.sample, sizeof(self->room));
}

#define NEED_PMU()							\
	do {								\
		if (self->no_pmu)					\
			SKIP(return, "no hardware counters through perf");	\
	} while (0)

#define VALUES	(self->room.sample.values)

static int begin(FIXTURE_DATA(perf_hw) *self)
{
	int ret = shim_session__open(&self->session);

	if (!ret && shim_session__info(self->session)->hw_slots < NR)
		return -ENOENT;
	return ret;
}

FIXTURE_SETUP(perf_hw)
{
	int ret = begin(self);

	if (ret == -ENODEV || ret == -EACCES || ret == -ENOENT) {
		self->no_pmu = true;
		return;
	}
	ASSERT_EQ(0, ret);
	ASSERT_EQ(0, make(self, NR));
	ret = shim_counters__bind(self->set, 0, 0, &self->bad);
	ASSERT_EQ(0, ret);
}

FIXTURE_TEARDOWN(perf_hw)
{
	shim_counters__put(self->set);
	if (self->session)
		shim_session__close(self->session);
}

/* Return the number of instructions that @rounds rounds execute, measured with two samples. */
static __u64 cost(FIXTURE_DATA(perf_hw) *self, unsigned long rounds)
{
	__u64 before;

	if (sample(self))
		return 0;
	before = VALUES[0];
	spin(rounds);
	return sample(self) ? 0 : VALUES[0] - before;
}

/* the maximum number of additional instructions that a sample executes after a context switch */
#define LOOKED_UP	400

/* Return the minimum of several measurements, to exclude context switches. */
static __u64 least_cost(FIXTURE_DATA(perf_hw) *self, unsigned long rounds)
{
	__u64 least = cost(self, rounds);

	for (int i = 0; i < 5; i++) {
		__u64 got = cost(self, rounds);

		least = got < least ? got : least;
	}
	return least;
}

/*
 * A group that never fits is rejected when it is bound, even if it does not start counting at once.
 */
TEST_F(perf_hw, one_event_too_many)
{
	__u16 group[65] = { 0 };
	struct shim_terms terms = { .group = group };
	struct vcpc_request reqs[65];
	struct shim_counters *set;
	unsigned int nr;

	NEED_PMU();
	nr = shim_session__info(self->session)->hw_slots + 1;
	if (nr > sizeof(reqs) / sizeof(reqs[0]))
		SKIP(return, "no hardware counters through perf, or too many");
	for (unsigned int i = 0; i < nr; i++)
		if (shim_event__parse("cycles:u", &reqs[i]))
			abort();
	for (unsigned int flags = 0; flags <= VCPC_SET_F_DISABLED; flags += VCPC_SET_F_DISABLED) {
		ASSERT_EQ(0, shim_counters__create(self->session, reqs, nr, flags, &self->bad, &set));
		EXPECT_EQ(-ENOSPC, shim_counters__bind(set, 0, 0, &self->bad));
		shim_counters__put(set);
	}
	group[nr - 1] = 1;
	ASSERT_EQ(0, shim_counters__create_on(self->session, reqs, nr, 0, terms, &self->bad, &set));
	EXPECT_EQ(0, shim_counters__bind(set, 0, 0, &self->bad));
	shim_counters__put(set);
	group[nr - 1] = 0;
	ASSERT_EQ(0, shim_counters__create_on(self->session, reqs, nr, 0, terms, &self->bad, &set));
	EXPECT_EQ(-ENOSPC, shim_counters__bind(set, 0, 0, &self->bad));
	shim_counters__put(set);
}

TEST_F(perf_hw, known_answers_to_the_instruction)
{
	static const unsigned long rounds[] = { 1000, 1000000 }, many = 50000000;
	__u64 least, got;

	NEED_PMU();
	/* Interrupts add no instructions in user mode. */
	least = least_cost(self, 1);
	TH_LOG("a sample executes %llu instructions in user mode", (unsigned long long)least - 2);
	for (int i = 0; i < 2; i++) {
		EXPECT_EQ(least + 2 * (rounds[i] - 1), least_cost(self, rounds[i]))
			TH_LOG("%lu rounds", rounds[i]);
	}
	got = cost(self, many);
	EXPECT_LE(least + 2 * (many - 1), got);
	EXPECT_GT(least + 2 * (many - 1) + LOOKED_UP, got);
}

TEST_F(perf_hw, presets_of_each)
{
	NEED_PMU();
	ASSERT_EQ(0, sample(self));
	for (int i = 0; i < NR; i++) {
		EXPECT_LE((__u64)i << 20, VALUES[i]);
		EXPECT_GT(((__u64)i << 20) + 1000000, VALUES[i]);
	}
}

static int access_of(void)
{
	char c = '0';
	int fd = open("/proc/sys/kernel/perf_user_access", O_RDONLY);

	if (fd < 0)
		return 1;
	if (read(fd, &c, 1) != 1)
		c = '0';
	close(fd);
	return c != '0';
}

/* The kernel's values are between two samples of the same counters through the mmap pages. */
TEST_F(perf_hw, by_the_pages_as_by_the_kernel)
{
	struct vcpc_instances_args args;
	struct vcpc_instance_info *list;
	__u64 before[NR];

	NEED_PMU();
	for (int n = 0; n < 1000; n++) {
		ASSERT_EQ(0, sample(self));
		memcpy(before, VALUES, sizeof(before));
		/* Totals are read through the kernel. */
		ASSERT_EQ(0, shim_counters__total(self->set, 0, &self->room.sample,
						  sizeof(self->room)));
		for (int i = 0; i < NR; i++) {
			EXPECT_LT(before[i], VALUES[i]);
			EXPECT_GT(before[i] + 100000, VALUES[i]);
			before[i] = VALUES[i];
		}
		ASSERT_EQ(0, sample(self));
		for (int i = 0; i < NR; i++)
			EXPECT_LT(before[i], VALUES[i]);
		spin(n);
	}
	ASSERT_EQ(0, shim_counters__list(self->set, 0, &list, &args));
	free(list);
}

/* Start a process that counts on the CPU and causes timer interrupts. */
static pid_t disturber(void)
{
	pid_t pid = fork();

	if (!pid) {
		struct perf_event_attr attr = {
			.size = sizeof(attr), .type = PERF_TYPE_HARDWARE,
			.config = PERF_COUNT_HW_CPU_CYCLES, .exclude_kernel = 1,
		};

		prctl(PR_SET_PDEATHSIG, SIGKILL);
		for (int i = 0; i < 5; i++)
			syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0);
		for (;;) {
			spin(20000);
			sched_yield();
		}
	}
	return pid;
}

static void move(unsigned int n)
{
	cpu_set_t cpus;

	CPU_ZERO(&cpus);
	CPU_SET(n % sysconf(_SC_NPROCESSORS_ONLN), &cpus);
	sched_setaffinity(0, sizeof(cpus), &cpus);
}

static void nothing(int signal)
{
	(void)signal;
}

/* Number of samples; if each sample is a system call, which is slow, only a fraction is taken. */
#define READS	1000000

TEST_F_TIMEOUT(perf_hw, no_value_goes_back_or_jumps, 300)
{
	struct itimerval often = { { 0, 900 }, { 0, 900 } };
	unsigned int reads = access_of() ? READS : READS / 20;
	pid_t pid;
	__u64 last[NR], tick, time;
	unsigned int wrong = 0;

	NEED_PMU();
	pid = disturber();
	signal(SIGALRM, nothing);
	setitimer(ITIMER_REAL, &often, NULL);
	ASSERT_EQ(0, sample(self));
	memcpy(last, VALUES, sizeof(last));
	tick = self->room.sample.tick;
	time = self->room.sample.time;
	for (unsigned int n = 0; n < reads && wrong < 10; n++) {
		if (n % 1000 == 0)
			move(n / 1000);
		if (n % 777 == 0)
			sched_yield();
		ASSERT_EQ(0, sample(self));
		for (int i = 0; i < NR; i++) {
			/*
			 * The difference can include one round, a signal, and the user-mode cost of
			 * a migration.
			 */
			if (VALUES[i] < last[i] || VALUES[i] - last[i] > 200000) {
				TH_LOG("read %u, counter %d: %llu after %llu", n, i,
				       (unsigned long long)VALUES[i], (unsigned long long)last[i]);
				wrong++;
			}
			last[i] = VALUES[i];
		}
		if (VALUES[0] + (2 << 20) - VALUES[2] > 1000 &&
		    VALUES[2] - VALUES[0] - (2 << 20) > 1000) {
			TH_LOG("read %u: two counters of one event differ", n);
			wrong++;
		}
		wrong += self->room.sample.tick < tick || self->room.sample.time < time;
		tick = self->room.sample.tick;
		time = self->room.sample.time;
	}
	setitimer(ITIMER_REAL, &(struct itimerval){ 0 }, NULL);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	EXPECT_EQ(0, wrong);
}

static FIXTURE_DATA(perf_hw) *handled;
static unsigned int handlers, failures;

static void handler(int signal)
{
	union room room;
	int ret, bad;

	(void)signal;
	handlers++;
	/*
	 * Every sixth handler invalidates the plan of the interrupted sample, without a context
	 * switch.
	 */
	if (handlers % 6 == 1)
		failures += shim_counters__restart(handled->set, 0) != 0;
	if (handlers % 60 == 2) {
		failures += shim_counters__unbind(handled->set, 0) != 0;
		failures += shim_counters__bind(handled->set, 0, 0, &bad) != 0;
	}
	if (handlers % 60 == 3) {
		failures += shim_counters__disable(handled->set, 0) != 0;
		failures += shim_counters__enable(handled->set, 0) != 0;
	}
	ret = shim_counters__sample(handled->set, 0, &room.sample, sizeof(room));
	failures += ret != 0;
}

/*
 * Two counters of the same event stay equal, even if handlers restart, rebind, disable and enable
 * the set during samples.
 */
TEST_F_TIMEOUT(perf_hw, handlers_that_sample_and_restart, 300)
{
	/*
	 * The interval is not a multiple of a round's duration, so each instruction of a sample is
	 * interrupted eventually.
	 */
	struct itimerval often = { { 0, 97 }, { 0, 97 } };
	unsigned int enough = access_of() ? 20000 : 500, apart = 0, n = 0;

	NEED_PMU();
	handled = self;
	handlers = failures = 0;
	signal(SIGALRM, handler);
	setitimer(ITIMER_REAL, &often, NULL);
	for (; handlers < enough; n++) {
		int ret = sample(self);

		failures += ret != 0;
		for (int i = 0; i < 2 && !ret; i++) {
			__u64 step = VALUES[i + 2] - VALUES[i] - (2 << 20);

			apart += step + 4000 > 8000;
		}
	}
	setitimer(ITIMER_REAL, &(struct itimerval){ 0 }, NULL);
	TH_LOG("%u samples, %u handlers", n, handlers);
	EXPECT_EQ(0, failures);
	EXPECT_EQ(0, apart);
}

/*
 * If another user pins all counters of the CPU, each sample is complete or fails, and after a
 * failure no sample succeeds.
 */
TEST_F(perf_hw, stolen)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr), .type = PERF_TYPE_HARDWARE, .pinned = 1,
		.config = PERF_COUNT_HW_CPU_CYCLES,
	};
	int fds[16], n, ret = 0;

	NEED_PMU();
	move(0);
	for (n = 0; n < 16; n++)
		fds[n] = syscall(SYS_perf_event_open, &attr, -1, 0, -1, 0);
	for (int i = 0; i < 1000 && !ret; i++) {
		spin(100000);
		ret = sample(self);
	}
	if (fds[0] < 0)
		SKIP(return, "the caller may not pin a CPU's counters");
	EXPECT_EQ(-EAGAIN, ret);
	for (n = 0; n < 16; n++)
		close(fds[n]);
	for (int i = 0; i < 10; i++) {
		spin(100000);
		EXPECT_EQ(-EAGAIN, sample(self));
	}
	EXPECT_EQ(-EAGAIN, shim_counters__restart(self->set, 0));
	EXPECT_EQ(0, shim_counters__unbind(self->set, 0));
	EXPECT_EQ(0, shim_counters__bind(self->set, 0, 0, &self->bad));
	EXPECT_EQ(0, sample(self));
}

TEST_F(perf_hw, more_than_the_pmu_has)
{
	struct vcpc_request reqs[40];
	unsigned int slots = shim_session__info(self->session)->hw_slots;
	struct shim_counters *set;

	NEED_PMU();
	for (int i = 0; i < 40; i++)
		ASSERT_EQ(0, shim_event__parse("cycles:u", &reqs[i]));
	ASSERT_GT(40, slots + 1);
	for (int i = 0; i < 40; i++)
		reqs[i].flags = VCPC_REQ_F_USER;
	ASSERT_EQ(0, shim_counters__create(self->session, reqs, slots + 1, 0, &self->bad, &set));
	EXPECT_EQ(-ENOSPC, shim_counters__bind(set, 0, 0, &self->bad));
	shim_counters__put(set);
	/* With four counters already pinned, another four do not fit. */
	ASSERT_EQ(0, shim_counters__create(self->session, reqs, slots, 0, &self->bad, &set));
	EXPECT_EQ(-ENOSPC, shim_counters__bind(set, 0, 0, &self->bad));
	EXPECT_EQ(0, shim_counters__unbind(self->set, 0));
	EXPECT_EQ(0, shim_counters__bind(set, 0, 0, &self->bad));
	shim_counters__put(set);
	EXPECT_EQ(0, shim_counters__bind(self->set, 0, 0, &self->bad));
}

/*
 * perf and the module count the same number of instructions if the cost of a sample is subtracted.
 */
TEST_F(perf_hw, as_the_module_counts)
{
	__u64 perf, module;

	NEED_PMU();
	if (access("/dev/vcpc", F_OK))
		SKIP(return, "the vcpc module is not loaded");
	perf = least_cost(self, 1000000) - least_cost(self, 1);
	shim_counters__put(self->set);
	shim_session__close(self->session);
	self->set = NULL;
	self->session = NULL;
	back_end = &shim_backend__vcpc;
	ASSERT_EQ(0, begin(self));
	ASSERT_EQ(0, make(self, NR));
	ASSERT_EQ(0, shim_counters__bind(self->set, 0, 0, &self->bad));
	module = least_cost(self, 1000000) - least_cost(self, 1);
	EXPECT_EQ(1999998, perf);
	EXPECT_EQ(module, perf);
}

TEST_HARNESS_MAIN
