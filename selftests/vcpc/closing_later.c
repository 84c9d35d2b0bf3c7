// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * If another user holds the last copies of sets' descriptors, a worker closes the sets.  A set that
 * cannot be closed yet delays other sets of its account, but not sets of other accounts.
 *
 * A set cannot be closed while a thread that inherits it opens its events.  In this test, that
 * thread makes no progress, because a thread of root runs continuously on its CPU.
 */
#include "accounts.h"
#include "attack.h"
#include "vcpc_test.h"

#define ONE_USER	NOBODY
#define OTHER_USER	(NOBODY - 1)
#define BUSY_CPU	1
#define TRIES		100
/* A shorter time than that for which SCHED_FIFO threads can keep other threads waiting */
#define BUSY		(SECOND * 3 / 10)
#define SETS		8
#define REQUESTS	31
/* Number of counters charged for a set with REQUESTS requests, and for a set with one */
#define LARGE		(1 + REQUESTS)
#define SMALL		2

/*
 * struct owner - a user's process, which binds sets to itself
 * @uid: the user
 * @nr: number of sets
 * @requests: number of requests per set
 * @flags: flags of BIND
 * @set: descriptors in the process
 * @ready: the process has bound the sets
 * @go: set to make the process close its copies, and start a thread if @flags request inheritance
 */
struct owner {
	uid_t uid;
	unsigned int nr, requests;
	__u32 flags;
	pid_t pid;
	int set[SETS];
	volatile bool ready, go;
};

enum { BLOCKED, FOLLOWS, OTHER, OWNERS };

static const struct owner owners[OWNERS] = {
	[BLOCKED] = { .uid = ONE_USER, .nr = 1, .requests = REQUESTS, .flags = VCPC_BIND_F_INHERIT },
	[FOLLOWS] = { .uid = ONE_USER, .nr = SETS, .requests = 1 },
	[OTHER] = { .uid = OTHER_USER, .nr = 1, .requests = 1 },
};

static void bind_sets(struct owner *o)
{
	struct vcpc_request requests[REQUESTS];
	int device = device_open();
	unsigned int i;

	for (i = 0; i < REQUESTS; i++)
		requests[i] = page_faults;
	for (i = 0; i < o->nr; i++) {
		o->set[i] = set_create(device, requests, o->requests, 0);
		if (set_bind(o->set[i], o->flags))
			_exit(2);
	}
	close(device);
}

/* Start a thread on BUSY_CPU that runs only when the CPU is otherwise idle. */
static void start_in_background(void)
{
	struct sched_param none = { 0 };

	run_on_cpu(BUSY_CPU);
	if (sched_setscheduler(0, SCHED_IDLE, &none) || start_idlers(1))
		_exit(3);
}

__attribute__((noreturn)) static void own(struct owner *o)
{
	run_on_cpu(0);
	if (become_user(o->uid))
		_exit(1);
	bind_sets(o);
	o->ready = true;
	while (!o->go)
		usleep(1000);
	for (unsigned int i = 0; i < o->nr; i++)
		close(o->set[i]);
	if (o->flags & VCPC_BIND_F_INHERIT)
		start_in_background();
	for (;;)
		pause();
}

static int start_owner(struct owner *o)
{
	__u64 limit = now() + 10 * SECOND;
	pid_t pid = fork();

	if (!pid)
		own(o);
	o->pid = pid;
	while (!o->ready)
		if (now() > limit || waitpid(o->pid, NULL, WNOHANG))
			return -ETIME;
	return 0;
}

/* Copy an owner's descriptors to this process. */
static int copy_sets(const struct owner *o, int *held)
{
	int pidfd = syscall(SYS_pidfd_open, o->pid, 0);
	unsigned int i;

	for (i = 0; i < o->nr; i++) {
		held[i] = syscall(SYS_pidfd_getfd, pidfd, o->set[i], 0);
		if (held[i] < 0)
			return -errno;
	}
	close(pidfd);
	return 0;
}

/* Start a process of root that, once *@at is set, spins on its CPU from that time on. */
static pid_t start_busy(volatile __u64 *at)
{
	const struct sched_param first = { .sched_priority = 1 };
	pid_t pid = fork();

	if (pid)
		return pid;
	run_on_cpu(BUSY_CPU);
	if (sched_setscheduler(0, SCHED_FIFO, &first))
		_exit(1);
	while (!*at || now() < *at)
		usleep(*at ? 100 : 1000);
	spin_until(*at + BUSY);
	_exit(0);
}

FIXTURE(later) {
	mode_t mode;
	struct owner *owners;
	volatile __u64 *busy_at;
	__u64 delay;	/* time from the start of the new thread until the busy process runs */
	int held[OWNERS][SETS];
	pid_t pid;
};

FIXTURE_SETUP(later)
{
	self->mode = device_mode(0666);
	self->owners = shared_memory(sizeof(owners));
	self->busy_at = shared_memory(sizeof(*self->busy_at));
	self->delay = SECOND / 100;
}

static void end(pid_t *pid)
{
	if (*pid > 0) {
		kill(*pid, SIGKILL);
		waitpid(*pid, NULL, 0);
	}
	*pid = 0;
}

static void end_all(FIXTURE_DATA(later) *self)
{
	for (int i = 0; i < OWNERS; i++)
		end(&self->owners[i].pid);
	end(&self->pid);
}

FIXTURE_TEARDOWN(later)
{
	end_all(self);
	device_mode(self->mode);
}

static void close_all(FIXTURE_DATA(later) *self, int which)
{
	for (unsigned int i = 0; i < self->owners[which].nr; i++)
		close(self->held[which][i]);
}

/* Bind all sets, take the last copies, and start a thread that inherits the first set. */
static int begin(FIXTURE_DATA(later) *self)
{
	int i, ret = 0;

	memcpy(self->owners, owners, sizeof(owners));
	*self->busy_at = 0;
	/* Start this process first, because it must not inherit copies of descriptors. */
	self->pid = start_busy(self->busy_at);
	for (i = 0; i < OWNERS && !ret; i++)
		ret = start_owner(&self->owners[i]);
	for (i = 0; i < OWNERS && !ret; i++)
		ret = copy_sets(&self->owners[i], self->held[i]);
	if (ret)
		return ret;
	*self->busy_at = now() + self->delay;
	for (i = OWNERS; i--;)
		self->owners[i].go = true;
	return 0;
}

#define BOUND	(LARGE + SETS * SMALL)

enum result { EARLY, LATE, PASSED, STRAGGLED };

/*
 * Close the descriptors while the new thread cannot run.  Return EARLY if the thread has not begun
 * to open its events, or LATE if it has opened all of them.  Otherwise return PASSED if the other
 * user's set was closed, or STRAGGLED if it was not; or, negated, the number of counters that the
 * first user should no longer have.
 */
static int try_once(FIXTURE_DATA(later) *self)
{
	__u64 end = *self->busy_at + BUSY * 3 / 4;
	bool early;
	int left;

	while (now() < *self->busy_at + SECOND / 500)
		usleep(1000);
	/*
	 * If fewer counters are charged, the thread has not begun, because they are charged before
	 * the events are opened.
	 */
	early = account_of(ONE_USER).counters < BOUND + LARGE;
	for (int i = 0; i < OWNERS; i++)
		close_all(self, i);
	if (early)
		return EARLY;
	while (account_of(OTHER_USER).counters && now() < end)
		usleep(1000);
	/* Wait, to detect objects that are closed although they must not be. */
	usleep(20000);
	left = account_of(ONE_USER).counters;
	if (left < 2 * LARGE)
		return LATE;
	if (left != BOUND + LARGE)
		return -left;
	return account_of(OTHER_USER).counters ? STRAGGLED : PASSED;
}

TEST_F_TIMEOUT(later, nobody_else_waits, 600)
{
	int tries, got = EARLY;

	if (access(ACCOUNTS, R_OK))
		SKIP(return, "no debugfs");
	NEED_TWO_CPUS();
	for (tries = 0; tries < TRIES && (got == EARLY || got == LATE); tries++) {
		ASSERT_EQ(0, begin(self));
		got = try_once(self);
		self->delay = self->delay * (got == EARLY ? 11 : 8) / 10;
		/* Everything is closed when the thread can run again. */
		EXPECT_TRUE(has_nothing_soon(ONE_USER, 10000));
		EXPECT_TRUE(has_nothing_soon(OTHER_USER, 10000));
		end_all(self);
	}
	EXPECT_EQ(PASSED, got);
	TH_LOG("after %d tries", tries);
}

TEST_HARNESS_MAIN
