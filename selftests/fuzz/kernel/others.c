// SPDX-License-Identifier: GPL-2.0-or-later
/* Perform acts that do not call the module: on files, threads, processes, limits and CPUs. */
#include <dirent.h>
#include <sched.h>
#include <sys/stat.h>

#include "../../vcpc/calls.h"
#include "world.h"

#define HELPER		"/root/helper"
#define SETTINGS	"/sys/module/vcpc/parameters/"
#define LISTINGS	"/sys/kernel/debug/vcpc/"
#define TRACEPOINTS	"/sys/kernel/tracing/events/vcpc/enable"
#define CPU1		"/sys/devices/system/cpu/cpu1/online"

/* Files of the calling process, shared by all its threads */
static struct file files[FILES];
static pthread_mutex_t files_lock = PTHREAD_MUTEX_INITIALIZER;

/* A directory in the kernel's file systems, and its contents at the start */
static struct listed {
	unsigned int nr;
	char path[PARAMETERS][300], text[PARAMETERS][32];
} parameters, listings;

void files_open(void)
{
	unsigned int i;

	for (i = 0; i < FILES; i++)
		files[i] = (struct file) { .fd = -1, .set = -1 };
	for (i = SETS; i < SETS + DEVICES; i++)
		files[i].fd = device_open();
	files[SETS + DEVICES].fd = open("/dev/null", O_RDWR | O_CLOEXEC);
}

void files_close(void)
{
	unsigned int i;

	for (i = 0; i < FILES; i++)
		if (files[i].fd >= 0)
			close(files[i].fd);
}

struct file file_get(unsigned int i)
{
	struct file f;

	pthread_mutex_lock(&files_lock);
	f = files[i];
	pthread_mutex_unlock(&files_lock);
	return f;
}

bool file_is(unsigned int i, const struct file *f)
{
	struct file now = file_get(i);

	return now.fd == f->fd && now.set == f->set;
}

void file_put(unsigned int i, const struct file *f)
{
	struct file old;

	pthread_mutex_lock(&files_lock);
	old = files[i];
	files[i] = *f;
	pthread_mutex_unlock(&files_lock);
	if (old.fd >= 0)
		close(old.fd);
}

/* Hold the lock during the fork, so that parent and child both start with a consistent table. */
pid_t fork_with_files(void)
{
	pid_t pid;

	pthread_mutex_lock(&files_lock);
	pid = fork();
	pthread_mutex_unlock(&files_lock);
	return pid;
}

static long replace(unsigned int i, int fd)
{
	struct file f = { .fd = fd, .set = -1 };

	if (fd < 0)
		return -errno;
	file_put(i, &f);
	return fd;
}

/* Copy a descriptor from another actor's process, as if it was received through a socket. */
static long take(const struct act *a)
{
	int pidfd = syscall(SYS_pidfd_open, target_tid(a), 0), fd;

	if (pidfd < 0)
		return -errno;
	fd = syscall(SYS_pidfd_getfd, pidfd, a->value % 32, 0);
	close(pidfd);
	return replace(a->fd, fd);
}

long act_on_files(const struct act *a, const struct file *f)
{
	static const struct file none = { .fd = -1, .set = -1 };
	struct file copy = *f;

	switch (a->op) {
	case ACT_OPEN:
		return replace(a->fd, open("/dev/vcpc", (a->flags & 3) | O_CLOEXEC));
	case ACT_CLOSE:
		file_put(a->fd, &none);
		return 0;
	case ACT_DUP:
		copy.fd = fcntl(f->fd, a->flags & 1 ? F_DUPFD : F_DUPFD_CLOEXEC, 0);
		if (copy.fd < 0)
			return -errno;
		file_put(a->target % FILES, &copy);
		return 0;
	default:
		return take(a);
	}
}

static long work(const struct act *a)
{
	if (a->flags & 1)
		touch(1 + a->value % 16);
	if (a->flags & 2)
		spin(1 + (a->value >> 8) % 200000);
	if (a->flags & 4)
		usleep((a->value >> 16) % 3000);
	if (a->flags & 8)
		sched_yield();
	return 0;
}

/* Run as a thread that is not an actor; the value of the act selects its work. */
static void *short_thread(void *arg)
{
	work(arg);
	return NULL;
}

static long start(const struct act *a)
{
	struct act act = *a;
	pthread_t thread;

	if (self->number < THREADS && a->target >= TARGET_ACTOR + 1 &&
	    a->target < TARGET_ACTOR + THREADS)
		return actor_start(a->target - TARGET_ACTOR);
	if (pthread_create(&thread, NULL, short_thread, &act))
		return -EAGAIN;
	pthread_join(thread, NULL);
	return 0;
}

/* If the actor is a process, start a process that is not an actor. */
static long short_process(const struct act *a)
{
	pid_t pid = fork();

	if (!pid) {
		work(a);
		_exit(0);
	}
	if (pid < 0)
		return -errno;
	return waitpid(pid, NULL, __WALL) == pid ? 0 : -errno;
}

/*
 * In an actor that is a process, execute another program, which can have more privileges or be
 * unreadable.
 */
static long execute(const struct act *a)
{
	static const char *const programs[] = {
		HELPER, HELPER "-root", HELPER "-unreadable", HELPER,
	};
	char *argv[] = { "helper", a->flags & 1 ? "wait" : "go", NULL };
	char *envp[] = { NULL };

	if (self->number < THREADS)
		return -EINVAL;
	alarm(20);
	kcov_collect(&kcovs[self->number], &shared->coverage);
	/*
	 * Count the call before it is made, because it does not return on success.  Undo this on
	 * failure.
	 */
	__atomic_fetch_add(&shared->calls[a->op], 1, __ATOMIC_RELAXED);
	__atomic_fetch_add(&shared->worked[a->op], 1, __ATOMIC_RELAXED);
	self->life = OTHER_PROGRAM;
	sem_post(&self->done);
	execve(programs[a->flags >> 1 & 3], argv, envp);
	__atomic_fetch_sub(&shared->worked[a->op], 1, __ATOMIC_RELAXED);
	/* The dispatcher has been notified that the act ended, so the process must exit. */
	_exit(1);
}

/* Drop privileges.  Threads can regain them, processes cannot. */
static long drop(const struct act *a)
{
	if (self->number >= THREADS && a->flags & 1) {
		if (syscall(SYS_setresgid, NOBODY, NOBODY, NOBODY) ||
		    syscall(SYS_setresuid, NOBODY, NOBODY, NOBODY))
			return -errno;
		return 0;
	}
	if (a->flags & 2)
		return syscall(SYS_setresuid, 0, 0, 0) ? -errno : 0;
	return syscall(SYS_setresuid, NOBODY, NOBODY, 0) ? -errno : 0;
}

static long move(const struct act *a)
{
	cpu_set_t cpus;
	unsigned int i;

	CPU_ZERO(&cpus);
	for (i = 0; i < 4; i++)
		if (a->flags & 1 << i)
			CPU_SET(i, &cpus);
	return sched_setaffinity(target_tid(a), sizeof(cpus), &cpus) ? -errno : 0;
}

/* Send a signal; terminating signals are sent only to processes. */
static long send_signal(const struct act *a)
{
	static const int signals[] = { SIGURG, SIGKILL, SIGSTOP, SIGCONT };
	int sig = signals[a->flags & 3];
	struct actor *to;

	if (a->target < TARGET_ACTOR || a->target > TARGET_LAST_ACTOR)
		return -EINVAL;
	to = &shared->actors[a->target - TARGET_ACTOR];
	if (to->number < THREADS || !to->tid || to->life == ABSENT)
		return to->tid ? syscall(SYS_tkill, to->tid, SIGURG) : -ESRCH;
	if (sig == SIGSTOP)
		to->stopped = true;
	if (kill(to->tid, sig) && sig == SIGSTOP) {
		to->stopped = false;
		return -errno;
	}
	if (sig == SIGCONT)
		to->stopped = false;
	return 0;
}

long act_on_threads(const struct act *a)
{
	switch (a->op) {
	case ACT_START: return start(a);
	case ACT_FORK:
		if (self->number < THREADS)
			return actor_fork(a->target - TARGET_ACTOR);
		return short_process(a);
	case ACT_EXEC: return execute(a);
	case ACT_DROP: return drop(a);
	case ACT_MOVE: return move(a);
	case ACT_KILL: return send_signal(a);
	default: return work(a);
	}
}

static long put(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	ssize_t len = fd < 0 ? -1 : write(fd, text, strlen(text));
	long ret = len < 0 ? -errno : 0;

	close(fd);
	return ret;
}

static long get(const char *path, char *text, size_t room)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t len = fd < 0 ? -1 : read(fd, text, room - 1);
	long ret = len < 0 ? -errno : len;

	close(fd);
	text[len < 0 ? 0 : len] = '\0';
	return ret;
}

/*
 * Return whether the last call was less than @ms milliseconds ago.  The fuzzer limits the rate of
 * acts that stop all CPUs, because they are slow in a VM.
 */
static bool too_soon(unsigned long *last, unsigned int ms)
{
	struct timespec now;
	unsigned long at;

	clock_gettime(CLOCK_MONOTONIC, &now);
	at = now.tv_sec * 1000UL + now.tv_nsec / 1000000;
	if (at - *last < ms)
		return true;
	*last = at;
	return false;
}

static long set_parameter(const struct act *a)
{
	static const char * const values[] = { "0", "1", "2", "5", "64", "4096" };
	unsigned int which = a->value % (parameters.nr ?: 1);

	if (!parameters.nr)
		return -ENOENT;
	shared->changed[which] = true;
	return put(parameters.path[which], values[(a->value >> 8) % 6]);
}

static long list(const struct act *a)
{
	if (!listings.nr)
		return -ENOENT;
	return get(listings.path[a->value % listings.nr], (char *)arena, ARENA);
}

long act_on_machine(const struct act *a)
{
	static unsigned long listened, plugged;

	switch (a->op) {
	case ACT_PARAMETER: return set_parameter(a);
	case ACT_LIST: return list(a);
	case ACT_LISTEN:
		if (too_soon(&listened, 200))
			return -EAGAIN;
		return put(TRACEPOINTS, a->flags & 1 ? "1" : "0");
	default:
		if (too_soon(&plugged, 5000))
			return -EAGAIN;
		shared->unplugged = true;
		put(CPU1, "0");
		usleep(a->value % 2000);
		return put(CPU1, "1");
	}
}

static void list_folder(const char *folder, struct listed *l)
{
	DIR *dir = opendir(folder);
	struct dirent *entry;

	while (dir && (entry = readdir(dir)) && l->nr < PARAMETERS) {
		if (entry->d_name[0] == '.')
			continue;
		snprintf(l->path[l->nr], sizeof(l->path[0]), "%s%s", folder, entry->d_name);
		if (get(l->path[l->nr], l->text[l->nr], sizeof(l->text[0])) >= 0)
			l->nr++;
	}
	if (dir)
		closedir(dir);
}

void machine_open(void)
{
	list_folder(SETTINGS, &parameters);
	list_folder(LISTINGS, &listings);
	/* Allow all users to open the device, because the fuzzer tests callers that can open it. */
	chmod("/dev/vcpc", 0666);
	/* Do not log a stack trace for each failing allocation. */
	put("/sys/kernel/debug/failslab/ignore-gfp-wait", "N");
	put("/sys/kernel/debug/failslab/verbose", "0");
}

void machine_restore(void)
{
	unsigned int i;

	for (i = 0; i < parameters.nr; i++) {
		if (shared->changed[i])
			put(parameters.path[i], parameters.text[i]);
		shared->changed[i] = false;
	}
	if (shared->unplugged)
		put(CPU1, "1");
	shared->unplugged = false;
}
