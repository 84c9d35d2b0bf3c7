// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Test the obsolete calls of version 1, which use strings and count two events on a thread, a
 * process or a CPU.
 */
#include <pthread.h>
#include <stdlib.h>
#include <sys/wait.h>

#include "cpc.h"
#include "kselftest_harness.h"
#include "needs_module.h"

#define TWO "pic0=sw::page-faults,pic1=sw::minor-faults"

static int reported;

static void tell(const char *fn, const char *fmt, va_list ap)
{
	(void)fmt;
	(void)ap;
	reported += !strcmp(fn, "strtoevent");
}

FIXTURE(v1) {
	int cpuver;
	cpc_event_t event, before, after;
};

FIXTURE_SETUP(v1)
{
	cpc_seterrfn(tell);
	reported = 0;
	ASSERT_EQ(0, cpc_access()) TH_LOG("cpc_access: %s", strerror(errno));
	self->cpuver = cpc_getcpuver();
	ASSERT_EQ(0, cpc_strtoevent(self->cpuver, TWO, &self->event));
	EXPECT_EQ(0, reported);
}

FIXTURE_TEARDOWN(v1)
{
	cpc_rele();
	cpc_seterrfn(NULL);
}

TEST(versions_are_negotiated)
{
	EXPECT_EQ(2, cpc_version(CPC_VER_NONE));
	EXPECT_EQ(2, cpc_version(CPC_VER_CURRENT));
	EXPECT_EQ(1, cpc_version(CPC_VER_1));
	EXPECT_EQ(0, cpc_version(3));
}

TEST_F(v1, the_machine)
{
	EXPECT_EQ(2, cpc_getnpic(self->cpuver));
	EXPECT_EQ(0, cpc_getnpic(CPC_ULTRA1));
	EXPECT_NE(NULL, cpc_getcciname(self->cpuver));
	EXPECT_NE(NULL, cpc_getcpuref(self->cpuver));
	EXPECT_NE(NULL, cpc_getusage(self->cpuver));
	EXPECT_EQ(NULL, cpc_getcciname(CPC_PENTIUM));
	EXPECT_EQ(NULL, cpc_getcpuref(CPC_PENTIUM));
	EXPECT_EQ(NULL, cpc_getusage(CPC_PENTIUM));
}

static void see(void *arg, int regno, const char *name, uint8_t bits)
{
	(void)bits;
	*(int *)arg += regno == 1 && !strcmp(name, "sw::page-faults");
}

TEST_F(v1, names_are_walked)
{
	int found = 0;

	cpc_walk_names(self->cpuver, 1, &found, see);
	EXPECT_EQ(1, found);
	cpc_walk_names(self->cpuver, 2, &found, see);
	cpc_walk_names(CPC_PENTIUM, 1, &found, see);
	EXPECT_EQ(1, found);
}

static const char *const same[] = {
	TWO, "pic0=sw::page-faults,pic1=0x11,nouser0,sys0,sys1", "pic0=0x8,pic1=sw::page-faults",
};

TEST_F(v1, strings_there_and_back)
{
	char *text;

	for (size_t i = 0; i < ARRAY_SIZE(same); i++) {
		cpc_event_t event;

		ASSERT_EQ(0, cpc_strtoevent(self->cpuver, same[i], &event));
		text = cpc_eventtostr(&event);
		EXPECT_STREQ(same[i], text);
		free(text);
	}
	ASSERT_EQ(0, cpc_strtoevent(self->cpuver, "sw::page-faults,17,sys,nouser1,noedge", &self->event));
	text = cpc_eventtostr(&self->event);
	EXPECT_STREQ("pic0=sw::page-faults,pic1=0x11,sys0,nouser1,sys1", text);
	free(text);
	/* Accept words that have a meaning only on other CPUs. */
	ASSERT_EQ(0, cpc_strtoevent(self->cpuver, "sw::page-faults,17,pc,int1", &self->event));
	text = cpc_eventtostr(&self->event);
	EXPECT_STREQ("pic0=sw::page-faults,pic1=0x11,pc0,pc1,int1", text);
	free(text);
	self->event.ce_cpuver = CPC_PENTIUM;
	EXPECT_EQ(NULL, cpc_eventtostr(&self->event));
}

static const struct {
	const char *spec;
	int errors;
} wrong[] = {
	{ "", 2 },
	{ "pic0=sw::page-faults", 1 },
	{ "pic1=sw::page-faults", 1 },
	{ "pic0=no-such-event,pic1=sw::page-faults", 1 },
	{ "pic0=256,pic1=1", 1 },
	{ "pic0=1,pic0=2,pic1=3", 1 },
	{ "pic0=1,pic1=2,pic2=3", 1 },
	{ "pic0=1,pic1=2,bogus", 1 },
	{ "pic0=1,pic1=2,cmask=999", 1 },
	{ "pic0=bad,pic1=worse,cmask", 3 },
};

TEST_F(v1, each_mistake_is_told)
{
	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++) {
		reported = 0;
		EXPECT_EQ(wrong[i].errors, cpc_strtoevent(self->cpuver, wrong[i].spec, &self->event))
			TH_LOG("%s", wrong[i].spec);
		EXPECT_EQ(wrong[i].errors, reported);
	}
	EXPECT_LT(0, cpc_strtoevent(CPC_PENTIUM, TWO, &self->event));
}

TEST_F(v1, two_events_are_counted_from_their_presets)
{
	self->event.ce_pic[0] = 1000;
	self->event.ce_pic[1] = -5ULL;
	ASSERT_EQ(0, cpc_bind_event(&self->event, 0));
	ASSERT_EQ(0, cpc_take_sample(&self->before));
	EXPECT_LE(1000, self->before.ce_pic[0]);
	touch(300);
	ASSERT_EQ(0, cpc_take_sample(&self->after));
	cpc_event_diff(&self->after, &self->after, &self->before);
	EXPECT_LE(300, self->after.ce_pic[0]);
	EXPECT_GE(310, self->after.ce_pic[0]);
	EXPECT_EQ(self->after.ce_pic[0], self->after.ce_pic[1]);
	EXPECT_LT(self->before.ce_hrt, self->after.ce_hrt);
	EXPECT_LT(0, self->after.ce_tsc);
	cpc_event_accum(&self->before, &self->after);
	EXPECT_LE(1300, self->before.ce_pic[0]);
	EXPECT_EQ(self->after.ce_hrt, self->before.ce_hrt);
	ASSERT_EQ(0, cpc_bind_event(NULL, 0));
	EXPECT_EQ(-1, cpc_take_sample(&self->after));
	EXPECT_EQ(EINVAL, errno);
	EXPECT_EQ(-1, cpc_rele());
	EXPECT_EQ(EINVAL, errno);
}

/*
 * If the same pair of events is bound with other presets, it starts from those, regardless of
 * earlier bindings.
 */
TEST_F(v1, bound_again_from_other_presets)
{
	for (uint64_t preset = 0; preset < 3000000; preset += 1000000) {
		self->event.ce_pic[0] = preset;
		self->event.ce_pic[1] = preset + 500000;
		ASSERT_EQ(0, cpc_bind_event(&self->event, 0));
		ASSERT_EQ(0, cpc_take_sample(&self->after));
		for (int i = 0; i < 2; i++) {
			EXPECT_LE(self->event.ce_pic[i], self->after.ce_pic[i]);
			EXPECT_GT(self->event.ce_pic[i] + 1000, self->after.ce_pic[i]);
		}
	}
}

TEST_F(v1, wrong_bindings)
{
	cpc_event_t other = self->event;

	EXPECT_EQ(-1, cpc_bind_event(&self->event, 4));
	EXPECT_EQ(EINVAL, errno);
	other.ce_cpuver = CPC_ULTRA3;
	EXPECT_EQ(-1, cpc_bind_event(&other, 0));
	EXPECT_EQ(EINVAL, errno);
	other = self->event;
	other.ce_pes[0] |= 0xffff;	/* no event has this number */
	EXPECT_EQ(-1, cpc_bind_event(&other, 0));
	EXPECT_EQ(EINVAL, errno);
	EXPECT_EQ(-1, cpc_count_usr_events(0));
	EXPECT_EQ(EINVAL, errno);
}

TEST_F(v1, modes_are_turned_while_it_counts)
{
	ASSERT_EQ(0, cpc_bind_event(&self->event, 0));
	touch(100);
	ASSERT_EQ(0, cpc_count_usr_events(0));
	ASSERT_EQ(0, cpc_take_sample(&self->before));
	EXPECT_LE(100, self->before.ce_pic[0]);
	touch(500);
	ASSERT_EQ(0, cpc_take_sample(&self->after));
	EXPECT_EQ(self->before.ce_pic[0], self->after.ce_pic[0]);
	ASSERT_EQ(0, cpc_count_usr_events(1));
	touch(500);
	ASSERT_EQ(0, cpc_take_sample(&self->after));
	EXPECT_LE(self->before.ce_pic[0] + 500, self->after.ce_pic[0]);
	ASSERT_EQ(0, cpc_count_sys_events(1));
	EXPECT_EQ(0, cpc_count_sys_events(0));
}

static volatile sig_atomic_t signals;
static int failed;

/* Bind the same set again, which restarts it from the presets.  This is the idiom of version 1. */
static void on_overflow(int sig, siginfo_t *info, void *context)
{
	cpc_event_t *event = context;
	static cpc_event_t again;

	(void)sig;
	event = &again;
	signals++;
	failed += info->si_code != EMT_CPCOVF;
	failed += cpc_take_sample(event) != 0 || event->ce_pic[0] >= 50;
	failed += cpc_strtoevent(cpc_getcpuver(), TWO, event) != 0;
	event->ce_pic[0] = -50ULL;
	failed += cpc_bind_event(event, CPC_BIND_EMT_OVF) != 0;
}

TEST_F(v1, overflow_and_bind_again)
{
	struct sigaction sa = { .sa_sigaction = on_overflow, .sa_flags = SA_SIGINFO };

	sigaction(SIGEMT, &sa, NULL);
	self->event.ce_pic[0] = -50ULL;
	ASSERT_EQ(0, cpc_bind_event(&self->event, CPC_BIND_EMT_OVF));
	touch(1000);
	EXPECT_LE(20, signals);
	EXPECT_GE(21, signals);
	EXPECT_EQ(0, failed);
}

static void *inherit(void *arg)
{
	touch(200);
	if (cpc_take_sample(arg))
		failed++;
	return NULL;
}

TEST_F(v1, threads_inherit)
{
	pthread_t thread;

	NEEDS_MODULE("inherited values");
	ASSERT_EQ(0, cpc_bind_event(&self->event, CPC_BIND_LWP_INHERIT));
	touch(5000);
	failed = 0;
	ASSERT_EQ(0, pthread_create(&thread, NULL, inherit, &self->after));
	pthread_join(thread, NULL);
	EXPECT_EQ(0, failed);
	EXPECT_LE(200, self->after.ce_pic[0]);
	EXPECT_GT(1000, self->after.ce_pic[0]);
}

static void *bind_many(void *arg)
{
	for (int i = 0; i < 40; i++) {
		cpc_event_t event;
		char spec[64];

		snprintf(spec, sizeof(spec), "pic0=sw::page-faults,pic1=%d", i % 20 ? 17 : 8);
		if (cpc_strtoevent(cpc_getcpuver(), i & 1 ? spec : TWO, &event))
			failed++;
		if (i & 1)
			event = *(cpc_event_t *)arg;
		if (cpc_bind_event(&event, 0) || cpc_take_sample(&event) || cpc_rele())
			failed++;
	}
	return NULL;
}

TEST_F(v1, many_threads)
{
	pthread_t threads[20];

	failed = 0;
	for (int i = 0; i < 20; i++)
		ASSERT_EQ(0, pthread_create(&threads[i], NULL, bind_many, &self->event));
	for (int i = 0; i < 20; i++)
		pthread_join(threads[i], NULL);
	EXPECT_EQ(0, failed);
}

/* If there are more pairs of events than fit in the cache, unused pairs are removed. */
TEST_F(v1, many_pairs)
{
	static const char *const names[] = {
		"sw::page-faults", "sw::minor-faults", "sw::major-faults", "sw::context-switches",
		"sw::cpu-migrations", "sw::alignment-faults",
	};
	char spec[128];

	for (int i = 0; i < 36; i++) {
		snprintf(spec, sizeof(spec), "pic0=%s,pic1=%s", names[i / 6], names[i % 6]);
		ASSERT_EQ(0, cpc_strtoevent(self->cpuver, spec, &self->event));
		ASSERT_EQ(0, cpc_bind_event(&self->event, 0)) TH_LOG("%s", spec);
		ASSERT_EQ(0, cpc_take_sample(&self->after));
	}
}

TEST_F(v1, a_forked_child_has_nothing_and_may_bind)
{
	int status;
	pid_t pid;

	NEEDS_MODULE("inherited values");
	ASSERT_EQ(0, cpc_bind_event(&self->event, CPC_BIND_LWP_INHERIT));
	pid = fork();
	ASSERT_LE(0, pid);
	if (!pid)
		_exit(cpc_take_sample(&self->after) != -1 || cpc_bind_event(&self->event, 0) ||
		      cpc_take_sample(&self->after));
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, status);
	EXPECT_EQ(0, cpc_take_sample(&self->after));
}

struct seen {
	cpc_event_t event, last;
	int errors, invalid;
};

static int on_init(pctx_t *pctx, pid_t pid, id_t lwpid, void *arg)
{
	struct seen *seen = arg;

	(void)pid;
	seen->errors += cpc_pctx_take_sample(pctx, lwpid, &seen->last) != -1 || errno != EINVAL;
	seen->errors += cpc_pctx_bind_event(pctx, 99, &seen->event, 0) != -1 || errno != ESRCH;
	return cpc_pctx_bind_event(pctx, lwpid, &seen->event, 0);
}

static int on_fini(pctx_t *pctx, pid_t pid, id_t lwpid, void *arg)
{
	struct seen *seen = arg;

	(void)pid;
	seen->errors += cpc_pctx_take_sample(pctx, lwpid, &seen->last) != 0;
	if (cpc_pctx_invalidate(pctx, lwpid) ||
	    cpc_pctx_take_sample(pctx, lwpid, &seen->event) != -1 || errno != EAGAIN)
		seen->invalid = -1;
	seen->errors += cpc_pctx_rele(pctx, lwpid) != 0;
	seen->errors += cpc_pctx_rele(pctx, lwpid) != -1;
	return 0;
}

TEST_F(v1, another_process)
{
	char *argv[] = { (char *)"version_1", (char *)"touch", NULL };
	struct seen seen = { .event = self->event };
	pctx_t *pctx = pctx_create("/proc/self/exe", argv, &seen, 0, NULL);

	ASSERT_NE(NULL, pctx);
	ASSERT_EQ(0, pctx_set_events(pctx, PCTX_INIT_LWP_EVENT, on_init, PCTX_FINI_LWP_EVENT,
				     on_fini, PCTX_NULL_EVENT));
	EXPECT_EQ(0, pctx_run(pctx, 0, 0, NULL));
	EXPECT_EQ(0, seen.errors);
	EXPECT_EQ(0, seen.invalid);
	EXPECT_LE(700, seen.last.ce_pic[0]);
	pctx_release(pctx);
}

TEST_F(v1, a_cpu)
{
	int fd;

	if (sysconf(_SC_NPROCESSORS_ONLN) > 1) {
		EXPECT_EQ(-1, cpc_shared_open());
		EXPECT_EQ(EINVAL, errno);
	}
	ASSERT_EQ(0, processor_bind(P_LWPID, P_MYID, 0, NULL));
	fd = cpc_shared_open();
	ASSERT_LE(0, fd);
	EXPECT_EQ(-1, cpc_shared_take_sample(fd, &self->after));
	EXPECT_EQ(EINVAL, errno);
	EXPECT_EQ(-1, cpc_shared_bind_event(fd, &self->event, 1));
	EXPECT_EQ(EINVAL, errno);
	ASSERT_EQ(0, cpc_shared_bind_event(fd, &self->event, 0));
	touch(400);
	ASSERT_EQ(0, cpc_shared_take_sample(fd, &self->after));
	EXPECT_LE(400, self->after.ce_pic[0]);
	EXPECT_EQ(0, cpc_shared_rele(fd));
	EXPECT_EQ(-1, cpc_shared_rele(fd));
	EXPECT_EQ(0, cpc_shared_bind_event(fd, &self->event, 0));
	cpc_shared_close(fd);
	EXPECT_EQ(-1, cpc_shared_bind_event(fd, &self->event, 0));
	EXPECT_EQ(EBADF, errno);
}

TEST_F(v1, a_cpu_needs_privilege)
{
	int status;
	pid_t pid = fork();

	ASSERT_LE(0, pid);
	if (!pid) {
		if (processor_bind(P_LWPID, P_MYID, 0, NULL) || setresgid(65534, 65534, 65534) ||
		    setresuid(65534, 65534, 65534))
			_exit(1);
		_exit(cpc_shared_open() == -1 && errno == EACCES ? 0 : 2);
	}
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, WEXITSTATUS(status));
}

/* Run this before main(), because the process may be the counted one. */
static void __attribute__((constructor(101))) act(int argc, char **argv)
{
	if (argc > 1 && !strcmp(argv[1], "touch")) {
		touch(700);
		_exit(0);
	}
}

TEST_HARNESS_MAIN
