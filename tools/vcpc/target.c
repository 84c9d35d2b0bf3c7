// SPDX-License-Identifier: GPL-2.0-or-later
/* Count existing processes, threads or CPUs until they end or the user interrupts. */
#define _GNU_SOURCE
#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <time.h>
#include <unistd.h>

#include "target.h"
#include "text.h"
#include "vcpc.h"

#define LOOK_NS		100000000ULL	/* interval between checks of whether targets have ended */
#define NS_PER_MS	1000000ULL
#define NEVER		UINT64_MAX

static const struct {
	const char *one, *many, *meant;
	unsigned int flags;
} kinds[] = {
	[VCPC_PROCESSES] = { "process", "processes", "a process ID", SHIM_BIND_PROCESS | SHIM_BIND_TREE },
	[VCPC_THREADS] = { "thread", "threads", "a thread ID (use -I to set an interval, --trace to turn tracing on)", 0 },
	[VCPC_CPUS] = { "CPU", "CPUs", "a CPU's number or a range such as 0-3", SHIM_BIND_CPU },
};

static int target_add(struct vcpc_targets *targets, long id)
{
	for (unsigned int i = 0; i < targets->n; i++)
		if (targets->ids[i] == id)
			return 0;
	if (targets->n == VCPC_TARGETS)
		return vcpc_usage("too many %s (at most %d)", kinds[targets->kind].many, VCPC_TARGETS);
	targets->ids[targets->n++] = (pid_t)id;
	return 0;
}

/* Parse a number, and set @end to the character after it. Return -1 if there is none. */
static long number(const char *text, const char **end)
{
	char *behind;
	long n;

	errno = 0;
	n = strtol(text, &behind, 10);
	*end = behind;
	return isdigit((unsigned char)*text) && !errno && n <= INT_MAX ? n : -1;
}

/* Add "7" or, for CPUs, "0-3". */
static int add_item(struct vcpc_targets *targets, const char *item)
{
	bool cpus = targets->kind == VCPC_CPUS;
	const char *end;
	long first = number(item, &end), last = first;
	int status = 0;

	if (cpus && first >= 0 && *end == '-')
		last = number(end + 1, &end);
	if (first < !cpus || last < first || *end)
		return vcpc_usage("'%s' is not %s", item, kinds[targets->kind].meant);
	if (last - first >= VCPC_TARGETS)
		return vcpc_usage("too many CPUs (at most %d)", VCPC_TARGETS);
	for (; first <= last && !status; first++)
		status = target_add(targets, first);
	return status;
}

int vcpc_targets_add(struct vcpc_targets *targets, enum vcpc_target_kind kind, const char *list)
{
	char *copy = strdup(list), *rest = copy, *item;
	int status = 0;

	if (!copy)
		return vcpc_fail(ENOMEM, "%s", list);
	if (targets->kind != VCPC_NO_TARGETS && targets->kind != kind)
		status = vcpc_usage("%s and %s are mutually exclusive", kinds[targets->kind].many, kinds[kind].many);
	targets->kind = kind;
	while (!status && (item = strsep(&rest, ",")) != NULL)
		status = add_item(targets, item);
	free(copy);
	return status;
}

int vcpc_targets_add_all(struct vcpc_targets *targets)
{
	char list[4096] = "";
	static const char online[] = "/sys/devices/system/cpu/online";
	FILE *f = fopen(online, "re");
	int err = 0;

	if (!f && errno == ENOENT)	/* /sys is not mounted */
		snprintf(list, sizeof(list), "0-%ld", sysconf(_SC_NPROCESSORS_ONLN) - 1);
	else if (!f || !fgets(list, sizeof(list), f))
		err = errno ? errno : EIO;
	if (f)
		fclose(f);
	if (err)
		return vcpc_fail(err, "cannot read %s", online);
	list[strcspn(list, "\n")] = '\0';
	return vcpc_targets_add(targets, VCPC_CPUS, list);
}

static bool is_offline(int cpu)
{
	char path[64];

	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%d", cpu);
	return !access(path, F_OK);
}

int vcpc_targets_bind(const struct vcpc_targets *targets, unsigned int i, struct shim_set *set)
{
	const char *what = kinds[targets->kind].one;
	int id = (int)targets->ids[i];
	int ret = shim_set_bind(set, id, kinds[targets->kind].flags);

	switch (ret) {
	case 0:
		return 0;
	case -ESRCH:
	case -ENODEV:
		if (targets->kind == VCPC_CPUS && is_offline(id))
			return vcpc_fail(0, "CPU %d is offline; as root: echo 1 >/sys/devices/system/cpu/cpu%d/online", id, id);
		if (access("/proc/self", F_OK))
			return vcpc_fail_counters(ret, "cannot count %s %d", what, id);
		return vcpc_fail(0, "%s %d does not exist", what, id);
	case -ENOENT:
		if (!targets->cgroup)
			return vcpc_fail_counters(ret, "cannot count %s %d", what, id);
		return vcpc_fail(0, "the kernel cannot count control group '%s'; as root, write +pids to cgroup.subtree_control in its parent directory, and create the group again",
				 targets->cgroup);
	case -EACCES:
		if (targets->kind == VCPC_CPUS)
			return vcpc_fail_counters(ret, "cannot count CPU %d (this requires root or CAP_PERFMON)", id);
		return vcpc_fail_counters(ret, "cannot count %s %d, which may belong to another user", what, id);
	case -EAGAIN:
		return vcpc_fail(0, "%s %d starts threads faster than they can be attached; try again", what, id);
	default:
		return vcpc_fail_counters(ret, "cannot count %s %d", what, id);
	}
}

static void comm_of(pid_t pid, char *buf, size_t size)
{
	char path[64];
	FILE *f;

	*buf = '\0';
	snprintf(path, sizeof(path), "/proc/%d/comm", (int)pid);
	f = fopen(path, "re");
	if (!f)
		return;
	if (!fgets(buf, (int)size, f))
		*buf = '\0';
	buf[strcspn(buf, "\n")] = '\0';
	fclose(f);
	/* A process may put control characters into its own name. */
	vcpc_printable(buf, "");
}

void vcpc_targets_text(const struct vcpc_targets *targets, char *buf, size_t size)
{
	size_t len = snprintf(buf, size, "%s%s%s%s", targets->cgroup ? "control group " : "",
			      targets->cgroup ? targets->cgroup : "", targets->cgroup ? " on " : "",
			      targets->n == 1 ? kinds[targets->kind].one : kinds[targets->kind].many);

	for (unsigned int i = 0; i < targets->n && len < size; i++) {
		char comm[64] = "";

		if (targets->kind != VCPC_CPUS)
			comm_of(targets->ids[i], comm, sizeof(comm));
		len += snprintf(buf + len, size - len, *comm ? "%s%d (%s)" : "%s%d", i ? ", " : " ",
				(int)targets->ids[i], comm);
	}
}

/* Return whether a target has ended. */
static bool is_gone(pid_t id)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d", (int)id);
	return access(path, F_OK) && errno == ENOENT;
}

/* Report the targets that have ended since the last call; return true if all have ended. */
static bool ended_report(const struct vcpc_targets *targets, bool *gone)
{
	unsigned int left = 0;

	if (targets->kind == VCPC_CPUS)
		return false;
	for (unsigned int i = 0; i < targets->n; i++) {
		if (!gone[i] && is_gone(targets->ids[i])) {
			gone[i] = true;
			fprintf(stderr, "%s: %s %d has ended\n", program_invocation_name,
				kinds[targets->kind].one, (int)targets->ids[i]);
		}
		left += !gone[i];
	}
	return !left;
}

/*
 * The times of the next check of the targets, the next call to @tick, and the end, on
 * CLOCK_MONOTONIC, or NEVER
 */
struct schedule {
	uint64_t look, tick, end;
};

static int until_next(const struct schedule *s, uint64_t now)
{
	uint64_t next = s->look < s->tick ? s->look : s->tick;

	next = next < s->end ? next : s->end;
	return next <= now ? 0 : (int)((next - now + NS_PER_MS - 1) / NS_PER_MS);
}

static void tick_until_end(const struct vcpc_targets *targets, int signals, struct schedule *s,
			   uint64_t interval, vcpc_tick_fn *tick, void *arg)
{
	struct pollfd fd = { .fd = signals, .events = POLLIN };
	bool gone[VCPC_TARGETS] = { false };

	for (;;) {
		uint64_t now = vcpc_now();

		if (now >= s->end || poll(&fd, 1, until_next(s, now)) > 0)
			return;
		now = vcpc_now();
		if (now >= s->tick) {
			uint64_t missed = interval ? (now - s->tick) / interval : 0;

			s->tick = tick(arg, missed) || !interval ? NEVER : s->tick + interval;
			s->tick = s->tick < now ? now + interval : s->tick;
		}
		if (now >= s->look) {
			if (ended_report(targets, gone))
				return;
			s->look = now + LOOK_NS;
		}
	}
}

int vcpc_targets_wait(const struct vcpc_targets *targets, uint64_t delay, uint64_t interval,
		      uint64_t duration, vcpc_tick_fn *tick, void *arg)
{
	uint64_t now = vcpc_now();
	struct schedule schedule = {
		.look = now,
		.tick = delay ? now + delay : interval ? now + interval : NEVER,
		.end = duration ? now + duration : NEVER,
	};
	sigset_t set, before;
	int fd;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGHUP);
	sigprocmask(SIG_BLOCK, &set, &before);
	fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	if (fd < 0) {
		int ret = vcpc_fail(errno, "signalfd");

		sigprocmask(SIG_SETMASK, &before, NULL);
		return ret;
	}
	tick_until_end(targets, fd, &schedule, interval, tick, arg);
	/* Consume the signal that ended the wait, so that it is not delivered. */
	while (read(fd, &(struct signalfd_siginfo){ 0 }, sizeof(struct signalfd_siginfo)) > 0)
		;
	close(fd);
	sigprocmask(SIG_SETMASK, &before, NULL);
	return 0;
}
