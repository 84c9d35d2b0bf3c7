/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Add up the statistics of a tag over CPUs and over threads that write theirs themselves. */
#ifndef SHIM_CORE_BPF_STAT_H
#define SHIM_CORE_BPF_STAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bpf.h"

void shim_bpf_stat__add(struct vc_stat *restrict total, const struct vc_stat *restrict more);
void shim_bpf_stat__clear(struct shim_bpf_stat *row);
void shim_bpf_stat__add_up(struct shim_bpf_stat *row, const struct vc_stat *cpus, size_t n);
bool shim_bpf_stat__add_part(struct shim_bpf_stat *row, const struct vc_stat *cpu, uint32_t first,
			     uint32_t end);
bool shim_bpf_stat__rests(const struct vc_stat *total, const struct vc_stat *cpus, size_t n);
bool shim_bpf_stat__is_whole(const struct shim_bpf_stat *row);

#endif /* SHIM_CORE_BPF_STAT_H */
