// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Read the pinned trace maps: statistics with names, summed over all CPUs.
 *
 * Locking: none.  The caller ensures that only one thread at a time uses a reader.
 *
 * A reader keeps its buffers and the tags it has seen, because an ID is never reused for another
 * name.  Programs that create and drop tags for days use up many IDs, so the reader occasionally
 * forgets all tags and reads them again.
 *
 * The first read copies all rows, and so does every read if loading BPF programs is not permitted.
 * Otherwise a BPF program finds the changed rows from the second read on.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "base/vec.h"
#include "bpf.h"
#include "bpf_pins.h"
#include "bpf_stat.h"
#include "bpf_table.h"
#include "bpf_tags.h"

/* Maximum number of removed tags to keep */
#define MANY_TAGS	4096

struct shim_bpf_reader {
	struct shim_bpf_table stat;
	struct shim_bpf_changes changes;	/* finds the rows of @stat that have changed */
	struct shim_bpf_counts counts;		/* read on request */
	struct shim_bpf_processes processes;	/* read on request */
	int drop_fd;
	struct shim_bpf_slots slots;
	ino_t pin;		/* inode of vc_stat; changes when tracing is turned off and on */
	bool apart;		/* see shim_bpf_reader__open() */
	int ended;		/* see shim_bpf_reader__has_ended() */
	size_t cpus;
	struct shim_bpf_stat *stats;
	size_t n, room;
	size_t made;		/* number of initialized stats[] */
	size_t before;		/* during a read, stats[n..before - 1] are from the last read */
	uint64_t reads;		/* number of the last read of stats[] */
	unsigned int others;	/* reads of other tables since that read */
	unsigned int holds;	/* calls to shim_bpf_reader__hold() */
	uint64_t version;	/* version of the row that changed last */
	struct shim_bpf_tags tags;
};

static int open_maps(struct shim_bpf_reader *r)
{
	int err = shim_bpf_pins__inode(&r->pin);

	if (!err)
		err = shim_bpf_table__open(&r->stat, VC_PIN_DIR "/vc_stat", BPF_MAP_TYPE_PERCPU_HASH,
					   sizeof(struct vc_stat_key), sizeof(struct vc_stat));
	if (!err)
		err = shim_bpf_counts__open(&r->counts);
	if (!err)
		err = shim_bpf_pins__map(VC_PIN_DIR "/vc_tag", BPF_MAP_TYPE_HASH, sizeof(uint64_t),
					 sizeof(struct vc_tag_name), &r->tags.fd);
	if (!err)
		err = shim_bpf_pins__map(VC_PIN_DIR "/vc_drop", BPF_MAP_TYPE_PERCPU_ARRAY, sizeof(uint32_t),
					 sizeof(uint64_t), &r->drop_fd);
	return err ? err : shim_bpf_slots__open(&r->slots);
}

/**
 * shim_bpf_reader__open() - prepare to read the trace maps
 * @apart: keep statistics that programs wrote themselves in separate rows.  A tag may then have two
 *	rows per kind: a row from the kernel, which is removed with the tag, and a row with
 *	SHIM_DIRECT_ID in its ID, which is kept
 * @out: the reader, on success
 *
 * Return: 0; -ENOENT if tracing is off, -EPERM if the caller lacks the privilege, -EPROTO if the
 *	pinned maps belong to a different version, or -ENOMEM.
 */
int shim_bpf_reader__open(bool apart, struct shim_bpf_reader **out)
{
	struct shim_bpf_reader *r = calloc(1, sizeof(*r));
	int cpus = libbpf_num_possible_cpus();
	int err;

	if (!r)
		return -ENOMEM;
	r->stat.fd = r->counts.map.fd = r->counts.events_fd = r->processes.map.fd = -1;
	r->drop_fd = -1;
	r->cpus = cpus > 0 ? cpus : 0;
	r->apart = apart;
	shim_bpf_tags__init(&r->tags);
	err = cpus < 0 ? cpus : open_maps(r);
	if (err)
		shim_bpf_reader__close(r);
	else
		*out = r;
	return err;
}

/**
 * shim_bpf_reader__has_ended() - continue to read the maps after tracing has been turned off
 * @r: reader; it no longer returns -ESTALE
 */
void shim_bpf_reader__has_ended(struct shim_bpf_reader *r)
{
	r->ended = 1;
}

/**
 * shim_bpf_reader__hold() - keep returned tags valid until shim_bpf_reader__release()
 * @r: reader
 */
void shim_bpf_reader__hold(struct shim_bpf_reader *r)
{
	r->holds++;
}

void shim_bpf_reader__release(struct shim_bpf_reader *r)
{
	r->holds--;
}

static void reader_forget(struct shim_bpf_reader *r)
{
	if (r->holds || shim_bpf_tags__n(&r->tags) <= MANY_TAGS + 2 * r->n)
		return;
	shim_bpf_tags__forget(&r->tags);
	/* The next read reports all rows, and looks up the tag of each. */
	for (size_t i = 0; i < r->made; i++)
		r->stats[i].tag = NULL;
	r->n = 0;
	shim_bpf_changes__forget(&r->changes, 0);
}

/**
 * shim_bpf_reader__forget() - forget the tags seen so far if they greatly outnumber the current
 * tags
 * @r: reader
 *
 * Returned tags become invalid.  No tag is forgotten while tags are held.  Between a read of
 * statistics and the next reads of counts and processes, which use the same tags and IDs, no tag is
 * forgotten either, unless several reads without statistics follow.
 */
void shim_bpf_reader__forget(struct shim_bpf_reader *r)
{
	if (!r->reads || ++r->others > 2)
		reader_forget(r);
}

/**
 * shim_bpf_reader__tag() - look up a tag
 * @r: reader
 * @id: the tag's ID
 * @tag: on success, the tag, valid until shim_bpf_reader__forget() or __stats()
 *
 * Return: 0, -ENOENT if its row was just removed or is being written, -ENOMEM, or an errno
 *	from bpf(2).
 */
int shim_bpf_reader__tag(struct shim_bpf_reader *r, uint64_t id, const struct shim_bpf_tag **tag)
{
	return shim_bpf_tags__get(&r->tags, id, tag);
}

/* Record the place of a tag's statistics in this read. */
static void set_place(struct shim_bpf_reader *r, const struct shim_bpf_stat *row)
{
	struct shim_bpf_known *known = shim_hnode__entry(row->tag, struct shim_bpf_known, tag);

	if (row->key.kind < VC_TRANSACT || row->key.kind > VC_COUNTER)
		return;
	known->place[row->key.kind - VC_TRANSACT].read = r->reads;
	known->place[row->key.kind - VC_TRANSACT].at = row - r->stats;
}

/* Get a row by index.  It has the contents of an earlier row or is all zero. */
static int row_at(struct shim_bpf_reader *r, size_t i, struct shim_bpf_stat **row)
{
	int err = shim_vec__reserve(r->stats, &r->room, i + 1);

	if (err)
		return err;
	for (; r->made <= i; r->made++)
		memset(&r->stats[r->made], 0, sizeof(**row));
	*row = &r->stats[i];
	return 0;
}

/*
 * Set a row's key.  The tag is looked up only if the row belonged to another tag before.  If
 * shim_bpf_reader__tag() fails, the row has no tag.
 */
static int set_key(struct shim_bpf_reader *r, struct shim_bpf_stat *row, const struct vc_stat_key *key)
{
	int err = 0;

	if (!row->tag || row->key.tag != key->tag)
		err = shim_bpf_reader__tag(r, key->tag, &row->tag);
	if (err)
		row->tag = NULL;
	row->key = *key;
	return err;
}

static int add_stat(void *reader, const void *key, const void *cpus)
{
	struct shim_bpf_reader *r = reader;
	struct shim_bpf_stat *row;
	int same, err = row_at(r, r->n, &row);

	if (err)
		return err;
	/*
	 * The map usually returns rows in the same order, so the row with this index probably still
	 * has the same key.
	 */
	same = r->n < r->before && !memcmp(&row->key, key, sizeof(row->key)) &&
	       shim_bpf_stat__rests(&row->total, cpus, r->cpus);
	if (same && row->rests) {
		set_place(r, row);
		r->n++;
		return 0;
	}
	row->version = ++r->version;
	/* Until this row is added up, the total belongs to another row and must not be used. */
	row->rests = 0;
	err = set_key(r, row, key);
	if (err == -ENOENT)
		return 0;
	if (err)
		return err;
	shim_bpf_stat__add_up(row, cpus, r->cpus);
	row->rests = same && shim_bpf_stat__is_whole(row);
	/* A row that is being created has no event yet. */
	if (row->total.count || row->total.aborted) {
		set_place(r, row);
		r->n++;
	}
	return 0;
}

/*
 * The state of receiving a row from the BPF program.  @all is set if all buckets of the row's
 * histogram are needed.
 */
struct taking {
	struct shim_bpf_reader *r;
	struct shim_bpf_stat *row;	/* NULL: no row */
	struct vc_seen *seen;
	int all;
};

/* Called when all parts of the row have been received. */
static void end_row(struct taking *taking)
{
	struct vc_seen *seen = taking->seen;

	if (!taking->row)
		return;
	taking->row->rests = seen->same && shim_bpf_stat__is_whole(taking->row);
	seen->rests = taking->row->rests;
	if (taking->all && !seen->all)
		shim_bpf_changes__all_slots(&taking->r->changes, seen);
	else
		seen->all = taking->all;
	taking->row = NULL;
	taking->seen = NULL;
}

static int begin_row(struct taking *taking, size_t i, struct vc_seen *seen)
{
	struct shim_bpf_reader *r = taking->r;
	int err;

	*taking = (struct taking) { .r = r, .seen = seen };
	err = row_at(r, i, &taking->row);
	if (err)
		return err;
	err = set_key(r, taking->row, &seen->key);
	shim_bpf_stat__clear(taking->row);
	taking->row->version = ++r->version;
	/* drop_nameless() drops the row if it has no tag. */
	return err == -ENOENT ? 0 : err;
}

static int take_change(void *arg, const struct vc_change *change, struct vc_seen *seen)
{
	struct taking *taking = arg;
	int err = 0;

	if (seen != taking->seen || (seen && memcmp(&taking->row->key, &seen->key, sizeof(seen->key))))
		end_row(taking);
	if (!change)
		return 0;
	if (!taking->row)
		err = begin_row(taking, change->row, seen);
	if (err)
		return err;
	if (!shim_bpf_stat__add_part(taking->row, &change->stat, change->first, change->end))
		taking->all = 1;
	return 0;
}

/* Return whether this read has already recorded a row of this tag and kind. */
static int is_noted(const struct shim_bpf_reader *r, const struct shim_bpf_stat *row)
{
	const struct shim_bpf_known *known = shim_hnode__entry(row->tag, struct shim_bpf_known, tag);

	return row->key.kind >= VC_TRANSACT && row->key.kind <= VC_COUNTER &&
	       known->place[row->key.kind - VC_TRANSACT].read == r->reads;
}

/*
 * Drop rows whose tag has no name yet or was removed.  Also drop the second of two rows of one tag:
 * a table that changes while the program walks over it may return a row twice.
 */
static void drop_nameless(struct shim_bpf_reader *r, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct shim_bpf_stat *row = &r->stats[i];

		if (!row->tag || is_noted(r, row)) {
			if (r->n == i)
				shim_bpf_changes__forget(&r->changes, i);
			continue;
		}
		if (r->n != i)
			memcpy(&r->stats[r->n], row, sizeof(*row));
		set_place(r, &r->stats[r->n++]);
	}
}

static int read_changes(struct shim_bpf_reader *r)
{
	struct taking taking = { .r = r };
	int err = shim_bpf_changes__read(&r->changes, take_change, &taking);

	if (!err)
		drop_nameless(r, r->changes.n);
	return err;
}

/*
 * Read the table.  Loading the program costs more than one read, so it is loaded at the second
 * read.
 */
static int read_table(struct shim_bpf_reader *r)
{
	int err;

	if (r->reads == 2)	/* if this fails, read without the program */
		shim_bpf_changes__open(&r->changes, r->stat.fd, r->cpus);
	if (shim_bpf_changes__usable(&r->changes)) {
		err = read_changes(r);
		if (err != -EAGAIN)
			return err;
		/* stats[] were partly overwritten and cannot be compared with the last read. */
		r->before = 0;
	}
	return shim_bpf_table__read(&r->stat, add_stat, r);
}

int shim_bpf_reader__events(struct shim_bpf_reader *r, uint64_t key, struct vc_events *events)
{
	return shim_bpf_counts__events(&r->counts, key, events);
}

int shim_bpf_reader__slot_tag(struct shim_bpf_reader *r, const struct vc_direct *slot, uint32_t i,
			      uint64_t *id, const struct shim_bpf_tag **tag)
{
	return shim_bpf_tags__of_slot(&r->tags, slot, i, id, tag);
}

/* Find the row to which a program's own statistics are added. */
static struct shim_bpf_stat *find_stat(const struct shim_bpf_reader *r, const struct vc_direct *slot)
{
	const int kind = slot->kind - VC_TRANSACT;
	const struct shim_bpf_known *known = shim_bpf_tags__find_slot(&r->tags, slot);

	if (known && known->place[kind].read == r->reads)
		return &r->stats[known->place[kind].at];
	if (r->apart)
		return NULL;
	for (known = shim_bpf_tags__first(&r->tags, slot->name, slot->user); known;
	     known = shim_bpf_tags__next(known))
		if (known->place[kind].read == r->reads)
			return &r->stats[known->place[kind].at];
	return NULL;
}

/* Add a slot (one thread's statistics of a tag) to the tag's row. */
static int add_slot(struct shim_bpf_reader *r, uint32_t i)
{
	struct shim_bpf_stat *row;
	struct vc_direct slot;
	const struct shim_bpf_tag *tag;
	uint64_t id;
	int err;

	if (!shim_bpf_slots__read(&r->slots, i, &slot))
		return 0;
	row = find_stat(r, &slot);
	if (!row) {
		err = shim_bpf_reader__slot_tag(r, &slot, i, &id, &tag);
		if (!err)
			err = row_at(r, r->n, &row);
		if (err)
			return err;
		r->n++;
		shim_bpf_stat__clear(row);
		row->tag = tag;
		row->key = (struct vc_stat_key) { .tag = id, .kind = slot.kind };
		set_place(r, row);
	}
	row->version = ++r->version;
	row->rests = 0;
	if ((size_t)(row - r->stats) < r->changes.n)
		r->changes.seen[row - r->stats].rests = 0;
	row->slots.first = 0;
	row->slots.end = VC_HIST_SLOTS;
	shim_bpf_stat__add(&row->total, &slot.stat);
	return 0;
}

static int add_slots(struct shim_bpf_reader *r)
{
	int err = 0;

	for (uint32_t i = 0; i < r->slots.n && !err; i++)
		err = add_slot(r, i);
	return err;
}

/**
 * shim_bpf_reader__check() - check that the reader's maps are still pinned
 * @r: reader
 *
 * Return: 0, -ESTALE if tracing was turned off after the reader was opened, or another errno.
 */
int shim_bpf_reader__check(const struct shim_bpf_reader *r)
{
	ino_t pin = r->pin;
	int err = r->ended ? 0 : shim_bpf_pins__inode(&pin);

	return err == -ENOENT || pin != r->pin ? -ESTALE : err;
}

/**
 * shim_bpf_reader__stats() - read the current statistics of all tags
 * @r: reader
 * @stats: @n rows in no particular order, valid until the next call
 * @n: number of rows
 *
 * Return: 0; -ESTALE if tracing was turned off after the reader was opened (open another one),
 *	-ENOMEM, or an errno from bpf(2).
 */
int shim_bpf_reader__stats(struct shim_bpf_reader *r, const struct shim_bpf_stat **stats,
			   size_t *n)
{
	int err = shim_bpf_reader__check(r);

	if (err)
		return err;
	reader_forget(r);
	r->others = 0;
	r->before = r->n;
	r->n = 0;
	r->reads++;
	err = read_table(r);
	if (!err)
		err = add_slots(r);
	if (err)
		return err;
	*stats = r->stats;
	*n = r->n;
	return 0;
}

/* Add a slot's counts, under the ID that its tag has in the statistics, if these have been read. */
static int add_slot_counts(struct shim_bpf_reader *r, uint32_t i)
{
	const struct shim_bpf_stat *row;
	const struct shim_bpf_tag *tag;
	struct vc_direct slot;
	uint64_t id;
	int err;

	if (!shim_bpf_slots__counts(&r->slots, i) || !shim_bpf_slots__read(&r->slots, i, &slot))
		return 0;
	row = r->reads ? find_stat(r, &slot) : NULL;
	if (row)
		return shim_bpf_counts__add_slot(&r->counts, row->key.tag, &slot);
	err = shim_bpf_reader__slot_tag(r, &slot, i, &id, &tag);
	return err ? err : shim_bpf_counts__add_slot(&r->counts, id, &slot);
}

/**
 * shim_bpf_reader__counts() - read the event counts of all tags' transactions
 * @r: reader
 * @counts: @n rows in no particular order, valid until the next call
 * @n: number of rows
 *
 * Return: as for shim_bpf_reader__stats().
 */
int shim_bpf_reader__counts(struct shim_bpf_reader *r, const struct shim_bpf_count **counts,
			    size_t *n)
{
	int err = shim_bpf_reader__check(r);

	if (err)
		return err;
	shim_bpf_reader__forget(r);
	err = shim_bpf_counts__read(&r->counts, r->cpus);
	for (uint32_t i = 0; i < r->slots.n && !err; i++)
		err = add_slot_counts(r, i);
	if (err)
		return err;
	*counts = r->counts.rows;
	*n = r->counts.n;
	return 0;
}

/**
 * shim_bpf_reader__processes() - read the statistics of each process's transactions
 * @r: reader
 * @processes: @n rows in no particular order, valid until the next call
 * @n: number of rows
 *
 * Return: as for shim_bpf_reader__stats(); or -ENODATA if tracing was turned on without statistics
 *	per process.
 */
int shim_bpf_reader__processes(struct shim_bpf_reader *r,
			       const struct shim_bpf_process **processes, size_t *n)
{
	int err = shim_bpf_reader__check(r);

	if (!err) {
		shim_bpf_reader__forget(r);
		err = shim_bpf_processes__read(&r->processes, r);
	}
	if (!err)
		err = shim_bpf_processes__add_slots(&r->processes, r, &r->slots);
	if (err)
		return err;
	*processes = r->processes.rows;
	*n = r->processes.n;
	return 0;
}

/**
 * shim_bpf_reader__drops() - get the number of lost events by reason
 * @r: reader
 * @drops: one count for each reason, written on success
 *
 * Return: 0, -ENOMEM, or an errno from bpf(2).
 */
int shim_bpf_reader__drops(struct shim_bpf_reader *r, uint64_t drops[VC_DROP_NR])
{
	uint64_t sums[VC_DROP_NR] = { 0 };
	int err = shim_bpf_stat__add_drops(r->drop_fd, r->cpus, sums);

	sums[VC_DROP_DIRECT_FULL] = shim_bpf_slots__lost(&r->slots);
	sums[VC_DROP_COUNT_FULL] += shim_bpf_slots__not_counted(&r->slots);
	if (!err)
		memcpy(drops, sums, sizeof(sums));
	return err;
}

/*
 * Return the number of threads that write their own statistics and could not count the wanted
 * events.
 */
uint64_t shim_bpf_reader__refused(const struct shim_bpf_reader *r)
{
	return r->slots.tick ? r->slots.tick->refused : 0;
}

/**
 * shim_bpf_reader__close() - free a reader and all rows and tags that it returned
 * @r: reader or NULL
 */
void shim_bpf_reader__close(struct shim_bpf_reader *r)
{
	if (!r)
		return;
	shim_bpf_slots__close(&r->slots);
	shim_bpf_changes__close(&r->changes);
	shim_bpf_table__close(&r->stat);
	shim_bpf_counts__close(&r->counts);
	shim_bpf_processes__close(&r->processes);
	if (r->drop_fd >= 0)
		close(r->drop_fd);
	free(r->stats);
	shim_bpf_tags__close(&r->tags);
	free(r);
}
