// SPDX-License-Identifier: GPL-2.0-or-later
/* Perform the transactions of ../trace_tags.c through two functions that bpftrace probes. */
#include <string.h>

#include "../trace_tags.h"

#define CALLS	4000

/* The kernel can emulate their first instruction, so a probe on it does not single-step. */
__attribute__((noipa)) void bench_begin(const char *tag);
__attribute__((noipa)) void bench_end(const char *tag);

void bench_begin(const char *tag)
{
	__asm__ volatile("nop" : : "r"(tag));
}

void bench_end(const char *tag)
{
	__asm__ volatile("nop; nop" : : "r"(tag));
}

static void pair(const char *tag)
{
	bench_begin(tag);
	bench_end(tag);
}

int main(int argc, char **argv)
{
	struct tags_load load = { .call = pair };

	if (argc < 3)
		return 2;
	load.tags = atoi(argv[1]);
	load.threads = atoi(argv[2]);
	load.calls = CALLS / load.threads;
	if (load.calls < 2 * load.tags / load.threads)
		load.calls = 2 * load.tags / load.threads;
	printf("%.1f\n", tags_cost(&load));
	return 0;
}
