/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Count the events of transactions: if a thread has a set bound for tracing, read its counters at
 * the start and the end of a transaction, and add up the differences.
 */
#ifndef VCPC_BPF_COUNTS_H
#define VCPC_BPF_COUNTS_H

#include "maps.bpf.h"

/* The layout of struct vcpc_trace_counts (kmod/trace/counts.h), which the module passes */
struct vc_counts {
	__u64 events;		/* signature, never 0 */
	const __u64 *value;	/* VC_MAX_COUNTERS values; @event points to their descriptions */
	const struct vc_event_desc *event;
	__u32 nr;
	__u64 bind;		/* identifies the instance and its last restart */
};

/* Do not inline this, so that the row occupies BPF stack only during the call. */
static __noinline int vc_learn_events(struct vc_event *ev, __u64 *events)
{
	struct vc_counts from = {};
	struct vc_events row = {};

	if (bpf_map_lookup_elem(&vc_events, events))
		return 0;
	bpf_probe_read_kernel(&from, sizeof(from), ev->counts);
	row.nr = from.nr;
	bpf_probe_read_kernel(row.event, sizeof(row.event), from.event);
	VC_NEW_ROW(vc_payer(ev->tag), &vc_events, events, &row, VC_ROWS_EVENTS, VC_MAX_EVENTS);
	return bpf_map_lookup_elem(&vc_events, events) ? 0 : -1;
}

static __always_inline void vc_open_counts(struct vc_open_val *open, const void *counts)
{
	struct vc_counts from = {};

	bpf_probe_read_kernel(&from, sizeof(from), counts);
	bpf_probe_read_kernel(open->counters, sizeof(open->counters), from.value);
	open->events = from.events;
	open->bind = from.bind;
}

/* Record that the tag counts these events.  Return 0, or -1 if it has too many sets of events. */
static __always_inline int vc_note_events(struct vc_tag_name *name, __u64 events)
{
	for (int i = 0; i < VC_TAG_EVENTS; i++) {
		__u64 was = __sync_val_compare_and_swap(&name->events[i], 0, events);

		if (!was || was == events)
			return 0;
	}
	return -1;
}

static __noinline struct vc_count *vc_new_count(struct vc_event *ev, struct vc_count_key *key)
{
	static const struct vc_count zero;
	struct vc_tag_name *name = bpf_map_lookup_elem(&vc_tag, &key->tag);
	struct vc_count *count;

	if (!name || vc_learn_events(ev, &key->events) || vc_note_events(name, key->events))
		return NULL;
	VC_NEW_ROW(vc_payer(ev->tag), &vc_count, key, &zero, VC_ROWS_COUNT, VC_MAX_COUNTED);
	count = bpf_map_lookup_elem(&vc_count, key);
	return count;
}

/*
 * Store the thread's counts since the start in @value.  Return the events' key in vc_events, or 0
 * if the counts are unknown.  The counts are unknown if the thread had no counters at the start, if
 * the counters belonged to another thread, transaction, set or bind, or if the set has been
 * restarted since.
 */
static __always_inline __u64 vc_counted(const struct vc_event *ev, const struct vc_open_val *open,
					__u64 start, __u64 value[VC_MAX_COUNTERS])
{
	struct vc_counts now = {};
	__u64 any = 0;

	bpf_probe_read_kernel(&now, sizeof(now), ev->counts);
	if (open->counted_ns != start || now.events != open->events || now.bind != open->bind ||
	    open->tid != (__u32)bpf_get_current_pid_tgid())
		return 0;
	bpf_probe_read_kernel(value, sizeof(*value) * VC_MAX_COUNTERS, now.value);
#pragma unroll
	for (__u32 i = 0; i < VC_MAX_COUNTERS; i++) {
		value[i] -= open->counters[i];
		any |= value[i];
	}
	return any >> 63 ? 0 : now.events;
}

/* Add the counts of one transaction.  Return 0, or -1 if the map is full. */
static __always_inline int vc_add_counts(struct vc_event *ev, __u64 events,
					 const __u64 value[VC_MAX_COUNTERS])
{
	struct vc_count_key key = { .tag = ev->tag, .events = events };
	struct vc_count *count = bpf_map_lookup_elem(&vc_count, &key);

	if (!count)
		count = vc_new_count(ev, &key);
	if (!count) {
		vc_count_drop(VC_DROP_COUNT_FULL);
		return -1;
	}
	count->count++;
#pragma unroll
	for (__u32 i = 0; i < VC_MAX_COUNTERS; i++)
		count->sum[i] += value[i];
	return 0;
}

#endif /* VCPC_BPF_COUNTS_H */
