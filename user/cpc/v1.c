// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Implement the obsolete calls of libcpc's version 1 that count two events on the calling thread.
 *
 * They have no handle and no set as arguments, so this file keeps both: one handle for the process,
 * opened at first use, and a set for each pair of events that has ever been bound.  Threads share
 * sets, as version 2 permits; the start values of a thread's counters are preset after the bind.  A
 * handler that binds the same events again therefore does not allocate memory.  If the number of
 * sets grows large, the unbound sets are destroyed.
 *
 * Locking: one lock guards the handle and the list.  All signals are blocked while it is held, so
 * that a signal handler may bind, and fork() waits for it.
 */
#include <errno.h>
#include <stdlib.h>

#include "base/api.h"
#include "impl.h"
#include "inheritable.h"
#include "v1.h"

#define MANY_SETS	16

/**
 * struct v1_set - a pair of events that has been bound
 * @next: next set in the list
 * @set: the set of version 2
 * @event: the events, without their values
 * @flags: flags of the binding
 */
struct v1_set {
	struct v1_set *next;
	cpc_set_t *set;
	cpc_event_t event;
	uint_t flags;
};

static struct {
	_Atomic(cpc_t *) cpc;		/* once set, it never changes */
	struct v1_set *sets;
	unsigned int nsets;
} v1;

static struct shim_siglock lock = SHIM_SIGLOCK_INITIALIZER(0, NULL);

void shim_v1__lock(void)
{
	shim_siglock__enter(&lock);
}

void shim_v1__unlock(void)
{
	shim_siglock__leave(&lock);
}

/*
 * The handle's error handler, which prints nothing, because version 1 reports these errors only in
 * errno.
 */
static void silent(const char *fn, int subcode, const char *fmt, va_list ap)
{
	(void)fn;
	(void)subcode;
	(void)fmt;
	(void)ap;
}

/**
 * shim_v1__handle() - get the process's handle
 *
 * Context: the lock may be held only if the handle was requested before.
 * Return: the handle, or NULL and errno as for cpc_open().
 */
cpc_t *shim_v1__handle(void)
{
	cpc_t *cpc = atomic_load(&v1.cpc);

	if (cpc)
		return cpc;
	if (shim_fork__wait_for(&lock)) {
		errno = ENOMEM;
		return NULL;
	}
	shim_v1__lock();
	cpc = atomic_load(&v1.cpc);
	if (!cpc) {
		cpc = cpc_open(CPC_VER_CURRENT);
		cpc_seterrhndlr(cpc, silent);
		atomic_store(&v1.cpc, cpc);
	}
	shim_v1__unlock();
	return cpc;
}

/**
 * cpc_version() - request a version of libcpc
 * @ver: the caller's version, or CPC_VER_NONE
 *
 * Return: a version that the library supports; CPC_VER_NONE if it does not support the caller's
 * version.
 */
SHIM_API uint_t cpc_version(uint_t ver)
{
	if (ver == CPC_VER_NONE || ver == CPC_VER_CURRENT)
		return CPC_VER_CURRENT;
	return ver == CPC_VER_1 ? CPC_VER_1 : CPC_VER_NONE;
}

/**
 * cpc_access() - check whether counters are available
 *
 * Return: 0, or -1 and errno, after calling the error function.
 */
SHIM_API int cpc_access(void)
{
	int err;

	if (shim_v1__handle())
		return 0;
	err = errno;
	if (err == ENOSYS)
		shim_v1__tell("access", "this machine has no counters\n");
	else if (err == EAGAIN)
		shim_v1__tell("access", "the counters are in use by another process\n");
	else
		shim_v1__tell("access", "the counters cannot be used: %s\n", strerror(err));
	return shim_cpc__fail(err);
}

/**
 * cpc_getcpuver() - get the processor version, which defines the event names
 *
 * Return: CPC_LINUX, or -1 and errno if no counters are available.
 */
SHIM_API int cpc_getcpuver(void)
{
	return shim_v1__handle() ? CPC_LINUX : -1;
}

/**
 * cpc_getcciname() - get the name of the back end and the PMU
 * @cpuver: result of cpc_getcpuver()
 *
 * Return: as for cpc_cciname(), or NULL.
 */
SHIM_API const char *cpc_getcciname(int cpuver)
{
	cpc_t *cpc = cpuver == CPC_LINUX ? shim_v1__handle() : NULL;

	return cpc ? cpc_cciname(cpc) : NULL;
}

/**
 * cpc_getcpuref() - get a reference to the description of the events
 * @cpuver: result of cpc_getcpuver()
 *
 * Return: as for cpc_cpuref(), or NULL.
 */
SHIM_API const char *cpc_getcpuref(int cpuver)
{
	return cpuver == CPC_LINUX ? cpc_cpuref(NULL) : NULL;
}

/**
 * cpc_getnpic() - get the number of events counted at a time
 * @cpuver: result of cpc_getcpuver()
 *
 * Return: 2, or 0 for another @cpuver.
 */
SHIM_API uint_t cpc_getnpic(int cpuver)
{
	return cpuver == CPC_LINUX ? 2 : 0;
}

static bool is_bound(const struct v1_set *s)
{
	struct shim_counters *counters = atomic_load(&s->set->counters);
	struct vcpc_instance_info *list;
	struct vcpc_instances_args args;
	bool bound = false;

	if (!counters || shim_counters__list(counters, 0, &list, &args))
		return false;
	for (unsigned int i = 0; i < args.nr; i++)
		bound |= !(list[i].state & VCPC_STATE_EXITED);
	free(list);
	return bound || args.pending;
}

/* Destroy all sets that are not bound.  Context: the lock is held. */
static void sweep(void)
{
	struct v1_set **at = &v1.sets;

	while (*at) {
		struct v1_set *s = *at;

		if (is_bound(s)) {
			at = &s->next;
			continue;
		}
		*at = s->next;
		v1.nsets--;
		cpc_set_destroy(v1.cpc, s->set);
		free(s);
	}
}

/* Find the set of a pair of events, or return NULL.  Context: the lock is held. */
static struct v1_set *set_find(const cpc_event_t *event, uint_t flags)
{
	struct v1_set *s;

	for (s = v1.sets; s; s = s->next)
		if (s->flags == flags && s->event.ce_pes[0] == event->ce_pes[0] &&
		    s->event.ce_pes[1] == event->ce_pes[1])
			break;
	return s;
}

/* Create the set of a pair of events.  Context: the lock is held. */
static struct v1_set *set_make(const cpc_event_t *event, uint_t flags)
{
	struct v1_set *s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	if (v1.nsets >= MANY_SETS)
		sweep();
	s->event = *event;
	s->flags = flags;
	s->set = shim_v1__set(event, flags & CPC_BIND_EMT_OVF ? CPC_OVF_NOTIFY_EMT : 0);
	if (!s->set) {
		free(s);
		return NULL;
	}
	s->next = v1.sets;
	v1.sets = s;
	v1.nsets++;
	return s;
}

/*
 * Bind a set to the calling thread.  Presets are set for this thread only, because the set may also
 * be bound to other threads.
 */
static int bind_here(struct v1_set *s, const uint64_t *pic)
{
	int ret = cpc_bind_curlwp(v1.cpc, s->set, s->flags & CPC_BIND_LWP_INHERIT);

	for (int i = 0; !ret && i < 2; i++)
		ret = cpc_request_preset(v1.cpc, i, pic[i]);
	return ret ? ret : cpc_set_restart(v1.cpc, s->set);
}

static int bind_event(const cpc_event_t *event, uint_t flags)
{
	struct v1_set *s;
	int ret;

	shim_v1__lock();
	s = set_find(event, flags);
	if (!s)
		s = set_make(event, flags);
	ret = s ? bind_here(s, event->ce_pic) : -1;
	shim_v1__unlock();
	return ret;
}

/**
 * cpc_bind_event() - count two events on the calling thread
 * @event: the events, with start values in ce_pic; NULL to stop counting
 * @flags: CPC_BIND_LWP_INHERIT; CPC_BIND_EMT_OVF to send SIGEMT when a value exceeds 2^64 - 1
 *
 * Return: 0, or -1 and errno as for cpc_bind_curlwp().
 */
SHIM_API int cpc_bind_event(cpc_event_t *event, int flags)
{
	if (!event)
		return cpc_rele();
	if (event->ce_cpuver != CPC_LINUX || flags & ~(CPC_BIND_LWP_INHERIT | CPC_BIND_EMT_OVF))
		return shim_cpc__fail(EINVAL);
	return shim_v1__handle() ? bind_event(event, flags) : -1;
}

/**
 * cpc_take_sample() - get the calling thread's values
 * @event: its ce_pic, ce_hrt and ce_tsc are set
 *
 * Return: 0, or -1 and errno: EINVAL (no events are bound), EAGAIN (counts were lost because the
 * counters were taken away).
 */
SHIM_API int cpc_take_sample(cpc_event_t *event)
{
	struct {
		struct vcpc_sample head;
		__u64 values[2];
	} sample;
	struct shim_counters *mine = shim_lwp__bound();
	int ret = -EINVAL;

	if (mine && event && shim_counters__nr(mine) == 2)
		ret = shim_counters__sample(mine, 0, &sample.head, sizeof(sample));
	if (ret)
		return shim_cpc__fail(ret == -EBADF ? EINVAL : -ret);
	event->ce_hrt = sample.head.time;
	event->ce_tsc = sample.head.tick;
	for (int i = 0; i < 2; i++)
		event->ce_pic[i] = sample.head.values[i];
	return 0;
}

/**
 * cpc_rele() - stop counting on the calling thread
 *
 * Return: 0, or -1 and EINVAL if no events are bound.
 */
SHIM_API int cpc_rele(void)
{
	if (!shim_lwp__bound())
		return shim_cpc__fail(EINVAL);
	shim_lwp__detach();
	return 0;
}

/*
 * Copy the events that the calling thread has bound with these calls.  Return 0, or -1 if it has
 * bound none.
 */
static int bound_here(cpc_event_t *event, uint_t *flags)
{
	struct shim_counters *mine = shim_lwp__bound();
	const struct v1_set *s;

	shim_v1__lock();
	for (s = v1.sets; s; s = s->next)
		if (mine && atomic_load(&s->set->counters) == mine)
			break;
	if (s) {
		*event = s->event;
		*flags = s->flags;
	}
	shim_v1__unlock();
	return s ? 0 : -1;
}

static int turn_mode(uint32_t mode, int enable)
{
	cpc_event_t event;
	uint_t flags;

	if (bound_here(&event, &flags))
		return shim_cpc__fail(EINVAL);
	if (cpc_take_sample(&event))
		return -1;
	for (int i = 0; i < 2; i++)
		event.ce_pes[i] = enable ? event.ce_pes[i] | mode : event.ce_pes[i] & ~mode;
	return bind_event(&event, flags);
}

/**
 * cpc_count_usr_events() - start or stop counting in user mode
 * @enable: 0 to stop
 *
 * Return: 0, or -1 and errno: EINVAL (cpc_bind_event() has bound no events), EAGAIN, and the errors
 * from cpc_bind_event().
 */
SHIM_API int cpc_count_usr_events(int enable)
{
	return turn_mode(V1_USER, enable);
}

/**
 * cpc_count_sys_events() - start or stop counting in system mode
 * @enable: 0 to stop
 *
 * Return: as for cpc_count_usr_events().
 */
SHIM_API int cpc_count_sys_events(int enable)
{
	return turn_mode(V1_SYSTEM, enable);
}
