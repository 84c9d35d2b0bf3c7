// SPDX-License-Identifier: LGPL-2.1-or-later
/* Number of this process's events that did not reach an agent. */
#include <pcp/trace.h>

#include "base/api.h"
#include "process.h"

/**
 * shim_trace_lost() - get the number of this process's events that did not reach an agent
 *
 * Tracing must not break a program, so most trace calls return 0 if an agent is not available.  The
 * kernel counts lost events of the module, see shim_trace_drops_get().
 *
 * Return: the number.
 */
SHIM_API unsigned long long shim_trace_lost(void)
{
	struct shim_process *p = shim_process__get(shim_process__inherited());

	return p ? atomic_load(&p->lost) : 0;
}
