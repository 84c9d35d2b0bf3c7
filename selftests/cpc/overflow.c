// SPDX-License-Identifier: GPL-2.0-or-later
/* When a counter overflows, the thread receives SIGEMT and the set stops until it is restarted. */
#include <pthread.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include "cpc.h"
#include "kselftest_harness.h"

/* What the SIGEMT handler must do, and what it records about the signal */
static struct {
	cpc_t *cpc;
	cpc_set_t *set;
	cpc_buf_t *buf;
	bool restarts;
	bool binds;
	uint64_t preset;	/* for request 0, set before a restart; none if 0 */
	volatile sig_atomic_t times;
	siginfo_t info;
	pid_t tid;
	uint64_t values[2];
	int errors;
} on_emt;

static void handler(int sig, siginfo_t *info, void *context)
{
	(void)sig;
	(void)context;
	on_emt.times++;
	on_emt.info = *info;
	on_emt.tid = _lwp_self();
	on_emt.errors += cpc_set_sample(on_emt.cpc, on_emt.set, on_emt.buf) != 0;
	for (int i = 0; i < 2; i++)
		on_emt.values[i] = value(on_emt.cpc, on_emt.buf, i);
	if (on_emt.preset)
		on_emt.errors += cpc_request_preset(on_emt.cpc, 0, on_emt.preset) != 0;
	if (on_emt.restarts)
		on_emt.errors += cpc_set_restart(on_emt.cpc, on_emt.set) != 0;
	if (on_emt.binds)
		on_emt.errors += cpc_bind_curlwp(on_emt.cpc, on_emt.set, 0) != 0;
}

/* The first request, for page faults, overflows after 50; the second never overflows. */
FIXTURE(overflow) {
	cpc_t *cpc;
	cpc_set_t *set;
	cpc_buf_t *buf;
};

#define AFTER	50

FIXTURE_SETUP(overflow)
{
	struct sigaction sa = { .sa_sigaction = handler, .sa_flags = SA_SIGINFO | SA_RESTART };

	self->cpc = cpc_open(CPC_VER_CURRENT);
	ASSERT_NE(NULL, self->cpc) TH_LOG("cpc_open: %s", strerror(errno));
	self->set = cpc_set_create(self->cpc);
	ASSERT_EQ(0, add_overflowing(self->cpc, self->set, "page-faults", AFTER));
	ASSERT_EQ(1, cpc_set_add_request(self->cpc, self->set, "page-faults", 1000, CPC_COUNT_USER,
					 0, NULL));
	self->buf = cpc_buf_create(self->cpc, self->set);
	memset(&on_emt, 0, sizeof(on_emt));
	on_emt.cpc = self->cpc;
	on_emt.set = self->set;
	on_emt.buf = cpc_buf_create(self->cpc, self->set);
	ASSERT_EQ(0, sigaction(SIGEMT, &sa, NULL));
	/* Lock all memory, so that only the test's accesses cause page faults. */
	ASSERT_EQ(0, mlockall(MCL_CURRENT));
}

FIXTURE_TEARDOWN(overflow)
{
	EXPECT_EQ(0, cpc_close(self->cpc));
}

TEST_F(overflow, caps_tell_of_overflow_interrupts)
{
	EXPECT_EQ(CPC_CAP_OVERFLOW_INTERRUPT | CPC_CAP_OVERFLOW_PRECISE, cpc_caps(self->cpc));
}

TEST_F(overflow, one_sigemt_after_k_events_and_the_whole_set_is_frozen)
{
	uint64_t tick;

	ASSERT_EQ(0, cpc_bind_curlwp(self->cpc, self->set, 0));
	touch(AFTER - 1);
	EXPECT_EQ(0, on_emt.times);
	EXPECT_EQ(-1ULL, sampled(self->cpc, self->set, self->buf));
	touch(AFTER);
	ASSERT_EQ(1, on_emt.times);
	EXPECT_EQ(SIGEMT, on_emt.info.si_signo);
	EXPECT_EQ(EMT_CPCOVF, on_emt.info.si_code);
	EXPECT_NE(NULL, on_emt.info.si_addr);
	EXPECT_EQ(0, on_emt.errors);
	/*
	 * The value of the counter that overflowed is small, because it wrapped.  The other counter
	 * did not overflow.
	 */
	EXPECT_GT(AFTER, on_emt.values[0]);
	EXPECT_LE(1000 + AFTER, on_emt.values[1]);
	EXPECT_GE(1000 + AFTER + 1, on_emt.values[1]);
	/* Nothing is counted until the set is restarted. */
	ASSERT_EQ(0, cpc_set_sample(self->cpc, self->set, self->buf));
	tick = cpc_buf_tick(self->cpc, self->buf);
	touch(10 * AFTER);
	EXPECT_EQ(on_emt.values[0], sampled(self->cpc, self->set, self->buf));
	EXPECT_EQ(on_emt.values[1], value(self->cpc, self->buf, 1));
	EXPECT_EQ(tick, cpc_buf_tick(self->cpc, self->buf));
	EXPECT_EQ(cpc_buf_hrtime(self->cpc, on_emt.buf), cpc_buf_hrtime(self->cpc, self->buf));
	EXPECT_EQ(1, on_emt.times);
	ASSERT_EQ(0, cpc_set_restart(self->cpc, self->set));
	touch(AFTER - 1);
	EXPECT_EQ(1, on_emt.times);
	touch(1);
	EXPECT_EQ(2, on_emt.times);
}

TEST_F(overflow, restart_in_the_handler_goes_on_for_ever)
{
	on_emt.restarts = true;
	ASSERT_EQ(0, cpc_bind_curlwp(self->cpc, self->set, 0));
	for (int i = 1; i <= 1000; i++) {
		touch(AFTER);
		ASSERT_EQ(i, on_emt.times);
	}
	EXPECT_EQ(0, on_emt.errors);
}

TEST_F(overflow, bind_in_the_handler_does_the_same)
{
	on_emt.binds = true;
	ASSERT_EQ(0, cpc_bind_curlwp(self->cpc, self->set, 0));
	for (int i = 1; i <= 100; i++) {
		touch(AFTER);
		ASSERT_EQ(i, on_emt.times);
	}
	EXPECT_EQ(0, on_emt.errors);
}

TEST_F(overflow, a_preset_is_seen_only_after_restart)
{
	ASSERT_EQ(0, cpc_bind_curlwp(self->cpc, self->set, 0));
	ASSERT_EQ(0, cpc_request_preset(self->cpc, 0, -10ULL));
	ASSERT_EQ(0, cpc_request_preset(self->cpc, 1, 77));
	touch(3);
	EXPECT_EQ(-(uint64_t)AFTER + 3, sampled(self->cpc, self->set, self->buf));
	ASSERT_EQ(0, cpc_set_restart(self->cpc, self->set));
	EXPECT_EQ(-10ULL, sampled(self->cpc, self->set, self->buf));
	EXPECT_EQ(77, value(self->cpc, self->buf, 1));
	touch(9);
	EXPECT_EQ(0, on_emt.times);
	touch(1);
	EXPECT_EQ(1, on_emt.times);
	EXPECT_EQ(-1, cpc_request_preset(self->cpc, 2, 0));
	EXPECT_EQ(EINVAL, errno);
	EXPECT_EQ(-1, cpc_request_preset(self->cpc, -1, 0));
	EXPECT_EQ(EINVAL, errno);
}

TEST_F(overflow, a_preset_of_the_handler_is_the_next_distance)
{
	on_emt.preset = -5ULL;
	on_emt.restarts = true;
	ASSERT_EQ(0, cpc_bind_curlwp(self->cpc, self->set, 0));
	touch(AFTER);
	ASSERT_EQ(1, on_emt.times);
	touch(100);
	EXPECT_EQ(21, on_emt.times);
	EXPECT_EQ(0, on_emt.errors);
	/* Binding the set again starts from the presets of the requests. */
	ASSERT_EQ(0, cpc_bind_curlwp(self->cpc, self->set, 0));
	EXPECT_EQ(-(uint64_t)AFTER, sampled(self->cpc, self->set, self->buf));
}

TEST_F(overflow, restart_resets_all_requests_also_of_a_running_set)
{
	ASSERT_EQ(0, cpc_bind_curlwp(self->cpc, self->set, 0));
	touch(20);
	ASSERT_EQ(0, cpc_set_restart(self->cpc, self->set));
	EXPECT_EQ(-(uint64_t)AFTER, sampled(self->cpc, self->set, self->buf));
	EXPECT_EQ(1000, value(self->cpc, self->buf, 1));
	/* This also applies to a disabled set, which a restart enables. */
	ASSERT_EQ(0, cpc_disable(self->cpc));
	ASSERT_EQ(0, cpc_set_restart(self->cpc, self->set));
	touch(7);
	EXPECT_EQ(-(uint64_t)AFTER + 7, sampled(self->cpc, self->set, self->buf));
	EXPECT_EQ(1007, value(self->cpc, self->buf, 1));
}

TEST_F(overflow, enable_goes_on_from_the_values)
{
	ASSERT_EQ(0, cpc_bind_curlwp(self->cpc, self->set, 0));
	touch(AFTER);
	ASSERT_EQ(1, on_emt.times);
	EXPECT_EQ(-1, cpc_disable(self->cpc));
	EXPECT_EQ(EINVAL, errno);
	ASSERT_EQ(0, cpc_enable(self->cpc));
	touch(9);
	EXPECT_EQ(on_emt.values[0] + 9, sampled(self->cpc, self->set, self->buf));
	EXPECT_EQ(1, on_emt.times);
}

TEST_F(overflow, the_tick_survives_restart_and_not_a_bind)
{
	uint64_t before, after;

	ASSERT_EQ(0, cpc_bind_curlwp(self->cpc, self->set, 0));
	spin(3000000);
	cpc_set_sample(self->cpc, self->set, self->buf);
	before = cpc_buf_tick(self->cpc, self->buf);
	ASSERT_EQ(0, cpc_set_restart(self->cpc, self->set));
	cpc_set_sample(self->cpc, self->set, self->buf);
	after = cpc_buf_tick(self->cpc, self->buf);
	EXPECT_LT(0, before);
	EXPECT_LE(before, after);
	ASSERT_EQ(0, cpc_bind_curlwp(self->cpc, self->set, 0));
	cpc_set_sample(self->cpc, self->set, self->buf);
	EXPECT_GT(before, cpc_buf_tick(self->cpc, self->buf));
}

TEST_F(overflow, blocked_is_pending_and_ignored_stays_frozen)
{
	sigset_t emt;
	uint64_t frozen;

	sigemptyset(&emt);
	sigaddset(&emt, SIGEMT);
	sigprocmask(SIG_BLOCK, &emt, NULL);
	ASSERT_EQ(0, cpc_bind_curlwp(self->cpc, self->set, 0));
	touch(2 * AFTER);
	EXPECT_EQ(0, on_emt.times);
	sigprocmask(SIG_UNBLOCK, &emt, NULL);
	EXPECT_EQ(1, on_emt.times);
	signal(SIGEMT, SIG_IGN);
	ASSERT_EQ(0, cpc_set_restart(self->cpc, self->set));
	touch(2 * AFTER);
	frozen = sampled(self->cpc, self->set, self->buf);
	EXPECT_GT(AFTER, frozen);
	touch(AFTER);
	EXPECT_EQ(frozen, sampled(self->cpc, self->set, self->buf));
	EXPECT_EQ(1, on_emt.times);
}

TEST_F(overflow, without_a_handler_it_ends_the_process)
{
	int status;
	pid_t pid = fork();

	ASSERT_LE(0, pid);
	if (!pid) {
		signal(SIGEMT, SIG_DFL);
		if (cpc_bind_curlwp(self->cpc, self->set, 0))
			_exit(1);
		touch(2 * AFTER);
		_exit(2);
	}
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	ASSERT_TRUE(WIFSIGNALED(status));
	EXPECT_EQ(SIGEMT, WTERMSIG(status));
}

/* If a counter wraps without notification, no signal is sent and the set continues. */
TEST_F(overflow, a_wrap_that_is_not_asked_for_goes_on)
{
	cpc_set_t *set = set_of(self->cpc, "page-faults", UINT64_MAX - 10);
	cpc_buf_t *buf = cpc_buf_create(self->cpc, set);
	uint64_t last;

	ASSERT_EQ(0, cpc_bind_curlwp(self->cpc, set, 0));
	last = sampled(self->cpc, set, buf);
	EXPECT_LE(UINT64_MAX - 10, last);
	touch(5);
	EXPECT_EQ(last + 5, sampled(self->cpc, set, buf));
	touch(20);
	EXPECT_EQ(last + 25, sampled(self->cpc, set, buf));
	EXPECT_EQ(0, on_emt.times);
}

TEST_F(overflow, which_request_it_was_is_seen_by_its_value)
{
	cpc_set_t *set = cpc_set_create(self->cpc);

	ASSERT_EQ(0, add_overflowing(self->cpc, set, "page-faults", 500));
	ASSERT_EQ(1, add_overflowing(self->cpc, set, "page-faults", 30));
	on_emt.set = set;
	on_emt.buf = cpc_buf_create(self->cpc, set);
	ASSERT_EQ(0, cpc_bind_curlwp(self->cpc, set, 0));
	touch(30);
	ASSERT_EQ(1, on_emt.times);
	EXPECT_LE(-500ULL, on_emt.values[0]);
	EXPECT_GT(30, on_emt.values[1]);
	EXPECT_EQ(1, on_emt.info.si_errno);
}

static void *overflow_here(void *arg)
{
	pid_t *tid = arg;

	*tid = _lwp_self();
	on_emt.errors += cpc_bind_curlwp(on_emt.cpc, on_emt.set, 0) != 0;
	touch(2 * AFTER);
	return NULL;
}

TEST_F(overflow, the_thread_that_counts_is_told)
{
	pthread_t thread;
	pid_t tid = 0;

	ASSERT_EQ(0, pthread_create(&thread, NULL, overflow_here, &tid));
	pthread_join(thread, NULL);
	EXPECT_EQ(1, on_emt.times);
	EXPECT_EQ(tid, on_emt.tid);
	EXPECT_EQ(0, on_emt.errors);
}

TEST_F(overflow, a_request_without_a_mode_never_overflows)
{
	cpc_set_t *set = cpc_set_create(self->cpc);

	ASSERT_EQ(0, cpc_set_add_request(self->cpc, set, "page-faults", UINT64_MAX,
					 CPC_OVF_NOTIFY_EMT, 0, NULL));
	ASSERT_EQ(0, cpc_bind_curlwp(self->cpc, set, 0));
	touch(10);
	EXPECT_EQ(0, on_emt.times);
}

/*
 * If a set bound to a CPU overflows, no signal is sent and the set continues.  Afterwards a thread
 * can use the set.
 */
TEST_F(overflow, on_a_cpu_it_is_accepted_and_nobody_is_told)
{
	ASSERT_EQ(0, cpc_bind_cpu(self->cpc, 0, self->set, 0));
	touch(3 * AFTER);
	ASSERT_EQ(0, cpc_set_sample(self->cpc, self->set, self->buf));
	EXPECT_LE(2 * AFTER, value(self->cpc, self->buf, 0));
	EXPECT_LE(1000 + 3 * AFTER, value(self->cpc, self->buf, 1));
	EXPECT_EQ(0, on_emt.times);
	EXPECT_EQ(-1, cpc_set_restart(self->cpc, self->set));
	EXPECT_EQ(EINVAL, errno);
	ASSERT_EQ(0, cpc_unbind(self->cpc, self->set));
	ASSERT_EQ(0, cpc_bind_curlwp(self->cpc, self->set, 0));
	touch(AFTER);
	EXPECT_EQ(1, on_emt.times);
}

/* Each overflow comes after 10^6 cycles, and its interrupt shortly afterwards. */
TEST_F(overflow, cycles_of_the_cpu)
{
	cpc_set_t *set = cpc_set_create(self->cpc);

	if (!has_pmu(self->cpc))
		SKIP(return, "no PMU counts cycles");
	ASSERT_EQ(0, add_overflowing(self->cpc, set, "PAPI_tot_cyc", 1000000));
	ASSERT_EQ(1, cpc_set_add_request(self->cpc, set, "PAPI_tot_ins", 0, CPC_COUNT_USER, 0,
					 NULL));
	on_emt.set = set;
	on_emt.buf = cpc_buf_create(self->cpc, set);
	ASSERT_NE(NULL, on_emt.buf);
	on_emt.restarts = true;
	ASSERT_EQ(0, cpc_bind_curlwp(self->cpc, set, 0));
	for (int i = 1; i <= 20; i++) {
		while (on_emt.times < i)
			spin(1000);
		EXPECT_GT(20000, on_emt.values[0]);
		EXPECT_LT(900000, on_emt.values[1]);
		EXPECT_GT(1100000, on_emt.values[1]);
	}
	EXPECT_EQ(0, on_emt.errors);
}

TEST_HARNESS_MAIN
