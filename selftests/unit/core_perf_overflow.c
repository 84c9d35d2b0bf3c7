// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Overflows of sets on perf are reported correctly while a program forks, calls exec, blocks
 * signals, ends threads or closes descriptors.
 */
#include <fcntl.h>
#include <sched.h>
#include <stdatomic.h>
#include <sys/socket.h>

#include "core_perf.h"

#define AFTER	50

static struct {
	atomic_int times;
	siginfo_t info;
	pid_t tid;
	atomic_int urgent;
} seen;

static void on_overflow(int sig, siginfo_t *info, void *context)
{
	(void)sig;
	(void)context;
	seen.times++;
	seen.info = *info;
	seen.tid = gettid();
}

static void on_urgent(int sig)
{
	(void)sig;
	seen.urgent++;
}

/*
 * Create a set whose first request never overflows, and whose second one overflows after @after
 * page faults.
 */
static int make_overflowing(FIXTURE_DATA(perf) *self, __u64 after, struct shim_counters **set)
{
	struct shim_terms terms = { .signal = SIGUSR1 };
	struct vcpc_request reqs[NR];

	for (int i = 0; i < NR; i++)
		if (shim_event__parse("page-faults:u", &reqs[i]))
			abort();
	reqs[1].flags |= VCPC_REQ_F_OVERFLOW;
	reqs[1].preset = -after;
	return shim_counters__create_on(self->session, reqs, NR, 0, terms, &self->bad, set);
}

static void catch(int sig, void (*fn)(int, siginfo_t *, void *))
{
	struct sigaction sa = { .sa_sigaction = fn, .sa_flags = SA_SIGINFO | SA_RESTART };

	sigaction(sig, &sa, NULL);
}

/* Bind the fixture's set to the caller. */
#define BOUND_SET()									\
	do {										\
		NEED_PERF();								\
		memset(&seen, 0, sizeof(seen));						\
		catch(SIGUSR1, on_overflow);						\
		touch(2);								\
		ASSERT_EQ(0, make_overflowing(self, AFTER, &self->set));		\
		ASSERT_EQ(0, shim_counters__bind(self->set, 0, 0, &self->bad));		\
	} while (0)

TEST_F(perf, the_second_request_stops_both)
{
	__u64 values[NR];

	BOUND_SET();
	touch(AFTER + SLACK);
	ASSERT_EQ(1, seen.times);
	EXPECT_EQ(SIGUSR1, seen.info.si_signo);
	EXPECT_EQ(VCPC_SI_OVERFLOW, seen.info.si_code);
	EXPECT_EQ(1, seen.info.si_errno);
	EXPECT_NE(NULL, seen.info.si_addr);
	EXPECT_EQ(gettid(), seen.tid);
	ASSERT_EQ(0, sample(self, 0));
	EXPECT_EQ(0, STATE);
	memcpy(values, VALUES, sizeof(values));
	EXPECT_GE(3 + SLACK, values[1]);
	EXPECT_EQ(values[0], values[1] + AFTER);
	touch(10);
	ASSERT_EQ(0, sample(self, 0));
	EXPECT_EQ(values[0], VALUES[0]);
	EXPECT_EQ(values[1], VALUES[1]);
}

/*
 * Values are correct for any number of overflows, even if any thread stops and starts the set in
 * between.
 */
TEST_F(perf, ten_thousand_overflows)
{
	BOUND_SET();
	for (int i = 1; i <= 10000; i++) {
		ASSERT_EQ(0, shim_counters__preset(self->set, 0, 1, -(__u64)(1 + i % 3)));
		ASSERT_EQ(0, shim_counters__restart(self->set, 0));
		/*
		 * A page fault of a sanitizer can cause an overflow while the set is being stopped.
		 */
		if (!SLACK && !(i % 7)) {
			ASSERT_EQ(0, shim_counters__disable(self->set, 0));
			ASSERT_EQ(0, shim_counters__enable(self->set, 0));
		}
		touch(1 + i % 3);
		ASSERT_EQ(i, seen.times);
	}
}

TEST_F(perf, the_programs_own_sigurg)
{
	int pair[2];

	NEED_PERF();
	signal(SIGURG, on_urgent);
	BOUND_SET();
	touch(AFTER + SLACK);
	EXPECT_EQ(1, seen.times);
	EXPECT_EQ(0, seen.urgent);
	raise(SIGURG);
	EXPECT_EQ(1, seen.urgent);
	ASSERT_EQ(0, socketpair(AF_UNIX, SOCK_STREAM, 0, pair));
	/* The library uses the signal, and restores the handler afterwards. */
	signal(SIGURG, on_urgent);
	ASSERT_EQ(0, shim_counters__restart(self->set, 0));
	touch(AFTER + SLACK);
	EXPECT_EQ(1, seen.times);
	EXPECT_EQ(2, seen.urgent);
	signal(SIGURG, SIG_DFL);
	ASSERT_EQ(0, shim_counters__unbind(self->set, 0));
	ASSERT_EQ(0, shim_counters__bind(self->set, 0, 0, &self->bad));
	touch(AFTER + SLACK);
	EXPECT_EQ(2, seen.times);
	signal(SIGURG, SIG_DFL);
	close(pair[0]);
	close(pair[1]);
}

/* While the signal is blocked, only the overflowing event stops; the signal arrives later. */
TEST_F(perf, blocked_is_told_later)
{
	sigset_t urgent;

	BOUND_SET();
	sigemptyset(&urgent);
	sigaddset(&urgent, SIGURG);
	sigprocmask(SIG_BLOCK, &urgent, NULL);
	touch(AFTER + 20 + SLACK);
	EXPECT_EQ(0, seen.times);
	ASSERT_EQ(0, sample(self, 0));
	EXPECT_GE(3 + SLACK, VALUES[1]);
	sigprocmask(SIG_UNBLOCK, &urgent, NULL);
	EXPECT_EQ(1, seen.times);
	/* If the set is restarted before the signal arrives, the overflow is not reported. */
	ASSERT_EQ(0, shim_counters__restart(self->set, 0));
	sigprocmask(SIG_BLOCK, &urgent, NULL);
	touch(AFTER + SLACK);
	ASSERT_EQ(0, shim_counters__restart(self->set, 0));
	sigprocmask(SIG_UNBLOCK, &urgent, NULL);
	EXPECT_EQ(1, seen.times);
	touch(AFTER + SLACK);
	EXPECT_EQ(2, seen.times);
}

TEST_F(perf, two_sets_at_once)
{
	struct shim_counters *other;
	sigset_t urgent;

	BOUND_SET();
	ASSERT_EQ(0, make_overflowing(self, AFTER, &other));
	ASSERT_EQ(0, shim_counters__bind(other, 0, 0, &self->bad));
	sigemptyset(&urgent);
	sigaddset(&urgent, SIGURG);
	sigprocmask(SIG_BLOCK, &urgent, NULL);
	touch(2 * AFTER + SLACK);
	sigprocmask(SIG_UNBLOCK, &urgent, NULL);
	/* Several pending signals with the same number are delivered once. */
	EXPECT_EQ(1, seen.times);
	EXPECT_EQ(-EINVAL, shim_counters__disable(self->set, 0));
	EXPECT_EQ(-EINVAL, shim_counters__disable(other, 0));
	shim_counters__put(other);
}

TEST_F(perf, another_thread_of_this_process)
{
	struct worker w;

	NEED_PERF();
	memset(&seen, 0, sizeof(seen));
	catch(SIGUSR1, on_overflow);
	start(&w, AFTER + 10);
	ASSERT_EQ(0, make_overflowing(self, AFTER, &self->set));
	ASSERT_EQ(0, shim_counters__bind(self->set, w.tid, 0, &self->bad));
	let_work(&w);
	EXPECT_EQ(1, seen.times);
	EXPECT_EQ(w.tid, seen.tid);
	ASSERT_EQ(0, sample(self, w.tid));
	EXPECT_EQ(0, STATE & VCPC_STATE_COUNTING);
	EXPECT_GE(3 + SLACK, VALUES[1]);
	end(&w);
	ASSERT_EQ(0, sample(self, w.tid));
	EXPECT_EQ(0, shim_counters__unbind(self->set, w.tid));
}

TEST_F(perf, whom_it_cannot_tell)
{
	NEED_PERF();
	ASSERT_EQ(0, make_overflowing(self, AFTER, &self->set));
	expect_own_threads_only(_metadata, self);
}

/* A forked child does not count, but can use its own set, and its parent continues. */
TEST_F(perf, over_a_fork)
{
	int status = -1;
	pid_t pid;

	BOUND_SET();
	touch(AFTER / 2);
	pid = fork();
	if (!pid) {
		struct shim_counters *own;
		bool ok;

		touch(2 * AFTER + SLACK);
		ok = !seen.times && !make_overflowing(self, AFTER, &own) &&
		     !shim_counters__bind(own, 0, 0, &self->bad);
		touch(AFTER + SLACK);
		_exit(!ok || seen.times != 1);
	}
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, status);
	EXPECT_EQ(0, seen.times);
	touch(AFTER / 2 + SLACK);
	EXPECT_EQ(1, seen.times);
}

/* A pending signal does not terminate a program that is executed afterwards. */
TEST_F(perf, over_an_exec)
{
	int status = -1;
	pid_t pid;

	NEED_PERF();
	pid = fork();
	if (!pid) {
		sigset_t urgent;

		catch(SIGUSR1, on_overflow);
		if (make_overflowing(self, AFTER, &self->set) ||
		    shim_counters__bind(self->set, 0, 0, &self->bad))
			_exit(99);
		sigemptyset(&urgent);
		sigaddset(&urgent, SIGURG);
		sigprocmask(SIG_BLOCK, &urgent, NULL);
		touch(2 * AFTER + SLACK);
		execl("/bin/sh", "sh", "-c", "kill -0 $$; exit 7", NULL);
		_exit(98);
	}
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	ASSERT_TRUE(WIFEXITED(status));
	EXPECT_EQ(7, WEXITSTATUS(status));
}

/* Files that reuse the descriptors' numbers are not touched, and no signal is sent. */
TEST_F(perf, descriptors_closed_by_the_program)
{
	int fd;

	BOUND_SET();
	ASSERT_EQ(0, close_range(3, ~0U, 0));
	fd = open("/dev/null", O_RDWR);
	touch(2 * AFTER + SLACK);
	EXPECT_EQ(0, seen.times);
	EXPECT_EQ(-EBADF, sample(self, 0));
	EXPECT_EQ(-EBADF, shim_counters__restart(self->set, 0));
	shim_counters__put(self->set);
	self->set = NULL;
	EXPECT_EQ(1, write(fd, "", 1));
	close(fd);
}

static atomic_bool stop;

/* Run as a thread that other threads continuously bind, signal, restart, and unbind. */
static void *suffers(void *arg)
{
	atomic_int *tid = arg;

	*tid = gettid();
	while (!stop)
		touch(8);
	return NULL;
}

TEST_F(perf, others_do_anything_meanwhile)
{
	static atomic_int tids[4];
	pthread_t threads[4];

	NEED_PERF();
	memset(&seen, 0, sizeof(seen));
	catch(SIGUSR1, on_overflow);
	stop = false;
	for (int i = 0; i < 4; i++) {
		tids[i] = 0;
		ASSERT_EQ(0, pthread_create(&threads[i], NULL, suffers, &tids[i]));
		while (!tids[i])
			sched_yield();
	}
	for (int round = 0; round < 200; round++) {
		struct shim_counters *set;

		ASSERT_EQ(0, make_overflowing(self, 3, &set));
		for (int i = 0; i < 4; i++)
			ASSERT_EQ(0, shim_counters__bind(set, tids[i], 0, &self->bad));
		for (int k = 0; k < 20; k++) {
			int ret = k % 3 == 1 ? shim_counters__disable(set, tids[k % 4]) :
					       shim_counters__restart(set, tids[k % 4]);

			ASSERT_TRUE(!ret || ret == -EINVAL);
		}
		shim_counters__put(set);
	}
	stop = true;
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	EXPECT_LT(0, seen.times);
}

TEST_HARNESS_MAIN
