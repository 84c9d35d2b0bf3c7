// SPDX-License-Identifier: LGPL-2.1-or-later
/* Read a pinned hash map, possibly with a value per CPU: all rows, or only the changed ones. */
#include <errno.h>
#include <linux/bpf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "base/process.h"
#include "bpf_load.h"
#include "bpf_pins.h"
#include "bpf_table.h"
#include "reader.skel.h"

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
 * @path: path of the map's pin
 * @type: BPF_MAP_TYPE_*
 * @key: size in bytes
 * @value: size in bytes for one CPU, a multiple of 8
 *
 * Return: 0, -ENOENT, -EPERM, -EPROTO if the type or the sizes differ, -ENOMEM, or
 * another errno.
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
 * @arg: argument of @fn
 *
 * Rows are read in batches.  The kernel returns only whole buckets.  If the next bucket does not
 * fit, the read is repeated with twice the memory.
 *
 * Return: 0, the value that @fn returned, -ENOMEM, or an errno from bpf(2).
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

/*
 * Read the changed rows of vc_stat, which a BPF program finds.
 *
 * The table has a row of 3 kB for each tag and CPU.  Most of the table consists of unchanged rows
 * and unused histogram buckets, which this program does not copy.
 */

/* Maximum size of one CPU's part of a row, with all its buckets */
#define MOST	sizeof(struct vc_change)

/* Pass the reader's table to the program, and memory to record the state of each row. */
static int table_prepare(struct vc_reader *skel, int stat, size_t cpus, size_t *rows)
{
	struct bpf_map_info info = { 0 };
	uint32_t len = sizeof(info);
	int err;

	if (bpf_obj_get_info_by_fd(stat, &info, &len))
		return -errno;
	skel->rodata->vc_cpus = cpus;
	err = bpf_map__reuse_fd(skel->maps.vc_stat, stat);
	if (!err)
		err = bpf_map__set_max_entries(skel->maps.vc_seen, info.max_entries);
	*rows = info.max_entries;
	return err ? err : shim_bpf_load_skeleton(skel->skeleton);
}

static int map_seen(struct shim_bpf_changes *c)
{
	void *seen = mmap(NULL, c->rows * sizeof(*c->seen), PROT_READ | PROT_WRITE, MAP_SHARED,
			  bpf_map__fd(c->skel->maps.vc_seen), 0);

	if (seen == MAP_FAILED)
		return -errno;
	c->seen = seen;
	return 0;
}

/**
 * shim_bpf_changes__open() - load the program
 * @c: all zero; unchanged after an error
 * @stat: descriptor of the table
 * @cpus: number of CPUs for which the table has values
 *
 * Return: 0; -EPERM without CAP_BPF and CAP_PERFMON, or another error if this kernel cannot run it.
 */
int shim_bpf_changes__open(struct shim_bpf_changes *c, int stat, size_t cpus)
{
	libbpf_print_fn_t print;
	int err;

	/* The output of one run must have space for one row with the values of all CPUs. */
	if (cpus * MOST > VC_CHANGES_SIZE - MOST)
		return -E2BIG;
	err = shim_fork__watch();
	if (err)
		return err;
	print = libbpf_set_print(NULL);
	c->skel = vc_reader__open();
	err = c->skel ? table_prepare(c->skel, stat, cpus, &c->rows) : -errno;
	libbpf_set_print(print);
	c->pid = getpid();
	c->generation = shim_fork__generation();
	if (!err)
		err = map_seen(c);
	if (err)
		shim_bpf_changes__close(c);
	return err;
}

/* Return whether a program is loaded and was loaded by this process. */
bool shim_bpf_changes__usable(const struct shim_bpf_changes *c)
{
	return c->skel && c->generation == shim_fork__generation() && c->pid == getpid();
}

static int give(const struct shim_bpf_changes *c, shim_bpf_change_fn *fn, void *arg)
{
	const char *at = (const char *)c->skel->bss->vc_changes, *end = at + c->skel->bss->vc_used;
	int err = 0;

	while (!err && at < end) {
		const struct vc_change *change = (const struct vc_change *)at;

		at += offsetof(struct vc_change, stat.hist) +
		      (change->end - change->first) * sizeof(uint64_t);
		err = fn(arg, change, &c->seen[change->row]);
	}
	return err ? err : fn(arg, NULL, NULL);
}

/*
 * Return the maximum number of program runs per read: several times the number that all rows need.
 * A process that continually creates and drops tags moves rows to other numbers, where they count
 * as changed.
 */
static size_t most_runs(const struct shim_bpf_changes *c)
{
	return 4 + 4 * (c->rows * c->skel->rodata->vc_cpus * MOST / VC_CHANGES_SIZE);
}

static int run(const struct shim_bpf_changes *c)
{
	LIBBPF_OPTS(bpf_test_run_opts, opts);
	int err = bpf_prog_test_run_opts(bpf_program__fd(c->skel->progs.vc_find_changes), &opts);

	return err < 0 ? -errno : 0;
}

/**
 * shim_bpf_changes__read() - read the rows that have changed since the last read
 * @c: usable
 * @fn: called for each CPU's part of each changed row; a value other than 0 ends the read
 * @arg: argument of @fn
 *
 * @fn may set the row's @rests and @all, and call shim_bpf_changes__all_slots().
 *
 * Return: 0 (@c->n is the number of rows), -EAGAIN if rows are added and removed too fast, the
 * value of @fn, or an errno from bpf(2).  After an error, the next read returns all rows.
 */
int shim_bpf_changes__read(struct shim_bpf_changes *c, shim_bpf_change_fn *fn, void *arg)
{
	size_t before = c->n, left = most_runs(c);
	int err;

	c->skel->bss->vc_read = ++c->reads;
	do {
		c->again = false;
		err = left-- ? run(c) : -EAGAIN;
		if (!err)
			err = give(c, fn, arg);
	} while (!err && (c->skel->bss->vc_full || c->again));
	if (err) {
		shim_bpf_changes__forget(c, 0);
		return err;
	}
	c->n = c->skel->bss->vc_row;
	/* If a removed row is replaced, report the new row even if it looks unchanged. */
	for (size_t i = c->n; i < before; i++)
		c->seen[i].rests = 0;
	return 0;
}

/* Make the program return a row again in this read, with all buckets of its histogram. */
void shim_bpf_changes__all_slots(struct shim_bpf_changes *c, struct vc_seen *seen)
{
	seen->all = 1;
	seen->again = 1;
	c->again = true;
}

/**
 * shim_bpf_changes__forget() - return rows at the next read, whether or not they have changed
 * @c: may have no program
 * @first: number of the first row to return
 */
void shim_bpf_changes__forget(struct shim_bpf_changes *c, size_t first)
{
	for (size_t i = first; i < c->rows; i++)
		c->seen[i].rests = 0;
}

void shim_bpf_changes__close(struct shim_bpf_changes *c)
{
	if (c->seen)
		munmap(c->seen, c->rows * sizeof(*c->seen));
	vc_reader__destroy(c->skel);
	*c = (struct shim_bpf_changes) { NULL };
}
