// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The calls about the whole system, its processors and partitions: each only
 * says who is meant.
 */
#include "base/api.h"
#include "impl.h"

SHIM_API int pm_set_program(pm_prog_t *prog)
{
	return shim_aix__set(ALL_CPUS, prog);
}

SHIM_API int pm_set_program_mx(pm_prog_mx_t *prog)
{
	return shim_aix__set_mx(ALL_CPUS, prog);
}

SHIM_API int pm_set_program_mm(pm_prog_mm_t *prog)
{
	return shim_aix__set_mm(ALL_CPUS, prog);
}

SHIM_API int pm_get_program(pm_prog_t *prog)
{
	return shim_aix__get(ALL_CPUS, prog);
}

SHIM_API int pm_get_program_mx(pm_prog_mx_t *prog)
{
	return shim_aix__get_mx(ALL_CPUS, prog);
}

SHIM_API int pm_get_program_mm(pm_prog_mm_t *prog)
{
	return shim_aix__get_mm(ALL_CPUS, prog);
}

SHIM_API int pm_start(void)
{
	return shim_aix__start(ALL_CPUS);
}

SHIM_API int pm_tstart(timebasestruct_t *when)
{
	return shim_aix__tstart(ALL_CPUS, when);
}

SHIM_API int pm_stop(void)
{
	return shim_aix__stop(ALL_CPUS);
}

SHIM_API int pm_tstop(timebasestruct_t *when)
{
	return shim_aix__tstop(ALL_CPUS, when);
}

SHIM_API int pm_reset_data(void)
{
	return shim_aix__reset(ALL_CPUS);
}

SHIM_API int pm_get_data(pm_data_t *data)
{
	return shim_aix__data(ALL_CPUS, data);
}

SHIM_API int pm_get_tdata(pm_data_t *data, timebasestruct_t *when)
{
	return shim_aix__tdata(ALL_CPUS, data, when);
}

SHIM_API int pm_get_Tdata(pm_data_t *data, pm_accu_time_t *times)
{
	return shim_aix__Tdata(ALL_CPUS, data, times);
}

SHIM_API int pm_get_data_mx(pm_data_mx_t *data)
{
	return shim_aix__data_mx(ALL_CPUS, data);
}

SHIM_API int pm_get_tdata_mx(pm_data_mx_t *data, timebasestruct_t *when)
{
	return shim_aix__tdata_mx(ALL_CPUS, data, when);
}

SHIM_API int pm_delete_program(void)
{
	return shim_aix__delete(ALL_CPUS);
}

SHIM_API int pm_get_data_cpu(int cpuid, pm_data_t *data)
{
	return shim_aix__data(nth_cpu(cpuid), data);
}

SHIM_API int pm_get_tdata_cpu(int cpuid, pm_data_t *data, timebasestruct_t *when)
{
	return shim_aix__tdata(nth_cpu(cpuid), data, when);
}

SHIM_API int pm_get_Tdata_cpu(int cpuid, pm_data_t *data, pm_accu_time_t *times)
{
	return shim_aix__Tdata(nth_cpu(cpuid), data, times);
}

SHIM_API int pm_get_data_cpu_mx(int cpuid, pm_data_mx_t *data)
{
	return shim_aix__data_mx(nth_cpu(cpuid), data);
}

SHIM_API int pm_get_tdata_cpu_mx(int cpuid, pm_data_mx_t *data, timebasestruct_t *when)
{
	return shim_aix__tdata_mx(nth_cpu(cpuid), data, when);
}

SHIM_API int pm_get_data_lcpu(int lcpuid, pm_data_t *data)
{
	return shim_aix__data(one_cpu(lcpuid), data);
}

SHIM_API int pm_get_tdata_lcpu(int lcpuid, pm_data_t *data, timebasestruct_t *when)
{
	return shim_aix__tdata(one_cpu(lcpuid), data, when);
}

SHIM_API int pm_get_Tdata_lcpu(int lcpuid, pm_data_t *data, pm_accu_time_t *times)
{
	return shim_aix__Tdata(one_cpu(lcpuid), data, times);
}

SHIM_API int pm_get_data_lcpu_mx(int lcpuid, pm_data_mx_t *data)
{
	return shim_aix__data_mx(one_cpu(lcpuid), data);
}

SHIM_API int pm_get_tdata_lcpu_mx(int lcpuid, pm_data_mx_t *data, timebasestruct_t *when)
{
	return shim_aix__tdata_mx(one_cpu(lcpuid), data, when);
}

SHIM_API int pm_set_program_wp(cid_t cid, pm_prog_t *prog)
{
	return shim_aix__set(partition(cid), prog);
}

SHIM_API int pm_set_program_wp_mm(cid_t cid, pm_prog_mm_t *prog)
{
	return shim_aix__set_mm(partition(cid), prog);
}

SHIM_API int pm_get_program_wp(cid_t cid, pm_prog_t *prog)
{
	return shim_aix__get(partition(cid), prog);
}

SHIM_API int pm_get_program_wp_mm(cid_t cid, pm_prog_mm_t *prog)
{
	return shim_aix__get_mm(partition(cid), prog);
}

SHIM_API int pm_start_wp(cid_t cid)
{
	return shim_aix__start(partition(cid));
}

SHIM_API int pm_tstart_wp(cid_t cid, timebasestruct_t *when)
{
	return shim_aix__tstart(partition(cid), when);
}

SHIM_API int pm_stop_wp(cid_t cid)
{
	return shim_aix__stop(partition(cid));
}

SHIM_API int pm_tstop_wp(cid_t cid, timebasestruct_t *when)
{
	return shim_aix__tstop(partition(cid), when);
}

SHIM_API int pm_reset_data_wp(cid_t cid)
{
	return shim_aix__reset(partition(cid));
}

SHIM_API int pm_delete_program_wp(cid_t cid)
{
	return shim_aix__delete(partition(cid));
}

SHIM_API int pm_get_data_wp(pm_wp_handle_t wp, pm_data_t *data)
{
	return shim_aix__data(partition(wp), data);
}

SHIM_API int pm_get_tdata_wp(pm_wp_handle_t wp, pm_data_t *data, timebasestruct_t *when)
{
	return shim_aix__tdata(partition(wp), data, when);
}

SHIM_API int pm_get_Tdata_wp(pm_wp_handle_t wp, pm_data_t *data, pm_accu_time_t *times)
{
	return shim_aix__Tdata(partition(wp), data, times);
}

SHIM_API int pm_get_data_wp_mx(pm_wp_handle_t wp, pm_data_mx_t *data)
{
	return shim_aix__data_mx(partition(wp), data);
}

SHIM_API int pm_get_tdata_wp_mx(pm_wp_handle_t wp, pm_data_mx_t *data, timebasestruct_t *when)
{
	return shim_aix__tdata_mx(partition(wp), data, when);
}

SHIM_API int pm_get_data_lcpu_wp(pm_wp_handle_t wp, int lcpuid, pm_data_t *data)
{
	return shim_aix__data(one_cpu_of(wp, lcpuid), data);
}

SHIM_API int pm_get_tdata_lcpu_wp(pm_wp_handle_t wp, int lcpuid, pm_data_t *data,
				  timebasestruct_t *when)
{
	return shim_aix__tdata(one_cpu_of(wp, lcpuid), data, when);
}

SHIM_API int pm_get_Tdata_lcpu_wp(pm_wp_handle_t wp, int lcpuid, pm_data_t *data,
				  pm_accu_time_t *times)
{
	return shim_aix__Tdata(one_cpu_of(wp, lcpuid), data, times);
}

SHIM_API int pm_get_data_lcpu_wp_mx(pm_wp_handle_t wp, int lcpuid, pm_data_mx_t *data)
{
	return shim_aix__data_mx(one_cpu_of(wp, lcpuid), data);
}

SHIM_API int pm_get_tdata_lcpu_wp_mx(pm_wp_handle_t wp, int lcpuid, pm_data_mx_t *data,
				     timebasestruct_t *when)
{
	return shim_aix__tdata_mx(one_cpu_of(wp, lcpuid), data, when);
}
