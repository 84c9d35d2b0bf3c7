/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Attack the module as an unprivileged user, with programs that gain privileges and with events
 * that must coincide.
 */
#ifndef VCPC_TEST_ATTACK_H
#define VCPC_TEST_ATTACK_H

#include <linux/capability.h>
#include <pthread.h>
#include <sched.h>
#include <stdarg.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <time.h>

#include "calls.h"

#define SECOND		1000000000ULL
#define USEC		1000ULL

/* Exit status of an attacker that could not be set up */
#define CANNOT		200

static inline __u64 now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * SECOND + ts.tv_nsec;
}

/* The director and the victim need one CPU each; on a single CPU they would wait for each other. */
#define NEED_TWO_CPUS()							\
	do {								\
		if (sysconf(_SC_NPROCESSORS_ONLN) < 2)			\
			SKIP(return, "there is only one CPU");		\
	} while (0)

/* Spin until @time.  A sleep would end late, and the thread would leave its CPU. */
static inline void spin_until(__u64 time)
{
	while (now() < time)
		;
}

/* Run on the CPU with this number, modulo the number of CPUs. */
static inline void run_on_cpu(unsigned int cpu)
{
	cpu_set_t cpus;

	CPU_ZERO(&cpus);
	CPU_SET(cpu % sysconf(_SC_NPROCESSORS_ONLN), &cpus);
	if (sched_setaffinity(0, sizeof(cpus), &cpus))
		abort();
}

/* Print a line for the reader of the results.  Child processes of a test can call this. */
__attribute__((format(printf, 1, 2))) static inline void remark(const char *format, ...)
{
	char line[256];
	va_list args;

	va_start(args, format);
	vsnprintf(line, sizeof(line), format, args);
	va_end(args);
	dprintf(2, "# %s\n", line);
}

/* Become user @uid, and die with the parent: a timed-out test must not leave processes. */
static inline int become_user(uid_t uid)
{
	if (setgroups(0, NULL) || setresgid(uid, uid, uid) || setresuid(uid, uid, uid))
		return -errno;
	/*
	 * Make the process dumpable, as after a login, so that other processes of the same user can
	 * trace it.
	 */
	return prctl(PR_SET_DUMPABLE, 1) || prctl(PR_SET_PDEATHSIG, SIGKILL) ? -errno : 0;
}

/* Keep only the capabilities in @which. */
static inline int have_only(__u64 which)
{
	struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[2];
	int i;

	for (i = 0; i < 2; i++) {
		data[i].effective = which >> 32 * i;
		data[i].permitted = which >> 32 * i;
		data[i].inheritable = 0;
	}
	return syscall(SYS_capset, &head, data) ? -errno : 0;
}

/* Set the device node's mode, as an administrator would.  Return the previous mode. */
static inline mode_t device_mode(mode_t mode)
{
	struct stat st;

	if (stat("/dev/vcpc", &st) || chmod("/dev/vcpc", mode))
		abort();
	return st.st_mode & 07777;
}

/* Copy this program to @path, which must end in XXXXXX, with root as its owner. */
static inline int copy_program(char *path, mode_t mode)
{
	char command[128];
	int file = mkstemp(path);

	if (file < 0)
		return -errno;
	/* Close the file, because a file that is open for writing cannot be executed. */
	close(file);
	snprintf(command, sizeof(command), "cp /proc/%d/exe %s", getpid(), path);
	if (system(command) || chown(path, 0, 0) || chmod(path, mode))
		return -EIO;
	return 0;
}

/* Set file capabilities, as setcap(8) does; -EOPNOTSUPP means no support in the file system. */
static inline int give_capability(const char *path, unsigned int cap)
{
	struct vfs_cap_data data = {
		.magic_etc = VFS_CAP_REVISION_2 | VFS_CAP_FLAGS_EFFECTIVE,
		.data[0].permitted = 1U << cap,
	};

	return setxattr(path, "security.capability", &data, sizeof(data), 0) ? -errno : 0;
}

/* Return the number in a line "Name: ..." of /proc/PID/status.  The process may be a zombie. */
static inline __u64 status_number(pid_t pid, const char *name, const char *format)
{
	char path[64], line[256];
	unsigned long long value = ~0ULL;
	size_t len = strlen(name);
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/status", pid);
	f = fopen(path, "re");
	while (f && fgets(line, sizeof(line), f))
		if (!strncmp(line, name, len) && line[len] == ':')
			sscanf(line + len + 1, format, &value);
	if (f)
		fclose(f);
	return value;
}

/*
 * struct aim - timing of an action that must coincide with another event
 * @delta: delay in nanoseconds
 * @step: change of the delay for the next attempt
 * @early: the last attempt was too early
 * @random: state of chance()
 *
 * The time of the other event is unknown, and depends on the machine's load.  If an attempt was too
 * early, the delay of the next one is longer, and vice versa.  Steps get smaller when early and
 * late attempts alternate.
 */
struct aim {
	__u64 delta, step;
	bool early;
	__u64 random;
};

static inline void aim_next(struct aim *aim, bool early, __u64 least_step)
{
	if (early == aim->early)
		aim->step += aim->step / 4;
	else if (aim->step / 2 > least_step)
		aim->step /= 2;
	aim->early = early;
	if (aim->step > aim->delta / 4)
		aim->step = aim->delta / 4;
	if (!early)
		aim->delta -= aim->step;
	else if (aim->delta < SECOND / 4)
		aim->delta += aim->step;
}

/* Return the current delay plus a random part of less than @around. */
static inline __u64 aim_delta(struct aim *aim, __u64 around)
{
	return aim->delta + chance(&aim->random) % around;
}

/*
 * struct holder - a thread that holds a set's lock most of the time
 * @set: the set
 * @cpu: its CPU
 * @rests: set to make the thread release the lock
 * @resting: the thread has released the lock
 * @bound: number of threads of the crowd whose BIND succeeded
 * @refused: number of threads of the crowd whose BIND failed
 */
struct holder {
	int set;
	unsigned int cpu;
	volatile bool rests, resting;
	volatile unsigned int bound, refused;
};

__attribute__((noreturn)) static inline void hold(struct holder *h)
{
	struct room room;

	run_on_cpu(h->cpu);
	for (;;) {
		h->resting = h->rests;
		if (h->resting)
			usleep(5000);
		else
			set_total(h->set, &room);
	}
}

static inline void holder_rests(struct holder *h, bool rests)
{
	h->rests = rests;
	while (h->resting != rests)
		usleep(50);
}

/*
 * struct moment - the time of a victim's action, relative to an overflow
 * @events: number of events up to the overflow
 * @delta: delay between RESTART and the action, in nanoseconds
 * @holder: the thread that holds the set's lock only during this time, or NULL
 * @ready: set by the victim when it is running and waits
 * @begin: set by the director when the holder is running
 */
struct moment {
	__u64 events, delta;
	struct holder *holder;
	volatile bool ready, begin;
};

/*
 * Moments are tried in turn.  During the second half of them, the lock is free.  Each moment has
 * its own aim.
 */
#define MOMENTS		8
#define MOMENTS_AIMS	{							\
	{ 1000 * USEC, 100 * USEC, false, 1 }, { 1000 * USEC, 100 * USEC, false, 2 },	\
	{ 300 * USEC, 20 * USEC, false, 3 }, { 200 * USEC, 5 * USEC, false, 4 },	\
	{ 1000 * USEC, 100 * USEC, false, 5 }, { 1000 * USEC, 100 * USEC, false, 6 },	\
	{ 300 * USEC, 20 * USEC, false, 7 }, { 200 * USEC, 5 * USEC, false, 8 },	\
}

static inline void moment_choose(struct moment *m, unsigned int which, struct aim *aim,
				 struct holder *holder)
{
	static const __u64 events[MOMENTS / 2] = { 1000000, 1000000, 100000, 20000 };

	m->events = events[which % (MOMENTS / 2)];
	m->holder = which < MOMENTS / 2 ? holder : NULL;
	m->delta = aim_delta(aim, 20 * USEC);
	m->ready = false;
	m->begin = false;
}

/* Wait for the moment.  The victim must have bound the set and changed its preset. */
static inline void moment_wait(struct moment *m, int set)
{
	__u64 end;

	m->ready = true;
	while (!m->begin)
		;
	/* Start the delay before the call, so that the action can also happen during the call. */
	end = now() + m->delta;
	set_own(set, VCPC_IOC_RESTART);
	spin_until(end);
}

/* As the director, begin the moment.  Return -ETIME if no victim arrives. */
static inline int moment_begin(struct moment *m)
{
	__u64 limit = now() + 30 * SECOND;

	while (!m->ready)
		if (now() > limit)
			return -ETIME;
	if (m->holder)
		holder_rests(m->holder, false);
	m->begin = true;
	return 0;
}

/* As the director, end the moment. */
static inline void moment_over(const struct moment *m)
{
	if (m->holder)
		holder_rests(m->holder, true);
}

/* Return memory that is shared with children. */
static inline void *shared_memory(size_t size)
{
	void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (memory == MAP_FAILED)
		abort();
	return memory;
}

/* Wait forever, in a thread that exists only to be counted. */
static inline void *idles(void *arg)
{
	for (;;)
		pause();
	return arg;
}

static inline int start_threads(unsigned int nr, void *(*fn)(void *arg), void *arg)
{
	pthread_attr_t attr;
	pthread_t thread;
	int ret = 0;

	if (pthread_attr_init(&attr) || pthread_attr_setstacksize(&attr, 1 << 18))
		return -ENOMEM;
	while (!ret && nr--)
		ret = -pthread_create(&thread, &attr, fn, arg);
	pthread_attr_destroy(&attr);
	return ret;
}

static inline int start_idlers(unsigned int nr)
{
	return start_threads(nr, idles, NULL);
}

/*
 * Bind the set in a thread of the crowd.  An inherited instance would start stopped, because the
 * set has a signal.
 */
static inline void *joins_the_crowd(void *arg)
{
	struct holder *h = arg;

	__atomic_fetch_add(set_bind(h->set, 0) ? &h->refused : &h->bound, 1, __ATOMIC_RELAXED);
	return idles(NULL);
}

static inline int gather(struct holder *h, unsigned int nr)
{
	int ret = start_threads(nr, joins_the_crowd, h);

	while (!ret && h->bound + h->refused < nr)
		usleep(1000);
	return ret ?: h->refused ? -EUSERS : 0;
}

/*
 * Start @nr threads that the set counts, to make totals slow, and a thread that holds the set's
 * lock by reading totals when @h (in shared memory) requests it.  They run in a separate process,
 * because thousands of threads would make fork and execve slow.  Return 0, or the crowd's error.
 */
static inline int start_crowd(struct holder *h, unsigned int nr)
{
	int ends[2], ret = -EPIPE;
	pid_t pid;

	if (pipe(ends))
		return -errno;
	pid = fork();
	if (!pid) {
		if (prctl(PR_SET_PDEATHSIG, SIGKILL))
			_exit(1);
		ret = gather(h, nr);
		if (write(ends[1], &ret, sizeof(ret)) == sizeof(ret) && !ret)
			hold(h);
		_exit(0);
	}
	close(ends[1]);
	if (pid < 0 || read(ends[0], &ret, sizeof(ret)) < 0)
		ret = -errno;
	close(ends[0]);
	if (ret)
		remark("the crowd cannot be bound: %s", strerror(-ret));
	return ret;
}

#endif /* VCPC_TEST_ATTACK_H */
