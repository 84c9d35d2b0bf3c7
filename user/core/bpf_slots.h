/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Read the statistics that programs write themselves. */
#ifndef SHIM_CORE_BPF_SLOTS_H
#define SHIM_CORE_BPF_SLOTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bpf/trace.h"

/* Set in the IDs of tags that such programs write; the rest is the index of the first slot. */
#define SHIM_DIRECT_ID	(1ull << 63)

struct shim_bpf_slots {
	const struct vc_direct *at;	/* NULL if there are none */
	const struct vc_tick *tick;
	size_t n;
};

/* Whether transactions of the slot have counts; if so, its events have been written. */
static inline bool shim_bpf_slots__counts(const struct shim_bpf_slots *slots, size_t i)
{
	return __atomic_load_n(&slots->at[i].count.count, __ATOMIC_ACQUIRE);
}

int shim_bpf_slots__open(struct shim_bpf_slots *slots);
int shim_bpf_slots__read(const struct shim_bpf_slots *slots, size_t i, struct vc_direct *slot);
uint64_t shim_bpf_slots__not_counted(const struct shim_bpf_slots *slots);
uint64_t shim_bpf_slots__lost(const struct shim_bpf_slots *slots);
void shim_bpf_slots__close(struct shim_bpf_slots *slots);

#endif /* SHIM_CORE_BPF_SLOTS_H */
