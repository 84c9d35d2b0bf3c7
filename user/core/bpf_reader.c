// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Reading the pinned trace maps: statistics of all CPUs added up, with names.
 *
 * A reader is its caller's own, without a lock.  It keeps its buffers and the
 * names it has seen: a tag's id is never given to another name.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "base/arena.h"
#include "base/hash.h"
#include "bpf.h"

#define BATCH_ROWS 64

struct known_name {
	struct shim_hnode node;
	uint32_t tag;
	char name[VC_TAG_LEN];
};

struct shim_bpf_reader {
	int stat_fd, tag_fd, drop_fd;
	ino_t pin;		/* of vc_stat: another one after off and on */
	size_t cpus;
	size_t batch;		/* rows that keys and values have room for */
	struct vc_stat_key *keys;
	struct vc_stat *values;	/* [batch][cpus] */
	struct shim_bpf_stat *stats;
	size_t n, room;
	struct shim_hash names;	/* of struct known_name, in the arena */
	struct shim_arena arena;
};

static int pin_inode(ino_t *inode)
{
	struct stat st;

	if (stat(VC_PIN_DIR "/vc_stat", &st))
		return errno == EACCES ? -EPERM : -errno;
	*inode = st.st_ino;
	return 0;
}

/* What is pinned there must have our shape: rows are read into our structs. */
static int open_pin(const char *path, uint32_t type, size_t key, size_t value, int *fd)
{
	struct bpf_map_info info = { 0 };
	uint32_t len = sizeof(info);
	int map = bpf_obj_get(path);

	if (map < 0)
		return errno == EACCES ? -EPERM : -errno;
	*fd = map;
	if (bpf_obj_get_info_by_fd(map, &info, &len))
		return -errno;
	if (info.type != type || info.key_size != key || info.value_size != value)
		return -EPROTO;
	return 0;
}

static int grow_batch(struct shim_bpf_reader *r, size_t rows)
{
	struct vc_stat_key *keys = calloc(rows, sizeof(*keys));
	struct vc_stat *values = calloc(rows, r->cpus * sizeof(*values));

	if (!keys || !values) {
		free(keys);
		free(values);
		return -ENOMEM;
	}
	free(r->keys);
	free(r->values);
	r->keys = keys;
	r->values = values;
	r->batch = rows;
	return 0;
}

static int open_maps(struct shim_bpf_reader *r)
{
	int err = pin_inode(&r->pin);

	if (!err)
		err = open_pin(VC_PIN_DIR "/vc_stat", BPF_MAP_TYPE_PERCPU_HASH,
			       sizeof(struct vc_stat_key), sizeof(struct vc_stat), &r->stat_fd);
	if (!err)
		err = open_pin(VC_PIN_DIR "/vc_tag", BPF_MAP_TYPE_HASH, sizeof(uint32_t),
			       sizeof(struct vc_tag_name), &r->tag_fd);
	if (!err)
		err = open_pin(VC_PIN_DIR "/vc_drop", BPF_MAP_TYPE_PERCPU_ARRAY, sizeof(uint32_t),
			       sizeof(uint64_t), &r->drop_fd);
	return err;
}

/**
 * shim_bpf_reader__open() - get ready to read the trace maps
 * @out: the reader, on success
 *
 * Return: 0; -ENOENT if tracing is off, -EPERM without the privilege, -EPROTO
 *	if another version's maps are pinned there, -ENOMEM.
 */
int shim_bpf_reader__open(struct shim_bpf_reader **out)
{
	struct shim_bpf_reader *r = calloc(1, sizeof(*r));
	int cpus = libbpf_num_possible_cpus();
	int err;

	if (!r)
		return -ENOMEM;
	r->stat_fd = r->tag_fd = r->drop_fd = -1;
	shim_hash__init(&r->names);
	err = cpus < 0 ? cpus : open_maps(r);
	if (!err) {
		r->cpus = cpus;
		err = grow_batch(r, BATCH_ROWS);
	}
	if (err)
		shim_bpf_reader__close(r);
	else
		*out = r;
	return err;
}

/* The name of a tag: 0, -ENOENT if it has just been evicted, -ENOMEM */
static int name_of(struct shim_bpf_reader *r, uint32_t tag, const char **name)
{
	uint64_t hash = shim_hash__u32(&r->names, tag);
	struct shim_hnode *node = shim_hash__first(&r->names, hash);
	struct vc_tag_name value;
	struct known_name *known;
	int err;

	for (; node; node = shim_hash__next(node)) {
		known = shim_hnode__entry(node, struct known_name, node);
		if (known->tag == tag) {
			*name = known->name;
			return 0;
		}
	}
	if (bpf_map_lookup_elem(r->tag_fd, &tag, &value))
		return -errno;
	known = shim_arena__alloc(&r->arena, sizeof(*known));
	if (!known)
		return -ENOMEM;
	known->tag = tag;
	memcpy(known->name, value.name, VC_TAG_LEN - 1);
	err = shim_hash__add(&r->names, &known->node, hash);
	if (!err)
		*name = known->name;
	return err;
}

/* One tag and kind, all CPUs together; a CPU that saw nothing has all zeroes */
static void add_up(struct vc_stat *total, const struct vc_stat *cpus, size_t n)
{
	memset(total, 0, sizeof(*total));
	for (const struct vc_stat *cpu = cpus; cpu < cpus + n; cpu++) {
		if (!cpu->count)
			continue;
		if (!total->count || cpu->min_ns < total->min_ns)
			total->min_ns = cpu->min_ns;
		if (cpu->max_ns > total->max_ns)
			total->max_ns = cpu->max_ns;
		if (cpu->last_ns >= total->last_ns) {
			total->last_ns = cpu->last_ns;
			total->value = cpu->value;
		}
		total->count += cpu->count;
		total->sum_ns += cpu->sum_ns;
		for (size_t i = 0; i < VC_HIST_SLOTS; i++)
			total->hist[i] += cpu->hist[i];
	}
}

static int add_row(struct shim_bpf_reader *r, struct vc_stat_key key, const struct vc_stat *cpus)
{
	struct shim_bpf_stat *row;
	int err;

	if (r->n == r->room) {
		size_t room = r->room ? 2 * r->room : BATCH_ROWS;

		row = reallocarray(r->stats, room, sizeof(*row));
		if (!row)
			return -ENOMEM;
		r->stats = row;
		r->room = room;
	}
	row = &r->stats[r->n];
	err = name_of(r, key.tag, &row->name);
	if (err == -ENOENT)
		return 0;
	if (err)
		return err;
	row->key = key;
	add_up(&row->total, cpus, r->cpus);
	/* A row that is just being made has no event yet. */
	if (row->total.count)
		r->n++;
	return 0;
}

/*
 * The rows, some at a time: buckets are given whole, and a bucket that does
 * not fit is asked for again with more room.
 */
static int read_rows(struct shim_bpf_reader *r)
{
	uint32_t position = 0, next = 0;
	int first = 1, done = 0;

	while (!done) {
		uint32_t got = r->batch;
		int err = 0;

		if (bpf_map_lookup_batch(r->stat_fd, first ? NULL : &position, &next, r->keys,
					 r->values, &got, NULL))
			err = -errno;
		if (err == -ENOSPC) {
			err = grow_batch(r, 2 * r->batch);
			if (err)
				return err;
			continue;
		}
		if (err && err != -ENOENT)
			return err;
		done = err == -ENOENT;
		for (uint32_t i = 0; i < got; i++) {
			err = add_row(r, r->keys[i], r->values + i * r->cpus);
			if (err)
				return err;
		}
		position = next;
		first = 0;
	}
	return 0;
}

/**
 * shim_bpf_reader__stats() - the statistics of all tags as they are now
 * @r: reader
 * @stats: @n rows in no particular order, the reader's, until the next call
 * @n: number of rows
 *
 * Return: 0; -ESTALE if tracing was turned off since the reader was opened
 *	(open another one), -ENOMEM, or an errno of bpf(2).
 */
int shim_bpf_reader__stats(struct shim_bpf_reader *r, const struct shim_bpf_stat **stats,
			   size_t *n)
{
	ino_t pin;
	int err = pin_inode(&pin);

	if (err == -ENOENT || (!err && pin != r->pin))
		return -ESTALE;
	if (err)
		return err;
	r->n = 0;
	err = read_rows(r);
	if (err)
		return err;
	*stats = r->stats;
	*n = r->n;
	return 0;
}

/**
 * shim_bpf_reader__drops() - events that are in no statistics, by reason
 * @r: reader
 * @drops: one count for each reason, written on success
 *
 * Return: 0, -ENOMEM, or an errno of bpf(2).
 */
int shim_bpf_reader__drops(struct shim_bpf_reader *r, uint64_t drops[VC_DROP_NR])
{
	uint64_t sums[VC_DROP_NR] = { 0 };
	uint64_t *cpus = calloc(r->cpus, sizeof(*cpus));
	int err = cpus ? 0 : -ENOMEM;

	for (uint32_t why = 0; !err && why < VC_DROP_NR; why++) {
		if (bpf_map_lookup_elem(r->drop_fd, &why, cpus))
			err = -errno;
		for (size_t i = 0; !err && i < r->cpus; i++)
			sums[why] += cpus[i];
	}
	free(cpus);
	if (!err)
		memcpy(drops, sums, sizeof(sums));
	return err;
}

/**
 * shim_bpf_reader__close() - give back a reader and all it gave
 * @r: reader or NULL
 */
void shim_bpf_reader__close(struct shim_bpf_reader *r)
{
	if (!r)
		return;
	if (r->stat_fd >= 0)
		close(r->stat_fd);
	if (r->tag_fd >= 0)
		close(r->tag_fd);
	if (r->drop_fd >= 0)
		close(r->drop_fd);
	free(r->keys);
	free(r->values);
	free(r->stats);
	shim_hash__free(&r->names);
	shim_arena__free(&r->arena);
	free(r);
}
