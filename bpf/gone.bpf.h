/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Delete the rows of files, processes and tags that no longer exist, and the transactions that
 * therefore cannot end.
 */
#ifndef VCPC_BPF_GONE_H
#define VCPC_BPF_GONE_H

#include "maps.bpf.h"
#include "open_list.bpf.h"
#include "open_row.bpf.h"

/* The layout of struct vcpc_trace_gone (kmod/trace/events.h), which the module passes */
struct vc_gone {
	__u64 file;
	__u64 next;
};

#define VC_CLOSE_COUNTS	1024

/*
 * Number of times that a file was closed, after the search of vc_open_row and before that of
 * vc_open; files with the same remainder share a counter.  A CPU that has copied a transaction to
 * vc_open must delete the copy if the number has changed since the transaction was open.
 */
static __u64 vc_closes[VC_CLOSE_COUNTS];

/* Add @more to a file's number.  Return the previous number. */
static __always_inline __u64 vc_count_close(__u64 file, __u64 more)
{
	/* Keep the compiler from choosing an operation that x86 does not support. */
	asm volatile("" : "+r"(more));
	return __sync_fetch_and_add(&vc_closes[file / VC_SHARES % VC_CLOSE_COUNTS], more);
}

#define VC_ROWS_AT_ONCE	256
#define VC_ROWS_PER_STEP	16
#define VC_ROW_PARTS	(VC_OPEN_ROWS / VC_ROWS_AT_ONCE)

/*
 * End the row's transaction if it belongs to the file.  Call this only when no begin event on the
 * file is in progress.
 */
static __always_inline void vc_close_row(struct vc_open_row *row, __u64 file)
{
	__u64 start = vc_row_start(row);

	if (row->file == file && vc_row_close(row, start))
		vc_count_drop(VC_DROP_GIVEN_UP);
}

/* The rows of a file, from @first on */
struct vc_rows_of {
	__u64 file;
	__u32 first;
};

static long vc_close_some(__u32 step, struct vc_rows_of *rows)
{
	__u32 first = rows->first + step * VC_ROWS_PER_STEP;
	__u64 file = rows->file;

	for (__u32 i = 0; i < VC_ROWS_PER_STEP; i++) {
		__u32 index = (first + i) * VC_SHARES + file % VC_SHARES;
		struct vc_open_row *row = bpf_map_lookup_elem(&vc_open_row, &index);

		if (row && row->file == file)
			vc_close_row(row, file);
	}
	return 0;
}

/*
 * Use both kinds of loop: each call by bpf_loop() takes five times as many instructions as examining
 * a row, but the verifier checks each pass of another loop.
 */
static __noinline void vc_close_rows(__u64 file, __u32 first)
{
	struct vc_rows_of rows = { file, first };

	bpf_loop(VC_ROWS_AT_ONCE / VC_ROWS_PER_STEP, vc_close_some, &rows, 0);
}

/*
 * Abandon a part of the transactions of a closed file.  The caller passes the parts in order, from
 * 0.  The first parts cover vc_open_row, because other threads can move transactions from it to
 * vc_open.  Return 1 if this was the last part, otherwise 0.
 */
static __always_inline int vc_file_gone(__u64 file, __u32 part)
{
	if (part == VC_ROW_PARTS)
		vc_count_close(file, 1);
	if (part >= VC_ROW_PARTS)
		return vc_drop_numbers(file, part - VC_ROW_PARTS);
	if (vc_use_rows)
		vc_close_rows(file, part * VC_ROWS_AT_ONCE);
	return 0;
}

static __always_inline void vc_tag_gone(__u64 tag)
{
	struct vc_tag_name *name = bpf_map_lookup_elem(&vc_tag, &tag);
	struct vc_stat_key key = { .tag = tag };
	struct vc_count_key count = { .tag = tag };
	__u32 rows = 0;

#pragma unroll
	for (__u32 kind = VC_TRANSACT; kind <= VC_COUNTER; kind++) {
		key.kind = kind;
		if (bpf_map_delete_elem(&vc_stat, &key))
			continue;
		vc_row_gone(tag, VC_ROWS_STAT);
		rows++;
	}
	if (rows)
		vc_count_drop(VC_DROP_REMOVED);
	/* All files that held the tag are closed, so vc_open has no transactions of this tag. */
	for (int i = 0; name && i < VC_TAG_EVENTS && name->events[i]; i++) {
		count.events = name->events[i];
		if (!bpf_map_delete_elem(&vc_count, &count))
			vc_row_gone(tag, VC_ROWS_COUNT);
	}
	/* Delete the name last, because it identifies the account to which the rows are charged. */
	key.tag = vc_payer(tag);
	if (!bpf_map_delete_elem(&vc_tag, &tag))
		vc_refund(key.tag, VC_ROWS_TAG);
}

#endif /* VCPC_BPF_GONE_H */
