// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Test the back end on perf_event_open(2) with the kernel's software events, which every machine
 * has.
 */
#include "core_perf.h"

/* Call functions once, because the first call to a function causes page faults for its code. */
static void warm_up(FIXTURE_DATA(perf) *self)
{
	for (int i = 0; i < 2; i++) {
		touch(1);
		sample(self, 0);
	}
}

TEST_F(perf, the_caller_counts_exactly)
{
	__u64 before, tick;

	NEED_PERF();
	ASSERT_EQ(0, make(self, 0, 1000));
	ASSERT_EQ(0, shim_counters__bind(self->set, 0, 0, &self->bad));
	warm_up(self);
	ASSERT_EQ(0, sample(self, 0));
	before = VALUES[0];
	tick = self->room.sample.tick;
	EXPECT_EQ(before + 1000, VALUES[1]);
	touch(37);
	ASSERT_EQ(0, sample(self, 0));
	EXPECT_LE(before + 37, VALUES[0]);
	EXPECT_GE(before + 37 + SLACK, VALUES[0]);
	EXPECT_EQ(VALUES[0] + 1000, VALUES[1]);
	EXPECT_LT(tick, self->room.sample.tick);
	EXPECT_EQ(VCPC_STATE_COUNTING, STATE);
	EXPECT_EQ(NR, self->room.sample.nr);
	EXPECT_EQ(-EBUSY, shim_counters__bind(self->set, 0, 0, &self->bad));
	EXPECT_EQ(0, shim_counters__unbind(self->set, 0));
	EXPECT_EQ(-EINVAL, sample(self, 0));
	EXPECT_EQ(-EINVAL, shim_counters__unbind(self->set, 0));
}

TEST_F(perf, stopped_started_and_started_anew)
{
	__u64 time;

	NEED_PERF();
	ASSERT_EQ(0, make(self, VCPC_SET_F_DISABLED, 1000));
	ASSERT_EQ(0, shim_counters__bind(self->set, 0, 0, &self->bad));
	touch(5);
	ASSERT_EQ(0, sample(self, 0));
	EXPECT_EQ(0, VALUES[0]);
	EXPECT_EQ(1000, VALUES[1]);
	EXPECT_EQ(0, STATE);
	EXPECT_EQ(0, self->room.sample.tick);
	time = self->room.sample.time;
	EXPECT_EQ(-EINVAL, shim_counters__disable(self->set, 0));
	ASSERT_EQ(0, shim_counters__enable(self->set, 0));
	EXPECT_EQ(-EINVAL, shim_counters__enable(self->set, 0));
	touch(7);
	ASSERT_EQ(0, shim_counters__disable(self->set, 0));
	touch(11);
	ASSERT_EQ(0, sample(self, 0));
	EXPECT_LE(7, VALUES[0]);
	EXPECT_GE(7 + SLACK, VALUES[0]);
	EXPECT_EQ(VALUES[0] + 1000, VALUES[1]);
	EXPECT_LT(time, self->room.sample.time);
	ASSERT_EQ(0, shim_counters__preset(self->set, 0, 0, -3ULL));
	EXPECT_EQ(-EINVAL, shim_counters__preset(self->set, 0, NR, 1));
	ASSERT_EQ(0, sample(self, 0));
	EXPECT_LE(7, VALUES[0]);
	ASSERT_EQ(0, shim_counters__restart(self->set, 0));
	touch(13);
	ASSERT_EQ(0, sample(self, 0));
	EXPECT_LE(10, VALUES[0]);
	EXPECT_GE(10 + SLACK, VALUES[0]);
	EXPECT_EQ(VALUES[0] + 1003, VALUES[1]);
	ASSERT_EQ(0, shim_counters__restart(self->set, 0));
	ASSERT_EQ(0, sample(self, 0));
	EXPECT_GE(SLACK, VALUES[0] + 3);
	EXPECT_EQ(VCPC_STATE_COUNTING, STATE);
}
TEST_F(perf, another_thread_to_its_end)
{
	struct worker w;

	NEED_PERF();
	start(&w, 21);
	ASSERT_EQ(0, make(self, 0, 0));
	ASSERT_EQ(0, shim_counters__bind(self->set, w.tid, 0, &self->bad));
	let_work(&w);
	ASSERT_EQ(0, sample(self, w.tid));
	EXPECT_LE(21, VALUES[0]);
	EXPECT_GE(24 + SLACK, VALUES[0]);
	/* 0 selects the only instance. */
	ASSERT_EQ(0, sample(self, 0));
	EXPECT_EQ(VCPC_STATE_COUNTING, STATE);
	end(&w);
	ASSERT_EQ(0, sample(self, w.tid));
	EXPECT_LE(21, VALUES[0]);
	EXPECT_TRUE(STATE & VCPC_STATE_EXITED);
	ASSERT_EQ(0, total(self, 0));
	EXPECT_EQ(VCPC_STATE_EXITED, STATE);
	EXPECT_EQ(-ESRCH, shim_counters__bind(self->set, 0x3ffffff0, 0, &self->bad));
}

TEST_F(perf, what_perf_has_not_is_refused)
{
	struct vcpc_request req = { .flags = VCPC_REQ_F_USER, .type = PERF_TYPE_SOFTWARE };
	struct shim_terms signal = { .signal = SIGUSR1 };
	struct shim_counters *set = NULL;

	NEED_PERF();
	EXPECT_EQ(-EOPNOTSUPP, shim_counters__create(self->session, &req, 1, 1U << 2,
						     &self->bad, &set));
	EXPECT_EQ(-EINVAL, shim_counters__create_on(self->session, &req, 1, 0, signal, &self->bad,
						    &set));
	req.flags |= VCPC_REQ_F_OVERFLOW;
	signal.signal = _NSIG;
	EXPECT_EQ(-EINVAL, shim_counters__create_on(self->session, &req, 1, 0, signal, &self->bad,
						    &set));
	req.flags = 0;
	EXPECT_EQ(-EINVAL, shim_counters__create(self->session, &req, 1, 0, &self->bad, &set));
	req.flags = VCPC_REQ_F_USER;
	req.config = 12345;
	EXPECT_EQ(-ENOENT, shim_counters__create(self->session, &req, 1, 0, &self->bad, &set));
	EXPECT_EQ(NULL, set);
	ASSERT_EQ(0, make(self, 0, 0));
	EXPECT_EQ(-EOPNOTSUPP, shim_counters__bind(self->set, 0, VCPC_BIND_F_TRACE, &self->bad));
	EXPECT_EQ(-EINVAL, shim_counters__bind(self->set, 0, 1U << 31, &self->bad));
}

static int child_status(pid_t pid)
{
	int status;

	return waitpid(pid, &status, 0) == pid && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static int in_child(FIXTURE_DATA(perf) *self, int error)
{
	struct shim_counters *parents = self->set;

	if (sample(self, 0) != error || sample(self, getppid()) != error ||
	    total(self, 0) != error || shim_counters__disable(self->set, 0) != error ||
	    shim_counters__unbind(self->set, 0) != error ||
	    shim_counters__bind(self->set, 0, 0, &self->bad) != -EOPNOTSUPP)
		return 1;
	/* The child can have its own set. */
	if (make(self, 0, 0) || shim_counters__bind(self->set, 0, 0, &self->bad))
		return 2;
	touch(9);
	if (sample(self, 0) || VALUES[0] < 9 || VALUES[0] > 40 + SLACK)
		return 3;
	shim_counters__put(self->set);
	shim_counters__put(parents);
	return 0;
}

/* Fork with fork(), and with clone(2), which does not run fork handlers. */
TEST_F(perf, a_forked_child_gets_errors)
{
	__u64 before;
	pid_t pid;

	NEED_PERF();
	ASSERT_EQ(0, make(self, 0, 0));
	ASSERT_EQ(0, shim_counters__bind(self->set, 0, 0, &self->bad));
	for (int raw = 0; raw < 2; raw++) {
		ASSERT_EQ(0, sample(self, 0));
		pid = raw ? syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0) : fork();
		if (!pid)
			_exit(in_child(self, raw ? -EBADF : -EINVAL));
		EXPECT_EQ(0, child_status(pid));
		/* The parent's set continues to count. */
		warm_up(self);
		ASSERT_EQ(0, sample(self, 0));
		before = VALUES[0];
		touch(3);
		ASSERT_EQ(0, sample(self, 0));
		/* The count can include faults on its own pages, which the child shares. */
		EXPECT_LE(before + 3, VALUES[0]);
		EXPECT_GE(before + 13 + SLACK, VALUES[0]);
	}
}

static unsigned int mappings(void)
{
	char line[512];
	FILE *f = fopen("/proc/self/maps", "re");
	unsigned int n = 0;

	while (fgets(line, sizeof(line), f))
		n += strstr(line, "perf_event") != NULL;
	fclose(f);
	return n;
}

TEST_F(perf, no_descriptor_and_no_page_is_left)
{
	unsigned int pages = mappings();
	int files = open_files();
	struct worker w;

	NEED_PERF();
	start(&w, 1);
	ASSERT_EQ(0, make(self, 0, 0));
	for (int i = 0; i < 100; i++) {
		ASSERT_EQ(0, shim_counters__bind(self->set, 0, 0, &self->bad));
		EXPECT_EQ(pages + NR, mappings());
		ASSERT_EQ(0, shim_counters__unbind(self->set, 0));
	}
	EXPECT_EQ(pages, mappings());
	/*
	 * A thread that has never read its pages cannot be reading them, so they are unmapped at
	 * once.
	 */
	for (int i = 0; i < 100; i++) {
		ASSERT_EQ(0, shim_counters__bind(self->set, w.tid, 0, &self->bad));
		ASSERT_EQ(0, shim_counters__unbind(self->set, w.tid));
	}
	EXPECT_EQ(pages, mappings());
	/*
	 * A thread that has read its pages may be reading them, so they are kept until it has
	 * finished.
	 */
	ASSERT_EQ(0, shim_counters__bind(self->set, w.tid, 0, &self->bad));
	w.reads = self->set;
	let_work(&w);
	ASSERT_EQ(0, shim_counters__unbind(self->set, w.tid));
	EXPECT_EQ(pages + NR, mappings());
	end(&w);
	ASSERT_EQ(0, shim_counters__bind(self->set, 0, 0, &self->bad));
	EXPECT_EQ(pages + NR, mappings());
	shim_counters__put(self->set);
	self->set = NULL;
	EXPECT_EQ(pages, mappings());
	EXPECT_EQ(files, open_files());
}

/*
 * If a set is destroyed during another call on it, that call fails, and does not use freed memory.
 */
TEST_F(perf, ended_under_a_call)
{
	const struct shim_backend_ops *ops = &shim_backend__perf;
	struct vcpc_request req;
	union shim_backend_ref set;
	struct shim_terms terms = { 0 };
	int files = open_files();
	struct room {
		struct vcpc_sample sample;
		__u64 value;
	} room;

	NEED_PERF();
	ASSERT_EQ(0, shim_event__parse("page-faults:u", &req));
	ASSERT_EQ(0, ops->create((union shim_backend_ref){ 0 }, &req, 1, 0, terms, &self->bad, &set));
	ASSERT_EQ(0, ops->bind(set, 0, 0, &self->bad));
	ASSERT_EQ(0, ops->sample(set, 0, 0, &room.sample, sizeof(room)));
	ops->destroy(set);
	EXPECT_EQ(-EINVAL, ops->unbind(set, 0, 0));
	EXPECT_EQ(-EINVAL, ops->sample(set, 0, 0, &room.sample, sizeof(room)));
	ops->release(set);
	EXPECT_EQ(files, open_files());
}

static FIXTURE_DATA(perf) *handled;
static int failures, handlers;

static void handler(int signal)
{
	union room room;
	int ret = shim_counters__sample(handled->set, 0, &room.sample, sizeof(room));

	(void)signal;
	failures += ret && ret != -EINVAL;
	if (++handlers % 50 == 0)
		failures += shim_counters__restart(handled->set, 0) != 0;
	if (handlers % 70 == 0) {
		int bad;

		failures += shim_counters__unbind(handled->set, 0) != 0;
		failures += shim_counters__bind(handled->set, 0, 0, &bad) != 0;
	}
}

TEST_F(perf, a_handler_samples_starts_anew_and_binds_anew)
{
	struct itimerval often = { { 0, 300 }, { 0, 300 } }, never = { { 0, 0 }, { 0, 0 } };

	NEED_PERF();
	ASSERT_EQ(0, make(self, 0, 1ULL << 40));
	ASSERT_EQ(0, shim_counters__bind(self->set, 0, 0, &self->bad));
	handled = self;
	signal(SIGALRM, handler);
	setitimer(ITIMER_REAL, &often, NULL);
	while (handlers < 1000) {
		int ret = sample(self, 0);

		if (ret != -EINVAL && (ret || VALUES[1] - VALUES[0] != 1ULL << 40))
			failures++;
	}
	setitimer(ITIMER_REAL, &never, NULL);
	EXPECT_EQ(0, failures);
}

TEST_F(perf, a_cpu)
{
	int ret;

	NEED_PERF();
	ASSERT_EQ(0, make(self, 0, 0));
	ret = shim_counters__bind(self->set, 0, SHIM_BIND_F_CPU, &self->bad);
	if (ret == -EACCES)
		SKIP(return, "the caller may not count CPUs");
	ASSERT_EQ(0, ret);
	ASSERT_EQ(0, shim_counters__sample_at(self->set, 0, SHIM_TARGET_F_CPU, &self->room.sample,
					      sizeof(self->room)));
	EXPECT_EQ(VCPC_STATE_COUNTING, STATE);
	EXPECT_EQ(-ENODEV, shim_counters__bind(self->set, 4000, SHIM_BIND_F_CPU, &self->bad));
	EXPECT_EQ(0, shim_counters__unbind_at(self->set, 0, SHIM_TARGET_F_CPU));
}

/* A thread's ID can be the number of a CPU: with two CPUs, this is true of PID 1. */
TEST_F(perf, a_thread_and_a_cpu_of_one_number)
{
	int ret;

	NEED_PERF();
	if (access("/sys/devices/system/cpu/cpu1", F_OK))
		return;
	ASSERT_EQ(0, make(self, 0, 0));
	ret = shim_counters__bind(self->set, 1, SHIM_BIND_F_CPU, &self->bad);
	if (!ret)
		ret = shim_counters__bind(self->set, 1, 0, &self->bad);
	if (ret == -EACCES)
		SKIP(return, "the caller may not count CPUs");
	ASSERT_EQ(0, ret);
	EXPECT_EQ(0, shim_counters__unbind_at(self->set, 1, SHIM_TARGET_F_CPU | SHIM_TARGET_F_ALL));
	EXPECT_EQ(0, sample(self, 1));
	EXPECT_EQ(0, shim_counters__unbind_at(self->set, 1, SHIM_TARGET_F_ALL));
}

TEST_F(perf, more_than_one_group_holds)
{
	struct vcpc_request reqs[65] = { 0 };
	struct shim_counters *set = NULL;

	NEED_PERF();
	for (int i = 0; i < 65; i++)
		reqs[i] = (struct vcpc_request) {
			.type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_PAGE_FAULTS,
			.flags = VCPC_REQ_F_USER,
		};
	EXPECT_EQ(-EINVAL, shim_counters__create(self->session, reqs, 65, 0, &self->bad, &set));
	ASSERT_EQ(0, shim_counters__create(self->session, reqs, 64, 0, &self->bad, &self->set));
	EXPECT_EQ(0, shim_counters__bind(self->set, 0, 0, &self->bad));
	EXPECT_EQ(-EINVAL, sample(self, 0));
}

TEST_HARNESS_MAIN
