// SPDX-License-Identifier: LGPL-2.1-or-later
/* How many events of this process an agent should have got and has not. */
#include <pcp/trace.h>

#include "base/api.h"
#include "process.h"

/**
 * shim_trace_lost() - events of this process that an agent has not got
 *
 * Tracing must not break a program, so most trace calls return 0 when an agent
 * is away.  Events that go through the module are counted in the kernel: see
 * shim_trace_drops_get().
 *
 * Return: how many.
 */
SHIM_API unsigned long long shim_trace_lost(void)
{
	struct shim_process *p = shim_process__get(shim_process__inherited());

	return p ? atomic_load(&p->lost) : 0;
}
