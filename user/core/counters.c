// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Create sets of counters, bind them to targets, and sample them.
 *
 * Threads: all functions may be called from any thread.  References are counted without a lock, so
 * a signal handler may drop one.  Do not shut a set while another thread is in a call on it,
 * because that call could then use a descriptor number that has been reused.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/process.h"
#include "bpf/trace.h"
#include "backend_both.h"
#include "counters.h"
#include "perf_set.h"
#include "clock.h"

/**
 * shim_counters__create() - create a set
 * @session: the session; may be closed while the set exists
 * @reqs: struct vcpc_request[@n]
 * @n: 1..max_requests of the back end
 * @flags: VCPC_SET_F_*
 * @bad: on failure, the index of the rejected request, or -1
 * @out: the set, with one reference for shim_counters__put()
 *
 * Return: 0 or a negative error from VCPC_IOC_SET_CREATE.
 */
int shim_counters__create(struct shim_session *session, const struct vcpc_request *reqs,
			  unsigned int n, unsigned int flags, int *bad,
			  struct shim_counters **out)
{
	return shim_counters__create_on(session, reqs, n, flags, (struct shim_terms) { 0 }, bad,
					out);
}

static struct vc_events events_of(const struct vcpc_request *reqs, unsigned int n)
{
	struct vc_events events = { .nr = n < VC_MAX_COUNTERS ? n : VC_MAX_COUNTERS };

	for (unsigned int i = 0; i < events.nr; i++)
		events.event[i] = (struct vc_event_desc) {
			.type = reqs[i].type,
			.flags = reqs[i].flags,
			.config = reqs[i].config,
		};
	return events;
}

/**
 * shim_counters__create_on() - create a set with additional parameters
 * @session: as for shim_counters__create()
 * @reqs: as for shim_counters__create()
 * @n: as for shim_counters__create()
 * @flags: as for shim_counters__create()
 * @terms: multiplexed groups, overflow signal
 * @bad: as for shim_counters__create()
 * @out: as for shim_counters__create()
 *
 * Return: 0 or a negative error from VCPC_IOC_SET_CREATE.
 */
int shim_counters__create_on(struct shim_session *session, const struct vcpc_request *reqs,
			     unsigned int n, unsigned int flags, struct shim_terms terms,
			     int *bad, struct shim_counters **out)
{
	struct {
		struct shim_counters counters;
		struct vc_events events;
	} *both = calloc(1, sizeof(*both));
	struct shim_counters *counters;
	int ret;

	*bad = -1;
	if (!both)
		return -ENOMEM;
	counters = &both->counters;
	counters->ops = shim_session__ops(session);
	counters->nr = n;
	counters->made_in = shim_fork__generation();
	both->events = events_of(reqs, n);
	counters->events = &both->events;
	atomic_init(&counters->refs, 1);
	atomic_init(&counters->holds, 1);
	ret = counters->ops->create(shim_session__dev(session), reqs, n, flags, terms, bad,
				    &counters->ref);
	if (ret) {
		free(both);
		return ret;
	}
	if (counters->ops->own)
		counters->own = counters->ops->own(counters->ref);
	*out = counters;
	return 0;
}

struct shim_counters *shim_counters__get(struct shim_counters *counters)
{
	atomic_fetch_add(&counters->refs, 1);
	return counters;
}

/**
 * shim_counters__put() - drop a reference; dropping the last one ends the set
 * @counters: may be NULL
 */
void shim_counters__put(struct shim_counters *counters)
{
	if (!counters || atomic_fetch_sub(&counters->refs, 1) != 1)
		return;
	shim_counters__shut(counters);
	shim_counters__unhold(counters);
}

/**
 * shim_counters__hold() - keep a set's memory even after the set has ended
 * @counters: the set; calls on it return -EBADF after it has ended
 *
 * Return: @counters, to be passed to shim_counters__unhold().
 */
struct shim_counters *shim_counters__hold(struct shim_counters *counters)
{
	atomic_fetch_add(&counters->holds, 1);
	return counters;
}

void shim_counters__unhold(struct shim_counters *counters)
{
	if (!counters || atomic_fetch_sub(&counters->holds, 1) != 1)
		return;
	if (counters->ops->release)
		counters->ops->release(counters->ref);
	/* A handler may have interrupted a sample that uses the memory, so it is leaked. */
	if (!shim_perf__is_reading())
		free(counters);
}

/**
 * shim_counters__shut() - end the set on all its targets, even if there are other references
 * @counters: every later call on it returns -EBADF
 */
void shim_counters__shut(struct shim_counters *counters)
{
	__atomic_store_n(&counters->own, NULL, __ATOMIC_RELAXED);
	if (!atomic_exchange(&counters->shut, true))
		counters->ops->destroy(counters->ref);
}

/**
 * shim_counters__is_own() - check whether this process created the set
 * @counters: the set
 *
 * Return: false in a child that was forked later.  An operation in the child would act on the
 * parent's set, so the child may only drop its reference.
 */
bool shim_counters__is_own(const struct shim_counters *counters)
{
	return counters->made_in == shim_fork__generation();
}

/**
 * shim_counters__backend() - get the name of the back end that counts the set
 * @counters: the set
 */
const char *shim_counters__backend(const struct shim_counters *counters)
{
	if (counters->ops == &shim_backend__both)
		return shim_both__counts(counters->ref)->name;
	return counters->ops->name;
}

unsigned int shim_counters__nr(const struct shim_counters *counters)
{
	return counters->nr;
}

/**
 * shim_counters__limit() - count only the processes of a control group, on CPUs
 * @counters: the set, not bound yet
 * @cgroup: the group's directory
 *
 * Return: 0, -EBUSY (the set is bound or already limited to a group), -EOPNOTSUPP, -EBADF, or
 * -ENOMEM.
 */
int shim_counters__limit(struct shim_counters *counters, const char *cgroup)
{
	if (atomic_load(&counters->shut))
		return -EBADF;
	return counters->ops->limit ? counters->ops->limit(counters->ref, cgroup) : -EOPNOTSUPP;
}

/**
 * shim_counters__bind() - bind the set to a target
 * @counters: the set
 * @tid: a thread, or 0 for the caller
 * @flags: VCPC_BIND_F_* and SHIM_BIND_F_*
 * @bad: as for shim_counters__create()
 *
 * Return: 0, -EBADF if the set was shut, or a negative error from VCPC_IOC_BIND.
 */
int shim_counters__bind(struct shim_counters *counters, pid_t tid, unsigned int flags, int *bad)
{
	*bad = -1;
	if (atomic_load(&counters->shut))
		return -EBADF;
	return counters->ops->bind(counters->ref, tid, flags, bad);
}

/*
 * Check a target in a forked child.  There, a set of the parent has only the instances that the
 * child itself has bound.  Without this check, both the module and perf would accept the
 * descriptor, and the module would return the parent's values.
 */
static __attribute__((noinline, cold)) int aim_in_child(pid_t *tid, unsigned int flags)
{
	if (flags & SHIM_TARGET_F_CPU)
		return -EINVAL;
	if (!*tid)
		*tid = (pid_t)syscall(SYS_gettid);
	return syscall(SYS_tgkill, getpid(), *tid, 0) ? -EINVAL : 0;
}

/*
 * Check a target before an operation.  Return 0, -EBADF if the set was shut, or -EINVAL if it
 * belongs to the parent.
 */
static inline int aim(const struct shim_counters *counters, pid_t *tid, unsigned int flags)
{
	if (atomic_load(&counters->shut))
		return -EBADF;
	return shim_counters__is_own(counters) ? 0 : aim_in_child(tid, flags);
}

/* Translate a result: in a child, perf returns -EBADF for all sets of the parent. */
static inline int result(const struct shim_counters *counters, int ret)
{
	return ret == -EBADF && !shim_counters__is_own(counters) ? -EINVAL : ret;
}

static __attribute__((noinline)) int sample_own(const struct shim_counters *counters, pid_t tid,
						struct vcpc_sample *buf, size_t size)
{
	unsigned int nr = counters->nr;

	if (size < sizeof(*buf) ||
	    !shim_counters__read_own(counters, tid, buf->values,
				     (size - sizeof(*buf)) / sizeof(buf->values[0]), &buf->tick))
		/* A signal handler may have ended the set during the read. */
		return atomic_load(&counters->shut) ? -EBADF :
		       counters->ops->sample(counters->ref, tid, 0, buf, size);
	buf->size = sizeof(*buf);
	buf->nr = nr;
	buf->state = VCPC_STATE_COUNTING;
	buf->time = shim_clock__ns();
	return 0;
}

/**
 * shim_counters__sample() - sample all values of the set at one instant
 * @counters: the set
 * @tid: the target; 0: the caller if it is a target, otherwise the only target
 * @buf: unspecified on failure
 * @size: size of @buf in bytes, enough for all values
 *
 * Context: any thread, or a signal handler.
 * Return: 0, -EINVAL if the set is not bound to the target (or, in a forked child, was bound by its
 * parent), -EAGAIN if the set is invalid, or -EBADF.
 */
int shim_counters__sample(struct shim_counters *counters, pid_t tid, struct vcpc_sample *buf,
			  size_t size)
{
	int ret = aim(counters, &tid, 0);

	if (ret)
		return ret;
	if (__atomic_load_n(&counters->own, __ATOMIC_RELAXED))
		return result(counters, sample_own(counters, tid, buf, size));
	return result(counters, counters->ops->sample(counters->ref, tid, 0, buf, size));
}

/**
 * shim_counters__total() - add up all threads, including those that have ended
 * @counters: the set
 * @tid: one of the initial threads of a bind; 0: all binds
 * @buf: as for shim_counters__sample_at()
 * @size: size of @buf in bytes, enough for all values
 *
 * Return: as for shim_counters__sample(), or -EAGAIN if a thread could not be counted.
 */
int shim_counters__total(struct shim_counters *counters, pid_t tid, struct vcpc_sample *buf,
			 size_t size)
{
	int ret = aim(counters, &tid, 0);

	if (!ret)
		ret = counters->ops->sample(counters->ref, tid, VCPC_SAMPLE_F_TOTAL, buf, size);
	return result(counters, ret);
}

/*
 * Mark counts as not comparable with earlier ones.  Called before and after a change, so that a
 * transaction that begins during the change is not counted either.
 */
static void note_change(struct shim_counters *counters)
{
	atomic_fetch_add(&counters->changes, 1);
}

int shim_counters__unbind(struct shim_counters *counters, pid_t tid)
{
	return shim_counters__unbind_at(counters, tid, 0);
}

int shim_counters__enable(struct shim_counters *counters, pid_t tid)
{
	return shim_counters__enable_at(counters, tid, 0);
}

int shim_counters__disable(struct shim_counters *counters, pid_t tid)
{
	return shim_counters__disable_at(counters, tid, 0);
}

/**
 * shim_counters__restart() - set all counts to their presets and start counting
 * @counters: the set
 * @tid: the target, or 0: the caller if it is one, otherwise the only target
 *
 * Context: any thread, or a signal handler.
 * Return: 0, -EINVAL if the set is not bound to the target, -EAGAIN if the set is invalid, -EBADF,
 * or -EOPNOTSUPP.
 */
int shim_counters__restart(struct shim_counters *counters, pid_t tid)
{
	int ret = aim(counters, &tid, 0);

	if (ret)
		return ret;
	if (!counters->ops->restart)
		return -EOPNOTSUPP;
	note_change(counters);
	ret = counters->ops->restart(counters->ref, tid, 0);
	note_change(counters);
	return result(counters, ret);
}

/**
 * shim_counters__preset() - set the value from which a request starts at the next restart
 * @counters: the set
 * @tid: as for shim_counters__restart()
 * @request: the request's index
 * @value: the preset on this target
 *
 * Context: any thread, or a signal handler.
 * Return: 0, -EINVAL if the set is not bound to the target or if the request does not exist,
 *	-ENOMEM, -EBADF, or -EOPNOTSUPP.
 */
int shim_counters__preset(struct shim_counters *counters, pid_t tid, unsigned int request,
			  __u64 value)
{
	int ret = aim(counters, &tid, 0);

	if (ret)
		return ret;
	if (!counters->ops->preset)
		return -EOPNOTSUPP;
	return result(counters, counters->ops->preset(counters->ref, tid, request, value));
}

/**
 * shim_counters__sample_at() - sample one thread, one CPU or a total
 * @counters: the set
 * @tid: thread or CPU, depending on @flags
 * @flags: VCPC_SAMPLE_F_TOTAL, SHIM_TARGET_F_CPU
 * @buf: the values, followed by the groups' samples; on failure unspecified if there are groups,
 *	otherwise unchanged
 * @size: bytes at @buf
 *
 * Return: 0 or a negative error from VCPC_IOC_SAMPLE, or -EBADF.
 */
int shim_counters__sample_at(struct shim_counters *counters, pid_t tid, unsigned int flags,
			     struct vcpc_sample *buf, size_t size)
{
	int ret;

	if (!flags)
		return shim_counters__sample(counters, tid, buf, size);
	ret = aim(counters, &tid, flags);
	if (!ret)
		ret = counters->ops->sample(counters->ref, tid, flags, buf, size);
	return result(counters, ret);
}

int shim_counters__unbind_at(struct shim_counters *counters, pid_t tid, unsigned int flags)
{
	int ret = aim(counters, &tid, flags);

	if (ret)
		return ret;
	note_change(counters);
	ret = counters->ops->unbind(counters->ref, tid, flags);
	note_change(counters);
	return result(counters, ret);
}

int shim_counters__enable_at(struct shim_counters *counters, pid_t tid, unsigned int flags)
{
	int ret = aim(counters, &tid, flags);

	if (ret)
		return ret;
	note_change(counters);
	ret = counters->ops->enable(counters->ref, tid, flags);
	note_change(counters);
	return result(counters, ret);
}

int shim_counters__disable_at(struct shim_counters *counters, pid_t tid, unsigned int flags)
{
	int ret = aim(counters, &tid, flags);

	if (ret)
		return ret;
	note_change(counters);
	ret = counters->ops->disable(counters->ref, tid, flags);
	note_change(counters);
	return result(counters, ret);
}

/**
 * shim_counters__list() - list the set's instances
 * @counters: the set
 * @flags: SHIM_LIST_F_*
 * @list: on success, the list, which the caller must free
 * @args: nr, folded, pending and lost are filled in
 *
 * Return: 0, -ENOMEM, -EBADF, -EINVAL in a forked child, or a negative error from
 *	VCPC_IOC_INSTANCES.
 */
int shim_counters__list(struct shim_counters *counters, unsigned int flags,
			struct vcpc_instance_info **list, struct vcpc_instances_args *args)
{
	struct vcpc_instance_info *info = NULL;
	unsigned int room = 16;
	int ret;

	if (atomic_load(&counters->shut))
		return -EBADF;
	if (!shim_counters__is_own(counters))
		return -EINVAL;
	for (;;) {
		/* Use calloc(), because memory checkers do not know which bytes the call writes. */
		free(info);
		info = calloc(room, sizeof(*info));
		if (!info)
			return -ENOMEM;
		*args = (struct vcpc_instances_args) {
			.size = sizeof(*args), .flags = flags, .info = (uintptr_t)info,
			.info_size = sizeof(*info), .room = room,
		};
		ret = counters->ops->list(counters->ref, args);
		if (ret || args->nr <= room)
			break;
		room = args->nr + 16;
	}
	if (ret)
		free(info);
	else
		*list = info;
	return ret;
}
