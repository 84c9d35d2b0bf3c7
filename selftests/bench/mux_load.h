/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Loads of two phases for what takes turns: many instructions of user mode, or page faults. */
#ifndef BENCH_MUX_LOAD_H
#define BENCH_MUX_LOAD_H

#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#define MS	1000000ULL
#define SETS	4
#define SLOT	10ULL		/* ms */
#define RUN	(2400 * MS)

/* Lengths of phases; 0: drawn from 20 to 200 ms; no phases at all if it is too long */
static const struct load {
	const char *name;
	unsigned long long half;
} loads[] = {
	{ "homogeneous", ~0ULL },
	{ "square wave, period 40 ms", SETS * SLOT * MS / 2 },
	{ "square wave, 54.8 ms", SETS * SLOT * MS * 137 / 200 },
	{ "phases of 20 to 200 ms", 0 },
};

#define LOADS	(sizeof(loads) / sizeof(loads[0]))

static inline unsigned long long cpu_time(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
	return ts.tv_sec * 1000 * MS + ts.tv_nsec;
}

static inline void spin(void)
{
	for (volatile int i = 0; i < 2000; i++)
		;
}

static inline void fault(void)
{
	static volatile char *map;
	static long size;
	const int pages = 16;

	if (!map) {
		size = sysconf(_SC_PAGESIZE);
		prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0);
		map = mmap(NULL, pages * size, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		if (map == MAP_FAILED)
			abort();
	}
	madvise((void *)map, pages * size, MADV_DONTNEED);
	for (int i = 0; i < pages; i++)
		map[i * size] = 1;
}

/* For @RUN of CPU time; @mark is called every millisecond of it, or is NULL */
static inline void work(const struct load *load, unsigned int seed, void (*mark)(void *arg),
			void *arg)
{
	unsigned long long begin = cpu_time(), now = begin, next = begin, marked = begin;
	unsigned int random = seed;
	int phase = 1;

	while (now - begin < RUN) {
		if (now >= next) {
			phase = !phase;
			random = random * 1103515245 + 12345;
			next += load->half == ~0ULL ? RUN : load->half ? load->half :
				(20 + (random >> 16) % 180) * MS;
		}
		(phase ? fault : spin)();
		now = cpu_time();
		if (mark && now - marked >= MS) {
			mark(arg);
			marked = now;
		}
	}
}

#endif /* BENCH_MUX_LOAD_H */
