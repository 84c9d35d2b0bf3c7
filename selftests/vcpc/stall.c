// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Users do not wait for each other: if an attacker holds a lock of the module as long as possible,
 * other users' calls take no longer than without the attack.  A waiting thread can be killed.
 *
 * The attacker is an unprivileged user.  Its SCHED_IDLE threads, on a CPU that other threads keep
 * almost completely busy, compute the totals of 500 instances, and bind and close inherited sets.
 */
#include "attack.h"
#include "overflow.h"
#include "vcpc_test.h"

#define CROWD		500
#define BINDERS		4
#define REQUESTS	32
#define ROUNDS		10
/* A call may take at most TIMES its time on an idle machine, plus LIMIT. */
#define LIMIT		(SECOND / 2)
#define TIMES		4
#define OTHER_USER	(NOBODY - 1)
#define BUSY_CPU	1

/* Run this in the program after execve: exit at once. */
__attribute__((constructor)) static void after_exec(int argc, char **argv)
{
	if (argc == 2 && !strcmp(argv[1], "--end"))
		_exit(0);
}

static void *keeps_busy(void *arg)
{
	run_on_cpu(BUSY_CPU);
	for (;;)
		spin(1000000);
	return arg;
}

/* Compute totals, which takes a lock, in a thread that runs only when the CPU is otherwise idle. */
static void *adds_up(void *arg)
{
	struct sched_param none = { 0 };
	struct holder *h = arg;

	run_on_cpu(h->cpu);
	if (sched_setscheduler(0, SCHED_IDLE, &none))
		abort();
	hold(h);
}

static void *binds_and_closes(void *arg)
{
	struct vcpc_request requests[REQUESTS];
	struct sched_param none = { 0 };
	int device = device_open(), i, set;

	for (i = 0; i < REQUESTS; i++)
		requests[i] = page_faults;
	run_on_cpu(BUSY_CPU);
	if (sched_setscheduler(0, SCHED_IDLE, &none))
		abort();
	for (;;) {
		set = set_create(device, requests, REQUESTS, 0);
		set_bind(set, VCPC_BIND_F_INHERIT);
		close(set);
	}
	return arg;
}

/* Attack until killed.  Write a byte to @said when the attack has started. */
static void attack(int set, int said)
{
	static struct holder holder = { .cpu = BUSY_CPU };
	struct room room;
	pthread_t thread;
	int i;

	holder.set = set;
	if (become_user(NOBODY) || gather(&holder, CROWD) || set_total(set, &room))
		_exit(1);
	if (pthread_create(&thread, NULL, adds_up, &holder))
		_exit(2);
	for (i = 0; i < BINDERS; i++)
		if (pthread_create(&thread, NULL, binds_and_closes, NULL))
			_exit(2);
	/* Allow the threads to start before others keep the CPU busy. */
	usleep(100000);
	for (i = 0; i < 2; i++)
		if (pthread_create(&thread, NULL, keeps_busy, NULL))
			_exit(2);
	/* Wait until the first thread is certainly inside a call. */
	usleep(200000);
	if (write(said, "x", 1) != 1)
		_exit(3);
	pause();
	_exit(4);
}

/* An operation of a user: @fn makes the calls, and returns 0 or a negative errno */
struct deed {
	const char *name;
	uid_t uid;
	int (*fn)(void);
};

static int makes_a_set(void)
{
	int set = set_of(&page_faults, 0);

	return set < 0 ? set : close(set);
}

static int binds_itself(void)
{
	int set = set_of(&page_faults, 0), ret = set_bind(set, 0);
	struct room room;

	ret = ret ?: set_sample(set, 0, &room);
	close(set);
	return ret;
}

/* Bind a set with inheritance, and close it. */
static int binds_with_inheritance(void)
{
	int set = set_of(&page_faults, 0), ret = set_bind(set, VCPC_BIND_F_INHERIT);

	close(set);
	return ret;
}

static int executes(void)
{
	pid_t pid = fork();
	int status;

	if (!pid) {
		execl("/proc/self/exe", "stall", "--end", NULL);
		_exit(1);
	}
	return pid < 0 || waitpid(pid, &status, 0) != pid || status ? -ECHILD : 0;
}

static pid_t attacker;

/* Read a file of /proc that the kernel generates while it holds the lock that execve takes. */
static int reads_proc(void)
{
	char path[64], text[512];
	int fd, ret;

	if (!attacker)
		return 0;
	snprintf(path, sizeof(path), "/proc/%d/io", attacker);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	/* Some kernels do not have this file. */
	if (fd < 0)
		return errno == ENOENT ? 0 : -errno;
	ret = read(fd, text, sizeof(text)) > 0 ? 0 : -errno;
	close(fd);
	return ret;
}

static const struct deed deeds[] = {
	{ "SET_CREATE", OTHER_USER, makes_a_set },
	{ "BIND", OTHER_USER, binds_itself },
	{ "BIND and close with inheritance", 0, binds_with_inheritance },
	{ "execve", OTHER_USER, executes },
	{ "reading /proc/PID/io", 0, reads_proc },
};

#define DEEDS	(sizeof(deeds) / sizeof(deeds[0]))

/*
 * Return the longest time of several rounds, in ns.  A child performs them as the operation's user,
 * and reports the time through a pipe.  The first round that takes longer than @limit is the last.
 */
static __u64 longest(const struct deed *deed, __u64 limit)
{
	__u64 most = 0, begun, took;
	int i, ends[2];
	pid_t pid;

	if (pipe(ends))
		abort();
	pid = fork();
	if (!pid) {
		run_on_cpu(0);
		if (deed->uid && become_user(deed->uid))
			_exit(1);
		for (i = 0; i < ROUNDS && most <= limit; i++) {
			begun = now();
			if (deed->fn())
				_exit(2);
			took = now() - begun;
			most = took > most ? took : most;
		}
		_exit(write(ends[1], &most, sizeof(most)) != sizeof(most));
	}
	close(ends[1]);
	if (read(ends[0], &most, sizeof(most)) != sizeof(most))
		most = ~0ULL;
	close(ends[0]);
	waitpid(pid, NULL, 0);
	return most;
}

FIXTURE(stall) {
	mode_t mode;
	int set;
	pid_t attacker;
};

FIXTURE_SETUP(stall)
{
	self->mode = device_mode(0666);
	self->set = set_of(&page_faults, 0);
	ASSERT_LE(0, self->set);
}

static void end(pid_t *pid)
{
	if (*pid <= 0)
		return;
	kill(*pid, SIGKILL);
	waitpid(*pid, NULL, 0);
	*pid = 0;
}

FIXTURE_TEARDOWN(stall)
{
	end(&self->attacker);
	close(self->set);
	device_mode(self->mode);
}

static int begin_attack(int set, pid_t *attacker)
{
	int ends[2], ok;
	char byte;

	if (pipe(ends))
		return -errno;
	*attacker = fork();
	if (!*attacker)
		attack(set, ends[1]);
	close(ends[1]);
	ok = read(ends[0], &byte, 1) == 1;
	close(ends[0]);
	return ok ? 0 : -EIO;
}

TEST_F_TIMEOUT(stall, others_do_not_wait, 600)
{
	__u64 rest[DEEDS], took, limit;
	unsigned int i;

	NEED_TWO_CPUS();
	for (i = 0; i < DEEDS; i++) {
		rest[i] = longest(&deeds[i], ~0ULL);
		ASSERT_NE(~0ULL, rest[i]) {
			TH_LOG("%s", deeds[i].name);
		}
	}
	ASSERT_EQ(0, begin_attack(self->set, &self->attacker));
	attacker = self->attacker;
	for (i = 0; i < DEEDS; i++) {
		limit = LIMIT + TIMES * rest[i];
		took = longest(&deeds[i], limit);
		remark("%s: %llu us when idle, %llu us under attack", deeds[i].name,
		       rest[i] / USEC, took / USEC);
		EXPECT_GT(limit, took) {
			TH_LOG("%s waited", deeds[i].name);
		}
	}
}

/* As another holder of the descriptor, make one of the calls that wait for the set's lock. */
static int shares(int set, unsigned int which)
{
	struct vcpc_instances_args list = {
		.size = sizeof(list), .info_size = sizeof(struct vcpc_instance_info),
	};
	struct room room;

	switch (which) {
	case 0:	return set_total(set, &room);
	case 1:	return call(set, VCPC_IOC_INSTANCES, &list);
	case 2:	return set_bind(set, 0);
	case 3:	return set_own(set, VCPC_IOC_UNBIND);
	case 4:	return set_sample(set, getppid(), &room);
	default: return 0;
	}
}

#define SHARED_CALLS	5

TEST_F_TIMEOUT(stall, who_waits_can_be_killed, 600)
{
	__u64 begun, took;
	unsigned int i;
	pid_t pid;

	NEED_TWO_CPUS();
	ASSERT_EQ(0, begin_attack(self->set, &self->attacker));
	for (i = 0; i < SHARED_CALLS; i++) {
		pid = fork();
		if (!pid) {
			run_on_cpu(0);
			for (;;)
				shares(self->set, i);
		}
		usleep(100000);
		begun = now();
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
		took = now() - begun;
		EXPECT_GT(LIMIT, took) {
			TH_LOG("call %u: killed after %llu us", i, took / USEC);
		}
	}
}

TEST_HARNESS_MAIN
