/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * What one trace event does to the maps: the body that all ways in share.
 *
 * The time is taken first in an end and last in a begin, so that a transaction
 * is not charged for its own bookkeeping.  An event whose rows exist costs
 * look-ups and stores in place; rows are made at the first sight of a tag.
 */
#ifndef VCPC_BPF_EVENT_H
#define VCPC_BPF_EVENT_H

#include <linux/bpf.h>
#include <linux/vcpc.h>
#include <bpf/bpf_helpers.h>
#include "trace.h"

/* tag id -> name */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, VC_MAX_TAGS);
	__type(key, __u32);
	__type(value, struct vc_tag_name);
} vc_tag SEC(".maps");

/* tag and process (or thread) -> when it began */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, VC_MAX_OPEN);
	__type(key, struct vc_open_key);
	__type(value, struct vc_open_val);
} vc_open SEC(".maps");

/* tag and kind -> statistics */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_HASH);
	__uint(max_entries, VC_MAX_TAGS);
	__type(key, struct vc_stat_key);
	__type(value, struct vc_stat);
} vc_stat SEC(".maps");

/* enum vc_drop_reason -> events lost */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, VC_DROP_NR);
	__type(key, __u32);
	__type(value, __u64);
} vc_drop SEC(".maps");

/* Where the name of an event lies. */
enum vc_name_from {
	VC_NAME_KERNEL,
	VC_NAME_USER,
};

/* One event, as it came in: the module's arguments. */
struct vc_event {
	__u32 tag;
	__u32 id;
	__u32 flags;
	enum vc_name_from from;
	const char *name;
};

static const struct vc_stat vc_zero_stat;

static __always_inline void vc_count_drop(__u32 why)
{
	__u64 *n = bpf_map_lookup_elem(&vc_drop, &why);

	if (n)
		(*n)++;
}

/* A function of its own: the name would take half of every program's stack. */
static __noinline int vc_learn_name(struct vc_event *ev)
{
	struct vc_tag_name value = {};
	__u32 tag = ev->tag;

	if (bpf_map_lookup_elem(&vc_tag, &tag))
		return 0;
	if (ev->from == VC_NAME_USER)
		bpf_probe_read_user_str(value.name, sizeof(value.name), ev->name);
	else
		bpf_probe_read_kernel_str(value.name, sizeof(value.name), ev->name);
	bpf_map_update_elem(&vc_tag, &tag, &value, BPF_NOEXIST);
	if (bpf_map_lookup_elem(&vc_tag, &tag))
		return 0;
	vc_count_drop(VC_DROP_TAG_FULL);
	return -1;
}

/* Another CPU may make the same row at the same time, so the look-up decides. */
static __noinline struct vc_open_val *vc_new_open(struct vc_event *ev, struct vc_open_key *key)
{
	struct vc_open_val value = { .tgid = bpf_get_current_pid_tgid() >> 32 };
	struct vc_open_val *open;

	if (vc_learn_name(ev))
		return NULL;
	bpf_map_update_elem(&vc_open, key, &value, BPF_NOEXIST);
	open = bpf_map_lookup_elem(&vc_open, key);
	if (!open)
		vc_count_drop(VC_DROP_OPEN_FULL);
	return open;
}

static __noinline struct vc_stat *vc_new_stat(struct vc_event *ev, struct vc_stat_key *key)
{
	struct vc_stat *stat;

	if (vc_learn_name(ev))
		return NULL;
	bpf_map_update_elem(&vc_stat, key, &vc_zero_stat, BPF_NOEXIST);
	stat = bpf_map_lookup_elem(&vc_stat, key);
	if (!stat)
		vc_count_drop(VC_DROP_STAT_FULL);
	return stat;
}

/* This CPU's statistics of a tag, with one more event counted. */
static __always_inline struct vc_stat *vc_hit(struct vc_event *ev, __u32 kind, __u64 now)
{
	struct vc_stat_key key = { .tag = ev->tag, .kind = kind };
	struct vc_stat *stat = bpf_map_lookup_elem(&vc_stat, &key);

	if (!stat)
		stat = vc_new_stat(ev, &key);
	if (!stat)
		return NULL;
	stat->count++;
	stat->last_ns = now;
	return stat;
}

/* floor(log2(v)), 0 for 0; the compiler would unfold the steps to twice the code */
#define VC_LOG2_STEP(v, n, step) do {		\
	asm volatile("" : "+r"(v), "+r"(n));	\
	if (v >> step) {			\
		v >>= step;			\
		n += step;			\
	}					\
} while (0)

static __always_inline __u64 vc_log2(__u64 v)
{
	__u64 n = 0;

	VC_LOG2_STEP(v, n, 32);
	VC_LOG2_STEP(v, n, 16);
	VC_LOG2_STEP(v, n, 8);
	VC_LOG2_STEP(v, n, 4);
	VC_LOG2_STEP(v, n, 2);
	VC_LOG2_STEP(v, n, 1);
	return n;
}

static __always_inline void vc_key_of(struct vc_event *ev, struct vc_open_key *key)
{
	key->tag = ev->tag;
	key->pid = ev->id;
	key->per_thread = ev->flags & VCPC_TRACE_F_THREAD;
}

static __always_inline void vc_begin(struct vc_event *ev)
{
	struct vc_open_key key;
	struct vc_open_val *open;

	vc_key_of(ev, &key);
	open = bpf_map_lookup_elem(&vc_open, &key);
	if (!open)
		open = vc_new_open(ev, &key);
	if (open)
		open->start_ns = bpf_ktime_get_ns();
}

/* Close an open transaction and give its start, 0 if there was none. */
static __always_inline __u64 vc_close(struct vc_event *ev)
{
	struct vc_open_key key;
	struct vc_open_val *open;
	__u64 start = 0;

	vc_key_of(ev, &key);
	open = bpf_map_lookup_elem(&vc_open, &key);
	if (open) {
		start = open->start_ns;
		open->start_ns = 0;
		/* Threads come and go, and would leave their rows behind. */
		if (key.per_thread)
			bpf_map_delete_elem(&vc_open, &key);
	}
	if (!start)
		vc_count_drop(VC_DROP_NOT_OPEN);
	return start;
}

static __always_inline void vc_end(struct vc_event *ev)
{
	__u64 now = bpf_ktime_get_ns();
	__u64 start = vc_close(ev);
	struct vc_stat *stat;
	__u64 spent;

	if (!start)
		return;
	stat = vc_hit(ev, VC_TRANSACT, now);
	if (!stat)
		return;
	spent = now - start;
	stat->sum_ns += spent;
	if (stat->count == 1 || spent < stat->min_ns)
		stat->min_ns = spent;
	if (spent > stat->max_ns)
		stat->max_ns = spent;
	stat->hist[vc_log2(spent) % VC_HIST_SLOTS]++;
}

static __always_inline void vc_value(struct vc_event *ev, __u32 op, __u64 value)
{
	/* PCP's kinds are in the order of the module's operations. */
	_Static_assert(VCPC_TRACE_POINT - VC_POINT == 2 && VCPC_TRACE_OBSERVE - VC_OBSERVE == 2 &&
		       VCPC_TRACE_COUNTER - VC_COUNTER == 2, "kind of an operation");
	struct vc_stat *stat = vc_hit(ev, op - 2, bpf_ktime_get_ns());

	if (stat)
		stat->value = value;
}

#endif /* VCPC_BPF_EVENT_H */
