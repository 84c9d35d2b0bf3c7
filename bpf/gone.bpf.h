/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Deletes the rows of files, processes and tags that no longer exist, and with them transactions
 * that cannot end.
 */
#ifndef VCPC_BPF_GONE_H
#define VCPC_BPF_GONE_H

#include "maps.bpf.h"
#include "open_row.bpf.h"

struct bpf_map;

/* Uncharge a deleted row from its tag's account. */
static __always_inline void vc_row_gone(__u64 tag, enum vc_rows which)
{
	struct vc_tag_name *name = bpf_map_lookup_elem(&vc_tag, &tag);

	if (name)
		vc_refund(name->account, which);
}

/* Delete a row of vc_open.  Return 0, or -1 if it does not exist. */
static __always_inline int vc_delete_open(const struct vc_open_key *key)
{
	if (bpf_map_delete_elem(&vc_open, key))
		return -1;
	vc_row_gone(key->tag, VC_ROWS_OPEN);
	return 0;
}

/*
 * Selects the rows to delete: those of a file or of a tag; 0 matches any.  With @idle, only rows
 * that are not open.
 */
struct vc_whose {
	__u64 file;
	__u64 tag;
	__u32 idle;
	__u32 dropped;
};

static long vc_drop_row(struct bpf_map *map, struct vc_open_key *key, struct vc_open_val *open,
			struct vc_whose *whose)
{
	struct vc_open_key row = *key;

	(void)map;
	if ((!whose->file || row.file != whose->file) && (!whose->tag || row.tag != whose->tag))
		return 0;
	if (open->start_ns && whose->idle)
		return 0;
	if (open->start_ns)
		vc_count_drop(VC_DROP_GIVEN_UP);
	if (!vc_delete_open(&row))
		whose->dropped++;
	return 0;
}

static long vc_drop_sum(struct bpf_map *map, struct vc_count_key *key, struct vc_count *count,
			struct vc_whose *whose)
{
	struct vc_count_key row = *key;

	(void)map;
	(void)count;
	if (row.tag == whose->tag && !bpf_map_delete_elem(&vc_count, &row))
		vc_row_gone(row.tag, VC_ROWS_COUNT);
	return 0;
}

static long vc_close_row(struct bpf_map *map, __u32 *index, struct vc_open_row *row,
			 struct vc_whose *whose)
{
	__u64 start = vc_row_start(row);

	(void)map;
	(void)index;
	if (row->file == whose->file && vc_row_close(row, start))
		vc_count_drop(VC_DROP_GIVEN_UP);
	return 0;
}

static __always_inline void vc_file_gone(__u64 file)
{
	struct vc_whose whose = { .file = file };

	if (vc_use_rows)
		bpf_for_each_map_elem(&vc_open_row, vc_close_row, &whose, 0);
	if (vc_any_open)
		bpf_for_each_map_elem(&vc_open, vc_drop_row, &whose, 0);
}

static __always_inline void vc_tag_gone(__u64 tag)
{
	struct vc_whose whose = { .tag = tag };
	struct vc_stat_key key = { .tag = tag };

#pragma unroll
	for (__u32 kind = VC_TRANSACT; kind <= VC_COUNTER; kind++) {
		key.kind = kind;
		if (!bpf_map_delete_elem(&vc_stat, &key))
			vc_row_gone(tag, VC_ROWS_STAT);
	}
	/* Walking a map is slow: skip the maps that never had a row. */
	if (vc_any_open)
		bpf_for_each_map_elem(&vc_open, vc_drop_row, &whose, 0);
	if (vc_any_count)
		bpf_for_each_map_elem(&vc_count, vc_drop_sum, &whose, 0);
	/*
	 * Delete the name last: until then it identifies the account that the rows are charged to.
	 */
	key.tag = vc_payer(tag);
	if (!bpf_map_delete_elem(&vc_tag, &whose.tag))
		vc_refund(key.tag, VC_ROWS_TAG);
}

#endif /* VCPC_BPF_GONE_H */
