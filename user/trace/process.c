// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The trace state of this process, made at the first call.
 *
 * Fork: the state belongs to one process: a child starts with none of its
 * parent's tags and no connection.  So the state is in pages that the kernel
 * clears in a child (MADV_WIPEONFORK), and all zeroes is the initial state, of
 * the mutex, too.  This needs no fork handler, and works whatever the parent's
 * other threads were doing.  What a child keeps, struct shim_inherited, has
 * only atomics that do not depend on each other.
 *
 * Locking: see the structs.
 */
#define _GNU_SOURCE
#include <string.h>
#include <sys/mman.h>

#include <pcp/trace.h>

#include "process.h"

struct shim_inherited shim_process__the_inherited;

/* Fixes which of the two protocols is used, at the first connection. */
void shim_process__settle(struct shim_inherited *inherited)
{
	int unsettled = SHIM_UNSETTLED;
	int async = atomic_load(&inherited->flags) & PMTRACE_STATE_ASYNC;

	atomic_compare_exchange_strong(&inherited->protocol, &unsettled,
				       async ? SHIM_ASYNC : SHIM_SYNC);
}

/**
 * shim_process__verdict() - what a trace call returns if there is no connection
 * @was_connected: there was a connection once
 * @err: why there is none, or 0
 *
 * Tracing must not break a program that has begun well: once there was a connection, its loss is
 * silent, as PCP has it; the asynchronous protocol reports it.
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

/* Clears the state in a child if the kernel, built without madvise(2), does not. */
static void wipe(void)
{
	struct shim_process *p = shim_process__inherited()->process;

	memset(p, 0, sizeof(*p));
}

static struct shim_fork_hook at_fork = { .in_child = wipe };

/* At the first call: the process's state, NULL when memory runs out */
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
