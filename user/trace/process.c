// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The trace state of this process, made at the first call.
 *
 * Fork: PCP's calls are a process's own, a child starts with none of its
 * parent's tags and no connection.  So the state lies in pages that the kernel
 * gives to a child full of zeroes (MADV_WIPEONFORK), and zero is the state to
 * start with, of the mutex too.  No fork handler is needed, and it works
 * whatever the other threads of the parent were doing.  What the child keeps,
 * struct shim_inherited, are single atomics.
 *
 * Locking: see the structs.
 */
#define _GNU_SOURCE
#include <string.h>
#include <sys/mman.h>

#include <pcp/trace.h>

#include "process.h"

struct shim_inherited shim_process__the_inherited;

/* The first connection settles which of the two protocols it is. */
void shim_process__settle(struct shim_inherited *inherited)
{
	int unsettled = SHIM_UNSETTLED;
	int async = atomic_load(&inherited->flags) & PMTRACE_STATE_ASYNC;

	atomic_compare_exchange_strong(&inherited->protocol, &unsettled,
				       async ? SHIM_ASYNC : SHIM_SYNC);
}

/**
 * shim_process__verdict() - what a caller hears of a way out that is not there
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

/* Where the kernel cannot wipe (it was built without madvise), we do. */
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
