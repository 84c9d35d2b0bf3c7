// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Open, start, stop and read instances of sets that perf counts.  An instance is a set on one
 * target: a thread, a thread and everything it starts, or a CPU.  One bind can create several
 * instances.
 *
 * Locking: the caller holds the lock (backend_perf.c).
 */
#define _GNU_SOURCE
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/lines.h"
#include "base/vec.h"
#include "clock.h"
#include "perf_flexible.h"
#include "perf_instance.h"
#include "perf_kinds.h"
#include "perf_multiplex.h"
#include "perf_overflow.h"
#include "perf_set.h"

#define INHERIT_TRIES	64

static void close_groups(struct shim_instance *inst, bool here)
{
	void (*end)(struct shim_group *group) = here ? shim_group__close : shim_group__forget;

	end(&inst->group);
	end(&inst->watch.group);
}

/**
 * shim_instance__free() - free a list of instances
 * @inst: the first one, or NULL; no thread may be reading the instances' pages
 * @here: true if this process created them; otherwise this is a forked child, and they continue to
 *	count for its parent
 */
void shim_instance__free(struct shim_instance *inst, bool here)
{
	while (inst) {
		struct shim_instance *next = inst->next;

		shim_overflow__remove(inst);
		close_groups(inst, here);
		free(inst->plan);
		shim_multiplex__free(inst->multiplex, here);
		shim_flexible__free(inst->flexible, here);
		shim_kinds__free(inst->kinds, here);
		free(inst);
		inst = next;
	}
}

/* Find the instance on a thread or on a CPU. */
struct shim_instance *shim_instance__find(struct shim_instance *list, pid_t tid, bool cpu)
{
	for (struct shim_instance *inst = list; inst; inst = inst->next)
		if (inst->tid == tid && shim_instance__is_cpu(inst) == cpu)
			return inst;
	return NULL;
}

/*
 * Get a thread's process.  Return -ESRCH if the thread does not exist, or another error from
 * reading /proc.
 */
static pid_t process_of(pid_t tid)
{
	char path[64], line[64];
	pid_t tgid = 0;
	FILE *f;

	/* Find threads of this process even if /proc is not mounted. */
	if (tid > 0 && !syscall(SYS_tgkill, getpid(), tid, 0))
		return getpid();
	snprintf(path, sizeof(path), "/proc/%d/status", tid);
	f = fopen(path, "re");
	if (!f)
		return errno == ENOENT ? -ESRCH : -errno;
	while (!tgid && fgets(line, sizeof(line), f))
		sscanf(line, "Tgid: %d", &tgid);
	if (!tgid)
		tgid = ferror(f) && errno != ESRCH ? -errno : -ESRCH;
	fclose(f);
	return tgid;
}

static struct shim_instance *instance_make(const struct shim_binding *binding, pid_t tid)
{
	struct shim_instance *inst = calloc(1, sizeof(*inst) + 3 * binding->n * sizeof(inst->from[0]));

	if (!inst)
		return NULL;
	inst->reqs = binding->reqs;
	inst->n = binding->n;
	inst->slots = binding->slots;
	inst->cgroup = binding->cgroup;
	inst->tid = tid;
	inst->root = binding->root;
	inst->flags = binding->flags;
	inst->tgid = shim_instance__is_cpu(inst) ? 0 : process_of(tid);
	inst->waiting = inst->flags & VCPC_BIND_F_ENABLE_ON_EXEC;
	inst->stopped = shim_clock__ns();
	inst->live = true;
	inst->preset = inst->from + binding->n;
	inst->overflow.until = inst->preset + binding->n;
	inst->overflow.signal = binding->signal;
	for (unsigned int i = 0; i < binding->n; i++)
		inst->from[i] = inst->preset[i] = binding->reqs[i].preset;
	return inst;
}

static struct shim_group_place place_of(const struct shim_instance *inst)
{
	return (struct shim_group_place) {
		.tid = shim_instance__is_cpu(inst) ? -1 : inst->tid,
		.cpu = shim_instance__is_cpu(inst) ? inst->tid : -1,
		.cgroup = inst->cgroup,
		.inherit = shim_instance__is_inherited(inst),
		.threads_only = !(inst->flags & VCPC_BIND_F_TREE),
		.on_exec = inst->waiting,
		.own = inst->tgid == getpid(),
	};
}

/* Make a plan for reading the group's pages, if it has pages.  Return 0 or -ENOMEM. */
static int add_plan(struct shim_instance *inst)
{
	size_t slots = (inst->group.n + 1) * sizeof(inst->plan->slots[0]);

	/* A thread that migrates to another kind of core could read a nonexistent counter. */
	if (!inst->group.pages || inst->slots || inst->kinds)
		return 0;
	inst->plan = calloc(1, sizeof(*inst->plan) + slots);
	if (!inst->plan)
		return -ENOMEM;
	shim_page__init(inst->plan, inst->group.pages, inst->group.n, &shim_cpu__this);
	return 0;
}

/*
 * Open an instance's events in the disabled state.  Return 0 or an error from shim_group__open().
 * The library multiplexes groups only in threads of this process, because only these threads run
 * its signal handler, which ends the slots.  It cannot predict on which kind of core a thread will
 * run in a slot, so on machines with several kinds perf multiplexes.
 */
static int open_counting(struct shim_instance *inst, int *bad)
{
	struct shim_group_place place = place_of(inst);

	if (!inst->slots && shim_kinds__are_needed(inst->reqs, inst->n))
		return shim_kinds__open(inst, place, bad);
	if (!inst->slots)
		return shim_group__open(&inst->group, inst->reqs, inst->n, place, bad);
	if (place.own && !inst->flags && shim_overflow__is_possible() &&
	    !shim_kinds__are_needed(inst->reqs, inst->n))
		return shim_multiplex__open(inst, bad);
	return shim_flexible__open(inst, place, bad);
}

static int open_events(struct shim_instance *inst, int *bad)
{
	int ret = inst->cgroup ? shim_watch__open(&inst->watch, inst->tid) : 0;

	if (!ret)
		ret = open_counting(inst, bad);
	if (ret)
		shim_group__close(&inst->watch.group);
	return ret;
}

/* Append an instance to the binding's list.  It does not count yet. */
static int instance_add(struct shim_binding *binding, pid_t tid)
{
	struct shim_instance **list = &binding->list;
	struct shim_instance *inst = instance_make(binding, tid);
	int ret = inst ? 0 : -ENOMEM;

	if (!ret && !shim_instance__is_cpu(inst) && inst->tgid < 0)
		ret = inst->tgid;
	if (!ret)
		ret = open_events(inst, binding->bad);
	if (ret) {
		if (inst)
			free(inst->flexible);
		free(inst);
		return ret;
	}
	ret = add_plan(inst);
	if (!ret)
		ret = shim_overflow__add(inst);
	if (ret) {
		shim_instance__free(inst, true);
		return ret;
	}
	while (*list)
		list = &(*list)->next;
	*list = inst;
	return 0;
}

/* Call @fn for each thread of a process.  A value other than 0 ends the walk and is returned. */
static int each_thread(pid_t tid, int (*fn)(pid_t tid, void *arg), void *arg)
{
	struct dirent *entry;
	char path[64];
	int ret = 0, more = 0;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%d/task", tid);
	dir = opendir(path);
	if (!dir)
		return errno == ENOENT ? -ESRCH : -errno;
	while (!ret && (more = shim_entries__next(dir, &entry)) > 0)
		if (isdigit((unsigned char)entry->d_name[0]))
			ret = fn(atoi(entry->d_name), arg);
	closedir(dir);
	return ret ? ret : more;
}

/* The threads of a process at one time */
struct tids {
	pid_t *all;
	size_t n, room;
};

static int thread_note(pid_t tid, void *arg)
{
	struct tids *tids = arg;

	if (shim_vec__room(tids->all, &tids->room, tids->n))
		return -ENOMEM;
	tids->all[tids->n++] = tid;
	return 0;
}

static int is_noted(pid_t tid, void *arg)
{
	const struct tids *tids = arg;

	for (size_t i = 0; i < tids->n; i++)
		if (tids->all[i] == tid)
			return 0;
	return -ESTALE;
}

static int add_thread(struct shim_binding *binding, pid_t tid)
{
	int ret;

	if (shim_instance__find(binding->taken, tid, false))
		return -EBUSY;
	ret = instance_add(binding, tid);
	/* The thread has ended.  Even the first thread of a process can end before its process. */
	return ret == -ESRCH ? 0 : ret;
}

/*
 * List the process's threads, then bind each of them.  All of them existed before the first was
 * bound, so none has inherited from another.  Return -ESTALE if the process now has a thread that
 * is not listed.
 */
static int add_noted(struct shim_binding *binding, struct tids *tids)
{
	int ret = each_thread(binding->root, thread_note, tids);

	for (size_t i = 0; i < tids->n && !ret; i++)
		ret = add_thread(binding, tids->all[i]);
	if (!ret && !binding->list)
		ret = -ESRCH;
	return ret ? ret : each_thread(binding->root, is_noted, tids);
}

/*
 * Bind each thread of a process once.  If the process has started a thread since its threads were
 * listed, undo everything and return -ESTALE, because that thread may have inherited from one that
 * was already bound.
 */
static int bind_process(struct shim_binding *binding)
{
	struct tids tids = { NULL };
	int ret = add_noted(binding, &tids);

	free(tids.all);
	if (ret) {
		shim_instance__free(binding->list, true);
		binding->list = NULL;
	}
	return ret;
}

/*
 * Retry while the process starts threads.  If a request is still rejected after that (@bad), the
 * group does not fit on the PMU.
 */
static int bind_inherited(struct shim_binding *binding)
{
	int ret = -ESTALE;

	for (int tries = 0; tries < INHERIT_TRIES && ret == -ESTALE; tries++)
		ret = binding->flags & SHIM_BIND_F_PROCESS ? bind_process(binding) :
							     instance_add(binding, binding->root);
	if (ret == -ESTALE)
		ret = *binding->bad < 0 ? -EAGAIN : -ENOSPC;
	return ret;
}

/**
 * shim_instance__bind() - create all instances of a bind
 * @binding: its list receives the instances, which do not count yet
 *
 * Return: 0, -EBUSY, -ENODEV (the CPU does not exist or is offline), -EAGAIN (the process keeps
 * starting threads), or an error from shim_group__open().
 */
int shim_instance__bind(struct shim_binding *binding)
{
	bool cpu = binding->flags & SHIM_BIND_F_CPU;

	if (shim_instance__find(binding->taken, binding->root, cpu))
		return -EBUSY;
	if (cpu && !shim_watch__is_online(binding->root))
		return -ENODEV;
	return bind_inherited(binding);
}

/* Save the counts of a CPU's instance and close its events. */
static void save(struct shim_instance *inst)
{
	struct shim_group_counts counts;

	if (!shim_group__read_each(&inst->group, &counts)) {
		inst->kept += counts.enabled;
		for (unsigned int i = 0; i < inst->n && !inst->flexible && !inst->kinds; i++)
			inst->from[i] += counts.values[i];
	}
	if (inst->flexible)
		shim_flexible__save(inst);
	if (inst->kinds)
		shim_kinds__save(inst);
	close_groups(inst, true);
	inst->ran = 0;
	inst->offline = true;
}

/*
 * Reopen the events of a CPU's instance if the CPU is online.  Return 0, even if the CPU is
 * offline, or -EAGAIN if the events cannot be opened now.
 */
static int reopen(struct shim_instance *inst)
{
	int bad, ret = 0;

	if (!shim_watch__is_online(inst->tid))
		return 0;
	if (open_events(inst, &bad))
		ret = -EAGAIN;
	else
		inst->offline = false;
	if (!ret && inst->on)
		ret = shim_instance__start(inst);
	if (!ret || shim_watch__is_online(inst->tid))
		return ret;
	/* Opening failed because the CPU has gone offline again. */
	if (!inst->offline)
		save(inst);
	return 0;
}

static int turn_events(struct shim_instance *inst, bool on)
{
	int ret, err = 0;

	if (inst->multiplex)
		return on ? shim_multiplex__start(inst) : shim_multiplex__stop(inst);
	if (inst->kinds)
		return shim_kinds__turn(inst, on);
	if (on && inst->group.overflows)
		return shim_overflow__start(inst);
	/* The clock is enabled whenever any group is. */
	if (inst->flexible && !on)
		err = shim_flexible__turn(inst->flexible, false);
	ret = shim_group__turn(&inst->group, on);
	if (inst->flexible && on)
		err = shim_flexible__turn(inst->flexible, true);
	return ret ? ret : err;
}

/* Read the counts of an instance on a thread or on an online CPU. */
static int read_events(const struct shim_instance *inst, struct shim_group_counts *counts)
{
	return inst->kinds ? shim_kinds__read(inst, counts) : shim_group__read(&inst->group, counts);
}

/**
 * shim_instance__start() - start a stopped instance
 * @inst: the instance
 *
 * Return: 0, -EBADF, or -EAGAIN (it does not fit on the PMU; only for the calling thread).
 */
int shim_instance__start(struct shim_instance *inst)
{
	struct shim_group_counts counts;
	int ret;

	/* The CPU may have been offline unnoticed since the stop.  Reopen its events. */
	if (inst->cgroup ? shim_watch__lags(&inst->watch) : inst->ran && shim_instance__is_cpu(inst))
		save(inst);
	if (inst->offline) {
		inst->on = true;
		return reopen(inst);
	}
	ret = turn_events(inst, true);
	if (ret)
		return ret;
	inst->since = shim_clock__ns();
	/*
	 * The caller is running, so its group is on the PMU or, if it does not fit, in the error
	 * state.
	 */
	ret = inst->tid == gettid() ? read_events(inst, &counts) : 0;
	if (ret) {
		turn_events(inst, false);
		return ret;
	}
	inst->on = true;
	inst->waiting = false;
	return 0;
}

/*
 * Return whether a CPU has been offline.  When a CPU goes offline, its events end, but perf does
 * not report that: it splits the group, and the time enabled lags behind the wall time.
 */
static bool has_been_offline(struct shim_instance *inst, __u64 before, __u64 enabled)
{
	__u64 wall = before > inst->since ? before - inst->since : 0;

	if (inst->cgroup)
		return shim_watch__lags(&inst->watch);
	return shim_group__is_taken_apart(&inst->group) ||
	       (inst->on && shim_watch__is_behind(enabled - inst->ran, wall));
}

/* Read a CPU's counts, which are 0 while the CPU is offline, because earlier counts were saved. */
static int read_cpu(struct shim_instance *inst, struct shim_group_counts *counts)
{
	int ret = inst->offline ? reopen(inst) : 0;
	__u64 before = shim_clock__ns();

	*counts = (struct shim_group_counts) { 0 };
	if (ret || inst->offline)
		return ret;
	ret = read_events(inst, counts);
	if (has_been_offline(inst, before, ret ? inst->ran : counts->enabled) ||
	    (ret && !shim_watch__is_online(inst->tid))) {
		save(inst);
		*counts = (struct shim_group_counts) { 0 };
		return reopen(inst);
	}
	if (!ret && inst->on) {
		inst->since = shim_clock__ns();
		inst->ran = counts->enabled;
	}
	return ret;
}

/**
 * shim_instance__read() - read the counts, and record whether an awaited execve has happened
 * @inst: the instance
 * @counts: filled in
 *
 * Return: as for shim_group__read().
 */
int shim_instance__read(struct shim_instance *inst, struct shim_group_counts *counts)
{
	int ret;

	if (shim_instance__is_cpu(inst))
		return read_cpu(inst, counts);
	ret = read_events(inst, counts);
	if (ret)
		return ret;
	if (inst->waiting && counts->enabled) {
		inst->waiting = false;
		inst->on = true;
	}
	return 0;
}

/**
 * shim_instance__stop() - stop an instance
 * @inst: the instance, which counts or waits for its target's execve
 *
 * Return: as for shim_group__read().  On error, it can be stopped again.
 */
int shim_instance__stop(struct shim_instance *inst)
{
	struct shim_group_counts counts;
	int ret = inst->offline ? 0 : turn_events(inst, false);

	if (!ret && !inst->offline)
		ret = read_events(inst, &counts);
	if (ret)
		return ret;
	inst->stopped = shim_clock__ns();
	inst->on = inst->waiting = false;
	if (!inst->offline)
		inst->ran = counts.enabled;
	return 0;
}

/**
 * shim_instance__halt() - stop an instance that is removed from its set's list
 * @inst: the instance; afterwards it cannot be sampled, not even by its thread without the lock
 */
void shim_instance__halt(struct shim_instance *inst)
{
	if (!inst->offline)
		turn_events(inst, false);
	inst->live = false;
	if (inst->plan)
		shim_page__begin_change(inst->plan);
}

/**
 * shim_instance__turn() - start or stop an instance
 * @inst: the instance
 * @on: true to start
 * @all: do not fail if the instance already has that state, because several are turned
 *
 * Return: 0, -EINVAL, -EAGAIN, or -EBADF.
 */
int shim_instance__turn(struct shim_instance *inst, bool on, bool all)
{
	struct shim_group_counts counts;
	int ret = shim_instance__read(inst, &counts);

	if (ret)
		return ret;
	if (inst->on == on)
		return all ? 0 : -EINVAL;
	return on ? shim_instance__start(inst) : shim_instance__stop(inst);
}

/**
 * shim_instance__restart() - set all counts to their presets and start counting
 * @inst: the instance
 *
 * Return: 0, -EAGAIN, -EBADF, or -EINVAL (it waits for execve, has ended, or is multiplexed).
 */
int shim_instance__restart(struct shim_instance *inst)
{
	struct shim_group_counts counts;
	int ret = shim_instance__read(inst, &counts);

	if (ret)
		return ret;
	if (inst->waiting || inst->slots || shim_group__has_ended(&inst->group))
		return -EINVAL;
	/* The distance to the next overflow changes. It can be set only while the set is stopped. */
	if (inst->on && inst->group.overflows) {
		ret = shim_instance__stop(inst);
		if (!ret)
			ret = shim_instance__read(inst, &counts);
		if (ret)
			return ret;
	}
	if (inst->plan)
		shim_page__begin_change(inst->plan);
	for (unsigned int i = 0; i < inst->n; i++)
		inst->from[i] = inst->preset[i] - counts.values[i];
	if (inst->plan)
		shim_page__end_change(inst->plan);
	return inst->on ? 0 : shim_instance__start(inst);
}

/**
 * shim_instance__has_ended() - check whether the target of an instance has ended
 * @inst: the instance
 *
 * An inherited instance ends with its process.  The end of a tree of processes is not detected; the
 * result is then false.
 */
bool shim_instance__has_ended(const struct shim_instance *inst)
{
	if (shim_instance__is_cpu(inst) || inst->flags & VCPC_BIND_F_TREE)
		return false;
	if (shim_instance__is_inherited(inst))
		return kill(inst->tgid, 0) && errno == ESRCH;
	return shim_group__has_ended(&inst->group);
}
