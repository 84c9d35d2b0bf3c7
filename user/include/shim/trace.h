/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Trace control and statistics: turn the machine's tracing on and off, and
 * read what the programs on it have traced.
 *
 * Tracing is one state of the whole machine: while it is on, BPF programs
 * listen to the vcpc module and keep statistics in maps, pinned in the BPF
 * file system, for every process that calls <pcp/trace.h>.  These calls
 * need root (CAP_BPF, CAP_PERFMON, and CAP_SYS_ADMIN if the BPF file system is
 * not mounted yet); the traced programs need nothing.
 *
 * The calls return 0 or a negated errno, never set errno, never print.
 */
#ifndef SHIM_TRACE_H
#define SHIM_TRACE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define SHIM_TRACE_HIST_SLOTS 64

/* What a tag was used for; PCP's kinds. */
enum shim_trace_kind {
	SHIM_TRACE_TRANSACTION = 1,
	SHIM_TRACE_POINT = 2,
	SHIM_TRACE_OBSERVATION = 3,
	SHIM_TRACE_COUNTER = 4
};

/**
 * struct shim_trace_options - bounds of the kernel's tables
 * @size: sizeof(struct shim_trace_options)
 * @max_tags: how many tags, and how many pairs of tag and kind, have
 *	statistics; 0: 4096, less on a machine with very many CPUs
 * @max_open: how many pairs of tag and process can be in a transaction; 0: 16384
 * @reserved: zero
 */
struct shim_trace_options {
	uint32_t size;
	uint32_t max_tags;
	uint32_t max_open;
	uint32_t reserved;
};

/**
 * struct shim_trace_stat - what is known of one tag used for one kind
 * @name: the tag
 * @id: the tag's number; a number is never given to another tag
 * @kind: enum shim_trace_kind
 * @count: transactions completed, points passed, or values given
 * @sum_ns: total time of the transactions; this and the next three are 0 for
 *	other kinds
 * @min_ns: the shortest
 * @max_ns: the longest
 * @last_ns: when the last event came, CLOCK_MONOTONIC
 * @value: the last value of an observation or counter, otherwise 0
 * @hist: slot n counts transactions of 2^n to 2^(n+1)-1 ns; slot 0 those of 0 ns, too
 *
 * All counts are since tracing was turned on.  Fields are read one by one
 * while events go on: @sum_ns and @hist may be an event behind @count.
 */
struct shim_trace_stat {
	const char *name;
	uint32_t id;
	uint32_t kind;
	uint64_t count;
	uint64_t sum_ns;
	uint64_t min_ns;
	uint64_t max_ns;
	uint64_t last_ns;
	double value;
	uint64_t hist[SHIM_TRACE_HIST_SLOTS];
};

/**
 * struct shim_trace_drops - events that are in no statistics, by reason
 * @open_full: begins, as @max_open was reached
 * @stat_full: events of a new pair of tag and kind, as @max_tags was reached
 * @tag_full: events of a new tag, as @max_tags was reached
 * @not_open: ends and aborts whose begin was not seen, mostly as tracing was
 *	turned on between the two
 */
struct shim_trace_drops {
	uint64_t open_full;
	uint64_t stat_full;
	uint64_t tag_full;
	uint64_t not_open;
};

struct shim_trace;

int shim_trace_on(const struct shim_trace_options *options);
int shim_trace_off(void);
int shim_trace_status(void);

int shim_trace_open(struct shim_trace **trace);
int shim_trace_stats_get(struct shim_trace *trace, size_t *n);
const struct shim_trace_stat *shim_trace_stat_at(const struct shim_trace *trace, size_t i);
int shim_trace_drops_get(struct shim_trace *trace, struct shim_trace_drops *drops);
void shim_trace_close(struct shim_trace *trace);

#ifdef __cplusplus
}
#endif

#endif /* SHIM_TRACE_H */
