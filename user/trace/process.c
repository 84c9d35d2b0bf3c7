// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Create the trace state of this process at the first call.
 *
 * Fork: the state belongs to one process.  A child starts without its parent's tags and connection.
 *  Therefore the state is in pages that the kernel clears in a child (MADV_WIPEONFORK), and the
 * initial state, including the mutex, is all zeroes.  This needs no fork handler and works
 * regardless of what the parent's other threads were doing.  The state that a child keeps, struct
 * shim_inherited, consists of independent atomics.
 *
 * Locking: see the structs.
 */
#define _GNU_SOURCE
#include <string.h>
#include <sys/mman.h>

#include <pcp/trace.h>

#include "base/api.h"
#include "process.h"

struct shim_inherited shim_process__the_inherited;

/* Determine which of the two protocols is used.  Called at the first connection. */
void shim_process__settle(struct shim_inherited *inherited)
{
	int unsettled = SHIM_UNSETTLED;
	int async = atomic_load(&inherited->flags) & PMTRACE_STATE_ASYNC;

	atomic_compare_exchange_strong(&inherited->protocol, &unsettled,
				       async ? SHIM_ASYNC : SHIM_SYNC);
}

/**
 * shim_process__verdict() - get the result of a trace call without a connection
 * @was_connected: true if the process was ever connected
 * @err: the reason why there is no connection, or 0
 *
 * Tracing must not break a program that started correctly: after the first connection, the loss of
 * a connection is not reported, as in PCP, except in the asynchronous protocol.
 *
 * Return: @err, 0 or PMTRACE_ERR_IPC.
 */
int shim_process__verdict(bool was_connected, int err)
{
	if (!err || !was_connected)
		return err;
	return atomic_load(&shim_process__the_inherited.protocol) == SHIM_ASYNC ?
	       PMTRACE_ERR_IPC : 0;
}

/*
 * Clear the state in a child if the kernel was built without madvise(2) and therefore does not
 * clear it.
 */
static void wipe(void)
{
	struct shim_process *p = shim_process__inherited()->process;

	memset(p, 0, sizeof(*p));
}

static struct shim_fork_hook at_fork = { .in_child = wipe };

/* Create the process's state at the first call.  Return NULL if out of memory. */
struct shim_process *shim_process__make(struct shim_inherited *inherited)
{
	struct shim_process *winner = NULL;
	struct shim_process *p = mmap(NULL, sizeof(*p), PROT_READ | PROT_WRITE,
				      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int wiped;

	if (p == MAP_FAILED)
		return NULL;
	wiped = !madvise(p, sizeof(*p), MADV_WIPEONFORK);
	if (wiped)
		atomic_store(&inherited->wipes, 1);
	if (!atomic_compare_exchange_strong(&inherited->process, &winner, p)) {
		munmap(p, sizeof(*p));
		return winner;
	}
	if (!wiped)
		shim_fork__hook(&at_fork);
	return p;
}

/**
 * shim_trace_lost() - get the number of this process's events that did not reach an agent
 *
 * Tracing must not break a program, so most trace calls return 0 if an agent is not available.
 * Lost events of the module are counted in the kernel; see shim_trace_drops_get().
 *
 * Return: the number.
 */
SHIM_API unsigned long long shim_trace_lost(void)
{
	struct shim_process *p = shim_process__get(shim_process__inherited());

	return p ? atomic_load(&p->lost) : 0;
}
