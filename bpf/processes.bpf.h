/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* Add up the statistics of each process's transactions, if enabled. */
#ifndef VCPC_BPF_PROCESSES_H
#define VCPC_BPF_PROCESSES_H

#include "maps.bpf.h"

/*
 * Rows are not charged to an account.  The rows of a process that has exited remain for later
 * readers until other processes need the rows.  All CPUs share a row, because a per-CPU map would
 * take too much memory: each CPU reserves up to 128 free rows of an LRU map, so the map would need
 * many rows, with a copy of each row for each CPU.
 */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, VC_MAX_TAGS);
	__type(key, struct vc_process_key);
	__type(value, struct vc_process);
} vc_process SEC(".maps");

static const struct vc_process vc_new_process = { .stat.min_ns = ~0ull };

/*
 * Return the row of the current process.  @events is the key in vc_events of its counted events, or
 * 0.
 */
static __always_inline struct vc_process *vc_process_of(__u64 tag, __u64 events)
{
	struct vc_process_key key = {
		.tag = tag,
		.events = events,
		.tgid = bpf_get_current_pid_tgid() >> 32,
	};
	struct vc_process *process = bpf_map_lookup_elem(&vc_process, &key);

	if (process)
		return process;
	bpf_map_update_elem(&vc_process, &key, &vc_new_process, BPF_NOEXIST);
	process = bpf_map_lookup_elem(&vc_process, &key);
	if (process)
		bpf_get_current_comm(process->command, sizeof(process->command));
	return process;
}

/*
 * Update the extremes, which other CPUs may be updating.  After three failed exchanges, give up:
 * the sum and the histogram then include this time, but the extremes may not.
 */
static __always_inline void vc_process_extremes(struct vc_stat *stat, __u64 spent)
{
	__u64 least = stat->min_ns, most = stat->max_ns, was;

	for (int i = 0; i < 3; i++) {
		if (spent >= least)
			break;
		was = __sync_val_compare_and_swap(&stat->min_ns, least, spent);
		if (was == least)
			break;
		least = was;
	}
	for (int i = 0; i < 3; i++) {
		if (spent <= most)
			break;
		was = __sync_val_compare_and_swap(&stat->max_ns, most, spent);
		if (was == most)
			break;
		most = was;
	}
}

static __always_inline void vc_process_end(struct vc_stat *stat, __u64 now, __u64 spent, __u64 slot)
{
	if (slot >= VC_HIST_SLOTS)
		slot = VC_HIST_SLOTS - 1;
	vc_process_extremes(stat, spent);
	stat->last_ns = now;
	stat->last_took_ns = spent;
	__sync_fetch_and_add(&stat->count, 1);
	__sync_fetch_and_add(&stat->sum_ns, spent);
	__sync_fetch_and_add(&stat->hist[slot], 1);
}

static __always_inline void vc_process_counts(struct vc_process *process,
					      const __u64 value[VC_MAX_COUNTERS])
{
#pragma unroll
	for (__u32 i = 0; i < VC_MAX_COUNTERS; i++)
		__sync_fetch_and_add(&process->sum[i], value[i]);
}

#endif /* VCPC_BPF_PROCESSES_H */
