// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Find the rows of vc_stat that have changed since a reader's last reading, so that the reader need
 * not copy all rows of all CPUs.  The reader runs this program with BPF_PROG_RUN.
 *
 * Rows are numbered in the order of the table.  If the changes do not fit into the buffer, the
 * reader processes those that do and runs the program again.  The program then skips the rows that
 * it has already returned in this reading.
 */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
#include "changes.h"
#include "slot.bpf.h"
#include "stat.bpf.h"

#define BYTES_OF(slots)	(__builtin_offsetof(struct vc_change, stat.hist) + (slots) * sizeof(__u64))

struct bpf_map;

const volatile __u32 vc_cpus;	/* number of CPUs that have values */

__u64 vc_read;			/* number of this reading */
__u32 vc_row;			/* number of the next row */
__u32 vc_used;			/* bytes of vc_changes */
__u32 vc_full;			/* the changes did not fit */
__u64 vc_changes[VC_CHANGES_SIZE / sizeof(__u64)];

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, VC_MAX_TAGS);
	__uint(map_flags, BPF_F_MMAPABLE);
	__type(key, __u32);
	__type(value, struct vc_seen);
} vc_seen SEC(".maps");

/* Do not inline this, because the verifier would follow each of its paths into the caller. */
__noinline __u32 vc_slot_of(__u64 ns)
{
	__u64 slot = vc_time_slot(ns);

	return slot < VC_HIST_SLOTS ? slot : VC_HIST_SLOTS - 1;
}

/* The row being examined */
struct vc_looked {
	struct vc_stat_key key;
	__u32 row;
	struct vc_seen now;
	__u32 no_room;
};

static long vc_add_cpu(__u32 cpu, struct vc_looked *at)
{
	struct vc_stat *stat = bpf_map_lookup_percpu_elem(&vc_stat, &at->key, cpu);

	if (!stat)
		return 0;
#define VC_ADD(name)	at->now.name += stat->name;
	VC_STAT_SUMS(VC_ADD)
#undef VC_ADD
	if (stat->last_ns >= at->now.last_ns) {
		at->now.last_ns = stat->last_ns;
		at->now.value = stat->value;
	}
	return 0;
}

static __always_inline int vc_same_key(const struct vc_stat_key *a, const struct vc_stat_key *b)
{
	return a->tag == b->tag && a->kind == b->kind;
}

static __always_inline int vc_same(const struct vc_seen *a, const struct vc_seen *b)
{
#define VC_AND_SAME(name)	&& a->name == b->name
	return a->last_ns == b->last_ns && a->value == b->value VC_STAT_SUMS(VC_AND_SAME);
#undef VC_AND_SAME
}

/*
 * Pass one CPU's part of a row to the reader.  Return 0, or -1 if the buffer is full.  Only the
 * buckets from the shortest to the longest time can be in use, because a transaction updates these
 * two times before its bucket.
 */
static __always_inline int vc_give(const struct vc_stat *stat, __u32 row, __u32 kind, __u32 all)
{
	__u32 used = vc_used, first = 0, end = VC_HIST_SLOTS, n;
	struct vc_change *change;

	if (used > VC_CHANGES_SIZE - BYTES_OF(VC_HIST_SLOTS))
		return -1;
	change = (void *)vc_changes + used;
	/*
	 * Copy the statistics only once: events may update them concurrently, and the reader must
	 * see the same minimum and maximum that this program uses.
	 */
	__builtin_memcpy(&change->stat, stat, __builtin_offsetof(struct vc_stat, hist));
	asm volatile("" : : : "memory");
	if (!all) {
		first = vc_slot_of(change->stat.min_ns);
		end = vc_slot_of(change->stat.max_ns) + 1;
	}
	if (kind != VC_TRANSACT || first > end)
		end = first;
	change->row = row;
	change->first = first;
	change->end = end;
	n = end - first;
	if (n > VC_HIST_SLOTS)
		return 0;
	bpf_probe_read_kernel(change->stat.hist, n * sizeof(__u64), (void *)stat->hist + first * sizeof(__u64));
	vc_used = used + BYTES_OF(n);
	return 0;
}

static long vc_give_cpu(__u32 cpu, struct vc_looked *at)
{
	struct vc_stat *stat = bpf_map_lookup_percpu_elem(&vc_stat, &at->key, cpu);

	if (stat && (stat->count || stat->aborted) &&
	    vc_give(stat, at->row, at->key.kind, at->now.all)) {
		at->no_room = 1;
		return 1;
	}
	return 0;
}

static long vc_look(struct bpf_map *map, struct vc_stat_key *key, struct vc_stat *stat, void *arg)
{
	struct vc_looked at = { .key = *key, .row = vc_row, .now = { .key = *key } };
	__u32 before = vc_used;
	struct vc_seen *seen;

	(void)map;
	(void)stat;
	(void)arg;
	bpf_loop(vc_cpus, vc_add_cpu, &at, 0);
	/* Skip a row that is still being created, which has no event yet. */
	if (!at.now.count && !at.now.aborted)
		return 0;
	seen = bpf_map_lookup_elem(&vc_seen, &at.row);
	if (!seen)
		return 1;
	vc_row = at.row + 1;
	if (vc_same_key(&seen->key, &at.key)) {
		at.now.same = !seen->again && vc_same(seen, &at.now);
		at.now.all = seen->all;
		if (!seen->again && (seen->read == vc_read || (at.now.same && seen->rests)))
			return 0;
	}
	bpf_loop(vc_cpus, vc_give_cpu, &at, 0);
	if (at.no_room) {
		vc_used = before;
		vc_full = 1;
		return 1;
	}
	at.now.read = vc_read;
	*seen = at.now;
	return 0;
}

SEC("syscall")
int vc_find_changes(void *ctx)
{
	(void)ctx;
	vc_row = 0;
	vc_used = 0;
	vc_full = 0;
	bpf_for_each_map_elem(&vc_stat, vc_look, NULL, 0);
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
