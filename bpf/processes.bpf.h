/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* What each process's transactions did, where that is wanted. */
#ifndef VCPC_BPF_PROCESSES_H
#define VCPC_BPF_PROCESSES_H

#include "maps.bpf.h"

/*
 * Rows are on nobody's account: a process that ends leaves its rows, for those who look a moment
 * later, until others need the room.
 */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_PERCPU_HASH);
	__uint(max_entries, VC_MAX_TAGS);
	__type(key, struct vc_process_key);
	__type(value, struct vc_process);
} vc_process SEC(".maps");

static const struct vc_process vc_zero_process;

static __noinline struct vc_process *vc_new_process(struct vc_process_key *key)
{
	bpf_map_update_elem(&vc_process, key, &vc_zero_process, BPF_NOEXIST);
	return bpf_map_lookup_elem(&vc_process, key);
}

/* This CPU's row of the current process; @events: of what the transaction counted, or 0 */
static __always_inline struct vc_process *vc_process_of(__u64 tag, __u64 events)
{
	struct vc_process_key key = {
		.tag = tag,
		.events = events,
		.tgid = bpf_get_current_pid_tgid() >> 32,
	};
	struct vc_process *process = bpf_map_lookup_elem(&vc_process, &key);

	if (!process)
		process = vc_new_process(&key);
	if (process && !process->stat.count)
		bpf_get_current_comm(process->command, sizeof(process->command));
	return process;
}

#endif /* VCPC_BPF_PROCESSES_H */
