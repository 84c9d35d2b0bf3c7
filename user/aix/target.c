// SPDX-License-Identifier: LGPL-2.1-or-later
/* Find other threads and CPUs in /proc and /sys. */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/lines.h"
#include "state.h"

/*
 * Binding of the system's context to the online processors.  A processor that comes online later is
 * added at the next call on that context.
 */

/*
 * Read the kernel's list of online CPUs as text; a list that does not fit is truncated.  If the
 * list cannot be read, the text is empty, and the next call looks for CPUs again.
 */
static void read_online(char text[AIX_ONLINE])
{
	FILE *f = fopen("/sys/devices/system/cpu/online", "re");

	text[0] = '\0';
	if (!f)
		return;
	if (!fgets(text, AIX_ONLINE, f))
		text[0] = '\0';
	fclose(f);
}

static int bind_cpu(void *arg, int cpu)
{
	struct shim_aix_context *ctx = arg;
	int bad;
	int ret = shim_counters__bind(ctx->counters, cpu, SHIM_BIND_F_CPU, &bad);

	/* The CPU has gone offline since the list was read. */
	return ret == -ENODEV ? 0 : ret;
}

/**
 * shim_aix_cpus__bind() - bind a context to all processors that are online
 * @ctx: the system's context, not a process tree's
 *
 * Return: 0 or a core error.
 */
int shim_aix_cpus__bind(struct shim_aix_context *ctx)
{
	read_online(ctx->online);
	return shim_aix_target__each_cpu(bind_cpu, ctx);
}

/*
 * Bind the set to an online CPU.  If it is already bound to the CPU, the result is -EBUSY,
 * which is not an error here.
 */
static int bind_late(void *arg, int cpu)
{
	struct shim_aix_context *ctx = arg;
	int bad;
	int ret = shim_counters__bind(ctx->counters, cpu, SHIM_BIND_F_CPU, &bad);

	if (!ret && ctx->on)
		ret = shim_counters__enable_at(ctx->counters, cpu, SHIM_TARGET_F_CPU);
	return ret == -ENODEV || ret == -EBUSY ? 0 : ret;
}

/**
 * shim_aix_cpus__follow() - bind a context to processors that have come online
 * @ctx: the system's context, not a process tree's
 *
 * If a CPU cannot be bound, the next call tries again.
 */
void shim_aix_cpus__follow(struct shim_aix_context *ctx)
{
	char online[AIX_ONLINE];

	read_online(online);
	if (strcmp(online, ctx->online) && !shim_aix_target__each_cpu(bind_late, ctx))
		strcpy(ctx->online, online);
}

/* The fields that are read from /proc/TID/status */
struct status {
	char state;
	int tgid;
	int tracer;
};

static int read_status(pid_t tid, struct status *status)
{
	char path[64], line[256];
	int ret = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/status", (int)tid);
	f = fopen(path, "re");
	if (!f)
		return errno == ENOENT ? -ESRCH : -errno;
	*status = (struct status) { 0 };
	while (fgets(line, sizeof(line), f)) {
		sscanf(line, "State: %c", &status->state);
		sscanf(line, "Tgid: %d", &status->tgid);
		sscanf(line, "TracerPid: %d", &status->tracer);
	}
	if (ferror(f))
		ret = -errno;
	fclose(f);
	return ret;
}

static bool is_ours(pid_t tid)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/self/task/%d", (int)tid);
	return tid && !access(path, F_OK);
}

/**
 * shim_aix_target__check() - find the thread identified by a call, and check the caller's
 * permission
 * @who: the thread, by any of its numbers
 * @tid: set on success
 *
 * Return: 0 or the API's error.  The caller must be tracing another thread, which must be
 * stopped.
 */
int shim_aix_target__check(struct shim_aix_who who, pid_t *tid)
{
	pid_t target = who.tid ? who.tid : (pid_t)who.ptid;
	struct status status;
	int ret;

	if (!who.other) {
		*tid = gettid();
		return 0;
	}
	if (target <= 0 || (who.ptid && who.ptid != (ptid_t)target))
		return EINVAL;
	ret = read_status(target, &status);
	if (ret)
		return shim_aix__error(ret);
	if (status.tgid != who.pid)
		return ESRCH;
	if (!is_ours(status.tracer) || !strchr("tT", status.state))
		return Pmapi_NotDebugger;
	*tid = target;
	return 0;
}

/**
 * shim_aix_target__tick() - get the current time in clock ticks since boot, the unit of a thread's
 * start in /proc
 */
__u64 shim_aix_target__tick(void)
{
	long hz = sysconf(_SC_CLK_TCK);
	struct timespec now;

	clock_gettime(CLOCK_BOOTTIME, &now);
	return now.tv_sec * hz + now.tv_nsec / (1000000000L / hz);
}

/*
 * Read a thread's start time.  The name in parentheses may contain anything, so fields are counted
 * from the last ')'.  The first field after it is the state.
 */
static __u64 read_start(pid_t tid)
{
	char path[64], line[1024];
	unsigned long long tick;
	const char *at;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)tid);
	f = fopen(path, "re");
	if (!f)
		return ~0ULL;
	at = fgets(line, sizeof(line), f) ? strrchr(line, ')') : NULL;
	fclose(f);
	if (!at || sscanf(at, ") %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s "
			  "%*s %*s %*s %llu", &tick) != 1)
		return ~0ULL;
	return tick;
}

/**
 * shim_aix_target__start() - get a thread's start time
 * @start: caches the answer; for one thread only
 * @tid: the thread
 *
 * Return: the time in the ticks of shim_aix_target__tick(); ~0 if it cannot be determined.
 */
__u64 shim_aix_target__start(struct shim_aix_start *start, pid_t tid)
{
	if (!start->known)
		*start = (struct shim_aix_start) { .known = true, .tick = read_start(tid) };
	return start->tick;
}

/* Return whether two threads belong to the same process. */
bool shim_aix_target__is_in(pid_t tid, pid_t process)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/task/%d", (int)process, (int)tid);
	return !access(path, F_OK);
}

/**
 * shim_aix_target__each_cpu() - call a function for each online CPU
 * @fn: called for each CPU; a nonzero value ends the loop
 * @arg: argument of @fn
 *
 * Return: 0, -ENODEV without /sys, -ENOMEM or a similar error, or the result of @fn.
 */
int shim_aix_target__each_cpu(int (*fn)(void *arg, int cpu), void *arg)
{
	FILE *f = fopen("/sys/devices/system/cpu/online", "re");
	int first, last, ret = 0;
	char more = ',';

	if (!f)
		return errno == ENOENT ? -ENODEV : -errno;
	while (!ret && more == ',' && fscanf(f, "%d", &first) == 1) {
		last = first;
		if (fscanf(f, "%c", &more) == 1 && more == '-' &&
		    fscanf(f, "%d%c", &last, &more) < 1)
			break;
		for (int cpu = first; cpu <= last && !ret; cpu++)
			ret = fn(arg, cpu);
	}
	if (!ret && ferror(f))
		ret = -EIO;
	fclose(f);
	return ret;
}

struct nth {
	int left;
	int cpu;
};

static int count_down(void *arg, int cpu)
{
	struct nth *nth = arg;

	nth->cpu = cpu;
	return nth->left-- == 0;
}

/* Return the number of the n-th online CPU.  If there are fewer CPUs, return -ENXIO. */
int shim_aix_target__nth_cpu(int n)
{
	struct nth nth = { .left = n };
	int ret = n < 0 ? 0 : shim_aix_target__each_cpu(count_down, &nth);

	return ret > 0 ? nth.cpu : ret ? ret : -ENXIO;
}

/**
 * shim_aix_target__each_thread() - call a function for each thread of a thread's process
 * @tid: any thread of the process
 * @fn: called for each thread; a nonzero value ends the loop
 * @arg: argument of @fn
 *
 * Return: 0, -ESRCH, -ENOMEM or a similar error, or the result of @fn.
 */
int shim_aix_target__each_thread(pid_t tid, int (*fn)(void *arg, pid_t tid), void *arg)
{
	struct dirent *entry;
	char path[64];
	int ret = 0, more = 0;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%d/task", (int)tid);
	dir = opendir(path);
	if (!dir)
		return errno == ENOENT ? -ESRCH : -errno;
	while (!ret && (more = shim_entries__next(dir, &entry)) > 0)
		if (entry->d_name[0] != '.')
			ret = fn(arg, atoi(entry->d_name));
	closedir(dir);
	return ret ? ret : more;
}
