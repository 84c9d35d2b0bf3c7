// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Define the public calls of all families.  Each call passes its target to the engine (impl.h).
 *
 * A family is defined by the suffix of its calls, the parameters that precede each call's own, and
 * the target that these parameters identify.  Calls that only some families have are in separate
 * macros.
 */
#include <time.h>

#include "base/api.h"
#include "impl.h"

/*
 * Calls for features that only POWER has: counter frequencies, event-based branches, and the branch
 * history buffer.  They exist so that programs linked against them can be loaded.  All of them
 * return Pmapi_Unsupported.
 */

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

#define PROGRAMS(s, OF, who)									\
SHIM_API int pm_set_program##s OF(pm_prog_t *prog) { return shim_aix__set(who, prog); }		\
SHIM_API int pm_get_program##s OF(pm_prog_t *prog) { return shim_aix__get(who, prog); }		\
SHIM_API int pm_set_program##s##_mm OF(pm_prog_mm_t *prog) { return shim_aix__set_mm(who, prog); } \
SHIM_API int pm_get_program##s##_mm OF(pm_prog_mm_t *prog) { return shim_aix__get_mm(who, prog); }

#define PROGRAMS_MX(s, OF, who)									\
SHIM_API int pm_set_program##s##_mx OF(pm_prog_mx_t *prog) { return shim_aix__set_mx(who, prog); } \
SHIM_API int pm_get_program##s##_mx OF(pm_prog_mx_t *prog) { return shim_aix__get_mx(who, prog); }

#define CONTROL(s, OF, ALONE, who)								\
SHIM_API int pm_start##s ALONE { return shim_aix__start(who); }					\
SHIM_API int pm_stop##s ALONE { return shim_aix__stop(who); }					\
SHIM_API int pm_tstart##s OF(timebasestruct_t *when) { return shim_aix__tstart(who, when); }	\
SHIM_API int pm_tstop##s OF(timebasestruct_t *when) { return shim_aix__tstop(who, when); }	\
SHIM_API int pm_reset_data##s ALONE { return shim_aix__reset(who); }				\
SHIM_API int pm_delete_program##s ALONE { return shim_aix__delete(who); }

#define GETTERS(s, OF, who)									\
SHIM_API int pm_get_data##s OF(pm_data_t *data) { return shim_aix__data(who, data); }		\
SHIM_API int pm_get_tdata##s OF(pm_data_t *data, timebasestruct_t *when)			\
{ return shim_aix__tdata(who, data, when); }							\
SHIM_API int pm_get_Tdata##s OF(pm_data_t *data, pm_accu_time_t *times)				\
{ return shim_aix__Tdata(who, data, times); }							\
SHIM_API int pm_get_data##s##_mx OF(pm_data_mx_t *data) { return shim_aix__data_mx(who, data); } \
SHIM_API int pm_get_tdata##s##_mx OF(pm_data_mx_t *data, timebasestruct_t *when)		\
{ return shim_aix__tdata_mx(who, data, when); }

#define FAMILY(s, OF, ALONE, who)	\
PROGRAMS(s, OF, who)			\
PROGRAMS_MX(s, OF, who)			\
CONTROL(s, OF, ALONE, who)		\
GETTERS(s, OF, who)

#define OF_CALLER(...)		(__VA_ARGS__)
#define OF_CPU(...)		(int cpuid, __VA_ARGS__)
#define OF_CID(...)		(cid_t cid, __VA_ARGS__)
#define OF_WP(...)		(pm_wp_handle_t wp, __VA_ARGS__)
#define OF_CPU_OF_WP(...)	(pm_wp_handle_t wp, int lcpuid, __VA_ARGS__)
#define OF_TID(...)		(pid_t pid, tid_t tid, __VA_ARGS__)
#define OF_PTID(...)		(pid_t pid, tid_t tid, ptid_t ptid, __VA_ARGS__)

#define CALLER	(void)
#define CID	(cid_t cid)
#define TID	(pid_t pid, tid_t tid)
#define PTID	(pid_t pid, tid_t tid, ptid_t ptid)

FAMILY(, OF_CALLER, CALLER, ALL_CPUS)
FAMILY(_mythread, OF_CALLER, CALLER, ME)
FAMILY(_mygroup, OF_CALLER, CALLER, MY_GROUP)
FAMILY(_thread, OF_TID, TID, thread(pid, tid, 0))
FAMILY(_pthread, OF_PTID, PTID, thread(pid, tid, ptid))
FAMILY(_group, OF_TID, TID, group(pid, tid, 0))
FAMILY(_pgroup, OF_PTID, PTID, group(pid, tid, ptid))

GETTERS(_cpu, OF_CPU, nth_cpu(cpuid))
GETTERS(_lcpu, OF_CPU, one_cpu(cpuid))

PROGRAMS(_wp, OF_CID, partition(cid))
CONTROL(_wp, OF_CID, CID, partition(cid))
GETTERS(_wp, OF_WP, partition(wp))
GETTERS(_lcpu_wp, OF_CPU_OF_WP, one_cpu_of(wp, lcpuid))

/* The time base: a tick is a nanosecond of CLOCK_MONOTONIC, which is also the clock of samples */

#define NS_PER_S	1000000000ull

/* Store nanoseconds in the raw form (RTC_POWER_PC), which can be added and subtracted. */
void shim_aix__ticks(timebasestruct_t *t, __u64 ns)
{
	t->flag = RTC_POWER_PC;
	t->tb_high = ns >> 32;
	t->tb_low = (unsigned int)ns;
}

/**
 * read_real_time() - read the time base
 * @t: filled in
 * @size: TIMEBASE_SZ
 *
 * Return: RTC_POWER_PC, the form that was stored; -1 if @size is too small.
 */
SHIM_API int read_real_time(timebasestruct_t *t, size_t size)
{
	struct timespec ts;

	if (size < TIMEBASE_SZ)
		return -1;
	clock_gettime(CLOCK_MONOTONIC, &ts);
	shim_aix__ticks(t, ts.tv_sec * NS_PER_S + ts.tv_nsec);
	return t->flag;
}

/**
 * read_wall_time() - same as read_real_time(), which is monotonic on Linux
 * @t: filled in
 * @size: TIMEBASE_SZ
 *
 * Return: as for read_real_time().
 */
SHIM_API int read_wall_time(timebasestruct_t *t, size_t size)
{
	return read_real_time(t, size);
}

/**
 * mread_real_time() - same as read_real_time(), which is monotonic on Linux
 * @t: filled in
 * @size: TIMEBASE_SZ
 *
 * Return: as for read_real_time().
 */
SHIM_API int mread_real_time(timebasestruct_t *t, size_t size)
{
	return read_real_time(t, size);
}

/**
 * time_base_to_time() - convert ticks to seconds and nanoseconds, in place
 * @t: RTC_POWER_PC becomes RTC_POWER; an RTC_POWER time is not changed
 * @size: TIMEBASE_SZ
 *
 * Return: 0; -1 if @t has neither form, or if @size is too small.
 */
SHIM_API int time_base_to_time(timebasestruct_t *t, size_t size)
{
	__u64 ns;

	if (size < TIMEBASE_SZ)
		return -1;
	if (t->flag == RTC_POWER)
		return 0;
	if (t->flag != RTC_POWER_PC)
		return -1;
	ns = (__u64)t->tb_high << 32 | t->tb_low;
	t->flag = RTC_POWER;
	t->tb_high = ns / NS_PER_S;
	t->tb_low = ns % NS_PER_S;
	return 0;
}
