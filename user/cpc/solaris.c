// SPDX-License-Identifier: LGPL-2.1-or-later
/* The few calls of Solaris' C library that programs use beside libcpc. */
#define _GNU_SOURCE
#include <errno.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/api.h"
#include "cpc/solaris.h"

/**
 * gethrtime() - the clock of samples
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
 * _lwp_self() - the calling thread's number
 *
 * Return: its tid, unique in the machine and not from 1 in each process.
 */
SHIM_API lwpid_t _lwp_self(void)
{
	return (lwpid_t)syscall(SYS_gettid);
}

/* The only CPU of a mask, or PBIND_NONE if there are more */
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

/* A process is bound by its threads, of which this one is meant. */
static bool is_known(idtype_t idtype, processorid_t cpu)
{
	return (idtype == P_LWPID || idtype == P_PID) && cpu >= PBIND_QUERY && cpu < CPU_SETSIZE;
}

/**
 * processor_bind() - bind a thread to a processor
 * @idtype: P_LWPID, or P_PID for a process's first thread
 * @id: the thread, or P_MYID
 * @processorid: the processor, PBIND_NONE to let it run anywhere, or PBIND_QUERY
 * @obind: gets what it was bound to before, or PBIND_NONE; may be NULL
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

/* The list of CPUs that are on, such as 0-3,5: whether it has this one */
static bool is_online(processorid_t cpu)
{
	FILE *list = fopen("/sys/devices/system/cpu/online", "re");
	int first, last, ch;
	bool found = false;

	while (list && !found && fscanf(list, "%d", &first) == 1) {
		last = first;
		ch = getc(list);
		if (ch == '-' && fscanf(list, "%d", &last) == 1)
			ch = getc(list);
		found = cpu >= first && cpu <= last;
	}
	if (list)
		fclose(list);
	return found;
}

/**
 * p_online() - whether a processor is on
 * @processorid: the processor
 * @flag: P_STATUS, or what it is already: nothing is changed here
 *
 * Return: P_ONLINE or P_OFFLINE, or -1 and errno: EINVAL (no such processor, or flag),
 * EPERM (it would have to be turned on or off).
 */
SHIM_API int p_online(processorid_t processorid, int flag)
{
	int status = is_online(processorid) ? P_ONLINE : P_OFFLINE;

	if (processorid < 0 || processorid >= sysconf(_SC_NPROCESSORS_CONF) ||
	    (flag != P_STATUS && flag != P_ONLINE && flag != P_OFFLINE && flag != P_NOINTR)) {
		errno = EINVAL;
		return -1;
	}
	if (flag == P_STATUS || flag == status)
		return status;
	errno = EPERM;
	return -1;
}
