/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Perform work with known counts for tests of counters, independent of the API. */
#ifndef SELFTESTS_KNOWN_WORK_H
#define SELFTESTS_KNOWN_WORK_H

#include <fcntl.h>
#include <linux/types.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

/*
 * Cause exactly @pages page faults in user mode.  Disable huge pages in the whole process: the new
 * mapping may be merged with an adjacent thread stack, and a page fault in another thread could
 * then map a huge page that covers part of it.
 */
static inline void touch(int pages)
{
	long size = sysconf(_SC_PAGESIZE);
	volatile char *map;
	int i;

	if (!pages)
		return;
	if (prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0))
		abort();
	map = mmap(NULL, pages * size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (map == MAP_FAILED)
		abort();
	for (i = 0; i < pages; i++)
		map[i * size] = 1;
	munmap((void *)map, pages * size);
}

/* Execute exactly 2 * @rounds instructions, and a few before and after them. */
static inline void spin(unsigned long rounds)
{
	if (!rounds)
		return;
#if defined(__aarch64__)
	__asm__ volatile("1: sub %0, %0, #1\n cbnz %0, 1b" : "+r"(rounds));
#elif defined(__x86_64__)
	__asm__ volatile("1: sub $1, %0\n jnz 1b" : "+r"(rounds) : : "cc");
#else
	while (rounds--)
		__asm__ volatile("");
#endif
}

#define MS	1000000ULL	/* ns */

/* Return the calling thread's CPU time in ns. */
static inline __u64 cpu_time(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
	return ts.tv_sec * 1000 * MS + ts.tv_nsec;
}

/* Use @ns of CPU time. */
static inline void burn(__u64 ns)
{
	__u64 end = cpu_time() + ns;

	while (cpu_time() < end)
		spin(10000);
}

/* Return the number of open files among the first thousand descriptors. */
static inline int open_files(void)
{
	int fd, n = 0;

	for (fd = 0; fd < 1024; fd++)
		n += fcntl(fd, F_GETFD) >= 0;
	return n;
}

#endif /* SELFTESTS_KNOWN_WORK_H */
