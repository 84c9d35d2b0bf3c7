/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Read a pinned hash map, possibly with a value per CPU. */
#ifndef SHIM_CORE_BPF_TABLE_H
#define SHIM_CORE_BPF_TABLE_H

#include <stddef.h>
#include <stdint.h>

/*
 * struct shim_bpf_table - a pinned hash map, and a batch of its rows
 * @fd: the map, -1: closed
 * @key, @value: sizes in bytes; @value for one CPU
 * @cpus: values per row; 1 if the map is not per CPU
 * @batch: rows that @keys and @values have room for
 * @values: [batch][cpus]
 */
struct shim_bpf_table {
	int fd;
	size_t key, value, cpus, batch;
	char *keys, *values;
};

/* Called with a row: its @key, and its values, one per CPU, in @cpus */
typedef int shim_bpf_row_fn(void *arg, const void *key, const void *cpus);

int shim_bpf_table__open(struct shim_bpf_table *t, const char *path, uint32_t type, size_t key,
			 size_t value);
int shim_bpf_table__read(struct shim_bpf_table *t, shim_bpf_row_fn *fn, void *arg);
void shim_bpf_table__close(struct shim_bpf_table *t);

#endif /* SHIM_CORE_BPF_TABLE_H */
