// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What a fetch of what is traced costs the one who answers it: CPU time of a local context, whose
 * work the agent does, too, beside one dump of the same map by bpftool.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <pcp/pmapi.h>
#include <pcp/trace.h>
#include <shim/trace.h>

#define FETCHES		20
#define METRICS_MAX	64

/* @tags tags exist, of which @active have a transaction between any two fetches */
static const struct scene {
	int tags, active;
} scenes[] = { { 1, 1 }, { 1000, 1000 }, { 4000, 0 }, { 4000, 100 }, { 4000, 4000 } };

static pmID all[METRICS_MAX];
static int nall;

static double used(int who)
{
	struct rusage usage;

	getrusage(who, &usage);
	return usage.ru_utime.tv_sec + usage.ru_stime.tv_sec +
	       (usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
}

static void use(int tags)
{
	char tag[32];

	for (int i = 0; i < tags; i++) {
		snprintf(tag, sizeof(tag), "transaction number %d", i);
		pmtracebegin(tag);
		pmtraceend(tag);
	}
}

static void add(const char *name)
{
	if (nall < METRICS_MAX && pmLookupName(1, &name, &all[nall]) == 1)
		nall++;
}

/* Milliseconds of a fetch, a negative number if it fails */
static double fetch(int n, pmID *pmids, int active)
{
	double sum = 0, before;
	pmResult *result;

	for (int i = 0; i < FETCHES; i++) {
		use(active);
		before = used(RUSAGE_SELF);
		if (pmFetch(n, pmids, &result) < 0)
			return -1;
		sum += used(RUSAGE_SELF) - before;
		pmFreeResult(result);
	}
	return 1000 * sum / FETCHES;
}

/* Of bpftool, for the map of statistics */
static double dump(void)
{
	double before = used(RUSAGE_CHILDREN);
	int status = system("PATH=$PATH:/usr/sbin bpftool -j map dump pinned /sys/fs/bpf/vcpc/vc_stat >/dev/null 2>&1");

	return status ? -1 : 1000 * (used(RUSAGE_CHILDREN) - before);
}

static int run(const struct scene *scene)
{
	static const char *const one = "vcpc.transact.count";
	pmID count;

	if (shim_trace_on(NULL) || pmNewContext(PM_CONTEXT_LOCAL, NULL) < 0 ||
	    pmLookupName(1, (const char **)&one, &count) != 1)
		return 1;
	nall = 0;
	pmTraversePMNS("vcpc.transact", add);
	use(scene->tags);
	fetch(nall, all, 0);
	printf("%5d tags, %4d in use: count %.2f ms, all %d metrics %.2f ms, bpftool's dump %.0f ms\n",
	       scene->tags, scene->active, fetch(1, &count, scene->active), nall, fetch(nall, all, scene->active), dump());
	fflush(stdout);
	shim_trace_off();
	return 0;
}

int main(void)
{
	for (size_t i = 0; i < sizeof(scenes) / sizeof(scenes[0]); i++) {
		pid_t child = fork();
		int status;

		if (!child)
			_exit(run(&scenes[i]));
		waitpid(child, &status, 0);
		if (status) {
			fprintf(stderr, "fetch_cost: %d tags: nothing could be traced\n", scenes[i].tags);
			return 1;
		}
	}
	return 0;
}
