// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Compare cpc_buf_sub() of eight requests with a plain loop over the same number of values.
 *
 * Nothing is counted.  In the arm64 VM with -icount shift=0 a nanosecond is an instruction.
 */
#include <stdint.h>
#include <stdio.h>
#include <time.h>

#include "cpc/libcpc.h"

#define NR	8
#define ROUNDS	50
#define CALLS	100000

static cpc_t *cpc;
static cpc_buf_t *ds, *a, *b;
static struct values {
	uint64_t value[NR];
	uint64_t tick;
	int64_t time;
} plain_ds, plain_a, plain_b;

static void by_call(void)
{
	cpc_buf_sub(cpc, ds, a, b);
}

static __attribute__((noinline)) void by_loop(void)
{
	for (int i = 0; i < NR; i++)
		plain_ds.value[i] = plain_a.value[i] - plain_b.value[i];
	plain_ds.tick = plain_a.tick - plain_b.tick;
	plain_ds.time = plain_a.time > plain_b.time ? plain_a.time : plain_b.time;
	__asm__ volatile("" : : "r"(&plain_ds) : "memory");
}

static double ns(void (*call)(void))
{
	double least = 1e9;

	for (int round = 0; round < ROUNDS; round++) {
		hrtime_t start = gethrtime(), took;

		for (int i = 0; i < CALLS; i++)
			call();
		took = gethrtime() - start;
		if ((double)took / CALLS < least)
			least = (double)took / CALLS;
	}
	return least;
}

int main(void)
{
	cpc_set_t *set;
	double call, loop;

	cpc = cpc_open(CPC_VER_CURRENT);
	set = cpc ? cpc_set_create(cpc) : NULL;
	if (!set)
		return 1;
	for (int i = 0; i < NR; i++)
		if (cpc_set_add_request(cpc, set, "page-faults", 0, CPC_COUNT_USER, 0, NULL) != i)
			return 1;
	ds = cpc_buf_create(cpc, set);
	a = cpc_buf_create(cpc, set);
	b = cpc_buf_create(cpc, set);
	if (!ds || !a || !b)
		return 1;
	call = ns(by_call);
	loop = ns(by_loop);
	printf("cpc_buf_sub of %d\t%.2f ns\t%.2f of a plain loop\n", NR, call, call / loop);
	printf("a plain loop over %d\t%.2f ns\n", NR, loop);
	return cpc_close(cpc);
}
