// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Measure AIX calls when many threads have their own programs: setting one, the first read after
 * all threads have set theirs, further reads, and deleting.  Print how the cost grows.
 *
 * In the arm64 VM with -icount shift=0 a nanosecond is an instruction.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "aix/pmapi.h"

#define FEW	40
#define MANY	400

static pm_prog_t prog = { .mode = { .b = { .user = 1, .count = 1 } } };

enum step { SET, NEXT_READ, READ, DELETE, STEPS };

static double took[STEPS];
static pthread_barrier_t barrier;
static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;
static int threads;

static double now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1e9 + ts.tv_nsec;
}

static int do_step(enum step step)
{
	pm_data_t data;

	switch (step) {
	case SET:
		return pm_set_program_mythread(&prog);
	case DELETE:
		return pm_delete_program_mythread();
	default:
		return pm_get_data_mythread(&data);
	}
}

/* All threads perform a step, one thread at a time, before any thread performs the next step. */
static void *work(void *unused)
{
	for (enum step step = 0; step < STEPS; step++) {
		double before;
		int ret;

		pthread_barrier_wait(&barrier);
		pthread_mutex_lock(&turn);
		before = now();
		ret = do_step(step);
		took[step] += (now() - before) / threads;
		pthread_mutex_unlock(&turn);
		if (ret) {
			fprintf(stderr, "aix_threads: step %d returned %d\n", step, ret);
			exit(1);
		}
	}
	return unused;
}

static void run(int n, double cost[STEPS])
{
	static pthread_t thread[MANY];
	pthread_attr_t attr;

	threads = n;
	memset(took, 0, sizeof(took));
	pthread_barrier_init(&barrier, NULL, n);
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, 128 * 1024);
	for (int i = 0; i < n; i++)
		if (pthread_create(&thread[i], &attr, work, NULL)) {
			fprintf(stderr, "aix_threads: pthread_create\n");
			exit(1);
		}
	for (int i = 0; i < n; i++)
		pthread_join(thread[i], NULL);
	memcpy(cost, took, sizeof(took));
}

int main(void)
{
	static const char *const names[STEPS] = {
		[SET] = "pm_set_program_mythread",
		[NEXT_READ] = "pm_get_data_mythread, first after all have set theirs",
		[READ] = "pm_get_data_mythread",
		[DELETE] = "pm_delete_program_mythread",
	};
	double few[STEPS], many[STEPS];
	pm_groups_info_t groups;
	pm_info2_t info;

	if (pm_initialize(PM_VERIFIED | PM_UNVERIFIED | PM_CAVEAT | PM_GET_GROUPS, &info, &groups,
			  PM_CURRENT)) {
		fprintf(stderr, "aix_threads: pm_initialize\n");
		return 1;
	}
	for (int i = 0; i < MAX_COUNTERS; i++)
		prog.events[i] = COUNT_NOTHING;
	for (int i = 0; i < info.maxevents[0]; i++)
		if (!strcmp(info.list_events[0][i].short_name, "PM_PAGE_FAULTS"))
			prog.events[0] = info.list_events[0][i].event_id;
	run(FEW, few);
	run(MANY, many);
	for (int i = 0; i < STEPS; i++)
		printf("%s, %d threads\t%.0f ns\t%d threads\t%.0f ns\tgrowth %.2f\n", names[i], FEW,
		       few[i], MANY, many[i], many[i] / few[i]);
	return 0;
}
