// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Measure SIGEMT and cpc_set_restart(3CPC) in its handler, through the module and through perf
 * alone.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cpc/libcpc.h"

#define TIMES	200
#define EVERY	100000	/* cycles */

static cpc_t *cpc;
static cpc_set_t *set;
static volatile sig_atomic_t times;

static void on_emt(int sig)
{
	(void)sig;
	times++;
	cpc_set_restart(cpc, set);
}

static double now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1e9 + ts.tv_nsec;
}

static void spin(unsigned long n)
{
	while (n--)
		__asm__ volatile("" ::: "memory");
}

/*
 * Measure a set of four events whose first event overflows every EVERY cycles.  Print nanoseconds
 * per overflow.
 */
static int measure(const char *backend)
{
	static const char *const events[] = { "PAPI_tot_cyc", "PAPI_tot_ins", "PAPI_tot_cyc", "PAPI_tot_ins" };
	unsigned long turns = 1000;
	double alone, with;

	setenv("SHIM_BACKEND", backend, 1);
	signal(SIGEMT, on_emt);
	cpc = cpc_open(CPC_VER_CURRENT);
	set = cpc ? cpc_set_create(cpc) : NULL;
	for (int i = 0; set && i < 4; i++)
		if (cpc_set_add_request(cpc, set, events[i], i ? 0 : -(uint64_t)EVERY,
					CPC_COUNT_USER | (i ? 0 : CPC_OVF_NOTIFY_EMT), 0, NULL) < 0)
			set = NULL;
	if (!set || cpc_bind_curlwp(cpc, set, 0)) {
		printf("%-8s cycles cannot be counted here\n", backend);
		return 0;
	}
	while (times < TIMES) {
		spin(1000);
		turns += 1000;
	}
	cpc_unbind(cpc, set);
	alone = now();
	spin(turns);
	alone = now() - alone;
	times = 0;
	cpc_bind_curlwp(cpc, set, 0);
	with = now();
	spin(turns);
	with = now() - with;
	printf("%-8s %8.0f ns for each of %d overflows\n", backend, (with - alone) / times, (int)times);
	return 0;
}

int main(void)
{
	static const char *const backends[] = { "vcpc", "perf" };

	printf("libcpc: 4 hardware events, SIGEMT every %d cycles, cpc_set_restart() in the handler\n", EVERY);
	fflush(stdout);
	for (int i = 0; i < 2; i++) {
		pid_t pid = fork();
		int status;

		if (!pid)
			exit(measure(backends[i]));
		if (waitpid(pid, &status, 0) != pid || status)
			return 1;
	}
	return 0;
}
