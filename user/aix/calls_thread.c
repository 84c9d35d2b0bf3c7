// SPDX-License-Identifier: LGPL-2.1-or-later
/* The calls about the calling thread or another one: each only says who is meant. */
#include "base/api.h"
#include "impl.h"

SHIM_API int pm_set_program_mythread(pm_prog_t *prog)
{
	return shim_aix__set(ME, prog);
}

SHIM_API int pm_set_program_mythread_mx(pm_prog_mx_t *prog)
{
	return shim_aix__set_mx(ME, prog);
}

SHIM_API int pm_get_program_mythread(pm_prog_t *prog)
{
	return shim_aix__get(ME, prog);
}

SHIM_API int pm_get_program_mythread_mx(pm_prog_mx_t *prog)
{
	return shim_aix__get_mx(ME, prog);
}

SHIM_API int pm_start_mythread(void)
{
	return shim_aix__start(ME);
}

SHIM_API int pm_tstart_mythread(timebasestruct_t *when)
{
	return shim_aix__tstart(ME, when);
}

SHIM_API int pm_stop_mythread(void)
{
	return shim_aix__stop(ME);
}

SHIM_API int pm_tstop_mythread(timebasestruct_t *when)
{
	return shim_aix__tstop(ME, when);
}

SHIM_API int pm_reset_data_mythread(void)
{
	return shim_aix__reset(ME);
}

SHIM_API int pm_get_data_mythread(pm_data_t *data)
{
	return shim_aix__data(ME, data);
}

SHIM_API int pm_get_tdata_mythread(pm_data_t *data, timebasestruct_t *when)
{
	return shim_aix__tdata(ME, data, when);
}

SHIM_API int pm_get_Tdata_mythread(pm_data_t *data, pm_accu_time_t *times)
{
	return shim_aix__Tdata(ME, data, times);
}

SHIM_API int pm_get_data_mythread_mx(pm_data_mx_t *data)
{
	return shim_aix__data_mx(ME, data);
}

SHIM_API int pm_get_tdata_mythread_mx(pm_data_mx_t *data, timebasestruct_t *when)
{
	return shim_aix__tdata_mx(ME, data, when);
}

SHIM_API int pm_delete_program_mythread(void)
{
	return shim_aix__delete(ME);
}

SHIM_API int pm_set_program_mythread_mm(pm_prog_mm_t *prog)
{
	return shim_aix__set_mm(ME, prog);
}

SHIM_API int pm_get_program_mythread_mm(pm_prog_mm_t *prog)
{
	return shim_aix__get_mm(ME, prog);
}

SHIM_API int pm_set_program_thread(pid_t pid, tid_t tid, pm_prog_t *prog)
{
	return shim_aix__set(thread(pid, tid, 0), prog);
}

SHIM_API int pm_set_program_thread_mx(pid_t pid, tid_t tid, pm_prog_mx_t *prog)
{
	return shim_aix__set_mx(thread(pid, tid, 0), prog);
}

SHIM_API int pm_set_program_thread_mm(pid_t pid, tid_t tid, pm_prog_mm_t *prog)
{
	return shim_aix__set_mm(thread(pid, tid, 0), prog);
}

SHIM_API int pm_get_program_thread(pid_t pid, tid_t tid, pm_prog_t *prog)
{
	return shim_aix__get(thread(pid, tid, 0), prog);
}

SHIM_API int pm_get_program_thread_mx(pid_t pid, tid_t tid, pm_prog_mx_t *prog)
{
	return shim_aix__get_mx(thread(pid, tid, 0), prog);
}

SHIM_API int pm_get_program_thread_mm(pid_t pid, tid_t tid, pm_prog_mm_t *prog)
{
	return shim_aix__get_mm(thread(pid, tid, 0), prog);
}

SHIM_API int pm_start_thread(pid_t pid, tid_t tid)
{
	return shim_aix__start(thread(pid, tid, 0));
}

SHIM_API int pm_tstart_thread(pid_t pid, tid_t tid, timebasestruct_t *when)
{
	return shim_aix__tstart(thread(pid, tid, 0), when);
}

SHIM_API int pm_stop_thread(pid_t pid, tid_t tid)
{
	return shim_aix__stop(thread(pid, tid, 0));
}

SHIM_API int pm_tstop_thread(pid_t pid, tid_t tid, timebasestruct_t *when)
{
	return shim_aix__tstop(thread(pid, tid, 0), when);
}

SHIM_API int pm_reset_data_thread(pid_t pid, tid_t tid)
{
	return shim_aix__reset(thread(pid, tid, 0));
}

SHIM_API int pm_get_data_thread(pid_t pid, tid_t tid, pm_data_t *data)
{
	return shim_aix__data(thread(pid, tid, 0), data);
}

SHIM_API int pm_get_tdata_thread(pid_t pid, tid_t tid, pm_data_t *data, timebasestruct_t *when)
{
	return shim_aix__tdata(thread(pid, tid, 0), data, when);
}

SHIM_API int pm_get_Tdata_thread(pid_t pid, tid_t tid, pm_data_t *data, pm_accu_time_t *times)
{
	return shim_aix__Tdata(thread(pid, tid, 0), data, times);
}

SHIM_API int pm_get_data_thread_mx(pid_t pid, tid_t tid, pm_data_mx_t *data)
{
	return shim_aix__data_mx(thread(pid, tid, 0), data);
}

SHIM_API int pm_get_tdata_thread_mx(pid_t pid, tid_t tid, pm_data_mx_t *data,
				    timebasestruct_t *when)
{
	return shim_aix__tdata_mx(thread(pid, tid, 0), data, when);
}

SHIM_API int pm_delete_program_thread(pid_t pid, tid_t tid)
{
	return shim_aix__delete(thread(pid, tid, 0));
}

SHIM_API int pm_set_program_pthread(pid_t pid, tid_t tid, ptid_t ptid, pm_prog_t *prog)
{
	return shim_aix__set(thread(pid, tid, ptid), prog);
}

SHIM_API int pm_set_program_pthread_mx(pid_t pid, tid_t tid, ptid_t ptid, pm_prog_mx_t *prog)
{
	return shim_aix__set_mx(thread(pid, tid, ptid), prog);
}

SHIM_API int pm_set_program_pthread_mm(pid_t pid, tid_t tid, ptid_t ptid, pm_prog_mm_t *prog)
{
	return shim_aix__set_mm(thread(pid, tid, ptid), prog);
}

SHIM_API int pm_get_program_pthread(pid_t pid, tid_t tid, ptid_t ptid, pm_prog_t *prog)
{
	return shim_aix__get(thread(pid, tid, ptid), prog);
}

SHIM_API int pm_get_program_pthread_mx(pid_t pid, tid_t tid, ptid_t ptid, pm_prog_mx_t *prog)
{
	return shim_aix__get_mx(thread(pid, tid, ptid), prog);
}

SHIM_API int pm_get_program_pthread_mm(pid_t pid, tid_t tid, ptid_t ptid, pm_prog_mm_t *prog)
{
	return shim_aix__get_mm(thread(pid, tid, ptid), prog);
}

SHIM_API int pm_start_pthread(pid_t pid, tid_t tid, ptid_t ptid)
{
	return shim_aix__start(thread(pid, tid, ptid));
}

SHIM_API int pm_tstart_pthread(pid_t pid, tid_t tid, ptid_t ptid, timebasestruct_t *when)
{
	return shim_aix__tstart(thread(pid, tid, ptid), when);
}

SHIM_API int pm_stop_pthread(pid_t pid, tid_t tid, ptid_t ptid)
{
	return shim_aix__stop(thread(pid, tid, ptid));
}

SHIM_API int pm_tstop_pthread(pid_t pid, tid_t tid, ptid_t ptid, timebasestruct_t *when)
{
	return shim_aix__tstop(thread(pid, tid, ptid), when);
}

SHIM_API int pm_reset_data_pthread(pid_t pid, tid_t tid, ptid_t ptid)
{
	return shim_aix__reset(thread(pid, tid, ptid));
}

SHIM_API int pm_get_data_pthread(pid_t pid, tid_t tid, ptid_t ptid, pm_data_t *data)
{
	return shim_aix__data(thread(pid, tid, ptid), data);
}

SHIM_API int pm_get_tdata_pthread(pid_t pid, tid_t tid, ptid_t ptid, pm_data_t *data,
				  timebasestruct_t *when)
{
	return shim_aix__tdata(thread(pid, tid, ptid), data, when);
}

SHIM_API int pm_get_Tdata_pthread(pid_t pid, tid_t tid, ptid_t ptid, pm_data_t *data,
				  pm_accu_time_t *times)
{
	return shim_aix__Tdata(thread(pid, tid, ptid), data, times);
}

SHIM_API int pm_get_data_pthread_mx(pid_t pid, tid_t tid, ptid_t ptid, pm_data_mx_t *data)
{
	return shim_aix__data_mx(thread(pid, tid, ptid), data);
}

SHIM_API int pm_get_tdata_pthread_mx(pid_t pid, tid_t tid, ptid_t ptid, pm_data_mx_t *data,
				     timebasestruct_t *when)
{
	return shim_aix__tdata_mx(thread(pid, tid, ptid), data, when);
}

SHIM_API int pm_delete_program_pthread(pid_t pid, tid_t tid, ptid_t ptid)
{
	return shim_aix__delete(thread(pid, tid, ptid));
}
