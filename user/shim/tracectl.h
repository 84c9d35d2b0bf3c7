/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The handle of <shim/trace.h> */
#ifndef SHIM_SHIM_TRACECTL_H
#define SHIM_SHIM_TRACECTL_H

#include <shim/trace.h>

#include "core/bpf.h"
#include "core/bpf_events.h"
#include "core/event.h"

/*
 * The data to which public structs point, in arrays of the same length.  They are copies, because
 * the reader may forget its own tags before a caller's rows are replaced.
 */
struct shim_trace {
	struct shim_bpf_reader *reader;
	struct shim_bpf_events *events;	/* NULL until they are needed */
	unsigned int giving;		/* number of running callbacks */
	struct shim_trace_stat *stats;
	struct shim_bpf_tag *stat_tags;
	size_t n, room, stat_tags_room;
	struct shim_trace_count *counts;
	struct shim_bpf_tag *count_tags;
	char (*event_names)[SHIM_EVENT_LEN];
	size_t ncounts;
	struct shim_trace_process *processes;
	struct shim_bpf_tag *process_tags;
	struct shim_trace_count *process_counts;
	char (*process_event_names)[SHIM_EVENT_LEN];
	size_t nprocesses, processes_room, process_tags_room, process_counts_room, process_names_room;
};

void shim_trace__stat(struct shim_trace_stat *to, const struct shim_bpf_tag *tag, uint64_t id,
		      uint32_t kind, const struct vc_stat *total);
void shim_trace__free_processes(struct shim_trace *trace);

#endif /* SHIM_SHIM_TRACECTL_H */
