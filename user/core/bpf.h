/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The machine's tracing: BPF programs and their pinned maps, on, off and read. */
#ifndef SHIM_CORE_BPF_H
#define SHIM_CORE_BPF_H

#include <stddef.h>
#include <stdint.h>

#include "bpf/trace.h"

/**
 * struct shim_bpf_limits - sizes of the maps; 0 is the default
 * @tags: names, and rows of statistics
 * @open: rows of open transactions
 */
struct shim_bpf_limits {
	uint32_t tags;
	uint32_t open;
};

/**
 * struct shim_bpf_stat - statistics of one tag and kind, all CPUs together
 * @name: the tag; belongs to the reader, lives as long
 * @key: tag id and kind
 * @total: sums, extremes, and of @value the newest
 */
struct shim_bpf_stat {
	const char *name;
	struct vc_stat_key key;
	struct vc_stat total;
};

struct shim_bpf_reader;

int shim_bpf__on(struct shim_bpf_limits limits);
int shim_bpf__off(void);
int shim_bpf__status(void);

int shim_bpf_reader__open(struct shim_bpf_reader **out);
int shim_bpf_reader__stats(struct shim_bpf_reader *r, const struct shim_bpf_stat **stats,
			   size_t *n);
int shim_bpf_reader__drops(struct shim_bpf_reader *r, uint64_t drops[VC_DROP_NR]);
void shim_bpf_reader__close(struct shim_bpf_reader *r);

#endif /* SHIM_CORE_BPF_H */
