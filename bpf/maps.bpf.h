/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* Define the maps that the programs share, and create rows when a tag is first seen. */
#ifndef VCPC_BPF_MAPS_H
#define VCPC_BPF_MAPS_H

#include <linux/bpf.h>
#include <linux/vcpc.h>
#include <bpf/bpf_helpers.h>
#include "stat.bpf.h"
#include "trace.h"
#include "users.bpf.h"

/* The settings below are constant after loading, so the verifier removes unused code. */
const volatile __u32 vc_want_begins;	/* the kernel receives begin events, kept in vc_open */
const volatile __u32 vc_want_processes;	/* record each process's transactions in vc_process */
const volatile __u32 vc_ring_bytes;	/* size of vc_ring, which receives each event; 0: no ring */
const volatile __u32 vc_max_tags;	/* rows of vc_tag, of vc_id and of vc_stat */
const volatile __u32 vc_max_open;	/* rows of vc_open */
const volatile __u32 vc_max_listed;	/* rows of one open file (probes: process) in vc_open */
const volatile __u32 vc_use_rows;	/* open transactions may also be in vc_open_row */

/* tag ID -> name */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, VC_MAX_TAGS);
	__type(key, __u64);
	__type(value, struct vc_tag_name);
} vc_tag SEC(".maps");

/* tag, open file and thread -> start of the transaction */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, VC_MAX_OPEN);
	__type(key, struct vc_open_key);
	__type(value, struct vc_open_val);
} vc_open SEC(".maps");

/* tag and events -> sums of the counts */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_HASH);
	__uint(max_entries, VC_MAX_COUNTED);
	__type(key, struct vc_count_key);
	__type(value, struct vc_count);
} vc_count SEC(".maps");

/* signature -> the events in these sums */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, VC_MAX_EVENTS);
	__type(key, __u64);
	__type(value, struct vc_events);
} vc_events SEC(".maps");

/* slots for processes that write their statistics themselves; one slot means disabled */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__uint(map_flags, BPF_F_MMAPABLE);
	__type(key, __u32);
	__type(value, struct vc_direct);
} vc_direct SEC(".maps");

/* 0 -> the clock of vc_direct, and whether a reader is active */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__uint(map_flags, BPF_F_MMAPABLE);
	__type(key, __u32);
	__type(value, struct vc_tick);
} vc_tick SEC(".maps");

/* 0 -> events that each traced thread must count itself */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct vc_events);
} vc_wanted SEC(".maps");

/* enum vc_drop_reason -> events lost */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, VC_DROP_NR);
	__type(key, __u32);
	__type(value, __u64);
} vc_drop SEC(".maps");

/* Where an event's name is stored */
enum vc_name_from {
	VC_NAME_KERNEL,
	VC_NAME_USER,
};

/* One event as received from the module or from a probe */
struct vc_event {
	__u64 tag;
	__u64 file;		/* transactions: see vc_open_key */
	__u32 user;		/* the tag's user */
	__u32 thread;		/* transactions: VCPC_TRACE_THREAD | a number, with which another
				 * thread can end it, or VCPC_TRACE_TID | a thread ID */
	__u64 ids;		/* transactions: process << 32 | thread ID of the caller */
	enum vc_name_from from;
	const char *name;
	__u64 start_ns;		/* for an end: the begin time, if the program passed it */
	const void *counts;	/* the thread's counts so far, or NULL */
};

static const struct vc_stat vc_zero_stat;

static __always_inline void vc_count_drops(__u32 why, __u64 more)
{
	__u64 *n = bpf_map_lookup_elem(&vc_drop, &why);

	if (n)
		*n += more;
}

static __always_inline void vc_count_drop(__u32 why)
{
	vc_count_drops(why, 1);
}

/* If counts are wanted, count a transaction that ended without counts. */
static __always_inline void vc_not_counted(void)
{
	__u32 key = 0;
	struct vc_events *wanted = bpf_map_lookup_elem(&vc_wanted, &key);

	if (wanted && wanted->nr)
		vc_count_drop(VC_DROP_NOT_COUNTED);
}

static const struct vc_tag_name vc_no_name = { .account = VC_USER_UNKNOWN };

/* Return the account charged for a tag's rows.  Call this only after vc_learn_name(). */
static __always_inline __u64 vc_payer(__u64 tag)
{
	struct vc_tag_name *name = bpf_map_lookup_elem(&vc_tag, &tag);

	return name ? name->account : VC_USER_UNKNOWN;
}

/*
 * Create the row of a tag's name.  The name is read directly into the row because it does not fit
 * on the BPF stack.  A reader that finds the name empty must read the row again later.
 */
static __noinline int vc_learn_name(struct vc_event *ev)
{
	__u64 tag = ev->tag, account;
	struct vc_tag_name *row = bpf_map_lookup_elem(&vc_tag, &tag);

	if (row && row->account != VC_USER_UNKNOWN)
		return 0;
	account = vc_open_account(ev->user);
	/* Another CPU is creating the row.  The first CPU to get here sets the account. */
	if (row) {
		__sync_val_compare_and_swap(&row->account, VC_USER_UNKNOWN, account);
		return 0;
	}
	VC_NEW_ROW(account, &vc_tag, &tag, &vc_no_name, VC_ROWS_TAG, vc_max_tags);
	row = bpf_map_lookup_elem(&vc_tag, &tag);
	if (!row) {
		vc_count_drop(VC_DROP_TAG_FULL);
		return -1;
	}
	__sync_val_compare_and_swap(&row->account, VC_USER_UNKNOWN, account);
	row->user = ev->user;
	if (ev->from == VC_NAME_USER)
		bpf_probe_read_user_str(row->name, sizeof(row->name), ev->name);
	else
		bpf_probe_read_kernel_str(row->name, sizeof(row->name), ev->name);
	return 0;
}

static __noinline struct vc_stat *vc_new_stat(struct vc_event *ev, struct vc_stat_key *key)
{
	struct vc_stat *stat;

	if (vc_learn_name(ev))
		return NULL;
	VC_NEW_ROW(vc_payer(ev->tag), &vc_stat, key, &vc_zero_stat, VC_ROWS_STAT, vc_max_tags);
	stat = bpf_map_lookup_elem(&vc_stat, key);
	if (!stat)
		vc_count_drop(VC_DROP_STAT_FULL);
	return stat;
}

/* Return this CPU's statistics of a tag, or NULL. */
static __always_inline struct vc_stat *vc_stat_of(struct vc_event *ev, __u32 kind)
{
	struct vc_stat_key key = { .tag = ev->tag, .kind = kind };
	struct vc_stat *stat = bpf_map_lookup_elem(&vc_stat, &key);

	return stat ? stat : vc_new_stat(ev, &key);
}

#endif /* VCPC_BPF_MAPS_H */
