/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* Add a transaction that ends to the statistics of its tag. */
#ifndef VCPC_BPF_WHY_STAT_BPF_H
#define VCPC_BPF_WHY_STAT_BPF_H

#include "why_maps.bpf.h"

/*
 * Add a tag.  Return 0, or -1 if the table is full, or if another CPU has added the tag at the same
 * time.
 */
static __noinline int vw_new_tag(const struct vw_event *ev)
{
	struct vc_why_tag tag = {
		.row = vw_take_row(&vw_free_tag, &vw_used_tags, vw_tags),
	};
	struct vc_why_key key = ev->key;

	if (tag.row >= vw_tags)
		return -1;
	if (ev->user_name)
		bpf_probe_read_user_str(tag.name.name, sizeof(tag.name.name), ev->name);
	else
		bpf_probe_read_kernel_str(tag.name.name, sizeof(tag.name.name), ev->name);
	if (!bpf_map_update_elem(&vw_tag, &key, &tag, BPF_NOEXIST))
		return 0;
	bpf_map_push_elem(&vw_free_tag, &tag.row, 0);
	return -1;
}

/*
 * Find the row of the transaction's tag in vw_stat.  Return the row + 1, or 0 if the table, or the
 * account's share of it, is full.
 */
static __noinline __u32 vw_find_row(const struct vw_event *ev, struct vc_why_open *open,
				    __u64 account)
{
	struct vc_why_key key = ev->key;
	struct vc_why_tag *tag = bpf_map_lookup_elem(&vw_tag, &key);

	if (!tag && !vc_charge(account, VW_ROWS_TAG, vw_tags)) {
		if (vw_new_tag(ev))
			vc_refund(account, VW_ROWS_TAG);
		tag = bpf_map_lookup_elem(&vw_tag, &key);
	}
	if (!tag || !open) {
		vw_count_drop(VC_WHY_DROP_TAGS, 1);
		return 0;
	}
	open->row = tag->row + 1;
	return open->row;
}

static __always_inline struct vc_why_stat *vw_stat_of(const struct vw_event *ev,
						      struct vc_why_open *open, __u64 account)
{
	__u32 row = open->row ? open->row : vw_find_row(ev, open, account);

	if (!row)
		return NULL;
	row--;
	return bpf_map_lookup_elem(&vw_stat, &row);
}

/*
 * Store a value and read it again.  The verifier does not track the contents of memory, so it checks
 * the following code only once, instead of once for each path that leads to another value.
 */
static __always_inline __u64 vw_hide(struct vc_why_thread *thread, __u64 value)
{
	volatile __u64 *unknown = &thread->unknown;

	*unknown = value;
	return *unknown;
}

static __always_inline __u64 vw_slot(struct vc_why_thread *thread, __u64 ns)
{
	__u64 n = vw_hide(thread, vc_time_slot(ns));

	return n < VC_HIST_SLOTS ? n : VC_HIST_SLOTS - 1;
}

static __noinline __u32 vw_slot_of_part(struct vc_why_thread *thread, __u64 ns)
{
	return thread ? vw_slot(thread, ns) : 0;
}

/* A table of sums, and how its rows are limited */
struct vw_sums {
	void *map;
	__u32 max;
	enum vc_rows which;
	__u32 drop;
};

static __always_inline void vw_add_sum(const struct vw_sums *to, __u64 account, const void *key,
				       __u64 ns, __u64 times)
{
	static const struct vc_why_sum zero;
	struct vc_why_sum *sum = bpf_map_lookup_elem(to->map, key);

	if (!sum) {
		VC_NEW_ROW(account, to->map, key, &zero, to->which, to->max);
		sum = bpf_map_lookup_elem(to->map, key);
	}
	if (!sum) {
		vw_count_drop(to->drop, times);
		return;
	}
	__sync_fetch_and_add(&sum->ns, ns);
	__sync_fetch_and_add(&sum->times, times);
}

struct vw_causes {
	const struct vc_why_open *open;
	__u64 account;
	struct vc_why_reason_key key;
};

static long vw_add_cause_at(__u32 at, struct vw_causes *causes)
{
	const struct vw_sums to = {
		&vw_reason, VC_WHY_REASONS, VW_ROWS_REASON, VC_WHY_DROP_REASONS,
	};
	const struct vc_why_cause *cause;

	if (at >= VC_WHY_OWN_REASONS || at >= causes->open->causes)
		return 1;
	cause = &causes->open->cause[at];
	causes->key.reason = cause->reason;
	vw_add_sum(&to, causes->account, &causes->key, cause->ns, cause->times);
	return 0;
}

/* The verifier checks the body of bpf_loop() fewer times than that of a loop. */
static __noinline void vw_add_causes(const struct vc_why_open *open, __u32 slot, __u64 account)
{
	struct vw_causes causes = {
		open, account, { .tag = { .tag = open->tag, .user = open->user }, .slot = slot },
	};

	bpf_loop(VC_WHY_OWN_REASONS, vw_add_cause_at, &causes, 0);
}

struct vw_stacks {
	const struct vc_why_open *open;
	__u64 account;
	struct vc_why_stack_key key;
};

static long vw_add_stack_at(__u32 at, struct vw_stacks *stacks)
{
	const struct vw_sums to = {
		&vw_stack, VC_WHY_STACKS, VW_ROWS_STACK, VC_WHY_DROP_STACKS,
	};
	const struct vc_why_seen *seen;

	if (at >= VC_WHY_OWN_STACKS || at >= stacks->open->stacks)
		return 1;
	seen = &stacks->open->stack[at];
	stacks->key.reason = seen->reason;
	stacks->key.user = seen->user;
	stacks->key.kernel = seen->kernel;
	vw_add_sum(&to, stacks->account, &stacks->key, seen->ns, seen->times);
	return 0;
}

static __noinline void vw_add_stacks(const struct vc_why_open *open, __u32 slot, __u64 account)
{
	struct vw_stacks stacks = {
		open, account, {
			.tag = { .tag = open->tag, .user = open->user }, .slot = slot,
			.tgid = bpf_get_current_pid_tgid() >> 32,
		},
	};

	bpf_loop(VC_WHY_OWN_STACKS, vw_add_stack_at, &stacks, 0);
}

/*
 * Add a part's time.  @slot is the bucket of the whole time, @spent.  Most transactions spend all
 * of it in one part.
 */
static __always_inline void vw_add_part(struct vc_why_stat *stat, struct vc_why_thread *thread,
					__u64 slot, __u64 spent, __u32 part, __u64 ns)
{
	__u64 octave;

	if (!ns)
		return;
	stat->slot[slot].part[part] += ns;
	/* From 8 ns upwards, an octave has eight buckets.  Counts of shorter times are not used. */
	octave = (ns == spent ? slot : vw_slot_of_part(thread, ns)) / VC_HIST_SUB + VC_HIST_BITS - 1;
	barrier_var(octave);	/* as in vw_commit */
	if (octave < VC_WHY_OCTAVES)
		stat->hist[part][octave]++;
}

/* Add an ending transaction to its tag's statistics. */
static __always_inline void vw_commit(const struct vw_event *ev, struct vc_why_thread *thread,
				      struct vc_why_open *open, __u64 now)
{
	__u64 spent = now - open->start_ns;
	__u64 part[VC_WHY_PARTS];
	struct vc_why_stat *stat;
	__u64 slot;

	for (int i = 0; i < VC_WHY_PARTS; i++)
		part[i] = thread->part[i] - open->part[i];
	if (part[VC_WHY_ON_CPU] + part[VC_WHY_RUNNABLE] + part[VC_WHY_BLOCKED] != spent) {
		vw_count_drop(VC_WHY_DROP_BROKEN, 1);
		return;
	}
	stat = vw_stat_of(ev, open, thread->account);
	if (!stat)
		return;
	slot = vw_slot(thread, spent);
	/*
	 * Keep the value in a register.  If the compiler checked a copy on the stack and read it
	 * again for the access, the verifier would not know its bounds.
	 */
	barrier_var(slot);
	if (slot >= VC_HIST_SLOTS)
		return;
	stat->slot[slot].count++;
	for (int i = 0; i < VC_WHY_PARTS; i++)
		vw_add_part(stat, thread, slot, spent, i, part[i]);
	if (open->causes)
		vw_add_causes(open, slot, thread->account);
	if (open->stacks)
		vw_add_stacks(open, slot, thread->account);
}

#endif /* VCPC_BPF_WHY_STAT_BPF_H */
