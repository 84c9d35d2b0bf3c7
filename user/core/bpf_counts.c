// SPDX-License-Identifier: LGPL-2.1-or-later
/* Read the event counts of transactions: sums over CPUs, and over threads that add up their own. */
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <linux/bpf.h>

#include "base/vec.h"
#include "bpf_counts.h"
#include "bpf_pins.h"

/*
 * A program that keeps writing new events into its rows must not fill the reader's memory.  Above
 * this number the reader forgets all of them, which costs only time.
 */
#define MANY_OWN	16384

/* The row of counts that programs wrote themselves, in the read number @read */
struct own_count {
	struct shim_hnode node;
	uint64_t id;
	struct vc_events events;
	uint64_t read;
	size_t at;
};

/**
 * shim_bpf_counts__open() - prepare to read
 * @c: zero, except descriptors, which are -1; call shim_bpf_counts__close() even after an error
 *
 * Return: 0, -ENOENT, -EPERM, -EPROTO, -ENOMEM, or another errno.
 */
int shim_bpf_counts__open(struct shim_bpf_counts *c)
{
	int err = shim_bpf_table__open(&c->map, VC_PIN_DIR "/vc_count", BPF_MAP_TYPE_PERCPU_HASH,
				       sizeof(struct vc_count_key), sizeof(struct vc_count));

	shim_hash__init(&c->own);
	if (!err)
		err = shim_bpf_pins__map(VC_PIN_DIR "/vc_events", BPF_MAP_TYPE_HASH, sizeof(uint64_t),
					 sizeof(struct vc_events), &c->events_fd);
	return err;
}

/* Get the events of a key of vc_events.  Return 0, -ENOENT, or an errno of bpf(2). */
int shim_bpf_counts__events(const struct shim_bpf_counts *c, uint64_t key, struct vc_events *events)
{
	if (bpf_map_lookup_elem(c->events_fd, &key, events))
		return -errno;
	if (events->nr > VC_MAX_COUNTERS)
		events->nr = VC_MAX_COUNTERS;
	return 0;
}

static void add(struct vc_count *total, const struct vc_count *more)
{
	total->count += more->count;
	for (size_t i = 0; i < VC_MAX_COUNTERS; i++)
		total->sum[i] += more->sum[i];
}

struct reading {
	struct shim_bpf_counts *c;
	size_t cpus;
};

static int add_row(void *arg, const void *key, const void *values)
{
	const struct reading *reading = arg;
	struct shim_bpf_counts *c = reading->c;
	int err = shim_vec__room(c->rows, &c->room, c->n);
	const struct vc_count *cpus = values;
	struct vc_count total = { 0 };
	struct shim_bpf_count *row;
	struct vc_count_key k;

	if (err)
		return err;
	memcpy(&k, key, sizeof(k));
	for (size_t i = 0; i < reading->cpus; i++)
		add(&total, &cpus[i]);
	row = &c->rows[c->n];
	/*
	 * Rows usually come in the same order, so the row of the last read is probably at this
	 * place, and its events are known.
	 */
	if (c->n < c->before && row->id == k.tag && row->events_key == k.events &&
	    !memcmp(&row->total, &total, sizeof(total))) {
		c->n++;
		return 0;
	}
	row->id = k.tag;
	row->events_key = 0;
	row->version = ++c->version;
	row->total = total;
	err = shim_bpf_counts__events(c, k.events, &row->events);
	if (err)
		return err == -ENOENT ? 0 : err;
	row->events_key = k.events;
	c->n += total.count != 0;
	return 0;
}

/* Forget all rows, but keep the seed, so keys do not change. */
static void forget_own(struct shim_bpf_counts *c)
{
	uint64_t seed = c->own.seed;

	shim_hash__free(&c->own);
	shim_arena__free(&c->arena);
	c->own = (struct shim_hash) { .seed = seed };
	c->arena = (struct shim_arena) { 0 };
	c->nown = 0;
}

/**
 * shim_bpf_counts__read() - read the rows of the kernel's map
 * @c: receives the rows
 * @cpus: number of values per row
 *
 * Return: 0, -ENOMEM, or an errno of bpf(2).
 */
int shim_bpf_counts__read(struct shim_bpf_counts *c, size_t cpus)
{
	struct reading reading = { c, cpus };

	if (c->nown > MANY_OWN)
		forget_own(c);
	c->before = c->n;
	c->n = 0;
	c->reads++;
	return shim_bpf_table__read(&c->map, add_row, &reading);
}

static uint64_t hash_of(const struct shim_bpf_counts *c, uint64_t id, const struct vc_events *events)
{
	return shim_hash__bytes(&c->own, events, sizeof(*events)) ^
	       shim_hash__bytes(&c->own, &id, sizeof(id));
}

/* Find or make the entry for a tag and events that programs counted themselves; NULL: no memory */
static struct own_count *own_of(struct shim_bpf_counts *c, uint64_t id,
				const struct vc_events *events)
{
	uint64_t hash = hash_of(c, id, events);
	struct own_count *own;

	for (struct shim_hnode *node = shim_hash__first(&c->own, hash); node;
	     node = shim_hash__next(node)) {
		own = shim_hnode__entry(node, struct own_count, node);
		if (own->id == id && !memcmp(&own->events, events, sizeof(*events)))
			return own;
	}
	own = shim_arena__alloc(&c->arena, sizeof(*own));
	if (!own)
		return NULL;
	c->nown++;
	own->id = id;
	own->events = *events;
	own->read = 0;
	return shim_hash__add(&c->own, &own->node, hash) ? NULL : own;
}

/* Make a row for the entry in this read. */
static int make_row(struct shim_bpf_counts *c, struct own_count *own)
{
	struct shim_bpf_count *row;

	if (shim_vec__room(c->rows, &c->room, c->n))
		return -ENOMEM;
	row = &c->rows[c->n];
	*row = (struct shim_bpf_count) {
		.id = own->id,
		/* Not a key of the kernel's table, whose keys come from an unpredictable hash */
		.events_key = shim_hash__bytes(&c->own, &own->events, sizeof(own->events)) | SHIM_DIRECT_ID,
		.version = ++c->version,
		.events = own->events,
	};
	own->read = c->reads;
	own->at = c->n++;
	return 0;
}

/**
 * shim_bpf_counts__add_slot() - add the counts of a thread's transactions
 * @c: after shim_bpf_counts__read()
 * @id: the tag's ID
 * @slot: as returned by shim_bpf_slots__read()
 *
 * Return: 0 or -ENOMEM.
 */
int shim_bpf_counts__add_slot(struct shim_bpf_counts *c, uint64_t id, const struct vc_direct *slot)
{
	struct own_count *own;

	if (slot->kind != VC_TRANSACT || !slot->count.count)
		return 0;
	own = own_of(c, id, &slot->events);
	if (!own || (own->read != c->reads && make_row(c, own)))
		return -ENOMEM;
	add(&c->rows[own->at].total, &slot->count);
	return 0;
}

void shim_bpf_counts__close(struct shim_bpf_counts *c)
{
	shim_bpf_table__close(&c->map);
	if (c->events_fd >= 0)
		close(c->events_fd);
	free(c->rows);
	shim_hash__free(&c->own);
	shim_arena__free(&c->arena);
}
