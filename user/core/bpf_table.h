/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reading a pinned hash map, which may have a value for each CPU. */
#ifndef SHIM_CORE_BPF_TABLE_H
#define SHIM_CORE_BPF_TABLE_H

#include <stddef.h>
#include <stdint.h>

/*
 * struct shim_bpf_table - a pinned hash map, and a batch of its rows
 * @fd: the map, -1: closed
 * @key, @value: bytes; of a value, for one CPU
 * @cpus: values of a row; 1 where it is not per CPU
 * @batch: rows that @keys and @values have room for
 * @values: [batch][cpus]
 */
struct shim_bpf_table {
	int fd;
	size_t key, value, cpus, batch;
	char *keys, *values;
};

/* A row: @key, and a value of each CPU in @cpus */
typedef int shim_bpf_row_fn(void *arg, const void *key, const void *cpus);

int shim_bpf_table__open(struct shim_bpf_table *t, const char *path, uint32_t type, size_t key,
			 size_t value);
int shim_bpf_table__read(struct shim_bpf_table *t, shim_bpf_row_fn *fn, void *arg);
void shim_bpf_table__close(struct shim_bpf_table *t);

#endif /* SHIM_CORE_BPF_TABLE_H */
