// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Local contexts in several threads fetch as fast as possible while transactions run, a CPU goes
 * offline and online, and tracing stops and starts.  No counter decreases.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <pcp/pmapi.h>
#include <pcp/trace.h>
#include <shim/trace.h>
#include "kselftest_harness.h"

#define READERS		2
#define METRICS_MAX	128
#define INSTANCES	8

static atomic_bool stop;
static atomic_uint_least64_t done;	/* transactions that have ended */
static __thread pmID all[METRICS_MAX];
static __thread int nall;

struct reader {
	pthread_t thread;
	unsigned long fetches;
	char wrong[128];	/* the first error */
};

static void add(const char *name)
{
	if (nall < METRICS_MAX && pmLookupName(1, &name, &all[nall]) == 1)
		nall++;
}

static pmID find(const char *name)
{
	pmID pmid = PM_ID_NULL;

	pmLookupName(1, &name, &pmid);
	return pmid;
}

static int set_online(bool on)
{
	int fd = open("/sys/devices/system/cpu/cpu1/online", O_WRONLY);
	int ok = fd >= 0 && write(fd, on ? "1" : "0", 1) == 1;

	close(fd);
	return ok;
}

static const pmValueSet *values_of(const pmResult *result, pmID pmid)
{
	for (int i = 0; i < result->numpmid; i++)
		if (result->vset[i]->pmid == pmid)
			return result->vset[i];
	return NULL;
}

/* Check that no 64-bit counter has decreased since the last fetch; @last is indexed by instance. */
static void never_back(struct reader *r, const char *what, const pmValueSet *set,
		       uint64_t last[INSTANCES])
{
	for (int i = 0; set && i < set->numval; i++) {
		unsigned int inst = set->vlist[i].inst;
		pmAtomValue atom;

		if (inst >= INSTANCES || pmExtractValue(set->valfmt, &set->vlist[i], PM_TYPE_U64, &atom,
							PM_TYPE_U64))
			continue;
		if (atom.ull < last[inst])
			snprintf(r->wrong, sizeof(r->wrong), "%s %u went back from %llu to %llu", what,
				 inst, (unsigned long long)last[inst], (unsigned long long)atom.ull);
		last[inst] = atom.ull;
	}
}

static void *reads(void *arg)
{
	uint64_t counts[INSTANCES] = { 0 }, clocks[INSTANCES] = { 0 };
	struct reader *r = arg;
	int handle = pmNewContext(PM_CONTEXT_LOCAL, NULL), ret = 0;
	pmID count = find("vcpc.transact.count"), clock = find("vcpc.count.cpu_clock");

	pmTraversePMNS("vcpc", add);
	pmTraversePMNS("trace", add);
	if (handle < 0 || nall < 20)
		snprintf(r->wrong, sizeof(r->wrong), "context %d, %d metrics", handle, nall);
	while (!stop && !*r->wrong) {
		pmResult *result;

		ret = pmFetch(nall, all, &result);
		if (ret < 0) {
			snprintf(r->wrong, sizeof(r->wrong), "fetch: %s", pmErrStr(ret));
			break;
		}
		never_back(r, "transactions of tag", values_of(result, count), counts);
		never_back(r, "the clock of CPU", values_of(result, clock), clocks);
		pmFreeResult(result);
		r->fetches++;
	}
	pmDestroyContext(handle);
	return NULL;
}

static void *traces(void *unused)
{
	(void)unused;
	while (!stop) {
		if (!pmtracebegin("busy") && !pmtraceend("busy"))
			done++;
		usleep(100);
	}
	return NULL;
}

/* Return the count of the only tag, or -1. */
static double counted(void)
{
	pmID pmid = find("vcpc.transact.count");
	pmAtomValue atom = { .d = -1 };
	pmResult *result;

	if (pmFetch(1, &pmid, &result) < 0)
		return -1;
	if (result->vset[0]->numval == 1)
		pmExtractValue(result->vset[0]->valfmt, &result->vset[0]->vlist[0], PM_TYPE_U64, &atom,
			       PM_TYPE_DOUBLE);
	pmFreeResult(result);
	return atom.d;
}

FIXTURE(local_busy) {
	struct reader readers[READERS];
	pthread_t tracer;
	char config[64];
	int handle;
};

FIXTURE_SETUP(local_busy)
{
	FILE *f;

	snprintf(self->config, sizeof(self->config), "/tmp/vcpc-local-busy-%d", getpid());
	f = fopen(self->config, "w");
	ASSERT_NE(NULL, f);
	fputs("cpus cpu-clock context-switches\n", f);
	fclose(f);
	setenv("VCPC_CONFIG", self->config, 1);
	shim_trace_off();
	ASSERT_EQ(0, shim_trace_on(NULL));
	self->handle = pmNewContext(PM_CONTEXT_LOCAL, NULL);
	ASSERT_LE(0, self->handle);
	stop = false;
	done = 0;
	for (int i = 0; i < READERS; i++)
		ASSERT_EQ(0, pthread_create(&self->readers[i].thread, NULL, reads, &self->readers[i]));
	ASSERT_EQ(0, pthread_create(&self->tracer, NULL, traces, NULL));
}

FIXTURE_TEARDOWN(local_busy)
{
	pmDestroyContext(self->handle);
	shim_trace_off();
	unlink(self->config);
}

#define STOP_ALL() do {								\
	stop = true;								\
	pthread_join(self->tracer, NULL);					\
	for (int i_ = 0; i_ < READERS; i_++) {					\
		pthread_join(self->readers[i_].thread, NULL);			\
		EXPECT_STREQ("", self->readers[i_].wrong);			\
		EXPECT_GT(self->readers[i_].fetches, 10);			\
	}									\
} while (0)

TEST_F(local_busy, cpus_go_and_come)
{
	int went = 0;

	for (int i = 0; i < 20; i++) {
		went += set_online(i % 2);
		usleep(30000);
	}
	set_online(true);
	STOP_ALL();
	EXPECT_GT(done, 100);
	EXPECT_EQ((double)done, counted());
	if (!went)
		SKIP(return, "there is only one CPU");
}

TEST_F(local_busy, tracing_ends_and_begins)
{
	for (int i = 0; i < 6; i++) {
		usleep(150000);
		EXPECT_EQ(0, i % 2 ? shim_trace_on(NULL) : shim_trace_off());
	}
	/* On a busy machine the tracing thread may not have run since tracing was turned on. */
	for (int i = 0; i < 100 && counted() < 1; i++)
		usleep(100000);
	STOP_ALL();
	EXPECT_GT(done, 100);
	EXPECT_LE(1, counted());
	EXPECT_GE((double)done, counted());
}

TEST_HARNESS_MAIN
