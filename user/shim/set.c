// SPDX-License-Identifier: LGPL-2.1-or-later
/* Sets of counters for named events, on any target. */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/perf_event.h>
#include <linux/vcpc.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/api.h"
#include "core/counted.h"
#include "core/counters.h"
#include "core/event.h"
#include "core/traced.h"
#include "core/clock.h"
#include "handle.h"
#include "set.h"

#define ANY_MODE	(VCPC_REQ_F_USER | VCPC_REQ_F_KERNEL)

_Static_assert(SHIM_STATE_COUNTING == VCPC_STATE_COUNTING, "states must equal the module's");
_Static_assert(SHIM_STATE_OFFLINE == SHIM_STATE_F_OFFLINE, "states must equal core's");
_Static_assert(SHIM_STATE_EXITED == VCPC_STATE_EXITED, "states must equal the module's");
_Static_assert(SHIM_BIND_ON_EXEC == VCPC_BIND_F_ENABLE_ON_EXEC, "flags must equal the module's");
_Static_assert(SHIM_BIND_THREADS == VCPC_BIND_F_INHERIT, "flags must equal the module's");
_Static_assert(SHIM_BIND_TREE == VCPC_BIND_F_TREE, "flags must equal the module's");
_Static_assert(SHIM_BIND_PROCESS == SHIM_BIND_F_PROCESS, "flags must equal core's");
_Static_assert(SHIM_BIND_CPU == SHIM_BIND_F_CPU, "flags must equal core's");
_Static_assert(SHIM_BIND_TRACE == VCPC_BIND_F_TRACE, "flags must equal the module's");

/* Convert names to requests, without mode flags if the name has none, and copy the names. */
static int events_parse(struct shim_set *set, const char *const *events, unsigned int n,
			struct vcpc_request *reqs, unsigned int *bad)
{
	for (unsigned int i = 0; i < n; i++) {
		int ret = events[i] ? shim_event__parse(events[i], &reqs[i]) : -EINVAL;

		*bad = i;
		if (ret)
			return ret;
		set->names[i] = strdup(events[i]);
		if (!set->names[i])
			return -ENOMEM;
		set->n = i + 1;
	}
	return 0;
}

/*
 * If no mode was requested, count only user mode, and append ":u" to the name.  This excludes
 * tracepoints: most are hit only in the kernel, so their count would be 0.
 */
static int user_mode_only(struct shim_set *set, const struct vcpc_request *asked,
			  struct vcpc_request *reqs)
{
	for (unsigned int i = 0; i < set->n; i++) {
		char *name;

		if (asked[i].flags)
			continue;
		if (asked[i].type == PERF_TYPE_TRACEPOINT)
			return -EACCES;
		if (asprintf(&name, "%s:u", set->names[i]) < 0)
			return -ENOMEM;
		free(set->names[i]);
		set->names[i] = name;
		reqs[i].flags = VCPC_REQ_F_USER;
	}
	return 0;
}

static int create(struct shim_session *session, struct shim_set *set,
		  const struct vcpc_request *asked, struct vcpc_request *reqs, unsigned int *bad)
{
	int which;
	int ret;

	memcpy(reqs, asked, set->n * sizeof(*asked));
	for (unsigned int i = 0; i < set->n; i++)
		if (!reqs[i].flags)
			reqs[i].flags = ANY_MODE;
	ret = shim_counters__create(session, reqs, set->n, 0, &which, &set->counters);
	if (ret == -EACCES) {
		ret = user_mode_only(set, asked, reqs);
		if (!ret)
			ret = shim_counters__create(session, reqs, set->n, 0, &which,
						    &set->counters);
	}
	*bad = which >= 0 ? (unsigned int)which : set->n;
	return ret;
}

/* Like shim_set_create(), but also returns the requests in @reqs[SHIM_SET_MAX] */
int shim_set__create(struct shim_handle *handle, const char *const *events, unsigned int n,
		     struct vcpc_request *reqs, unsigned int *bad, struct shim_set **out)
{
	struct vcpc_request *asked = NULL;
	struct shim_set *set;
	unsigned int which = n;
	int ret = -EINVAL;

	if (!handle || !events || !out || n < 1 || n > SHIM_SET_MAX)
		goto err;
	ret = -ENOMEM;
	asked = calloc(n, sizeof(*asked));	/* too large for a stack of the minimum size */
	set = asked ? calloc(1, sizeof(*set)) : NULL;
	if (!set)
		goto err;
	ret = events_parse(set, events, n, asked, &which);
	if (!ret)
		ret = create(shim_handle__session(handle), set, asked, reqs, &which);
	if (ret) {
		shim_set_destroy(set);
		goto err;
	}
	free(asked);
	*out = set;
	return 0;
err:
	free(asked);
	if (bad)
		*bad = which;
	return ret;
}

/**
 * shim_set_create() - create a set of events
 * @handle: the back end; may be closed while the set exists
 * @events: const char *[@n], names as for shim_events_walk()
 * @n: 1 .. SHIM_SET_MAX, or less if the module allows less
 * @bad: on failure, the index of the rejected event, or @n; may be NULL
 * @out: set on success; to be freed with shim_set_destroy()
 *
 * Events without a mode are counted in user and kernel mode.  If the caller is not permitted to
 * count in kernel mode, they are counted only in user mode, and shim_set_event() appends ":u" to
 * the name.  Tracepoints (GROUP:NAME) then fail with -EACCES.
 *
 * Return: 0, -EINVAL (no events or too many; bad mode, unit mask or attribute), -ENOENT or
 * -EOPNOTSUPP (this machine does not have the event), -ELIBACC (perf has no such event, and libpfm
 * is not installed), -EACCES (a mode that requires CAP_PERFMON), -EUSERS (the user has too many
 * sets), -EMFILE, -ENOMEM.
 */
SHIM_API int shim_set_create(struct shim_handle *handle, const char *const *events, unsigned int n,
			     unsigned int *bad, struct shim_set **out)
{
	struct vcpc_request *reqs = calloc(SHIM_SET_MAX, sizeof(*reqs));
	int ret = reqs ? shim_set__create(handle, events, n, reqs, bad, out) : -ENOMEM;

	if (!reqs && bad)
		*bad = n;
	free(reqs);
	return ret;
}

/**
 * shim_set_destroy() - unbind a set from all targets and free it
 * @set: may be NULL
 */
SHIM_API void shim_set_destroy(struct shim_set *set)
{
	if (!set)
		return;
	for (unsigned int i = 0; i < set->n; i++)
		free(set->names[i]);
	shim_traced__unset(set->counters);
	shim_counted__forget();
	shim_counters__put(set->counters);
	shim_counters__put(set->always);
	free(set);
}

/**
 * shim_set_size() - get the number of events in a set
 * @set: the set
 */
SHIM_API unsigned int shim_set_size(const struct shim_set *set)
{
	return set ? set->n : 0;
}

/**
 * shim_set_event() - get the name of an event in a set
 * @set: owns the string
 * @i: index of the event
 *
 * Return: the name, with the modes that were chosen; NULL if @i is too large.
 */
SHIM_API const char *shim_set_event(const struct shim_set *set, unsigned int i)
{
	return set && i < set->n ? set->names[i] : NULL;
}

/**
 * shim_set_backend() - get the back end that counts a set
 * @set: the set
 *
 * If the module is loaded, it counts threads that bind a set to themselves, and threads that
 * inherit from them.  perf counts all other targets and sets with multiplexed events.  perf also
 * counts hardware events that a thread binds to itself without flags, if the kernel permits threads
 * to read their counters, because a sample then needs no system call.
 *
 * Return: "vcpc" for the module, "perf" for perf_event_open(2); "perf" if both count the set.
 */
SHIM_API const char *shim_set_backend(const struct shim_set *set)
{
	return set ? shim_counters__backend(set->counters) : NULL;
}

/* Bind a set for transactions of the calling thread.  The thread reads the set itself. */
static int bind_directly(struct shim_set *set)
{
	int bad, ret = shim_counters__bind(set->counters, 0, 0, &bad);

	if (ret)
		return ret;
	ret = shim_traced__set(set->counters);
	if (ret)
		shim_counters__unbind(set->counters, 0);
	return ret;
}

/**
 * shim_set_bind() - bind a set to a thread
 * @set: the set, which may be bound to several threads
 * @tid: the thread, or 0 for the caller; with SHIM_BIND_CPU the CPU
 * @flags: SHIM_BIND_*; SHIM_BIND_CPU must be the only flag, and shim_set_total() with a @tid of 0
 *	then returns the sum over the CPUs
 *
 * With only SHIM_BIND_TRACE, and SHIM_TRACE=direct, the calling thread reads the set itself when it
 * begins or ends a transaction, which does not require the module.  The thread no longer reads its
 * previous set.
 *
 * A child process may bind itself after fork() with SHIM_BIND_ON_EXEC | SHIM_BIND_TREE: the module
 * counts it, and the parent, which also has the set, samples the total.  If perf must count the
 * set, the child's call returns -EOPNOTSUPP, and the parent must bind the set to the child.
 *
 * Return: 0, -ESRCH (the thread does not exist), -EACCES (no permission to count it), -EBUSY
 * (already bound there), -ENODEV (the CPU does not exist or is offline), -EAGAIN (the CPU's
 * hardware counters are in use by another set on CPUs), -ENOSPC (the CPU cannot count all events
 * simultaneously), -EINVAL (invalid flags; SHIM_BIND_TRACE for a set with multiplexed events; no
 * SHIM_BIND_CPU for a set with a control group), -EOPNOTSUPP (see Documentation/api/backends.rst),
 * -ENOMEM.
 */
SHIM_API int shim_set_bind(struct shim_set *set, pid_t tid, unsigned int flags)
{
	int bad, ret;

	if (!set || (set->groups > 1 && flags & SHIM_BIND_TRACE) ||
	    (set->in_cgroup && !(flags & SHIM_BIND_CPU)))
		return -EINVAL;
	if (flags == SHIM_BIND_TRACE && !set->always && (!tid || tid == gettid()) &&
	    shim_traced__is_direct())
		return bind_directly(set);
	ret = shim_counters__bind(set->counters, tid, flags, &bad);
	if (!ret && flags & SHIM_BIND_TRACE)
		shim_counted__bound();
	if (ret || !set->always)
		return ret;
	ret = shim_counters__bind(set->always, tid, flags, &bad);
	if (ret)
		shim_counters__unbind_at(set->counters, tid,
					 flags & SHIM_BIND_CPU ? SHIM_TARGET_F_CPU : 0);
	return ret;
}

/**
 * shim_set_unbind() - unbind a set from a thread
 * @set: the set
 * @tid: the thread; 0 for the caller if the set is bound to it, otherwise for the only thread
 *
 * Return: 0, or -EINVAL if the set is not bound there.
 */
SHIM_API int shim_set_unbind(struct shim_set *set, pid_t tid)
{
	int ret, always;

	if (!set)
		return -EINVAL;
	ret = shim_counters__unbind(set->counters, tid);
	always = set->always ? shim_counters__unbind(set->always, tid) : 0;
	if (!ret && (!tid || tid == gettid())) {
		shim_traced__unset(set->counters);
		shim_counted__forget();
	}
	return ret ? ret : always;
}

typedef int turn_fn(struct shim_counters *counters, pid_t tid);

/* Enable or disable both parts of a set.  If the second part fails, undo the first. */
static int turn(struct shim_set *set, pid_t tid, turn_fn *how, turn_fn *undo)
{
	int ret = set ? how(set->counters, tid) : -EINVAL;

	if (ret || !set->always)
		return ret;
	ret = how(set->always, tid);
	if (ret)
		undo(set->counters, tid);
	return ret;
}

/**
 * shim_set_enable() - continue counting
 * @set: the set
 * @tid: as for shim_set_unbind()
 *
 * Return: 0, -EINVAL (not bound there, or already counting), -EAGAIN (see shim_set_sample()).
 */
SHIM_API int shim_set_enable(struct shim_set *set, pid_t tid)
{
	return turn(set, tid, shim_counters__enable, shim_counters__disable);
}

/**
 * shim_set_disable() - stop counting and keep the values
 * @set: the set
 * @tid: as for shim_set_unbind()
 *
 * Return: 0, -EINVAL (not bound there, or already stopped), -EAGAIN (see shim_set_sample()).
 */
SHIM_API int shim_set_disable(struct shim_set *set, pid_t tid)
{
	return turn(set, tid, shim_counters__disable, shim_counters__enable);
}

#define VALUES_AT	offsetof(struct shim_sample, values)
#define ROOM		(sizeof(struct shim_sample) - VALUES_AT + sizeof(struct vcpc_sample))

_Static_assert(VALUES_AT >= sizeof(struct vcpc_sample), "the back end's sample must begin within ours");
_Static_assert((VALUES_AT - sizeof(struct vcpc_sample)) % 8 == 0, "the back end's sample must be aligned");

/*
 * Return the address where the back end must write its sample of ROOM bytes so that the values are
 * already in place.  They are not copied, because a memcpy() with SVE instructions would trap: each
 * system call discards the SVE state.
 */
static struct vcpc_sample *behind(struct shim_sample *sample)
{
	return (void *)((char *)sample + VALUES_AT - sizeof(struct vcpc_sample));
}

/* Convert the head of the back end's sample, which overlaps the public one. */
static void finish(struct shim_sample *sample)
{
	struct vcpc_sample head;

	memcpy(&head, behind(sample), sizeof(head));
	sample->time = head.time;
	sample->tick = head.tick;
	/*
	 * A sample exists only if the set was on the PMU whenever it was enabled, so all times are
	 * equal.
	 */
	sample->enabled = head.tick;
	sample->running = head.tick;
	sample->nr = head.nr;
	sample->state = head.state;
}

static __attribute__((noinline)) int ask(struct shim_counters *counters, pid_t tid,
					 struct shim_sample *sample)
{
	int ret = shim_counters__sample(counters, tid, behind(sample), ROOM);

	if (!ret)
		finish(sample);
	return ret;
}

/*
 * Read the calling thread's values.  A signal handler may destroy the set during the sample, so do
 * not access the set afterwards.
 */
static __attribute__((noinline)) int read_own(struct shim_counters *counters, pid_t tid,
					      struct shim_sample *sample, unsigned int n)
{
	/* __u64 and uint64_t are different types of the same size. */
	if (!shim_counters__read_own(counters, tid, (void *)sample->values, SHIM_SET_MAX,
				     (void *)&sample->tick))
		return ask(counters, tid, sample);
	sample->time = shim_clock__ns();
	sample->enabled = sample->tick;
	sample->running = sample->tick;
	sample->nr = n;
	sample->state = SHIM_STATE_COUNTING;
	return 0;
}

/**
 * shim_set_sample() - sample all values of a set at one instant
 * @set: the set
 * @tid: as for shim_set_unbind(); the thread may have exited
 * @sample: the values; unspecified on failure
 *
 * Context: any thread, or a signal handler.
 * Return: 0, -EINVAL (not bound there, or events are multiplexed), -EAGAIN (the target ran while
 * the set was off the PMU, so the values would be wrong; bind the set again).
 */
SHIM_API int shim_set_sample(struct shim_set *set, pid_t tid, struct shim_sample *sample)
{
	struct shim_counters *counters;

	if (!set || !sample || set->groups > 1)
		return -EINVAL;
	counters = set->counters;
	if (!__atomic_load_n(&counters->own, __ATOMIC_RELAXED))
		return ask(counters, tid, sample);
	return read_own(counters, tid, sample, set->n);
}

/**
 * shim_set_total() - add up all threads that are or were counted
 * @set: the set
 * @tid: the thread that was passed to shim_set_bind(), or any thread that inherited from it; 0
 *	for all threads to which the set has ever been bound
 * @sample: the sums; SHIM_STATE_EXITED if all threads have exited
 *
 * Threads are read one after the other while they run.
 *
 * Context: any thread, or a signal handler.
 * Return: 0, -EINVAL (not bound there, or events are multiplexed), -EAGAIN (a thread could not be
 * counted, or the set was off the PMU while it ran, so the sum would be too small).
 */
SHIM_API int shim_set_total(struct shim_set *set, pid_t tid, struct shim_sample *sample)
{
	int ret = !set || !sample || set->groups > 1 ? -EINVAL :
		  shim_counters__total(set->counters, tid, behind(sample), ROOM);

	if (!ret)
		finish(sample);
	return ret;
}

typedef int walk_fn(void *arg, pid_t tid, const struct shim_sample *sample);

static int walk_list(struct shim_set *set, const struct vcpc_instance_info *list, unsigned int nr,
		     walk_fn *fn, void *arg)
{
	struct shim_sample sample;
	int ret;

	for (unsigned int i = 0; i < nr; i++) {
		if (!list[i].tid)
			continue;
		ret = shim_set_sample(set, list[i].tid, &sample);
		/*
		 * The set has been unbound from this thread since the list was read, or the thread
		 * is included only in the total.
		 */
		if (ret == -EINVAL)
			continue;
		ret = ret ? ret : fn(arg, list[i].tid, &sample);
		if (ret)
			return ret;
	}
	return 0;
}

/**
 * shim_set_walk() - sample each thread
 * @set: the set
 * @fn: called with the thread and its sample; a value other than 0 ends the walk
 * @arg: argument of @fn
 *
 * The last sample of a thread that has ended remains available.  If many threads have ended, the
 * oldest are included only in the total.
 *
 * Return: 0 or the value of @fn; -ENOMEM; -EINVAL (events are multiplexed); -EAGAIN (see
 * shim_set_sample()).
 */
SHIM_API int shim_set_walk(struct shim_set *set, walk_fn *fn, void *arg)
{
	struct vcpc_instances_args args;
	struct vcpc_instance_info *list;
	int ret = !set || !fn || set->groups > 1 ? -EINVAL :
		  shim_counters__list(set->counters, SHIM_LIST_F_STATELESS, &list, &args);

	if (ret)
		return ret;
	ret = walk_list(set, list, args.nr, fn, arg);
	free(list);
	return ret;
}
