/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Create and delete rows of vc_open, and list them by file, so that closing a file does not require
 * a walk of the whole table.
 *
 * Each row has a random number, unique within its file.  vc_open_list maps the file and the number
 * to the row, and has a head for each file.  An entry is created before its row and deleted after
 * it.
 *
 * Pass a pointer to a caller's stack through only one call: the verifier of Linux 7.3 does not
 * track it further, and treats the memory that it points to as unused.
 *
 * A file's head is deleted with its last row, so there are at most as many heads as rows, although
 * only rows are charged to an account.
 */
#ifndef VCPC_BPF_OPEN_LIST_H
#define VCPC_BPF_OPEN_LIST_H

#include "maps.bpf.h"

#define VC_LIST_MIN	8	/* numbers available for a file's first rows */
#define VC_LIST_LEVELS	20
/* Each try finds a free number with a probability of at least 1/2. */
#define VC_LIST_TRIES	24
#define VC_EEXIST	17

/*
 * The value of vc_list.rows in the head of a list without rows.  Between a lookup of the head and
 * an addition to it, another CPU can delete the head and reuse its memory for another file's head
 * or entry.  Therefore the code that adds a row also compares the file.  Entries are never mistaken
 * for heads, because no tag has the top bit set.
 */
#define VC_LIST_HEAD(file)	(1ull << 63 | ((file) & 0x7fffffff) << 32)
#define VC_LIST_GONE		(1ull << 32)	/* more than the number of rows of any list */

/*
 * For each row of vc_open, there are at most one entry and one head.  Only rows of vc_open are
 * charged to accounts.
 */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 2 * VC_MAX_OPEN);
	__type(key, struct vc_list_key);
	__type(value, union vc_list);
} vc_open_list SEC(".maps");

/* Uncharge a deleted row from its tag's account. */
static __always_inline void vc_row_gone(__u64 tag, enum vc_rows which)
{
	struct vc_tag_name *name = bpf_map_lookup_elem(&vc_tag, &tag);

	if (name)
		vc_refund(name->account, which);
}

static __always_inline union vc_list *vc_head_of(__u64 file)
{
	struct vc_list_key at = { .file = file };

	return bpf_map_lookup_elem(&vc_open_list, &at);
}

static __always_inline __u32 vc_numbers_of(const union vc_list *head)
{
	return VC_LIST_MIN << (head->level & 31);
}

struct vc_addition {
	union vc_list *head;
	__u64 file;
	__u64 more;
	__u64 rows;	/* result */
};

static long vc_try_to_add(__u32 i, struct vc_addition *to)
{
	__u64 was = *(volatile __u64 *)&to->head->rows, rows = was - VC_LIST_HEAD(to->file);

	(void)i;
	if (rows >= VC_LIST_GONE || rows + to->more >= VC_LIST_GONE)
		return 1;
	if (__sync_val_compare_and_swap(&to->head->rows, was, was + to->more) != was)
		return 0;
	to->rows = rows;
	return 1;
}

/*
 * Add 1 or -1 to a list's number of rows.  Return the previous number, or VC_LIST_GONE if the head is
 * being deleted or has been reused.  The verifier checks the body of bpf_loop() only a few times.
 */
static __always_inline __u64 vc_list_add(union vc_list *head, __u64 file, __u64 more)
{
	struct vc_addition to = { head, file, more, VC_LIST_GONE };

	bpf_loop(VC_LIST_TRIES, vc_try_to_add, &to, 0);
	return to.rows;
}

/* Subtract a row from a list, and delete the list's head if no row is left. */
static __always_inline void vc_shorten(__u64 file)
{
	struct vc_list_key at = { .file = file };
	union vc_list *head = vc_head_of(file);

	if (head && vc_list_add(head, file, -1) == 1 &&
	    __sync_val_compare_and_swap(&head->rows, VC_LIST_HEAD(file), 0) == VC_LIST_HEAD(file))
		bpf_map_delete_elem(&vc_open_list, &at);
}

static __noinline void vc_unlist(__u64 file, __u32 number)
{
	struct vc_list_key at = { .file = file, .number = number };

	if (!bpf_map_delete_elem(&vc_open_list, &at))
		vc_shorten(file);
}

struct vc_numbering {
	union vc_list *head;
	struct vc_list_key at;
	union vc_list entry;
	__u32 number;	/* result */
};

static long vc_try_number(__u32 i, struct vc_numbering *row)
{
	__u32 level = row->head->level;
	int ret;	/* before Linux 6.4 only the lower half of the result is valid */

	(void)i;
	/* At most half of the numbers are in use. */
	if (2 * (__u32)row->head->rows > vc_numbers_of(row->head) && level < VC_LIST_LEVELS)
		__sync_val_compare_and_swap(&row->head->level, level, level + 1);
	row->at.number = 1 + bpf_get_prandom_u32() % vc_numbers_of(row->head);
	ret = bpf_map_update_elem(&vc_open_list, &row->at, &row->entry, BPF_NOEXIST);
	if (!ret)
		row->number = row->at.number;
	return ret != -VC_EEXIST;
}

/*
 * Number a new row.  Return 0 if another CPU is deleting the list, if the list has vc_max_listed
 * rows, or if the map is full.
 */
static __noinline __u32 vc_enlist(const struct vc_open_key *key)
{
	const union vc_list empty = { .rows = VC_LIST_HEAD(key->file) };
	struct vc_numbering row = {
		.head = vc_head_of(key->file),
		.at = { .file = key->file },
		.entry = { .tag = key->tag, .thread = key->thread },
	};
	__u64 rows;

	if (!row.head) {
		bpf_map_update_elem(&vc_open_list, &row.at, &empty, BPF_NOEXIST);
		row.head = vc_head_of(key->file);
	}
	if (!row.head)
		return 0;
	rows = vc_list_add(row.head, key->file, 1);
	if (rows == VC_LIST_GONE)
		return 0;
	if (rows < vc_max_listed)
		bpf_loop(VC_LIST_TRIES, vc_try_number, &row, 0);
	if (!row.number)
		vc_shorten(key->file);
	return row.number;
}

/* Insert an unused row.  Like vc_enlist(), this is not inline, to limit the use of the BPF stack. */
static __noinline int vc_insert_open(const struct vc_open_key *key, __u32 number)
{
	struct vc_open_val row = { .number = number };

	return bpf_map_update_elem(&vc_open, key, &row, BPF_NOEXIST) ? -1 : 0;
}

/*
 * Create a row, and charge it to its tag's account.  Return 0; -1 if the account has no row left; 1
 * if another CPU has created the row, or if the file's list is being deleted.  The row can exist in
 * all three cases.
 */
static __noinline int vc_add_open(const struct vc_open_key *of)
{
	struct vc_open_key key = *of;	/* see the rule for pointers above */
	__u64 account = vc_payer(key.tag);
	__u32 number;

	if (vc_charge(account, VC_ROWS_OPEN, vc_max_open))
		return -1;
	number = vc_enlist(&key);
	if (number && !vc_insert_open(&key, number))
		return 0;
	if (number)
		vc_unlist(key.file, number);
	vc_refund(account, VC_ROWS_OPEN);
	return 1;
}

/* Delete a row that no other CPU is deleting.  Return 0, or -1 if the row does not exist. */
static __always_inline int vc_remove_open(const struct vc_open_key *key, __u32 number)
{
	int ret = bpf_map_delete_elem(&vc_open, key) ? -1 : 0;

	if (!ret)
		vc_row_gone(key->tag, VC_ROWS_OPEN);
	vc_unlist(key->file, number);
	return ret;
}

/* Delete a row, unless another CPU is deleting it. */
static __noinline void vc_delete_open(const struct vc_open_key *key)
{
	struct vc_open_val *open = bpf_map_lookup_elem(&vc_open, key);
	__u64 number = open ? __sync_lock_test_and_set(&open->number, 0) : 0;

	if (number)
		vc_remove_open(key, number);
}

/* A file, and the next number in its list */
struct vc_place {
	struct vc_open_key key;
	__u32 number;
	__u32 mask;
};

/*
 * Find the row that is @i numbers after @place, and store its key in @place.  Return 0, or -1 if no
 * row has this number.
 */
static __always_inline int vc_next_key(__u32 i, struct vc_place *place)
{
	struct vc_list_key at = {
		.file = place->key.file,
		.number = 1 + ((place->number + i) & place->mask),
	};
	union vc_list *entry = bpf_map_lookup_elem(&vc_open_list, &at);

	if (!entry)
		return -1;
	place->key.tag = entry->tag;
	place->key.thread = entry->thread;
	return 0;
}

#define VC_NUMBERS_AT_ONCE	16

static long vc_sweep_number(__u32 i, struct vc_place *place)
{
	struct vc_open_val *open;
	struct vc_open_key key;

	if (vc_next_key(i, place))
		return 0;
	key = place->key;
	open = bpf_map_lookup_elem(&vc_open, &key);
	if (open && !open->start_ns)
		vc_delete_open(&key);
	return 0;
}

/*
 * Rows are kept for the thread's next transaction, even after the thread has ended.  Before a file
 * with more than @many rows gets another row, this function searches a part of its rows and deletes
 * those without an open transaction.  The next search continues where this one stopped.
 */
static __noinline void vc_sweep(__u64 file, __u64 many)
{
	struct vc_place place = { .key.file = file };
	union vc_list *head = vc_head_of(file);

	if (!head || (__u32)head->rows <= many)
		return;
	place.number = __sync_fetch_and_add(&head->swept, VC_NUMBERS_AT_ONCE);
	place.mask = vc_numbers_of(head) - 1;
	bpf_loop(VC_NUMBERS_AT_ONCE, vc_sweep_number, &place, 0);
}

static long vc_drop_number(__u32 i, struct vc_place *place)
{
	struct vc_open_val *open;

	if (vc_next_key(i, place))
		return 0;
	open = bpf_map_lookup_elem(&vc_open, &place->key);
	if (open && open->start_ns)
		vc_count_drop(VC_DROP_GIVEN_UP);
	vc_remove_open(&place->key, 1 + place->number + i);
	return 0;
}

/* Delete a part of the rows of a closed file.  Return 1 if none are left, otherwise 0. */
static __noinline int vc_drop_numbers(__u64 file, __u32 part)
{
	struct vc_place place = {
		.key.file = file, .number = part * VC_NUMBERS_AT_ONCE, .mask = ~0u,
	};
	struct vc_list_key at = { .file = file };
	union vc_list *head = vc_head_of(file);

	if (!head)
		return 1;
	if (place.number < vc_numbers_of(head)) {
		bpf_loop(VC_NUMBERS_AT_ONCE, vc_drop_number, &place, 0);
		return 0;
	}
	bpf_map_delete_elem(&vc_open_list, &at);
	return 1;
}

#endif /* VCPC_BPF_OPEN_LIST_H */
