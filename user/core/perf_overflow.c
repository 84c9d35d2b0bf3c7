// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Overflows of perf's sets: the set stops, and its thread is told.
 *
 * perf stops a group by itself when the leader overflows, and any other event alone; the handler
 * stops what still counts.  perf signals the thread as it would signal input on a descriptor.  That
 * is no siginfo for the program, so the library has a handler of its own, which sends the set's
 * signal with the siginfo that the module gives; it is taken when the handler returns, and so finds
 * the thread where it was.
 *
 * The library's signal is SIGURG: it is ignored by default, so that none is left over that would end
 * a program which the thread executes, and hardly any program has a use for it.  A handler that it
 * had before is called for what is not an overflow.
 *
 * Locking: shim_perf__lock, also in the handler.
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

static struct shim_instance *all;	/* all instances that overflow */
static struct sigaction chained;	/* what the program had for SIGURG */

/* A forked child has no events: its parent goes on with these. */
void shim_overflow__in_child(void)
{
	all = NULL;
}

/* Does perf have what is needed here? */
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

/* Which event has overflowed, -1 if none has */
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

/* Stop an instance of the calling thread, and tell the program, if it has overflowed. */
static void look(struct shim_instance *inst, const ucontext_t *context)
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

/* Whether perf has sent a signal for an event of the calling thread; with its siginfo, for that one */
static bool is_of(const struct shim_instance *inst, const siginfo_t *info)
{
	for (unsigned int i = 0; i < inst->group.n; i++)
		if (inst->group.overflows & 1ull << i && inst->group.events[i].fd.nr == info->si_fd)
			return true;
	return false;
}

/*
 * Is the event gone whose signal this is?  It was pending when the set was unbound; the program,
 * which has no such file, is not to get it.
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

static unsigned int count_multiplexed(pid_t tid)
{
	unsigned int n = 0;

	for (const struct shim_instance *inst = all; inst; inst = inst->overflow.next)
		n += inst->tid == tid && inst->multiplex;
	return n;
}

/* One signal may stand for several, as only one is pending at a time: look at all instances. */
static void handler(int signal, siginfo_t *info, void *context)
{
	bool by_perf = info->si_code == POLL_IN || info->si_code == POLL_HUP;
	bool ours = false;
	pid_t tid = gettid();
	unsigned int sets;
	int err = errno;

	shim_siglock__enter(&shim_perf__lock);
	sets = count_multiplexed(tid);
	for (struct shim_instance *inst = all; inst; inst = inst->overflow.next) {
		bool own = inst->tid == tid && by_perf && is_of(inst, info);

		if (inst->tid != tid)
			continue;
		ours |= own;
		if (inst->multiplex)
			shim_multiplex__on_alarm(inst, own, sets);
		else
			look(inst, context);
	}
	shim_siglock__leave(&shim_perf__lock);
	if (!ours && !(by_perf && is_stale(info)))
		pass_on(signal, info, context);
	errno = err;
}

/*
 * Install the handler, unless it is there.  A program that takes the signal later gets it, and is
 * told of no overflow then, until it gives it back and binds a set.
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
	/* The program's later handler may call ours, which therefore must not call that one. */
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
 * shim_overflow__add() - tell an instance's thread of its overflows from now on
 * @inst: new; ignored if it has no event that overflows
 *
 * Context: with the lock.
 * Return: 0, or an error of fcntl(2) or sigaction(2).
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

/* Before an instance is freed; with the lock */
void shim_overflow__remove(const struct shim_instance *inst)
{
	for (struct shim_instance **at = &all; *at; at = &(*at)->overflow.next)
		if (*at == inst) {
			*at = inst->overflow.next;
			return;
		}
}

/* Set how far it is to an event's overflow, and make it stop then. */
static int arm(struct shim_instance *inst, unsigned int i, __u64 count)
{
	__u64 distance = -(inst->from[i] + count), bit = 1ull << i;
	int ret;

	/* If it has overflowed since it was started, it is limited no more. */
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
 * shim_overflow__start() - start an instance that is stopped, to its next overflow
 * @inst: with events that overflow
 *
 * Context: with the lock.
 * Return: 0, -EAGAIN (there is no room on the PMU), -EBADF.
 */
int shim_overflow__start(struct shim_instance *inst)
{
	struct shim_group_counts counts;
	int ret = shim_group__read(&inst->group, &counts);

	/* The leader last: with it, the group counts. */
	for (unsigned int i = inst->group.n; i-- && !ret; )
		if (inst->group.overflows & 1ull << i)
			ret = arm(inst, i, counts.values[i]);
	return ret;
}
