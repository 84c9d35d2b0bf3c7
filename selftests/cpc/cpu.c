// SPDX-License-Identifier: GPL-2.0-or-later
/* cpc_bind_cpu() counts a CPU, regardless of which threads run on it. */
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/wait.h>

#include "cpc.h"
#include "kselftest_harness.h"

static struct {
	int calls;
	int subcode;
	char fn[64];
} reported;

static void tell(const char *fn, int subcode, const char *fmt, va_list ap)
{
	silent(fn, subcode, fmt, ap);
	reported.calls++;
	reported.subcode = subcode;
	snprintf(reported.fn, sizeof(reported.fn), "%s", fn);
}

static cpu_set_t affinity(void)
{
	cpu_set_t mask;

	CPU_ZERO(&mask);
	sched_getaffinity(0, sizeof(mask), &mask);
	return mask;
}

#define EXPECT_AFFINITY(expected)				\
	do {							\
		cpu_set_t now_ = affinity();			\
		EXPECT_TRUE(CPU_EQUAL(&(expected), &now_));	\
	} while (0)

FIXTURE(cpu) {
	cpc_t *cpc;
	cpc_set_t *set;		/* a software event */
	cpc_buf_t *buf;
	cpu_set_t before;
	bool pmu;
};

FIXTURE_SETUP(cpu)
{
	self->cpc = open_with(&self->set, "page-faults", 100);
	ASSERT_NE(NULL, self->cpc);
	self->buf = cpc_buf_create(self->cpc, self->set);
	self->pmu = counts(self->cpc, "cycles");
	self->before = affinity();
	memset(&reported, 0, sizeof(reported));
	cpc_seterrhndlr(self->cpc, tell);
}

FIXTURE_TEARDOWN(cpu)
{
	EXPECT_EQ(0, cpc_close(self->cpc));
	EXPECT_AFFINITY(self->before);
}

static void *touch_in_thread(void *n)
{
	touch(*(int *)n);
	return NULL;
}

/* Counts include each thread that runs on the CPU, the caller or another one. */
TEST_F(cpu, counts_whoever_runs_there)
{
	cpu_set_t only;
	pthread_t thread;
	int n = 300;

	CPU_ZERO(&only);
	CPU_SET(0, &only);
	ASSERT_EQ(0, cpc_bind_cpu(self->cpc, 0, self->set, 0));
	EXPECT_AFFINITY(only);
	ASSERT_EQ(0, pthread_create(&thread, NULL, touch_in_thread, &n));
	pthread_join(thread, NULL);
	touch(300);
	EXPECT_LE(100 + 600, sampled(self->cpc, self->set, self->buf));
	EXPECT_GT(1ULL << 32, value(self->cpc, self->buf, 0));
	EXPECT_LT(0, cpc_buf_tick(self->cpc, self->buf));
	EXPECT_EQ(0, cpc_unbind(self->cpc, self->set));
	EXPECT_AFFINITY(self->before);
	EXPECT_EQ(-1, cpc_set_sample(self->cpc, self->set, self->buf));
	EXPECT_EQ(EINVAL, errno);
}

TEST_F(cpu, wrong_arguments)
{
	cpc_set_t *empty = cpc_set_create(self->cpc);
	cpc_t *other = cpc_open(CPC_VER_CURRENT);

	EXPECT_EQ(-1, cpc_bind_cpu(self->cpc, 0, self->set, CPC_BIND_LWP_INHERIT));
	EXPECT_EQ(EINVAL, errno);
	EXPECT_EQ(-1, cpc_bind_cpu(self->cpc, 0, empty, 0));
	EXPECT_EQ(EINVAL, errno);
	EXPECT_EQ(-1, cpc_bind_cpu(other, 0, self->set, 0));
	EXPECT_EQ(EINVAL, errno);
	EXPECT_EQ(0, reported.calls);
	EXPECT_AFFINITY(self->before);
	cpc_close(other);
}

TEST_F(cpu, no_such_cpu)
{
	static const processorid_t none[] = { -1, 1000, 100000 };

	for (size_t i = 0; i < ARRAY_SIZE(none); i++) {
		memset(&reported, 0, sizeof(reported));
		errno = 0;
		EXPECT_EQ(-1, cpc_bind_cpu(self->cpc, none[i], self->set, 0));
		EXPECT_EQ(EINVAL, errno);
		EXPECT_EQ(CPC_PBIND_FAILED, reported.subcode);
		EXPECT_STREQ("cpc_bind_cpu", reported.fn);
		EXPECT_AFFINITY(self->before);
	}
}

TEST_F(cpu, needs_privilege)
{
	int status;
	pid_t pid = fork();

	ASSERT_LE(0, pid);
	if (!pid) {
		cpu_set_t now;

		if (setresgid(65534, 65534, 65534) || setresuid(65534, 65534, 65534))
			_exit(1);
		if (cpc_bind_cpu(self->cpc, 0, self->set, 0) != -1 || errno != EACCES)
			_exit(2);
		now = affinity();
		_exit(reported.calls || !CPU_EQUAL(&now, &self->before) ? 3 : 0);
	}
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, WEXITSTATUS(status));
}

/* Sets bound to a CPU cannot be enabled or disabled. */
TEST_F(cpu, is_not_enabled_nor_disabled)
{
	ASSERT_EQ(0, cpc_bind_cpu(self->cpc, 0, self->set, 0));
	EXPECT_EQ(-1, cpc_disable(self->cpc));
	EXPECT_EQ(EINVAL, errno);
	EXPECT_EQ(-1, cpc_enable(self->cpc));
	EXPECT_EQ(EINVAL, errno);
}

TEST_F(cpu, a_thread_that_moved)
{
	cpu_set_t all;

	if (sysconf(_SC_NPROCESSORS_ONLN) < 2)
		SKIP(return, "there is only one CPU");
	ASSERT_EQ(0, cpc_bind_cpu(self->cpc, 1, self->set, 0));
	CPU_ZERO(&all);
	CPU_SET(0, &all);
	ASSERT_EQ(0, sched_setaffinity(0, sizeof(all), &all));
	EXPECT_EQ(-1, cpc_set_sample(self->cpc, self->set, self->buf));
	EXPECT_EQ(EAGAIN, errno);
	EXPECT_EQ(-1, cpc_unbind(self->cpc, self->set));
	EXPECT_EQ(EAGAIN, errno);
	EXPECT_AFFINITY(self->before);
	EXPECT_EQ(-1, cpc_unbind(self->cpc, self->set));
	EXPECT_EQ(EINVAL, errno);
	EXPECT_EQ(0, cpc_bind_cpu(self->cpc, 1, self->set, 0));
}

/* After the set has been unbound from one CPU, it can be bound to another. */
TEST_F(cpu, bound_to_one_cpu_after_the_other)
{
	if (sysconf(_SC_NPROCESSORS_ONLN) < 2)
		SKIP(return, "there is only one CPU");
	ASSERT_EQ(0, cpc_bind_cpu(self->cpc, 0, self->set, 0));
	ASSERT_EQ(0, cpc_bind_cpu(self->cpc, 1, self->set, 0));
	EXPECT_EQ(0, cpc_set_sample(self->cpc, self->set, self->buf));
	EXPECT_EQ(0, cpc_set_destroy(self->cpc, self->set));
	EXPECT_AFFINITY(self->before);
}

struct measured {
	cpc_t *cpc;
	cpc_set_t *set;
	cpc_buf_t *buf;
	int cpu;
	int pages;
	int error;
};

static void *measure(void *arg)
{
	struct measured *m = arg;

	m->error = cpc_bind_cpu(m->cpc, m->cpu, m->set, 0) ? errno : 0;
	if (m->error)
		return NULL;
	touch(m->pages);
	m->error = cpc_set_sample(m->cpc, m->set, m->buf) || cpc_unbind(m->cpc, m->set) ? errno : 0;
	return NULL;
}

/* If two threads each count a CPU at the same time, the calls of one do not affect the other. */
TEST_F(cpu, each_cpu_by_a_thread_of_its_own)
{
	struct measured other = { .cpc = self->cpc, .cpu = 1, .pages = 300 };
	uint64_t before;
	pthread_t thread;

	if (sysconf(_SC_NPROCESSORS_ONLN) < 2)
		SKIP(return, "there is only one CPU");
	other.set = set_of(self->cpc, "page-faults", 100);
	other.buf = cpc_buf_create(self->cpc, other.set);
	ASSERT_EQ(0, cpc_bind_cpu(self->cpc, 0, self->set, 0));
	touch(5000);
	before = sampled(self->cpc, self->set, self->buf);
	EXPECT_LE(100 + 5000, before);
	ASSERT_EQ(0, pthread_create(&thread, NULL, measure, &other));
	pthread_join(thread, NULL);
	EXPECT_EQ(0, other.error);
	EXPECT_LE(100 + 300, value(self->cpc, other.buf, 0));
	EXPECT_GT(100 + 4000, value(self->cpc, other.buf, 0));
	EXPECT_LE(before, sampled(self->cpc, self->set, self->buf));
}

/* perf shares the CPU's counters between sets bound to CPUs and sets bound to threads. */
TEST_F(cpu, counts_beside_threads)
{
	cpc_set_t *mine, *set;
	cpc_buf_t *buf;

	if (!self->pmu)
		SKIP(return, "no PMU counts cycles");
	mine = set_of(self->cpc, "cycles", 0);
	set = set_of(self->cpc, "cycles", 0);
	buf = cpc_buf_create(self->cpc, set);
	ASSERT_EQ(0, cpc_bind_cpu(self->cpc, 0, set, 0));
	ASSERT_EQ(0, cpc_bind_curlwp(self->cpc, mine, 0));
	spin(100000);
	EXPECT_LT(0, sampled(self->cpc, set, buf));
	EXPECT_LT(0, sampled(self->cpc, mine, buf));
	EXPECT_EQ(0, cpc_unbind(self->cpc, set));
	EXPECT_EQ(0, cpc_unbind(self->cpc, mine));
}

TEST_HARNESS_MAIN
