// SPDX-License-Identifier: LGPL-2.1-or-later
/* The calls about the calling thread's group or another's: each only says who is meant. */
#include "base/api.h"
#include "impl.h"

SHIM_API int pm_set_program_mygroup(pm_prog_t *prog)
{
	return shim_aix__set(MY_GROUP, prog);
}

SHIM_API int pm_set_program_mygroup_mx(pm_prog_mx_t *prog)
{
	return shim_aix__set_mx(MY_GROUP, prog);
}

SHIM_API int pm_set_program_mygroup_mm(pm_prog_mm_t *prog)
{
	return shim_aix__set_mm(MY_GROUP, prog);
}

SHIM_API int pm_get_program_mygroup(pm_prog_t *prog)
{
	return shim_aix__get(MY_GROUP, prog);
}

SHIM_API int pm_get_program_mygroup_mx(pm_prog_mx_t *prog)
{
	return shim_aix__get_mx(MY_GROUP, prog);
}

SHIM_API int pm_get_program_mygroup_mm(pm_prog_mm_t *prog)
{
	return shim_aix__get_mm(MY_GROUP, prog);
}

SHIM_API int pm_start_mygroup(void)
{
	return shim_aix__start(MY_GROUP);
}

SHIM_API int pm_tstart_mygroup(timebasestruct_t *when)
{
	return shim_aix__tstart(MY_GROUP, when);
}

SHIM_API int pm_stop_mygroup(void)
{
	return shim_aix__stop(MY_GROUP);
}

SHIM_API int pm_tstop_mygroup(timebasestruct_t *when)
{
	return shim_aix__tstop(MY_GROUP, when);
}

SHIM_API int pm_reset_data_mygroup(void)
{
	return shim_aix__reset(MY_GROUP);
}

SHIM_API int pm_get_data_mygroup(pm_data_t *data)
{
	return shim_aix__data(MY_GROUP, data);
}

SHIM_API int pm_get_tdata_mygroup(pm_data_t *data, timebasestruct_t *when)
{
	return shim_aix__tdata(MY_GROUP, data, when);
}

SHIM_API int pm_get_Tdata_mygroup(pm_data_t *data, pm_accu_time_t *times)
{
	return shim_aix__Tdata(MY_GROUP, data, times);
}

SHIM_API int pm_get_data_mygroup_mx(pm_data_mx_t *data)
{
	return shim_aix__data_mx(MY_GROUP, data);
}

SHIM_API int pm_get_tdata_mygroup_mx(pm_data_mx_t *data, timebasestruct_t *when)
{
	return shim_aix__tdata_mx(MY_GROUP, data, when);
}

SHIM_API int pm_delete_program_mygroup(void)
{
	return shim_aix__delete(MY_GROUP);
}

SHIM_API int pm_set_program_group(pid_t pid, tid_t tid, pm_prog_t *prog)
{
	return shim_aix__set(group(pid, tid, 0), prog);
}

SHIM_API int pm_set_program_group_mx(pid_t pid, tid_t tid, pm_prog_mx_t *prog)
{
	return shim_aix__set_mx(group(pid, tid, 0), prog);
}

SHIM_API int pm_set_program_group_mm(pid_t pid, tid_t tid, pm_prog_mm_t *prog)
{
	return shim_aix__set_mm(group(pid, tid, 0), prog);
}

SHIM_API int pm_get_program_group(pid_t pid, tid_t tid, pm_prog_t *prog)
{
	return shim_aix__get(group(pid, tid, 0), prog);
}

SHIM_API int pm_get_program_group_mx(pid_t pid, tid_t tid, pm_prog_mx_t *prog)
{
	return shim_aix__get_mx(group(pid, tid, 0), prog);
}

SHIM_API int pm_get_program_group_mm(pid_t pid, tid_t tid, pm_prog_mm_t *prog)
{
	return shim_aix__get_mm(group(pid, tid, 0), prog);
}

SHIM_API int pm_start_group(pid_t pid, tid_t tid)
{
	return shim_aix__start(group(pid, tid, 0));
}

SHIM_API int pm_tstart_group(pid_t pid, tid_t tid, timebasestruct_t *when)
{
	return shim_aix__tstart(group(pid, tid, 0), when);
}

SHIM_API int pm_stop_group(pid_t pid, tid_t tid)
{
	return shim_aix__stop(group(pid, tid, 0));
}

SHIM_API int pm_tstop_group(pid_t pid, tid_t tid, timebasestruct_t *when)
{
	return shim_aix__tstop(group(pid, tid, 0), when);
}

SHIM_API int pm_reset_data_group(pid_t pid, tid_t tid)
{
	return shim_aix__reset(group(pid, tid, 0));
}

SHIM_API int pm_get_data_group(pid_t pid, tid_t tid, pm_data_t *data)
{
	return shim_aix__data(group(pid, tid, 0), data);
}

SHIM_API int pm_get_tdata_group(pid_t pid, tid_t tid, pm_data_t *data, timebasestruct_t *when)
{
	return shim_aix__tdata(group(pid, tid, 0), data, when);
}

SHIM_API int pm_get_Tdata_group(pid_t pid, tid_t tid, pm_data_t *data, pm_accu_time_t *times)
{
	return shim_aix__Tdata(group(pid, tid, 0), data, times);
}

SHIM_API int pm_get_data_group_mx(pid_t pid, tid_t tid, pm_data_mx_t *data)
{
	return shim_aix__data_mx(group(pid, tid, 0), data);
}

SHIM_API int pm_get_tdata_group_mx(pid_t pid, tid_t tid, pm_data_mx_t *data,
				   timebasestruct_t *when)
{
	return shim_aix__tdata_mx(group(pid, tid, 0), data, when);
}

SHIM_API int pm_delete_program_group(pid_t pid, tid_t tid)
{
	return shim_aix__delete(group(pid, tid, 0));
}

SHIM_API int pm_set_program_pgroup(pid_t pid, tid_t tid, ptid_t ptid, pm_prog_t *prog)
{
	return shim_aix__set(group(pid, tid, ptid), prog);
}

SHIM_API int pm_set_program_pgroup_mx(pid_t pid, tid_t tid, ptid_t ptid, pm_prog_mx_t *prog)
{
	return shim_aix__set_mx(group(pid, tid, ptid), prog);
}

SHIM_API int pm_set_program_pgroup_mm(pid_t pid, tid_t tid, ptid_t ptid, pm_prog_mm_t *prog)
{
	return shim_aix__set_mm(group(pid, tid, ptid), prog);
}

SHIM_API int pm_get_program_pgroup(pid_t pid, tid_t tid, ptid_t ptid, pm_prog_t *prog)
{
	return shim_aix__get(group(pid, tid, ptid), prog);
}

SHIM_API int pm_get_program_pgroup_mx(pid_t pid, tid_t tid, ptid_t ptid, pm_prog_mx_t *prog)
{
	return shim_aix__get_mx(group(pid, tid, ptid), prog);
}

SHIM_API int pm_get_program_pgroup_mm(pid_t pid, tid_t tid, ptid_t ptid, pm_prog_mm_t *prog)
{
	return shim_aix__get_mm(group(pid, tid, ptid), prog);
}

SHIM_API int pm_start_pgroup(pid_t pid, tid_t tid, ptid_t ptid)
{
	return shim_aix__start(group(pid, tid, ptid));
}

SHIM_API int pm_tstart_pgroup(pid_t pid, tid_t tid, ptid_t ptid, timebasestruct_t *when)
{
	return shim_aix__tstart(group(pid, tid, ptid), when);
}

SHIM_API int pm_stop_pgroup(pid_t pid, tid_t tid, ptid_t ptid)
{
	return shim_aix__stop(group(pid, tid, ptid));
}

SHIM_API int pm_tstop_pgroup(pid_t pid, tid_t tid, ptid_t ptid, timebasestruct_t *when)
{
	return shim_aix__tstop(group(pid, tid, ptid), when);
}

SHIM_API int pm_reset_data_pgroup(pid_t pid, tid_t tid, ptid_t ptid)
{
	return shim_aix__reset(group(pid, tid, ptid));
}

SHIM_API int pm_get_data_pgroup(pid_t pid, tid_t tid, ptid_t ptid, pm_data_t *data)
{
	return shim_aix__data(group(pid, tid, ptid), data);
}

SHIM_API int pm_get_tdata_pgroup(pid_t pid, tid_t tid, ptid_t ptid, pm_data_t *data,
				 timebasestruct_t *when)
{
	return shim_aix__tdata(group(pid, tid, ptid), data, when);
}

SHIM_API int pm_get_Tdata_pgroup(pid_t pid, tid_t tid, ptid_t ptid, pm_data_t *data,
				 pm_accu_time_t *times)
{
	return shim_aix__Tdata(group(pid, tid, ptid), data, times);
}

SHIM_API int pm_get_data_pgroup_mx(pid_t pid, tid_t tid, ptid_t ptid, pm_data_mx_t *data)
{
	return shim_aix__data_mx(group(pid, tid, ptid), data);
}

SHIM_API int pm_get_tdata_pgroup_mx(pid_t pid, tid_t tid, ptid_t ptid, pm_data_mx_t *data,
				    timebasestruct_t *when)
{
	return shim_aix__tdata_mx(group(pid, tid, ptid), data, when);
}

SHIM_API int pm_delete_program_pgroup(pid_t pid, tid_t tid, ptid_t ptid)
{
	return shim_aix__delete(group(pid, tid, ptid));
}
