// SPDX-License-Identifier: GPL-2.0-or-later
/* The back end over perf_event_open(2), with the kernel's own events, which every machine has. */
#include <errno.h>
#include <linux/perf_event.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>

#include "core/counters.h"
#include "core/event.h"
#include "kselftest_harness.h"
#include "known_work.h"

#define NR	2

/* A sanitizer has page faults of its own. */
#ifdef __SANITIZE_ADDRESS__
#define SLACK	60
#else
#define SLACK	0
#endif

const struct shim_backend_ops *shim_session__backend(void)
{
	return &shim_backend__perf;
}

union room {
	struct vcpc_sample sample;
	__u64 words[sizeof(struct vcpc_sample) / sizeof(__u64) + NR];
};

FIXTURE(perf) {
	struct shim_session *session;
	struct shim_counters *set;
	union room room;
	int bad;
};

static int make(FIXTURE_DATA(perf) *self, unsigned int flags, __u64 preset)
{
	struct vcpc_request reqs[NR];

	for (int i = 0; i < NR; i++) {
		if (shim_event__parse("page-faults:u", &reqs[i]))
			abort();
		reqs[i].preset = i * preset;
	}
	return shim_counters__create(self->session, reqs, NR, flags, &self->bad, &self->set);
}

static int sample(FIXTURE_DATA(perf) *self, pid_t tid)
{
	return shim_counters__sample(self->set, tid, &self->room.sample, sizeof(self->room));
}

static int total(FIXTURE_DATA(perf) *self, pid_t tid)
{
	return shim_counters__total(self->set, tid, &self->room.sample, sizeof(self->room));
}

FIXTURE_SETUP(perf)
{
	int ret = shim_session__open(&self->session);

	if (ret != -ENODEV && ret != -EACCES)
		ASSERT_EQ(0, ret);
	touch(1);
}

/* Whatever is called for the first time has its own page faults. */
static void warm_up(FIXTURE_DATA(perf) *self)
{
	for (int i = 0; i < 2; i++) {
		touch(1);
		sample(self, 0);
	}
}

FIXTURE_TEARDOWN(perf)
{
	shim_counters__put(self->set);
	if (self->session)
		shim_session__close(self->session);
}

#define NEED_PERF()							\
	do {								\
		if (!self->session)					\
			SKIP(return, "perf_event_open(2) is not allowed here"); \
	} while (0)

#define VALUES	(self->room.sample.values)
#define STATE	(self->room.sample.state)

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
	EXPECT_EQ(-3ULL, VALUES[0]);
	EXPECT_EQ(VCPC_STATE_COUNTING, STATE);
}

/* A thread that touches pages when it is told, and goes */
struct worker {
	pthread_t thread;
	sem_t go, ready, done;
	int pages;
	pid_t tid;
	struct shim_counters *reads;	/* a set on it, which it samples by itself, too */
};

static void *work(void *arg)
{
	struct worker *w = arg;
	union room room;

	w->tid = gettid();
	touch(1);
	sem_post(&w->ready);
	sem_wait(&w->go);
	touch(w->pages);
	if (w->reads)
		shim_counters__sample(w->reads, 0, &room.sample, sizeof(room));
	sem_post(&w->done);
	sem_wait(&w->go);
	return NULL;
}

static void start(struct worker *w, int pages)
{
	w->pages = pages;
	w->reads = NULL;
	sem_init(&w->go, 0, 0);
	sem_init(&w->ready, 0, 0);
	sem_init(&w->done, 0, 0);
	if (pthread_create(&w->thread, NULL, work, w))
		abort();
	sem_wait(&w->ready);
}

static void let_work(struct worker *w)
{
	sem_post(&w->go);
	sem_wait(&w->done);
}

static void end(struct worker *w)
{
	sem_post(&w->go);
	pthread_join(w->thread, NULL);
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
	/* The only one */
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

static int instances(FIXTURE_DATA(perf) *self)
{
	struct vcpc_instances_args args;
	struct vcpc_instance_info *list;

	if (shim_counters__list(self->set, &list, &args))
		return -1;
	free(list);
	return args.nr;
}

TEST_F(perf, a_process_with_its_threads_and_those_to_come)
{
	struct worker old, new;

	NEED_PERF();
	start(&old, 100);
	ASSERT_EQ(0, make(self, 0, 0));
	ASSERT_EQ(0, shim_counters__bind(self->set, getpid(),
					 VCPC_BIND_F_PROCESS | VCPC_BIND_F_INHERIT, &self->bad));
	EXPECT_EQ(2, instances(self));
	let_work(&old);
	start(&new, 200);
	let_work(&new);
	ASSERT_EQ(0, total(self, 0));
	EXPECT_LE(301, VALUES[0]);
	EXPECT_GE(350 + SLACK, VALUES[0]);
	EXPECT_EQ(VCPC_STATE_COUNTING, STATE);
	/* Of single threads nothing is known, and no sum is said to be one's. */
	EXPECT_EQ(-EOPNOTSUPP, sample(self, old.tid));
	EXPECT_EQ(-EINVAL, sample(self, new.tid));
	end(&new);
	end(&old);
	ASSERT_EQ(0, total(self, getpid()));
	EXPECT_LE(301, VALUES[0]);
}

TEST_F(perf, a_process_as_it_is)
{
	struct worker a, b;

	NEED_PERF();
	start(&a, 100);
	start(&b, 200);
	ASSERT_EQ(0, make(self, VCPC_SET_F_DISABLED, 0));
	ASSERT_EQ(0, shim_counters__bind(self->set, a.tid, VCPC_BIND_F_PROCESS, &self->bad));
	EXPECT_EQ(3, instances(self));
	ASSERT_EQ(0, shim_counters__enable_at(self->set, 0, VCPC_TARGET_F_ALL));
	let_work(&a);
	ASSERT_EQ(0, shim_counters__disable_at(self->set, a.tid, VCPC_TARGET_F_ALL));
	let_work(&b);
	ASSERT_EQ(0, sample(self, a.tid));
	EXPECT_LE(100, VALUES[0]);
	ASSERT_EQ(0, sample(self, b.tid));
	EXPECT_EQ(0, VALUES[0]);
	ASSERT_EQ(0, shim_counters__unbind_at(self->set, b.tid, VCPC_TARGET_F_ALL));
	EXPECT_EQ(0, instances(self));
	end(&a);
	end(&b);
}

TEST_F(perf, a_tree_from_execve_on)
{
	int go[2], status;
	pid_t pid;

	NEED_PERF();
	ASSERT_EQ(0, pipe(go));
	pid = fork();
	if (!pid) {
		char c;

		touch(1000);
		if (read(go[0], &c, 1) != 1)
			_exit(1);
		touch(1000);
		execl("/bin/sh", "sh", "-c", "(exec sleep 0.01); exit 0", NULL);
		_exit(1);
	}
	ASSERT_EQ(0, make(self, 0, 0));
	ASSERT_EQ(0, shim_counters__bind(self->set, pid,
					 VCPC_BIND_F_TREE | VCPC_BIND_F_ENABLE_ON_EXEC, &self->bad));
	ASSERT_EQ(0, total(self, 0));
	EXPECT_EQ(0, VALUES[0]);
	EXPECT_EQ(0, STATE & VCPC_STATE_COUNTING);
	ASSERT_EQ(1, write(go[1], "x", 1));
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	ASSERT_EQ(0, status);
	ASSERT_EQ(0, total(self, 0));
	EXPECT_LT(30, VALUES[0]);
	EXPECT_GT(1000, VALUES[0]);
	EXPECT_LT(0, self->room.sample.tick);
}

TEST_F(perf, what_perf_has_not_is_refused)
{
	struct vcpc_request req = { .flags = VCPC_REQ_F_USER, .type = PERF_TYPE_SOFTWARE };
	struct shim_terms signal = { .signal = SIGUSR1 };
	struct shim_counters *set = NULL;

	NEED_PERF();
	EXPECT_EQ(-EOPNOTSUPP, shim_counters__create(self->session, &req, 1, VCPC_SET_F_GROUPS,
						     &self->bad, &set));
	EXPECT_EQ(-EOPNOTSUPP, shim_counters__create_on(self->session, &req, 1, 0, signal,
							&self->bad, &set));
	req.flags |= VCPC_REQ_F_OVERFLOW;
	EXPECT_EQ(-EOPNOTSUPP, shim_counters__create(self->session, &req, 1, 0, &self->bad, &set));
	EXPECT_EQ(0, self->bad);
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

static int in_child(FIXTURE_DATA(perf) *self)
{
	struct shim_counters *parents = self->set;

	if (sample(self, 0) != -EBADF || sample(self, getppid()) != -EBADF ||
	    total(self, 0) != -EBADF || shim_counters__disable(self->set, 0) != -EBADF ||
	    shim_counters__unbind(self->set, 0) != -EBADF ||
	    shim_counters__bind(self->set, 0, 0, &self->bad) != -EOPNOTSUPP)
		return 1;
	/* It may have its own. */
	if (make(self, 0, 0) || shim_counters__bind(self->set, 0, 0, &self->bad))
		return 2;
	touch(9);
	if (sample(self, 0) || VALUES[0] < 9 || VALUES[0] > 40 + SLACK)
		return 3;
	shim_counters__put(self->set);
	shim_counters__put(parents);
	return 0;
}

/* The second way tells no library of it. */
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
			_exit(in_child(self));
		EXPECT_EQ(0, child_status(pid));
		/* The parent's goes on. */
		warm_up(self);
		ASSERT_EQ(0, sample(self, 0));
		before = VALUES[0];
		touch(3);
		ASSERT_EQ(0, sample(self, 0));
		/* And the pages of its own that the child shares */
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
	/* Another thread that has never read its pages is not reading them now. */
	for (int i = 0; i < 100; i++) {
		ASSERT_EQ(0, shim_counters__bind(self->set, w.tid, 0, &self->bad));
		ASSERT_EQ(0, shim_counters__unbind(self->set, w.tid));
	}
	EXPECT_EQ(pages, mappings());
	/* One that has may be: they stay until it is known not to. */
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

/* A call that was under way when the set was ended: it finds nothing, and not somebody else's memory. */
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

/* A process goes on when its first thread has ended. */
static void *waits(void *arg)
{
	pause();
	return arg;
}

static void first_thread_ends(void)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, waits, NULL))
		_exit(1);
	syscall(SYS_exit, 0);
}

static bool is_zombie(pid_t pid)
{
	char path[64], line[256], state = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	f = fopen(path, "re");
	if (f && fgets(line, sizeof(line), f))
		sscanf(strrchr(line, ')') + 1, " %c", &state);
	if (f)
		fclose(f);
	return state == 'Z';
}

TEST_F(perf, a_process_whose_first_thread_has_ended)
{
	pid_t pid;

	NEED_PERF();
	pid = fork();
	if (!pid)
		first_thread_ends();
	ASSERT_EQ(0, make(self, 0, 0));
	for (int i = 0; i < 3000 && !is_zombie(pid); i++)
		usleep(10000);
	EXPECT_EQ(0, shim_counters__bind(self->set, pid, VCPC_BIND_F_PROCESS | VCPC_BIND_F_INHERIT,
					 &self->bad));
	EXPECT_EQ(0, total(self, pid));
	EXPECT_EQ(0, shim_counters__unbind_at(self->set, pid, VCPC_TARGET_F_ALL));
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

#define IDLE	300

static void *idles(void *arg)
{
	sem_wait(arg);
	return NULL;
}

/* One that starts another one when it is told, and a little later; until there is none to start */
struct starter {
	struct worker *late;
	sem_t go, started;
	int after_us;
};

static void *starts(void *arg)
{
	struct starter *s = arg;

	for (sem_wait(&s->go); s->late; sem_wait(&s->go)) {
		usleep(s->after_us);
		start(s->late, 500);
		sem_post(&s->started);
	}
	return NULL;
}

/*
 * It comes while the list of threads is walked, from the first of them, which is bound by then, and
 * is the last itself: inherited, or in the list, but not both.
 */
TEST_F(perf, a_thread_that_comes_meanwhile_counts_once)
{
	pthread_t idlers[IDLE], starting;
	struct worker late;
	struct starter s = { .late = &late };
	__u64 before;
	sem_t over;

	NEED_PERF();
	sem_init(&over, 0, 0);
	sem_init(&s.go, 0, 0);
	sem_init(&s.started, 0, 0);
	ASSERT_EQ(0, pthread_create(&starting, NULL, starts, &s));
	for (int i = 0; i < IDLE; i++)
		ASSERT_EQ(0, pthread_create(&idlers[i], NULL, idles, &over));
	for (s.after_us = 200; s.after_us < 6200; s.after_us += 100) {
		ASSERT_EQ(0, make(self, 0, 0));
		sem_post(&s.go);
		ASSERT_EQ(0, shim_counters__bind(self->set, getpid(),
						 VCPC_BIND_F_PROCESS | VCPC_BIND_F_INHERIT,
						 &self->bad));
		sem_wait(&s.started);
		ASSERT_EQ(0, total(self, 0));
		before = VALUES[0];
		let_work(&late);
		ASSERT_EQ(0, total(self, 0));
		EXPECT_LE(before + 500, VALUES[0]);
		EXPECT_GE(before + 700 + SLACK, VALUES[0]);
		end(&late);
		shim_counters__put(self->set);
		self->set = NULL;
	}
	s.late = NULL;
	sem_post(&s.go);
	pthread_join(starting, NULL);
	for (int i = 0; i < IDLE; i++)
		sem_post(&over);
	for (int i = 0; i < IDLE; i++)
		pthread_join(idlers[i], NULL);
}

/* One that starts threads all the time, each of which ends at once */
struct breeder {
	atomic_int tid;
	atomic_bool over;
};

static void *ends(void *arg)
{
	return arg;
}

static void *breeds(void *arg)
{
	struct breeder *b = arg;
	pthread_t child;

	b->tid = gettid();
	while (!b->over)
		if (!pthread_create(&child, NULL, ends, NULL))
			pthread_join(child, NULL);
	return NULL;
}

/* Between two of the set's events the kernel may give the first one's place to the new thread. */
TEST_F(perf, a_thread_that_starts_threads_is_bound)
{
	struct breeder b = { .tid = 0 };
	pthread_t thread;

	NEED_PERF();
	ASSERT_EQ(0, pthread_create(&thread, NULL, breeds, &b));
	while (!b.tid)
		sched_yield();
	ASSERT_EQ(0, make(self, 0, 0));
	for (int i = 0; i < 200; i++) {
		ASSERT_EQ(0, shim_counters__bind(self->set, b.tid, VCPC_BIND_F_TREE, &self->bad));
		ASSERT_EQ(0, total(self, b.tid));
		ASSERT_EQ(0, shim_counters__unbind(self->set, b.tid));
	}
	b.over = true;
	pthread_join(thread, NULL);
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
	ret = shim_counters__bind(self->set, 0, VCPC_BIND_F_CPU, &self->bad);
	if (ret == -EACCES)
		SKIP(return, "the caller may not count CPUs");
	ASSERT_EQ(0, ret);
	ASSERT_EQ(0, shim_counters__sample_at(self->set, 0, VCPC_SAMPLE_F_CPU, &self->room.sample,
					      sizeof(self->room)));
	EXPECT_EQ(VCPC_STATE_COUNTING, STATE);
	EXPECT_EQ(-ENODEV, shim_counters__bind(self->set, 4000, VCPC_BIND_F_CPU, &self->bad));
	EXPECT_EQ(0, shim_counters__unbind_at(self->set, 0, VCPC_TARGET_F_CPU));
}

/* The first process of all has the number of a CPU, where there are two. */
TEST_F(perf, a_thread_and_a_cpu_of_one_number)
{
	int ret;

	NEED_PERF();
	if (access("/sys/devices/system/cpu/cpu1", F_OK))
		return;
	ASSERT_EQ(0, make(self, 0, 0));
	ret = shim_counters__bind(self->set, 1, VCPC_BIND_F_CPU, &self->bad);
	if (!ret)
		ret = shim_counters__bind(self->set, 1, 0, &self->bad);
	if (ret == -EACCES)
		SKIP(return, "the caller may not count CPUs");
	ASSERT_EQ(0, ret);
	EXPECT_EQ(0, shim_counters__unbind_at(self->set, 1, VCPC_TARGET_F_CPU | VCPC_TARGET_F_ALL));
	EXPECT_EQ(0, sample(self, 1));
	EXPECT_EQ(0, shim_counters__unbind_at(self->set, 1, VCPC_TARGET_F_ALL));
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
