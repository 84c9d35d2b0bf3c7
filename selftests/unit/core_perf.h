/* SPDX-License-Identifier: GPL-2.0-or-later */
/* For the tests core_perf_*: a set of page faults on perf, and a thread that causes some */
#ifndef SELFTESTS_CORE_PERF_H
#define SELFTESTS_CORE_PERF_H

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

/* Sanitizers cause page faults themselves. */
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

static __attribute__((unused)) int
make(FIXTURE_DATA(perf) *self, unsigned int flags, __u64 preset)
{
	struct vcpc_request reqs[NR];

	for (int i = 0; i < NR; i++) {
		if (shim_event__parse("page-faults:u", &reqs[i]))
			abort();
		reqs[i].preset = i * preset;
	}
	return shim_counters__create(self->session, reqs, NR, flags, &self->bad, &self->set);
}

static __attribute__((unused)) int sample(FIXTURE_DATA(perf) *self, pid_t tid)
{
	return shim_counters__sample(self->set, tid, &self->room.sample, sizeof(self->room));
}

static __attribute__((unused)) int total(FIXTURE_DATA(perf) *self, pid_t tid)
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

/* A thread that touches pages on command, and exits */
struct worker {
	pthread_t thread;
	sem_t go, ready, done;
	int pages;
	pid_t tid;
	/* If not NULL, a set bound to the thread, which the thread samples itself */
	struct shim_counters *reads;
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

static __attribute__((unused)) void
start(struct worker *w, int pages)
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

static __attribute__((unused)) void let_work(struct worker *w)
{
	sem_post(&w->go);
	sem_wait(&w->done);
}

static __attribute__((unused)) void end(struct worker *w)
{
	sem_post(&w->go);
	pthread_join(w->thread, NULL);
}

/*
 * Expect that features based on perf's signals are available only for threads of this process, and
 * only without flags.
 */
static inline void expect_own_threads_only(struct __test_metadata *_metadata, FIXTURE_DATA(perf) *self)
{
	pid_t pid;

	pid = fork();
	if (!pid) {
		pause();
		_exit(0);
	}
	EXPECT_EQ(-EOPNOTSUPP, shim_counters__bind(self->set, pid, 0, &self->bad));
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	EXPECT_EQ(-EOPNOTSUPP, shim_counters__bind(self->set, 0, VCPC_BIND_F_INHERIT, &self->bad));
	EXPECT_EQ(-EOPNOTSUPP, shim_counters__bind(self->set, 0, VCPC_BIND_F_TREE, &self->bad));
	EXPECT_EQ(-EOPNOTSUPP, shim_counters__bind(self->set, 0, SHIM_BIND_F_PROCESS, &self->bad));
	EXPECT_EQ(-EOPNOTSUPP, shim_counters__bind(self->set, 0, SHIM_BIND_F_CPU, &self->bad));
	EXPECT_EQ(-EOPNOTSUPP, shim_counters__bind(self->set, 0, VCPC_BIND_F_ENABLE_ON_EXEC, &self->bad));
	EXPECT_EQ(-EOPNOTSUPP, shim_counters__bind(self->set, 1, 0, &self->bad));
}

#endif /* SELFTESTS_CORE_PERF_H */
