// SPDX-License-Identifier: LGPL-2.1-or-later
/* Define the functions of Solaris' C library that programs use together with libcpc. */
#define _GNU_SOURCE
#include <errno.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "base/api.h"
#include "cpc/solaris.h"
#include "cpc/sys/pset.h"

/**
 * gethrtime() - read the clock of samples
 *
 * Return: nanoseconds of CLOCK_MONOTONIC.
 */
SHIM_API hrtime_t gethrtime(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000LL + ts.tv_nsec;
}

/**
 * _lwp_self() - get the calling thread's number
 *
 * Return: its tid, which is unique on the machine, and does not start at 1 in each process.
 */
SHIM_API lwpid_t _lwp_self(void)
{
	return (lwpid_t)syscall(SYS_gettid);
}

/* Return the only CPU of a mask, or PBIND_NONE if it has several. */
static processorid_t only_cpu(const cpu_set_t *mask)
{
	if (CPU_COUNT(mask) != 1)
		return PBIND_NONE;
	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
		if (CPU_ISSET(cpu, mask))
			return cpu;
	return PBIND_NONE;
}

static void choose(processorid_t cpu, cpu_set_t *mask)
{
	CPU_ZERO(mask);
	for (int i = 0; i < CPU_SETSIZE; i++)
		if (cpu == PBIND_NONE || cpu == i)
			CPU_SET(i, mask);
}

/*
 * Check the arguments of processor_bind().  P_PID means the thread that has the process's number,
 * because Linux binds only threads.
 */
static bool is_known(idtype_t idtype, processorid_t cpu)
{
	return (idtype == P_LWPID || idtype == P_PID) && cpu >= PBIND_QUERY && cpu < CPU_SETSIZE;
}

/**
 * processor_bind() - bind a thread to a processor
 * @idtype: P_LWPID, or P_PID for a process's first thread
 * @id: the thread, or P_MYID
 * @processorid: the processor, PBIND_NONE to unbind, or PBIND_QUERY
 * @obind: set to the previous binding, or PBIND_NONE; may be NULL
 *
 * Return: 0, or -1 and errno: EINVAL, ESRCH, EPERM.
 */
SHIM_API int processor_bind(idtype_t idtype, id_t id, processorid_t processorid,
			    processorid_t *obind)
{
	pid_t tid = id == P_MYID ? 0 : (pid_t)id;
	cpu_set_t before, mask;

	if (!is_known(idtype, processorid)) {
		errno = EINVAL;
		return -1;
	}
	if (sched_getaffinity(tid, sizeof(before), &before))
		return -1;
	choose(processorid, &mask);
	if (processorid != PBIND_QUERY && sched_setaffinity(tid, sizeof(mask), &mask))
		return -1;
	if (obind)
		*obind = only_cpu(&before);
	return 0;
}

static bool is_processor(processorid_t cpu)
{
	return cpu >= 0 && cpu < sysconf(_SC_NPROCESSORS_CONF);
}

/*
 * Check whether a CPU is in the kernel's list of online CPUs, such as 0-3,5.  Return 1, 0, or -1
 * and errno.
 */
static int is_online(processorid_t cpu)
{
	FILE *list = fopen("/sys/devices/system/cpu/online", "re");
	int first, last, ch, found = 0;

	if (!list)
		return -1;
	while (!found && fscanf(list, "%d", &first) == 1) {
		last = first;
		ch = getc(list);
		if (ch == '-' && fscanf(list, "%d", &last) == 1)
			ch = getc(list);
		found = cpu >= first && cpu <= last;
	}
	if (!found && ferror(list))
		found = -1;
	fclose(list);
	return found;
}

/**
 * p_online() - query whether a processor is online
 * @processorid: the processor
 * @flag: P_STATUS, or its current state: the state is never changed
 *
 * Return: P_ONLINE or P_OFFLINE, or -1 and errno: EINVAL (no such processor or flag), EPERM (the
 * state would change), or an error from reading the kernel's list.
 */
SHIM_API int p_online(processorid_t processorid, int flag)
{
	int online, status;

	if (!is_processor(processorid) ||
	    (flag != P_STATUS && flag != P_ONLINE && flag != P_OFFLINE && flag != P_NOINTR)) {
		errno = EINVAL;
		return -1;
	}
	online = is_online(processorid);
	if (online < 0)
		return -1;
	status = online ? P_ONLINE : P_OFFLINE;
	if (flag == P_STATUS || flag == status)
		return status;
	errno = EPERM;
	return -1;
}

/* Return a processor's maximum frequency, from the kernel or else from /proc/cpuinfo. */
static int mhz_of(processorid_t cpu)
{
	char path[96], line[128];
	double mhz = 0;
	int khz = 0, at = -1;
	FILE *file;

	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%d/cpufreq/cpuinfo_max_freq", cpu);
	file = fopen(path, "re");
	if (file) {
		if (fscanf(file, "%d", &khz) != 1)
			khz = 0;
		fclose(file);
		return khz / 1000;
	}
	file = fopen("/proc/cpuinfo", "re");
	while (file && !mhz && fgets(line, sizeof(line), file))
		if (sscanf(line, "processor : %d", &at) != 1 && at == cpu)
			sscanf(line, "cpu MHz : %lf", &mhz);
	if (file)
		fclose(file);
	return (int)mhz;
}

/**
 * processor_info() - get state, type and clock of a processor
 * @processorid: the processor
 * @infop: filled in; fields that Linux does not provide are empty or 0
 *
 * Return: 0, or -1 and errno: EINVAL (no such processor), EFAULT, or an error from reading the
 * kernel's list of online processors.
 */
SHIM_API int processor_info(processorid_t processorid, processor_info_t *infop)
{
	struct utsname name;
	int online;

	if (!is_processor(processorid) || !infop) {
		errno = infop ? EINVAL : EFAULT;
		return -1;
	}
	online = is_online(processorid);
	if (online < 0)
		return -1;
	*infop = (processor_info_t) {
		.pi_state = online ? P_ONLINE : P_OFFLINE,
		.pi_clock = mhz_of(processorid),
	};
	if (!uname(&name))
		memcpy(infop->pi_processor_type, name.machine,
		       strnlen(name.machine, PI_TYPELEN - 1));
	return 0;
}

/* Query or leave processor sets.  Nothing else succeeds, because Linux has none. */
static int no_set(psetid_t pset, bool exists, int missing, psetid_t *opset)
{
	if (!exists || (pset != PS_NONE && pset != PS_QUERY && pset != PS_MYID)) {
		errno = exists ? EINVAL : missing;
		return -1;
	}
	if (opset)
		*opset = PS_NONE;
	return 0;
}

/**
 * pset_bind() - bind a thread or process to a processor set, of which Linux has none
 * @pset: PS_QUERY, PS_NONE or PS_MYID, which is PS_NONE
 * @idtype: P_LWPID or P_PID
 * @id: the thread or process, or P_MYID
 * @opset: set to PS_NONE; may be NULL
 *
 * Return: 0, or -1 and errno: EINVAL (no such set, or idtype), ESRCH.
 */
SHIM_API int pset_bind(psetid_t pset, idtype_t idtype, id_t id, psetid_t *opset)
{
	cpu_set_t mask;

	if (idtype != P_LWPID && idtype != P_PID) {
		errno = EINVAL;
		return -1;
	}
	return no_set(pset, !sched_getaffinity(id == P_MYID ? 0 : (pid_t)id, sizeof(mask), &mask),
		      ESRCH, opset);
}

/**
 * pset_assign() - assign a processor to a processor set, of which Linux has none
 * @pset: PS_QUERY, PS_NONE or PS_MYID, which is PS_NONE
 * @cpu: the processor
 * @opset: set to PS_NONE; may be NULL
 *
 * Return: 0, or -1 and errno: EINVAL (no such processor or set).
 */
SHIM_API int pset_assign(psetid_t pset, processorid_t cpu, psetid_t *opset)
{
	return no_set(pset, is_processor(cpu), EINVAL, opset);
}
