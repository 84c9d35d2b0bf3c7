// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Compare the CPU time of a fetch of trace metrics by a local context (which does the agent's work)
 * with the CPU time of bpftool dumping the same map.
 */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <pcp/pmapi.h>
#include <pcp/trace.h>
#include <shim/trace.h>

#define FETCHES		20
#define METRICS_MAX	64

/*
 * struct scene - the traced load
 * @tags: number of tags, of which @active have a transaction between two fetches
 * @threads: number of threads of another program that write their own statistics, each for one of
 *	50 tags
 */
static const struct scene {
	int tags, active, threads;
} scenes[] = {
	{ 1, 1, 0 }, { 1000, 1000, 0 }, { 4000, 0, 0 }, { 4000, 100, 0 }, { 4000, 4000, 0 },
	{ 1, 1, 1000 }, { 4000, 4000, 1000 },
};

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

static void *trace_for_ever(void *tag)
{
	for (;;) {
		pmtracebegin(tag);
		pmtraceend(tag);
		usleep(100000);
	}
	return NULL;
}

/* Start another program whose threads write their own statistics.  It exits with this program. */
static pid_t start_threads(int n)
{
	static char tags[50][32];
	pthread_attr_t attr;
	pthread_t thread;
	pid_t pid = fork();

	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	setenv("SHIM_TRACE", "direct", 1);
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, 65536);
	for (int i = 0; i < n; i++) {
		snprintf(tags[i % 50], sizeof(tags[0]), "request number %d", i % 50);
		if (pthread_create(&thread, &attr, trace_for_ever, tags[i % 50]))
			_exit(1);
	}
	pause();
	_exit(0);
}

/* Return the number of threads with transactions. */
static size_t slots_in_use(void)
{
	struct shim_trace *trace;
	size_t n = 0, found = 0;

	if (shim_trace_open(&trace))
		return 0;
	if (!shim_trace_stats_get(trace, &n))
		for (size_t i = 0; i < n; i++)
			found += !strncmp(shim_trace_stat_at(trace, i)->name, "request", 7);
	shim_trace_close(trace);
	return found;
}

static void add(const char *name)
{
	if (nall < METRICS_MAX && pmLookupName(1, &name, &all[nall]) == 1)
		nall++;
}

/* Return milliseconds per fetch; negative on failure. */
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

/* Return the milliseconds that bpftool takes to dump the statistics map. */
static double dump(void)
{
	double before = used(RUSAGE_CHILDREN);
	int status = system("PATH=$PATH:/usr/sbin bpftool -j map dump pinned /sys/fs/bpf/vcpc/vc_stat >/dev/null 2>&1");

	return status ? -1 : 1000 * (used(RUSAGE_CHILDREN) - before);
}

static int run(const struct scene *scene)
{
	static const char *const one = "vcpc.transact.count";
	struct shim_trace_options options = {
		.size = sizeof(options), .direct_slots = scene->threads ? 2 * scene->threads : 0,
	};
	pid_t other = 0;
	pmID count;

	if (shim_trace_on(&options) || pmNewContext(PM_CONTEXT_LOCAL, NULL) < 0 ||
	    pmLookupName(1, (const char **)&one, &count) != 1)
		return 1;
	nall = 0;
	pmTraversePMNS("vcpc.transact", add);
	if (scene->threads)
		other = start_threads(scene->threads);
	use(scene->tags);
	while (scene->threads && slots_in_use() < 50)
		usleep(10000);
	usleep(scene->threads ? 1000000 : 0);
	fetch(nall, all, 0);
	printf("%5d tags, %4d in use, %4d threads with their own rows: count %.2f ms, all %d metrics %.2f ms, bpftool's dump %.0f ms\n",
	       scene->tags, scene->active, scene->threads, fetch(1, &count, scene->active), nall, fetch(nall, all, scene->active), dump());
	fflush(stdout);
	if (other > 0)
		kill(other, SIGKILL);
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
			fprintf(stderr, "fetch_cost: %d tags: tracing failed\n", scenes[i].tags);
			return 1;
		}
	}
	return 0;
}
