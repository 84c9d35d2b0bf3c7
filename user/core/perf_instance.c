// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Instances of perf's sets: a set on one target (a thread, a thread with all that it starts, or a
 * CPU), and all instances that one bind makes.
 *
 * Locking: the caller's (backend_perf.c).
 */
#define _GNU_SOURCE
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/lines.h"
#include "base/vec.h"
#include "perf_cpu.h"
#include "perf_flexible.h"
#include "perf_instance.h"
#include "perf_kinds.h"
#include "perf_multiplex.h"
#include "perf_overflow.h"
#include "clock.h"

#define INHERIT_TRIES	64

/* A CPU whose events lag so far behind the wall time has been offline. */
#define OFFLINE_NS	1000000

/**
 * shim_instance__free() - free a list of instances
 * @inst: the first of it, or NULL; nobody reads their pages any more
 * @here: this process made them; otherwise it was forked since, and they go on counting for its
 *	parent
 */
void shim_instance__free(struct shim_instance *inst, bool here)
{
	while (inst) {
		struct shim_instance *next = inst->next;

		shim_overflow__remove(inst);
		if (here)
			shim_group__close(&inst->group);
		else
			shim_group__forget(&inst->group);
		free(inst->plan);
		shim_multiplex__free(inst->multiplex, here);
		shim_flexible__free(inst->flexible, here);
		shim_kinds__free(inst->kinds, here);
		free(inst);
		inst = next;
	}
}

/* The one of a list that is on a thread, or on a CPU */
struct shim_instance *shim_instance__find(struct shim_instance *list, pid_t tid, bool cpu)
{
	for (struct shim_instance *inst = list; inst; inst = inst->next)
		if (inst->tid == tid && shim_instance__is_cpu(inst) == cpu)
			return inst;
	return NULL;
}

/* A thread's process, 0 if there is no such thread */
static pid_t process_of(pid_t tid)
{
	char path[64], line[64];
	pid_t tgid = 0;
	FILE *f;

	/* A thread of this process is found where /proc is not mounted, too. */
	if (tid > 0 && !syscall(SYS_tgkill, getpid(), tid, 0))
		return getpid();
	snprintf(path, sizeof(path), "/proc/%d/status", tid);
	f = fopen(path, "re");
	if (!f)
		return 0;
	while (!tgid && fgets(line, sizeof(line), f))
		sscanf(line, "Tgid: %d", &tgid);
	fclose(f);
	return tgid;
}

static struct shim_instance *make(const struct shim_binding *binding, pid_t tid)
{
	struct shim_instance *inst = calloc(1, sizeof(*inst) + 3 * binding->n * sizeof(inst->from[0]));

	if (!inst)
		return NULL;
	inst->reqs = binding->reqs;
	inst->n = binding->n;
	inst->slots = binding->slots;
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
		.inherit = shim_instance__is_inherited(inst),
		.threads_only = !(inst->flags & VCPC_BIND_F_TREE),
		.on_exec = inst->waiting,
		.own = inst->tgid == getpid(),
	};
}

/* A plan of reading the group's pages, if it has any: 0 or -ENOMEM */
static int add_plan(struct shim_instance *inst)
{
	size_t slots = (inst->group.n + 1) * sizeof(inst->plan->slots[0]);

	/* A thread that moves to another kind of core meanwhile would read a counter that is not there. */
	if (!inst->group.pages || inst->slots || inst->kinds)
		return 0;
	inst->plan = calloc(1, sizeof(*inst->plan) + slots);
	if (!inst->plan)
		return -ENOMEM;
	shim_page__init(inst->plan, inst->group.pages, inst->group.n, &shim_cpu__this);
	return 0;
}

/*
 * Open an instance's events, disabled: 0, or an error of shim_group__open().  Only a thread of this
 * process has the library's handler, which ends the slots of groups that the library multiplexes.  It
 * does not know on which kind of core the thread will be in a slot, so perf multiplexes there.
 */
static int open_events(struct shim_instance *inst, int *bad)
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

/* Append an instance to the binding's list; it does not count yet. */
static int add(struct shim_binding *binding, pid_t tid)
{
	struct shim_instance **list = &binding->list;
	struct shim_instance *inst = make(binding, tid);
	int ret = inst ? 0 : -ENOMEM;

	if (!ret && !shim_instance__is_cpu(inst) && !inst->tgid)
		ret = -ESRCH;
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

/* Calls @fn for each thread of a process; what it returns, if not 0, ends the walk. */
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

/* The threads that a process had at one time */
struct tids {
	pid_t *all;
	size_t n, room;
};

static int note(pid_t tid, void *arg)
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
	ret = add(binding, tid);
	/* The thread has ended meanwhile; the first one may, too, while its process goes on. */
	return ret == -ESRCH ? 0 : ret;
}

/*
 * List the process's threads, then bind each of them.  All existed before the first was bound, so
 * none has inherited from another.  -ESTALE if there is a thread now that is not in the list.
 */
static int add_noted(struct shim_binding *binding, struct tids *tids)
{
	int ret = each_thread(binding->root, note, tids);

	for (size_t i = 0; i < tids->n && !ret; i++)
		ret = add_thread(binding, tids->all[i]);
	if (!ret && !binding->list)
		ret = -ESRCH;
	return ret ? ret : each_thread(binding->root, is_noted, tids);
}

/*
 * Bind all threads of a process, none twice.  If a thread was started meanwhile, undo all
 * (-ESTALE): it is not known whether that thread has inherited from one that was already bound.
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
 * Try again while the process starts threads.  If a request is still refused after that (@bad), the
 * PMU has no room for it.
 */
static int bind_inherited(struct shim_binding *binding)
{
	int ret = -ESTALE;

	for (int tries = 0; tries < INHERIT_TRIES && ret == -ESTALE; tries++)
		ret = binding->flags & SHIM_BIND_F_PROCESS ? bind_process(binding) :
							     add(binding, binding->root);
	if (ret == -ESTALE)
		ret = *binding->bad < 0 ? -EAGAIN : -ENOSPC;
	return ret;
}

/* A CPU that has no file "online" cannot go offline. */
static bool is_online(int cpu)
{
	char path[64];
	char c = '1';
	int fd;

	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%d", cpu);
	if (access(path, F_OK))
		return false;
	strcat(path, "/online");
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return true;
	if (read(fd, &c, 1) != 1)
		c = '1';
	close(fd);
	return c != '0';
}

/**
 * shim_instance__bind() - make all instances of a bind
 * @binding: its list is filled in, with instances that do not count yet
 *
 * Return: 0, -EBUSY, -ENODEV (no such CPU, or offline), -EAGAIN (the process starts threads all the
 * time), or an error of shim_group__open().
 */
int shim_instance__bind(struct shim_binding *binding)
{
	bool cpu = binding->flags & SHIM_BIND_F_CPU;

	if (shim_instance__find(binding->taken, binding->root, cpu))
		return -EBUSY;
	if (cpu && !is_online(binding->root))
		return -ENODEV;
	return bind_inherited(binding);
}

/* Keep what a CPU's instance has counted, and close its events. */
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
	shim_group__close(&inst->group);
	inst->ran = 0;
	inst->offline = true;
}

/*
 * Open the events of a CPU's instance again, if the CPU is online: 0, also if it is not, or -EAGAIN
 * if they cannot be opened now.
 */
static int reopen(struct shim_instance *inst)
{
	int bad, ret = 0;

	if (!is_online(inst->tid))
		return 0;
	if (open_events(inst, &bad))
		ret = -EAGAIN;
	else
		inst->offline = false;
	if (!ret && inst->on)
		ret = shim_instance__start(inst);
	if (!ret || is_online(inst->tid))
		return ret;
	/* It failed because the CPU has gone offline again meanwhile. */
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
	/* The clock is on whenever one of the groups is. */
	if (inst->flexible && !on)
		err = shim_flexible__turn(inst->flexible, false);
	ret = shim_group__turn(&inst->group, on);
	if (inst->flexible && on)
		err = shim_flexible__turn(inst->flexible, true);
	return ret ? ret : err;
}

/* Read the counts of an instance whose CPU is online. */
static int read_events(const struct shim_instance *inst, struct shim_group_counts *counts)
{
	return inst->kinds ? shim_kinds__read(inst, counts) : shim_group__read(&inst->group, counts);
}

/**
 * shim_instance__start() - start an instance that is stopped
 * @inst: the instance
 *
 * Return: 0, -EAGAIN (there is no room on the PMU; known of the calling thread only), -EBADF.
 */
int shim_instance__start(struct shim_instance *inst)
{
	struct shim_group_counts counts;
	int ret;

	/* Its CPU may have been offline since it was stopped, which nobody has noticed: begin anew. */
	if (inst->ran && shim_instance__is_cpu(inst))
		save(inst);
	if (inst->offline) {
		inst->on = true;
		return reopen(inst);
	}
	ret = turn_events(inst, true);
	if (ret)
		return ret;
	inst->since = shim_clock__ns();
	inst->on = true;
	inst->waiting = false;
	/* The caller is running: its group is on the PMU by now, or in error for lack of room. */
	return inst->tid == gettid() ? read_events(inst, &counts) : 0;
}

/*
 * A CPU's events end when it goes offline, which perf does not report: the group is taken apart,
 * and its time enabled falls behind the wall time.
 */
static bool has_been_offline(const struct shim_instance *inst, __u64 before, __u64 enabled)
{
	__u64 wall = before > inst->since ? before - inst->since : 0;

	return shim_group__is_taken_apart(&inst->group) ||
	       (inst->on && enabled - inst->ran + OFFLINE_NS + wall / 1000 < wall);
}

/* Read a CPU's counts.  While the CPU is offline they are 0, as all that was counted is kept. */
static int read_cpu(struct shim_instance *inst, struct shim_group_counts *counts)
{
	int ret = inst->offline ? reopen(inst) : 0;
	__u64 before = shim_clock__ns();

	*counts = (struct shim_group_counts) { 0 };
	if (ret || inst->offline)
		return ret;
	ret = read_events(inst, counts);
	if (has_been_offline(inst, before, ret ? inst->ran : counts->enabled) ||
	    (ret && !is_online(inst->tid))) {
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
 * shim_instance__read() - read the counts, and note whether an awaited execve has happened
 * @inst: the instance
 * @counts: filled in
 *
 * Return: as shim_group__read().
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
 * @inst: counts, or waits for its target's execve
 *
 * Return: as shim_group__read().
 */
int shim_instance__stop(struct shim_instance *inst)
{
	struct shim_group_counts counts;
	int ret = inst->offline ? 0 : turn_events(inst, false);

	inst->stopped = shim_clock__ns();
	inst->on = inst->waiting = false;
	if (!ret && !inst->offline)
		ret = read_events(inst, &counts);
	if (!ret && !inst->offline)
		inst->ran = counts.enabled;
	return ret;
}

/**
 * shim_instance__halt() - stop an instance that leaves its set's list
 * @inst: is not sampled any more, also by its thread without the lock
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
 * @on: start
 * @all: it is one of many, so that it is no error if it counts or is stopped already
 *
 * Return: 0, -EINVAL, -EAGAIN, -EBADF.
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
 * shim_instance__restart() - count from the presets on
 * @inst: the instance
 *
 * Return: 0, -EINVAL (it waits for execve, has ended, or its groups are multiplexed), -EAGAIN,
 * -EBADF.
 */
int shim_instance__restart(struct shim_instance *inst)
{
	struct shim_group_counts counts;
	int ret = shim_instance__read(inst, &counts);

	if (ret)
		return ret;
	if (inst->waiting || inst->slots || shim_group__has_ended(&inst->group))
		return -EINVAL;
	/* How far it is to an overflow changes, too, which only a stopped set can be told. */
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
 * shim_instance__has_ended() - whether the target of an instance has ended
 * @inst: the instance
 *
 * An inherited instance ends with its process.  Of a tree of processes the end is not known: this
 * is false then.
 */
bool shim_instance__has_ended(const struct shim_instance *inst)
{
	if (shim_instance__is_cpu(inst) || inst->flags & VCPC_BIND_F_TREE)
		return false;
	if (shim_instance__is_inherited(inst))
		return kill(inst->tgid, 0) && errno == ESRCH;
	return shim_group__has_ended(&inst->group);
}
