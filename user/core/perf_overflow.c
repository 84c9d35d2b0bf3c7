// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Handle overflows of sets that perf counts: stop the set, and signal its thread.
 *
 * When the leader overflows, perf stops the whole group; when another event overflows, perf stops
 * only that event, and the handler stops the other events.  perf signals the thread as it would for
 * input on a descriptor.  The program expects different siginfo, so the library's handler sends the
 * set's signal with the same siginfo as the module.  That signal is delivered when the library's
 * handler returns, so the program's handler sees the interrupted context of the thread.
 *
 * The library uses SIGURG, because few programs use it and it is ignored by default: if a signal is
 * still pending when the thread executes another program, it does not end that program.  If a
 * handler was already installed, it is called for signals that are not overflows.
 *
 * Locking: shim_perf__lock, including in the handler.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <signal.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include "perf_multiplex.h"
#include "perf_overflow.h"
#include "perf_set.h"

static struct shim_instance *all;	/* all instances with overflows */
static struct sigaction chained;	/* the program's action for SIGURG */

/*
 * Forget all instances in a forked child, which has no events of its own: the copied instances
 * belong to the parent and continue to count for the parent.
 */
void shim_overflow__in_child(void)
{
	all = NULL;
}

/* Return whether perf has the features that overflows need. */
bool shim_overflow__is_possible(void)
{
	const struct vcpc_request dummy = {
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_DUMMY,
		.flags = VCPC_REQ_F_USER | VCPC_REQ_F_OVERFLOW,
	};

	return !shim_group__try(&dummy);
}

static unsigned long address_in(const ucontext_t *context)
{
#if defined(__x86_64__)
	return context->uc_mcontext.gregs[REG_RIP];
#elif defined(__aarch64__)
	return context->uc_mcontext.pc;
#else
	(void)context;
	return 0;
#endif
}

/* Return the index of the event that has overflowed, or -1. */
static int which(const struct shim_instance *inst, const struct shim_group_counts *counts)
{
	for (unsigned int i = 0; i < inst->group.n; i++)
		if (inst->overflow.until[i] && counts->values[i] >= inst->overflow.until[i])
			return i;
	return -1;
}

static void send_signal(int signal, int request, unsigned long address)
{
	siginfo_t info = { .si_signo = signal, .si_code = VCPC_SI_OVERFLOW, .si_errno = request };

	info.si_addr = (void *)address;
	syscall(SYS_rt_tgsigqueueinfo, getpid(), gettid(), signal, &info);
}

/* If an instance of the calling thread has overflowed, stop it and signal the program. */
static void overflow_look(struct shim_instance *inst, const ucontext_t *context)
{
	struct shim_group_counts counts;
	int request;

	if (!inst->live || !inst->on || shim_group__read(&inst->group, &counts))
		return;
	request = which(inst, &counts);
	if (request < 0)
		return;
	shim_instance__stop(inst);
	if (inst->overflow.signal)
		send_signal(inst->overflow.signal, request, address_in(context));
}

/* Return whether perf sent the signal with this siginfo for one of the instance's events. */
static bool is_of(const struct shim_instance *inst, const siginfo_t *info)
{
	for (unsigned int i = 0; i < inst->group.n; i++)
		if (inst->group.overflows & 1ull << i && inst->group.events[i].fd.nr == info->si_fd)
			return true;
	return false;
}

/*
 * Return whether the event of this signal no longer exists, because the signal was pending when the
 * set was unbound.  The program must not receive the signal, because it has no file with this
 * descriptor.
 */
static bool is_stale(const siginfo_t *info)
{
	return fcntl(info->si_fd, F_GETFD) < 0;
}

static void pass_on(int signal, siginfo_t *info, void *context)
{
	if (chained.sa_flags & SA_SIGINFO)
		chained.sa_sigaction(signal, info, context);
	else if (chained.sa_handler != SIG_DFL && chained.sa_handler != SIG_IGN)
		chained.sa_handler(signal);
}

/*
 * Return how many multiplexed instances a thread of this process has.  The caller holds the lock.
 */
unsigned int shim_overflow__multiplexed(pid_t tid)
{
	unsigned int n = 0;

	for (const struct shim_instance *inst = all; inst; inst = inst->overflow.next)
		n += inst->tid == tid && inst->multiplex;
	return n;
}

/*
 * Handle overflows of all instances: only one signal is pending at a time, so one may represent
 * several.
 */
static void handler(int signal, siginfo_t *info, void *context)
{
	bool by_perf = info->si_code == POLL_IN || info->si_code == POLL_HUP;
	bool ours = false;
	pid_t tid = gettid();
	unsigned int sets;
	int err = errno;

	shim_siglock__enter(&shim_perf__lock);
	sets = shim_overflow__multiplexed(tid);
	for (struct shim_instance *inst = all; inst; inst = inst->overflow.next) {
		bool own = inst->tid == tid && by_perf && is_of(inst, info);

		if (inst->tid != tid)
			continue;
		ours |= own;
		if (inst->multiplex)
			shim_multiplex__on_alarm(inst, own, sets);
		else
			overflow_look(inst, context);
	}
	shim_siglock__leave(&shim_perf__lock);
	if (!ours && !(by_perf && is_stale(info)))
		pass_on(signal, info, context);
	errno = err;
}

/*
 * Install the handler unless it is already installed.  A program that later installs its own
 * handler receives perf's signals, and receives no overflow signals until it restores this handler
 * and binds a set.
 */
static int install(void)
{
	struct sigaction own = { .sa_sigaction = handler, .sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK };
	static bool was_installed;
	struct sigaction now;

	if (sigaction(SIGURG, NULL, &now))
		return -errno;
	if (now.sa_flags & SA_SIGINFO && now.sa_sigaction == handler)
		return 0;
	/*
	 * A handler that the program installed later may call this one.  Do not call it, to avoid
	 * recursion.
	 */
	if (was_installed && (now.sa_flags & SA_SIGINFO ||
			      (now.sa_handler != SIG_DFL && now.sa_handler != SIG_IGN)))
		return 0;
	if (!was_installed)
		chained = now;
	was_installed = true;
	sigfillset(&own.sa_mask);
	return sigaction(SIGURG, &own, NULL) ? -errno : 0;
}

/**
 * shim_overflow__add() - signal an instance's thread at its overflows
 * @inst: the new instance; ignored if none of its events can overflow
 *
 * Context: the caller holds the lock.
 * Return: 0, or an error from fcntl(2) or sigaction(2).
 */
int shim_overflow__add(struct shim_instance *inst)
{
	int ret;

	if (!inst->group.overflows)
		return 0;
	ret = install();
	if (!ret)
		ret = shim_group__tell(&inst->group, inst->tid, SIGURG);
	if (ret)
		return ret;
	inst->overflow.next = all;
	all = inst;
	return 0;
}

/* Called before an instance is freed.  The caller holds the lock. */
void shim_overflow__remove(const struct shim_instance *inst)
{
	for (struct shim_instance **at = &all; *at; at = &(*at)->overflow.next)
		if (*at == inst) {
			*at = inst->overflow.next;
			return;
		}
}

/* Set the distance to an event's next overflow, at which the event stops. */
static int overflow_arm(struct shim_instance *inst, unsigned int i, __u64 count)
{
	__u64 distance = -(inst->from[i] + count), bit = 1ull << i;
	int ret;

	/*
	 * If the event has overflowed since it was armed, perf has used up the limit that made it
	 * stop.
	 */
	if (inst->overflow.until[i] && count >= inst->overflow.until[i])
		inst->overflow.limited &= ~bit;
	if (!distance || distance >= SHIM_GROUP_NEVER)
		distance = SHIM_GROUP_NEVER;
	ret = shim_group__set_distance(&inst->group, i, distance);
	if (ret)
		return ret;
	inst->overflow.until[i] = distance == SHIM_GROUP_NEVER ? 0 : count + distance;
	ret = inst->overflow.limited & bit ? shim_group__enable_one(&inst->group, i) :
					     shim_group__limit(&inst->group, i);
	inst->overflow.limited |= bit;
	return ret;
}

/**
 * shim_overflow__start() - start a stopped instance until its next overflow
 * @inst: an instance with overflows
 *
 * Context: the caller holds the lock.
 * Return: 0, -EAGAIN (the group does not fit on the PMU), or -EBADF.
 */
int shim_overflow__start(struct shim_instance *inst)
{
	struct shim_group_counts counts;
	int ret = shim_group__read(&inst->group, &counts);

	/* Start the leader last, because the group counts only while its leader does. */
	for (unsigned int i = inst->group.n; i-- && !ret; )
		if (inst->group.overflows & 1ull << i)
			ret = overflow_arm(inst, i, counts.values[i]);
	return ret;
}
