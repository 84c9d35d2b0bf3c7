/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Update the maps for one trace event from the module or from probes.
 *
 * An end event reads the clock first and a begin event reads it last, so a transaction's time does
 * not include its own bookkeeping.  If the rows of an event exist, recording it takes only lookups
 * and stores in place.  Rows are created when a tag is first seen.
 */
#ifndef VCPC_BPF_EVENT_H
#define VCPC_BPF_EVENT_H

#include "counts.bpf.h"
#include "gone.bpf.h"
#include "open_list.bpf.h"
#include "processes.bpf.h"
#include "ring.bpf.h"
#include "slot.bpf.h"

static __always_inline void vc_key_of(struct vc_event *ev, struct vc_open_key *key)
{
	key->tag = ev->tag;
	key->file = ev->file;
	key->thread = ev->thread;
}

static __noinline struct vc_open_val *vc_new_open(struct vc_event *ev, struct vc_open_key *key)
{
	struct vc_open_val *open;

	if (vc_learn_name(ev))
		return NULL;
	/*
	 * vc_max_open / 4 is half of an account's share, so the whole list is searched before the
	 * share is used up.
	 */
	vc_sweep(key->file, vc_max_open / 4);
	vc_add_open(key);
	open = bpf_map_lookup_elem(&vc_open, key);
	if (open)
		return open;
	vc_sweep(key->file, 0);
	vc_add_open(key);
	open = bpf_map_lookup_elem(&vc_open, key);
	if (!open)
		vc_count_drop(VC_DROP_OPEN_FULL);
	return open;
}

/* Begin a transaction in vc_open.  Return the time, or 0 if the table is full. */
static __always_inline __u64 vc_begin_hashed(struct vc_event *ev)
{
	struct vc_open_val *open;
	struct vc_open_key key;
	__u64 now;

	/* In vc_on_counts(), end the transaction that vc_on_begin() just began without counts. */
	if (vc_use_rows && ev->counts)
		vc_row_end(ev->tag, ev->file, ev->thread);
	vc_key_of(ev, &key);
	open = bpf_map_lookup_elem(&vc_open, &key);
	if (!open)
		open = vc_new_open(ev, &key);
	if (!open)
		return 0;
	open->tgid = ev->ids >> 32;
	open->tid = ev->ids;
	open->events = 0;
	if (ev->counts)
		vc_open_counts(open, ev->counts);
	now = bpf_ktime_get_ns();
	open->counted_ns = ev->counts ? now : 0;
	open->start_ns = now;
	return now;
}

/*
 * Copy the transaction that began at @start to vc_open, and charge the row to the tag's account.
 * Return 0; -1 if the account has no row left; 1 if another CPU is copying the transaction, or if
 * the thread has begun another one.
 */
static __always_inline int vc_copy_open(const struct vc_open_key *key, __u64 ids, __u64 start)
{
	struct vc_open_val *open = bpf_map_lookup_elem(&vc_open, key);
	int ret = -1;
	__u64 was;

	if (!open) {
		ret = vc_add_open(key);
		open = bpf_map_lookup_elem(&vc_open, key);
	}
	if (!open)
		return ret;
	was = open->start_ns;
	if (was >= start || __sync_val_compare_and_swap(&open->start_ns, was, start) != was)
		return 1;
	/*
	 * The transaction's thread may be storing the same values in the row, if it begins the
	 * transaction with counts.
	 */
	open->tgid = ids >> 32;
	open->tid = ids;
	return 0;
}

/*
 * Free the row of vc_open_row that the begin event of @tag needs, by moving the row's transaction
 * to vc_open.  Otherwise one user's open transactions could keep all other users on the slow path.
 * If the account of the moved transaction has no row left, the transaction is lost.
 */
static __noinline void vc_free_row(__u64 tag, __u64 file, __u32 thread)
{
	struct vc_open_row *row = vc_row_of(tag, file, thread);
	struct vc_open_key key = { 0 };
	struct vc_open_val *open;
	__u64 start, ids, closes;
	int ret;

	if (!row)
		return;
	start = vc_row_start(row);
	key.tag = row->tag;
	key.file = row->file;
	ids = row->ids;
	key.thread = row->thread;
	closes = vc_count_close(key.file, 0);
	/* Return if the transaction has ended, or if the row is being written. */
	if (start <= VC_ROW_BUSY || vc_row_start(row) != start)
		return;
	ret = vc_copy_open(&key, ids, start);
	if (ret < 0 && vc_payer(key.tag) != vc_payer(tag) && vc_row_close(row, start))
		vc_count_drop(VC_DROP_OPEN_FULL);
	if (!ret && vc_row_close(row, start))
		return;
	/* If the file was closed, no other CPU deletes a row that was added after the search. */
	if (vc_count_close(key.file, 0) != closes) {
		vc_delete_open(&key);
		return;
	}
	if (ret)
		return;
	/*
	 * The transaction ended after it was copied, so undo the copy.  Do not delete the row,
	 * because its thread may be about to use it, or another CPU may copy the next transaction.
	 */
	open = bpf_map_lookup_elem(&vc_open, &key);
	if (open)
		__sync_val_compare_and_swap(&open->start_ns, start, 0);
}

/* Do the same as vc_row_begin(), but free the row first if another transaction is in it. */
static __always_inline int vc_row_begin_anyway(const struct vc_event *ev, __u64 *now)
{
	int ret = vc_row_begin(ev->tag, ev->file, ev->thread, ev->ids, now);

	if (ret >= 0)
		return ret;
	vc_free_row(ev->tag, ev->file, ev->thread);
	return vc_row_begin(ev->tag, ev->file, ev->thread, ev->ids, now);
}

/* Begin a transaction.  Return the time, or 0 if the table is full. */
static __always_inline __u64 vc_begin(struct vc_event *ev)
{
	__u64 now = 0;
	int ret = -1;

	if (vc_use_rows && !ev->counts)
		ret = vc_row_begin_anyway(ev, &now);
	/* Ignore an error: if the table of names is full, the end of the transaction is dropped. */
	if (ret == VC_ROW_NEW)
		vc_learn_name(ev);
	return ret < 0 ? vc_begin_hashed(ev) : now;
}

/*
 * Return the begin time of the ending transaction, or 0 if it is unknown.  Set @open to the
 * transaction's row in vc_open, or to NULL.  If the result is not 0, the caller closes the row.
 */
static __always_inline __u64 vc_started(struct vc_event *ev, struct vc_open_val **open, __u64 now)
{
	struct vc_open_key key;
	__u64 start = 0;

	if (vc_use_rows)
		start = vc_row_end(ev->tag, ev->file, ev->thread);
	/*
	 * Search only if a begin event can have created a row, or if the end event has no begin
	 * time.
	 */
	*open = NULL;
	if (!start && (vc_want_begins || ev->counts || !ev->start_ns)) {
		vc_key_of(ev, &key);
		*open = bpf_map_lookup_elem(&vc_open, &key);
		if (*open)
			start = (*open)->start_ns;
	}
	if (!start) {
		*open = NULL;
		start = ev->start_ns;
	}
	if (start && start <= now)
		return start;
	vc_count_drop(VC_DROP_NOT_OPEN);
	return 0;
}

static __always_inline void vc_add_end(struct vc_stat *stat, __u64 now, __u64 start)
{
	__u64 slot;

	vc_stat_end(stat, now, now - start);
	slot = vc_time_slot(now - start);
	if (slot >= VC_HIST_SLOTS)
		slot = VC_HIST_SLOTS - 1;
	stat->hist[slot]++;
}

/* Add the counts of an ending transaction, and add the transaction to its process's statistics. */
static __always_inline void vc_add_details(struct vc_event *ev, struct vc_open_val *open, __u64 now,
					   __u64 start)
{
	__u64 value[VC_MAX_COUNTERS] = {};
	__u64 events = ev->counts && open ? vc_counted(ev, open, start, value) : 0;
	struct vc_process *process;

	if (events && vc_add_counts(ev, events, value))
		events = 0;
	if (!vc_want_processes)
		return;
	process = vc_process_of(ev->tag, events);
	if (!process)
		return;
	vc_process_end(&process->stat, now, now - start, vc_time_slot(now - start));
	if (events)
		vc_process_counts(process, value);
}

/*
 * Delete the row of a transaction that was moved to vc_open and has ended.  The thread's next
 * transaction uses vc_open_row.  Otherwise a user whose transactions displace other users'
 * transactions could use up the shares of those users.
 */
static __noinline void vc_drop_moved(struct vc_event *ev)
{
	struct vc_open_key key;

	vc_key_of(ev, &key);
	vc_delete_open(&key);
}

/*
 * End a transaction.  @op is VC_OP_END or VC_OP_ABORT, a compile-time constant; @now is the time at
 * which the event arrived.
 */
static __always_inline void vc_finish(struct vc_event *ev, __u32 op, __u64 now)
{
	struct vc_open_val *open;
	struct vc_stat *stat;
	__u64 start;

	start = vc_started(ev, &open, now);
	if (!start)
		return;
	stat = vc_stat_of(ev, VC_TRANSACT);
	if (stat) {
		if (op == VC_OP_END)
			vc_add_end(stat, now, start);
		else
			stat->aborted++;
		if (op == VC_OP_END && !ev->counts)
			vc_not_counted();
		if (op == VC_OP_END && (vc_want_processes || (ev->counts && open)))
			vc_add_details(ev, open, now, start);
		vc_ring_put(ev, op, now, start, 0);
	}
	if (!open)
		return;
	open->start_ns = 0;
	/* Keep the row if the thread has counts, because its next transaction reuses the row. */
	if (vc_use_rows && !open->events)
		vc_drop_moved(ev);
}

#define VC_SIGN		(1ull << 63)
#define VC_INFINITY	0x7ff0000000000000ull

static __always_inline int vc_is_nan(__u64 bits)
{
	return (bits & ~VC_SIGN) > VC_INFINITY;
}

/* Map the bits of a double to an integer that sorts in the same order. */
static __always_inline __u64 vc_order(__u64 bits)
{
	return bits & VC_SIGN ? ~bits : bits | VC_SIGN;
}

static __always_inline void vc_add_value(struct vc_stat *stat, __u64 value)
{
	stat->value = value;
	if (stat->count == 1) {
		stat->value_min = value;
		stat->value_max = value;
	}
	if (vc_is_nan(value))
		return;
	if (vc_is_nan(stat->value_min) || vc_order(value) < vc_order(stat->value_min))
		stat->value_min = value;
	if (vc_is_nan(stat->value_max) || vc_order(value) > vc_order(stat->value_max))
		stat->value_max = value;
}

static __always_inline void vc_value(struct vc_event *ev, __u32 op, __u64 value)
{
	/*
	 * The kinds (VC_POINT, ...) have the same order as the operations (VCPC_TRACE_POINT, ...).
	 */
	_Static_assert(VCPC_TRACE_POINT - VC_POINT == 2 && VCPC_TRACE_OBSERVE - VC_OBSERVE == 2 &&
		       VCPC_TRACE_COUNTER - VC_COUNTER == 2, "kind of an operation");
	_Static_assert(VC_OP_END == VCPC_TRACE_END && VC_OP_ABORT == VCPC_TRACE_ABORT &&
		       VC_OP_POINT == VCPC_TRACE_POINT && VC_OP_OBSERVE == VCPC_TRACE_OBSERVE &&
		       VC_OP_COUNTER == VCPC_TRACE_COUNTER, "operations in the ring");
	struct vc_stat *stat = vc_stat_of(ev, op - 2);
	__u64 now = bpf_ktime_get_ns();

	if (!stat)
		return;
	stat->count++;
	stat->last_ns = now;
	if (op != VCPC_TRACE_POINT)
		vc_add_value(stat, value);
	vc_ring_put(ev, op, now, 0, value);
}

#endif /* VCPC_BPF_EVENT_H */
