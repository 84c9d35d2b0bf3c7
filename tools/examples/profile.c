// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A program that profiles itself by counter overflow, as on Solaris.
 *
 * After EVENTS-PER-SIGNAL events, the set stops, and SIGEMT arrives with the address that the
 * program was executing; the handler records the address and restarts the set from its preset.
 *
 * usage: profile [EVENT [EVENTS-PER-SIGNAL]]
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "cpc/libcpc.h"

#define WORK	20000000L

static cpc_t *cpc;
static cpc_set_t *set;
static cpc_buf_t *buf;

/*
 * Recorded by the handler: signals per function, errors, and the maximum number of events after an
 * overflow
 */
static volatile sig_atomic_t in_a, in_b, elsewhere, wrong;
static uint64_t most;

#define APART __attribute__((noinline, noclone))

static APART long work_a(long n)
{
	long sum = 0;

	for (volatile long i = 0; i < n; i++)
		sum += i;
	return sum;
}

static APART long work_b(long n)
{
	long sum = 1;

	for (volatile long i = 0; i < n; i++)
		sum ^= i;
	return sum;
}

/* Cause a page fault for each of n pages.  Page faults can be counted even without a PMU. */
static APART void touch(long n)
{
	long page = sysconf(_SC_PAGESIZE);
	volatile char *p = mmap(NULL, (size_t)(n * page), PROT_READ | PROT_WRITE,
				MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED)
		return;
	madvise((void *)p, (size_t)(n * page), MADV_NOHUGEPAGE);
	for (long i = 0; i < n; i++)
		p[i * page] = 1;
	munmap((void *)p, (size_t)(n * page));
}

/*
 * Return the counter of the function that contains an address: the last function that begins at
 * most 4096 bytes before it.  If there is none, return "elsewhere".
 */
static volatile sig_atomic_t *whose(const void *address)
{
	const struct {
		const char *begin;
		volatile sig_atomic_t *count;
	} places[] = {
		{ (const char *)work_a, &in_a },
		{ (const char *)work_b, &in_b },
		{ (const char *)touch, &elsewhere },
	};
	const char *at = address, *last = NULL;
	volatile sig_atomic_t *count = &elsewhere;

	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		if (places[i].begin > at || places[i].begin <= last)
			continue;
		last = places[i].begin;
		count = places[i].count;
	}
	return last && at - last < 4096 ? count : &elsewhere;
}

static void overflow(int sig, siginfo_t *info, void *context)
{
	uint64_t skid = 0;

	(void)context;
	if (sig != SIGEMT || info->si_code != EMT_CPCOVF ||
	    cpc_set_sample(cpc, set, buf) || cpc_buf_get(cpc, buf, 0, &skid))
		wrong++;
	if (skid > most)
		most = skid;
	++*whose(info->si_addr);
	if (cpc_set_restart(cpc, set))
		wrong++;
}

static int fail(const char *what)
{
	perror(what);
	return 1;
}

int main(int argc, char **argv)
{
	struct sigaction act = { .sa_sigaction = overflow, .sa_flags = SA_RESTART | SA_SIGINFO };
	const char *event = argc > 1 ? argv[1] : "PAPI_tot_cyc";
	long every = argc > 2 ? atol(argv[2]) : 1000000;

	cpc = cpc_open(CPC_VER_CURRENT);
	if (!cpc)
		return fail("cpc_open");
	if (!(cpc_caps(cpc) & CPC_CAP_OVERFLOW_INTERRUPT)) {
		fprintf(stderr, "profile: these counters have no overflow interrupts\n");
		return 1;
	}
	set = cpc_set_create(cpc);
	if (!set || every < 1 ||
	    cpc_set_add_request(cpc, set, event, UINT64_MAX - (uint64_t)(every - 1),
				CPC_COUNT_USER | CPC_OVF_NOTIFY_EMT, 0, NULL) != 0)
		return fail("cpc_set_add_request");
	buf = cpc_buf_create(cpc, set);
	if (!buf || sigaction(SIGEMT, &act, NULL))
		return fail("cpc_buf_create");
	if (cpc_bind_curlwp(cpc, set, 0))
		return fail("cpc_bind_curlwp");
	work_a(WORK);
	work_b(WORK / 4);
	touch(10000);
	cpc_unbind(cpc, set);
	printf("%s, every %ld: work_a %d, work_b %d, elsewhere %d; at most %llu after an overflow\n",
	       event, every, (int)in_a, (int)in_b, (int)elsewhere, (unsigned long long)most);
	cpc_close(cpc);
	return wrong ? fail("in the handler") : 0;
}
