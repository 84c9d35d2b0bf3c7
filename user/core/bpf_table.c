// SPDX-License-Identifier: LGPL-2.1-or-later
/* Read a pinned hash map, possibly with a value per CPU. */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <linux/bpf.h>

#include "bpf_pins.h"
#include "bpf_table.h"

#define BATCH_ROWS 64

static int grow_batch(struct shim_bpf_table *t, size_t rows)
{
	char *keys = calloc(rows, t->key);
	char *values = calloc(rows, t->cpus * t->value);

	if (!keys || !values) {
		free(keys);
		free(values);
		return -ENOMEM;
	}
	free(t->keys);
	free(t->values);
	t->keys = keys;
	t->values = values;
	t->batch = rows;
	return 0;
}

/**
 * shim_bpf_table__open() - prepare to read
 * @t: zero, except @fd, which is -1; unchanged after an error
 * @path: path of its pin
 * @type: BPF_MAP_TYPE_*
 * @key: size in bytes
 * @value: size in bytes for one CPU, a multiple of 8
 *
 * Return: 0, -ENOENT, -EPERM, -EPROTO if type or sizes differ, -ENOMEM, or another errno.
 */
int shim_bpf_table__open(struct shim_bpf_table *t, const char *path, uint32_t type, size_t key,
			 size_t value)
{
	int cpus = type == BPF_MAP_TYPE_PERCPU_HASH ? libbpf_num_possible_cpus() : 1;
	int err = cpus < 0 ? cpus : shim_bpf_pins__map(path, type, key, value, &t->fd);

	t->key = key;
	t->value = value;
	t->cpus = cpus;
	if (!err)
		err = grow_batch(t, BATCH_ROWS);
	if (err)
		shim_bpf_table__close(t);
	return err;
}

static int give_rows(const struct shim_bpf_table *t, uint32_t n, shim_bpf_row_fn *fn, void *arg)
{
	int err = 0;

	for (uint32_t i = 0; !err && i < n; i++)
		err = fn(arg, t->keys + i * t->key, t->values + i * t->cpus * t->value);
	return err;
}

/**
 * shim_bpf_table__read() - walk over all rows
 * @t: the table
 * @fn: called for each row; a value other than 0 ends the walk
 * @arg: for @fn
 *
 * Rows are read in batches.  The kernel returns only whole buckets.  If the next one does not fit,
 * the read is repeated with twice the memory.
 *
 * Return: 0, what @fn returned, -ENOMEM, or an errno of bpf(2).
 */
int shim_bpf_table__read(struct shim_bpf_table *t, shim_bpf_row_fn *fn, void *arg)
{
	uint32_t position = 0, next = 0;
	int first = 1, done = 0;

	while (!done) {
		uint32_t got = t->batch;
		int err = 0;

		if (bpf_map_lookup_batch(t->fd, first ? NULL : &position, &next, t->keys,
					 t->values, &got, NULL))
			err = -errno;
		if (err == -ENOSPC) {
			err = grow_batch(t, 2 * t->batch);
			if (err)
				return err;
			continue;
		}
		if (err && err != -ENOENT)
			return err;
		done = err == -ENOENT;
		err = give_rows(t, got, fn, arg);
		if (err)
			return err;
		position = next;
		first = 0;
	}
	return 0;
}

void shim_bpf_table__close(struct shim_bpf_table *t)
{
	if (t->fd >= 0)
		close(t->fd);
	free(t->keys);
	free(t->values);
	*t = (struct shim_bpf_table) { .fd = -1 };
}
