/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Measure a transaction or a point in a program with many tags and threads, with any trace library.
 */
#ifndef SELFTESTS_BENCH_TRACE_TAGS_H
#define SELFTESTS_BENCH_TRACE_TAGS_H

#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define TAGS_MOST	2000
#define TAGS_THREADS	16
#define TAGS_ROUNDS	5

/*
 * Each thread has its own tags for transactions, because a process can have only one open
 * transaction per tag.
 */
struct tags_load {
	void (*call)(const char *tag);
	unsigned int tags, threads, calls;
	bool shared;
};

static char tags_names[TAGS_MOST][16];

struct tags_team {
	const struct tags_load *load;
	pthread_barrier_t barrier;
	double best;
};

struct tags_member {
	pthread_t thread;
	struct tags_team *team;
	unsigned int number;
};

/* Return the CPU time of all threads of this process, in ns. */
static double tags_clock(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return t.tv_sec * 1e9 + t.tv_nsec;
}

static void tags_go_round(const struct tags_load *load, unsigned int number)
{
	unsigned int own = load->shared ? load->tags : load->tags / load->threads;
	unsigned int from = load->shared ? 0 : number * (own ? own : 1);

	own = own ? own : 1;
	for (unsigned int i = 0; i < load->calls; i++)
		load->call(tags_names[from + i % own]);
}

static void *tags_run(void *arg)
{
	const struct tags_member *m = arg;
	struct tags_team *team = m->team;

	for (int round = 0; round < TAGS_ROUNDS; round++) {
		double begin, spent;

		pthread_barrier_wait(&team->barrier);
		begin = tags_clock();
		pthread_barrier_wait(&team->barrier);
		tags_go_round(team->load, m->number);
		pthread_barrier_wait(&team->barrier);
		spent = tags_clock() - begin;
		/* Ignore the first round, which uses each tag for the first time. */
		if (!m->number && (round < 2 || spent < team->best))
			team->best = spent;
	}
	return NULL;
}

/* Return nanoseconds per call, the minimum of several rounds. */
static double tags_cost(const struct tags_load *load)
{
	struct tags_team team = { .load = load };
	struct tags_member members[TAGS_THREADS];

	for (unsigned int i = 0; i < TAGS_MOST; i++)
		snprintf(tags_names[i], sizeof(tags_names[i]), "tag-%04u", i);
	pthread_barrier_init(&team.barrier, NULL, load->threads);
	for (unsigned int i = 0; i < load->threads; i++) {
		members[i] = (struct tags_member) { .team = &team, .number = i };
		if (pthread_create(&members[i].thread, NULL, tags_run, &members[i]))
			exit(1);	/* The other threads would wait forever. */
	}
	for (unsigned int i = 0; i < load->threads; i++)
		pthread_join(members[i].thread, NULL);
	return team.best / ((double)load->threads * load->calls);
}

#endif /* SELFTESTS_BENCH_TRACE_TAGS_H */
