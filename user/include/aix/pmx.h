/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Multiplexing with more than AIX has: sets in random order, an event that is
 * counted all the time, and estimates that come with their errors.
 *
 * Calls return 0 or an error of <pmapi.h>.
 */
#ifndef SHIM_AIX_PMX_H
#define SHIM_AIX_PMX_H

#include "pmapi.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Whose program it is */
#define PMX_MYTHREAD	0
#define PMX_MYGROUP	1
#define PMX_SYSTEM	2

/*
 * How sets take turns.
 * shuffle: in each round in another order, for up to a tenth of the slice more or less
 * seed: the same gives the same orders and lengths
 * anchor: the number of an event that is counted all the time, beside the sets and in
 *	each of them; or COUNT_NOTHING
 * slice_us: the length of a turn in microseconds, 1000 to 30000000, whatever the program
 *	says; 0: what it says
 */
typedef struct {
	int shuffle;
	unsigned int seed;
	int anchor;
	unsigned int slice_us;
} pmx_options_t;

int pmx_set_program_mx(int scope, const pm_prog_mx_t *prog, const pmx_options_t *options);

/* Turns of sets, collected from marks */
typedef struct pmx_stats pmx_stats_t;

/*
 * A turn of a set, or what there was of it between two marks; when it was seen
 * first, how long it counted, and what.
 */
typedef struct {
	int set;
	unsigned long long start;
	unsigned long long length;
	unsigned long long anchor;
	long long counts[MAX_COUNTERS];
} pmx_turn_t;

/*
 * The whole, since the first mark: the time that sets counted, that was nobody's,
 * that turns were void; and the anchor's count.
 */
typedef struct {
	unsigned long long counted;
	unsigned long long gap;
	unsigned long long anchor;
	unsigned long long voids;
	unsigned long long rounds;
	unsigned long long turns;
} pmx_whole_t;

/*
 * What a counter of a set would have counted in the whole time.
 * plain: its rate by time.  ratio: by the anchor.  regression: by both.
 * Each with its standard error; negative: it cannot be told.
 * value: the one with the least error, and low and high, between which the truth
 * is with 95 %.
 * turns: how many it is from; below 3 there are no errors.
 */
typedef struct {
	double value, low, high;
	double plain, plain_error;
	double ratio, ratio_error;
	double regression, regression_error;
	unsigned long long turns;
} pmx_estimate_t;

int pmx_stats_open(int scope, pmx_stats_t **stats);
int pmx_stats_mark(pmx_stats_t *stats);
int pmx_stats_whole(const pmx_stats_t *stats, pmx_whole_t *whole);
int pmx_stats_turn(const pmx_stats_t *stats, unsigned long long n, pmx_turn_t *turn);
int pmx_stats_estimate(const pmx_stats_t *stats, int set, int counter, pmx_estimate_t *estimate);
void pmx_stats_close(pmx_stats_t *stats);

#ifdef __cplusplus
}
#endif

#endif /* SHIM_AIX_PMX_H */
