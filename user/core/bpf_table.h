/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Read a pinned hash map, possibly with a value per CPU. */
#ifndef SHIM_CORE_BPF_TABLE_H
#define SHIM_CORE_BPF_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bpf/changes.h"

/*
 * struct shim_bpf_table - a pinned hash map, and a batch of its rows
 * @fd: the map, -1: closed
 * @key, @value: sizes in bytes; @value for one CPU
 * @cpus: number of values per row; 1 if the map is not per CPU
 * @batch: capacity of @keys and @values in rows
 * @values: [batch][cpus]
 */
struct shim_bpf_table {
	int fd;
	size_t key, value, cpus, batch;
	char *keys, *values;
};

/* Called for a row with its @key and its values in @cpus, one per CPU */
typedef int shim_bpf_row_fn(void *arg, const void *key, const void *cpus);

int shim_bpf_table__open(struct shim_bpf_table *t, const char *path, uint32_t type, size_t key,
			 size_t value);
int shim_bpf_table__read(struct shim_bpf_table *t, shim_bpf_row_fn *fn, void *arg);
void shim_bpf_table__close(struct shim_bpf_table *t);

/* Read the changed rows of vc_stat, which a BPF program finds. */

struct vc_reader;

/*
 * struct shim_bpf_changes - a program, and its state for each row; all zero: no program
 * @skel: the program and its maps
 * @pid, @generation: identify the process that opened it, because a forked child shares the maps
 *	with its parent
 * @seen: state by row; shared with the program
 * @rows: number of rows in @seen
 * @n: rows in the last read
 * @reads: serial number of the last read
 * @again: a row is needed again in this read
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
 * Called with one CPU's part of a changed row.  The parts of a row are passed consecutively.  At
 * the end of each run of the program, both pointers are NULL.
 */
typedef int shim_bpf_change_fn(void *arg, const struct vc_change *change, struct vc_seen *seen);

int shim_bpf_changes__open(struct shim_bpf_changes *c, int stat, size_t cpus);
bool shim_bpf_changes__usable(const struct shim_bpf_changes *c);
int shim_bpf_changes__read(struct shim_bpf_changes *c, shim_bpf_change_fn *fn, void *arg);
void shim_bpf_changes__all_slots(struct shim_bpf_changes *c, struct vc_seen *seen);
void shim_bpf_changes__forget(struct shim_bpf_changes *c, size_t first);
void shim_bpf_changes__close(struct shim_bpf_changes *c);

#endif /* SHIM_CORE_BPF_TABLE_H */
