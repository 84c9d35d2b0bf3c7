// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * If a signal handler removes or replaces the set for transactions at any instruction of a call
 * that does the same, each set's memory is freed exactly once.
 */
#include <linux/perf_event.h>
#include <linux/vcpc.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/counters.h"
#include "core/traced.h"
#include "kselftest_harness.h"

#define MOST_STEPS	100000
#define EACH		1000	/* calls with fewer instructions are interrupted at each one */
#define TIMES		100	/* number of times that a longer call is interrupted */

/* Results of the stepped child: -1 during the call, then the number of errors found so far */
static volatile int *state;
static struct shim_counters *a, *b;
static void (*called)(void), (*in_handler)(void);

static void nothing(void)
{
}

static void set_a(void)
{
	shim_traced__set(a);
}

static void set_b(void)
{
	shim_traced__set(b);
}

static void unset_a(void)
{
	shim_traced__unset(a);
}

static void unset_both(void)
{
	shim_traced__unset(a);
	shim_traced__unset(b);
}

/* Use the set as a transaction does at its start and at its end. */
static void use(void)
{
	__u64 values[VC_MAX_COUNTERS];

	shim_traced__enter();
	if (shim_traced__own.counters)
		shim_traced__read(values);
	shim_traced__leave();
}

static void handler(int sig)
{
	(void)sig;
	in_handler();
}

static struct shim_counters *a_set(struct shim_session *session)
{
	struct vcpc_request req = {
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_PAGE_FAULTS,
		.flags = VCPC_REQ_F_USER,
	};
	struct shim_counters *counters = NULL;
	int bad;

	if (shim_counters__create(session, &req, 1, 0, &bad, &counters))
		return NULL;
	return counters;
}

static int is_held_right(void)
{
	return atomic_load(&a->holds) == 1 + (shim_traced__own.counters == a) &&
	       atomic_load(&b->holds) == 1 + (shim_traced__own.counters == b);
}

/* Make calls in a loop until the tracer stops. */
static void run_child(void)
{
	struct sigaction sa = { .sa_handler = handler };
	int faults = 0;

	sigaction(SIGUSR1, &sa, NULL);
	ptrace(PTRACE_TRACEME, 0, NULL, NULL);
	for (;;) {
		unset_both();
		set_a();
		*state = -1;
		raise(SIGSTOP);
		called();
		*state = faults;
		/*
		 * If the handler has passed another set, the next call frees the one that it
		 * replaced.
		 */
		set_a();
		faults += !is_held_right();
		unset_both();
		faults += !is_held_right();
		*state = faults;
		raise(SIGSTOP);
	}
}

static int stopped_by(pid_t pid, int sig)
{
	int status, got = waitpid(pid, &status, 0);

	/* Deliver a SIGUSR1 that arrived while it was blocked, and wait for the next stop. */
	if (got == pid && WIFSTOPPED(status) && WSTOPSIG(status) == SIGUSR1) {
		ptrace(PTRACE_CONT, pid, NULL, (void *)(long)SIGUSR1);
		got = waitpid(pid, &status, 0);
	}
	return got == pid && WIFSTOPPED(status) && WSTOPSIG(status) == sig;
}

/*
 * Step a call by @steps instructions, then run the handler.  Return 1, 0 if the call is shorter, or
 * -1 on failure.
 */
static int step(pid_t pid, int steps, int *stepped, int *faults)
{
	int in_time, i;

	if (!stopped_by(pid, SIGSTOP))
		return -1;
	for (i = 0; i < steps && *state < 0; i++)
		if (ptrace(PTRACE_SINGLESTEP, pid, NULL, NULL) || !stopped_by(pid, SIGTRAP))
			return -1;
	*stepped = i;
	in_time = *state < 0;
	ptrace(PTRACE_CONT, pid, NULL, (void *)(long)(in_time ? SIGUSR1 : 0));
	if (!stopped_by(pid, SIGSTOP))
		return -1;
	*faults = *state;
	ptrace(PTRACE_CONT, pid, NULL, NULL);
	return in_time;
}

/* Return the number of errors, or -1 if the child exited too early. */
static int step_through(void (*call)(void), void (*handled)(void))
{
	int steps = 0, length = 0, faults = 0, ret, status, stepped;
	pid_t pid;

	called = call;
	in_handler = handled;
	pid = fork();
	if (!pid) {
		struct shim_session *session = NULL;
		int bad;

		setenv("SHIM_BACKEND", "perf", 1);
		if (shim_session__open(&session))
			_exit(1);
		a = a_set(session);
		b = a_set(session);
		if (!a || !b || shim_counters__bind(a, 0, 0, &bad) || shim_counters__bind(b, 0, 0, &bad))
			_exit(1);
		run_child();
	}
	/* The first call runs to its end, to measure its length. */
	ret = step(pid, MOST_STEPS, &length, &faults);
	do
		ret = ret < 0 ? ret : step(pid, steps, &stepped, &faults);
	while (steps += length < EACH ? 1 : length / TIMES, ret > 0);
	kill(pid, SIGKILL);
	if (waitpid(pid, &status, 0) != pid || ret)
		return -1;
	return faults;
}

FIXTURE(traced) {
	int may;
};

FIXTURE_SETUP(traced)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr), .type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_PAGE_FAULTS,
		.exclude_kernel = 1,
	};
	int fd = syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0);

	self->may = fd >= 0;
	close(fd);
	state = mmap(NULL, sizeof(*state), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, state);
}

FIXTURE_TEARDOWN(traced)
{
	munmap((void *)state, sizeof(*state));
}

#define UNLESS_REFUSED() do {							\
	if (!self->may)								\
		SKIP(return, "perf_event_open(2) is not allowed here");		\
} while (0)

TEST_F(traced, set_interrupted)
{
	UNLESS_REFUSED();
	EXPECT_EQ(0, step_through(set_b, nothing));
	EXPECT_EQ(0, step_through(set_b, unset_both));
	EXPECT_EQ(0, step_through(set_b, set_a));
	EXPECT_EQ(0, step_through(set_b, use));
}

TEST_F(traced, unset_interrupted)
{
	UNLESS_REFUSED();
	EXPECT_EQ(0, step_through(unset_a, unset_a));
	EXPECT_EQ(0, step_through(unset_a, set_b));
	EXPECT_EQ(0, step_through(unset_a, use));
}

TEST_F(traced, use_interrupted)
{
	UNLESS_REFUSED();
	EXPECT_EQ(0, step_through(use, unset_both));
	EXPECT_EQ(0, step_through(use, set_b));
	EXPECT_EQ(0, step_through(use, use));
}

TEST_HARNESS_MAIN
