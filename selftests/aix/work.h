/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Work whose counts are known. */
#ifndef AIX_WORK_H
#define AIX_WORK_H

#include <sys/mman.h>
#include <sys/prctl.h>
#include <time.h>

#include "aix_test.h"

#define MS	1000000ULL

/* So many page faults in user mode; no huge pages, also not those of a neighbour */
static inline void touch(int pages)
{
	long size = sysconf(_SC_PAGESIZE);
	volatile char *map;

	if (prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0))
		abort();
	map = mmap(NULL, pages * size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (map == MAP_FAILED)
		abort();
	for (int i = 0; i < pages; i++)
		map[i * size] = 1;
	munmap((void *)map, pages * size);
}

/* Two instructions a round */
static inline void spin(unsigned long rounds)
{
#if defined(__aarch64__)
	__asm__ volatile("1: sub %0, %0, #1\n cbnz %0, 1b" : "+r"(rounds));
#elif defined(__x86_64__)
	__asm__ volatile("1: sub $1, %0\n jnz 1b" : "+r"(rounds) : : "cc");
#else
	while (rounds--)
		__asm__ volatile("");
#endif
}

static inline unsigned long long cpu_time(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
	return ts.tv_sec * 1000 * MS + ts.tv_nsec;
}

static inline void burn(unsigned long long ns)
{
	unsigned long long end = cpu_time() + ns;

	while (cpu_time() < end)
		spin(10000);
}

/* Pages of memory that the process has */
static inline long resident(void)
{
	long size, pages = -1;
	FILE *f = fopen("/proc/self/statm", "r");

	if (f && fscanf(f, "%ld %ld", &size, &pages) != 2)
		pages = -1;
	if (f)
		fclose(f);
	return pages;
}

#endif /* AIX_WORK_H */
