// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Compare cpc_set_sample() of four requests with PAPI_read() and with read() of a perf group of the
 * same four events, including their system calls.
 *
 * In the arm64 VM with -icount shift=0 a nanosecond is an instruction.
 */
#include "counters.h"
#include "cpc/libcpc.h"
#include "papi.h"

#define NR	4
#define ROUNDS	20
#define CALLS	1000

/* Architected events: an emulated PMU accepts all of them, and counts the first two. */
static const struct {
	const char *papi;
	const char *cpc;
	__u64 config;
} events[NR] = {
	{ "INST_RETIRED", "0x8", 0x8 },
	{ "CPU_CYCLES", "0x11", 0x11 },
	{ "BRANCH_MISPRED", "0x10", 0x10 },
	{ "L1I_CACHE_REFILL", "0x1", 0x1 },
};

static cpc_t *cpc;
static cpc_set_t *set;
static cpc_buf_t *buf;
static int papi_set;
static int group[MAX_COUNTERS];

static void cpc_read(void)
{
	if (cpc_set_sample(cpc, set, buf))
		die("cpc_set_sample");
}

static void perf_read(void)
{
	__u64 words[3 + NR];

	if (read(group[0], words, sizeof(words)) != sizeof(words))
		die("read of the group");
}

#ifdef HAVE_PAPI
static void papi_read(void)
{
	long long values[NR];

	if (PAPI_read(papi_set, values) != PAPI_OK)
		die("PAPI_read");
}
#endif

/* Return the minimum of several rounds, because interrupts only add time. */
static double cost(void (*call)(void))
{
	__u64 start, took, least = ~0ULL;
	int round, i;

	for (round = 0; round < ROUNDS; round++) {
		start = now();
		for (i = 0; i < CALLS; i++)
			call();
		took = now() - start;
		if (took < least)
			least = took;
	}
	return (double)least / CALLS;
}

static double by_cpc(void)
{
	double took;
	int i;

	cpc = cpc_open(CPC_VER_CURRENT);
	set = cpc ? cpc_set_create(cpc) : NULL;
	if (!set)
		die("cpc_open");
	for (i = 0; i < NR; i++)
		if (cpc_set_add_request(cpc, set, events[i].cpc, 0, CPC_COUNT_USER, 0, NULL) != i)
			die("cpc_set_add_request");
	buf = cpc_buf_create(cpc, set);
	if (!buf || cpc_bind_curlwp(cpc, set, 0))
		die("cpc_bind_curlwp");
	took = cost(cpc_read);
	cpc_close(cpc);
	return took;
}

static double by_perf(void)
{
	struct event raw[MAX_COUNTERS] = { 0 };
	double took;
	int i;

	for (i = 0; i < NR; i++)
		raw[i] = (struct event){ PERF_TYPE_RAW, events[i].config };
	open_group(raw, NR, group);
	took = cost(perf_read);
	close_group(group, NR);
	return took;
}

/* Return 0, and print a message, if PAPI is not available. */
static double by_papi(const char *why)
{
	double took = 0;

	if (why) {
		printf("PAPI_read of %d\tnot measured: %s\n", NR, why);
		return 0;
	}
#ifdef HAVE_PAPI
	papi_set = PAPI_NULL;
	if (PAPI_create_eventset(&papi_set) != PAPI_OK)
		die("PAPI_create_eventset");
	for (int i = 0; i < NR; i++) {
		int ret = PAPI_add_named_event(papi_set, events[i].papi);

		if (ret == PAPI_OK)
			continue;
		printf("PAPI_read of %d\tnot measured: %s: %s\n", NR, events[i].papi,
		       PAPI_strerror(ret));
		return 0;
	}
	if (PAPI_start(papi_set) != PAPI_OK)
		die("PAPI_start");
	took = cost(papi_read);
	PAPI_stop(papi_set, NULL);
#endif
	return took;
}

int main(void)
{
	/* Call this first: it makes libpfm accept an emulated PMU. */
	const char *why = papi_begin();
	double ours, papi, perf;

	if (events_for(NR) != hardware) {
		printf("cpc_vs_papi\tnot measured: fewer than %d hardware counters\n", NR);
		return 0;
	}
	ours = by_cpc();
	perf = by_perf();
	papi = by_papi(why);
	printf("cpc_set_sample of %d\t%.0f ns\t%.3f of the group\n", NR, ours, ours / perf);
	printf("read() of a perf group of %d\t%.0f ns\n", NR, perf);
	if (papi)
		printf("PAPI_read of %d\t%.0f ns\tcpc_set_sample is %.3f of it\n", NR, papi, ours / papi);
	return 0;
}
