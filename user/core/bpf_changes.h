/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reading what has changed in vc_stat, by a BPF program that finds it. */
#ifndef SHIM_CORE_BPF_CHANGES_H
#define SHIM_CORE_BPF_CHANGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bpf/changes.h"

struct vc_reader;

/*
 * struct shim_bpf_changes - a program, and what it knows of each row; all zero: there is none
 * @skel: the program and its maps
 * @pid, @generation: of the process that opened it, as a forked child shares the maps with its parent
 * @seen: by row; shared with the program
 * @rows: how many rows @seen has
 * @n: rows of the last reading
 * @reads: number of the last reading
 * @again: a row is wanted once more in this reading
 */
struct shim_bpf_changes {
	struct vc_reader *skel;
	int pid;
	unsigned int generation;
	struct vc_seen *seen;
	size_t rows, n;
	uint64_t reads;
	bool again;
};

/*
 * A CPU's part of a row that has changed; parts of a row come one after the other.  At the end of
 * each of the program's runs, both are NULL.
 */
typedef int shim_bpf_change_fn(void *arg, const struct vc_change *change, struct vc_seen *seen);

int shim_bpf_changes__open(struct shim_bpf_changes *c, int stat, size_t cpus);
bool shim_bpf_changes__usable(const struct shim_bpf_changes *c);
int shim_bpf_changes__read(struct shim_bpf_changes *c, shim_bpf_change_fn *fn, void *arg);
void shim_bpf_changes__all_slots(struct shim_bpf_changes *c, struct vc_seen *seen);
void shim_bpf_changes__forget(struct shim_bpf_changes *c, size_t first);
void shim_bpf_changes__close(struct shim_bpf_changes *c);

#endif /* SHIM_CORE_BPF_CHANGES_H */
