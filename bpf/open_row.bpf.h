/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Keep open transactions in an array, so that finding one needs no hash table.
 *
 * Each pair of a thread and a tag has one row.  If a begin event finds another transaction in its
 * row, it moves that transaction to vc_open (vc_free_row()), so an open transaction delays others
 * only once.
 *
 * The module gives each account a share of the rows, so beginning in all rows of a share slows down
 * only one account.  With probes, all accounts use all shares.
 *
 * A begin takes a row by atomically changing start_ns from 0 to VC_ROW_BUSY.  An end atomically
 * replaces the start time with 0, so each transaction ends only once.  The atomic operations order
 * the accesses to the other members.
 */
#ifndef VCPC_BPF_OPEN_ROW_H
#define VCPC_BPF_OPEN_ROW_H

#include "maps.bpf.h"

#define VC_ROW_BUSY	1
#define VC_ROW_NEW	1

/* tag, file and thread -> open transaction */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, VC_SHARES * VC_OPEN_ROWS);
	__type(key, __u32);
	__type(value, struct vc_open_row);
} vc_open_row SEC(".maps");

/*
 * Threads with consecutive numbers have different rows, and so do the first threads of different
 * files.  The index modulo VC_SHARES is the file's share.
 */
static __always_inline struct vc_open_row *vc_row_of(__u64 tag, __u64 file, __u32 thread)
{
	__u32 index = (thread * VC_SHARES + file * (37 * VC_SHARES + 1) + tag * 401 * VC_SHARES) %
		      (VC_SHARES * VC_OPEN_ROWS);

	return bpf_map_lookup_elem(&vc_open_row, &index);
}

static __always_inline __u64 vc_row_start(struct vc_open_row *row)
{
	__u64 nothing = 0;

	/* Keep the compiler from choosing an operation that x86 does not support. */
	asm volatile("" : "+r"(nothing));
	return __sync_fetch_and_add(&row->start_ns, nothing);
}

/* End the transaction that began at @start.  Return @start, or 0 if it has already ended. */
static __always_inline __u64 vc_row_close(struct vc_open_row *row, __u64 start)
{
	return start > VC_ROW_BUSY && __sync_val_compare_and_swap(&row->start_ns, start, 0) == start ?
	       start : 0;
}

/* End a thread's transaction.  Return its begin time, or 0 if it is not in the array. */
static __always_inline __u64 vc_row_end(__u64 tag, __u64 file, __u32 thread)
{
	struct vc_open_row *row = vc_row_of(tag, file, thread);
	__u64 start;

	if (!row)
		return 0;
	start = vc_row_start(row);
	if (row->tag != tag || row->file != file || row->thread != thread)
		return 0;
	return vc_row_close(row, start);
}

/*
 * Take the thread's row, which is in use, if it holds the same transaction.  That transaction now
 * begins again, so end it.  Return 0, or -1 if the row could not be taken.
 */
static __noinline int vc_row_again(struct vc_open_row *row, __u64 tag, __u64 file, __u32 thread)
{
	if (!row || !vc_row_end(tag, file, thread))
		return -1;
	return __sync_val_compare_and_swap(&row->start_ns, 0, VC_ROW_BUSY) ? -1 : 0;
}

/*
 * Begin a transaction of the calling thread, @ids, and set @now to the time.  Return 0; VC_ROW_NEW
 * if the row's last transaction had another tag, so that the name of this tag may be unknown; -1 if
 * another transaction is in the row.
 */
static __always_inline int vc_row_begin(__u64 tag, __u64 file, __u32 thread, __u64 ids,
					__u64 *now)
{
	struct vc_open_row *row = vc_row_of(tag, file, thread);
	int ret = 0;

	if (!row)
		return -1;
	if (__sync_val_compare_and_swap(&row->start_ns, 0, VC_ROW_BUSY) &&
	    vc_row_again(row, tag, file, thread))
		return -1;
	if (row->tag != tag)
		ret = VC_ROW_NEW;
	row->tag = tag;
	row->file = file;
	row->thread = thread;
	row->ids = ids;
	*now = bpf_ktime_get_ns();
	__sync_lock_test_and_set(&row->start_ns, *now);
	return ret;
}

#endif /* VCPC_BPF_OPEN_ROW_H */
