// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Calls for features that only POWER has: counter frequencies, event-based branches, the branch
 * history buffer.  They exist so that programs linked against them load; all return
 * Pmapi_Unsupported.
 */
#include "base/api.h"
#include "impl.h"

SHIM_API int pm_set_counter_frequency_mythread(unsigned int counter_freq[MAX_COUNTERS])
{
	(void)counter_freq;
	return Pmapi_Unsupported;
}

SHIM_API int pm_set_counter_frequency_thread(pid_t pid, tid_t tid,
					     unsigned int counter_freq[MAX_COUNTERS])
{
	(void)pid;
	(void)tid;
	(void)counter_freq;
	return Pmapi_Unsupported;
}

SHIM_API int pm_set_counter_frequency_pthread(pid_t pid, tid_t tid, ptid_t ptid,
					      unsigned int counter_freq[MAX_COUNTERS])
{
	(void)pid;
	(void)tid;
	(void)ptid;
	(void)counter_freq;
	return Pmapi_Unsupported;
}

SHIM_API int pm_set_ebb_handler(void *handler, void *data)
{
	(void)handler;
	(void)data;
	return Pmapi_Unsupported;
}

SHIM_API int pm_clear_ebb_handler(void **old_handler, void **old_data)
{
	(void)old_handler;
	(void)old_data;
	return Pmapi_Unsupported;
}

SHIM_API int pm_enable_bhrb(int mode)
{
	(void)mode;
	return Pmapi_Unsupported;
}

SHIM_API int pm_disable_bhrb(void)
{
	return Pmapi_Unsupported;
}
