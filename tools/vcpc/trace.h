/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Declarations shared by the parts of 'vcpc trace' */
#ifndef VCPC_TRACE_H
#define VCPC_TRACE_H

#include <stdint.h>
#include <stdio.h>

#include <shim/trace.h>

#include "functions.h"
#include "vcpc.h"

/**
 * struct trace_options - the user's request
 * @on: options for shim_trace_on()
 * @counts: events that each traced thread must count
 * @functions: functions to trace in programs without trace calls
 * @hist: draw the distributions of durations
 * @json: print JSON
 * @watch: refresh interval in nanoseconds; 0: show the statistics once
 * @rounds: number of refreshes with @watch; 0: until interrupted
 * @duration: duration of the export in nanoseconds; 0: export only the events that are already in
 *	the ring
 * @output: output file; NULL: standard output
 * @format: format of the export
 */
struct trace_options {
	struct shim_trace_options on;
	struct vcpc_events counts;
	struct functions functions;
	int hist;
	int json;
	uint64_t watch;
	unsigned long rounds;
	uint64_t duration;
	const char *output;
	const struct trace_format *format;
};

/**
 * struct trace_view - the statistics to show
 * @trace: the trace handle
 * @stats: the statistics, sorted by kind and name
 * @n: number of @stats
 * @counts: the counts, sorted by name and event
 * @ncounts: number of @counts
 * @drops: numbers of lost events
 * @losses: numbers of lost individual events, by account
 * @nlosses: number of @losses
 */
struct trace_view {
	struct shim_trace *trace;
	const struct shim_trace_stat **stats;
	size_t n;
	const struct shim_trace_count **counts;
	size_t ncounts;
	struct shim_trace_drops drops;
	struct shim_trace_loss *losses;
	size_t nlosses;
};

int trace_show(const struct trace_options *options);
int trace_export(const struct trace_options *options);

void trace_json(FILE *out, const struct trace_view *view);
void trace_json_double(FILE *out, double value);
const char *trace_kind(uint32_t kind);
void trace_table(const struct trace_view *view, int hist);

#endif /* VCPC_TRACE_H */
