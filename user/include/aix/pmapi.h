/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * AIX's Performance Monitor API on Linux: contexts of 64-bit counters for the
 * system, threads and groups of threads.  Multiplexing counts more events than the processor has
 * counters.
 *
 * Calls return 0 or a positive error, which is one of the errors below or an errno.
 * Documentation/api/aix.rst lists the differences from AIX.
 */
#ifndef SHIM_AIX_PMAPI_H
#define SHIM_AIX_PMAPI_H

#include <stddef.h>
#include <sys/types.h>

#include "sys/corralid.h"

#ifdef __cplusplus
extern "C" {
#endif

#define MAX_COUNTERS		8
#define MIN_THRESH_VALUE	0
#define MAX_THRESH_VALUE	63
#define COUNT_NOTHING		(-1)

/* The filter of pm_init() and pm_initialize(), which selects the events to list */
#define PM_VERIFIED		1
#define PM_UNVERIFIED		2
#define PM_CAVEAT		4
#define PM_GET_GROUPS		8
#define PM_MAX_FILTER		4

/* Processor types; this machine is PM_CURRENT and none of the others */
#define PM_CURRENT		(-1)
#define PM_PowerPC604		0
#define PM_PowerPC604e		1
#define PM_RS64_II		2
#define PM_POWER3		3
#define PM_RS64_III		4
#define PM_POWER3_II		5
#define PM_POWER4		6
#define PM_MPC7450		7
#define PM_POWER4_II		8
#define PM_POWER5		9
#define PM_PowerPC970		10
#define PM_POWER5_II		11
#define PM_POWER6		12
#define PM_PowerPC970MP		13
#define PM_POWERCOMPAT		14
#define PM_POWER7		15
#define PM_MAXPROCTYPE		15

/* Masks of the member w of pm_mode_t */
#define PM_PROCTREE		0x01
#define PM_COUNT		0x02
#define PM_USER			0x04
#define PM_KERNEL		0x08
#define PM_PROCESS		0x10
#define THRESH_SHIFT_MODE	26

/* Errors in addition to errno's numbers */
#define Pmapi_ContextExists		59	/* the target already has a program */
#define Pmapi_NotCounting		85	/* counting was not started */
#define Pmapi_NoInit			201	/* pm_init() or pm_initialize() was not called */
#define Pmapi_NoSetProg			202	/* the target has no program */
#define Pmapi_Malloc_Err		203	/* out of memory */
#define Pmapi_InvalidEvent		204	/* the event is not in the counter's table */
#define Pmapi_InvalidGroup		205	/* no such group */
#define Pmapi_GroupRequired		206	/* the event can be counted only in groups */
#define Pmapi_InvalidMode		207	/* mode unsupported by this call or platform */
#define Pmapi_InvalidThreshold		208	/* no event of this machine has a threshold */
#define Pmapi_InvalidSlice		209	/* the slice is not 10 to 30000 ms */
#define Pmapi_InvalidSetCount		210	/* no sets, or too many */
#define Pmapi_WrongKind			211	/* not a call for this program's number of sets */
#define Pmapi_Locked			212	/* the system's and threads' contexts exclude each other */
#define Pmapi_NotDebugger		213	/* the target is not traced by the caller and stopped */
#define Pmapi_BadCpu			214	/* no such processor, or it was not online */
#define Pmapi_InvalidProctype		215	/* no such processor type */
#define Pmapi_Unsupported		216	/* not supported on Linux */
#define Pmapi_NoCounters		217	/* the counters cannot count this, or are in use */

#ifndef SHIM_HAVE_TID_T
#define SHIM_HAVE_TID_T
typedef pid_t tid_t;
#endif
typedef unsigned int ptid_t;
typedef unsigned long long pm_wp_handle_t;
#define PM_INVALID_WP_HANDLE	((pm_wp_handle_t)-1)

typedef int pm_events_prog_t[MAX_COUNTERS];
typedef unsigned int pm_mmcrs_prog_t[MAX_COUNTERS];

/*
 * Times.  RTC_POWER_PC means ticks of one nanosecond, a 64-bit number in tb_high and tb_low.
 * RTC_POWER means seconds and nanoseconds.
 */
#ifndef SHIM_HAVE_TIMEBASE
#define SHIM_HAVE_TIMEBASE
#define RTC_POWER		1
#define RTC_POWER_PC		2

typedef struct timebasestruct {
	int flag;
	unsigned int tb_high;
	unsigned int tb_low;
} timebasestruct_t;

#define TIMEBASE_SZ		(sizeof(struct timebasestruct))

int read_real_time(timebasestruct_t *t, size_t size);
int read_wall_time(timebasestruct_t *t, size_t size);
int mread_real_time(timebasestruct_t *t, size_t size);
int time_base_to_time(timebasestruct_t *t, size_t size);
#endif

/* The order of bit-fields depends on the machine, but the bits of w must not. */
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define SHIM_AIX_LOW_FIRST	1
#endif

typedef union {
	int w;
	struct {
#ifdef SHIM_AIX_LOW_FIRST
		unsigned int proctree : 1;
		unsigned int count : 1;
		unsigned int user : 1;
		unsigned int kernel : 1;
		unsigned int process : 1;
		unsigned int is_group : 1;
		unsigned int spare : 13;
		unsigned int no_inherit : 1;
		unsigned int wpar_all : 1;
		unsigned int nointerrupt : 1;
		unsigned int thresh_hres : 1;
		unsigned int hypervisor : 1;
		unsigned int runlatch : 1;
		unsigned int thresh_res : 1;
		unsigned int threshold : 6;
#else
		unsigned int threshold : 6;
		unsigned int thresh_res : 1;
		unsigned int runlatch : 1;
		unsigned int hypervisor : 1;
		unsigned int thresh_hres : 1;
		unsigned int nointerrupt : 1;
		unsigned int wpar_all : 1;
		unsigned int no_inherit : 1;
		unsigned int spare : 13;
		unsigned int is_group : 1;
		unsigned int process : 1;
		unsigned int kernel : 1;
		unsigned int user : 1;
		unsigned int count : 1;
		unsigned int proctree : 1;
#endif
	} b;
} pm_mode_t;

typedef union {
	int w;
	struct {
#ifdef SHIM_AIX_LOW_FIRST
		unsigned int spare2 : 9;
		unsigned int sharedchip : 1;
		unsigned int marked : 1;
		unsigned int overflow : 1;
		unsigned int support_mode : 1;
		unsigned int shared : 1;
		unsigned int threshold : 1;
		unsigned int group_only : 1;
		unsigned int spare1 : 12;
		unsigned int broken : 1;
		unsigned int caveat : 1;
		unsigned int verified : 1;
		unsigned int unverified : 1;
#else
		unsigned int unverified : 1;
		unsigned int verified : 1;
		unsigned int caveat : 1;
		unsigned int broken : 1;
		unsigned int spare1 : 12;
		unsigned int group_only : 1;
		unsigned int threshold : 1;
		unsigned int shared : 1;
		unsigned int support_mode : 1;
		unsigned int overflow : 1;
		unsigned int marked : 1;
		unsigned int sharedchip : 1;
		unsigned int spare2 : 9;
#endif
	} b;
} pm_status_t;

typedef union {
	int w;
	struct {
#ifdef SHIM_AIX_LOW_FIRST
		unsigned int hypervisor : 1;
		unsigned int runlatch : 1;
		unsigned int purr : 1;
		unsigned int spurr : 1;
		unsigned int compatibility : 1;
		unsigned int spare : 27;
#else
		unsigned int spare : 27;
		unsigned int compatibility : 1;
		unsigned int spurr : 1;
		unsigned int purr : 1;
		unsigned int runlatch : 1;
		unsigned int hypervisor : 1;
#endif
	} b;
} pm_feature_t;

typedef struct {
	int members;
	union {
		int w;
		struct {
#ifdef SHIM_AIX_LOW_FIRST
			unsigned int consistent : 1;
			unsigned int process : 1;
			unsigned int direct : 1;
			unsigned int spare : 29;
#else
			unsigned int spare : 29;
			unsigned int direct : 1;
			unsigned int process : 1;
			unsigned int consistent : 1;
#endif
		} b;
	} flags;
} pm_ginfo_t;

/* Events and groups of events; the library owns the tables and never frees them */
typedef struct {
	int event_id;
	char status;
	char threshold;
	char *short_name;
	char *long_name;
	char *description;
} pm_events_t;

typedef struct {
	int event_id;
	pm_status_t status;
	char *short_name;
	char *long_name;
	char *description;
	long reserved;
} pm_events2_t;

typedef struct {
	int maxpmcs;
	int *maxevents;
	pm_events_t **list_events;
	int thresholdmult;
	char *proc_name;
	int hthresholdmult;
} pm_info_t;

typedef struct {
	int maxpmcs;
	int *maxevents;
	pm_events2_t **list_events;
	int thresholdmult;
	int hthresholdmult;
	int Hthresholdmult;
	int reserved;
	char *proc_name;
	pm_feature_t proc_feature;
	int reserved2;
} pm_info2_t;

typedef struct {
	int group_id;
	int *events;
	char *short_name;
	char *long_name;
	char *description;
} pm_groups_t;

typedef struct {
	int maxgroups;
	pm_groups_t *event_groups;
} pm_groups_info_t;

/* Programs: one set of events, several sets with one mode, several sets with their own modes */
typedef struct {
	pm_mode_t mode;
	int events[MAX_COUNTERS];
	long reserved;
} pm_prog_t;

typedef struct {
	pm_mode_t mode;
	int slice_duration;
	int nb_events_prog;
	pm_events_prog_t *events_set;
} pm_prog_mx_t;

typedef struct {
	int slice_duration;
	int nb_set_prog;
	pm_prog_t *prog_set;
} pm_prog_mm_t;

/* Results */
typedef struct {
	pm_ginfo_t ginfo;
	long long accu[MAX_COUNTERS];
	long reserved;
} pm_data_t;

typedef struct {
	timebasestruct_t accu_timebase;
	timebasestruct_t accu_purr;
	timebasestruct_t accu_spurr;
} pm_accu_time_t;

typedef struct {
	timebasestruct_t accu_time;
	timebasestruct_t accu_purr;
	timebasestruct_t accu_spurr;
	long long accu_data[MAX_COUNTERS];
} pm_accu_mx_t;

typedef struct {
	pm_ginfo_t ginfo;
	int nb_accu_mx;
	int nb_mx_round;
	pm_accu_mx_t *accu_set;
} pm_data_mx_t;

#ifndef MAXWPARNAMELEN
#define MAXWPARNAMELEN		25
#endif

typedef struct {
	cid_t cid;
	char name[MAXWPARNAMELEN + 1];
	pm_wp_handle_t hwpar;
} pm_wpar_ctx_info_t;

/*
 * The library; if PMAPI_OLD_PM_INIT is defined, pm_init() may have two arguments as in the oldest
 * programs
 */
#ifdef PMAPI_OLD_PM_INIT
int pm_init(int filter, pm_info_t *info, ...);
#else
int pm_init(int filter, pm_info_t *info, pm_groups_info_t *groups);
#endif
int pm_initialize(int filter, pm_info2_t *info, pm_groups_info_t *groups, int proctype);
int pm_get_procindex(void);
double pm_cycles(void);
void pm_error(const char *where, int error);
char *pm_strerror(const char *where, int error);

/* System */
int pm_set_program(pm_prog_t *prog);
int pm_set_program_mx(pm_prog_mx_t *prog);
int pm_set_program_mm(pm_prog_mm_t *prog);
int pm_get_program(pm_prog_t *prog);
int pm_get_program_mx(pm_prog_mx_t *prog);
int pm_get_program_mm(pm_prog_mm_t *prog);
int pm_start(void);
int pm_tstart(timebasestruct_t *when);
int pm_stop(void);
int pm_tstop(timebasestruct_t *when);
int pm_reset_data(void);
int pm_get_data(pm_data_t *data);
int pm_get_tdata(pm_data_t *data, timebasestruct_t *when);
int pm_get_Tdata(pm_data_t *data, pm_accu_time_t *times);
int pm_get_data_mx(pm_data_mx_t *data);
int pm_get_tdata_mx(pm_data_mx_t *data, timebasestruct_t *when);
int pm_delete_program(void);

/* System, one processor */
int pm_get_data_cpu(int cpuid, pm_data_t *data);
int pm_get_tdata_cpu(int cpuid, pm_data_t *data, timebasestruct_t *when);
int pm_get_Tdata_cpu(int cpuid, pm_data_t *data, pm_accu_time_t *times);
int pm_get_data_cpu_mx(int cpuid, pm_data_mx_t *data);
int pm_get_tdata_cpu_mx(int cpuid, pm_data_mx_t *data, timebasestruct_t *when);
int pm_get_data_lcpu(int lcpuid, pm_data_t *data);
int pm_get_tdata_lcpu(int lcpuid, pm_data_t *data, timebasestruct_t *when);
int pm_get_Tdata_lcpu(int lcpuid, pm_data_t *data, pm_accu_time_t *times);
int pm_get_data_lcpu_mx(int lcpuid, pm_data_mx_t *data);
int pm_get_tdata_lcpu_mx(int lcpuid, pm_data_mx_t *data, timebasestruct_t *when);

/* System, one workload partition */
int pm_get_wplist(const char *name, pm_wpar_ctx_info_t *list, int *size);
int pm_set_program_wp(cid_t cid, pm_prog_t *prog);
int pm_set_program_wp_mm(cid_t cid, pm_prog_mm_t *prog);
int pm_get_program_wp(cid_t cid, pm_prog_t *prog);
int pm_get_program_wp_mm(cid_t cid, pm_prog_mm_t *prog);
int pm_start_wp(cid_t cid);
int pm_tstart_wp(cid_t cid, timebasestruct_t *when);
int pm_stop_wp(cid_t cid);
int pm_tstop_wp(cid_t cid, timebasestruct_t *when);
int pm_reset_data_wp(cid_t cid);
int pm_delete_program_wp(cid_t cid);
int pm_get_data_wp(pm_wp_handle_t wp, pm_data_t *data);
int pm_get_tdata_wp(pm_wp_handle_t wp, pm_data_t *data, timebasestruct_t *when);
int pm_get_Tdata_wp(pm_wp_handle_t wp, pm_data_t *data, pm_accu_time_t *times);
int pm_get_data_wp_mx(pm_wp_handle_t wp, pm_data_mx_t *data);
int pm_get_tdata_wp_mx(pm_wp_handle_t wp, pm_data_mx_t *data, timebasestruct_t *when);
int pm_get_data_lcpu_wp(pm_wp_handle_t wp, int lcpuid, pm_data_t *data);
int pm_get_tdata_lcpu_wp(pm_wp_handle_t wp, int lcpuid, pm_data_t *data,
			 timebasestruct_t *when);
int pm_get_Tdata_lcpu_wp(pm_wp_handle_t wp, int lcpuid, pm_data_t *data, pm_accu_time_t *times);
int pm_get_data_lcpu_wp_mx(pm_wp_handle_t wp, int lcpuid, pm_data_mx_t *data);
int pm_get_tdata_lcpu_wp_mx(pm_wp_handle_t wp, int lcpuid, pm_data_mx_t *data,
			    timebasestruct_t *when);

/* First party, calling thread */
int pm_set_program_mythread(pm_prog_t *prog);
int pm_set_program_mythread_mx(pm_prog_mx_t *prog);
int pm_get_program_mythread(pm_prog_t *prog);
int pm_get_program_mythread_mx(pm_prog_mx_t *prog);
int pm_start_mythread(void);
int pm_tstart_mythread(timebasestruct_t *when);
int pm_stop_mythread(void);
int pm_tstop_mythread(timebasestruct_t *when);
int pm_reset_data_mythread(void);
int pm_get_data_mythread(pm_data_t *data);
int pm_get_tdata_mythread(pm_data_t *data, timebasestruct_t *when);
int pm_get_Tdata_mythread(pm_data_t *data, pm_accu_time_t *times);
int pm_get_data_mythread_mx(pm_data_mx_t *data);
int pm_get_tdata_mythread_mx(pm_data_mx_t *data, timebasestruct_t *when);
int pm_delete_program_mythread(void);
int pm_set_program_mythread_mm(pm_prog_mm_t *prog);
int pm_get_program_mythread_mm(pm_prog_mm_t *prog);

/* Third party, kernel thread */
int pm_set_program_thread(pid_t pid, tid_t tid, pm_prog_t *prog);
int pm_set_program_thread_mx(pid_t pid, tid_t tid, pm_prog_mx_t *prog);
int pm_set_program_thread_mm(pid_t pid, tid_t tid, pm_prog_mm_t *prog);
int pm_get_program_thread(pid_t pid, tid_t tid, pm_prog_t *prog);
int pm_get_program_thread_mx(pid_t pid, tid_t tid, pm_prog_mx_t *prog);
int pm_get_program_thread_mm(pid_t pid, tid_t tid, pm_prog_mm_t *prog);
int pm_start_thread(pid_t pid, tid_t tid);
int pm_tstart_thread(pid_t pid, tid_t tid, timebasestruct_t *when);
int pm_stop_thread(pid_t pid, tid_t tid);
int pm_tstop_thread(pid_t pid, tid_t tid, timebasestruct_t *when);
int pm_reset_data_thread(pid_t pid, tid_t tid);
int pm_get_data_thread(pid_t pid, tid_t tid, pm_data_t *data);
int pm_get_tdata_thread(pid_t pid, tid_t tid, pm_data_t *data, timebasestruct_t *when);
int pm_get_Tdata_thread(pid_t pid, tid_t tid, pm_data_t *data, pm_accu_time_t *times);
int pm_get_data_thread_mx(pid_t pid, tid_t tid, pm_data_mx_t *data);
int pm_get_tdata_thread_mx(pid_t pid, tid_t tid, pm_data_mx_t *data, timebasestruct_t *when);
int pm_delete_program_thread(pid_t pid, tid_t tid);

/* Third party, pthread */
int pm_set_program_pthread(pid_t pid, tid_t tid, ptid_t ptid, pm_prog_t *prog);
int pm_set_program_pthread_mx(pid_t pid, tid_t tid, ptid_t ptid, pm_prog_mx_t *prog);
int pm_set_program_pthread_mm(pid_t pid, tid_t tid, ptid_t ptid, pm_prog_mm_t *prog);
int pm_get_program_pthread(pid_t pid, tid_t tid, ptid_t ptid, pm_prog_t *prog);
int pm_get_program_pthread_mx(pid_t pid, tid_t tid, ptid_t ptid, pm_prog_mx_t *prog);
int pm_get_program_pthread_mm(pid_t pid, tid_t tid, ptid_t ptid, pm_prog_mm_t *prog);
int pm_start_pthread(pid_t pid, tid_t tid, ptid_t ptid);
int pm_tstart_pthread(pid_t pid, tid_t tid, ptid_t ptid, timebasestruct_t *when);
int pm_stop_pthread(pid_t pid, tid_t tid, ptid_t ptid);
int pm_tstop_pthread(pid_t pid, tid_t tid, ptid_t ptid, timebasestruct_t *when);
int pm_reset_data_pthread(pid_t pid, tid_t tid, ptid_t ptid);
int pm_get_data_pthread(pid_t pid, tid_t tid, ptid_t ptid, pm_data_t *data);
int pm_get_tdata_pthread(pid_t pid, tid_t tid, ptid_t ptid, pm_data_t *data,
			 timebasestruct_t *when);
int pm_get_Tdata_pthread(pid_t pid, tid_t tid, ptid_t ptid, pm_data_t *data,
			 pm_accu_time_t *times);
int pm_get_data_pthread_mx(pid_t pid, tid_t tid, ptid_t ptid, pm_data_mx_t *data);
int pm_get_tdata_pthread_mx(pid_t pid, tid_t tid, ptid_t ptid, pm_data_mx_t *data,
			    timebasestruct_t *when);
int pm_delete_program_pthread(pid_t pid, tid_t tid, ptid_t ptid);

/* First party, group of the calling thread */
int pm_set_program_mygroup(pm_prog_t *prog);
int pm_set_program_mygroup_mx(pm_prog_mx_t *prog);
int pm_set_program_mygroup_mm(pm_prog_mm_t *prog);
int pm_get_program_mygroup(pm_prog_t *prog);
int pm_get_program_mygroup_mx(pm_prog_mx_t *prog);
int pm_get_program_mygroup_mm(pm_prog_mm_t *prog);
int pm_start_mygroup(void);
int pm_tstart_mygroup(timebasestruct_t *when);
int pm_stop_mygroup(void);
int pm_tstop_mygroup(timebasestruct_t *when);
int pm_reset_data_mygroup(void);
int pm_get_data_mygroup(pm_data_t *data);
int pm_get_tdata_mygroup(pm_data_t *data, timebasestruct_t *when);
int pm_get_Tdata_mygroup(pm_data_t *data, pm_accu_time_t *times);
int pm_get_data_mygroup_mx(pm_data_mx_t *data);
int pm_get_tdata_mygroup_mx(pm_data_mx_t *data, timebasestruct_t *when);
int pm_delete_program_mygroup(void);

/* Third party, group of a kernel thread */
int pm_set_program_group(pid_t pid, tid_t tid, pm_prog_t *prog);
int pm_set_program_group_mx(pid_t pid, tid_t tid, pm_prog_mx_t *prog);
int pm_set_program_group_mm(pid_t pid, tid_t tid, pm_prog_mm_t *prog);
int pm_get_program_group(pid_t pid, tid_t tid, pm_prog_t *prog);
int pm_get_program_group_mx(pid_t pid, tid_t tid, pm_prog_mx_t *prog);
int pm_get_program_group_mm(pid_t pid, tid_t tid, pm_prog_mm_t *prog);
int pm_start_group(pid_t pid, tid_t tid);
int pm_tstart_group(pid_t pid, tid_t tid, timebasestruct_t *when);
int pm_stop_group(pid_t pid, tid_t tid);
int pm_tstop_group(pid_t pid, tid_t tid, timebasestruct_t *when);
int pm_reset_data_group(pid_t pid, tid_t tid);
int pm_get_data_group(pid_t pid, tid_t tid, pm_data_t *data);
int pm_get_tdata_group(pid_t pid, tid_t tid, pm_data_t *data, timebasestruct_t *when);
int pm_get_Tdata_group(pid_t pid, tid_t tid, pm_data_t *data, pm_accu_time_t *times);
int pm_get_data_group_mx(pid_t pid, tid_t tid, pm_data_mx_t *data);
int pm_get_tdata_group_mx(pid_t pid, tid_t tid, pm_data_mx_t *data, timebasestruct_t *when);
int pm_delete_program_group(pid_t pid, tid_t tid);

/* Third party, group of a pthread */
int pm_set_program_pgroup(pid_t pid, tid_t tid, ptid_t ptid, pm_prog_t *prog);
int pm_set_program_pgroup_mx(pid_t pid, tid_t tid, ptid_t ptid, pm_prog_mx_t *prog);
int pm_set_program_pgroup_mm(pid_t pid, tid_t tid, ptid_t ptid, pm_prog_mm_t *prog);
int pm_get_program_pgroup(pid_t pid, tid_t tid, ptid_t ptid, pm_prog_t *prog);
int pm_get_program_pgroup_mx(pid_t pid, tid_t tid, ptid_t ptid, pm_prog_mx_t *prog);
int pm_get_program_pgroup_mm(pid_t pid, tid_t tid, ptid_t ptid, pm_prog_mm_t *prog);
int pm_start_pgroup(pid_t pid, tid_t tid, ptid_t ptid);
int pm_tstart_pgroup(pid_t pid, tid_t tid, ptid_t ptid, timebasestruct_t *when);
int pm_stop_pgroup(pid_t pid, tid_t tid, ptid_t ptid);
int pm_tstop_pgroup(pid_t pid, tid_t tid, ptid_t ptid, timebasestruct_t *when);
int pm_reset_data_pgroup(pid_t pid, tid_t tid, ptid_t ptid);
int pm_get_data_pgroup(pid_t pid, tid_t tid, ptid_t ptid, pm_data_t *data);
int pm_get_tdata_pgroup(pid_t pid, tid_t tid, ptid_t ptid, pm_data_t *data,
			timebasestruct_t *when);
int pm_get_Tdata_pgroup(pid_t pid, tid_t tid, ptid_t ptid, pm_data_t *data,
			pm_accu_time_t *times);
int pm_get_data_pgroup_mx(pid_t pid, tid_t tid, ptid_t ptid, pm_data_mx_t *data);
int pm_get_tdata_pgroup_mx(pid_t pid, tid_t tid, ptid_t ptid, pm_data_mx_t *data,
			   timebasestruct_t *when);
int pm_delete_program_pgroup(pid_t pid, tid_t tid, ptid_t ptid);

/* Not supported on Linux: these calls return Pmapi_Unsupported. */
int pm_set_counter_frequency_mythread(unsigned int counter_freq[MAX_COUNTERS]);
int pm_set_counter_frequency_thread(pid_t pid, tid_t tid, unsigned int counter_freq[MAX_COUNTERS]);
int pm_set_counter_frequency_pthread(pid_t pid, tid_t tid, ptid_t ptid,
				     unsigned int counter_freq[MAX_COUNTERS]);
int pm_set_ebb_handler(void *handler, void *data);
int pm_clear_ebb_handler(void **old_handler, void **old_data);
int pm_enable_bhrb(int mode);
int pm_disable_bhrb(void);

#ifdef __cplusplus
}
#endif

#endif /* SHIM_AIX_PMAPI_H */
