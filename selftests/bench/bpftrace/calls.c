// SPDX-License-Identifier: GPL-2.0-or-later
/* Call a function that other programs probe, and print the CPU time per call in nanoseconds. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define CALLS	2000
#define ROUNDS	5

__attribute__((noipa)) void bench_call(int n);

/* The kernel can emulate the first instruction, so a probe on it does not single-step. */
void bench_call(int n)
{
	__asm__ volatile("nop" : : "r"(n));
}

static double cpu_time(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return t.tv_sec * 1e9 + t.tv_nsec;
}

int main(void)
{
	double best = 0, begin, spent;

	for (int round = 0; round < ROUNDS; round++) {
		begin = cpu_time();
		for (int i = 0; i < CALLS; i++)
			bench_call(i);
		spent = cpu_time() - begin;
		if (!round || spent < best)
			best = spent;
	}
	printf("%.1f\n", best / CALLS);
	return 0;
}
