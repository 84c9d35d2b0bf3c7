/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared by the files of the program archive_bench */
#ifndef VCPC_PEER_ARCHIVE_BENCH_H
#define VCPC_PEER_ARCHIVE_BENCH_H

#include <stdint.h>

#include <pcp/pmapi.h>

/* A pattern of calls; @run returns the number of operations. */
struct bench_kind {
	const char *name;
	long (*run)(void);
};

/*
 * struct bench - the measurement
 * @pmids: the @n selected metrics
 * @start, @end: times of the archive
 * @sum: checksum of all values read, which must be equal with both libraries
 * @begun: CPU time at which the measured part began
 */
struct bench {
	const char *archive;
	pmID *pmids;
	int n;
	int room;
	struct timespec start, end;
	const char *prefix;
	int every, passed;
	uint64_t sum;
	double begun;
};

extern struct bench b;

/* Return the CPU seconds of the process. */
double bench_now(void);
/* Fetch the selected metrics, and add the result to the sum. */
int bench_fetch(void);
void bench_look_at(const pmHighResResult *r);

/* Patterns of other calls than fetches, in archive_bench_calls.c; the last one has no name */
extern const struct bench_kind bench_calls[];

#endif /* VCPC_PEER_ARCHIVE_BENCH_H */
