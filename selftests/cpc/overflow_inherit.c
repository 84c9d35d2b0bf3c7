// SPDX-License-Identifier: GPL-2.0-or-later
/* With CPC_BIND_LWP_INHERIT and CPC_OVF_NOTIFY_EMT, each new thread starts with a signal. */
#include <pthread.h>
#include <sys/mman.h>

#include "cpc.h"
#include "kselftest_harness.h"

#define FAR	1000000

static cpc_t *cpc;
static cpc_set_t *set;

/* What the handler records about the first signal, which a new thread receives */
static struct {
	volatile sig_atomic_t times;
	lwpid_t tid;
	uint64_t values[2];
	int errors;
	uint64_t preset;	/* none if 0 */
	bool restarts;
} seen;
static __thread volatile sig_atomic_t running;

static void handler(int sig, siginfo_t *info, void *context)
{
	static cpc_buf_t *buf;

	(void)sig;
	(void)context;
	if (!buf)
		buf = cpc_buf_create(cpc, set);
	if (!seen.times++) {
		seen.tid = _lwp_self();
		seen.errors += running || info->si_code != EMT_CPCOVF ||
			       cpc_set_sample(cpc, set, buf) != 0;
		seen.values[0] = value(cpc, buf, 0);
		seen.values[1] = value(cpc, buf, 1);
	}
	if (seen.preset)
		seen.errors += cpc_request_preset(cpc, 0, seen.preset) != 0;
	if (seen.restarts)
		seen.errors += cpc_set_restart(cpc, set) != 0;
}

FIXTURE(inherited) {
	cpc_buf_t *buf;
};

FIXTURE_SETUP(inherited)
{
	struct sigaction sa = { .sa_sigaction = handler, .sa_flags = SA_SIGINFO | SA_RESTART };

	memset(&seen, 0, sizeof(seen));
	cpc = cpc_open(CPC_VER_CURRENT);
	ASSERT_NE(NULL, cpc) TH_LOG("cpc_open: %s", strerror(errno));
	set = cpc_set_create(cpc);
	ASSERT_EQ(0, add_overflowing(cpc, set, "page-faults", FAR));
	ASSERT_EQ(1, cpc_set_add_request(cpc, set, "page-faults", 7, CPC_COUNT_USER, 0, NULL));
	self->buf = cpc_buf_create(cpc, set);
	ASSERT_EQ(0, sigaction(SIGEMT, &sa, NULL));
	ASSERT_EQ(0, mlockall(MCL_CURRENT));
	ASSERT_EQ(0, cpc_bind_curlwp(cpc, set, CPC_BIND_LWP_INHERIT));
}

FIXTURE_TEARDOWN(inherited)
{
	(void)self;
	EXPECT_EQ(0, cpc_close(cpc));
}

struct inheritor {
	lwpid_t tid;
	int pages;
	uint64_t end[2];
	int errors;
};

static void *run_inheritor(void *arg)
{
	struct inheritor *inheritor = arg;
	cpc_buf_t *buf = cpc_buf_create(cpc, set);

	running = 1;
	inheritor->tid = _lwp_self();
	touch(inheritor->pages);
	inheritor->errors = cpc_set_sample(cpc, set, buf) != 0;
	inheritor->end[0] = value(cpc, buf, 0);
	inheritor->end[1] = value(cpc, buf, 1);
	return NULL;
}

static void run(struct inheritor *inheritor)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, run_inheritor, inheritor) || pthread_join(thread, NULL))
		inheritor->errors = -1;
}

TEST_F(inherited, a_new_thread_is_signalled_first_and_reads_uint64_max)
{
	struct inheritor inheritor = { .pages = 500 };

	run(&inheritor);
	ASSERT_EQ(1, seen.times);
	EXPECT_EQ(inheritor.tid, seen.tid);
	EXPECT_EQ(0, seen.errors);
	EXPECT_EQ(UINT64_MAX, seen.values[0]);
	EXPECT_EQ(7, seen.values[1]);
	/* The set stays stopped, because no handler restarts it. */
	EXPECT_EQ(0, inheritor.errors);
	EXPECT_EQ(UINT64_MAX, inheritor.end[0]);
	EXPECT_EQ(7, inheritor.end[1]);
}

TEST_F(inherited, the_parent_goes_on_and_is_not_signalled)
{
	struct inheritor inheritor = { .pages = 1 };
	uint64_t before = sampled(cpc, set, self->buf);

	run(&inheritor);
	EXPECT_NE(_lwp_self(), seen.tid);
	touch(50);
	EXPECT_LE(before + 50, sampled(cpc, set, self->buf));
	EXPECT_GT(before + 200, value(cpc, self->buf, 0));
	EXPECT_EQ(1, seen.times);
}

TEST_F(inherited, a_restart_in_the_first_handler_lets_it_count)
{
	struct inheritor inheritor = { .pages = 500 };

	seen.restarts = true;
	run(&inheritor);
	EXPECT_EQ(1, seen.times);
	EXPECT_EQ(0, seen.errors + inheritor.errors);
	EXPECT_LE(-(uint64_t)FAR + 500, inheritor.end[0]);
	EXPECT_LE(507, inheritor.end[1]);
	EXPECT_GT(607, inheritor.end[1]);
}

TEST_F(inherited, each_has_overflows_of_its_own)
{
	struct inheritor inheritor = { .pages = 300 };

	seen.restarts = true;
	seen.preset = -200ULL;
	run(&inheritor);
	EXPECT_EQ(2, seen.times);
	EXPECT_EQ(0, seen.errors + inheritor.errors);
}

TEST_F(inherited, the_parents_presets_are_inherited)
{
	struct inheritor inheritor = { .pages = 150 };

	seen.restarts = true;
	ASSERT_EQ(0, cpc_request_preset(cpc, 0, -100ULL));
	ASSERT_EQ(0, cpc_request_preset(cpc, 1, 70000));
	run(&inheritor);
	EXPECT_EQ(2, seen.times);
	EXPECT_EQ(70000, seen.values[1]);
	EXPECT_EQ(0, seen.errors + inheritor.errors);
}

int main(int argc, char **argv)
{
	if (access("/dev/vcpc", F_OK) != 0) {
		puts("1..0 # SKIP perf does not signal overflows of inheriting threads; no module is loaded");
		return KSFT_SKIP;
	}
	return test_harness_run(argc, argv);
}
