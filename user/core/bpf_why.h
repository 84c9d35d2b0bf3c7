/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Load the BPF programs that record where transactions spend their time, and read their maps. */
#ifndef SHIM_CORE_BPF_WHY_H
#define SHIM_CORE_BPF_WHY_H

#include <linux/bpf.h>
#include <stddef.h>
#include <stdint.h>

#include "bpf/why.h"

/**
 * struct shim_bpf_why_options - what to record
 * @pid: one process, or 0
 * @stacks: also record stacks
 * @hertz: samples of threads in a transaction, per second and CPU
 * @probes: use the probes on this library even if the module is loaded
 */
struct shim_bpf_why_options {
	uint32_t pid;
	int stacks;
	uint32_t hertz;
	int probes;
};

/* The maps, in the order of the table in bpf_why.c */
enum shim_bpf_why_map {
	SHIM_BPF_WHY_REASON,
	SHIM_BPF_WHY_STACK,
};

struct shim_bpf_why;

typedef int shim_bpf_why_fn(void *arg, const void *key, const void *value);

/* @stats has an element for each possible CPU. */
typedef int shim_bpf_why_tag_fn(void *arg, const struct vc_why_key *key, const char *name,
				const struct vc_why_stat *stats);

int shim_bpf_why__open(const struct shim_bpf_why_options *options, struct shim_bpf_why **out);
void shim_bpf_why__close(struct shim_bpf_why *w);
unsigned int shim_bpf_why__sampled(const struct shim_bpf_why *w);
size_t shim_bpf_why__cpus(const struct shim_bpf_why *w);
int shim_bpf_why__walk(const struct shim_bpf_why *w, enum shim_bpf_why_map which,
		       shim_bpf_why_fn *fn, void *arg);
int shim_bpf_why__walk_tags(const struct shim_bpf_why *w, shim_bpf_why_tag_fn *fn, void *arg);
int shim_bpf_why__kernel_trace(const struct shim_bpf_why *w, int32_t id,
			       uint64_t frames[VC_WHY_FRAMES]);
int shim_bpf_why__user_trace(const struct shim_bpf_why *w, int32_t id,
			     struct bpf_stack_build_id frames[VC_WHY_FRAMES]);
int shim_bpf_why__drops(const struct shim_bpf_why *w, uint64_t drops[VC_WHY_DROP_NR]);
const char *shim_syscall__name(uint32_t number);

#endif /* SHIM_CORE_BPF_WHY_H */
