/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Count events in calls to traced functions: read the thread's perf counters at entry and return.
 */
#ifndef VCPC_BPF_FUNCTION_COUNTS_H
#define VCPC_BPF_FUNCTION_COUNTS_H

#include "counts.bpf.h"
#include "function.h"

/* Number of counters per counted thread, set before loading; 0 disables counting */
const volatile __u32 vc_nr_counters;

/* A thread's counters are adjacent.  They stay open when the process that opened them exits. */
struct {
	__uint(type, BPF_MAP_TYPE_PERF_EVENT_ARRAY);
	__uint(max_entries, 1);
	__uint(map_flags, BPF_F_PRESERVE_ELEMS);
	__type(key, __u32);
	__type(value, __u32);
} vc_counter SEC(".maps");

/* thread -> index of its first counter */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, VC_MAX_COUNTED_THREADS);
	__type(key, __u32);
	__type(value, __u32);
} vc_counted_thread SEC(".maps");

/* Counter values at the entry of each open call of a thread, indexed as in struct vc_calls */
struct vc_call_counts {
	__u64 known;		/* one bit per call, set if its counters were read */
	__u64 from[VC_MAX_CALLS][VC_MAX_COUNTERS];
};

struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct vc_call_counts);
} vc_call_counts SEC(".maps");

/*
 * Read the current thread's counters.  Return 0, or -1 if it has none or if one of them was off the
 * PMU while the thread ran.
 */
static __noinline int vc_read_counters(__u64 *value)
{
	__u32 tid = bpf_get_current_pid_tgid();
	__u32 *first = bpf_map_lookup_elem(&vc_counted_thread, &tid);
	struct bpf_perf_event_value now;

	if (!first || !value)
		return -1;
	for (__u32 i = 0; i < VC_MAX_COUNTERS; i++) {
		if (i >= vc_nr_counters)
			break;
		if (bpf_perf_event_read_value(&vc_counter, *first + i, &now, sizeof(now)) ||
		    now.enabled != now.running)
			return -1;
		value[i] = now.counter;
	}
	return 0;
}

static __always_inline struct vc_call_counts *vc_own_call_counts(__u64 flags)
{
	return bpf_task_storage_get(&vc_call_counts, bpf_get_current_task_btf(), NULL, flags);
}

/* Save the counters' values when the call at @depth of the thread's stack begins. */
static __noinline void vc_counts_begin(__u64 depth)
{
	__u64 value[VC_MAX_COUNTERS] = {};
	struct vc_call_counts *counts;
	int err;

	err = vc_read_counters(value);
	counts = vc_own_call_counts(err ? 0 : BPF_LOCAL_STORAGE_GET_F_CREATE);
	if (!counts)
		return;
	depth %= VC_MAX_CALLS;
	__builtin_memcpy(counts->from[depth], value, sizeof(value));
	if (err)
		counts->known &= ~(1ull << depth);
	else
		counts->known |= 1ull << depth;
}

/*
 * When the call at @depth ends, compute its counts.  Return the events' key, or 0 if the counts are
 * unknown.
 */
static __noinline __u64 vc_counts_end(__u64 depth, __u64 *value)
{
	struct vc_call_counts *counts = vc_own_call_counts(0);

	depth %= VC_MAX_CALLS;
	if (!value || !counts || !(counts->known & 1ull << depth) || vc_read_counters(value))
		return 0;
	for (__u32 i = 0; i < VC_MAX_COUNTERS; i++)
		value[i] -= counts->from[depth][i];
	return VC_FUNCTION_EVENTS;
}

#endif /* VCPC_BPF_FUNCTION_COUNTS_H */
